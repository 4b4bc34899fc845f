import type { Logger } from 'pino'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { EventSources } from '../event-sources/event-sources.ts'
import { assembleGateway, type StartGatewayOptions } from '../gateway.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { ValidOptions } from '../options/gateway-options.ts'
import { createSubgraphSources, type SubgraphSources } from '../options/subgraph-sources.ts'
import { applyContract } from '../planning/contract.ts'
import type { Graph } from '../planning/hot-swap.ts'
import type { ServedGraph } from '../planning/served-graph.ts'
import type { FollowedSupergraph } from '../planning/sources/follow-supergraph.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import { createShadowTraffic, type ShadowTraffic } from '../shadow/shadow-traffic.ts'
import { candidateConnections } from '../subgraph-client/shared-connections.ts'
import { type Canary, createCanary } from './canary.ts'
import { supergraphId } from './supergraph-id.ts'

/** What differs between the graphs of both versions. */
export type GraphParts = { readonly sources: SubgraphSources; readonly shadow: ShadowTraffic | null }

type CanarySettings = Pick<ValidOptions, 'subgraphs' | 'allSubgraphs' | 'contract'> & {
  readonly canary: NonNullable<ValidOptions['canary']>
}

/** Defaults of the rollback. */
const ERROR_PERCENT = 5
const MIN_REQUESTS = 50
const WINDOW_SECONDS = 60

/**
 * Opens the canary of the options, and starts its first candidate. `graphOf` creates graphs of
 * candidates, as it does for served ones. Rejects with an `OperatorError` for a candidate that
 * cannot be served.
 */
export async function openCanary<Made extends Graph>(
  settings: CanarySettings,
  common: Pick<StartGatewayOptions, 'limits' | 'grantsOver' | 'overrideLabels' | 'introspection'>,
  {
    served,
    graphOf,
    shared,
    eventLinksOf,
    log,
    metrics,
  }: {
    readonly served: ServedGraph<Made>
    readonly graphOf: (sdl: string, parts: GraphParts) => Made | Promise<Made>
    /** Callbacks and connections of the served supergraph. */
    readonly shared: Pick<SubgraphSources, 'callbacks' | 'connections'>
    readonly eventLinksOf: EventSources['linksOf']
    readonly log: Logger
    readonly metrics: Metrics | null
  },
): Promise<{ readonly canary: Canary; readonly close: () => Promise<void> }> {
  const { supergraph, percent, header, optIn, rollback = {} } = settings.canary
  const comparison = settings.canary.compare === false ? null : openComparison()
  const { errorPercent = ERROR_PERCENT, minRequests = MIN_REQUESTS, windowSeconds = WINDOW_SECONDS } = rollback
  const canary = createCanary(
    served.current().gateway,
    { percent, header, optIn, rollback: { errorPercent, minRequests, windowMs: windowSeconds * 1_000 } },
    { log, metrics, comparison: comparison?.report ?? null },
  )
  let followed: FollowedSupergraph | null = null
  const close = async () => {
    await followed?.close()
    await comparison?.close()
  }
  try {
    if (typeof supergraph === 'string') await start(supergraph)
    else {
      const { followSource } = await import('../planning/sources/follow-source.ts')
      followed = await followSource(supergraph, start, log)
    }
  } catch (error) {
    await close()
    if (!(error instanceof OperatorError)) throw error
    throw new OperatorError(`"canary.supergraph" cannot be served: ${error.message}`, { cause: error })
  }
  return { canary, close }

  async function start(sdl: string): Promise<void> {
    const { connections, lift } = candidateConnections(shared.connections)
    // Retries, circuit breakers and deduplication are its own: a failing subgraph of the candidate
    // alone must not be cut off for the others.
    const sources = createSubgraphSources(settings, log, { ...shared, connections })
    const graph = await graphOf(sdl, { sources, shadow: comparison })
    const promoted = () => {
      lift()
      served.promoted(sdl, graph)
    }
    canary.start({ id: supergraphId(sdl), graph, promoted })
  }

  /** The served supergraph without hooks, caches and budget, for copies of the candidate's queries. */
  function openComparison(): ShadowTraffic {
    const { connections } = candidateConnections(shared.connections)
    const sources = createSubgraphSources(settings, log, { ...shared, connections })
    let opened: { readonly sdl: string; readonly graph: Graph } | null = null
    const current = (): Graph => {
      const { sdl } = served.current()
      if (opened?.sdl !== sdl) {
        void close()
        opened = { sdl, graph: assemble(sdl) }
      }
      return opened.graph
    }
    const assemble = (sdl: string): Graph => {
      const { links, release } = sources.take(subgraphLocations(sdl), eventLinksOf(sdl))
      const { contract } = settings
      const supergraphSdl = contract ? applyContract(sdl, contract) : sdl
      return { gateway: assembleGateway({ ...common, supergraphSdl, links, log }), release }
    }
    const close = async (): Promise<void> => {
      const previous = opened
      opened = null
      await previous?.graph.gateway.close()
      await previous?.graph.release()
    }
    const { maxConcurrency = 10, values = false } = settings.canary
    return createShadowTraffic(
      { prepareText: (text, operationName) => current().gateway.prepareText(text, operationName), close },
      { percent: 100, isCompared: true, maxConcurrency, withValues: values, isReversed: true },
      { log, metrics },
    )
  }
}
