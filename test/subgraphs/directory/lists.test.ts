import { setTimeout as sleep } from 'node:timers/promises'
import { type ExecutionResult, graphql } from 'graphql'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from '../../../platform/database/database.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { directorySubgraph } from '../../../subgraphs/directory/subgraph.ts'
import { freshDatabase } from '../../support/database.ts'
import { aPlugin, aServer, aSkill, putItems, removeItems } from '../../support/items.ts'

const log = pino({ level: 'silent' })
const caller = { requestId: 'test', address: '127.0.0.1', credentials: {} }

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let connection: Connection
let drop: () => Promise<void>
let subgraph: Subgraph

const run = (source: string, variableValues: Record<string, unknown> = {}): Promise<ExecutionResult<Data>> =>
  graphql({ schema: subgraph.schema, source, variableValues, contextValue: subgraph.context(caller) }) as Promise<
    ExecutionResult<Data>
  >
async function ask(source: string, variables: Record<string, unknown> = {}): Promise<Data> {
  const { data, errors } = await run(source, variables)
  expect(errors).toBeUndefined()
  return data
}
async function refusal(source: string): Promise<{ code: unknown; message: string | undefined }> {
  const { errors } = await run(source)
  return { code: errors?.[0]?.extensions.code, message: errors?.[0]?.message }
}
/** Asks until the answer is right: a refresh takes a moment. Fails by the test's own time limit. */
async function eventually(source: string, expected: unknown): Promise<void> {
  for (;;) {
    const data = await ask(source)
    if (JSON.stringify(data) === JSON.stringify(expected)) return
    await sleep(20)
  }
}

const servers = [
  aServer('b/two', { popularity: 5, category: 'Databases', tags: ['sql'], description: 'Asks PostgreSQL questions' }),
  aServer('B/one', { popularity: 5, category: 'Databases', tags: ['sql', 'cloud'] }),
  aServer('a/zero', { popularity: 5, category: 'Security', detail: { official: true } }),
  aServer('c/none', { category: 'Security', detail: { transport: 'sse' }, description: 'PostgreSQL too' }),
  aServer('c/most', { popularity: 900, category: 'Databases' }),
]

beforeAll(async () => {
  const database = await freshDatabase()
  connection = database.connection
  drop = database.drop
  await putItems(connection, [
    ...servers,
    aPlugin('market/p1', { popularity: 3, detail: { ecosystem: 'claude-code', ecosystems: ['claude-code', 'cursor'] } }),
    aPlugin('market/p2', { popularity: 9 }),
    aPlugin('bazaar/p1', { popularity: 3, detail: { ecosystem: 'codex', ecosystems: ['codex'] } }),
    aSkill('zeta', { name: 'Alpha' }),
    aSkill('beta', { name: 'beta', detail: { source: 'PLUGIN' } }),
    aSkill('alpha', { name: 'alpha' }),
    { kind: 'GUIDE', key: 'how-to' },
  ])
  subgraph = await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log })
})
afterAll(async () => {
  await subgraph.close()
  await drop()
})

const keys = (connection: Data): string[] =>
  connection.edges.map(({ node }: Data) => node.key ?? node.slug ?? `${node.owner}/${node.repo}`)
const ALL_SERVERS = ['c/most', 'a/zero', 'B/one', 'b/two', 'c/none']

describe('order', () => {
  test('servers go by stars, then owner and repo without regard to case', async () => {
    const { mcpServers } = await ask('{ mcpServers { edges { node { owner repo } } } }')
    expect(keys(mcpServers)).toEqual(ALL_SERVERS)
  })

  test('plugins go by stars, then marketplace and slug', async () => {
    const { plugins } = await ask('{ plugins { edges { node { marketplaceSlug slug } } } }')
    expect(plugins.edges.map(({ node }: Data) => `${node.marketplaceSlug}/${node.slug}`)).toEqual([
      'market/p2',
      'bazaar/p1',
      'market/p1',
    ])
  })

  test('skills go by name, then slug', async () => {
    expect(keys((await ask('{ skills { edges { node { slug } } } }')).skills)).toEqual(['alpha', 'zeta', 'beta'])
  })
})

describe('pages', () => {
  test.each([1, 2, 3, 5, 100])('of %i cover every item exactly once', async (first) => {
    const seen: string[] = []
    let after: string | null = null
    for (let more = true; more; ) {
      const { mcpServers }: Data = await ask(
        'query ($first: Int, $after: String) { mcpServers(first: $first, after: $after) { totalCount edges { node { owner repo } cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }',
        { first, after },
      )
      expect(mcpServers.totalCount).toBe(5)
      expect(mcpServers.pageInfo).toMatchObject({
        hasPreviousPage: after !== null,
        startCursor: mcpServers.edges[0].cursor,
        endCursor: mcpServers.edges.at(-1).cursor,
      })
      seen.push(...keys(mcpServers))
      after = mcpServers.pageInfo.endCursor
      more = mcpServers.pageInfo.hasNextPage
    }
    expect(seen).toEqual(ALL_SERVERS)
  })

  test('can be counted instead: offset skips', async () => {
    expect(keys((await ask('{ mcpServers(first: 2, offset: 3) { edges { node { owner repo } } } }')).mcpServers)).toEqual([
      'b/two',
      'c/none',
    ])
    expect(keys((await ask('{ mcpServers(offset: 2147483647) { edges { node { owner repo } } } }')).mcpServers)).toEqual([])
  })

  test.each([
    ['{ mcpServers(first: 0) { totalCount } }', 'Expected "first" to be 1 to 100, got 0.'],
    ['{ mcpServers(first: -1) { totalCount } }', 'Expected "first" to be 1 to 100, got -1.'],
    ['{ plugins(first: 101) { totalCount } }', 'Expected "first" to be 1 to 100, got 101.'],
    ['{ skills(offset: -5) { totalCount } }', 'Expected "offset" to be 0 or more, got -5.'],
    [
      '{ skills(after: "nonsense") { totalCount } }',
      'Expected "after" to be a cursor from an answer of this list, got "nonsense".',
    ],
    ['{ search(query: "a", firstOfEachKind: 26) { totalCount } }', 'Expected "firstOfEachKind" to be 1 to 25, got 26.'],
    ['{ changes(first: 501) { token } }', 'Expected "first" to be 1 to 500, got 501.'],
    [
      '{ changes(since: "nonsense") { token } }',
      'Expected "since" to be a token from an answer of this directory (leave it out to start again), got "nonsense".',
    ],
  ])('%s is refused', async (source, message) => {
    expect(await refusal(source)).toEqual({ code: 'BAD_USER_INPUT', message })
  })

  test.each([
    ['skills', 'mcpServers'],
    // Positions of these two look the same.
    ['plugins', 'mcpServers'],
    ['mcpServers', 'plugins'],
  ])('refuse a cursor of %s in %s', async (one, other) => {
    const data = await ask(`{ ${one}(first: 1) { edges { cursor } } }`)
    expect((await refusal(`{ ${other}(after: "${data[one].edges[0].cursor}") { totalCount } }`)).code).toBe('BAD_USER_INPUT')
  })

  test('refuse a query of more than 200 characters, in search and in lists', async () => {
    for (const field of [`search(query: "${'x'.repeat(201)}")`, `skills(filter: { query: "${'x'.repeat(201)}" })`]) {
      expect((await refusal(`{ ${field} { totalCount } }`)).message).toContain('to be at most 200 characters')
    }
  })
})

describe('filters', () => {
  test.each([
    ['category: "Databases"', ['c/most', 'B/one', 'b/two']],
    ['category: "databases"', []],
    ['official: true', ['a/zero']],
    ['transport: "sse"', ['c/none']],
    ['tag: "sql"', ['B/one', 'b/two']],
    ['tag: "sql", category: "Databases", official: false', ['B/one', 'b/two']],
    ['query: "postgres"', ['b/two', 'c/none']],
    ['query: "%"', []],
  ])('{ %s } keeps the order by stars', async (filter, expected) => {
    const { mcpServers } = await ask(`{ mcpServers(filter: { ${filter} }) { totalCount edges { node { owner repo } } } }`)
    expect(keys(mcpServers)).toEqual(expected)
    expect(mcpServers.totalCount).toBe(expected.length)
  })

  test('with a query plugins and skills stand best match first, page by page', async () => {
    const database = await freshDatabase()
    await putItems(database.connection, [
      aSkill('a-mention', { name: 'A mention', description: 'reads xylophone files' }),
      aSkill('z-xylophone', { name: 'Xylophone' }),
      aPlugin('m/mention', { popularity: 500, description: 'reads xylophone files' }),
      aPlugin('m/xylophone', { popularity: 1, name: 'Xylophone' }),
      aServer('a/mention', { description: 'reads xylophone files' }),
      aServer('z/xylophone', { name: 'Xylophone' }),
      aServer('z/known', { popularity: 7, description: 'reads xylophone files' }),
    ])
    const other = await directorySubgraph({ connection: database.connection, publicUrl: 'https://e.org', log })
    const answer = async (source: string): Promise<Data> =>
      ((await graphql({ schema: other.schema, source, contextValue: other.context(caller) })) as ExecutionResult<Data>).data
    try {
      const list = (field: string, page = '') =>
        `${field}(filter: { query: "xylophone" } ${page}) { pageInfo { endCursor } edges { node { url } } }`
      const all = await answer(`{ ${list('skills')} ${list('plugins')} ${list('mcpServers')} }`)
      const urls = ({ edges }: Data) => edges.map(({ node }: Data) => node.url.split('/').slice(-1)[0])
      expect(urls(all.skills)).toEqual(['z-xylophone', 'a-mention'])
      expect(urls(all.plugins)).toEqual(['xylophone', 'mention'])
      expect(urls(all.mcpServers)).toEqual(['known', 'xylophone', 'mention'])
      const first = await answer(`{ ${list('skills', 'first: 1')} }`)
      const next = await answer(`{ ${list('skills', `first: 1, after: "${first.skills.pageInfo.endCursor}"`)} }`)
      expect(urls(next.skills)).toEqual(['a-mention'])
    } finally {
      await other.close()
      await database.drop()
    }
  })

  test('a deprecated server is ranked behind maintained ones with the words in their names, before mere mentions', async () => {
    const database = await freshDatabase()
    await putItems(database.connection, [
      aServer('old/slack', { name: 'Slack', popularity: 80_000, detail: { deprecated: true, official: true } }),
      aServer('new/slack-export', { name: 'Slack export' }),
      aServer('other/mention', { description: 'writes to slack' }),
      aServer('a/markdown2pdf', { description: 'Converts Markdown to PDF' }),
      aServer('b/markitdown', { description: 'Converts PDF files to clean Markdown' }),
    ])
    const other = await directorySubgraph({ connection: database.connection, publicUrl: 'https://e.org', log })
    const found = async (query: string) => {
      const source = `{ search(query: "${query}") { edges { node { name ... on McpServer { repo } } } } }`
      const { data } = (await graphql({
        schema: other.schema,
        source,
        contextValue: other.context(caller),
      })) as ExecutionResult<Data>
      return data.search.edges.map(({ node }: Data) => node.repo)
    }
    try {
      expect(await found('slack')).toEqual(['slack-export', 'slack', 'mention'])
      expect((await found('pdf to markdown'))[0]).toBe('markitdown')
      expect((await found('markdown to pdf'))[0]).toBe('markdown2pdf')
    } finally {
      await other.close()
      await database.drop()
    }
  })

  test('a plugin for several agents is found under each', async () => {
    for (const [ecosystem, count] of [
      ['cursor', 1],
      ['claude-code', 2],
      ['codex', 1],
      ['kimi', 0],
    ] as const) {
      const { plugins } = await ask('query ($filter: PluginFilter) { plugins(filter: $filter) { totalCount } }', {
        filter: { ecosystem },
      })
      expect(plugins.totalCount).toBe(count)
    }
  })

  test('facets count what the filter leaves', async () => {
    const { mcpServers, skills } = await ask(`{
      mcpServers(first: 1, filter: { category: "Databases" }) { facets { categories { value count } tags { value count } official { value count } transports { value count } } }
      skills { facets { sources { value count } } }
    }`)
    expect(mcpServers.facets).toEqual({
      categories: [{ value: 'Databases', count: 3 }],
      tags: [
        { value: 'sql', count: 2 },
        { value: 'cloud', count: 1 },
      ],
      official: [{ value: 'false', count: 3 }],
      transports: [{ value: 'stdio', count: 3 }],
    })
    expect(skills.facets.sources).toEqual([
      { value: 'COMMUNITY', count: 2 },
      { value: 'PLUGIN', count: 1 },
    ])
  })
})

describe('single items', () => {
  test('are found by natural key in any case, and nothing else is', async () => {
    const data = await ask(`{
      server: mcpServer(owner: "b", repo: "ONE") { title stars kind url docsUrl }
      plugin(marketplaceSlug: "Bazaar", slug: "p1") { ecosystem url }
      skill(slug: "BETA") { source url }
      none: mcpServer(owner: "b/one", repo: "") { title }
      prototype: skill(slug: "__proto__") { name }
    }`)
    expect(data).toEqual({
      server: {
        title: 'one',
        stars: 5,
        kind: 'MCP_SERVER',
        url: 'https://atrium.example/mcp/B/one',
        docsUrl: 'https://example.org/B/one',
      },
      plugin: { ecosystem: 'codex', url: 'https://atrium.example/plugins/bazaar/p1' },
      skill: { source: 'PLUGIN', url: 'https://atrium.example/skills/beta' },
      none: null,
      prototype: null,
    })
  })

  test('are entities: an id leads back to its item, a wrong one to nothing', async () => {
    const { skill } = await ask('{ skill(slug: "beta") { id } }')
    const { _entities } = await ask(
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Skill { slug } ... on McpServer { repo } } }',
      {
        representations: [
          { __typename: 'Skill', id: skill.id },
          { __typename: 'McpServer', id: skill.id },
          { __typename: 'Skill', id: 'nonsense' },
        ],
      },
    )
    expect(_entities).toEqual([{ slug: 'beta' }, null, null])
  })

  test('categories and stats count what is there', async () => {
    const data = await ask('{ categories { mcp { name count } } directoryStats { tools plugins skills personas guides } }')
    expect(data).toEqual({
      categories: {
        mcp: [
          { name: 'Databases', count: 3 },
          { name: 'Security', count: 2 },
        ],
      },
      directoryStats: { tools: 5, plugins: 3, skills: 3, personas: 0, guides: 1 },
    })
  })
})

test('search ranks over all kinds, and bounds each kind when requested', async () => {
  const { search } = await ask(
    '{ search(query: "p1") { totalCount facets { kinds { value count } } edges { node { kind name } } } }',
  )
  expect(search).toMatchObject({ totalCount: 2, facets: { kinds: [{ value: 'PLUGIN', count: 2 }] } })
  const { bounded } = await ask('{ bounded: search(query: "p1", firstOfEachKind: 1) { totalCount } }')
  expect(bounded.totalCount).toBe(1)
  const { none } = await ask('{ none: search(query: "p1", kinds: [SKILL]) { totalCount } }')
  expect(none.totalCount).toBe(0)
})

describe('an import while the server runs', () => {
  test('shows within a moment, and a mirror that follows `changes` sees it once, with tombstones', async () => {
    const first = (await ask('{ changes(first: 500) { token hasMore nodes { key } } }')).changes
    expect(first.hasMore).toBe(false)
    expect(first.nodes).toHaveLength(11)
    const revision = (await ask('{ directoryStats { revision } }')).directoryStats.revision

    await putItems(connection, [aServer('new/one'), aSkill('beta', { name: 'beta', description: 'changed' })])
    await removeItems(connection, ['c/none'])
    await eventually(
      '{ mcpServers { totalCount } skill(slug: "beta") { description } gone: mcpServer(owner: "c", repo: "none") { title } }',
      {
        mcpServers: { totalCount: 5 },
        skill: { description: 'changed' },
        gone: null,
      },
    )
    expect((await ask('{ directoryStats { revision } }')).directoryStats.revision).not.toBe(revision)

    let since = first.token
    const seen: Data[] = []
    for (let more = true; more; ) {
      const { changes }: Data = await ask(
        'query ($since: String) { changes(since: $since, first: 1) { token hasMore nodes { kind key item { name } } } }',
        { since },
      )
      seen.push(...changes.nodes)
      since = changes.token
      more = changes.hasMore
    }
    expect(seen).toEqual([
      { kind: 'SKILL', key: 'beta', item: { name: 'beta' } },
      { kind: 'MCP_SERVER', key: 'new/one', item: { name: 'one' } },
      { kind: 'MCP_SERVER', key: 'c/none', item: null },
    ])
    const { changes } = await ask('query ($since: String) { changes(since: $since) { token nodes { key } } }', { since })
    expect(changes).toEqual({ token: since, nodes: [] })
  })

  test('does not move a cursor: the next page continues after the last item', async () => {
    const { mcpServers } = await ask('{ mcpServers(first: 2) { edges { node { owner repo } } pageInfo { endCursor } } }')
    expect(keys(mcpServers)).toEqual(['c/most', 'a/zero'])
    await putItems(connection, [aServer('d/first', { popularity: 1000 })])
    await removeItems(connection, ['a/zero'])
    // Both: a later revision would end the next case's time in which nothing is announced.
    await eventually(
      '{ mcpServers(first: 1) { edges { node { repo } } } removed: mcpServer(owner: "a", repo: "zero") { repo } }',
      {
        mcpServers: { edges: [{ node: { repo: 'first' } }] },
        removed: null,
      },
    )
    const next = await ask('query ($after: String) { mcpServers(after: $after, first: 2) { edges { node { owner repo } } } }', {
      after: mcpServers.pageInfo.endCursor,
    })
    expect(keys(next.mcpServers)).toEqual(['B/one', 'b/two'])
  })
})

test('a change is announced after its item can be read: a new item never looks removed', async () => {
  const { changes: before }: Data = await ask('{ changes(first: 500) { token } }')
  const client = new pg.Client(connection)
  await client.connect()
  try {
    // Committed, but not announced: the catalogue hears of it seconds later.
    await client.query('UPDATE directory.revision SET number = number + 1')
    const number = '(SELECT number FROM directory.revision)'
    await client.query(`
      INSERT INTO directory.item (kind, identity, key, name, description, category, tags, popularity, detail, provenance, created_at, updated_at, revision)
      SELECT kind, 'unannounced', 'unannounced', 'Unannounced', description, category, tags, popularity, detail || '{"slug":"unannounced"}', provenance, now(), now(), ${number}
      FROM directory.item WHERE key = 'alpha'`)
    const SINCE = 'query ($since: String) { changes(since: $since) { token nodes { key item { name } } } }'
    const listed = async () => {
      const { changes }: Data = await ask(SINCE, { since: before.token })
      return changes.nodes.filter(({ key }: Data) => key === 'unannounced')
    }
    expect(await listed()).toEqual([])
    // What a process that has heard of it answers: this one, which has not, must not take it back.
    const { rows } = await client.query('SELECT number, mark FROM directory.past_revision ORDER BY number DESC LIMIT 1')
    const partsOf = (token: string) => Buffer.from(token, 'base64url').toString().split(':')
    const seen = [String(rows[0].number), rows[0].mark.slice(0, 8)]
    const ahead = Buffer.from([...partsOf(before.token).slice(0, 3), ...seen].join(':')).toString('base64url')
    expect(partsOf((await ask(SINCE, { since: ahead })).changes.token).slice(3)).toEqual(seen)
    await client.query('NOTIFY directory_revision')
    let nodes = await listed()
    while (nodes.length === 0) nodes = await listed()
    expect(nodes).toEqual([{ key: 'unannounced', item: { name: 'Unannounced' } }])
  } finally {
    await client.end()
  }
  await removeItems(connection, ['unannounced'])
  // The next test takes a token, which must be of a revision after this one.
  await eventually('{ skill(slug: "unannounced") { slug } }', { skill: null })
})

describe('a database that was restored while the directory ran', () => {
  const STORED = ['item', 'revision', 'past_revision']
  /** Keeps the tables as they are now, lets the process learn of `lost`, and puts the tables back with `imports` on top. */
  async function restoreAndImport(
    lost: string,
    imported: readonly string[],
  ): Promise<{ readonly token: string; readonly lostToken: string }> {
    const client = new pg.Client({ ...connection, options: '-c search_path=directory,public' })
    await client.connect()
    try {
      for (const table of STORED) await client.query(`CREATE TEMPORARY TABLE kept_${table} AS TABLE ${table}`)
      const { token } = (await ask('{ changes(first: 500) { token } }')).changes
      await putItems(connection, [aServer(lost)])
      const [owner, repo] = lost.split('/')
      // By its key: a search finds names that are nearly the same as well.
      await eventually(`{ mcpServer(owner: "${owner}", repo: "${repo}") { repo } }`, { mcpServer: { repo } })
      const lostToken = (await ask('{ changes(first: 500) { token } }')).changes.token
      await client.query('BEGIN')
      // As a dump is read: triggers do not fire.
      await client.query('SET LOCAL session_replication_role = replica')
      for (const table of STORED.toReversed()) await client.query(`DELETE FROM ${table}`)
      for (const table of STORED) await client.query(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE kept_${table}`)
      await client.query('SET LOCAL session_replication_role = DEFAULT')
      for (const key of imported) {
        await client.query('UPDATE revision SET number = number + 1, changed_at = now()')
        await client.query(
          `INSERT INTO item (kind, identity, key, name, description, category, tags, popularity, detail, provenance, created_at, updated_at, revision)
           SELECT kind, $1, $1, $1, '', category, '{}', 0, detail, provenance, now(), now(), (SELECT number FROM revision)
           FROM item WHERE key = 'alpha'`,
          [key],
        )
      }
      await client.query('NOTIFY directory_revision')
      await client.query('COMMIT')
      return { token, lostToken }
    } finally {
      await client.end()
    }
  }

  test.each([
    ['is as far as the directory knew it', 'lost/samecount', ['restoredone']],
    ['is further', 'lost/latercount', ['restoredtwo', 'restoredthree']],
    ['is behind', 'lost/behindcount', []],
  ])('leaves no item of the lost revisions when it %s, and refuses their tokens', async (_, lost, imported) => {
    const { token, lostToken } = await restoreAndImport(lost, imported)
    for (const key of imported) await eventually(`{ search(query: "${key}") { totalCount } }`, { search: { totalCount: 1 } })
    await eventually(`{ search(query: "${lost.split('/')[1]}") { totalCount } }`, { search: { totalCount: 0 } })
    const changesSince = (since: string) => `{ changes(since: "${since}") { nodes { key } } }`
    expect((await ask(changesSince(token))).changes.nodes.map(({ key }: Data) => key)).toEqual(imported)
    expect((await refusal(changesSince(lostToken))).message).toContain('Expected "since" to be a token from an answer')
    await removeItems(connection, imported)
    // The next case takes a token, which must be of a revision after these removals.
    for (const key of imported) await eventually(`{ search(query: "${key}") { totalCount } }`, { search: { totalCount: 0 } })
  })
})

describe('sort and conditions', () => {
  const names = async (sort: string, more = '') => {
    const { search } = await ask(
      `{ search(query: "sorted", sort: ${sort}${more}) { totalCount edges { cursor node { name } } } }`,
    )
    return search.edges.map(({ node }: Data) => node.name)
  }
  const REMOTE = { command: 'claude mcp add --transport http x https://x.example/mcp', transport: 'streamable-http' }
  const KEY = { name: 'API_KEY', required: true, secret: true, description: null }
  const EITHER = 'MIT OR GPL-2.0-only WITH Classpath-exception-2.0'
  const COPY = 'Sorted things, the same text word for word in every copy of it'

  beforeAll(async () => {
    // An import after another: each has its own time.
    await putItems(connection, [
      aServer('sorted/b', { name: 'B sorted', popularity: 1, license: 'Apache-2.0', detail: { envVars: [KEY] } }),
    ])
    await putItems(connection, [
      aServer('sorted/a', {
        name: 'a sorted',
        popularity: 2,
        detail: {
          installations: [REMOTE],
          transport: 'streamable-http',
          registered: { name: 'io.github.sorted/a', version: null },
        },
      }),
    ])
    await putItems(connection, [aSkill('sorted', { name: 'c sorted', tags: ['odd'], license: 'GPL-3.0-or-later' })])
    await putItems(connection, [
      aServer('sorted/copy1', {
        name: 'copy one',
        license: EITHER,
        description: COPY,
        detail: { deprecated: true, installations: [] },
      }),
      aServer('sorted/copy2', { name: 'copy two', description: COPY.toUpperCase(), detail: { installations: [] } }),
    ])
    await eventually('{ search(query: "sorted") { totalCount } }', { search: { totalCount: 5 } })
  })
  afterAll(async () => {
    await removeItems(connection, ['sorted/b', 'sorted/a', 'sorted', 'sorted/copy1', 'sorted/copy2'])
    await eventually('{ search(query: "sorted") { totalCount } }', { search: { totalCount: 0 } })
  })

  test('a search is sorted by name, stars, and times of import', async () => {
    expect(await names('NAME')).toEqual(['a sorted', 'B sorted', 'c sorted', 'copy one', 'copy two'])
    expect((await names('POPULARITY')).slice(0, 2)).toEqual(['a sorted', 'B sorted'])
    expect(await names('NEWEST')).toEqual(['copy one', 'copy two', 'c sorted', 'a sorted', 'B sorted'])
    expect(await names('UPDATED')).toEqual(['copy one', 'copy two', 'c sorted', 'a sorted', 'B sorted'])
  })

  test('lists are sorted as well, with and without words, and cursors belong to one order', async () => {
    const { mcpServers } = await ask('{ mcpServers(sort: NAME, filter: { query: "sorted" }) { edges { cursor node { name } } } }')
    expect(mcpServers.edges.map(({ node }: Data) => node.name)).toEqual(['a sorted', 'B sorted', 'copy one', 'copy two'])
    const { cursor } = mcpServers.edges[0]
    const next = await ask(
      `{ mcpServers(sort: NAME, first: 1, after: "${cursor}", filter: { query: "sorted" }) { edges { node { name } } } }`,
    )
    expect(next.mcpServers.edges).toEqual([{ node: { name: 'B sorted' } }])
    expect((await refusal(`{ mcpServers(sort: NEWEST, after: "${cursor}") { totalCount } }`)).code).toBe('BAD_USER_INPUT')
    expect((await refusal(`{ search(query: "sorted", after: "${cursor}") { totalCount } }`)).code).toBe('BAD_USER_INPUT')
    const { mine } = await ask('{ mine: mcpServers(filter: { owner: "Sorted" }) { totalCount } }')
    expect(mine.totalCount).toBe(4)
    const { verified, others } = await ask(
      `{ verified: mcpServers(filter: { query: "sorted", verified: true }) { totalCount edges { node { name itemTrust { parts { subject level } } } } }
         others: mcpServers(filter: { query: "sorted", verified: false }) { totalCount } }`,
    )
    expect([verified.totalCount, others.totalCount]).toEqual([1, 3])
    // The same as the trust of the item says.
    expect(verified.edges[0].node).toMatchObject({
      name: 'a sorted',
      itemTrust: { parts: expect.arrayContaining([{ subject: 'PUBLISHER', level: 'GOOD' }]) },
    })
    const { skills } = await ask('{ skills(sort: NEWEST, first: 1) { edges { node { name } } } }')
    expect(skills.edges).toEqual([{ node: { name: 'c sorted' } }])
  })

  test.each([
    ['keyless: true', ['a sorted']],
    ['keyless: false', ['B sorted', 'copy one', 'copy two']],
    ['location: REMOTE', ['a sorted']],
    ['location: LOCAL', ['B sorted']],
    ['transport: "streamable-http"', ['a sorted']],
    ['official: true', []],
    ['verified: true', ['a sorted']],
    ['verified: false', ['B sorted', 'copy one', 'copy two']],
    ['tag: "odd"', ['c sorted']],
    ['owner: "SORTED"', ['a sorted', 'B sorted', 'copy one', 'copy two']],
    ['owner: "sorted", verified: true', ['a sorted']],
    ['owner: "sort"', []],
    ['tag: "odd", official: false', []],
    ['license: "permissive"', ['B sorted', 'copy one']],
    ['license: "Copyleft"', ['c sorted', 'copy one']],
    ['license: "mit"', ['copy one']],
    ['license: "GPL-2.0-only"', ['copy one']],
    [`license: "(${EITHER})"`, ['copy one']],
    ['license: "MIT AND GPL-2.0-only"', []],
    ['license: "APACHE-2.0"', ['B sorted']],
    ['license: "unknown", location: REMOTE', ['a sorted']],
    ['license: "GPL-3.0"', []],
  ])('{ %s } lets through what it says', async (filter, expected) => {
    expect(await names('NAME', `, filter: { ${filter} }`)).toEqual(expected)
  })

  test('every list has the filter by licence, and refuses what is none', async () => {
    const fields = '{ edges { node { license licenseFamily } } }'
    const { mcpServers, plugins, skills } = await ask(
      `{ mcpServers(filter: { query: "sorted", license: "apache-2.0" }) ${fields}
         plugins(filter: { query: "sorted", license: "permissive" }) ${fields}
         skills(filter: { query: "sorted", license: "copyleft" }) ${fields} }`,
    )
    expect(mcpServers.edges).toEqual([{ node: { license: 'Apache-2.0', licenseFamily: 'PERMISSIVE' } }])
    expect(plugins.edges).toEqual([])
    expect(skills.edges).toEqual([{ node: { license: 'GPL-3.0-or-later', licenseFamily: 'COPYLEFT' } }])
    for (const list of ['search(query: "sorted"', 'mcpServers(first: 1', 'plugins(first: 1', 'skills(first: 1'])
      for (const wanted of ['', 'MIT OR ', 'MIT ISC', '(MIT', '__proto__', 'x'.repeat(61)])
        expect(await refusal(`{ ${list}, filter: { license: "${wanted}" }) { totalCount } }`)).toMatchObject({
          code: 'BAD_USER_INPUT',
          message: expect.stringContaining('"filter.license"'),
        })
  })

  test('items are read by their ids, in that order, each once', async () => {
    const { search } = await ask('{ search(query: "sorted") { edges { node { id name } } } }')
    const [one, two] = search.edges.map(({ node }: Data) => node)
    const { directoryItems } = await ask(`{ directoryItems(ids: ["${two.id}", "nothing", "${one.id}"]) { id name } }`)
    expect(directoryItems).toEqual([two, null, one])
    for (const ids of [[], [one.id, one.id], Array.from({ length: 11 }, (_, at) => `i${at}`)])
      expect(await refusal(`{ directoryItems(ids: ${JSON.stringify(ids)}) { id } }`)).toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  test('copies with the same description are grouped under the first, which is not the deprecated one', async () => {
    const { search } = await ask(
      '{ search(query: "sorted", groupSimilar: true) { totalCount edges { similarCount node { name } } } }',
    )
    expect(search.totalCount).toBe(4)
    expect(search.edges.filter(({ similarCount }: Data) => similarCount > 0)).toEqual([
      { similarCount: 1, node: { name: 'copy two' } },
    ])
  })

  test('the parts of a score sum up to what results are ordered by', async () => {
    const { search } = await ask(
      '{ search(query: "sorted") { edges { score { total text popularity official trust metadata deprecated } } } }',
    )
    const totals = search.edges.map(({ score: { total, ...parts } }: Data) => {
      expect(Object.values<number>(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total, 6)
      return total
    })
    expect(totals).toEqual([...totals].sort((one: number, other: number) => other - one))
    expect(search.edges.at(-1).score.deprecated).toBeLessThan(0)
  })

  test('of servers that match alike, a verified publisher leads and a downloaded script is last', async () => {
    const install = (command: string) => ({ installations: [{ command, transport: 'stdio' }] })
    await putItems(connection, [
      aServer('t/a-script', { name: 'trusted', detail: install('curl https://a.example/install | sh') }),
      aServer('t/b-plain', { name: 'trusted', detail: install('npx some-server') }),
      aServer('t/c-pinned', { name: 'trusted', detail: install('npx some-server@1.2.3') }),
      aServer('t/d-verified', {
        name: 'trusted',
        detail: { ...install('npx some-server@1.2.3'), registered: { name: 'io.github.t/d', version: null } },
      }),
      aServer('t/e-root', { name: 'trusted', detail: install('sudo npx some-server') }),
    ])
    await eventually('{ search(query: "trusted", first: 1) { totalCount } }', { search: { totalCount: 5 } })
    const { search } = await ask('{ search(query: "trusted") { edges { score { trust } node { ... on McpServer { repo } } } } }')
    expect(search.edges.map(({ node, score }: Data) => [node.repo, score.trust])).toEqual([
      ['d-verified', 4],
      ['c-pinned', 1],
      ['b-plain', 0],
      ['e-root', -3],
      ['a-script', -8],
    ])
    await removeItems(connection, ['t/a-script', 't/b-plain', 't/c-pinned', 't/d-verified', 't/e-root'])
  })
})
