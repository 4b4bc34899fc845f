import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { graphql, parse } from 'graphql'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallerGrants } from '../../../gateway/authorization/authorization.ts'
import { NO_GRANTS } from '../../../gateway/authorization/authorization.ts'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import type { RequestContext } from '../../../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { CALLER, recordingLog } from '../support/graph.ts'
import { followed } from '../support/subscription-reader.ts'

const ROOT = join(import.meta.dirname, '../../..')

const LIBRARY_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@authenticated", "@requiresScopes", "@policy", "@tag"])
  scalar Secret @requiresScopes(scopes: [["secrets"]])
  type Query {
    books(first: Int = 3): [Book!]!
    book(id: ID!): Book
    reader: Reader
    account: Account @authenticated
    search: [Hit!]!
    owned: [Owned]
    found: [Found]!
    vault: Vault
    staff: String @requiresScopes(scopes: [["staff", "payroll"], ["admin"]])
    audit: String @policy(policies: [["auditor"]]) @authenticated
    open: String!
  }
  type Mutation {
    publish(title: String!): PublishPayload
    burn(id: ID!): String @requiresScopes(scopes: [["admin"]])
  }
  type Subscription { published: Book @tag(name: "viewer") guarded: Reader @tag(name: "viewer") }
  type PublishPayload { book: Book! reader: Reader }
  type Book @key(fields: "id") { id: ID! title: String! reader: Reader mustHave: Reader! price: Int @requiresScopes(scopes: [["prices"]]) code: Secret }
  type Reader @key(fields: "id") @requiresScopes(scopes: [["readers"]]) { id: ID! name: String! books: [Book!]! }
  type Account { name: String! }
  union Hit = Book | Reader
  union Found = Pen | Diary
  interface Owned { id: ID! }
  type Pen implements Owned { id: ID! ink: String }
  type Diary implements Owned @requiresScopes(scopes: [["diaries"]]) { id: ID! text: String }
  type Vault @policy(policies: [["auditor"]]) { gold: Int }
`
const REVIEWS_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requiresScopes"])
  type Query { reviewCount: Int! }
  type Book @key(fields: "id") { id: ID! reviews: [Review!]! }
  type Review { text: String! by: String @requiresScopes(scopes: [["readers"]]) }
`

type Graph = {
  readonly gateway: Gateway
  /** Names of resolvers that ran, in their order. */
  readonly ran: string[]
  /** Grants of whoever asks, by credentials; tests change them. */
  readonly grants: Map<string, CallerGrants>
  readonly publish: (book: object) => void
}

function subgraphsOf(ran: string[], listeners: Set<(book: object) => void>): readonly Subgraph[] {
  const noted =
    <Value>(name: string, value: Value) =>
    () => {
      ran.push(name)
      return value
    }
  const book = (id: string) => ({ __typename: 'Book', id, title: `Book ${id}`, price: 10, code: `code ${id}` })
  const things = [
    { __typename: 'Pen', id: '1', ink: 'blue' },
    { __typename: 'Diary', id: '2', text: 'dear' },
  ]
  const reader = { __typename: 'Reader', id: 'r', name: 'Rita', books: [] }
  const subscribe = () => {
    const waiting: object[] = []
    let wake: ((result: IteratorResult<object>) => void) | null = null
    const push = (each: object) => {
      if (wake) wake({ done: false, value: each })
      else waiting.push(each)
      wake = null
    }
    listeners.add(push)
    const iterator = {
      next: async (): Promise<IteratorResult<object>> => {
        const first = waiting.shift()
        return first ? { done: false, value: first } : new Promise((resolve) => (wake = resolve))
      },
      return: async () => {
        listeners.delete(push)
        return { done: true as const, value: undefined }
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }
  const library = {
    typeDefs: parse(LIBRARY_SDL),
    resolvers: {
      Query: {
        books: (_: unknown, { first }: { first: number }) => ['a', 'b', 'c'].slice(0, first).map(book),
        book: (_: unknown, { id }: { id: string }) => book(id),
        reader: noted('Query.reader', reader),
        account: noted('Query.account', { name: 'Ann' }),
        search: () => [book('a'), reader, book('b')],
        owned: noted('Query.owned', things),
        found: () => things,
        vault: noted('Query.vault', { gold: 7 }),
        staff: noted('Query.staff', 'staff'),
        audit: noted('Query.audit', 'audit'),
        open: () => 'open',
      },
      Mutation: {
        publish: (_: unknown, { title }: { title: string }) => {
          ran.push('Mutation.publish')
          return { book: { ...book('n'), title }, reader }
        },
        burn: noted('Mutation.burn', 'burnt'),
      },
      Subscription: {
        published: { subscribe, resolve: (event: object) => event },
        guarded: { subscribe, resolve: () => reader },
      },
      Book: {
        __resolveReference: ({ id }: { id: string }) => book(id),
        reader: noted('Book.reader', reader),
        mustHave: noted('Book.mustHave', reader),
        price: noted('Book.price', 10),
      },
      Reader: { __resolveReference: () => reader },
    },
  }
  const reviews = {
    typeDefs: parse(REVIEWS_SDL),
    resolvers: {
      Query: { reviewCount: () => 1 },
      Book: {
        __resolveReference: ({ id }: { id: string }) => ({ id }),
        reviews: ({ id }: { id: string }) => [{ text: `On ${id}`, by: 'Rita' }],
      },
      Review: { by: noted('Review.by', 'Rita') },
    },
  }
  return [
    { name: 'library', parts: library },
    { name: 'reviews', parts: reviews },
  ].map(({ name, parts }) => ({
    name,
    schema: buildSubgraphSchema([parts as never]),
    context: (caller) => ({ caller }),
    ready: async () => {},
    close: async () => {},
  }))
}

const supergraphSdl = (urls: { readonly library?: string; readonly reviews?: string } = {}) =>
  compose([
    { name: 'library', typeDefs: parse(LIBRARY_SDL), ...(urls.library && { url: urls.library }) },
    { name: 'reviews', typeDefs: parse(REVIEWS_SDL), ...(urls.reviews && { url: urls.reviews }) },
  ])

const holding = (given: {
  readonly scopes?: readonly string[]
  readonly policies?: readonly string[]
  readonly known?: boolean
}) => ({
  ...NO_GRANTS,
  isAuthenticated: given.known ?? true,
  scopes: new Set(given.scopes ?? []),
  policies: new Set(given.policies ?? []),
})

async function startLibrary(): Promise<Graph> {
  const ran: string[] = []
  const grants = new Map<string, CallerGrants>()
  const listeners = new Set<(book: object) => void>()
  const gateway = await startGateway({
    supergraphSdl: supergraphSdl(),
    links: subgraphsOf(ran, listeners).map(createLocalLink),
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
    responseCacheBytes: 1_000_000,
    grantsOver:
      () =>
      ({ caller }) =>
        grants.get(caller.credentials.authorization ?? '') ?? NO_GRANTS,
  })
  return {
    gateway,
    ran,
    grants,
    publish: (book) => {
      for (const push of listeners) push(book)
    },
  }
}

const as = (who: string): RequestContext => ({
  caller: { ...CALLER, credentials: who === '' ? {} : { authorization: who } },
  signal: new AbortController().signal,
})

type Answer = {
  readonly data?: Record<string, unknown> | null
  readonly errors?: { readonly message: string; readonly path?: unknown[]; readonly extensions: Record<string, unknown> }[]
}

async function answerTo(graph: Graph, query: string, who = ''): Promise<Answer> {
  graph.ran.length = 0
  const prepared = graph.gateway.prepareText(query, undefined)
  const answer = prepared.kind === 'rejected' ? { errors: prepared.errors } : await prepared.run({}, as(who))
  return JSON.parse(JSON.stringify(answer))
}

const codesOf = ({ errors = [] }: Answer) => errors.map(({ path, extensions }) => [path?.join('.'), extensions.code])
const REFUSED = 'UNAUTHORIZED_FIELD_OR_TYPE'

describe('authorization directives of any supergraph', () => {
  let graph: Graph
  beforeAll(async () => {
    graph = await startLibrary()
    graph.grants.set('readers', holding({ scopes: ['readers'] }))
    graph.grants.set('all', holding({ scopes: ['readers', 'prices', 'secrets', 'diaries', 'admin'], policies: ['auditor'] }))
  })
  afterAll(() => graph.gateway.close())

  test('a field without its scope is null with an error that names the scope, and is not fetched', async () => {
    const answer = await answerTo(graph, '{ books(first: 2) { title price } open }')
    expect(answer.data).toEqual({
      books: [
        { title: 'Book a', price: null },
        { title: 'Book b', price: null },
      ],
      open: 'open',
    })
    expect(answer.errors).toEqual(
      [0, 1].map((index) => ({
        message: 'Not authorized to read Book.price: expected credentials with the scope "prices".',
        path: ['books', index, 'price'],
        extensions: { code: REFUSED, requiredScopes: [['prices']] },
      })),
    )
    expect(graph.ran).not.toContain('Book.price')
    expect((await answerTo(graph, '{ books(first: 1) { price } }', 'all')).data).toEqual({ books: [{ price: 10 }] })
    expect(graph.ran).toContain('Book.price')
  })

  test('a type is refused wherever it is reached, also from another subgraph', async () => {
    const answer = await answerTo(graph, '{ reader { name } book(id: "a") { reader { name } reviews { text by } } }')
    expect(answer.data).toEqual({ reader: null, book: { reader: null, reviews: [{ text: 'On a', by: null }] } })
    expect(codesOf(answer)).toEqual([
      ['reader', REFUSED],
      ['book.reader', REFUSED],
      ['book.reviews.0.by', REFUSED],
    ])
    expect(graph.ran).toEqual([])
    const allowed = await answerTo(graph, '{ reader { name } book(id: "a") { reader { name } reviews { text by } } }', 'readers')
    expect(allowed.data).toEqual({
      reader: { name: 'Rita' },
      book: { reader: { name: 'Rita' }, reviews: [{ text: 'On a', by: 'Rita' }] },
    })
  })

  test('a refused field that may not be null takes its nearest nullable parent along, and one error says why', async () => {
    const answer = await answerTo(graph, '{ book(id: "a") { title mustHave { name } } open }')
    expect([answer.data, codesOf(answer)]).toEqual([{ book: null, open: 'open' }, [['book.mustHave', REFUSED]]])
  })

  test('members of unions keep their own demands; an interface has those of all its types, as composition writes them', async () => {
    const hits = '{ found { ... on Pen { id ink } ... on Diary { id text } } }'
    const answer = await answerTo(graph, hits)
    expect(answer.data).toEqual({ found: [{ id: '1', ink: 'blue' }, null] })
    expect(codesOf(answer)).toEqual([['found.1', REFUSED]])
    const owned = await answerTo(graph, '{ owned { id } }')
    expect([owned.data, codesOf(owned), graph.ran]).toEqual([{ owned: null }, [['owned', REFUSED]], []])
    expect((await answerTo(graph, hits, 'all')).data).toEqual({
      found: [
        { id: '1', ink: 'blue' },
        { id: '2', text: 'dear' },
      ],
    })
    // The items of this list may not be null.
    expect((await answerTo(graph, '{ search { __typename ... on Book { title } } open }')).data).toBeNull()
  })

  test('a selection through a refused interface is refused at each object, and no error blames the subgraph', async () => {
    const codes = async (query: string) => {
      const answer = await answerTo(graph, query, 'readers')
      return [answer.data, codesOf(answer)]
    }
    expect(await codes('{ found { ... on Owned { ... on Pen { ink } } } }')).toEqual([
      { found: [{ ink: null }, null] },
      [
        ['found.0.ink', REFUSED],
        ['found.1', REFUSED],
      ],
    ])
    for (const query of [
      '{ found { ... on Owned { id } ... on Pen { ink } } }',
      '{ found { ...Named ... on Pen { ink } } } fragment Named on Owned { id }',
      '{ found { ... on Pen { ... on Owned { id } ink } } }',
    ]) {
      expect([query, await codes(query)]).toEqual([
        query,
        [
          { found: [null, null] },
          [
            ['found.0.id', REFUSED],
            ['found.1', REFUSED],
          ],
        ],
      ])
    }
  })

  test('a fragment on a refused type is not fetched, whatever its name', async () => {
    const query =
      'query { search { ...On } } fragment On on Hit { ... on Book { title } ...Name } fragment Name on Reader { name }'
    expect(codesOf(await answerTo(graph, query))).toEqual([['search.1', REFUSED]])
    expect((await answerTo(graph, query, 'readers')).data).toEqual({
      search: [{ title: 'Book a' }, { name: 'Rita' }, { title: 'Book b' }],
    })
  })

  test.each([
    ['staff alone is not enough', ['staff'], null],
    ['one whole group', ['staff', 'payroll'], 'staff'],
    ['the other group', ['admin'], 'staff'],
    ['none', [], null],
  ])('@requiresScopes is an OR of ANDs: %s', async (_, scopes, expected) => {
    graph.grants.set('group', holding({ scopes }))
    expect((await answerTo(graph, '{ staff }', 'group')).data).toEqual({ staff: expected })
  })

  test.each([
    ['nobody', holding({ known: false }), [null, null, null]],
    ['a signed-in caller', holding({}), [{ name: 'Ann' }, null, null]],
    [
      'one who meets the policy without being signed in',
      holding({ known: false, policies: ['auditor'] }),
      [null, null, { gold: 7 }],
    ],
    ['a signed-in auditor', holding({ policies: ['auditor'] }), [{ name: 'Ann' }, 'audit', { gold: 7 }]],
  ])('directives on one field all count: %s', async (_, grants, [account, audit, vault]) => {
    graph.grants.set('policy', grants)
    expect((await answerTo(graph, '{ account { name } audit vault { gold } }', 'policy')).data).toEqual({ account, audit, vault })
  })

  test('directives on a scalar apply to its fields', async () => {
    expect((await answerTo(graph, '{ book(id: "a") { code } }')).data).toEqual({ book: { code: null } })
    expect((await answerTo(graph, '{ book(id: "a") { code } }', 'all')).data).toEqual({ book: { code: 'code a' } })
  })

  test('the error of a refused field is at the key that the client chose', async () => {
    const answer = await answerTo(graph, '{ book(id: "a") { __proto__: price toString: title cost: price } }')
    expect(codesOf(answer)).toEqual([
      ['book.__proto__', REFUSED],
      ['book.cost', REFUSED],
    ])
    expect(answer.data).toEqual(JSON.parse('{"book":{"__proto__":null,"toString":"Book a","cost":null}}'))
  })

  test('a mutation without its scope does nothing; one of which only the answer is refused is carried out', async () => {
    const burn = await answerTo(graph, 'mutation { burn(id: "a") }')
    expect([burn.data, codesOf(burn), graph.ran]).toEqual([{ burn: null }, [['burn', REFUSED]], []])
    const publish = await answerTo(graph, 'mutation { publish(title: "T") { book { title } reader { name } } }')
    expect(publish.data).toEqual({ publish: { book: { title: 'T' }, reader: null } })
    expect(graph.ran).toEqual(['Mutation.publish'])
  })

  test('a facade is refused a mutation as a whole, before anything is done', async () => {
    const document = parse('mutation Publish { publish(title: "T") { book { title } reader { name } } }')
    await graph.gateway.client.prepare(document as never)
    graph.ran.length = 0
    const { caller, signal } = as('')
    const { data, errors } = await graph.gateway.client.run(document as never, {}, caller, signal)
    expect([data, errors.map(({ path, extensions }) => [path, extensions?.code]), graph.ran]).toEqual([
      null,
      [[['publish'], REFUSED]],
      [],
    ])
  })

  test('skipped fields are not refused', async () => {
    const answer = await answerTo(graph, '{ book(id: "a") { title price @skip(if: true) reader @include(if: false) { name } } }')
    expect(answer).toEqual({ data: { book: { title: 'Book a' } } })
  })

  test('introspection says what each type and field takes', async () => {
    const { data } = await answerTo(
      graph,
      '{ __type(name: "Query") { fields { name description } } reader: __type(name: "Reader") { description } }',
    )
    const { __type: query } = data as { __type: { fields: { name: string; description: string | null }[] } }
    expect(data?.reader).toEqual({ description: 'Requires the scope `readers`.' })
    expect(Object.fromEntries(query.fields.map(({ name, description }) => [name, description]))).toMatchObject({
      open: null,
      staff: 'Requires the scopes `staff` and `payroll` or the scope `admin`.',
      audit: 'Requires a signed-in caller, and the policy `auditor`.',
    })
  })

  test('introspection shows what is guarded, and needs nothing', async () => {
    const answer = await answerTo(graph, '{ __type(name: "Reader") { fields { name } } __typename }')
    expect(answer).toEqual({
      data: { __type: { fields: [{ name: 'id' }, { name: 'name' }, { name: 'books' }] }, __typename: 'Query' },
    })
  })

  test('a denied field reports the denial instead of a null error', async () => {
    const denial = { message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }
    graph.grants.set('expired', { ...NO_GRANTS, denial })
    const answer = await answerTo(graph, '{ reader { name } open }', 'expired')
    expect(answer).toEqual({ data: { reader: null, open: 'open' }, errors: [{ ...denial, path: ['reader'] }] })
  })

  test('a subscription is refused without the scope of its field, and ends when its caller loses a scope', async () => {
    const opened = async (query: string, who: string) => {
      const prepared = graph.gateway.prepareText(query, undefined)
      if (prepared.kind === 'rejected' || !prepared.subscribe) throw new Error('Expected a subscription.')
      return prepared.subscribe({}, as(who))
    }
    expect(await opened('subscription { guarded { name } }', '')).toMatchObject({
      kind: 'refused',
      errors: [{ path: ['guarded'], extensions: { code: REFUSED, requiredScopes: [['readers']] } }],
    })

    graph.grants.set('listener', holding({ scopes: ['prices'] }))
    const running = await opened('subscription { published { title price reader { name } } }', 'listener')
    if (running.kind !== 'open') throw new Error('Expected the subscription to be open.')
    const listener = followed(running.source)
    const next = listener.next()
    graph.publish({ __typename: 'Book', id: 'z', title: 'Z' })
    const payload = JSON.parse(JSON.stringify(await next))
    expect(payload.data).toEqual({ published: { title: 'Z', price: 10, reader: null } })
    expect(payload.errors.map(({ path }: { path: unknown[] }) => path)).toEqual([['published', 'reader']])

    graph.grants.set('listener', holding({ scopes: [] }))
    const ended = listener.next()
    graph.publish({ __typename: 'Book', id: 'y', title: 'Y' })
    expect(await ended).toMatchObject({ ended: [{ extensions: { code: REFUSED } }] })
    listener.return()
  })

  test('a subscriber does not get the denial of another', async () => {
    const denial = { message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }
    graph.grants.set('late', { ...NO_GRANTS, denial })
    graph.grants.set('plain', holding({}))
    const prepared = graph.gateway.prepareText('subscription { published { id price } }', undefined)
    if (prepared.kind === 'rejected' || !prepared.subscribe) throw new Error('Expected a subscription.')
    const listeners = []
    for (const who of ['late', 'plain']) {
      const opened = await prepared.subscribe({}, as(who))
      if (opened.kind !== 'open') throw new Error('Expected the subscription to be open.')
      listeners.push(followed(opened.source))
    }
    const results = listeners.map((listener) => listener.next())
    graph.publish({ __typename: 'Book', id: 'd', title: 'D' })
    const errors = (await Promise.all(results)).map((payload) => ('errors' in payload ? payload.errors?.[0] : null))
    expect(errors.map((error) => error?.extensions?.code)).toEqual(['UNAUTHENTICATED', REFUSED])
    for (const listener of listeners) listener.return()
  })

  test('a cached answer of one caller is not served to another who may not read it', async () => {
    const prepared = graph.gateway.prepareText('{ book(id: "c") { price } }', undefined)
    if (prepared.kind === 'rejected') throw new Error('Expected the query to be admitted.')
    const run = async (who: string) =>
      (await (prepared.answer ?? prepared.run)({}, as(who))) as { data?: unknown; payload?: Answer }
    expect(JSON.stringify(await run('all'))).toContain('10')
    expect(JSON.stringify(await run(''))).toContain(REFUSED)
  })
})

test.each([
  ['under another name', 'import: [{ name: "@requiresScopes", as: "@needs" }]', '@needs'],
  ['without an import', 'import: ["@key"]', '@federation__requiresScopes'],
  ['as it is called', 'import: ["@requiresScopes"]', '@requiresScopes'],
])('a directive that a subgraph uses %s is enforced', async (_, imported, directive) => {
  const typeDefs = parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", ${imported})
    type Query { secret: String ${directive}(scopes: [["x"]]) open: String }`)
  const schema = buildSubgraphSchema([{ typeDefs, resolvers: { Query: { secret: () => 'LEAKED', open: () => 'open' } } }])
  const gateway = await startGateway({
    supergraphSdl: compose([{ name: 'one', typeDefs }]),
    links: [createLocalLink({ name: 'one', schema, context: () => ({}), ready: async () => {}, close: async () => {} })],
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
  })
  const answer = await answerTo({ gateway, ran: [], grants: new Map(), publish: () => {} }, '{ secret open }')
  expect([answer.data, codesOf(answer)]).toEqual([{ secret: null, open: 'open' }, [['secret', REFUSED]]])
  await gateway.close()
})

test('a supergraph whose authorization directives are not understood is refused', async () => {
  const unknown = supergraphSdl().replaceAll(/@policy\(policies: \[\["auditor"\]\]\)/g, '')
  const starting = startGateway({ supergraphSdl: unknown, links: [], limits: DEFAULT_LIMITS, log: recordingLog().log })
  await expect(starting).rejects.toThrow(/policy\/v0\.1, to use its directive/)
})

test('without a source of grants, every guarded field is refused', async () => {
  const ran: string[] = []
  const gateway = await startGateway({
    supergraphSdl: supergraphSdl(),
    links: subgraphsOf(ran, new Set()).map(createLocalLink),
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
  })
  const answer = await answerTo(
    { gateway, ran, grants: new Map(), publish: () => {} },
    '{ account { name } staff open }',
    'Bearer x.y.z',
  )
  expect([answer.data, codesOf(answer).map(([, code]) => code)]).toEqual([
    { account: null, staff: null, open: 'open' },
    [REFUSED, REFUSED],
  ])
  await gateway.close()
})

describe('a gateway by itself', () => {
  const keys = generateKeyPairSync('ed25519')
  const others = generateKeyPairSync('ed25519')
  const folder = mkdtempSync(join(tmpdir(), 'atrium-jwt-'))
  let [server, process_, url]: [ReturnType<typeof createServer> | null, ChildProcess | null, string] = [null, null, '']

  beforeAll(async () => {
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'EdDSA' }
    const [library, reviews] = subgraphsOf([], new Set())
    server = createServer(async (request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/jwks') return response.end(JSON.stringify({ keys: [jwk] }))
      let body = ''
      for await (const chunk of request) body += chunk
      const { query, variables } = JSON.parse(body)
      const schema = (request.url === '/library' ? library : reviews)?.schema
      if (!schema) return response.end('{}')
      response.end(JSON.stringify(await graphql({ schema, source: query, variableValues: variables, contextValue: {} })))
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const file = join(folder, 'supergraph.graphql')
    writeFileSync(file, supergraphSdl({ library: `${base}/library`, reviews: `${base}/reviews` }))
    process_ = spawn(process.execPath, ['gateway/main.ts'], {
      cwd: ROOT,
      env: {
        ...process.env,
        SUPERGRAPH_FILE: file,
        PORT: '0',
        METRICS: '0',
        JWT_JWKS_URL: `${base}/jwks`,
        JWT_ISSUER: 'https://issuer.example',
        JWT_AUDIENCE: 'shop,library',
        JWT_SCOPES_CLAIM: 'permissions.scopes',
        JWT_POLICIES_CLAIM: 'policies',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    url = await new Promise<string>((resolve, reject) => {
      let text = ''
      process_?.stderr?.on('data', (chunk) => {
        text += chunk
        const found = /ready: (http\S+)/.exec(text)?.[1]
        if (found) resolve(found)
      })
      process_?.once('exit', () => reject(new Error(text)))
    })
  }, 60_000)
  afterAll(() => {
    process_?.kill()
    server?.close().closeAllConnections()
    rmSync(folder, { recursive: true })
  })

  const signed = (claims: Record<string, unknown>, { key = keys.privateKey, ends = '1h', kid = 'k1' } = {}) =>
    new SignJWT({ iss: 'https://issuer.example', aud: 'library', ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid })
      .setExpirationTime(ends)
      .sign(key)
  const ask = async (query: string, token?: string): Promise<Answer> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query }),
    })
    return (await response.json()) as Answer
  }

  test('reads scopes and policies from the claims that are named', async () => {
    const token = await signed({ permissions: { scopes: 'prices readers' }, policies: ['auditor'] })
    expect(await ask('{ book(id: "a") { price reader { name } } audit vault { gold } }', token)).toEqual({
      data: { book: { price: 10, reader: { name: 'Rita' } }, audit: 'audit', vault: { gold: 7 } },
    })
  })

  test('refuses without a token', async () => {
    const answer = await ask('{ account { name } open }')
    expect([answer.data, codesOf(answer)]).toEqual([{ account: null, open: 'open' }, [['account', REFUSED]]])
  })

  test.each([
    ['of another key', () => signed({}, { key: others.privateKey })],
    ['that has ended', () => signed({}, { ends: '-1h' })],
    ['of another issuer', () => signed({ iss: 'https://evil.example' })],
    ['for somebody else', () => signed({ aud: 'bank' })],
    ['of a key that nobody knows', () => signed({}, { kid: 'k9' })],
    ['without a signature', async () => `${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.x`.replaceAll('=', '')],
  ])('refuses a token %s as UNAUTHENTICATED, and says what is wrong', async (_, made) => {
    const answer = await ask('{ account { name } open }', await made())
    expect(answer.data).toEqual({ account: null, open: 'open' })
    expect(codesOf(answer)).toEqual([['account', 'UNAUTHENTICATED']])
    expect(answer.errors?.[0]?.message).toMatch(/^The token /)
  })
})
