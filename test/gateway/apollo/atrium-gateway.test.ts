import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import {
  IntrospectAndCompose as ApolloIntrospectAndCompose,
  LocalGraphQLDataSource as ApolloLocalDataSource,
  RemoteGraphQLDataSource as ApolloRemoteDataSource,
} from '@apollo/gateway'
import type { ApolloServerPlugin, BaseContext } from '@apollo/server'
import { ApolloServerPluginCacheControl } from '@apollo/server/plugin/cacheControl'
import { ApolloServerPluginUsageReporting } from '@apollo/server/plugin/usageReporting'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { GraphQLError, parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type AtriumGatewayOptions,
  atriumGateway,
  IntrospectAndCompose,
  LocalGraphQLDataSource,
  RemoteGraphQLDataSource,
} from '../../../gateway/apollo/atrium-gateway.ts'
import type { DataSourceProcessOptions, SupergraphHook } from '../../../gateway/apollo/gateway-interface.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { type Answer, anApolloServer, gatewayOf, KINDS } from '../support/apollo-servers.ts'
import { reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type Remote, serveRemote } from '../support/remote.ts'

let shop: Remote
let review: Remote
let supergraph: string
beforeAll(async () => {
  shop = await serveRemote(shopSubgraph())
  review = await serveRemote(reviewSubgraph())
  supergraph = supergraphSdl({ shop: shop.url, review: review.url })
})
afterAll(() => {
  for (const { server } of [shop, review]) server.close().closeAllConnections()
})
beforeEach(() => {
  shop.always = null
  shop.requests.length = 0
})

const NAME = '{ product(id: "a") { name } }'
const NAMED = { product: { name: 'Product a' } }
const SECRET = 'secret-host.internal'

/** The same request to both; their answers by status and body. */
async function bothAnswers(body: unknown): Promise<readonly [apollo: Answer, atrium: Answer]> {
  const [apollo, atrium] = [
    await anApolloServer('apollo', { supergraphSdl: supergraph }),
    await anApolloServer('atrium', { supergraphSdl: supergraph }),
  ]
  return [await apollo.send(body), await atrium.send(body)]
}

describe('side by side with Apollo Gateway, both behind Apollo Server', () => {
  test.each<{ what: string; body: object }>([
    { what: 'one field', body: { query: NAME } },
    {
      what: 'entities across subgraphs, nested',
      body: { query: '{ latestReview { text about { name parent { name reviews { text about { name } } } } } }' },
    },
    {
      what: 'a list with entities',
      body: { query: '{ products(first: 2) { totalCount edges { node { id name rating reviews { text } } } } }' },
    },
    {
      what: 'a union with fragments',
      body: {
        query:
          'query { things(limit: 2) { __typename ... on Product { ...P } ... on Note { text } } } fragment P on Product { name rating }',
      },
    },
    {
      what: 'aliases',
      body: { query: '{ one: product(id: "a") { called: name } other: product(id: "b") { name again: name } }' },
    },
    {
      what: 'variables',
      body: {
        query: 'query ($id: ID!, $with: Boolean!) { product(id: $id) { name rating @include(if: $with) } }',
        variables: { id: 'c', with: true },
      },
    },
    {
      what: 'skipped fields',
      body: { query: 'query ($no: Boolean = true) { product(id: "c") { name rating @skip(if: $no) } }' },
    },
    {
      what: 'an argument of an entity field',
      body: { query: 'query ($c: String) { product(id: "a") { reviews(contains: $c) { text } } }', variables: { c: 'Bad' } },
    },
    { what: 'a null', body: { query: '{ product(id: "nobody") { name rating } }' } },
    { what: 'a mutation', body: { query: 'mutation { rename(id: "a", name: "New") { name rating } }' } },
    {
      what: 'a named operation of several',
      body: { query: 'query A { product(id: "a") { name } } query B { product(id: "b") { name } }', operationName: 'B' },
    },
    {
      what: 'introspection',
      body: {
        query:
          '{ __schema { queryType { fields { name } } } __type(name: "Product") { fields { name type { kind } } } product(id: "a") { __typename } }',
      },
    },
    { what: 'a default of a variable', body: { query: 'query ($id: ID! = "b") { product(id: $id) { name } }' } },
    { what: '__typename alone', body: { query: '{ __typename }' } },
  ])('the same answer to $what', async ({ body }) => {
    const [apollo, atrium] = await bothAnswers(body)
    expect(apollo.body.data).toBeTruthy()
    expect([atrium.status, atrium.body]).toEqual([apollo.status, apollo.body])
  })

  test.each<{ what: string; body: object }>([
    { what: 'a syntax error', body: { query: '{' } },
    { what: 'an unknown field', body: { query: '{ nope }' } },
    { what: 'a missing variable', body: { query: 'query ($id: ID!) { product(id: $id) { name } }' } },
    {
      what: 'a variable of another type',
      body: { query: 'query ($n: Int) { products(first: $n) { totalCount } }', variables: { n: 'x' } },
    },
    { what: 'no query', body: {} },
    { what: 'variables that are no map', body: { query: NAME, variables: 'x' } },
  ])('the same status and code for $what', async ({ body }) => {
    const [apollo, atrium] = await bothAnswers(body)
    const judged = ({ status, body: { data, errors } }: Answer) => [
      status,
      data,
      errors.map((error: GraphQLError) => error.extensions.code),
    ]
    expect(judged(atrium)).toEqual(judged(apollo))
    expect(atrium.status).toBe(400)
  })

  test('errors of subgraphs have the same message, path, code and serviceName', async () => {
    const body = { query: '{ refused product(id: "a") { name } }' }
    const [apollo, atrium] = await bothAnswers(body)
    expect(atrium.body).toEqual(apollo.body)
    expect(atrium.body.errors).toEqual([
      { message: 'Expected a nicer question.', path: ['refused'], extensions: { code: 'NOT_NICE', serviceName: 'shop' } },
    ])
  })

  test('errors of entities have the path of the entity', async () => {
    review.always = ({ response }) => {
      const errors = [{ message: 'No rating.', path: ['_entities', 0, 'rating'], extensions: { code: 'NO_RATING' } }]
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ data: { _entities: [{ rating: null }] }, errors }))
    }
    const [apollo, atrium] = await bothAnswers({ query: '{ product(id: "a") { name rating } }' })
    review.always = null
    expect(atrium.body).toEqual(apollo.body)
    expect(atrium.body.errors[0].path).toEqual(['product', 'rating'])
  })

  describe.each(KINDS)('%s', (kind) => {
    test('APQ: a hash is unknown, registered, known', async () => {
      const { send } = await anApolloServer(kind, { supergraphSdl: supergraph })
      const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(NAME).digest('hex') } }
      expect((await send({ extensions })).body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
      expect((await send({ query: NAME, extensions })).body).toEqual({ data: NAMED })
      expect((await send({ extensions })).body).toEqual({ data: NAMED })
    })

    test('hooks of plugins run, with schema and operation', async () => {
      const events: string[] = []
      const plugin: ApolloServerPlugin<BaseContext> = {
        serverWillStart: async () => ({
          schemaDidLoadOrUpdate: ({ apiSchema, coreSupergraphSdl }) =>
            void events.push(`schema ${apiSchema.getQueryType()?.name} ${coreSupergraphSdl === supergraph}`),
          drainServer: async () => void events.push('drain'),
          serverWillStop: async () => void events.push('stop'),
        }),
        requestDidStart: async () => ({
          didResolveSource: async () => void events.push('source'),
          parsingDidStart: async () => void events.push('parse'),
          validationDidStart: async () => void events.push('validate'),
          didResolveOperation: async ({ operationName }) => void events.push(`operation ${operationName}`),
          executionDidStart: async () => ({ executionDidEnd: async () => void events.push('executed') }),
          didEncounterErrors: async ({ errors }) => void events.push(`errors ${errors.length}`),
          willSendResponse: async () => void events.push('response'),
        }),
      }
      const { send, server } = await anApolloServer(kind, { supergraphSdl: supergraph }, { plugins: [plugin] })
      await send({ query: `query Named ${NAME}` })
      await send({ query: '{ refused }' })
      await server.stop()
      expect(events).toEqual([
        ...['schema Query true', 'source', 'parse', 'validate', 'operation Named', 'executed', 'response'],
        ...['source', 'parse', 'validate', 'operation null', 'errors 1', 'executed', 'response'],
        ...['drain', 'stop'],
      ])
    })

    test('a plugin that throws in didResolveOperation ends the operation before a fetch', async () => {
      const plugin: ApolloServerPlugin<BaseContext> = {
        requestDidStart: async () => ({
          didResolveOperation: async () => {
            throw new GraphQLError('Too deep.', { extensions: { code: 'TOO_DEEP', http: { status: 400 } } })
          },
        }),
      }
      const { send } = await anApolloServer(kind, { supergraphSdl: supergraph }, { plugins: [plugin] })
      shop.requests.length = 0
      const { status, body } = await send({ query: NAME })
      expect([status, body.errors[0].extensions.code, shop.requests.length]).toEqual([400, 'TOO_DEEP', 0])
    })

    test('no header of the client reaches a subgraph by itself', async () => {
      const { send } = await anApolloServer(kind, { supergraphSdl: supergraph })
      await send({ query: NAME }, { authorization: 'Bearer t', cookie: 'a=b', 'x-own': '1' })
      for (const name of ['authorization', 'cookie', 'x-own']) expect(shop.requests[0]?.headers).not.toHaveProperty(name)
    })

    test('a supergraph manager updates the schema; one that is no supergraph changes nothing; cleanup runs at the stop', async () => {
      let update: (sdl: string) => void = () => {}
      let cleaned = 0
      const manager: SupergraphHook = async (options) => {
        update = options.update
        return {
          supergraphSdl: supergraphSdl({ shop: 'http://127.0.0.1:1/', review: review.url }),
          cleanup: async () => {
            cleaned++
          },
        }
      }
      const { send, server } = await anApolloServer(kind, { supergraphSdl: manager })
      expect((await send({ query: NAME })).body.errors).toHaveLength(1)
      expect(() => update('type {')).toThrow()
      expect(() => update('type Query { a: Int }')).toThrow()
      update(supergraph)
      expect((await send({ query: NAME })).body).toEqual({ data: NAMED })
      await server.stop()
      expect(cleaned).toBe(1)
      expect(() => update(supergraphSdl())).toThrow(/stopp/)
    })

    test('a manager whose start fails stops the server, which says so', async () => {
      const manager: SupergraphHook = async () => {
        throw new Error('no supergraph today')
      }
      await expect(anApolloServer(kind, { supergraphSdl: manager })).rejects.toThrow('no supergraph today')
    })

    test('usage reporting sends operations, with errors by subgraph', async () => {
      const reports: Buffer[] = []
      const receiver = createServer(async (request, response) => {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk)
        reports.push(Buffer.concat(chunks))
        response.end('{}')
      }).listen(0, '127.0.0.1')
      await once(receiver, 'listening')
      onTestFinished(() => void receiver.close().closeAllConnections())
      const endpointUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
      const plugins = [
        ApolloServerPluginUsageReporting({ endpointUrl, sendReportsImmediately: true, fieldLevelInstrumentation: 0 }),
      ]
      const apollo = { key: 'service:graph:key', graphRef: 'graph@current' }
      const { send } = await anApolloServer(kind, { supergraphSdl: supergraph }, { plugins, apollo })
      await send({ query: `query Reported ${NAME}` })
      await send({ query: 'query Failing { refused }' })
      await expect.poll(() => reports.length).toBe(2)
      const texts = reports.map((bytes) => gunzipSync(bytes).toString('latin1'))
      expect(texts[0]).toContain('# Reported')
      expect(texts[1]).toContain('# Failing')
      expect(texts[1]).toContain('service:shop')
    })

    test('Cache-Control of subgraphs restricts that of the answer', async () => {
      const plugins = [ApolloServerPluginCacheControl({ calculateHttpHeaders: true })]
      const { send } = await anApolloServer(kind, { supergraphSdl: supergraph }, { plugins })
      const answered = (control: string | null) => {
        shop.always = ({ response }) => {
          if (control !== null) response.setHeader('cache-control', control)
          response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: NAMED }))
        }
        return send({ query: NAME }).then(({ headers }) => headers.get('cache-control'))
      }
      expect(await answered('max-age=60, public')).toBe('max-age=60, public')
      expect(await answered('private, max-age="5"')).toBe('max-age=5, private')
      expect(await answered(null)).toBe('no-store')
    })
  })
})

describe.each([
  { of: 'atrium', Remote: RemoteGraphQLDataSource },
  // Its types differ in details; its use does not.
  { of: 'apollo', Remote: ApolloRemoteDataSource as unknown as typeof RemoteGraphQLDataSource },
])('RemoteGraphQLDataSource of $of in Atrium', ({ Remote }) => {
  const withSource = (source: (url: string) => RemoteGraphQLDataSource, contextValue: BaseContext = {}) =>
    anApolloServer(
      'atrium',
      { supergraphSdl: supergraph, buildService: ({ url = '' }) => source(url) },
      {},
      async () => contextValue,
    )

  test('willSendRequest of a subclass sets headers from the context value', async () => {
    class Authenticated extends Remote {
      override willSendRequest({ request, context }: DataSourceProcessOptions) {
        request.http?.headers.set('authorization', context.token)
      }
    }
    const { send } = await withSource((url) => new Authenticated({ url }), { token: 'Bearer mine' })
    expect((await send({ query: NAME })).body).toEqual({ data: NAMED })
    expect(shop.requests[0]?.headers.authorization).toBe('Bearer mine')
  })

  test('didReceiveResponse reads headers, and may change the response', async () => {
    shop.always = ({ response }) =>
      void response
        .setHeader('x-own', '7')
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ data: NAMED, extensions: { e: 1 } }))
    const seen: unknown[] = []
    class Changed extends Remote {
      override didReceiveResponse({
        response,
        context,
      }: Parameters<NonNullable<RemoteGraphQLDataSource['didReceiveResponse']>>[0]) {
        seen.push([response.http?.headers.get('x-own'), response.http?.status, response.extensions, context.id])
        return { ...response, data: { product: { name: 'Changed' } } }
      }
    }
    const { send } = await withSource((url) => new Changed({ url }), { id: 5 })
    expect((await send({ query: NAME })).body).toEqual({ data: { product: { name: 'Changed' } } })
    expect(seen).toEqual([['7', 200, { e: 1 }, 5]])
  })

  test('a GraphQLError of a hook reaches the client with its code', async () => {
    class Refusing extends Remote {
      override willSendRequest() {
        throw new GraphQLError('Sign in first.', { extensions: { code: 'UNAUTHENTICATED' } })
      }
    }
    const { send } = await withSource((url) => new Refusing({ url }))
    const { body } = await send({ query: NAME })
    expect(body).toEqual({
      data: { product: null },
      errors: [{ message: 'Sign in first.', extensions: { code: 'UNAUTHENTICATED', serviceName: 'shop' } }],
    })
  })

  test('apq sends a hash, and the text where the subgraph does not know it', async () => {
    const known = new Set<string>()
    shop.always = ({ response, body }) => {
      const { query, extensions } = JSON.parse(body)
      const hash = extensions.persistedQuery.sha256Hash
      if (query) known.add(hash)
      const answer = known.has(hash) ? { data: NAMED } : { errors: [{ message: 'PersistedQueryNotFound' }] }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    }
    const { send } = await withSource((url) => new Remote({ url, apq: true }))
    expect([(await send({ query: NAME })).body, (await send({ query: NAME })).body]).toEqual([{ data: NAMED }, { data: NAMED }])
    expect(shop.requests.map(({ body }) => 'query' in JSON.parse(body))).toEqual([false, true, false])
  })

  test('didEncounterError says what a failed fetch is', async () => {
    shop.always = ({ request }) => void request.socket.destroy()
    class Extended extends Remote {
      override didEncounterError() {
        throw new GraphQLError('The shop is closed.', { extensions: { code: 'CLOSED' } })
      }
    }
    const { send } = await withSource((url) => new Extended({ url }))
    expect((await send({ query: NAME })).body.errors).toMatchObject([
      { message: 'The shop is closed.', extensions: { code: 'CLOSED' } },
    ])
  })
})

describe('where Atrium differs from Apollo Gateway', () => {
  test('a subgraph that cannot be reached: no address, no response of it in the answer', async () => {
    shop.always = ({ response }) => void response.writeHead(500, { 'content-type': 'text/html' }).end(`<html>${SECRET}</html>`)
    const [apollo, atrium] = await bothAnswers({ query: NAME })
    expect(JSON.stringify(apollo.body)).toContain(SECRET)
    expect(atrium.body.errors).toMatchObject([{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }])
    expect(JSON.stringify(atrium.body)).not.toMatch(/secret|127\.0\.0\.1/)
  })

  test('a plain Error of a hook: logged and masked', async () => {
    const buildService = () => ({ process: () => Promise.reject(new Error(SECRET)) })
    const [apollo, atrium] = [
      await anApolloServer('apollo', { supergraphSdl: supergraph, buildService }),
      await anApolloServer('atrium', { supergraphSdl: supergraph, buildService }),
    ]
    expect((await apollo.send({ query: NAME })).body.errors[0].message).toBe(SECRET)
    const { body } = await atrium.send({ query: NAME })
    expect([body.data, body.errors[0].extensions.code]).toEqual([{ product: null }, 'INTERNAL_SERVER_ERROR'])
    expect(JSON.stringify(body)).not.toContain(SECRET)
  })

  test('a null that the schema forbids: in "errors", not in "extensions.valueCompletion"', async () => {
    shop.always = ({ response }) =>
      void response.setHeader('content-type', 'application/json').end('{"data":{"product":{"name":null}}}')
    const [apollo, atrium] = await bothAnswers({ query: NAME })
    expect([apollo.body.errors, apollo.body.extensions.valueCompletion]).toMatchObject([undefined, [{}]])
    expect(atrium.body).toMatchObject({ data: { product: null }, errors: [{ extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }] })
  })

  test('a variable called representations: runs', async () => {
    const query = 'query ($representations: String) { product(id: "a") { reviews(contains: $representations) { text } } }'
    const [apollo, atrium] = await bothAnswers({ query, variables: { representations: 'Bad' } })
    expect(apollo.body.errors).toHaveLength(1)
    expect(atrium.body).toEqual({ data: { product: { reviews: [{ text: 'Bad a' }] } } })
  })

  test('an unknown operationName: 400 from both, by their own sentences', async () => {
    const [apollo, atrium] = await bothAnswers({ query: `query A ${NAME}`, operationName: 'B' })
    expect([apollo.status, atrium.status]).toEqual([500, 400])
    expect(atrium.body.errors[0].message).toBe('Expected operationName to name an operation, got "B".')
  })

  test('limits: none unless they are set, but for bounds of size', async () => {
    const deep = `{ product(id: "a") { ${'parent { '.repeat(11)} id ${'} '.repeat(11)} } }`
    const free = await anApolloServer('atrium', { supergraphSdl: supergraph })
    expect((await free.send({ query: deep })).body.errors).toBeUndefined()
    const limited = await anApolloServer('atrium', { supergraphSdl: supergraph, limits: { depth: 10 } })
    expect(await limited.send({ query: deep })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'DEPTH_LIMIT_EXCEEDED' } }] },
    })
  })
})

describe('subgraphs and supergraphs', () => {
  test.each([
    { of: 'atrium', Local: LocalGraphQLDataSource },
    { of: 'apollo', Local: ApolloLocalDataSource as unknown as typeof LocalGraphQLDataSource },
  ])('LocalGraphQLDataSource of $of runs in the process, with the context value', async ({ Local }) => {
    const schemas = new Map([shopSubgraph(), reviewSubgraph()].map(({ name, schema }) => [name, schema]))
    const buildService: AtriumGatewayOptions['buildService'] = ({ name }) => {
      const schema = schemas.get(name)
      if (!schema) throw new Error(name)
      return new Local(schema)
    }
    const context = async () => ({ caller: { own: 1 } })
    const { send } = await anApolloServer('atrium', { supergraphSdl: supergraph, buildService }, {}, context)
    const { body } = await send({ query: '{ caller product(id: "c") { name rating } }' })
    expect(body).toEqual({ data: { caller: '{"own":1}', product: { name: 'Product c', rating: 0 } } })
    expect(shop.requests).toEqual([])
  })

  const managers = [
    { of: 'atrium', Manager: IntrospectAndCompose },
    { of: 'apollo', Manager: ApolloIntrospectAndCompose as unknown as typeof IntrospectAndCompose },
  ]
  test.each(managers)(
    'IntrospectAndCompose of $of composes from running subgraphs, with headers, and polls',
    async ({ Manager }) => {
      const supergraphSdl = new Manager({
        subgraphs: [
          { name: 'shop', url: shop.url },
          { name: 'review', url: review.url },
        ],
        introspectionHeaders: { 'x-introspection': 'yes' },
        pollIntervalInMs: 20,
        subgraphHealthCheck: true,
        logger: { debug() {}, info() {}, warn() {}, error() {} } as { error: () => void },
      })
      const { send, gateway } = await anApolloServer('atrium', { supergraphSdl, serviceHealthCheck: true })
      expect(shop.requests[0]?.headers['x-introspection']).toBe('yes')
      expect((await send({ query: NAME })).body).toEqual({ data: NAMED })

      const sdl =
        'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"]) type Query { fresh: Int }'
      shop.always = ({ response, body }) => {
        const answer = body.includes('_service')
          ? { _service: { sdl } }
          : body.includes('fresh')
            ? { fresh: 3 }
            : { __typename: 'Query' }
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: answer }))
      }
      await expect.poll(async () => (await send({ query: '{ fresh }' })).body).toEqual({ data: { fresh: 3 } })
      // What does not compose is not served.
      shop.always = ({ response }) =>
        void response.setHeader('content-type', 'application/json').end('{"data":{"_service":{"sdl":"type {"}}}')
      const before = shop.requests.length
      await expect.poll(() => shop.requests.length).toBeGreaterThan(before + 2)
      expect((await send({ query: '{ __type(name: "Query") { fields { name } } }' })).body.data.__type.fields).toContainEqual({
        name: 'fresh',
      })
      await gateway.stop()
      const stopped = shop.requests.length
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(shop.requests.length).toBeLessThanOrEqual(stopped + 1)
    },
  )

  test('findGrants reads the context value for authorization directives, and refuses the operation when it throws', async () => {
    const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@requiresScopes"])
      type Query { free: Int secret: Int @requiresScopes(scopes: [["read"]]) }`
    const schema = buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: { Query: { free: () => 1, secret: () => 2 } } }])
    const options: AtriumGatewayOptions = {
      supergraphSdl: compose([{ name: 'one', typeDefs: parse(sdl) }]),
      buildService: () => new LocalGraphQLDataSource(schema),
    }
    const answered = async (more: Partial<AtriumGatewayOptions>, scopes: string) => {
      const context = async () => ({ scopes })
      const { send } = await anApolloServer('atrium', { ...options, ...more }, {}, context)
      const { body } = await send({ query: '{ free secret }' })
      return [body.data, body.errors?.map((error: GraphQLError) => error.extensions.code)]
    }
    const findGrants: AtriumGatewayOptions['findGrants'] = ({ scopes }) => ({ isAuthenticated: true, scopes: scopes.split(' ') })
    const refused = [{ free: 1, secret: null }, ['UNAUTHORIZED_FIELD_OR_TYPE']]
    expect(await answered({ findGrants }, 'write read')).toEqual([{ free: 1, secret: 2 }, undefined])
    expect(await answered({ findGrants }, 'write')).toEqual(refused)
    expect(await answered({}, 'read')).toEqual(refused)
    expect(await answered({ findGrants: () => Promise.reject(new Error('no')) }, 'read')).toEqual(refused)
  })

  test.each(KINDS)('serviceHealthCheck of %s refuses to start without a subgraph', async (kind) => {
    const options = {
      supergraphSdl: supergraphSdl({ shop: 'http://127.0.0.1:1/', review: review.url }),
      serviceHealthCheck: true,
    }
    const gateway = gatewayOf(kind, options)
    onTestFinished(() => gateway.stop().catch(() => {}))
    // Apollo's checks a static supergraph only when it is told to.
    const checked =
      kind === 'atrium'
        ? gateway.load({ apollo: {} })
        : gateway
            .load({ apollo: {} })
            .then(() => (gateway as { serviceHealthCheck: () => Promise<unknown> }).serviceHealthCheck())
    await expect(checked).rejects.toThrow()
  })

  test('a manager is cleaned up when its supergraph cannot be served', async () => {
    let cleaned = 0
    const cleanup = async () => {
      cleaned++
    }
    const gateway = gatewayOf('atrium', { supergraphSdl: async () => ({ supergraphSdl: 'type Query { a: Int }', cleanup }) })
    await expect(gateway.load({ apollo: {} })).rejects.toThrow()
    expect(cleaned).toBe(1)
  })

  test('a subgraph that left the supergraph is fetched again after it returns', async () => {
    let update: (sdl: string) => void = () => {}
    let closed = 0
    class Counting extends RemoteGraphQLDataSource {
      override async close() {
        closed++
        await super.close()
      }
    }
    let source: Counting | undefined
    const alone = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"]) type Query { one: Int }'
    const manager: SupergraphHook = async (options) => {
      update = options.update
      return { supergraphSdl: supergraph }
    }
    const buildService: AtriumGatewayOptions['buildService'] = ({ name, url }) => {
      if (name !== 'shop') return new RemoteGraphQLDataSource({ url })
      source ??= new Counting({ url })
      return source
    }
    const { send } = await anApolloServer('atrium', { supergraphSdl: manager, buildService })
    expect((await send({ query: NAME })).body).toEqual({ data: NAMED })
    update(compose([{ name: 'review', typeDefs: parse(alone), url: review.url }]))
    await expect.poll(() => closed).toBe(1)
    update(supergraph)
    expect((await send({ query: NAME })).body).toEqual({ data: NAMED })
  })

  test('two servers share one gateway', async () => {
    const gateway = gatewayOf('atrium', { supergraphSdl: supergraph })
    onTestFinished(gateway.stop)
    const heard: string[] = []
    for (const name of ['one', 'two']) {
      gateway.onSchemaLoadOrUpdate(() => heard.push(name))
      await gateway.load({ apollo: {} })
    }
    expect(heard).toEqual(['one', 'two'])
  })

  test.each<{ options: object; says: RegExp }>([
    {
      options: {},
      says: /^Expected "supergraphSdl" to be SDL, a supergraph manager or a function; of Apollo GraphOS, createSupergraphManager/,
    },
    { options: { supergraphSdl: 7 }, says: /^Expected "supergraphSdl"/ },
    {
      options: { supergraphSdl: 'x', serviceList: [] },
      says: /^Expected no option "serviceList": use supergraphSdl: new IntrospectAndCompose/,
    },
    {
      options: { supergraphSdl: 'x', uplinkEndpoints: [] },
      says: /^Expected no option "uplinkEndpoints": use supergraphSdl: createSupergraphManager\(\{ type: 'uplink'/,
    },
  ])('$options is refused with what to write instead', ({ options, says }) => {
    expect(() => atriumGateway(options as AtriumGatewayOptions)).toThrow(says)
  })

  test('an invalid URL is refused at the start of the server', async () => {
    await expect(
      anApolloServer('atrium', { supergraphSdl: supergraphSdl({ shop: 'ftp://x', review: review.url }) }),
    ).rejects.toThrow(/The subgraph "shop" is at "ftp:\/\/x": expected an http or https URL/)
  })
})
