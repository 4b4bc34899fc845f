import type { Logger } from 'pino'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { EventSources } from '../event-sources/event-sources.ts'
import { assembleGateway, type StartGatewayOptions } from '../gateway.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { ValidOptions } from '../options/gateway-options.ts'
import { createSubgraphSources } from '../options/subgraph-sources.ts'
import { applyContract } from '../planning/contract.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import { createShadowTraffic, type ShadowTraffic } from './shadow-traffic.ts'

/**
 * Opens the candidate of the options; null without one. Throws an `OperatorError` for an invalid
 * candidate.
 */
export function openShadow(
  { shadow, contract, subgraphs = {}, allSubgraphs }: Pick<ValidOptions, 'subgraphs' | 'allSubgraphs' | 'contract' | 'shadow'>,
  common: Pick<StartGatewayOptions, 'limits' | 'grantsOver' | 'overrideLabels' | 'introspection'>,
  {
    log,
    metrics,
    eventLinksOf,
  }: { readonly log: Logger; readonly metrics: Metrics | null; readonly eventLinksOf: EventSources['linksOf'] },
): ShadowTraffic | null {
  if (!shadow) return null
  let release: (() => Promise<unknown>) | null = null
  try {
    const locations = subgraphLocations(shadow.supergraph)
    const known = new Set(locations.map(({ name }) => name))
    // Separate connections, retries and circuit breakers, so that the candidate cannot slow down
    // the served graph.
    const sources = createSubgraphSources(
      {
        subgraphs: Object.fromEntries(Object.entries(subgraphs).filter(([name]) => known.has(name))),
        ...(allSubgraphs && { allSubgraphs }),
      },
      log,
    )
    const taken = sources.take(locations, eventLinksOf(shadow.supergraph))
    release = taken.release
    const supergraphSdl = contract ? applyContract(shadow.supergraph, contract) : shadow.supergraph
    const gateway = assembleGateway({ ...common, supergraphSdl, links: taken.links, log })
    const close = async (): Promise<void> => {
      await gateway.close()
      await taken.release()
    }
    const { percent, compare = true, maxConcurrency = 10, values = false } = shadow
    return createShadowTraffic(
      { prepareText: gateway.prepareText, close },
      { percent, isCompared: compare, maxConcurrency, withValues: values },
      { log, metrics },
    )
  } catch (error) {
    void release?.()
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new OperatorError(`"shadow.supergraph" cannot be served: ${line.replace(/\.$/, '')}.`, { cause: error })
  }
}
