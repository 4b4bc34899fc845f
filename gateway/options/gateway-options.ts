import type { GraphQLSchema } from 'graphql'
import { isSchema } from 'graphql'
import { z } from 'zod'
import type { Caller } from '../../platform/http/caller.ts'
import { COST_PROFILES } from '../limits/cost-weights.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits/limits.ts'
import type { FindOverrideLabels } from '../planning/override-labels.ts'
import { canaryOptions } from './canary-options.ts'
import { contractOptions } from './contract-options.ts'
import { entityCacheOptions } from './entity-cache-options.ts'
import { eventSourceOptions } from './event-source-options.ts'
import { coprocessorOptions, hookOptions } from './hook-options.ts'
import { jwtOptions } from './jwt-options.ts'
import { shadowOptions } from './shadow-options.ts'
import { remoteSubgraphOptions } from './subgraph-options.ts'
import { traceOptions } from './trace-options.ts'
import { uploadOptions } from './upload-options.ts'
import { usageOptions } from './usage-options.ts'
import { chosen, flag, fn, options, text, wholeNumber } from './validate-options.ts'

/** Options of a local subgraph: no HTTP, no JSON. */
const localSubgraphOptions = options({
  /** Executable schema, for example of `buildSubgraphSchema` in @apollo/subgraph. */
  schema: z.custom<GraphQLSchema>(isSchema, 'an executable schema of graphql 16'),
  /** Creates the context value of resolvers, once per client operation. Default: `{ caller }`. */
  context: fn<(caller: Caller) => object>().optional(),
})
export type LocalSubgraphOptions = z.input<typeof localSubgraphOptions>

const isLocal = (value: unknown) => typeof value === 'object' && value !== null && 'schema' in value

const costMode = z.enum(['enforce', 'measure'], 'enforce or measure').optional()

const subgraphLimit = options({
  /**
   * Highest cost of what one operation sends to the subgraph; 0 sets no limit. Default: that of
   * `allSubgraphs`, or none.
   */
  cost: wholeNumber(0, 100_000_000).optional(),
  /** Default: that of `allSubgraphs`, or `costMode` of `limits`. */
  costMode,
})

const limits = options({
  /** Maximum depth of an operation; 0: unlimited. Default: 10. */
  depth: wholeNumber(0, 1_000).optional(),
  /** Maximum cost of an operation; 0: unlimited. Default: 1000. */
  cost: wholeNumber(0, 100_000_000).optional(),
  /** `measure`: operations above the limit run, and are logged and counted. Default: enforce. */
  costMode,
  /** Limits by subgraph name. */
  subgraphs: z.record(text(), subgraphLimit, 'an object by names of subgraphs').optional(),
  /** The limit of every subgraph, where `subgraphs` does not say otherwise. */
  allSubgraphs: subgraphLimit.optional(),
  /** Points for elements without `@cost`. Default: 1 per leaf, 2 per object, 10 items per list. */
  weights: options({
    /** Points of a leaf. */
    scalar: wholeNumber(0, 1_000).optional(),
    /** Points of an object. */
    object: wholeNumber(0, 1_000).optional(),
    /** Assumed length of lists. */
    listFactor: wholeNumber(1, 1_000).optional(),
  }).optional(),
})

/** Options of `createGateway` and of a configuration file, by name. */
export const gatewayOptionsShape = {
  /** Subgraph options by name. Default: the URL in the supergraph. */
  subgraphs: z
    .record(text(), chosen(isLocal, localSubgraphOptions, remoteSubgraphOptions), 'an object by names of subgraphs')
    .optional(),
  /** Options of all subgraphs over HTTP; `subgraphs` overrides them. */
  allSubgraphs: remoteSubgraphOptions.omit({ url: true }).optional(),
  /** Message brokers by the `providerId` of `@edfs__…Subscribe`. */
  eventSources: z.record(text(), eventSourceOptions, 'an object by names of brokers').optional(),
  /** Limits of depth and cost. */
  limits: limits.optional(),
  /** Whether clients may use introspection. Default: true. */
  introspection: flag().optional(),
  /** Size of the response cache in bytes; 0 disables it. */
  responseCacheBytes: wholeNumber(0, 999_999_999).optional(),
  /** Entity cache, which replaces the response cache. */
  entityCache: entityCacheOptions.optional(),
  /** Threshold of the slow operation log in ms; 0 disables it. */
  slowMilliseconds: wholeNumber(0, 60_000).optional(),
  /** Maximum operations per batch; 0, the default, refuses JSON lists. */
  batchLimit: wholeNumber(0, 50).optional(),
  /**
   * Token verification for `@authenticated`, `@requiresScopes` and `@policy`. Default: no caller is
   * authenticated, so guarded fields are refused.
   */
  jwt: jwtOptions.optional(),
  /**
   * Finds the active labels of `@override(label:)` per request; `percent(x)` is decided by the
   * gateway. Exceptions are logged, and the labels are inactive. Default: none.
   */
  findOverrideLabels: fn<FindLabelsByCaller>().optional(),
  /** Functions called at stages of an operation. */
  hooks: hookOptions.optional(),
  /** HTTP server called at stages of an operation, after `hooks`. */
  coprocessor: coprocessorOptions.optional(),
  /** Serves the part of the supergraph selected by tags. Default: everything. */
  contract: contractOptions.optional(),
  /** Also runs a sample of queries on a candidate supergraph, and compares results. */
  shadow: shadowOptions.optional(),
  /** Runs the operations of a share of callers on a candidate supergraph. */
  canary: canaryOptions.optional(),
  /** Who may read traces of query plans and fetches, by the header `atrium-trace`. Default: off. */
  queryTraces: traceOptions.optional(),
  /** Takes files of clients by the GraphQL multipart request specification. Default: they are refused. */
  uploads: uploadOptions.optional(),
  /** Who takes reports of which client uses which operation. Default: nobody, nothing is counted. */
  usage: usageOptions.optional(),
} as const

export type FindLabelsByCaller = (caller: Caller) => Iterable<string> | Promise<Iterable<string>>

/** Adapts the option to the gateway's interface. */
export const labelsByCaller =
  (hook: FindLabelsByCaller): FindOverrideLabels =>
  ({ caller }) =>
    hook(caller)

const gatewayOptions = options(gatewayOptionsShape)

/** Options before validation, in a program or a configuration file. */
export type GatewayOptions = z.input<typeof gatewayOptions>

/** Options after validation. */
export type ValidOptions = z.output<typeof gatewayOptions>

/** Limits from options. */
export function limitsOf({ limits: { depth, cost, costMode, subgraphs, allSubgraphs, weights } = {} }: ValidOptions): Limits {
  const { scalar, object, listFactor } = COST_PROFILES.default
  return {
    depth: depth ?? DEFAULT_LIMITS.depth,
    cost: cost ?? DEFAULT_LIMITS.cost,
    ...(costMode && { costMode }),
    ...(subgraphs && { subgraphs }),
    ...(allSubgraphs && { allSubgraphs }),
    ...(weights && {
      weights: {
        scalar: weights.scalar ?? scalar,
        object: weights.object ?? object,
        listFactor: weights.listFactor ?? listFactor,
      },
    }),
  }
}
