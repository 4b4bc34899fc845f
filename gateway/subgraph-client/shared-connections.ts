import type { RequestDispatcher } from './limited-dispatcher.ts'
import type { Connector } from './tls-connector.ts'

/** A pool that is replaced when TLS files change. */
export type OpenPool = {
  /** For each request anew. */
  readonly current: () => RequestDispatcher
  /** The same pool, of which it takes half at most. */
  readonly half: RequestDispatcher
  /** Whether requests wait behind others of their connection (HTTP/1.1 pipelining). */
  readonly isPipelined: boolean
  readonly close: () => Promise<void>
}

/**
 * Connections that links of one set of subgraph options share: those of the served supergraph and
 * of its canary. A subgraph shares with itself at one origin alone, so that its TLS files, timeouts
 * and limits are the same. Each is opened for its first user and closed by its last.
 */
export type SharedConnections = {
  readonly pool: (subgraph: string, origin: string, open: () => OpenPool) => OpenPool
  readonly connector: (subgraph: string, open: () => Connector) => Connector
}

export function createSharedConnections(): SharedConnections {
  const connectors = createShared<Connector>()
  return {
    pool: createSharedPools(),
    connector: connectors,
  }
}

/**
 * Those of a candidate supergraph: of each pool all candidates together take half at most, so that
 * a slow one leaves the other half to the served supergraph. `lift` ends that for this one. With
 * pipelining each has a pool of its own, because requests wait behind slow ones of their connection.
 */
export function candidateConnections(connections: SharedConnections): {
  readonly connections: SharedConnections
  readonly lift: () => void
} {
  let isLifted = false
  const ownPool = createSharedPools()
  return {
    connections: {
      ...connections,
      pool(...given) {
        const served = connections.pool(...given)
        const pool = served.isPipelined ? ownPool(...given) : served
        if (pool !== served) void served.close()
        return { ...pool, current: () => (isLifted ? pool.current() : pool.half) }
      },
    },
    lift() {
      isLifted = true
    },
  }
}

function createSharedPools(): SharedConnections['pool'] {
  const pools = createShared<OpenPool>()
  return (subgraph, origin, open) => pools(JSON.stringify([subgraph, origin]), open)
}

type Closable = { readonly close: () => Promise<void> }

/** Opens a resource per key for the first user; its `close` counts a user less, once. */
function createShared<Resource extends Closable>(): (key: string, open: () => Resource) => Resource {
  const resources = new Map<string, { readonly resource: Resource; users: number }>()
  return (key, open) => {
    const shared = resources.get(key) ?? { resource: open(), users: 0 }
    resources.set(key, shared)
    shared.users++
    let isClosed = false
    return {
      ...shared.resource,
      async close() {
        if (isClosed) return
        isClosed = true
        if (--shared.users > 0) return
        resources.delete(key)
        await shared.resource.close()
      },
    }
  }
}
