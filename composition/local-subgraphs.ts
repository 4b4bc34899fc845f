import type { GatewayClient } from '../gateway/client.ts'
import type { Link } from '../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'
import type { Subgraph } from '../platform/graphql/subgraph.ts'
import type { ReadinessCheck } from '../platform/http/server.ts'
import type { Door } from '../platform/http/subgraph-routes.ts'
import { sessionCheck } from '../rest-facade/social/session/check.ts'
import { resources } from '../rest-facade/store/resources.ts'
import type { SessionCheck } from '../subgraphs/toolkit/user-token.ts'
import { type Making, STARTED } from './subgraph-factories.ts'

/** The subgraphs as a gateway reaches them, and what of them its process answers for. */
export type Graph = {
  readonly links: readonly Link[]
  readonly checks: readonly ReadinessCheck[]
  /** What clients ask the store beside the graph; null for nothing. */
  readonly door: Door | null
  /** Listeners to events in this process. */
  readonly listeners: () => number
  readonly jobs?: Subgraph['jobs']
  /** Called when the graph can be asked. */
  readonly begin: (client: GatewayClient) => Promise<void>
  /** Called when this process listens: subgraphs begin what they do unasked. */
  readonly start: () => void
}

/** All subgraphs, in this process. */
export async function graphInside(made: Omit<Making, 'isSessionOpen'>): Promise<Graph> {
  // Sessions are asked about through the graph, which is there when clients are.
  let check: SessionCheck | null = null
  const making: Making = {
    ...made,
    isSessionOpen: async (token) => {
      if (!check) throw new Error('Expected the graph to have begun before sessions are asked about.')
      return check(token)
    },
  }
  const directory = await STARTED.directory(making)
  const social = await STARTED.social(making)
  const store = await STARTED.store(making)
  const trust = await STARTED.trust(making)
  const subgraphs: readonly Subgraph[] = [directory, social, store, trust]
  return {
    links: subgraphs.map(createLocalLink),
    checks: subgraphs.map(({ name, ready }) => ({ name, check: ready })),
    door: store.door ?? null,
    listeners: () => subgraphs.reduce((sum, { listeners }) => sum + (listeners?.() ?? 0), 0),
    jobs: store.jobs,
    async begin(client) {
      check = await sessionCheck(client)
      making.defer(await store.deliverWebhooks(await resources(client)))
    },
    start() {
      for (const { start } of subgraphs) start?.()
    },
  }
}
