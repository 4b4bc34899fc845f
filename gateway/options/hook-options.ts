import type { Logger } from 'pino'
import { z } from 'zod'
import { createCoprocessor } from '../hooks/coprocessor.ts'
import { createHookStages, HOOK_TIMEOUT_MS, type HookStages, STAGES } from '../hooks/hook-stages.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Metrics } from '../observability/metrics.ts'
import { flag, fn, httpUrl, options, text, wholeNumber } from './validate-options.ts'

/** Subgraphs whose requests and responses are passed on. Default: all. */
const subgraphs = z.array(text('the name of a subgraph'), 'a list of names of subgraphs').min(1, 'at least one name').optional()

/** Functions called at stages of an operation. */
export const hookOptions = options({
  /** Subgraphs at whose requests and responses functions are called. Default: all. */
  subgraphs,
  /** Timeout of a call in ms. Default: 1000. */
  timeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  /** Called before tokens are verified. */
  request: fn<NonNullable<Hooks['request']>>().optional(),
  /** Called after authentication and header rules, before limits. */
  operation: fn<NonNullable<Hooks['operation']>>().optional(),
  /** Called after limits, before caches and the first fetch. */
  plan: fn<NonNullable<Hooks['plan']>>().optional(),
  /** Called before each fetch, and before a subscription is opened. */
  subgraphRequest: fn<NonNullable<Hooks['subgraphRequest']>>().optional(),
  /** Called after each fetch, and for each event of a subgraph. */
  subgraphResponse: fn<NonNullable<Hooks['subgraphResponse']>>().optional(),
  /** Called for each event of each subscriber. */
  subscriptionEvent: fn<NonNullable<Hooks['subscriptionEvent']>>().optional(),
})

/** Parts of a coprocessor message, in addition to stage and request id. */
const parts = options({
  /** Headers including credentials. Default: false. */
  headers: flag().optional(),
  /** Operation, plan or response. Default: false. */
  body: flag().optional(),
  /** Values set by hooks and coprocessors. Default: false. */
  context: flag().optional(),
})

/** Options of a coprocessor: an HTTP server called at stages of an operation. */
export const coprocessorOptions = options({
  /** URL for POST requests, http or https. */
  url: httpUrl(),
  /** Subgraphs at whose requests and responses it is called. Default: all. */
  subgraphs,
  /** Timeout of a whole response in ms. Default: 1000. */
  timeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  /**
   * `refuse`: a failed call refuses the operation. `continue`: it is logged and ignored. Default:
   * refuse.
   */
  onFailure: z.enum(['refuse', 'continue'], 'refuse or continue').optional(),
  /** Stages at which it is called. */
  stages: options({
    /** Parts of its messages. */
    request: parts.optional(),
    operation: parts.optional(),
    plan: parts.optional(),
    subgraphRequest: parts.optional(),
    subgraphResponse: parts.optional(),
    subscriptionEvent: parts.optional(),
  }).refine(
    (stages) => STAGES.some((stage) => stages[stage] !== undefined),
    `an object with at least one of ${STAGES.join(', ')}`,
  ),
})

/** Stages with hooks first, then the coprocessor; null without either. */
export function hookStagesOf(
  {
    hooks,
    coprocessor,
  }: {
    readonly hooks?: z.output<typeof hookOptions> | undefined
    readonly coprocessor?: z.output<typeof coprocessorOptions> | undefined
  },
  log: Logger,
  metrics: Metrics | null = null,
): HookStages | null {
  const remote = coprocessor && createCoprocessor(coprocessor)
  const own = hooks && {
    name: 'function' as const,
    hooks,
    subgraphs: hooks.subgraphs ? new Set(hooks.subgraphs) : null,
    timeoutMs: hooks.timeoutMilliseconds ?? HOOK_TIMEOUT_MS,
    isOptional: false,
  }
  const sets = [own, remote?.set].filter((set) => set !== undefined)
  return createHookStages(sets, log, { ...(remote && { close: remote.close }), measure: metrics?.hookCalled ?? null })
}
