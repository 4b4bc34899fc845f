import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importPaths } from '../../../../subgraphs/directory/import/import.ts'
import { readers } from '../../../../subgraphs/directory/import/readers.ts'
import { cameToNothing, reportText } from '../../../../subgraphs/directory/import/report.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts'

const SHARED = join(import.meta.dirname, '../../../../../shared/data/directory')

let database: FreshDatabase
let client: pg.Client
let folder: string

beforeAll(async () => {
  database = await freshDatabase()
  client = new pg.Client(database.connection)
  await client.connect()
  await client.query('SET search_path = directory')
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-import-'))
  await client.query('TRUNCATE contribution, item, feature_probe, feature_change, repository_stars RESTART IDENTITY')
  await client.query('UPDATE revision SET number = 0, changed_at = NULL')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Writes files below the test's folder: path to text, or to a value as JSON. */
function write(files: Record<string, unknown>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  }
}

const run = (paths: readonly string[] = [folder], options: { stars?: string; signal?: AbortSignal } = {}) =>
  importPaths(paths, { connection: database.connection, signal: new AbortController().signal, ...options })

/** All rows as they matter to a reader, without times and numbers of revisions. */
async function items(where = 'removed_at IS NULL') {
  const { rows } = await client.query(
    `SELECT kind, identity, key, name, description, category, original_category, tags, popularity, detail, provenance
     FROM item WHERE ${where} ORDER BY kind, identity`,
  )
  return rows
}
const keys = async (where?: string) => (await items(where)).map(({ key }) => key).sort()
const revision = async () => (await client.query('SELECT number FROM revision')).rows[0].number

const skill = (name: string, description = `About ${name}`, rest = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${rest}---\n\n# ${name}\n`
const marketplace = (name: string, ...plugins: string[]) => ({
  name,
  owner: { name: 'A' },
  plugins: plugins.map((plugin) => ({ name: plugin, source: `./plugins/${plugin}`, description: `The ${plugin}` })),
})
const persona = (...slugs: string[]) => ({
  atrium: 'directory/1',
  records: slugs.map((slug) => ({ kind: 'persona', slug, name: slug, url: `https://example.org/${slug}` })),
})

describe('what an import leaves behind', () => {
  test('a second import of the same files changes nothing, not even the revision', async () => {
    write({
      'a+b/SKILL.md': skill('one'),
      'a+b/.claude-plugin/marketplace.json': marketplace('m', 'p'),
      'x/y.json': persona('q'),
    })
    const first = await run()
    expect(first).toMatchObject({ imported: 3, updated: 0, unchanged: 0, removed: 0, skipped: [], revision: '1' })
    const before = await client.query('SELECT * FROM item ORDER BY id')
    expect(await run()).toMatchObject({ imported: 0, updated: 0, unchanged: 3, removed: 0, revision: '1' })
    expect((await client.query('SELECT * FROM item ORDER BY id')).rows).toEqual(before.rows)
    expect(await revision()).toBe('1')
  })

  test('what no file has any longer becomes a tombstone, and returns in the same row under the same key', async () => {
    write({ 'a+b/one/SKILL.md': skill('one'), 'a+b/two/SKILL.md': skill('two') })
    await run()
    const [before] = (await client.query("SELECT id, key FROM item WHERE key = 'one'")).rows
    rmSync(join(folder, 'a+b/one'), { recursive: true })
    expect(await run()).toMatchObject({ removed: 1, unchanged: 1 })
    expect(await keys()).toEqual(['two'])
    expect(await keys('removed_at IS NOT NULL')).toEqual(['one'])
    write({ 'a+b/one/SKILL.md': skill('one') })
    expect(await run()).toMatchObject({ imported: 0, updated: 1, removed: 0 })
    expect((await client.query("SELECT id, key, removed_at FROM item WHERE key = 'one'")).rows).toEqual([
      { ...before, removed_at: null },
    ])
  })

  test('a tombstone keeps its key: a newcomer of that name gets a suffix', async () => {
    write({ 'a+b/one/SKILL.md': skill('one') })
    await run()
    rmSync(join(folder, 'a+b/one'), { recursive: true })
    write({ 'c+d/one/SKILL.md': skill('one') })
    await run()
    expect(await keys()).toEqual(['one-c'])
    write({ 'a+b/one/SKILL.md': skill('one') })
    await run()
    expect(await keys()).toEqual(['one', 'one-c'])
  })

  test('importing one file or one folder removes nothing beside it', async () => {
    write({ 'a+b/one/SKILL.md': skill('one'), 'a+b/two/SKILL.md': skill('two'), 'a+b/deep/three/SKILL.md': skill('three') })
    await run()
    rmSync(join(folder, 'a+b/two'), { recursive: true })
    await run([join(folder, 'a+b/one/SKILL.md')])
    await run([join(folder, 'a+b/deep')])
    expect(await keys()).toEqual(['one', 'three', 'two'])
    rmSync(join(folder, 'a+b/deep/three'), { recursive: true })
    await run([join(folder, 'a+b/deep')])
    expect(await keys()).toEqual(['one', 'two'])
  })

  test('two folders may hold parts of one repository, and a moved folder counts as itself', async () => {
    write({ 'skills/a+b/one/SKILL.md': skill('one'), 'plugins/a+b/.claude-plugin/marketplace.json': marketplace('m', 'p') })
    await run([join(folder, 'skills')])
    await run([join(folder, 'plugins')])
    await run([join(folder, 'skills')])
    expect(await keys()).toEqual(['m/p', 'one'])
    renameSync(join(folder, 'skills'), join(folder, 'moved'))
    rmSync(join(folder, 'moved/a+b/one'), { recursive: true })
    write({ 'moved/a+b/two/SKILL.md': skill('two') })
    await run([join(folder, 'moved')])
    expect(await keys()).toEqual(['m/p', 'two'])
  })

  test('importing a folder replaces the imports of its subfolders, and removes what these have lost', async () => {
    write({ 'a/b/x.json': persona('p', 'q'), 'a/bc/y.json': persona('beside'), 'a/b/node_modules/z.json': persona('foreign') })
    for (const part of ['a/b', 'a/bc', 'a/b/node_modules']) await run([join(folder, part)])
    await run([join(folder, 'a/b')])
    expect(await keys()).toEqual(['beside', 'foreign', 'p', 'q'])
    write({ 'a/b/x.json': persona('p') })
    expect(await run([join(folder, 'a')])).toMatchObject({ removed: 1 })
    expect(await keys()).toEqual(['beside', 'foreign', 'p'])
    write({ 'a/b/x.json': '{' })
    await run([join(folder, 'a/b')])
    expect(await run([join(folder, 'a')])).toMatchObject({ removed: 0 })
    rmSync(join(folder, 'a/b/x.json'))
    expect(await run([join(folder, 'a')])).toMatchObject({ removed: 1 })
    expect(await keys()).toEqual(['beside', 'foreign'])
  })

  test('what a folder was imported as leaves with the folder, when one around it is imported', async () => {
    write({ 'a/b/x.json': persona('p'), 'a/bc/y.json': persona('beside'), 'a/rest.json': persona('rest') })
    for (const part of ['a/b', 'a/bc']) await run([join(folder, part)])
    rmSync(join(folder, 'a/b'), { recursive: true })
    // A file by itself says nothing about the folder that it lies in.
    await run([join(folder, 'a/rest.json')])
    expect(await keys()).toEqual(['beside', 'p', 'rest'])
    expect(await run([join(folder, 'a')])).toMatchObject({ removed: 1 })
    expect(await keys()).toEqual(['beside', 'rest'])
  })

  test('what a folder was imported as stays while it cannot be read below the one around it', async () => {
    write({ 'a/b/x.json': persona('p'), 'a/rest.json': persona('rest') })
    await run([join(folder, 'a/b')])
    write({ 'a/b/x.json': '{' })
    expect(await run([join(folder, 'a')])).toMatchObject({ removed: 0, retained: [{ path: 'x.json', records: 1 }] })
    expect(await keys()).toEqual(['p', 'rest'])
  })

  test('a file that is there and cannot be read keeps its records, and the report says so', async () => {
    write({ 'a+b/one/SKILL.md': skill('one'), 'x/list.json': persona('p', 'q') })
    await run()
    write({ 'x/list.json': '{ "atrium":\n' })
    const report = await run()
    expect(report).toMatchObject({ removed: 0, retained: [{ path: 'x/list.json', records: 2 }] })
    expect(report.skipped).toMatchObject([{ path: 'x/list.json', line: 1, reason: expect.stringContaining('not valid JSON') }])
    expect(reportText(report)).toContain('Kept 2 earlier records of 1 source')
    expect(await keys()).toEqual(['one', 'p', 'q'])
  })

  test('parts in separate runs and in any order give the same rows as everything at once', async () => {
    write({
      'one/a+b/.claude-plugin/marketplace.json': marketplace('m', 'p', 'q'),
      'two/a+b/plugins/p/.claude-plugin/plugin.json': { name: 'p', keywords: ['from-manifest'] },
      'three/a+b/plugins/p/skills/s/SKILL.md': skill('s'),
      'four/o+l/list.json': persona('x'),
    })
    const parts = ['one', 'two', 'three', 'four'].map((part) => join(folder, part))
    await run()
    const expected = await items()
    for (const order of [parts, parts.toReversed(), [2, 0, 3, 1].map((index) => parts[index] ?? '')]) {
      await client.query('TRUNCATE contribution, item, feature_probe, feature_change')
      for (const part of order) await run([part])
      expect(await items()).toEqual(expected)
    }
    expect(expected).toMatchObject([{}, { tags: ['from-manifest'] }, {}, { detail: { source: 'PLUGIN' } }])
  })

  test('an interrupted import changes nothing', async () => {
    write({ 'a+b/one/SKILL.md': skill('one') })
    await run()
    write({ 'a+b/two/SKILL.md': skill('two') })
    for (const phase of ['reading', 'storing'] as const) {
      for (let step = 0; step < (phase === 'storing' ? 7 : 1); step += 1) {
        const interruption = new AbortController()
        const interrupted = importPaths([folder], {
          connection: database.connection,
          signal: interruption.signal,
          progress: (progress) => {
            if (progress.phase === phase && progress.done === step && step < 6) interruption.abort()
          },
        })
        if (step < 6) await expect(interrupted).rejects.toThrow('aborted')
        else await interrupted
        expect(await keys()).toEqual(step < 6 ? ['one'] : ['one', 'two'])
      }
    }
    expect(await revision()).toBe('2')
  })

  test('two concurrent imports take turns, and listeners are notified once per change', async () => {
    const messages: string[] = []
    await client.query('LISTEN directory_revision')
    client.on('notification', ({ channel }) => messages.push(channel))
    write({ 'a/a.json': persona('a'), 'b/b.json': persona('b') })
    await Promise.all([run([join(folder, 'a')]), run([join(folder, 'b')])])
    await run([join(folder, 'a')])
    await client.query('UNLISTEN directory_revision')
    expect(await keys()).toEqual(['a', 'b'])
    expect(messages).toHaveLength(2)
  })

  test('stars of a file reach items of that repository, and stay when a later import has none', async () => {
    write({ 'a+b/one/SKILL.md': skill('one'), 'a+b/.claude-plugin/marketplace.json': marketplace('m', 'p') })
    const stars = join(folder, 'stars.csv')
    writeFileSync(stars, 'owner/repo,stars,asOf\nA/B,12,2026-01-02\na/b,11,2026-01-01\nx/y,1e3,2026-01-01\nx/y,5,2026-02-30\n')
    const report = await run([folder], { stars })
    expect(report.stars).toBe(1)
    expect(report.skipped.map(({ line }) => line)).toEqual([4, 5])
    expect((await items()).map(({ popularity }) => popularity)).toEqual([12, 12])
    await run()
    writeFileSync(stars, 'a/b,3,2025-01-01')
    await run([], { stars })
    expect((await items()).map(({ popularity }) => popularity)).toEqual([12, 12])
    await expect(run([], { stars: join(folder, 'none.csv') })).rejects.toThrow('none.csv')
  })

  test('a folder of a repository that vanished takes its items with it, but not those of a folder that cannot be seen', async () => {
    write({ 'acme+one/a/SKILL.md': skill('one'), 'acme+two/b/SKILL.md': skill('two') })
    await run()
    expect(await keys()).toEqual(['one', 'two'])
    rmSync(join(folder, 'acme+two'), { recursive: true })
    await run()
    expect(await keys()).toEqual(['one'])
    // Another folder says nothing about this one.
    const elsewhere = mkdtempSync(join(tmpdir(), 'atrium-elsewhere-'))
    rmSync(join(folder, 'acme+one'), { recursive: true })
    await run([elsewhere])
    rmSync(elsewhere, { recursive: true })
    expect(await keys()).toEqual(['one'])
  })

  test('a repository that turns out to hold several servers keeps the id and key that links know', async () => {
    const record = (name: string) => ({ name, vendor: 'A', sourceUrl: 'https://github.com/acme/many', runtime: 'node' })
    write({ 'list/curl.json': record('@acme/server-curl') })
    await run()
    const ids = async () => (await client.query('SELECT id, key, identity FROM item WHERE removed_at IS NULL ORDER BY id')).rows
    const [before] = await ids()
    expect(before).toMatchObject({ key: 'acme/many', identity: 'github.com/acme/many' })
    write({ 'list/git.json': record('@acme/server-git') })
    await run()
    expect(await ids()).toMatchObject([
      { id: before.id, key: 'acme/many', identity: 'github.com/acme/many#curl' },
      { key: 'acme/git', identity: 'github.com/acme/many#git' },
    ])
    rmSync(join(folder, 'list/git.json'))
    await run()
    expect(await ids()).toMatchObject([{ id: before.id, key: 'acme/many', identity: 'github.com/acme/many' }])
  })

  test('a clone says whose files it holds', async () => {
    write({ 'work/one/SKILL.md': skill('one') })
    execFileSync('git', ['init', '-q', join(folder, 'work')])
    execFileSync('git', ['-C', join(folder, 'work'), 'remote', 'add', 'origin', 'git@github.com:Some/Where.git'])
    await run([join(folder, 'work/one')])
    expect(await items()).toMatchObject([
      { identity: 'github.com/some/where#one', detail: { docsUrl: 'https://github.com/Some/Where/blob/HEAD/one/SKILL.md' } },
    ])
  })
})

test.skipIf(!readers.some(({ format }) => format === 'registry'))(
  'what a registry lists no longer is removed, unless its list could not be read to the end',
  async () => {
    const named = (name: string) => ({
      server: {
        name: `io.github.a/${name}`,
        description: name,
        version: '1.0.0',
        repository: { url: `https://github.com/a/${name}`, source: 'github' },
      },
    })
    let pages: readonly { readonly status: number; readonly body: unknown }[] = []
    const server = createServer((request, response) => {
      const page = pages[Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0)]
      response.writeHead(page?.status ?? 404).end(JSON.stringify(page?.body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const first = { status: 200, body: { servers: [named('one')], metadata: { nextCursor: '1' } } }
      pages = [first, { status: 200, body: { servers: [named('two')], metadata: {} } }]
      expect(await run([url])).toMatchObject({ read: 2, imported: 2, removed: 0 })
      pages = [first, { status: 403, body: {} }]
      const partial = await run([url])
      expect(partial).toMatchObject({ removed: 0, unchanged: 2 })
      expect(partial.skipped).toMatchObject([{ reason: expect.stringContaining('status 403') }])
      pages = [{ status: 200, body: { servers: [named('two')], metadata: {} } }]
      expect(await run([url])).toMatchObject({ removed: 1, unchanged: 1 })
    } finally {
      server.close()
    }
  },
)

describe('the command', () => {
  /** Runs `atrium import`; `onStart` gets the way to interrupt it. */
  function atrium(args: readonly string[], onStart: (interrupt: () => void) => void = () => {}) {
    const { connection } = database
    if (!('connectionString' in connection)) throw new Error('Expected a database with a URL.')
    const cli = join(import.meta.dirname, '../../../../cli/atrium.ts')
    const child = spawn(process.execPath, [cli, 'import', ...args], {
      env: { ...process.env, DATABASE_URL: connection.connectionString, LOG_LEVEL: 'silent' },
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk
    })
    onStart(() => child.kill('SIGINT'))
    return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, ...output })),
    )
  }

  test('Ctrl-C ends it with status 130, and nothing is changed', async () => {
    write({ 'a+b/one/SKILL.md': skill('one') })
    // Another import has the turn, so this one waits in its transaction.
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [0x696d706f7274])
    const { code, stderr } = await atrium([folder], async (interrupt) => {
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_try_advisory_xact_lock%' AND pid <> pg_backend_pid()"
      const watcher = new pg.Client(database.connection)
      await watcher.connect()
      while ((await watcher.query(waiting)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      await watcher.end()
      interrupt()
    })
    await client.query('ROLLBACK')
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'Interrupted: nothing was changed.\n' })
    expect(await keys()).toEqual([])
  })

  test('prints a summary as text or JSON, exits with 1 when nothing was imported, and with 2 on wrong usage', async () => {
    write({ 'a+b/one/SKILL.md': skill('one'), 'a+b/bad.json': '{', 'empty/x.txt': '' })
    const [words, nothing, wrong, none] = await Promise.all([
      atrium([join(folder, 'a+b')]),
      atrium([join(folder, 'empty')]),
      atrium([join(folder, 'nowhere')]),
      atrium([]),
    ])
    expect(words).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('a/b: bad.json:1') })
    expect(nothing).toMatchObject({ code: 1, stderr: 'Nothing could be imported.\n' })
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('nowhere') })
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--stars') })
    const { code, stdout } = await atrium(['--json', join(folder, 'a+b')])
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      report: { read: 2, unchanged: 1, skipped: [{ line: 1 }] },
    })
  })
})

describe('hostile input', () => {
  const aliases = Array.from(
    { length: 40 },
    (_, index) => `k${index}: &a${index} [${index > 0 ? `*a${index - 1},*a${index - 1}` : 'x'}]`,
  )

  test.each<[string, string, string | Buffer, RegExp]>([
    ['a YAML bomb', 'bomb.yaml', aliases.join('\n'), /aliases/],
    ['brackets without end', 'deep.yaml', '['.repeat(900_000), /nested/],
    ['list marks without end', 'list.yml', '- '.repeat(400_000), /nested/],
    [
      '60,000 keys',
      'keys.yaml',
      Array.from({ length: 60_000 }, (_, index) => `k${index}: v`).join('\n'),
      /none of the known formats/,
    ],
    ['a tag that runs code', 'tag.yaml', 'name: !!js/function "x"', /not valid YAML.*tag/],
    ['JSON nested a million times', 'deep.json', `${'['.repeat(1e6)}${']'.repeat(1e6)}`, /nested/],
    ['JSON that ends early', 'short.json', '{"name": "x",\n "plugins": [', /not valid JSON/],
    ['bytes that are not UTF-8', 'latin.json', Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]), /UTF-8/],
    ['an empty file', 'empty.json', '', /empty/],
    ['data of no known format', 'package.json', '{"name": "x", "version": "1"}', /none of the known formats/],
    ['frontmatter that never ends', 'SKILL.md', '---\nname: x\n', /never closes/],
  ])('%s is refused with a reason, and its neighbours are imported', async (_, name, content, reason) => {
    write({ [`a+b/${name}`]: content, 'a+b/one/SKILL.md': skill('one') })
    const report = await run()
    expect(report.skipped).toMatchObject([{ origin: 'a/b', path: name, reason: expect.stringMatching(reason) }])
    expect(await keys()).toEqual(['one'])
  })

  test('a file of 50 MB is refused by its size alone', async () => {
    write({ 'a+b/huge.json': '', 'a+b/huge.yaml': '', 'a+b/one/SKILL.md': skill('one') })
    truncateSync(join(folder, 'a+b/huge.json'), 50_000_000)
    truncateSync(join(folder, 'a+b/huge.yaml'), 2_000_000)
    const report = await run()
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      'is 50.0 MB; at most 16.0 MB are read from a .json file',
      'is 2.0 MB; at most 1.0 MB are read from a .yaml file',
    ])
    expect(report.read).toBe(1)
  })

  test('links are not followed, and a link in a circle ends', async () => {
    write({ 'a+b/one/SKILL.md': skill('one'), 'outside/SKILL.md': skill('outside') })
    symlinkSync(join(folder, 'a+b'), join(folder, 'a+b/loop'))
    symlinkSync(join(folder, 'outside'), join(folder, 'a+b/out'))
    expect(await run([join(folder, 'a+b')])).toMatchObject({ read: 1, ignored: 2 })
  })

  test('keys that mean something to the language, and text that deceives the eye, are only text', async () => {
    write({
      'a+b/.claude-plugin/marketplace.json':
        '{"name":"m","__proto__":{"plugins":[]},"plugins":[{"name":"constructor","source":"./p","description":"a\\u202eb\\u0000c\\ud800","__proto__":{"category":"Security"}}]}',
      'a+b/s/SKILL.md': skill('__proto__', 'x', 'category: constructor\n'),
    })
    expect(await run()).toMatchObject({ imported: 2 })
    expect(await items()).toMatchObject([
      { key: 'm/constructor', category: 'Uncategorized', description: expect.stringMatching(/^ab c/) },
      { key: 'proto', category: 'Uncategorized', original_category: 'constructor' },
    ])
    expect(({} as { plugins?: unknown }).plugins).toBeUndefined()
  })

  test('a path that is not there is refused before anything is read', async () => {
    await expect(run([join(folder, 'nowhere')])).rejects.toThrow('nowhere')
  })

  test('an import of a folder without items is reported as empty', async () => {
    write({ 'a/readme.txt': 'x', 'a/notes.md': '---\nnot closed' })
    expect(cameToNothing(await run())).toBe(true)
  })

  test('an import that removes one of several records of an item is not empty', async () => {
    write({
      'one/a+b/.claude-plugin/marketplace.json': marketplace('m', 'p'),
      'two/a+b/plugins/p/.claude-plugin/plugin.json': { name: 'p', keywords: ['from-manifest'] },
    })
    for (const part of ['one', 'two']) await run([join(folder, part)])
    rmSync(join(folder, 'two/a+b/plugins'), { recursive: true })
    const report = await run([join(folder, 'two')])
    expect(report).toMatchObject({ records: 0, updated: 1, removed: 0 })
    expect(cameToNothing(report)).toBe(false)
  })
})

describe('a record of our own', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown field', { kind: 'guide', slug: 'g', name: 'G', url: 'https://e.org', extra: 1 }, 'unknown field `extra`'],
    ['a wrong type', { kind: 'guide', slug: 'g', name: 5, url: 'https://e.org' }, 'expected `name` to be text'],
    ['a missing field', { kind: 'guide', name: 'G', url: 'https://e.org' }, '`slug` is missing'],
    ['no kind', { slug: 'g' }, '`kind` is missing'],
    [
      'an unknown word',
      { kind: 'skill', slug: 's', name: 'S', docsUrl: 'https://e.org', repoUrl: 'https://e.org', source: 'else' },
      'expected `source` to be one of built-in, optional, community, plugin, mcp',
    ],
    [
      'too many tags',
      { kind: 'guide', slug: 'g', name: 'G', url: 'https://e.org', tags: Array.from({ length: 31 }, () => 'x') },
      'expected `tags` to be a list of at most 30 entries',
    ],
    [
      'a number among the tags',
      { kind: 'guide', slug: 'g', name: 'G', url: 'https://e.org', tags: ['x', 3] },
      'expected `tags.1` to be text',
    ],
    ['a script as address', { kind: 'guide', slug: 'g', name: 'G', url: 'javascript:alert(1)' }, '`url`'],
    [
      'an unknown kind',
      { kind: 'thing' },
      'expected `kind` to be one of mcp_server, plugin, skill, persona, bundle, agent, guide',
    ],
    [
      'a command for another purpose',
      { kind: 'mcp_server', owner: 'a', repo: 'b', title: 'T', docsUrl: 'https://e.org', installCommand: 'npx x; rm -rf /' },
      '`installCommand`',
    ],
    [
      'a package that is shell',
      { kind: 'mcp_server', owner: 'a', repo: 'b', title: 'T', docsUrl: 'https://e.org', install: { npm: 'x && y' } },
      '`install.npm`',
    ],
    ['no object', 5 as never, 'is not an object'],
  ])('with %s is skipped with a reason that names it', async (_, record, reason) => {
    write({ 'list.json': { atrium: 'directory/1', records: [record, ...persona('p').records] } })
    const report = await run()
    expect(report.skipped).toMatchObject([{ reason: expect.stringContaining(reason) }])
    expect(report.skipped[0]?.reason).toMatch(/^records\[0\]/)
    expect(await keys()).toEqual(['p'])
  })

  test('is listed alone, and yields to a manifest of the repository', async () => {
    const record = {
      kind: 'skill',
      slug: 'pdf',
      name: 'Seeded',
      description: 'Ours',
      source: 'built-in',
      docsUrl: 'https://github.com/a/b/blob/HEAD/skills/pdf/SKILL.md',
      repoUrl: 'https://github.com/a/b/tree/HEAD/skills/pdf',
    }
    write({ 'seed/list.json': { atrium: 'directory/1', records: [record] } })
    await run()
    expect(await items()).toMatchObject([{ key: 'pdf', name: 'Seeded', detail: { source: 'BUILT_IN', slug: 'pdf' } }])
    write({ 'a+b/skills/pdf/SKILL.md': skill('pdf', 'Theirs') })
    expect(await run()).toMatchObject({ imported: 0, updated: 1, merged: 1 })
    expect(await items()).toMatchObject([{ key: 'pdf', name: 'pdf', description: 'Theirs', detail: { source: 'BUILT_IN' } }])
  })
})

const absent = existsSync(SHARED) ? '' : ' (skipped: ../shared/data/directory is absent)'
test.skipIf(absent !== '')(
  `real data fills the directory, and a second import changes nothing${absent}`,
  async () => {
    const report = await run([SHARED])
    expect(report.totals.PLUGIN).toBeGreaterThanOrEqual(500)
    expect(report.totals.SKILL).toBeGreaterThanOrEqual(900)
    expect(report.totals.MCP_SERVER ?? 0).toBeGreaterThanOrEqual(5_000)
    const { rows } = await client.query(
      "SELECT count(*) FILTER (WHERE category = 'Uncategorized')::float / count(*) AS share FROM item WHERE removed_at IS NULL",
    )
    expect(rows[0].share).toBeLessThan(0.15)
    const again = await run([SHARED])
    expect(again).toMatchObject({ imported: 0, updated: 0, removed: 0, revision: report.revision })
  },
  120_000,
)
