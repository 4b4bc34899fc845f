import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyInstance } from 'fastify'
import { getIntrospectionQuery, parse } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { type TrustedDocuments, trustedDocumentsFromConfig } from '../../../gateway/operations/trusted-documents.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { CALLER, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

const folder = mkdtempSync(join(tmpdir(), 'atrium-manifest-'))
const written = (manifest: unknown) => {
  const file = join(folder, 'manifest.json')
  writeFileSync(file, typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
  return file
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hashed = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } })

const start = (persisted: TrustedDocuments) =>
  startGateway({
    supergraphSdl: supergraphSdl(),
    links: [shopSubgraph(), reviewSubgraph()].map(createLocalLink),
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
    trustedDocuments: persisted,
  })

/**
 * Every door of a gateway: each takes the parameters of a request, and says what its first error is
 * or what the data are.
 */
async function transportsOf(gateway: Gateway, { batchLimit = 0 } = {}) {
  const app: FastifyInstance = createHttpServer({ log: recordingLog().log })
  await serveGraphql(app, gateway, { batchLimit })
  serveWebSockets(app, gateway)
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const said = ({ data, errors }: Data) => errors?.[0].extensions.code ?? data
  const transports: Readonly<Record<string, (parameters: Record<string, unknown>) => Promise<unknown>>> = {
    POST: async (parameters) => said(JSON.parse((await post(parameters)).text)),
    GET: async (parameters) => {
      const texts = Object.entries(parameters).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ])
      const answer = await fetch(`${base}/graphql?${new URLSearchParams(Object.fromEntries(texts))}`, {
        headers: { 'apollo-require-preflight': '1' },
      })
      return said(await answer.json())
    },
    'server-sent events': async (parameters) => {
      const { text } = await post(parameters, { accept: 'text/event-stream' })
      return said(JSON.parse(/event: next\ndata: (.*)\n/.exec(text)?.[1] ?? '{}'))
    },
    WebSocket: (parameters) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
        socket.on('open', () => socket.send('{"type":"connection_init"}'))
        socket.on('error', reject).on('close', (code) => reject(new Error(`closed with ${code}`)))
        socket.on('message', (bytes) => {
          const { type, payload } = JSON.parse(String(bytes))
          if (type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: parameters }))
          if (type !== 'next' && type !== 'error') return
          resolve(said(type === 'next' ? payload : { errors: payload }))
          socket.terminate()
        })
      }),
  }
  return { app, base, post, transports }
}
type TransportsOf = Awaited<ReturnType<typeof transportsOf>>

const TRANSPORTS = ['POST', 'GET', 'server-sent events', 'WebSocket'] as const
afterAll(() => rmSync(folder, { recursive: true }))

describe('automatic persisted queries', () => {
  let gateway: Gateway
  let open: TransportsOf
  beforeAll(async () => {
    gateway = await start({ documents: [], isOnly: false })
    open = await transportsOf(gateway)
  })
  afterAll(() => open.app.close())

  test.each(TRANSPORTS)('a document registered with its hash over %s is found by the hash over every transport', async (name) => {
    const query = `{ __typename } # ${name}`
    const extensions = hashed(sha256(query))
    expect(await open.transports[name]?.({ extensions })).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect(await open.transports[name]?.({ query, extensions })).toEqual({ __typename: 'Query' })
    for (const other of TRANSPORTS)
      expect([other, await open.transports[other]?.({ extensions })]).toEqual([other, { __typename: 'Query' }])
    expect(await open.transports.POST?.({ documentId: `sha256:${sha256(query)}` })).toEqual({ __typename: 'Query' })
  })

  test('operationName and variables go along with a hash', async () => {
    const query = 'query A($id: ID!) { product(id: $id) { name } } query B { caller }'
    const parameters = { extensions: hashed(sha256(query)), operationName: 'A', variables: { id: 'b' } }
    await open.transports.POST?.({ query, ...parameters })
    expect(await open.transports.GET?.(parameters)).toEqual({ product: { name: 'Product b' } })
    expect(await open.transports.GET?.({ ...parameters, operationName: 'C' })).toBe('OPERATION_RESOLUTION_FAILURE')
  })

  test.each<{ why: string; body: Record<string, unknown>; status?: number; code: string }>([
    { why: 'unknown', body: { extensions: hashed(sha256('{ never }')) }, status: 200, code: 'PERSISTED_QUERY_NOT_FOUND' },
    {
      why: 'of another text',
      body: { query: '{ caller }', extensions: hashed(sha256('x')) },
      code: 'PERSISTED_QUERY_HASH_MISMATCH',
    },
    { why: 'of a version to come', body: { extensions: hashed(sha256('x'), 2) }, code: 'PERSISTED_QUERY_VERSION_NOT_SUPPORTED' },
    {
      why: 'of no version',
      body: { extensions: { persistedQuery: { sha256Hash: 'x' } } },
      code: 'PERSISTED_QUERY_VERSION_NOT_SUPPORTED',
    },
    { why: 'a number', body: { query: '{ caller }', extensions: hashed(7) }, code: 'BAD_REQUEST' },
    { why: 'empty', body: { query: '{ caller }', extensions: hashed('') }, code: 'BAD_REQUEST' },
    { why: 'missing', body: { extensions: { persistedQuery: { version: 1 } } }, code: 'BAD_REQUEST' },
    { why: 'no map', body: { extensions: { persistedQuery: sha256('x') } }, code: 'BAD_REQUEST' },
    { why: 'of no document, as documentId', body: { documentId: 'nothing' }, code: 'PERSISTED_DOCUMENT_NOT_FOUND' },
    { why: 'no text, as documentId', body: { documentId: 7 }, code: 'BAD_REQUEST' },
    { why: 'beside a text, as documentId', body: { documentId: 'x', query: '{ caller }' }, code: 'BAD_REQUEST' },
  ])('a hash that is $why is refused with $code', async ({ body, status = 400, code }) => {
    const answer = await open.post(body)
    expect([answer.status, JSON.parse(answer.text).errors[0].extensions.code]).toEqual([status, code])
  })

  test('the store is bounded: old documents are evicted by new ones', () => {
    const ask = (text: string, hash: string) =>
      gateway.prepare({ text, hash, documentId: null, operationName: undefined, variables: {}, wantsCost: false })
    const texts = Array.from({ length: 60 }, (_, index) => `{ caller } #${index}${'x'.repeat(90_000)}`)
    for (const text of texts) expect(ask(text, sha256(text)).kind).toBe('executable')
    const found = texts.filter((text) => ask('', sha256(text)).kind === 'executable')
    expect(found).toEqual(texts.slice(-55))
  })

  test('Apollo Client needs the text once', async () => {
    const sent: string[] = []
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.from([
        new PersistedQueryLink({ sha256, useGETForHashedQueries: true }),
        new HttpLink({
          uri: `${open.base}/graphql`,
          headers: { 'apollo-require-preflight': '1' },
          fetch: async (url, init) => {
            const answer = await fetch(url, init)
            sent.push(`${init?.method} ${/query=|"query"/.test(`${url}${init?.body}`) ? 'text' : 'hash'} ${answer.status}`)
            return answer
          },
        }),
      ]),
    })
    const ask = () => client.query<Data>({ query: gql('query Apollo { product(id: "a") { id } }'), fetchPolicy: 'network-only' })
    expect((await ask()).data?.product.id).toBe('a')
    expect((await ask()).data?.product.id).toBe('a')
    expect(sent).toEqual(['GET hash 200', 'POST text 200', 'GET hash 200'])
  })
})

const ONE = 'query One($id: ID!) { product(id: $id) { name } }'
const RENAME = 'mutation Rename { rename(id: "a", name: "b") { name } }'
const MANIFEST = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    { id: 'one', name: 'One', type: 'query', body: ONE },
    { id: sha256(RENAME), name: 'Rename', type: 'mutation', body: RENAME },
    { id: 'schema', name: 'IntrospectionQuery', type: 'query', body: getIntrospectionQuery() },
  ],
}

describe('with PERSISTED_ONLY=1', () => {
  let gateway: Gateway
  let open: TransportsOf
  beforeAll(async () => {
    gateway = await start(trustedDocumentsFromConfig({ PERSISTED_MANIFEST: written(MANIFEST), PERSISTED_ONLY: true }))
    open = await transportsOf(gateway, { batchLimit: 5 })
  })
  afterAll(() => open.app.close())

  const variables = { id: 'b' }
  const DATA = { product: { name: 'Product b' } }

  test.each(TRANSPORTS)('documents of the manifest run by their identifier over %s', async (name) => {
    const ask = open.transports[name]
    expect(await ask?.({ documentId: 'one', variables })).toEqual(DATA)
    expect(await ask?.({ extensions: hashed('one'), variables })).toEqual(DATA)
    expect(await ask?.({ documentId: `sha256:${sha256(ONE)}`, variables, operationName: 'One' })).toEqual(DATA)
    expect(await ask?.({ documentId: 'one', variables: {} })).toBe('BAD_USER_INPUT')
    expect(await ask?.({ documentId: 'one', variables, operationName: 'Two' })).toBe('OPERATION_RESOLUTION_FAILURE')
  })

  test('they were checked and planned at start, and are not forgotten for others', () => {
    const one = () =>
      gateway.prepare({ text: '', hash: null, documentId: 'one', operationName: undefined, variables: {}, wantsCost: false })
    const before = one()
    for (let count = 0; count < 1_100; count++) gateway.prepareText(`{ __typename } # ${count}`, undefined)
    expect([before.kind, one() === before]).toEqual(['executable', true])
  })

  test.each(TRANSPORTS)('everything else is refused over %s', async (name) => {
    const ask = open.transports[name]
    for (const parameters of [
      { query: '{ __typename }' },
      { query: ONE, variables },
      { query: '{' },
      { query: '{ __typename }', extensions: hashed(sha256('{ __typename }')) },
      { extensions: hashed(sha256('{ __typename }')) },
      { documentId: 'two' },
      { query: '{ __schema { types { name } } }' },
    ]) {
      expect([parameters, await ask?.(parameters)]).toEqual([parameters, 'PERSISTED_QUERY_ONLY'])
    }
    expect((await open.post({ query: '{ __typename }' })).status).toBe(400)
  })

  test('a text may accompany its identifier if it is the same document', async () => {
    expect(await open.transports.WebSocket?.({ query: ONE, extensions: hashed('one'), variables })).toEqual(DATA)
    expect(await open.transports.WebSocket?.({ query: '{ caller }', extensions: hashed('one') })).toBe(
      'PERSISTED_QUERY_HASH_MISMATCH',
    )
  })

  test('a mutation still needs POST, and introspection works where it is listed', async () => {
    expect(await open.transports.GET?.({ documentId: sha256(RENAME) })).toBe('METHOD_NOT_ALLOWED')
    expect(await open.transports.POST?.({ documentId: sha256(RENAME) })).toEqual({ rename: { name: 'b' } })
    expect(await open.transports.POST?.({ documentId: 'schema' })).toHaveProperty('__schema.queryType.name', 'Query')
  })

  test('a batch is not exempt', async () => {
    const { text } = await open.post([{ documentId: 'one', variables }, { query: '{ __typename }' }])
    expect(JSON.parse(text)).toMatchObject([{ data: DATA }, { errors: [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }] }])
  })

  test('our own facades are not affected', async () => {
    const own = parse('{ caller }') as TypedDocumentNode<unknown, Record<string, unknown>>
    await gateway.client.prepare(own)
    expect((await gateway.client.run(own, {}, CALLER, new AbortController().signal)).errors).toEqual([])
  })
})

describe('a manifest', () => {
  const persisted = (manifest: unknown) =>
    trustedDocumentsFromConfig({ PERSISTED_MANIFEST: written(manifest), PERSISTED_ONLY: false })
  const opened: TransportsOf[] = []
  afterEach(() => Promise.all(opened.splice(0).map(({ app }) => app.close())))

  test('may be a plain map; without PERSISTED_ONLY other documents are accepted as well', async () => {
    const transports = await transportsOf(await start(persisted({ several: 'query A { __typename } query B { caller }' })))
    opened.push(transports)
    expect(await transports.transports.POST?.({ documentId: 'several', operationName: 'A' })).toEqual({ __typename: 'Query' })
    expect(await transports.transports.POST?.({ documentId: 'several' })).toBe('OPERATION_RESOLUTION_FAILURE')
    expect(await transports.transports.POST?.({ query: '{ __typename }' })).toEqual({ __typename: 'Query' })
  })

  test.each<{ why: string; manifest: unknown; says: RegExp }>([
    { why: 'is no JSON', manifest: '{', says: /manifest\.json is not JSON\.$/ },
    { why: 'is a list', manifest: [], says: /is neither a manifest of format "apollo-persisted-query-manifest" nor a map/ },
    { why: 'has another format', manifest: { format: 'mine' }, says: /has the format "mine": expected/ },
    { why: 'is of a version to come', manifest: { ...MANIFEST, version: 2 }, says: /has version 2: expected 1/ },
    { why: 'has no operations', manifest: { ...MANIFEST, operations: 'none' }, says: /has no list "operations"/ },
    { why: 'has one without id', manifest: { ...MANIFEST, operations: [{ body: ONE }] }, says: /has no "id" in operation 1/ },
    { why: 'has one without text', manifest: { nothing: 7 }, says: /has no text for "nothing"/ },
    { why: 'has a syntax error', manifest: { wrong: '{' }, says: /has a document "wrong" that is not valid: Syntax Error/ },
    { why: 'has fragments only', manifest: { part: 'fragment A on Query { caller }' }, says: /has no operation in "part"/ },
    {
      why: 'calls an operation by another name',
      manifest: { ...MANIFEST, operations: [{ id: 'one', name: 'Two', type: 'query', body: ONE }] },
      says: /says that "one" is the query "Two", which its text is not/,
    },
    {
      why: 'takes a mutation for a query',
      manifest: { ...MANIFEST, operations: [{ id: 'r', name: 'Rename', type: 'query', body: RENAME }] },
      says: /says that "r" is the query "Rename"/,
    },
    {
      why: 'has one identifier for two texts',
      manifest: { ...MANIFEST, operations: [MANIFEST.operations[0], { id: 'one', body: '{ caller }' }] },
      says: /has two documents called "one"/,
    },
  ])('that $why stops the start', ({ manifest, says }) => {
    expect(() => persisted(manifest)).toThrow(says)
  })

  test.each([
    ['does not fit the graph', '{ nope }', /document "bad" that cannot be run on this graph: Cannot query field "nope"/],
    [
      'is beyond the limits',
      `{ product(id: "a") { ${'parent { '.repeat(11)} id ${'} '.repeat(11)} } }`,
      /"bad".*at most 10 levels/,
    ],
  ])('with a document that %s stops the start and names it', async (_, text, says) => {
    await expect(start(persisted({ good: '{ caller }', bad: text }))).rejects.toThrow(says)
  })

  test('are required when only they are allowed', () => {
    expect(() => trustedDocumentsFromConfig({ PERSISTED_MANIFEST: undefined, PERSISTED_ONLY: true })).toThrow(
      'Expected PERSISTED_MANIFEST',
    )
    expect(() => trustedDocumentsFromConfig({ PERSISTED_MANIFEST: join(folder, 'none.json'), PERSISTED_ONLY: true })).toThrow(
      /none\.json cannot be read/,
    )
  })
})
