import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../gateway/limits/limits.ts'
import { withTimeout } from '../../gateway/operations/timeout.ts'
import { compose } from '../../gateway/planning/composition.ts'
import { createRemoteLink } from '../../gateway/subgraph-client/remote-subgraph.ts'
import { runBatch } from '../../gateway/transports/batch.ts'
import { CALLER, type Counted, recordingLog, requestContext } from './support/graph.ts'
import { answerOf, type Exchange, serveRemote } from './support/remote.ts'
import { openTransports, type Transports } from './support/transports.ts'

const HEAD = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])'
const SDL = {
  bank: `${HEAD} type Query { balance: Int } type Mutation { pay: Int }`,
  stock: `${HEAD} type Query { left: Int } type Mutation { take: Int }`,
}
const BOTH = 'mutation { pay take }'

async function aSubgraph(name: keyof typeof SDL, field: string) {
  const schema = buildSubgraphSchema([{ typeDefs: parse(SDL[name]), resolvers: { Mutation: { [field]: () => 1 } } }])
  const subgraph: Counted = {
    name,
    schema,
    context: () => ({}),
    contexts: () => 0,
    ready: async () => {},
    close: async () => {},
  }
  const remote = await serveRemote(subgraph)
  const link = createRemoteLink({ name, url: remote.url })
  onTestFinished(async () => {
    await link.close()
    remote.server.close().closeAllConnections()
  })
  return { remote, link, answered: (exchange: Exchange) => answerOf(subgraph, exchange.body) }
}

/**
 * A graph of two subgraphs over HTTP at all its doors. The first of them keeps its mutation waiting
 * until `go` is called; `asked` says whether it waits.
 */
async function aShop() {
  const [bank, stock] = [await aSubgraph('bank', 'pay'), await aSubgraph('stock', 'take')]
  const held = Promise.withResolvers<Exchange>()
  const gate = Promise.withResolvers<void>()
  bank.remote.next.push(async (exchange) => {
    held.resolve(exchange)
    await gate.promise
    exchange.response.setHeader('content-type', 'application/json').end(await bank.answered(exchange))
  })
  const gateway = await startGateway({
    supergraphSdl: compose([
      { name: 'bank', typeDefs: parse(SDL.bank) },
      { name: 'stock', typeDefs: parse(SDL.stock) },
    ]),
    links: [bank.link, stock.link],
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
  })
  const transports = await openTransports(gateway)
  onTestFinished(transports.close)
  return { gateway, transports, paying: held.promise, go: gate.resolve, taken: () => stock.remote.requests.length }
}

const posted = (accept: string) => async (transports: Transports) => {
  const client = new AbortController()
  fetch(`${transports.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query: BOTH }),
    signal: client.signal,
  }).catch(() => {})
  return () => client.abort()
}

/** Each begins the mutation and returns how its client leaves. */
const DEPARTURES: readonly { who: string; begin: (transports: Transports, gateway: Gateway) => Promise<() => void> }[] = [
  { who: 'an HTTP client that hangs up', begin: posted('application/json') },
  { who: 'a reader of an event stream who hangs up', begin: posted('text/event-stream') },
  {
    who: 'a WebSocket that completes its operation',
    begin: async (transports) => {
      const { socket } = await transports.socket()
      socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query: BOTH } }))
      return () => socket.send(JSON.stringify({ id: 'a', type: 'complete' }))
    },
  },
  {
    who: 'a WebSocket that breaks',
    begin: async (transports) => {
      const { socket } = await transports.socket()
      socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query: BOTH } }))
      return () => socket.terminate()
    },
  },
  {
    who: 'a caller of one of our own facades',
    begin: async (_, { client }) => {
      const own = parse(BOTH) as never
      await client.prepare(own)
      const caller = new AbortController()
      void client.run(own, {}, CALLER, caller.signal)
      return () => caller.abort(new Error('The client is gone.'))
    },
  },
]

test.each(DEPARTURES)('a mutation over two subgraphs completes for $who', async ({ begin }) => {
  const { transports, gateway, paying, go, taken } = await aShop()
  const leave = await begin(transports, gateway)
  const { request } = await paying
  leave()
  // Until the door has heard of it.
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect([request.socket.destroyed, taken()]).toEqual([false, 0])
  go()
  await expect.poll(() => taken()).toBe(1)
})

test('one that has not begun when its client leaves does not begin', async () => {
  const { gateway, taken } = await aShop()
  const prepared = gateway.prepareText('mutation { take }', undefined)
  if (prepared.kind === 'rejected') throw new Error('Expected it to be executable.')
  const verification = await prepared.run({}, { caller: CALLER, signal: AbortSignal.abort(new Error('gone')) })
  expect([verification.errors?.[0]?.extensions?.code, taken()]).toEqual(['TIMEOUT', 0])
})

test('of a batch, the one that runs is done whole, and those behind it do not begin', async () => {
  const { gateway, paying, go, taken } = await aShop()
  const gone = new AbortController()
  const running = runBatch(gateway, [{ query: BOTH }, { query: BOTH }], 2, { caller: CALLER, signal: gone.signal })
  await paying
  gone.abort(new Error('gone'))
  go()
  const batch = await running
  expect(batch).toMatchObject({
    results: [{ data: { pay: 1, take: 1 } }, { errors: [{ extensions: { code: 'TIMEOUT' } }] }],
  })
  expect(taken()).toBe(1)
})

test('work that outlives its client ends by its own timeout or that of its parent', async () => {
  const ended = (milliseconds: number, within: number) =>
    withTimeout(within, requestContext(), (whole) =>
      withTimeout(
        milliseconds,
        whole,
        ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason.message))),
        { outlivesClient: true },
      ),
    )
  expect(await Promise.all([ended(20, 10_000), ended(10_000, 30)])).toEqual([
    'The operation took longer than 20 ms.',
    'The operation took longer than 30 ms.',
  ])
})
