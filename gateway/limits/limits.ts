import { MAX_BODY_BYTES } from '../../platform/http/body-limit.ts'
import { COST_PROFILES, type DefaultWeights } from './cost-weights.ts'

/** Configurable limits; 0 disables one. */
export type Limits = {
  /** Maximum depth; introspection does not count. */
  readonly depth: number
  /** Maximum cost in points with the request's variables; see cost-limit.ts. */
  readonly cost: number
  /** `measure`: operations above the cost limit run and are reported. Absent: refused. */
  readonly costMode?: 'enforce' | 'measure'
  /** Limits of what one operation sends to each subgraph, by subgraph name. */
  readonly subgraphs?: Readonly<Record<string, SubgraphLimit>>
  /** Limit of all subgraphs, for what `subgraphs` does not set. */
  readonly allSubgraphs?: SubgraphLimit
  /** Weights for elements without directives; absent: the profile `default`. */
  readonly weights?: DefaultWeights
}

/** Limit of what one operation sends to a subgraph. */
export type SubgraphLimit = {
  /** Points; 0: unlimited. Absent: the limit of all subgraphs, if any. */
  readonly cost?: number | undefined
  /** Absent: the mode of all subgraphs, else `costMode` of all limits. */
  readonly costMode?: Limits['costMode'] | undefined
}

/** Limits by configuration; a separately set weight overrides the profile. */
export const limitsFromConfig = (config: {
  readonly DEPTH_LIMIT: number
  readonly COST_LIMIT: number
  readonly COST_PROFILE: keyof typeof COST_PROFILES
  readonly COST_SCALAR?: number | undefined
  readonly COST_OBJECT?: number | undefined
  readonly COST_LIST_FACTOR?: number | undefined
}): Limits => {
  const { scalar, object, listFactor } = COST_PROFILES[config.COST_PROFILE]
  return {
    depth: config.DEPTH_LIMIT,
    cost: config.COST_LIMIT,
    weights: {
      scalar: config.COST_SCALAR ?? scalar,
      object: config.COST_OBJECT ?? object,
      listFactor: config.COST_LIST_FACTOR ?? listFactor,
    },
  }
}

/** Commonly recommended values; enough for a page of 50 items with ten fields each. */
export const DEFAULT_LIMITS: Limits = { depth: 10, cost: 1000 }

/** Fixed limits: above each one, work grows faster than the request. */
export const BOUNDS = {
  /** Bytes of a request body. */
  bodyBytes: MAX_BODY_BYTES,
  /** Tokens of a document; the standard introspection query has 350. */
  tokens: 5_000,
  /**
   * Occurrences of one response name, and of fragments, spreads and directives, because validation
   * compares them in pairs.
   */
  repetitions: 300,
  /** Fields after spreading fragments, which planning and execution depend on. */
  fields: 5_000,
  /** Aliased fields after spreading fragments. */
  aliases: 200,
  /** Root fields after spreading fragments, because each may cause a fetch. */
  rootFields: 50,
  /** `@defer` after spreading fragments, because each causes a payload. */
  defers: 20,
  /** Root fields `__schema` and `__type`, because each may return the whole schema. */
  introspections: 4,
  /** Nesting of lists and objects in variables and literals. */
  variableDepth: 30,
  /** Maximum page size (slicing argument) in items; subgraphs usually allow less. */
  pageSize: 1_000,
  /** Timeout of an operation, in a subscription of its start and of each event. */
  operationTimeoutMs: 10_000,
  /** Concurrent operations per WebSocket. */
  socketOperations: 100,
  /**
   * Unsent bytes after which a WebSocket is closed: more than a large response. A client that keeps
   * up has none.
   */
  socketBacklogBytes: 1_000_000,
  /**
   * WebSockets per process, and as many event streams: 20,000 idle ones take about 300 MB. Not
   * limited per address, because all clients of a proxy share one.
   */
  connections: 20_000,
  /** Queued events of a subscriber, above which its subscription ends with SLOW_READER. */
  waitingEvents: 1_000,
} as const
