import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGateway } from '../../../../gateway/library/create-gateway.ts'
import { compose } from '../../../../gateway/planning/composition.ts'
import { recordingLog } from '../../support/graph.ts'
import { type SourceServer, startSourceServer } from '../../support/source-server.ts'

const FEDERATION = '@link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])'
const SHELF = parse(`extend schema ${FEDERATION}
type Query { book: Book work: Work either: Either books: [Book!] shelves: [[Book]] }
interface Work { title: String }
type Book implements Work @key(fields: "id") { id: ID! title: String pages: Int price: Float isNew: Boolean genre: Genre }
type Film implements Work { title: String minutes: Int }
union Either = Book | Film
enum Genre { POEM NOVEL }`)
const STOCK = parse(`extend schema ${FEDERATION}
type Book @key(fields: "id") { id: ID! stock: Int shelf: String! }`)

const SECRET = 'what-only-the-subgraph-knows'

let shelf: SourceServer
let stock: SourceServer
let gateway: Awaited<ReturnType<typeof createGateway>>
/** Bodies as texts: some of them no JSON writer would write. */
let shelfBody = ''
let stockBody = ''

beforeAll(async () => {
  const headers = { 'content-type': 'application/json', 'set-cookie': `session=${SECRET}`, 'cache-control': 'public, max-age=60' }
  shelf = await startSourceServer(({ response }) => void response.writeHead(200, headers).end(shelfBody))
  stock = await startSourceServer(({ response }) => void response.writeHead(200, headers).end(stockBody))
  const supergraph = compose([
    { name: 'shelf', url: shelf.url, typeDefs: SHELF },
    { name: 'stock', url: stock.url, typeDefs: STOCK },
  ])
  gateway = await createGateway({ supergraph, log: recordingLog().log })
})
afterAll(async () => {
  await gateway?.close()
  for (const server of [shelf, stock]) server?.close()
})

async function ask(query: string) {
  const request = new Request('http://host.example/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const response = await gateway.fetch(request)
  const text = await response.text()
  expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null])
  expect(text).not.toContain(SECRET)
  const { data, errors } = JSON.parse(text)
  return { data, codes: (errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code) }
}

type Row = {
  readonly lie: string
  readonly query: string
  readonly body: string
  readonly data: unknown
  readonly errors: number
}

const book = (fields: string) => `{"data":{"book":{"__typename":"Book","id":"1",${fields}}}}`
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** One subgraph, and fields of which it alone knows. */
const VALUES: readonly Row[] = [
  {
    lie: 'a text for an Int',
    query: '{ book { pages } }',
    body: book(`"pages":"${SECRET}"`),
    data: { book: { pages: null } },
    errors: 1,
  },
  {
    lie: 'a fraction for an Int',
    query: '{ book { pages } }',
    body: book('"pages":1.5'),
    data: { book: { pages: null } },
    errors: 1,
  },
  {
    lie: 'a number beyond 32 bits for an Int',
    query: '{ book { pages } }',
    body: book('"pages":1e300'),
    data: { book: { pages: null } },
    errors: 1,
  },
  {
    lie: 'a number beyond every Float',
    query: '{ book { price } }',
    body: book('"price":1e999'),
    data: { book: { price: null } },
    errors: 1,
  },
  {
    lie: 'an object for a Float',
    query: '{ book { price } }',
    body: book(`"price":{"a":"${SECRET}"}`),
    data: { book: { price: null } },
    errors: 1,
  },
  {
    lie: 'a text for a Boolean',
    query: '{ book { isNew } }',
    body: book('"isNew":"true"'),
    data: { book: { isNew: null } },
    errors: 1,
  },
  {
    lie: 'a value that the enum lacks',
    query: '{ book { genre } }',
    body: book(`"genre":"${SECRET}"`),
    data: { book: { genre: null } },
    errors: 1,
  },
  {
    lie: 'an object for a String',
    query: '{ book { title } }',
    body: book(`"title":{"toString":"${SECRET}"}`),
    data: { book: { title: null } },
    errors: 1,
  },
  {
    lie: 'a list for an object',
    query: '{ book { title } }',
    body: `{"data":{"book":[{"title":"${SECRET}"}]}}`,
    data: { book: null },
    errors: 1,
  },
  {
    lie: 'an object for a list',
    query: '{ books { title } }',
    body: `{"data":{"books":{"title":"${SECRET}"}}}`,
    data: { books: null },
    errors: 1,
  },
  {
    lie: 'null in a list that has none',
    query: '{ books { title } }',
    body: '{"data":{"books":[{"title":"a"},null]}}',
    data: { books: null },
    errors: 1,
  },
  {
    lie: 'a list of 10,000 levels',
    query: '{ shelves { title } }',
    body: `{"data":{"shelves":${nested(10_000)}}}`,
    data: { shelves: [[null]] },
    errors: 1,
  },
  {
    lie: 'fields that were not selected',
    query: '{ book { title } }',
    body: `{"data":{"book":{"title":"a","password":"${SECRET}"},"admin":"${SECRET}"},"extensions":{"debug":"${SECRET}"}}`,
    data: { book: { title: 'a' } },
    errors: 0,
  },
  {
    lie: 'names of the prototype of objects',
    query: '{ book { title } }',
    body: `{"data":{"__proto__":{"book":{"title":"${SECRET}"}},"book":{"__proto__":{"title":"${SECRET}"},"constructor":{"prototype":{"title":"${SECRET}"}}}}}`,
    data: { book: { title: null } },
    errors: 0,
  },
  {
    lie: '__typename of another type',
    query: '{ work { title __typename } }',
    body: `{"data":{"work":{"__typename":"Query","title":"${SECRET}"}}}`,
    data: { work: null },
    errors: 1,
  },
  {
    lie: '__typename that is no type',
    query: '{ either { ... on Book { title } __typename } }',
    body: `{"data":{"either":{"__typename":"${SECRET}","title":"a"}}}`,
    data: { either: null },
    errors: 1,
  },
  {
    lie: 'an abstract type as __typename',
    query: '{ work { title __typename } }',
    body: `{"data":{"work":{"__typename":"Work","title":"${SECRET}"}}}`,
    data: { work: null },
    errors: 1,
  },
  {
    lie: 'no __typename where one was selected',
    query: '{ either { ... on Book { title } } }',
    body: `{"data":{"either":{"title":"${SECRET}"}}}`,
    data: { either: null },
    errors: 1,
  },
  {
    lie: '__typename that is a list',
    query: '{ work { title } }',
    body: `{"data":{"work":{"__typename":["Book"],"title":"${SECRET}"}}}`,
    data: { work: null },
    errors: 1,
  },
]

const UNSTOCKED = {
  books: [
    { title: 'a', stock: null },
    { title: 'b', stock: null },
  ],
}
/** `_entities` of the second subgraph; the first one says the truth. */
const ENTITIES: readonly Row[] = [
  {
    lie: 'fewer entities than representations',
    query: '{ books { title stock } }',
    body: '{"data":{"_entities":[{"__typename":"Book","stock":1}]}}',
    data: UNSTOCKED,
    errors: 1,
  },
  {
    lie: 'more entities than representations',
    query: '{ books { title stock } }',
    body: `{"data":{"_entities":[{"stock":1},{"stock":2},{"stock":3,"a":"${SECRET}"}]}}`,
    data: UNSTOCKED,
    errors: 1,
  },
  {
    lie: 'entities that are no list',
    query: '{ books { title stock } }',
    body: `{"data":{"_entities":{"0":{"stock":1},"length":2,"a":"${SECRET}"}}}`,
    data: UNSTOCKED,
    errors: 1,
  },
  {
    lie: 'entities that are texts',
    query: '{ books { title stock } }',
    body: `{"data":{"_entities":["${SECRET}","${SECRET}"]}}`,
    data: UNSTOCKED,
    errors: 2,
  },
  {
    lie: 'an entity that is a list',
    query: '{ books { title stock } }',
    body: `{"data":{"_entities":[["${SECRET}"],{"stock":2}]}}`,
    data: {
      books: [
        { title: 'a', stock: null },
        { title: 'b', stock: 2 },
      ],
    },
    errors: 1,
  },
  {
    lie: 'a text for a field of an entity',
    query: '{ books { title stock } }',
    body: `{"data":{"_entities":[{"stock":"${SECRET}"},{"stock":2}]}}`,
    data: {
      books: [
        { title: 'a', stock: null },
        { title: 'b', stock: 2 },
      ],
    },
    errors: 1,
  },
]

describe('a subgraph that sends', () => {
  test.each(VALUES)('$lie: no value of it reaches the client', async ({ query, body, data, errors }) => {
    shelfBody = body
    expect(await ask(query)).toEqual({ data, codes: Array(errors).fill('INVALID_SUBGRAPH_ANSWER') })
  })

  test.each(ENTITIES)(
    '$lie: no value of it reaches the client, and fields of other subgraphs stay',
    async ({ query, body, data, errors }) => {
      shelfBody = '{"data":{"books":[{"__typename":"Book","id":"1","title":"a"},{"__typename":"Book","id":"2","title":"b"}]}}'
      stockBody = body
      expect(await ask(query)).toEqual({ data, codes: Array(errors).fill('INVALID_SUBGRAPH_ANSWER') })
    },
  )
})
