import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CATEGORIES } from '../../subgraphs/directory/import/category.ts'

const ROOT = join(import.meta.dirname, '../..')
const SEED = join(ROOT, 'prisma/seed/directory')
const REAL = join(ROOT, '../shared/data/directory')
const withoutRealData = !existsSync(REAL)
const NEEDS_REAL_DATA = withoutRealData ? ' (skipped: ../shared/data/directory is absent)' : ''

type SeedRecord = Readonly<Record<string, unknown>>
type EnvVar = { readonly name: string; readonly required: boolean; readonly secret: boolean; readonly description: string }

function records(file: string): readonly SeedRecord[] {
  const content = JSON.parse(readFileSync(join(SEED, file), 'utf8')) as { atrium: string; records: SeedRecord[] }
  expect(content.atrium).toBe('directory/1')
  return content.records
}

const servers = records('servers.json')
const plugins = records('plugins.json')
const skills = records('skills.json')
const all = [...servers, ...plugins, ...skills]

/**
 * Kind → the fields of a record in the order in which they are written, those that may be absent,
 * how it is keyed, and how many there must be at least.
 */
const KINDS = [
  {
    kind: 'mcp_server',
    of: servers,
    floor: 64,
    key: (record: SeedRecord) => `${record.owner}/${record.repo}`,
    fields: [
      'kind',
      'owner',
      'repo',
      'title',
      'description',
      'category',
      'official',
      'tags',
      'transport',
      'install',
      'args',
      'envVars',
      'docsUrl',
      'repoUrl',
    ],
    optional: ['args', 'repoUrl'],
  },
  {
    kind: 'plugin',
    of: plugins,
    floor: 24,
    key: (record: SeedRecord) => `${record.marketplaceSlug}/${record.slug}`,
    fields: [
      'kind',
      'marketplaceSlug',
      'marketplaceRepo',
      'slug',
      'name',
      'description',
      'category',
      'ecosystem',
      'tags',
      'sourceUrl',
    ],
    optional: [],
  },
  {
    kind: 'skill',
    of: skills,
    floor: 44,
    key: (record: SeedRecord) => String(record.slug),
    fields: ['kind', 'slug', 'name', 'description', 'category', 'source', 'tags', 'docsUrl', 'repoUrl'],
    optional: [],
  },
] as const

/** What makes a package identifier safe to stand bare in a shell. */
const SHELL_WORD = /^[A-Za-z0-9._@/:=+-]+$/

describe.each(KINDS)('$kind', ({ kind, of, floor, key, fields, optional }) => {
  test(`there are at least ${floor}, each under a key of its own`, () => {
    expect(of.length).toBeGreaterThanOrEqual(floor)
    const keys = of.map((record) => key(record).toLowerCase())
    expect(keys.filter((each, index) => keys.indexOf(each) !== index)).toEqual([])
  })

  test('every record has exactly the fields of its kind, none of them empty', () => {
    const allowedToMiss = new Set<string>(optional)
    for (const record of of) {
      const expected = fields.filter((field) => field in record || !allowedToMiss.has(field))
      expect(Object.keys(record), key(record)).toEqual(expected)
      expect(record.kind).toBe(kind)
      for (const value of Object.values(record)) expect(value, key(record)).not.toBe('')
    }
  })

  test('the words of a record are plain: a vocabulary for categories, two to five lower-case tags, sorted', () => {
    for (const record of of) {
      const tags = record.tags as readonly string[]
      expect(CATEGORIES, key(record)).toContain(record.category)
      expect(tags.length, key(record)).toBeGreaterThanOrEqual(2)
      expect(tags.length, key(record)).toBeLessThanOrEqual(5)
      expect(tags, key(record)).toEqual([...new Set(tags)].sort())
      for (const tag of tags) expect(tag).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    }
  })

  test('every address is an absolute https URL in its canonical spelling, without credentials, query or fragment', () => {
    for (const record of of) {
      for (const field of ['docsUrl', 'repoUrl', 'sourceUrl']) {
        if (!(field in record)) continue
        const url = new URL(String(record[field]))
        expect(url.protocol, key(record)).toBe('https:')
        expect(`${url.origin}${url.pathname}`.replace(/\/$/, '')).toBe(String(record[field]).replace(/\/$/, ''))
      }
    }
  })
})

test('a description is one or two sentences of its own, between 40 and 300 plain characters', () => {
  const texts = all.map((record) => String(record.description))
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
  for (const text of texts) {
    expect(text.length, text).toBeGreaterThanOrEqual(40)
    expect(text.length, text).toBeLessThanOrEqual(300)
    expect(text, text).toMatch(/^[A-Z][\x20-\x7E]*[.]$/)
  }
})

test('no record claims a popularity', () => {
  for (const record of all) expect(Object.keys(record)).not.toContain('stars')
})

test('a server is installed in exactly one way that fits its transport and is safe to paste', () => {
  for (const server of servers) {
    const [[manager, identifier] = [], ...more] = Object.entries(server.install as Record<string, string>)
    expect(more, String(server.title)).toEqual([])
    expect(['npm', 'pypi', 'oci', 'remote']).toContain(manager)
    expect(identifier).toMatch(SHELL_WORD)
    expect(['stdio', 'streamable-http', 'sse']).toContain(server.transport)
    if (manager === 'remote') {
      expect(new URL(String(identifier)).protocol).toBe('https:')
      expect(server.transport, String(server.title)).not.toBe('stdio')
    } else {
      expect(server.transport === 'stdio' || manager === 'oci', String(server.title)).toBe(true)
    }
    expect(typeof server.official).toBe('boolean')
  }
})

test('environment variables have a valid name, two flags and an explanation, and occur once, sorted', () => {
  for (const server of servers) {
    const envVars = server.envVars as readonly EnvVar[]
    const names = envVars.map(({ name }) => name)
    expect(names, String(server.title)).toEqual([...new Set(names)].sort())
    for (const { name, required, secret, description, ...rest } of envVars) {
      expect(rest).toEqual({})
      expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
      expect([typeof required, typeof secret]).toEqual(['boolean', 'boolean'])
      expect(description.length, name).toBeGreaterThan(3)
      // A name that says "key", "token", "secret" or "password" and is not marked would be shown in
      // the open.
      if (/(_KEY|TOKEN|SECRET|PASSWORD|PWD)$/i.test(name)) expect(secret, name).toBe(true)
    }
  }
})

test('plugins and skills name an ecosystem and a source that exist, and nothing claims to be built in', () => {
  for (const plugin of plugins) {
    expect(['claude-code', 'codex', 'cursor', 'copilot']).toContain(plugin.ecosystem)
    expect(plugin.marketplaceRepo).toMatch(/^[\w.-]+\/[\w.-]+$/)
    expect(plugin.slug).toMatch(/^[a-z0-9-]+$/)
    expect(plugin.marketplaceSlug).toMatch(/^[a-z0-9-]+$/)
  }
  for (const skill of skills) {
    expect(['community', 'plugin']).toContain(skill.source)
    expect(skill.slug).toMatch(/^[a-z0-9-]+$/)
    expect(skill.docsUrl).toBe(`${String(skill.repoUrl).replace('/tree/', '/blob/')}/SKILL.md`)
  }
})

/** Every file below a folder with one of these endings, as one lower-case text per file. */
function textsBelow(folder: string, endings: readonly string[]): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').toLowerCase())
}

test.skipIf(withoutRealData)(`the real data knows every server's repository, package and variables${NEEDS_REAL_DATA}`, () => {
  const files = [...textsBelow(join(REAL, 'mcp'), ['.json', '.yaml']), ...textsBelow(join(REAL, 'plugins'), ['marketplace.json'])]
  // A text of all files would confirm nothing about one server, so each is sought among the files
  // that name it.
  const unknown = servers.flatMap((server) => {
    const identifier = String(Object.values(server.install as object)[0]).toLowerCase()
    const repository = /github\.com\/([^/]+\/[^/]+)/.exec(String(server.repoUrl ?? '').toLowerCase())?.[1]
    const naming = files.filter((text) => text.includes(repository ?? identifier) || text.includes(identifier))
    const missing = [
      ...(repository === undefined ? [] : [repository]),
      identifier,
      ...(server.envVars as readonly EnvVar[]).map(({ name }) => name.toLowerCase()),
    ].filter((fact) => !naming.some((text) => text.includes(fact)))
    return missing.map((fact) => `${server.owner}/${server.repo}: ${fact}`)
  })
  expect(unknown).toEqual([])
})

test.skipIf(withoutRealData)(`the real marketplaces list every plugin, and in its ecosystem${NEEDS_REAL_DATA}`, () => {
  const folderOf = {
    'claude-code': '.claude-plugin',
    codex: '.agents/plugins',
    cursor: '.cursor-plugin',
    copilot: '.github/plugin',
  }
  const unknown = plugins.filter((plugin) => {
    const folder = folderOf[plugin.ecosystem as keyof typeof folderOf]
    const file = join(REAL, 'plugins', String(plugin.marketplaceRepo).replace('/', '+'), folder, 'marketplace.json')
    if (!existsSync(file)) return true
    const market = JSON.parse(readFileSync(file, 'utf8')) as { name: string; plugins: { name: string }[] }
    return market.name !== plugin.marketplaceSlug || !market.plugins.some(({ name }) => name === plugin.slug)
  })
  expect(unknown).toEqual([])
})

test.skipIf(withoutRealData)(`every skill is a real SKILL.md of that name${NEEDS_REAL_DATA}`, () => {
  const unknown = skills.filter((skill) => {
    const [, owner, repo, path] = /github\.com\/([^/]+)\/([^/]+)\/blob\/HEAD\/(.+)$/.exec(String(skill.docsUrl)) ?? []
    const file = join(REAL, 'skills', `${owner}+${repo}`, String(path))
    return !existsSync(file) || !readFileSync(file, 'utf8').split('\n').includes(`name: ${skill.slug}`)
  })
  expect(unknown).toEqual([])
})

test.skipIf(withoutRealData)(
  `descriptions are our own words: none repeats six words in a row of the real data${NEEDS_REAL_DATA}`,
  () => {
    const words = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    const phrases = (text: string): string[] => {
      const list = words(text)
      return list.slice(0, Math.max(0, list.length - 5)).map((_, index) => list.slice(index, index + 6).join(' '))
    }
    const ours = new Set(all.flatMap((record) => phrases(String(record.description))))
    const copied = textsBelow(REAL, ['.json', '.yaml', '.md']).flatMap((text) =>
      phrases(text).filter((phrase) => ours.has(phrase)),
    )
    expect(copied).toEqual([])
  },
)
