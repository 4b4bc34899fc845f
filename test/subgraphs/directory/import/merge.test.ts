import { describe, expect, test } from 'vitest'
import { CATEGORIES, categorise, categoryOf, PRODUCT_NAMES } from '../../../../subgraphs/directory/import/category.ts'
import type { Contribution, ContributionFormat, Statement } from '../../../../subgraphs/directory/import/contribution.ts'
import { assignKeys, successorsOf } from '../../../../subgraphs/directory/import/key.ts'
import { merge } from '../../../../subgraphs/directory/import/merge.ts'
import { faultOf, rowOf } from '../../../../subgraphs/directory/import/row.ts'

type Server = Extract<Statement, { kind: 'MCP_SERVER' }>

const EMPTY: Server = {
  kind: 'MCP_SERVER',
  identity: 'github.com/a/b',
  key: 'a/b',
  name: null,
  description: null,
  category: null,
  tags: [],
  stars: null,
  owner: 'a',
  repo: 'b',
  official: null,
  transport: null,
  installCommand: null,
  envVars: [],
  docsUrl: null,
  repoUrl: 'https://github.com/a/b',
  deprecated: null,
}

/** What a source of this format says about server a/b. */
const says = (format: ContributionFormat, statement: Partial<Server>, path = `${format}.json`): Contribution => ({
  origin: 'some/list',
  path,
  locator: '',
  format,
  statement: { ...EMPTY, ...statement },
})
const variable = (name: string, required: boolean, description: string | null = null) => ({
  name,
  required,
  secret: false,
  description,
})

/** The same sequence on every run. */
function shuffled<Value>(values: readonly Value[], seed: number): Value[] {
  let state = seed
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  return values
    .map((value) => ({ value, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

const EVERYBODY = [
  says('toolhive', { description: 'hive', stars: 7, tags: ['x'], official: false }),
  says('docker', {
    name: 'Docker name',
    description: 'docker',
    tags: ['y', 'x'],
    envVars: [variable('B', false), variable('A', true)],
  }),
  says('registry', { transport: 'sse', installCommand: 'npx -y b', envVars: [variable('B', true, 'the b')] }, 'one.json'),
  says('registry', { transport: 'stdio' }, 'two.json'),
  says('mcpm', { official: true, category: 'Databases' }),
  says('toolsdk', { category: 'other-tools-and-integrations', deprecated: true }),
  says('atrium', { name: 'Seed', description: 'seed', docsUrl: 'https://e.org' }),
]

describe('merge', () => {
  test('takes each field from the source of highest precedence that has it, joins lists, and records the provenance', () => {
    const [item] = merge(EVERYBODY, new Map()).items
    expect(item).toMatchObject({
      name: 'Seed',
      description: 'seed',
      category: 'Databases',
      originalCategory: 'Databases',
      tags: ['x', 'y'],
      popularity: 7,
      detail: {
        official: true,
        transport: 'stdio',
        installCommand: 'npx -y b',
        installations: [{ command: 'npx -y b', transport: 'stdio' }],
        deprecated: true,
        docsUrl: 'https://e.org',
        envVars: [variable('A', true), variable('B', true, 'the b')],
      },
    })
    expect(item?.provenance).toContainEqual({ field: 'popularity', source: 'some/list (toolhive)', path: 'toolhive.json' })
    expect(item?.provenance).toContainEqual({ field: 'description', source: 'some/list (atrium)', path: 'atrium.json' })
    expect(item?.provenance.map(({ field }) => field)).toEqual(item?.provenance.map(({ field }) => field).toSorted())
  })

  test('believes what Atrium curates before lists, and the publisher before both', () => {
    const own = { ...says('registry', { category: 'Databases', installCommand: 'npx -y own' }), origin: 'A/b' }
    const curated = says('atrium', { category: 'Design', name: 'Curated', installCommand: 'npx -y curated' })
    const listed = says('toolhive', { category: 'Finance', name: 'Listed', installCommand: 'docker run -i --rm x/y' })
    expect(merge([listed, curated], new Map()).items).toMatchObject([
      { name: 'Curated', category: 'Design', detail: { installCommand: 'npx -y curated' } },
    ])
    expect(merge([listed, curated, own], new Map()).items).toMatchObject([
      { name: 'Curated', category: 'Databases', detail: { installCommand: 'npx -y own' } },
    ])
  })

  test('a licence that a source states is believed more than what GitHub recognises in the repository', () => {
    const licenses = new Map([['a/b', 'MIT']])
    const merged = (...contributions: readonly Contribution[]) => merge(contributions, new Map(), new Set(), licenses).items[0]
    expect(merged(says('docker', {}))).toMatchObject({
      license: 'MIT',
      provenance: expect.arrayContaining([{ field: 'license', source: 'atrium (repository)', path: null }]),
    })
    expect(merged(says('docker', {}), says('mcpm', { license: 'Apache-2.0' }))?.license).toBe('Apache-2.0')
    expect(merged(says('docker', { repoUrl: 'https://gitlab.com/a/b' }))?.license).toBeNull()
  })

  test('a licence that is longer than rows may have it is left out, and the next one counts', () => {
    const long = Array.from({ length: 10 }, () => 'GPL-2.0-or-later').join(' OR ')
    const said = [says('docker', { license: long }), says('mcpm', { license: 'Apache-2.0' })]
    const [item] = merge(said, new Map()).items
    expect(item).toMatchObject({ license: 'Apache-2.0' })
    expect(item && faultOf(rowOf(item, item.wantedKey))).toBeNull()
    expect(merge(said.slice(0, 1), new Map(), new Set(), new Map([['a/b', long]])).items).toMatchObject([{ license: null }])
  })

  test.each([
    ['npx -y one', true],
    ['claude mcp add --transport http b https://b.example/mcp', false],
    ['docker run -i --rm acme/b', false],
    ['npx -y two', false],
  ])('a server whose recommended installation is %s is deprecated by its package: %s', (command, deprecated) => {
    const commands = [command, 'npx -y one', 'npx -y two']
    const installations = commands.map((one) => ({ command: one, transport: 'stdio' as const }))
    const own = { repository: 'a/b', license: null, isWithdrawn: true, monthlyDownloads: null }
    const packages = new Map([
      ['NPM one', own],
      ['NPM two', { ...own, isWithdrawn: false }],
    ])
    const { items } = merge([says('docker', { installations })], new Map(), new Set(), new Map(), packages)
    expect(items).toMatchObject([{ detail: { deprecated } }])
  })

  test('a source that calls a server active counts against one that calls it archived', () => {
    const archived = says('mcpm', { deprecated: true })
    expect(merge([archived, says('toolhive', { deprecated: false })], new Map()).items).toMatchObject([
      { detail: { deprecated: false } },
    ])
    expect(merge([archived, says('toolsdk', { deprecated: false })], new Map()).items).toMatchObject([
      { detail: { deprecated: true } },
    ])
  })

  test('the transport is that of the command, whatever another source says of the server', () => {
    const local = says('docker', { transport: 'sse', installCommand: 'npx -y b' })
    const remote = says('toolsdk', {
      transport: 'stdio',
      installCommand: 'claude mcp add --transport http b https://b.example/sse',
    })
    expect(merge([local, remote], new Map()).items).toMatchObject([
      {
        detail: {
          transport: 'stdio',
          installations: [{ transport: 'stdio' }, { transport: 'sse' }],
        },
      },
    ])
  })

  test('variables whose names end like those of secrets are secrets', () => {
    const names = ['ACME_API_KEY', 'PGPASSWORD', 'acmeToken', 'MAX_TOKENS', 'LANGFUSE_PUBLIC_KEY', 'KEY_ID', 'TOKEN_PATH']
    const [item] = merge([says('mcpm', { envVars: names.map((name) => variable(name, false)) })], new Map()).items
    const found = item && 'envVars' in item.detail ? item.detail.envVars : []
    expect(found.filter(({ secret }) => secret).map(({ name }) => name)).toEqual(['ACME_API_KEY', 'PGPASSWORD', 'acmeToken'])
  })

  test.each([
    ['Adds [MCP](https://e.org/a) **tools** to `uv`', 'Adds MCP tools to uv'],
    ['# Title ## Part of it', 'Title Part of it'],
    ['![badge](https://e.org/b.svg) <b>R&amp;D</b> within <300 ms and <think>', 'R&D within <300 ms and <think>'],
    ['Links [cut off](https://e.org/long', 'Links cut off'],
  ])('the description %s becomes plain text', (description, plain) => {
    expect(merge([says('mcpm', { description })], new Map()).items[0]?.description).toBe(plain)
  })

  test('does not depend on the order of contributions', () => {
    const contributions = [
      ...EVERYBODY,
      ...EVERYBODY.map((one) => ({ ...one, statement: { ...one.statement, identity: `npm:${one.format}` } })),
    ]
    const expected = merge(contributions, new Map())
    const keys = [...assignKeys(expected.items, []).values()]
    for (let seed = 1; seed <= 50; seed += 1) {
      const { items, skipped } = merge(shuffled(contributions, seed), new Map())
      expect({ items, skipped }).toEqual(expected)
      expect([...assignKeys(shuffled(items, seed), []).values()].sort()).toEqual(keys.toSorted())
    }
  })

  test('never leaves a command or an address empty: cloning stands in, and says so', () => {
    const [item] = merge([says('readme', {})], new Map()).items
    expect(item).toMatchObject({
      name: 'b',
      detail: { docsUrl: 'https://github.com/a/b', installCommand: 'git clone https://github.com/a/b' },
    })
    expect(item?.provenance).toContainEqual({ field: 'installCommand', source: 'atrium (repository)', path: null })
  })

  test('believes a stars file more than a source', () => {
    const [item] = merge(EVERYBODY, new Map([['a/b', 99]])).items
    expect(item).toMatchObject({ popularity: 99 })
  })
})

describe('keys', () => {
  const items = (...identities: string[]) =>
    merge(
      identities.map((identity) => says('registry', { identity })),
      new Map(),
    ).items

  test('one of several that ask for a key gets it, the others a suffix of their own', () => {
    const all = items('github.com/a/b#two', 'github.com/a/b#four', 'github.com/a/b', 'npm:three')
    expect([...assignKeys(all, []).entries()].map(([{ identity }, key]) => [identity, key])).toEqual(
      expect.arrayContaining([
        ['npm:three', 'a/b'],
        ['github.com/a/b', 'a/b-2'],
        ['github.com/a/b#two', 'a/b-two'],
        ['github.com/a/b#four', 'a/b-four'],
      ]),
    )
  })

  test('a stored key never changes, whatever items are added', () => {
    const [item] = items('github.com/z/z')
    const keys = assignKeys(items('github.com/z/z', 'github.com/a/b'), [
      { kind: 'MCP_SERVER', identity: 'github.com/z/z', key: 'A/B' },
    ])
    expect([...keys.entries()].map(([{ identity }, key]) => [identity, key])).toEqual([
      ['github.com/z/z', 'A/B'],
      ['github.com/a/b', 'a/b-2'],
    ])
    expect(item?.wantedKey).toBe('a/b')
  })
})

describe('servers of one repository', () => {
  const REPO = 'github.com/a/b'
  const identitiesOf = (...contributions: readonly Contribution[]) =>
    merge(contributions, new Map()).items.map(({ identity, wantedKey }) => [identity, wantedKey])
  const part = (format: ContributionFormat, name: string, path = `${name}.json`) =>
    says(format, { identity: `${REPO}#${name}`, key: `a/${name}`, repo: name }, path)

  test('are one server where sources only disagree about its name', () => {
    expect(identitiesOf(part('docker', 'one'), part('toolhive', 'other'), says('readme', {}))).toEqual([[REPO, 'a/b']])
  })

  test('are split where one source lists several; a record without a part means the whole repository', () => {
    const listed = [part('mcp-get', 'curl'), part('mcp-get', 'git'), says('readme', {})]
    expect(identitiesOf(...listed)).toEqual([
      [REPO, 'a/b'],
      [`${REPO}#curl`, 'a/curl'],
      [`${REPO}#git`, 'a/git'],
    ])
    // A label of a collector meets the server that another source knows by this name.
    const labelled = says('tensorblock', { labels: ['curl'] })
    expect(identitiesOf(part('mcp-get', 'curl'), part('mcp-get', 'git'), labelled)).toEqual([
      [`${REPO}#curl`, 'a/curl'],
      [`${REPO}#git`, 'a/git'],
    ])
  })

  test('are two where a source lists the repository and a server in a folder of it', () => {
    const folder = `https://${REPO}/tree/HEAD/packages/postgrest`
    const inside = says('toolsdk', { identity: `${REPO}#postgrest`, key: 'a/postgrest', repoUrl: folder }, 'inside.json')
    expect(identitiesOf(says('toolsdk', {}), inside)).toEqual([
      [REPO, 'a/b'],
      [`${REPO}#postgrest`, 'a/postgrest'],
    ])
  })

  test('keep the stored id when the identity changes: the one with the stored key, else the first', () => {
    const { items } = merge([part('mcp-get', 'curl'), part('mcp-get', 'git')], new Map())
    const stored = (identity: string, key: string) => [{ kind: 'MCP_SERVER', identity, key } as const]
    expect(successorsOf(items, stored(REPO, 'a/b'))).toEqual([{ kind: 'MCP_SERVER', from: REPO, to: `${REPO}#curl` }])
    expect(successorsOf(items, stored(REPO, 'A/git'))).toEqual([{ kind: 'MCP_SERVER', from: REPO, to: `${REPO}#git` }])
    expect(successorsOf(items, stored('github.com/a/other', 'a/b'))).toEqual([])
    expect(successorsOf(items, stored(`${REPO}#curl`, 'a/b'))).toEqual([])
  })
})

describe('a row that breaks a rule is refused', () => {
  test.each<[string, Partial<Server>, string, RegExp]>([
    ['a key with a space', {}, 'a/b c', /key/],
    ['a key that climbs', {}, 'a/..', /key/],
    ['no address', { repoUrl: null }, 'a/b', /address/],
    ['a script as address', { docsUrl: 'javascript:alert(1)' }, 'a/b', /address/],
    ['a command with control characters', { installCommand: 'npx \u001b[2J', docsUrl: 'https://e.org' }, 'a/b', /command/],
    ['a name of a thousand characters', { name: 'x'.repeat(1_000) }, 'a/b', /name/],
    ['negative stars', { stars: -1 }, 'a/b', /stars/],
  ])('%s', (_, statement, key, fault) => {
    const [item] = merge([says('registry', statement)], new Map()).items
    expect(item && faultOf(rowOf(item, key))).toMatch(fault)
  })
})

describe('categories', () => {
  const about = (name: string, description = '', tags: string[] = []) => ({ name, description, tags })

  test.each([
    ['dev-tools', 'Developer Tools'],
    ['AI & LLM Integration', 'AI & Machine Learning'],
    ['Security, Compliance, & Legal', 'Security'],
    ['devops', 'Cloud & DevOps'],
    ['location-services', 'Maps & Location'],
    ['Uncategorized', null],
    ['other-tools-and-integrations', null],
    ['constructor', null],
  ])('%s means %s', (spelling, category) => expect(categoryOf(spelling)).toBe(category))

  test('every category means itself', () => expect(CATEGORIES.map(categoryOf)).toEqual(CATEGORIES))

  test('a catch-all category never overrides a matching rule, and applies without one', () => {
    expect(categorise(['devops'], about('playwright'))).toEqual({ category: 'Browser Automation', spelling: null })
    expect(categorise(['support-service-management'], about('jira'))).toEqual({ category: 'Productivity', spelling: null })
    expect(categorise(['devops'], about('x', 'Nothing to go by'))).toEqual({ category: 'Cloud & DevOps', spelling: 'devops' })
    expect(categorise(['Productivity'], about('playwright'), 'Productivity')).toMatchObject({ category: 'Productivity' })
  })

  test('the product in a name is believed before a source, unless a word of another category stands beside it', () => {
    const communication = (name: string, curated?: string) => categorise(['communication'], about(name), curated).category
    expect(communication('server trello mcp')).toBe('Productivity')
    expect(communication('MyTrelloServer')).toBe('Productivity')
    expect(communication('Hacker News MCP')).toBe('Social Media')
    expect(communication('OpenAI Chat Completions')).toBe('AI & Machine Learning')
    expect(communication('Trello', 'communication')).toBe('Communication')
    expect(communication('Trello to Notion')).toBe('Communication')
    expect(communication('Reddit Ads')).toBe('Communication')
    expect(communication('constructor')).toBe('Communication')
    // Each is a word of a category: only such a one decides.
    for (const product of PRODUCT_NAMES) expect(categorise([], about(product)).category, product).not.toBe('Uncategorized')
  })

  test('tokens of a model and messages of a chat make no category by themselves', () => {
    expect(categorise([], about('token optimizer', 'Fewer tokens by compression')).category).toBe('Uncategorized')
    expect(categorise([], about('diff', 'Compare JSON regardless of order')).category).not.toBe('E-commerce')
  })

  test('a source is believed before the words, an unclear spelling counts as a word', () => {
    expect(categorise(['finance'], about('database'))).toEqual({ category: 'Finance', spelling: 'finance' })
    expect(categorise(['other', 'db'], about('x'))).toEqual({ category: 'Databases', spelling: 'db' })
    expect(categorise(['postgres-things'], about('x'))).toEqual({ category: 'Databases', spelling: null })
    expect(categorise([], about('x', 'Nothing to go by'))).toEqual({ category: 'Uncategorized', spelling: null })
  })
})
