/**
 * A graph at all its doors as a process of its own, so that its memory is its own and its death
 * would be seen: prints its port, answers `GET /memory` with the bytes that it holds after a
 * collection.
 */
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import pino from 'pino'
import { startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { REVIEW_SDL, reviewSubgraph, SHOP_SDL, shopSubgraph } from '../support/graph.ts'

const BELL_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@listSize"])
  type Query { bells: Int }
  type Subscription {
    rang(tone: String): Ring!
    chimed(first: Int!): [Ring!]! @listSize(slicingArguments: ["first"])
  }
  type Ring { number: Int! about: Product }
  type Product @key(fields: "id", resolvable: false) { id: ID! }
`

type Ring = { readonly number: number; readonly about: { readonly id: string } }

/** Rings every few milliseconds as long as somebody listens. */
function ringing<Event>(event: (ring: Ring) => Event): AsyncIterableIterator<Event> {
  let number = 0
  let stop = (): void => {}
  const stopped = new Promise<IteratorResult<Event>>((resolve) => {
    stop = () => resolve({ done: true, value: undefined })
  })
  const iterator: AsyncIterableIterator<Event> = {
    next: () =>
      Promise.race([
        stopped,
        new Promise<IteratorResult<Event>>((resolve) =>
          setTimeout(() => resolve({ done: false, value: event({ number: ++number, about: { id: 'a' } }) }), 50),
        ),
      ]),
    return: () => {
      stop()
      return stopped
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

const bell: Subgraph = {
  name: 'bell',
  schema: buildSubgraphSchema([
    {
      typeDefs: parse(BELL_SDL),
      resolvers: {
        Query: { bells: () => 1 },
        Subscription: {
          rang: { subscribe: () => ringing((ring) => ring), resolve: (ring: Ring) => ring },
          chimed: { subscribe: () => ringing((ring) => [ring]), resolve: (rings: readonly Ring[]) => rings },
        },
      } as never,
    },
  ]),
  context: () => ({}),
  ready: async () => {},
  close: async () => {},
}

const log = pino({ level: 'silent' })
const gateway = await startGateway({
  supergraphSdl: compose([
    { name: 'shop', typeDefs: parse(SHOP_SDL) },
    { name: 'review', typeDefs: parse(REVIEW_SDL) },
    { name: 'bell', typeDefs: parse(BELL_SDL) },
  ]),
  links: [shopSubgraph(), reviewSubgraph(), bell].map(createLocalLink),
  limits: DEFAULT_LIMITS,
  log,
})
const app = createHttpServer({ log })
await serveGraphql(app, gateway)
serveWebSockets(app, gateway)
app.get('/memory', async () => {
  globalThis.gc?.()
  return { bytes: process.memoryUsage().rss }
})
console.log(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
