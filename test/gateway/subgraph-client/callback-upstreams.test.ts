import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginSubscriptionCallback } from '@apollo/server/plugin/subscriptionCallback'
import { startStandaloneServer } from '@apollo/server/standalone'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createGateway, type FederatedGateway } from '../../../gateway/library/create-gateway.ts'
import { type RunningServer, serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { recordingLog } from '../support/graph.ts'
import { type Followed, followed } from '../support/subscription-reader.ts'

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { a: Int }
  type Subscription { counted(to: Int!): Int never: Int broken: Int! }
`
const supergraph = compose([{ name: 'counting', typeDefs: parse(SDL) }])
let open = 0
const schema = buildSubgraphSchema([
  {
    typeDefs: parse(SDL),
    resolvers: {
      Subscription: {
        counted: {
          async *subscribe(_: unknown, { to }: { to: number }) {
            for (let number = 1; number <= to; number++) yield { counted: number }
          },
        },
        never: {
          subscribe() {
            open++
            const iterator = {
              next: () => new Promise(() => {}),
              async return() {
                open--
                return { done: true, value: undefined }
              },
              [Symbol.asyncIterator]: () => iterator,
            }
            return iterator
          },
        },
      },
    } as never,
  },
])

const { log } = recordingLog()
const gateways: FederatedGateway[] = []
let server: RunningServer | null = null
afterEach(async () => {
  await server?.close()
  for (const gateway of gateways.splice(0)) await gateway.close()
})

/** A gateway whose subgraph is at `url` and calls back. */
async function gatewayOver(url: string, heartbeatSeconds = 1): Promise<FederatedGateway> {
  // The port is known once the server listens: the URL for callbacks is that of a forwarder.
  const port = await freePort()
  const callbackUrl = `http://127.0.0.1:${port}/callbacks`
  const subscriptions = { protocol: 'callback' as const, callbackUrl, heartbeatSeconds }
  const gateway = await createGateway({ supergraph, subgraphs: { counting: { url, subscriptions } }, log })
  gateways.push(gateway)
  server = await serveGateway(gateway, { port, log })
  return gateway
}
async function freePort(): Promise<number> {
  const { port, close } = await startHttpServer({})
  await close()
  return port
}
async function begin({ gateway }: FederatedGateway, query: string) {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const caller = { requestId: 'r', address: '127.0.0.1', credentials: {} }
  return prepared.subscribe?.({}, { caller, signal: new AbortController().signal })
}
async function follow(gateway: FederatedGateway, query: string): Promise<Followed> {
  const begun = await begin(gateway, query)
  if (begun?.kind !== 'open') throw new Error(JSON.stringify(begun))
  return followed(begun.source)
}

describe('with Apollo Server and its plugin', () => {
  let apollo: ApolloServer
  let url = ''
  beforeAll(async () => {
    apollo = new ApolloServer({ schema, plugins: [ApolloServerPluginSubscriptionCallback()], stopOnTerminationSignals: false })
    url = (await startStandaloneServer(apollo, { listen: { port: 0, host: '127.0.0.1' } })).url
  })
  afterAll(() => apollo.stop())

  test('events arrive in order, and the end', async () => {
    const reader = await follow(await gatewayOver(url), 'subscription { counted(to: 3) }')
    const received = [await reader.next(), await reader.next(), await reader.next(), await reader.next()]
    expect(received).toEqual([1, 2, 3].map((counted) => ({ data: { counted } })).concat({ ended: null } as never))
  })

  test('heartbeats keep it alive, and it ends in the subgraph when its subscriber leaves', async () => {
    const reader = await follow(await gatewayOver(url), 'subscription { never }')
    await expect.poll(() => open).toBe(1)
    reader.return()
    // The next heartbeat is answered with 404.
    await expect.poll(() => open).toBe(0)
  })
})

describe('a subgraph by hand', () => {
  type Given = { callbackUrl: string; subscriptionId: string; verifier: string; heartbeatIntervalMs: number }
  let given: Given
  const call = (body: object, url = given.callbackUrl) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'subscription', id: given.subscriptionId, verifier: given.verifier, ...body }),
    }).then(({ status }) => status)
  /** Checks first, where `isChecking`, and answers with `answer`. */
  async function aSubgraph({ isChecking = true, status = 200, answer = { data: null } as unknown } = {}) {
    const { url, close } = await startHttpServer({
      '*': async (request, response) => {
        let body = ''
        for await (const chunk of request) body += chunk
        given = JSON.parse(body).extensions.subscription
        if (isChecking) await call({ action: 'check' })
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      },
    })
    return { url: `${url}/graphql`, close }
  }

  test('messages need the verifier and the form of the protocol', async () => {
    const { url, close } = await aSubgraph()
    const reader = await follow(await gatewayOver(url, 60), 'subscription { never }')
    const next = { action: 'next', payload: { data: { never: 1 } } }
    const statuses = [
      await call({ ...next, verifier: 'x'.repeat(43) }),
      await call({ ...next, verifier: '' }),
      await call({ ...next, verifier: null }),
      await call({ ...next, id: 'other' }),
      await call(next, given.callbackUrl.replace(given.subscriptionId, 'other')),
      await call({ action: 'next' }),
      await call({ action: 'next', payload: 'x' }),
      await call({ action: 'constructor' }),
      await call({ ...next, kind: 'other' }),
      await call({ action: 'check' }),
      await call(next),
      await call({ ...next, payload: { data: { never: 'x'.repeat(1_000_001) } } }),
      await call({ action: 'complete' }),
      await call({ action: 'complete' }),
      await call(next),
    ]
    expect(statuses).toEqual([404, 404, 404, 404, 404, 400, 400, 400, 400, 204, 204, 413, 204, 404, 404])
    expect([await reader.next(), await reader.next()]).toEqual([{ data: { never: 1 } }, { ended: null }])
    expect(given.heartbeatIntervalMs).toBe(60_000)
    await close()
  })

  test('its end with an error is that of the subscription', async () => {
    const { url, close } = await aSubgraph()
    const reader = await follow(await gatewayOver(url), 'subscription { never }')
    await call({ action: 'complete', errors: [{ message: 'Enough.', extensions: { code: 'FORBIDDEN' } }] })
    expect(await reader.next()).toMatchObject({ ended: [{ message: 'Enough.', extensions: { code: 'FORBIDDEN' } }] })
    await close()
  })

  test('one that dies is found by its missing heartbeats', async () => {
    const { url, close } = await aSubgraph()
    const reader = await follow(await gatewayOver(url), 'subscription { never }')
    await close()
    expect(await reader.next()).toMatchObject({ ended: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }] })
    expect(await call({ action: 'check' })).toBe(404)
  })

  test.each([
    ['never checks', { isChecking: false }, 'SUBGRAPH_UNAVAILABLE'],
    ['answers with an error', { answer: { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] } }, 'FORBIDDEN'],
    ['answers with 500', { status: 500 }, 'SUBGRAPH_UNAVAILABLE'],
  ])('one that %s refuses the subscription', async (_, how, code) => {
    const { url, close } = await aSubgraph(how)
    expect(await begin(await gatewayOver(url), 'subscription { never }')).toMatchObject({
      kind: 'refused',
      errors: [{ extensions: { code } }],
    })
    expect(await call({ action: 'check' })).toBe(404)
    await close()
  })
})

test('callbacks need a URL', async () => {
  const subgraphs = { counting: { url: 'http://127.0.0.1:1', subscriptions: { protocol: 'callback' as const } } }
  await expect(createGateway({ supergraph, subgraphs })).rejects.toThrow(
    'Expected "subgraphs.counting.subscriptions.callbackUrl" to be an http or https URL',
  )
})
