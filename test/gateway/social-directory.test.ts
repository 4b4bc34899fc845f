import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import { trustSubgraph } from '../../subgraphs/trust/subgraph.ts'
import { ANONYMOUS, type Social, startSocial, type TestUser } from '../subgraphs/social/support/social.ts'
import { fixedSources } from '../subgraphs/trust/support/trust.ts'
import { temporaryFiles } from '../support/files.ts'
import { aPlugin, aServer, aSkill, putItems, removeItems } from '../support/items.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

const log = pino({ level: 'silent' })
const { signal } = new AbortController()

let social: Social
let directory: Subgraph
let store: Subgraph
let trust: Subgraph
let gateway: Gateway
let ann: TestUser
beforeAll(async () => {
  social = await startSocial()
  const { connection } = social.database
  await putItems(connection, [aServer('acme/tools'), aPlugin('market/helper'), aSkill('pdf')])
  directory = await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log })
  store = await storeSubgraph({ connection, publicUrl: 'https://atrium.example', files: await temporaryFiles(), log })
  trust = await trustSubgraph({ connection, log, sources: fixedSources(() => new Date()) })
  gateway = await startGateway({
    supergraphSdl: readFileSync(join(import.meta.dirname, '../../schema/supergraph.graphql'), 'utf8'),
    links: [directory, social.subgraph, store, trust].map(createLocalLink),
    limits: { depth: 0, cost: 0 },
    log,
    responseCacheBytes: 1_000_000,
  })
  ann = await social.aUser({ name: 'Ann' })
})
afterAll(async () => {
  await gateway.close()
  await directory.close()
  await store.close()
  await trust.close()
  await social.close()
})

async function ask(query: string, variables: Record<string, unknown> = {}, caller: Caller = ann.caller): Promise<Data> {
  const { data, errors } = await run(query, variables, caller)
  expect(errors).toBeUndefined()
  return data
}
async function run(query: string, variables: Record<string, unknown> = {}, caller: Caller = ann.caller): Promise<Data> {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  return JSON.parse(JSON.stringify(await prepared.run(variables, { caller, signal })))
}
const WRITE = `mutation ($title: String!, $about: ID, $published: Boolean) {
  createPost(input: { title: $title, content: "C", published: $published, aboutId: $about }) { ... on CreatePostSuccess { post { about { __typename id name } } } } }`
const write = (title: string, about: string, published = true) => ask(WRITE, { title, about, published })

test('every kind of item has posts, and every post links its item, across two subgraphs', async () => {
  const ITEMS = `{ mcpServer(owner: "acme", repo: "tools") { id name posts { ...Posts } } plugin(marketplaceSlug: "market", slug: "helper") { id name posts { ...Posts } }
    skill(slug: "pdf") { id name posts { ...Posts } } }
    fragment Posts on PostConnection { totalCount edges { node { title author { name } about { __typename name ... on McpServer { owner } ... on Skill { slug } } } } }`
  const items: Data = await ask(ITEMS)
  const types = { mcpServer: 'McpServer', plugin: 'Plugin', skill: 'Skill' } as const
  for (const [field, type] of Object.entries(types)) {
    const { id, name } = items[field]
    const { createPost } = await write(`About ${type}`, id)
    expect(createPost.post.about).toEqual({ __typename: type, id, name })
    await write('Draft', id, false)
  }
  const written: Data = await ask(ITEMS, {}, ANONYMOUS)
  for (const [field, type] of Object.entries(types)) {
    const { totalCount, edges } = written[field].posts
    expect([totalCount, edges.map(({ node }: Data) => node)]).toEqual([
      1,
      [
        {
          title: `About ${type}`,
          author: { name: 'Ann' },
          about: {
            __typename: type,
            name: items[field].name,
            ...(type === 'McpServer' && { owner: 'acme' }),
            ...(type === 'Skill' && { slug: 'pdf' }),
          },
        },
      ],
    ])
  }
})

test('a list of items gets the posts of all of them, and a feed the items', async () => {
  const { search }: Data = await ask('{ search(query: "pdf") { edges { node { __typename posts { totalCount } } } } }')
  expect(search.edges[0].node).toEqual({ __typename: 'Skill', posts: { totalCount: 1 } })
  const { feed }: Data = await ask(
    '{ feed { edges { node { about { __typename ... on Plugin { marketplaceSlug } ... on DirectoryItem { description } } } } } }',
  )
  expect(feed.edges.map(({ node }: Data) => node.about.__typename).sort()).toEqual(['McpServer', 'Plugin', 'Skill'])
})

test('an item that is gone, or never was, is null, and only it', async () => {
  const { data, errors }: Data = await run(WRITE, { title: 'About nothing', about: 'bm90aGluZw', published: true })
  expect(data.createPost.post).toEqual({ about: null })
  expect(errors).toEqual([
    {
      message: 'There is no item of the directory with the id "bm90aGluZw".',
      path: ['createPost', 'post', 'about'],
      extensions: { code: 'NOT_FOUND' },
    },
  ])
  for (const selection of ['__typename id', 'url', 'id name ... on Skill { slug }', 'name posts { totalCount }']) {
    const { data, errors }: Data = await run(`{ feed(first: 1) { edges { node { title about { ${selection} } } } } }`)
    expect(data.feed.edges[0].node).toEqual({ title: 'About nothing', about: null })
    expect(errors).toMatchObject([{ path: ['feed', 'edges', 0, 'node', 'about'], extensions: { code: 'NOT_FOUND' } }])
  }
  const ids = '{ feed(first: 1) { edges { node { about { id } } } } }'
  expect((await ask(ids)).feed.edges[0].node).toEqual({ about: { id: 'bm90aGluZw' } })
  await removeItems(social.database.connection, ['pdf'])
  for (;;) {
    const { data, errors }: Data = await run('{ feed { edges { node { title about { name } } } } }')
    const posts: Data = Object.fromEntries(data.feed.edges.map(({ node }: Data) => [node.title, node.about]))
    expect(posts['About McpServer']).not.toBeNull()
    if (posts['About Skill'] !== null) continue
    // Each says why, at its place.
    expect(errors.map(({ path, extensions }: Data) => [path.at(-1), extensions.code])).toEqual(
      Array(2).fill(['about', 'NOT_FOUND']),
    )
    break
  }
})

test('a user is found by reference', async () => {
  // The item of one of these posts is gone.
  const { data }: Data = await run(
    '{ me { name posts(limit: 1) { about { ... on Plugin { name } } comments { author { name } } } } }',
  )
  expect(data.me.name).toBe('Ann')
})

test('an answer about the directory is kept until an import changes it, and no longer', async () => {
  const { connection } = social.database
  await putItems(connection, [aServer('acme/kept', { name: 'Before' })])
  const QUERY = '{ mcpServer(owner: "acme", repo: "kept") { title } }'
  const read = async (): Promise<string> => {
    const prepared = gateway.prepareText(QUERY, undefined)
    if (prepared.kind === 'rejected' || !prepared.answer) throw new Error('Expected a query whose answer may be kept.')
    const answer = await prepared.answer({}, { caller: ANONYMOUS, signal })
    return 'bytes' in answer ? String((await answer.bytes.encoded(null)).bytes) : ''
  }
  const until = async (name: string) => {
    while (!(await read()).includes(`"${name}"`)) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await until('Before')
  expect(gateway.cache.entries()).toBe(1)
  await putItems(connection, [aServer('acme/kept', { name: 'After' })])
  // An answer that is kept for a minute would outlast the test.
  await until('After')
  await removeItems(connection, ['acme/kept'])
})
