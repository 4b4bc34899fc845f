import { MAX_BODY_BYTES } from '../../platform/http/body-limit.ts'
import { COST_PROFILES, type DefaultWeights } from './cost-weights.ts'

/** The bounds that an operator may move; 0 switches one off. */
export type Limits = {
  /** Levels of fields below the operation; introspection does not count. */
  readonly depth: number
  /** Points of one operation with its real variables; see cost.ts. */
  readonly cost: number
  /** `measure`: what costs more runs and is reported. Absent: it is refused. */
  readonly costMode?: 'enforce' | 'measure'
  /** What one operation may send to each subgraph, by the name of the subgraph. */
  readonly subgraphs?: Readonly<Record<string, SubgraphLimit>>
  /** The same for all subgraphs, where `subgraphs` does not say otherwise. */
  readonly allSubgraphs?: SubgraphLimit
  /** What counts where the schema says nothing; absent: the profile `default`. */
  readonly weights?: DefaultWeights
}

/** The bound of what one operation sends to one subgraph. */
export type SubgraphLimit = {
  /** Points; 0: no bound. Absent: that of all subgraphs, or none. */
  readonly cost?: number | undefined
  /** Absent: that of all subgraphs, or `costMode` of all limits. */
  readonly costMode?: Limits['costMode'] | undefined
}

/** The configured limits; a weight of its own overrides the profile. */
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

/** What production systems recommend, and enough for a page of 50 items with ten fields each. */
export const DEFAULT_LIMITS: Limits = { depth: 10, cost: 1000 }

/** Bounds without a switch: behind each of them lies work that grows faster than the request. */
export const BOUNDS = {
  /** Bytes of a request body. */
  bodyBytes: MAX_BODY_BYTES,
  /** Tokens of a document. The standard introspection query has 350. */
  tokens: 5_000,
  /**
   * One response name, and fragments, spreads and directives of all names, in one document:
   * validation compares them pair by pair.
   */
  repetitions: 300,
  /** Fields after all fragments are spread: what planning and execution really see. */
  fields: 5_000,
  /** Aliased fields, after all fragments are spread. */
  aliases: 200,
  /** Fields of the root type, after all fragments are spread: each may be a fetch of its own. */
  rootFields: 50,
  /** `@defer`, after all fragments are spread: each is a payload of its own. */
  defers: 20,
  /** `__schema` and `__type` at the root: each answers with up to the whole schema. */
  introspections: 4,
  /** Nesting of lists and objects in variables, and in the values of a document. */
  variableDepth: 30,
  /** Maximum of a slicing argument (page size), in items. Subgraphs usually allow less. */
  pageSize: 1_000,
  /**
   * Wall time of an operation; of a subscription, of its beginning and of what is resolved for each
   * event.
   */
  operationTimeoutMs: 10_000,
  /** Operations that run at once over one WebSocket. */
  socketOperations: 100,
  /**
   * Bytes that wait for the reader of a WebSocket before it is closed. Longer than a long answer; a
   * reader who keeps up has none.
   */
  socketBacklogBytes: 1_000_000,
  /**
   * WebSockets of a process, and as many event streams: 20,000 idle ones take about 300 MB. There
   * is no bound per address: behind a proxy all have one.
   */
  connections: 20_000,
  /** Events that wait for one listener before the subscription ends with SLOW_READER. */
  waitingEvents: 1_000,
} as const
