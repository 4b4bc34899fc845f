import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { graphql } from 'graphql'
import { packTar } from 'modern-tar'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { END, tarHeader } from '../../../../platform/database/backup/tar.ts'
import { type Connection, openDatabase } from '../../../../platform/database/database.ts'
import type { Subgraph } from '../../../../platform/graphql/subgraph.ts'
import { hasSource, takeTurn } from '../../../../subgraphs/directory/import/store.ts'
import { createSource } from '../../../../subgraphs/directory/source/actions.ts'
import { locationOf } from '../../../../subgraphs/directory/source/location.ts'
import { sourceHttp } from '../../../../subgraphs/directory/source/network.ts'
import { fetchPages, type PageStore } from '../../../../subgraphs/directory/source/pages.ts'
import { removeWithItems } from '../../../../subgraphs/directory/source/removal.ts'
import { type SourceRepository, sourceRepository } from '../../../../subgraphs/directory/source/repository.ts'
import { requester } from '../../../../subgraphs/directory/source/request.ts'
import { type RunReport, runSource } from '../../../../subgraphs/directory/source/run.ts'
import { healthOf, type Source } from '../../../../subgraphs/directory/source/source.ts'
import { directorySubgraph } from '../../../../subgraphs/directory/subgraph.ts'
import type { Tables } from '../../../../subgraphs/directory/tables.ts'
import { freshDatabase } from '../../../support/database.ts'
import { aRow, archiveOf, json, type Loopback, loopback, type RegistryRow, registryOf, rows, withValidator } from './loopback.ts'

const DATA = join(import.meta.dirname, '../../../../../shared/data/directory')
const ABSENT = existsSync(DATA) ? '' : ' (skipped: ../shared/data/directory is absent)'

const log = pino({ level: 'silent' })
const HOUR_MS = 3_600_000
const OFFICIAL = 'io.modelcontextprotocol.registry/official'

let connection: Connection
let drop: () => Promise<void>
let database: ReturnType<typeof openDatabase<Tables>>
let sources: SourceRepository
let server: Loopback
let now: Date
const http = sourceHttp({ privateNetworks: ['127.0.0.0/8'] })

beforeAll(async () => {
  const fresh = await freshDatabase()
  ;({ connection, drop } = fresh)
  database = openDatabase<Tables>(connection, { schema: 'directory', max: 4, onError: () => {} })
  sources = sourceRepository(database.query)
})
beforeEach(async () => {
  now = new Date('2026-11-20T10:00:00Z')
  server = await loopback()
  await database.pool.query('TRUNCATE source, contribution, item CASCADE')
  return server.close
})
afterAll(async () => {
  await http.close()
  await database.close()
  await drop()
})

async function aSource(kind: Source['kind'], settings: Partial<Source> = {}): Promise<Source> {
  const { repository = null, address = server.url, intervalMinutes = 360 } = settings
  const made = await createSource(
    { name: settings.name ?? 'main', kind, address, repository, intervalMinutes, enabled: true },
    { sources, now },
  )
  if ('faults' in made) throw new Error(JSON.stringify(made.faults))
  return made.source
}

const run = (source: Source, { requestsPerHour = 1_000, signal = new AbortController().signal } = {}): Promise<RunReport> =>
  runSource(source.id, { connection, sources, http, requestsPerHour, now: () => now, signal, log, pausesMs: [1, 1] })

async function succeeds(source: Source, deps = {}): Promise<Source> {
  const report = await run(source, deps)
  expect(report).toMatchObject({ kind: 'done', source: { problem: null } })
  return (report as Extract<RunReport, { kind: 'done' }>).source
}

async function fails(source: Source, problem: Source['problem'], deps = {}): Promise<Source> {
  const report = await run(source, deps)
  expect(report).toMatchObject({ kind: 'failed', source: { problem } })
  return (report as Extract<RunReport, { kind: 'failed' }>).source
}

async function keys(): Promise<string[]> {
  const { rows: found } = await database.pool.query('SELECT key FROM item WHERE removed_at IS NULL ORDER BY key COLLATE "C"')
  return found.map(({ key }) => key)
}
async function descriptionOf(key: string): Promise<string> {
  const { rows: found } = await database.pool.query('SELECT description FROM item WHERE key = $1 AND removed_at IS NULL', [key])
  return found[0]?.description
}
const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}

describe('a registry', () => {
  test('that lists versions on several pages gives the highest of each name, and reports rows that are no records', async () => {
    const versioned = (name: string, version: string): RegistryRow => {
      const row = aRow(name, { version, description: `Version ${version}` })
      return { ...row, _meta: { [OFFICIAL]: { status: 'active' } } }
    }
    server.answer(
      registryOf(() => [
        versioned('one', '1.9.0'),
        versioned('two', '3.0.0'),
        { nothing: true },
        versioned('one', '1.10.0'),
        versioned('two', '2.0.0'),
        versioned('one', '1.2.0'),
      ]),
    )
    const { counts } = await succeeds(await aSource('MCP_REGISTRY'))
    expect(counts).toEqual({ added: 2, updated: 0, removed: 0, rejected: 1 })
    expect([await descriptionOf('acme/one'), await descriptionOf('acme/two')]).toEqual(['Version 1.10.0', 'Version 3.0.0'])
  })

  test('is read one stored page at a time, so that all pages are never held at once', async () => {
    const stored: { position: number; nextCursor: string | null; rows: string }[] = []
    const reads: number[] = []
    const store: PageStore = {
      pages: async () => stored.map((page) => ({ ...page, rowCount: 2, characters: page.rows.length })),
      add: async (page) => void stored.push(page),
      rows: async (position) => {
        reads.push(position)
        return JSON.parse(stored[position]?.rows ?? '[]')
      },
      clear: async () => {},
    }
    server.answer(registryOf(() => rows(6)))
    const budget = { spend: () => {}, state: () => ({ since: now, requests: 0 }) }
    const request = requester(http, { budget, signal: new AbortController().signal })
    const location = locationOf({ kind: 'MCP_REGISTRY', address: server.url, repository: null })
    const { contributions } = await fetchPages(location, { request, store, since: null })
    expect(contributions).toHaveLength(6)
    // Once to tell versions apart, and once to read them.
    expect(reads).toEqual([0, 1, 2, 0, 1, 2])
  })

  test('is read page by page, and then only what changed', async () => {
    const all = rows(5)
    server.answer(registryOf(() => all))
    const source = await aSource('MCP_REGISTRY')
    expect((await succeeds(source)).counts).toEqual({ added: 5, updated: 0, removed: 0, rejected: 0 })
    expect(server.requests.map((path) => path.replace(/\?.*?(cursor=\d+)?$/, ' $1').trim())).toEqual([
      '/v0.1/servers',
      '/v0/servers',
      '/v0/servers cursor=2',
      '/v0/servers cursor=4',
    ])

    later(2 * HOUR_MS)
    all[1] = aRow('server-001', { description: 'Does more', updatedAt: '2026-11-20T11:30:00Z' })
    server.answer(registryOf(() => all))
    const { counts, lastSuccessAt, lastCompleteAt, nextRunAt } = await succeeds(source)
    expect(counts).toEqual({ added: 0, updated: 1, removed: 0, rejected: 0 })
    expect(server.requests.at(-1)).toContain('updated_since=2026-11-20T09%3A00%3A00.000Z')
    expect(await descriptionOf('acme/server-001')).toBe('Does more')
    expect(await keys()).toHaveLength(5)
    expect([lastSuccessAt, lastCompleteAt, nextRunAt].map((time) => time?.toISOString())).toEqual([
      '2026-11-20T12:00:00.000Z',
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T18:00:00.000Z',
    ])
  })

  test('withdraws a server between complete runs by saying so, and never by leaving it out', async () => {
    const all = rows(5)
    server.answer(registryOf(() => all))
    const source = await aSource('MCP_REGISTRY')
    await succeeds(source)
    later(2 * HOUR_MS)
    server.answer(registryOf(() => [aRow('server-003', { status: 'deleted', updatedAt: '2026-11-20T11:30:00Z' })]))
    expect((await succeeds(source)).counts).toEqual({ added: 0, updated: 0, removed: 1, rejected: 0 })
    expect(await keys()).toEqual(['acme/server-000', 'acme/server-001', 'acme/server-002', 'acme/server-004'])
  })

  test('loses what a complete run no longer has, and a renamed server returns under its new name', async () => {
    let all = rows(30)
    server.answer(registryOf(() => all, 10))
    const source = await aSource('MCP_REGISTRY')
    await succeeds(source)
    later(25 * HOUR_MS)
    all = [...all.slice(2), aRow('renamed')]
    const { counts, lastCompleteAt } = await succeeds(source)
    expect(counts).toEqual({ added: 1, updated: 0, removed: 2, rejected: 0 })
    expect(lastCompleteAt).toEqual(now)
    expect(await keys()).toContain('acme/renamed')
    expect(await keys()).not.toContain('acme/server-000')
  })

  test.each([
    ['nothing', 0],
    ['a third less', 20],
  ])('that suddenly returns %s is refused, until the drop is accepted', async (_, left) => {
    let all = rows(30)
    server.answer(registryOf(() => all, 10))
    const source = await aSource('MCP_REGISTRY')
    await succeeds(source)
    later(25 * HOUR_MS)
    all = all.slice(0, left).map((row, index) => (index === 0 ? aRow('server-000', { description: 'Changed' }) : row))
    const refused = await fails(source, 'DROP_REFUSED')
    expect(refused.lastError).toBe(`${30 - left} of its 30 records are gone, which is more than one run may remove.`)
    expect(healthOf(refused, now)).toBe('FAILING')
    expect(await keys()).toHaveLength(30)
    expect(await descriptionOf('acme/server-000')).toBe('Does server-000')
    await sources.requestRun(source.id, true, now)
    const { acceptsDrop } = await succeeds(source)
    expect(acceptsDrop).toBe(false)
    expect(await keys()).toHaveLength(left)
  })

  test('whose pages lead back to an earlier one changes nothing', async () => {
    server.answer((_, response, { searchParams }) =>
      json(response, {
        servers: [aRow(`from-${searchParams.get('cursor') ?? 'start'}`)],
        metadata: { nextCursor: searchParams.get('cursor') === 'a' ? 'b' : 'a' },
      }),
    )
    const source = await aSource('MCP_REGISTRY')
    const { lastError } = await fails(source, 'INVALID')
    expect(lastError).toBe('Its pages lead back to an earlier one.')
    expect(server.requests).toHaveLength(3)
    expect(await keys()).toEqual([])
    // Nothing is left over that the next run would go on from.
    expect(await sources.pageStore(source.id).pages()).toEqual([])
  })

  test.each<[string, Source['problem'], (response: ServerResponse) => unknown]>([
    ['ends within a page', 'INVALID', (response) => response.writeHead(200).end('{"servers":[{')],
    [
      'breaks off within a page',
      'UNREACHABLE',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"servers":[')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    ['answers 503', 'UNREACHABLE', (response) => response.writeHead(503).end()],
  ])('that %s changes nothing, and the next run goes on from there', async (_, problem, broken) => {
    const all = rows(6)
    const whole = registryOf(() => all)
    server.answer((request, response, url) =>
      url.searchParams.get('cursor') === '4' ? broken(response) : whole(request, response, url),
    )
    const source = await aSource('MCP_REGISTRY')
    const { nextRunAt, failures } = await fails(source, problem)
    expect(await keys()).toEqual([])
    expect([nextRunAt?.getTime(), failures]).toEqual([now.getTime() + 60_000, 1])
    // Tried three times before it was given up.
    expect(server.requests.filter((path) => path.includes('cursor=4'))).toHaveLength(3)

    later(60_000)
    server.answer(whole)
    const { lastSuccessAt } = await succeeds(source)
    expect(server.requests.every((path) => path.includes('cursor=4'))).toBe(true)
    expect(await keys()).toHaveLength(6)
    // As old as its first page.
    expect(lastSuccessAt?.toISOString()).toBe('2026-11-20T10:00:00.000Z')
  })

  test('that says when to come back is left alone until then', async () => {
    const whole = registryOf(() => rows(2))
    let isLimited = true
    server.answer((request, response, url) =>
      isLimited ? response.writeHead(429, { 'retry-after': '7200' }).end() : whole(request, response, url),
    )
    const source = await aSource('MCP_REGISTRY')
    const { nextRunAt } = await fails(source, 'RATE_LIMITED')
    expect(server.requests).toHaveLength(1)
    expect(nextRunAt?.toISOString()).toBe('2026-11-20T12:00:00.000Z')
    isLimited = false
    await succeeds(source)
  })

  test('with a short Retry-After is read within the run', async () => {
    const times: number[] = []
    const whole = registryOf(() => rows(2))
    server.answer((request, response, url) => {
      times.push(performance.now())
      return times.length === 1 ? response.writeHead(429, { 'retry-after': '1' }).end() : whole(request, response, url)
    })
    await succeeds(await aSource('MCP_REGISTRY'))
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
  })

  test('is tried again ever later while it fails', async () => {
    server.answer((_, response) => response.writeHead(500).end())
    const source = await aSource('MCP_REGISTRY')
    const waits = []
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const { nextRunAt } = await fails(source, 'UNREACHABLE')
      waits.push(((nextRunAt?.getTime() ?? 0) - now.getTime()) / 60_000)
    }
    // Never later than its interval.
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360])
  })

  test('has no more requests than its budget of an hour, and the run goes on in the next', async () => {
    const all = rows(6)
    server.answer(registryOf(() => all))
    const address = `${server.url}/v0/servers`
    const source = await aSource('MCP_REGISTRY', { address })
    const { nextRunAt, lastError } = await fails(source, 'BUDGET_SPENT', { requestsPerHour: 2 })
    expect(lastError).toBe('The 2 requests of this hour are used up.')
    expect(nextRunAt).toEqual(new Date(now.getTime() + HOUR_MS))
    expect(server.requests).toHaveLength(2)
    await fails(source, 'BUDGET_SPENT', { requestsPerHour: 2 })
    expect(server.requests).toHaveLength(2)
    later(HOUR_MS)
    await succeeds(source, { requestsPerHour: 2 })
    expect(server.requests.slice(2).map((path) => /cursor=\d+/.exec(path)?.[0])).toEqual(['cursor=4'])
    expect(await keys()).toHaveLength(6)
  })

  test('with poisoned rows keeps the others, and what was read of them before', async () => {
    let all: RegistryRow[] = rows(5)
    server.answer(registryOf(() => all, 10))
    const source = await aSource('MCP_REGISTRY')
    await succeeds(source)
    later(25 * HOUR_MS)
    const deep: unknown[] = []
    let inner = deep
    for (let depth = 0; depth < 500; depth += 1) {
      const next: unknown[] = []
      inner.push(next)
      inner = next
    }
    all = [
      aRow('server-000', { extra: deep }),
      aRow('server-001', { description: 'nul \u0000 and half \ud800' }),
      aRow('server-002', { repository: { url: 'javascript:alert(1)' }, packages: [] }),
      aRow('server-003', { title: { toString: 1 }, description: ['x'], packages: 'none' }),
      aRow('server-004', { description: 'Fine' }),
      null as unknown as RegistryRow,
      { server: { name: { __proto__: null } } },
      JSON.parse('{"server":{"__proto__":{"name":"io.github.acme/ghost"}}}'),
    ]
    const { counts } = await succeeds(source)
    expect(counts?.removed).toBe(0)
    expect(counts?.rejected).toBeGreaterThanOrEqual(4)
    expect(await keys()).toHaveLength(5)
    expect(await descriptionOf('acme/server-000')).toBe('Does server-000')
    expect(await descriptionOf('acme/server-004')).toBe('Fine')
  })

  test('answers something else: the run says so', async () => {
    server.answer((_, response) => json(response, { items: [] }))
    const { lastError } = await fails(await aSource('MCP_REGISTRY'), 'INVALID')
    expect(lastError).toBe('An answer is not a page of servers.')
  })

  test('with the character 0 in a cursor, or in the name of what it deleted, is no fault of ours', async () => {
    server.answer((_, response) => json(response, { servers: [], metadata: { nextCursor: 'a\0b' } }))
    const source = await aSource('MCP_REGISTRY')
    expect((await fails(source, 'INVALID')).lastError).toBe('It has a cursor that is no text of at most 2000 characters.')
    const all = rows(2)
    server.answer(registryOf(() => all))
    await succeeds(source)
    later(2 * HOUR_MS)
    const updatedAt = '2026-11-20T11:30:00Z'
    all.push(aRow('x\0y', { status: 'deleted', updatedAt }), aRow('server-001', { status: 'deleted', updatedAt }))
    expect((await succeeds(source)).counts).toMatchObject({ removed: 1 })
  })

  test('in a network that is not allowed is not connected to', async () => {
    const source = await aSource('MCP_REGISTRY')
    const guarded = sourceHttp({ privateNetworks: [] })
    const signal = new AbortController().signal
    const deps = { connection, sources, http: guarded, requestsPerHour: 10, now: () => now, signal, log }
    expect(await runSource(source.id, deps)).toMatchObject({ kind: 'failed', source: { problem: 'BLOCKED' } })
    expect(server.requests).toEqual([])
    await guarded.close()
  })

  test('is run by one process at a time, and a run that is cut off is taken up again', async () => {
    const all = rows(4)
    const whole = registryOf(() => all)
    let isHanging = true
    server.answer((request, response, url) =>
      isHanging && url.searchParams.get('cursor') === '2' ? undefined : whole(request, response, url),
    )
    const source = await aSource('MCP_REGISTRY', { address: `${server.url}/v0/servers` })
    const ending = new AbortController()
    const first = run(source, { signal: ending.signal })
    first.catch(() => {})
    while (server.requests.length < 2) await sleep(5)
    expect(await run(source)).toEqual({ kind: 'busy' })
    ending.abort()
    await expect(first).rejects.toThrow()
    isHanging = false
    server.requests.length = 0
    // Still due: the process that ended planned nothing.
    expect((await sources.due(now)).map(({ name }) => name)).toEqual(['main'])
    await succeeds(source)
    expect(server.requests.every((path) => path.includes('cursor=2'))).toBe(true)
    expect(await keys()).toHaveLength(4)
  })
})

/** All files of a repository in the shared data. */
function filesIn(folder: string, under = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
      const path = under === '' ? entry.name : `${under}/${entry.name}`
      return entry.isDirectory() ? Object.entries(filesIn(folder, path)) : [[path, readFileSync(join(folder, path), 'utf8')]]
    }),
  )
}
/** A server as Atrium's own format has it. */
const CURATED = {
  owner: 'acme',
  repo: 'tracker',
  title: 'Tracker',
  description: 'Curated',
  category: 'Databases',
  tags: [],
  transport: 'stdio',
  install: { npm: '@acme/tracker' },
  repoUrl: 'https://github.com/acme/tracker',
  envVars: [],
}
const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`

describe('an archive of a repository', () => {
  const skills: Record<string, string> = {
    'skills/pdf/SKILL.md': skill('pdf', 'Reads PDF'),
    'skills/csv/SKILL.md': skill('csv', 'Reads CSV'),
    'README.md': '# Skills\n- [Not a server](https://github.com/acme/other) - a list\n',
    'package.json': '{"name":"x"}',
    'tsconfig.json': '{ // comment\n }',
  }
  const aSkillSource = () => aSource('SKILL_REPOSITORY', { address: `${server.url}/skills.tar.gz`, repository: 'acme/skills' })

  test('is read once per version: an unchanged one is answered 304', async () => {
    let [bytes, etag] = [await archiveOf(skills), '"one"']
    server.answer(
      withValidator(
        () => bytes,
        () => etag,
      ),
    )
    const source = await aSkillSource()
    expect((await succeeds(source)).counts).toEqual({ added: 2, updated: 0, removed: 0, rejected: 0 })
    later(HOUR_MS)
    const again = await run(source)
    expect(again).toMatchObject({
      kind: 'done',
      isUnchanged: true,
      source: { counts: { added: 0, updated: 0 }, lastSuccessAt: now },
    })
    bytes = await archiveOf({
      ...skills,
      'skills/pdf/SKILL.md': skill('pdf', 'Reads and writes PDF'),
      'skills/x/SKILL.md': skill('x', 'X'),
    })
    etag = '"two"'
    expect((await succeeds(source)).counts).toEqual({ added: 1, updated: 1, removed: 0, rejected: 0 })
    // After a week it is read whatever it says: readers may have learned.
    later(8 * 24 * HOUR_MS)
    expect(await run(source)).toMatchObject({ kind: 'done', isUnchanged: false })
  })

  test('that is cut off, or is none, changes nothing', async () => {
    const bytes = await archiveOf(skills)
    server.answer((_, response) => response.writeHead(200).end(bytes))
    const source = await aSkillSource()
    await succeeds(source)
    for (const broken of [bytes.subarray(0, bytes.length - 20), gzipSync('no archive'), Buffer.from('<html>'), gzipSync('')]) {
      server.answer((_, response) => response.writeHead(200).end(broken))
      await fails(source, 'INVALID')
    }
    expect(await keys()).toEqual(['csv', 'pdf'])
  })

  test('is read inside its own folder only, and only in the formats of its kind', async () => {
    const atrium = JSON.stringify({
      atrium: 'directory/1',
      records: [{ kind: 'mcp_server', ...CURATED }],
    })
    const entry = (name: string, body: string, type: 'file' | 'symlink' = 'file') => ({
      header: { name, size: type === 'file' ? Buffer.byteLength(body) : 0, type, ...(type === 'symlink' && { linkname: body }) },
      ...(type === 'file' && { body }),
    })
    const bytes = gzipSync(
      Buffer.from(
        await packTar([
          entry('r/skills/pdf/SKILL.md', skill('pdf', 'Reads PDF')),
          entry('r/skills/pdf/SKILL.md', skill('second', 'Reads PDF twice')),
          entry('r/../../etc/SKILL.md', skill('up', 'Up')),
          entry('/r/abs/SKILL.md', skill('absolute', 'Absolute')),
          entry('r/node_modules/x/SKILL.md', skill('foreign', 'Foreign')),
          entry('r/link/SKILL.md', '/etc/passwd', 'symlink'),
          entry('r/big/SKILL.md', skill('big', 'x'.repeat(1_000_001))),
          entry('r/plugin.json', atrium),
          entry('r/skills/broken/SKILL.md', '---\nname: [\n---\n'),
        ]),
      ),
    )
    server.answer((_, response) => response.writeHead(200).end(bytes))
    const { counts } = await succeeds(await aSkillSource())
    expect(await keys()).toEqual(['pdf'])
    expect(await descriptionOf('pdf')).toBe('Reads PDF')
    expect(counts).toMatchObject({ added: 1, rejected: 2 })
  })

  test('that unpacks to more than may be read is left', async () => {
    // A file of 640 MB in 640 kB.
    const zeros = gzipSync(Buffer.alloc(64_000_000), { level: 9 })
    server.answer((_, response) => {
      response.writeHead(200)
      response.write(gzipSync(tarHeader('repository-1/big.bin', 640_000_000, 0)))
      for (let part = 0; part < 10; part += 1) response.write(zeros)
      response.end(gzipSync(END))
    })
    await fails(await aSkillSource(), 'TOO_LARGE')
    expect(server.requests).toHaveLength(1)
    expect(await keys()).toEqual([])
  })

  test.skipIf(!existsSync(DATA)).each([
    ['DOCKER_CATALOGUE', 'docker+mcp-registry', 300],
    ['TOOLHIVE_REGISTRY', 'stacklok+toolhive-registry', 40],
  ] as const)(`of the kind %s is read as it is published${ABSENT}`, async (kind, folder, least) => {
    const bytes = await archiveOf(filesIn(join(DATA, 'mcp', folder)))
    server.answer((_, response) => response.writeHead(200).end(bytes))
    const source = await aSource(kind, { address: `${server.url}/r/tar.gz/HEAD`, repository: folder.replace('+', '/') })
    const { counts } = await succeeds(source)
    expect(counts?.added).toBeGreaterThanOrEqual(least)
    expect(counts?.rejected).toBeLessThan(10)
  })
})

describe('two sources of one repository', () => {
  const files = new Map<string, Record<string, string>>()
  const packed = new Map<string, { readonly bytes: Buffer; readonly etag: string }>()
  const publish = async (branch: string, names: readonly string[]) => {
    files.set(branch, Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skill(name, `${name} of ${branch}`)])))
    packed.set(branch, { bytes: await archiveOf(files.get(branch) ?? {}), etag: `"${branch} ${names.join(' ')}"` })
  }
  const sourceOf = (branch: string) =>
    aSource('SKILL_REPOSITORY', { name: branch, address: `${server.url}/${branch}.tar.gz`, repository: 'acme/skills' })
  const rootOf = async (key: string): Promise<string> => {
    const { rows: found } = await database.pool.query('SELECT root FROM contribution WHERE path = $1', [`${key}/SKILL.md`])
    return found[0]?.root
  }
  let main: Source
  let dev: Source

  beforeEach(async () => {
    await publish('main', ['alpha', 'beta'])
    await publish('dev', ['alpha', 'gamma'])
    server.answer((request, response, url) => {
      const { bytes, etag } = packed.get(url.pathname.replace(/^\/|\.tar\.gz$/g, '')) ?? { bytes: Buffer.alloc(0), etag: '' }
      return withValidator(
        () => bytes,
        () => etag,
      )(request, response, url)
    })
    main = await sourceOf('main')
    dev = await sourceOf('dev')
    await succeeds(main)
    await succeeds(dev)
  })

  test('leave each other their records: what both have stays with the first', async () => {
    expect(await keys()).toEqual(['alpha', 'beta', 'gamma'])
    expect([await descriptionOf('alpha'), await rootOf('alpha')]).toEqual(['alpha of main', main.address])
    await removeWithItems(dev, { connection, log, now })
    expect(await keys()).toEqual(['alpha', 'beta'])
  })

  test('take over what the other one loses, also when they are unchanged', async () => {
    later(HOUR_MS)
    await publish('main', ['beta'])
    await succeeds(main)
    expect(await keys()).toEqual(['beta', 'gamma'])
    expect((await sources.due(now)).map(({ name }) => name)).toContain('dev')
    await succeeds(dev)
    expect(await keys()).toEqual(['alpha', 'beta', 'gamma'])
    expect([await descriptionOf('alpha'), await rootOf('alpha')]).toEqual(['alpha of dev', dev.address])
  })

  test('take over what was removed with the other one', async () => {
    await removeWithItems(main, { connection, log, now })
    expect(await keys()).toEqual(['gamma'])
    await succeeds(dev)
    expect(await keys()).toEqual(['alpha', 'gamma'])
  })

  test('are each read once per version still', async () => {
    const { lastCompleteAt } = (await sources.byId(dev.id)) as Source
    later(HOUR_MS)
    expect(await run(dev)).toMatchObject({ kind: 'done', isUnchanged: true })
    expect((await sources.byId(dev.id))?.lastCompleteAt).toEqual(lastCompleteAt)
  })
})

describe('a file', () => {
  const marketplace = (...plugins: unknown[]) => JSON.stringify({ name: 'acme', plugins })
  const plugin = (name: string, description = 'x') => ({ name, description, source: `./plugins/${name}` })
  const aMarketplace = () =>
    aSource('PLUGIN_MARKETPLACE', { address: `${server.url}/.claude-plugin/marketplace.json`, repository: 'acme/market' })

  test('of a marketplace keeps what was read of a plugin that it spoils, wherever that moves to', async () => {
    let content = marketplace(plugin('one'), plugin('two'), plugin('three'))
    server.answer((_, response) => response.writeHead(200).end(content))
    const source = await aMarketplace()
    expect((await succeeds(source)).counts).toMatchObject({ added: 3 })
    content = marketplace(plugin('new'), plugin('one', 'changed'), { name: 'two', source: '../../etc' })
    const { counts } = await succeeds(source)
    expect(counts).toEqual({ added: 1, updated: 1, removed: 1, rejected: 1 })
    expect(await keys()).toEqual(['acme/new', 'acme/one', 'acme/two'])
  })

  test('in another format than its kind has, or in none, changes nothing', async () => {
    let content = marketplace(plugin('one'))
    server.answer((_, response) => response.writeHead(200).end(content))
    const source = await aMarketplace()
    await succeeds(source)
    for (content of [
      JSON.stringify({ atrium: 'directory/1', records: [{ kind: 'mcp_server', ...CURATED }] }),
      '{"servers": ',
      '[]',
      '',
    ])
      await fails(source, 'INVALID')
    expect(await keys()).toEqual(['acme/one'])
  })

  test('does not speak for a registry: names in it are not verified', async () => {
    server.answer((_, response) => json(response, { servers: [aRow('tracker')] }))
    const source = await aSource('FILE', { address: `${server.url}/servers.json` })
    await succeeds(source)
    const { rows: found } = await database.pool.query('SELECT origin, record FROM contribution')
    expect(found).toMatchObject([{ origin: `${server.url}/servers.json` }])
    expect(found[0].record.registered ?? null).toBeNull()
  })

  test('that is too large is left', async () => {
    server.answer((_, response) => response.writeHead(200).end(Buffer.alloc(16_000_001, ' ')))
    await fails(await aSource('FILE', { address: `${server.url}/servers.json` }), 'TOO_LARGE')
  })
})

describe('the believed order of sources', () => {
  test('stays: what Atrium curates is not replaced by a source that is read every hour', async () => {
    const server2 = await loopback()
    const curated = JSON.stringify({
      atrium: 'directory/1',
      records: [{ kind: 'mcp_server', ...CURATED }],
    })
    server2.answer((_, response) => response.writeHead(200).end(curated))
    await succeeds(await aSource('FILE', { name: 'own', address: `${server2.url}/own.json` }))
    expect(await descriptionOf('acme/tracker')).toBe('Curated')
    const bytes = await archiveOf({
      'registry/tracker/spec.yaml':
        'name: tracker\ndescription: Listed\ntier: Community\ntransport: stdio\nimage: acme/tracker\nrepository_url: https://github.com/acme/tracker\n',
    })
    server.answer((_, response) => response.writeHead(200).end(bytes))
    await succeeds(await aSource('TOOLHIVE_REGISTRY', { address: `${server.url}/t.tgz`, repository: 'acme/hive' }))
    expect(await descriptionOf('acme/tracker')).toBe('Curated')
    await server2.close()
  })
})

describe('an administrator', () => {
  /** The source after a run in whose middle, a second after its beginning, something is done. */
  async function ranWhile(source: Source, act: () => Promise<unknown>): Promise<Source | null> {
    const answer = registryOf(() => rows(3))
    let isDone = false
    server.answer(async (request, response, url) => {
      if (!isDone) {
        isDone = true
        later(1_000)
        await act()
      }
      answer(request, response, url)
    })
    await succeeds(source)
    return sources.byId(source.id)
  }

  test('who disables a source while it runs has disabled it', async () => {
    const source = await aSource('MCP_REGISTRY')
    expect(await ranWhile(source, () => sources.change(source.id, { enabled: false }, now))).toMatchObject({
      enabled: false,
      nextRunAt: null,
    })
  })

  test('who enables a source while it is run by hand has enabled it', async () => {
    const source = await aSource('MCP_REGISTRY')
    await sources.change(source.id, { enabled: false }, now)
    expect(await ranWhile(source, () => sources.change(source.id, { enabled: true }, now))).toMatchObject({
      enabled: true,
      nextRunAt: now,
    })
  })

  test('who requests a run while one is going on gets another, which accepts a drop when that was said', async () => {
    const source = await aSource('MCP_REGISTRY')
    expect(await ranWhile(source, () => sources.requestRun(source.id, true, now))).toMatchObject({
      nextRunAt: now,
      acceptsDrop: true,
    })
    later(60_000)
    expect(await ranWhile(source, async () => {})).toMatchObject({
      nextRunAt: new Date(now.getTime() - 1_000 + 6 * HOUR_MS),
      acceptsDrop: false,
    })
  })

  test('who shortens the interval does not wait for the end of the old one', async () => {
    const source = await aSource('MCP_REGISTRY')
    await ranWhile(source, async () => {})
    const inTen = new Date(now.getTime() + 600_000)
    expect(await sources.change(source.id, { intervalMinutes: 10 }, now)).toMatchObject({ intervalMinutes: 10, nextRunAt: inTen })
    expect(await sources.change(source.id, { intervalMinutes: 43_200 }, now)).toMatchObject({ nextRunAt: inTen })
    await sources.change(source.id, { enabled: false }, now)
    expect(await sources.change(source.id, { intervalMinutes: 10 }, now)).toMatchObject({ nextRunAt: null })
  })

  test('who removes a source with its items does not stop a run of it that has its turn, nor waits for ever, and the run lets others change it', async () => {
    server.answer(registryOf(() => rows(3)))
    const source = await aSource('MCP_REGISTRY')
    await succeeds(source)
    const client = await database.pool.connect()
    await client.query('BEGIN')
    expect(await takeTurn(client)).toBe(true)
    // For a failure of this test only: nothing else would end it.
    await client.query("SET LOCAL lock_timeout = '5s'")
    const other = await database.pool.connect()
    const removing = removeWithItems(source, { connection, log, now })
    try {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND state = 'idle in transaction' AND query LIKE '%pg_try_advisory_xact_lock%'`
      await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1)
      expect(await hasSource(client, source.id)).toBe(true)
      await other.query("SET lock_timeout = '5s'")
      await other.query('UPDATE source SET accepts_drop = true WHERE id = $1', [source.id])
    } finally {
      await client.query('ROLLBACK')
      client.release()
      await other.query('RESET lock_timeout')
      other.release()
      expect(await removing).toBe(3)
    }
  })
})

describe('in the graph', () => {
  let subgraph: Subgraph
  const roles: Record<string, string | null> = { 'a.a.a': 'ADMIN', 'u.u.u': 'USER', 'e.e.e': null }
  beforeAll(async () => {
    const roleOf = async (token: string) => roles[token] ?? null
    subgraph = await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log, roleOf })
    return subgraph.close
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
  const ask = async (source: string, token?: string): Promise<any> => {
    const credentials = token ? { authorization: `Bearer ${token}` } : {}
    const contextValue = subgraph.context({ requestId: 'test', address: '127.0.0.1', credentials })
    return graphql({ schema: subgraph.schema, source, contextValue })
  }
  const create = (input: string) =>
    `mutation { createDirectorySource(input: { ${input} }) { __typename ... on CreateDirectorySourceSuccess { source { id name health address } } ... on InvalidDirectorySource { faults { field message } } } }`
  const INPUT = 'name: "main", kind: MCP_REGISTRY, address: "https://registry.example/"'

  test('administrators alone change sources, and read addresses and errors', async () => {
    for (const [token, code] of [
      [undefined, 'UNAUTHENTICATED'],
      ['e.e.e', 'UNAUTHENTICATED'],
      ['u.u.u', 'FORBIDDEN'],
    ] as const) {
      const id = Buffer.from('DirectorySource:1').toString('base64url')
      for (const document of [
        create(INPUT),
        `mutation { updateDirectorySource(input: { id: "${id}", enabled: false }) { __typename } }`,
        `mutation { deleteDirectorySource(input: { id: "${id}" }) { __typename } }`,
        `mutation { runDirectorySource(input: { id: "${id}" }) { __typename } }`,
      ]) {
        const { errors } = await ask(document, token)
        expect(errors[0].extensions.code).toBe(code)
      }
    }
    expect(await sources.list()).toEqual([])
    const { data } = await ask(create(INPUT), 'a.a.a')
    expect(data.createDirectorySource).toMatchObject({
      __typename: 'CreateDirectorySourceSuccess',
      source: { name: 'main', health: 'NEW', address: 'https://registry.example' },
    })
    const list = await ask('{ directorySources { name lagSeconds address repository lastError } }')
    expect(list.data.directorySources).toEqual([
      { name: 'main', lagSeconds: null, address: null, repository: null, lastError: null },
    ])
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    expect(list.errors.map((error: any) => error.extensions.code)).toEqual(Array(3).fill('UNAUTHENTICATED'))
  })

  test.each([
    ['name: "Main", kind: FILE, address: "https://e.org/a.json"', 'name'],
    ['name: "", kind: FILE, address: "https://e.org/a.json"', 'name'],
    ['name: "a", kind: FILE, address: "file:///etc/passwd"', 'address'],
    ['name: "a", kind: FILE, address: "https://u:p@e.org/a.json"', 'address'],
    ['name: "a", kind: MCP_REGISTRY, address: "https://e.org/?search=x"', 'address'],
    ['name: "a", kind: FILE, address: "https://e.org/a.json", repository: "a/b/c"', 'repository'],
    ['name: "a", kind: FILE, address: "https://e.org/a.json", intervalMinutes: 4', 'intervalMinutes'],
    ['name: "a", kind: FILE, address: "https://e.org/a.json", intervalMinutes: 43201', 'intervalMinutes'],
  ])('%s is refused with the field that is wrong', async (input, field) => {
    const { data, errors } = await ask(create(input), 'a.a.a')
    const message = errors?.[0].message ?? data.createDirectorySource.faults[0].message
    expect(message).toMatch(/Expected|http/)
    if (data?.createDirectorySource) expect(data.createDirectorySource.faults[0].field).toBe(field)
    expect(await sources.list()).toEqual([])
  })

  test('names and addresses are unique, and their number is bounded', async () => {
    await ask(create(INPUT), 'a.a.a')
    const again = await ask(create(INPUT), 'a.a.a')
    expect(again.data.createDirectorySource.faults).toMatchObject([{ field: 'name' }])
    const other = await ask(create('name: "other", kind: MCP_REGISTRY, address: "https://registry.example"'), 'a.a.a')
    expect(other.data.createDirectorySource.faults).toMatchObject([{ field: 'address' }])
    await database.pool.query(
      `INSERT INTO source (name, kind, address, interval_minutes, enabled, created_at)
       SELECT 'x' || n, 'FILE', 'https://e.org/' || n, 60, false, now() FROM generate_series(1, 199) AS n`,
    )
    const full = await ask(create('name: "full", kind: FILE, address: "https://e.org/full"'), 'a.a.a')
    expect(full.data.createDirectorySource.faults[0].message).toBe('Expected at most 200 sources: delete one first.')
  })

  test('a source is disabled, run and deleted with its items', async () => {
    server.answer(registryOf(() => rows(3)))
    const source = await aSource('MCP_REGISTRY')
    await succeeds(source)
    const { data } = await ask('{ directorySources { id health added lastSuccessAt nextRunAt } }')
    const [{ id }] = data.directorySources
    expect(data.directorySources[0]).toMatchObject({ added: 3, lastSuccessAt: now.toISOString() })
    const disabled = await ask(
      `mutation { updateDirectorySource(input: { id: "${id}", enabled: false }) { ... on UpdateDirectorySourceSuccess { source { health nextRunAt } } } }`,
      'a.a.a',
    )
    expect(disabled.data.updateDirectorySource.source).toEqual({ health: 'DISABLED', nextRunAt: null })
    await ask(`mutation { runDirectorySource(input: { id: "${id}" }) { __typename } }`, 'a.a.a')
    expect((await sources.due(new Date())).map(({ name }) => name)).toEqual(['main'])
    const deleted = await ask(
      `mutation { deleteDirectorySource(input: { id: "${id}", removeItems: true }) { ... on DeleteDirectorySourceSuccess { removed } } }`,
      'a.a.a',
    )
    expect(deleted.data.deleteDirectorySource).toEqual({ removed: 3 })
    expect([await keys(), await sources.list()]).toEqual([[], []])
    const gone = await ask(`mutation { runDirectorySource(input: { id: "${id}" }) { __typename } }`, 'a.a.a')
    expect(gone.data.runDirectorySource.__typename).toBe('DirectorySourceNotFound')
  })
})
