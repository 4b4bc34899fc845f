import { graphql } from 'graphql'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { directorySubgraph } from '../../../subgraphs/directory/subgraph.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { aPlugin, aServer, aSkill, putItems } from '../../support/items.ts'

const caller = { requestId: 'test', address: '127.0.0.1', credentials: {} }

let database: FreshDatabase
let subgraph: Subgraph
beforeAll(async () => {
  database = await freshDatabase()
  await putItems(database.connection, [
    aServer('acme/tools', { category: 'Databases', tags: ['acme', 'sql'], popularity: 1 }),
    aServer('acme/other', {
      category: 'Finance',
      tags: [],
      popularity: 1,
      provenance: [{ field: 'name', source: 'acme/other (registry)', path: 'server.json' }],
    }),
    aServer('b/rare', { category: 'Databases', tags: ['acme'], popularity: 0 }),
    ...Array.from({ length: 100 }, (_, n) => aServer(`filler/${n}`, { category: 'Filler' })),
    aServer('lone/wolf', { detail: { repoUrl: 'https://wolves.example/lone/wolf' } }),
    ...Array.from({ length: 12 }, (_, n) => aServer(`many/sql-${n}`, { category: 'Databases', tags: ['sql'], popularity: n })),
  ])
  await putItems(database.connection, [
    aPlugin('market/acme', { category: 'Databases', tags: ['acme'], popularity: 900 }),
    aSkill('pdf', { category: 'Documents', detail: { repoUrl: 'https://skills.example/pack/tree/main/pdf' } }),
    aSkill('docx', { category: 'Other', detail: { repoUrl: 'https://skills.example/pack/tree/main/docx' } }),
  ])
  subgraph = await directorySubgraph({
    connection: database.connection,
    publicUrl: 'https://atrium.example',
    log: pino({ level: 'silent' }),
  })
})
afterAll(async () => {
  await subgraph.close()
  await database.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
const run = async (source: string): Promise<any> =>
  graphql({ schema: subgraph.schema, source, contextValue: subgraph.context(caller) })
const ITEM = '... on McpServer { owner repo } ... on Plugin { marketplaceSlug slug } ... on Skill { slug }'
const keys = (items: Record<string, string>[]) => items.map((item) => Object.values(item).join('/'))
async function relatedTo(owner: string, repo: string, first = 3): Promise<string[]> {
  const { data } = await run(`{ mcpServer(owner: "${owner}", repo: "${repo}") { related(first: ${first}) { ${ITEM} } } }`)
  return keys(data.mcpServer.related)
}

test('rare tags relate more than common ones, across kinds; then the same author, then stars', async () => {
  const sql = Array.from({ length: 12 }, (_, n) => `many/sql-${11 - n}`)
  expect(await relatedTo('acme', 'tools', 25)).toEqual(['b/rare', 'market/acme', ...sql, 'acme/other'])
})

test('where nothing is alike there is nothing, and an item without tags has the best known of its category', async () => {
  expect(await relatedTo('lone', 'wolf')).toEqual([])
  expect(await relatedTo('acme', 'other', 2)).toEqual(['acme/tools'])
})

test('skills of one repository are related', async () => {
  const { data } = await run('{ skill(slug: "pdf") { related { ... on Skill { slug } } } }')
  expect(data.skill.related).toEqual([{ slug: 'docx' }])
})

test('what was imported last is newest, and equal times stand in one order', async () => {
  const { data } = await run(`{ newestItems(first: 5) { ${ITEM} } }`)
  expect(keys(data.newestItems)).toEqual(['market/acme', 'docx', 'pdf', 'acme/other', 'acme/tools'])
})

test.each([
  ['{ newestItems(first: 0) { id } }', '1 to 100'],
  ['{ newestItems(first: 101) { id } }', '1 to 100'],
  ['{ mcpServer(owner: "acme", repo: "tools") { related(first: 26) { id } } }', '1 to 25'],
])('%s is refused', async (source, expectation) => {
  const { errors } = await run(source)
  expect(errors?.[0]).toMatchObject({
    message: expect.stringContaining(expectation),
    extensions: { code: 'BAD_USER_INPUT', argument: 'first' },
  })
})

test('the sources of the values of items are read when they are wanted, each for its own item', async () => {
  const { data } = await run(`{ other: mcpServer(owner: "acme", repo: "other") { provenance { field source path } }
    tools: mcpServer(owner: "acme", repo: "tools") { provenance { field } } }`)
  expect(data).toEqual({
    other: { provenance: [{ field: 'name', source: 'acme/other (registry)', path: 'server.json' }] },
    tools: { provenance: [] },
  })
})
