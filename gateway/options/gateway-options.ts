import type { GraphQLSchema } from 'graphql'
import { isSchema } from 'graphql'
import { z } from 'zod'
import type { Caller } from '../../platform/http/caller.ts'
import { COST_PROFILES } from '../limits/cost-weights.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits/limits.ts'
import type { FindOverrideLabels } from '../planning/override-labels.ts'
import { contractOptions } from './contract-options.ts'
import { entityCacheOptions } from './entity-cache-options.ts'
import { eventSourceOptions } from './event-source-options.ts'
import { coprocessorOptions, hookOptions } from './hook-options.ts'
import { jwtOptions } from './jwt-options.ts'
import { shadowOptions } from './shadow-options.ts'
import { remoteSubgraphOptions } from './subgraph-options.ts'
import { usageOptions } from './usage-options.ts'
import { chosen, flag, fn, options, text, wholeNumber } from './validate-options.ts'

/** A subgraph inside this process: no HTTP, no JSON. */
const localSubgraphOptions = options({
  /** Executable schema, as `buildSubgraphSchema` of @apollo/subgraph makes it. */
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
  /** Deepest nesting of an operation; 0 turns the limit off. Default: 10. */
  depth: wholeNumber(0, 1_000).optional(),
  /** Highest cost of an operation; 0 turns the limit off. Default: 1000. */
  cost: wholeNumber(0, 100_000_000).optional(),
  /**
   * `measure`: an operation that costs more runs all the same, is logged and is counted. Default:
   * enforce.
   */
  costMode,
  /** Limits of subgraphs by their name in the supergraph. */
  subgraphs: z.record(text(), subgraphLimit, 'an object by names of subgraphs').optional(),
  /** The limit of every subgraph, where `subgraphs` does not say otherwise. */
  allSubgraphs: subgraphLimit.optional(),
  /** Points where the schema has no `@cost`. Default: 1 for a leaf, 2 for an object, 10 items for a list. */
  weights: options({
    scalar: wholeNumber(0, 1_000).optional(),
    object: wholeNumber(0, 1_000).optional(),
    listFactor: wholeNumber(1, 1_000).optional(),
  }).optional(),
})

/** What `createGateway` and a configuration file have in common, by name. */
export const gatewayOptionsShape = {
  /** Subgraphs by their name in the supergraph; one that is absent is at the URL that it names. */
  subgraphs: z
    .record(text(), chosen(isLocal, localSubgraphOptions, remoteSubgraphOptions), 'an object by names of subgraphs')
    .optional(),
  /** What holds for every subgraph over HTTP, where `subgraphs` does not say otherwise. */
  allSubgraphs: remoteSubgraphOptions.omit({ url: true }).optional(),
  /** Brokers of events by the `providerId` of `@edfs__…Subscribe` in the supergraph. */
  eventSources: z.record(text(), eventSourceOptions, 'an object by names of brokers').optional(),
  /** Depth and cost of an operation. */
  limits: limits.optional(),
  /** Whether clients may introspect the schema. Default: true. */
  introspection: flag().optional(),
  /** Size of the response cache in bytes; 0 switches it off. */
  responseCacheBytes: wholeNumber(0, 999_999_999).optional(),
  /** Caches entities of subgraphs one by one, in place of responses. */
  entityCache: entityCacheOptions.optional(),
  /** Operations that take at least so many milliseconds are logged; 0 logs none. */
  slowMilliseconds: wholeNumber(0, 60_000).optional(),
  /** Maximum operations of a batch; 0, the default, refuses JSON lists. */
  batchLimit: wholeNumber(0, 50).optional(),
  /**
   * Verifies bearer tokens for `@authenticated`, `@requiresScopes` and `@policy`. Without it nobody
   * is authenticated, and guarded fields are refused.
   */
  jwt: jwtOptions.optional(),
  /**
   * Labels of `@override(label:)` that are active for a request. `percent(x)` is decided by the
   * gateway, for each request. A hook that throws is logged, and its labels are inactive. Default:
   * none.
   */
  findOverrideLabels: fn<FindLabelsByCaller>().optional(),
  /** Functions that are called on the way of an operation. */
  hooks: hookOptions.optional(),
  /** A server that is asked at stages of an operation, after `hooks`. */
  coprocessor: coprocessorOptions.optional(),
  /** Serves the part of the supergraph that has some tags, and not others. Default: all of it. */
  contract: contractOptions.optional(),
  /** Runs a part of the queries on a candidate supergraph as well, and compares the answers. */
  shadow: shadowOptions.optional(),
  /** Who takes reports of which client uses which operation. Default: nobody, nothing is counted. */
  usage: usageOptions.optional(),
} as const

export type FindLabelsByCaller = (caller: Caller) => Iterable<string> | Promise<Iterable<string>>

/** The hook as the gateway calls it. */
export const labelsByCaller =
  (hook: FindLabelsByCaller): FindOverrideLabels =>
  ({ caller }) =>
    hook(caller)

const gatewayOptions = options(gatewayOptionsShape)

/** Options of a gateway, in a program as in a configuration file. */
export type GatewayOptions = z.input<typeof gatewayOptions>

/** The same, validated. */
export type ValidOptions = z.output<typeof gatewayOptions>

/** The limits that options ask for. */
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
