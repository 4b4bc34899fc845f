import type { Logger } from 'pino'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { subgraphUrlProblem } from '../planning/subgraph-url.ts'
import type { Link } from '../subgraph-client/link.ts'
import { createLinkPool, type SubgraphLocation } from '../subgraph-client/link-pool.ts'
import { createLocalLink } from '../subgraph-client/local-subgraph.ts'
import { createRemoteLink } from '../subgraph-client/remote-subgraph.ts'
import { createSharedConnections, type SharedConnections } from '../subgraph-client/shared-connections.ts'
import { type Callbacks, createCallbacks } from '../subgraph-client/upstream-callbacks.ts'
import type { LocalSubgraphOptions, ValidOptions } from './gateway-options.ts'
import { remoteOptionsOf, trafficShapingOf } from './traffic-shaping.ts'

/** Links of a gateway, local and remote, created from subgraph options. */
export type SubgraphSources = {
  /** Registry for the HTTP callback protocol. */
  readonly callbacks: Callbacks
  readonly connections: SharedConnections
  /**
   * Returns links for these subgraphs; `release` closes those that no other graph uses. Throws an
   * `OperatorError` for a subgraph without a usable URL, and for options of an unknown subgraph.
   */
  readonly take: (
    composed: readonly SubgraphLocation[],
    /** Links of event subgraphs by name. */
    events?: ReadonlyMap<string, Link>,
  ) => {
    readonly links: readonly Link[]
    /** URLs of the remote subgraphs. */
    readonly locations: readonly SubgraphLocation[]
    readonly release: () => Promise<unknown>
  }
}

type Settings = { readonly [Name in 'subgraphs' | 'allSubgraphs']?: ValidOptions[Name] }

/**
 * Creates the links' pool, which survives hot swaps. `shared` is that of other sources with the same
 * settings, whose callbacks and connections it uses.
 */
export function createSubgraphSources(
  settings: Settings,
  log: Logger,
  shared: Partial<Pick<SubgraphSources, 'callbacks' | 'connections'>> = {},
): SubgraphSources {
  const { callbacks = createCallbacks(), connections = createSharedConnections() } = shared
  const { subgraphs = {} } = settings
  const pool = createLinkPool((location) => {
    const options = remoteOptionsOf(settings, location.name)
    const { timeoutMilliseconds, subscriptions } = options
    return createRemoteLink({
      ...location,
      log,
      subscriptions,
      callbacks,
      shaping: trafficShapingOf(location.name, options, log, connections),
      ...(timeoutMilliseconds !== undefined && { timeoutMilliseconds }),
    })
  })
  const locals = new Map<string, Link>()
  for (const [name, each] of Object.entries(subgraphs)) if ('schema' in each) locals.set(name, localLink(name, each))

  return {
    callbacks,
    connections,
    take(composed, events = new Map()) {
      const names = composed.map(({ name }) => name)
      const unknown = Object.keys(subgraphs).find((name) => !names.includes(name))
      if (unknown !== undefined) {
        throw new OperatorError(`Expected "subgraphs" to have names of the supergraph (${names.join(', ')}), got "${unknown}".`)
      }
      const locations = composed.filter(({ name }) => !locals.has(name) && !events.has(name)).map(located)
      const { links, release } = pool.take(locations)
      return { links: [...links, ...locals.values(), ...events.values()], locations, release }
    },
  }

  function located({ name, url: composed }: SubgraphLocation): SubgraphLocation {
    const url = remoteOptionsOf(settings, name).url ?? composed
    const problem = subgraphUrlProblem(url)
    if (problem !== null) throw new OperatorError(`The subgraph "${name}" is at ${problem}`)
    return { name, url }
  }
}

const localLink = (name: string, { schema, context = (caller) => ({ caller }) }: LocalSubgraphOptions): Link =>
  createLocalLink({ name, schema, context, ready: async () => {}, close: async () => {} })
