import type { GatewayClient } from '../gateway/client.ts'
import type { Link } from '../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'
import type { Subgraph } from '../platform/graphql/subgraph.ts'
import type { ReadinessCheck } from '../platform/http/readiness.ts'
import type { SubgraphRoutes } from '../platform/http/subgraph-routes.ts'
import { roleLookup, sessionCheck } from '../rest-facade/social/session/check.ts'
import { resources } from '../rest-facade/store/resources.ts'
import type { RoleLookup } from '../subgraphs/toolkit/user-role.ts'
import type { SessionCheck } from '../subgraphs/toolkit/user-token.ts'
import { SUBGRAPH_FACTORIES, type SubgraphDeps } from './subgraph-factories.ts'

/** Subgraph links of a gateway, and the HTTP routes and jobs of their process. */
export type ConnectedSubgraphs = {
  readonly links: readonly Link[]
  readonly checks: readonly ReadinessCheck[]
  /** HTTP routes of the store outside GraphQL; null when the store runs elsewhere. */
  readonly httpRoutes: SubgraphRoutes | null
  /** Number of event subscribers in this process. */
  readonly listeners: () => number
  readonly jobs?: Subgraph['jobs']
  readonly feeds?: Subgraph['feeds']
  /** Called when the gateway can execute operations. */
  readonly connectClient: (client: GatewayClient) => Promise<void>
  /** Called when this process listens: subgraphs start background work. */
  readonly start: () => void
}

/** Creates all subgraphs in this process. */
export async function createLocalSubgraphs(shared: Omit<SubgraphDeps, 'isSessionOpen' | 'roleOf'>): Promise<ConnectedSubgraphs> {
  // Set by `connectClient`: session checks are operations of the graph, which starts after the
  // subgraphs.
  let check: SessionCheck | null = null
  let role: RoleLookup | null = null
  const deps: SubgraphDeps = {
    ...shared,
    isSessionOpen: async (token) => {
      if (!check) throw new Error('Expected the graph to have started before sessions are checked.')
      return check(token)
    },
    roleOf: async (token) => {
      if (!role) throw new Error('Expected the graph to have started before roles are read.')
      return role(token)
    },
  }
  const directory = await SUBGRAPH_FACTORIES.directory(deps)
  const social = await SUBGRAPH_FACTORIES.social(deps)
  const store = await SUBGRAPH_FACTORIES.store(deps)
  const trust = await SUBGRAPH_FACTORIES.trust(deps)
  const subgraphs: readonly Subgraph[] = [directory, social, store, trust]
  return {
    links: subgraphs.map(createLocalLink),
    checks: subgraphs.map(({ name, ready }) => ({ name, check: ready })),
    httpRoutes: store.httpRoutes ?? null,
    listeners: () => subgraphs.reduce((sum, { listeners }) => sum + (listeners?.() ?? 0), 0),
    jobs: async () => (await Promise.all(subgraphs.map(({ jobs }) => jobs?.() ?? []))).flat(),
    feeds: directory.feeds,
    async connectClient(client) {
      check = await sessionCheck(client)
      role = await roleLookup(client)
      deps.defer(await store.deliverMail())
      deps.defer(await store.deliverWebhooks(await resources(client)))
    },
    start() {
      for (const { start } of subgraphs) start?.()
    },
  }
}
