import type { Logger } from 'pino'
import { z } from 'zod'
import { createCoprocessor } from '../hooks/coprocessor.ts'
import { createHookStages, HOOK_TIMEOUT_MS, type HookStages, STAGES } from '../hooks/hook-stages.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { flag, fn, httpUrl, options, wholeNumber } from './validate-options.ts'

/** Functions called at stages of an operation. */
export const hookOptions = options({
  /** Timeout of a call in ms. Default: 1000. */
  timeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  request: fn<NonNullable<Hooks['request']>>().optional(),
  operation: fn<NonNullable<Hooks['operation']>>().optional(),
  plan: fn<NonNullable<Hooks['plan']>>().optional(),
  subgraphRequest: fn<NonNullable<Hooks['subgraphRequest']>>().optional(),
  subgraphResponse: fn<NonNullable<Hooks['subgraphResponse']>>().optional(),
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
  /** Timeout of a whole response in ms. Default: 1000. */
  timeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  /**
   * `refuse`: a failed call refuses the operation. `continue`: it is logged and ignored. Default:
   * refuse.
   */
  onFailure: z.enum(['refuse', 'continue'], 'refuse or continue').optional(),
  /** Stages at which it is called. */
  stages: options({
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
): HookStages | null {
  const remote = coprocessor && createCoprocessor(coprocessor)
  const sets = [
    ...(hooks ? [{ hooks, timeoutMs: hooks.timeoutMilliseconds ?? HOOK_TIMEOUT_MS, isOptional: false }] : []),
    ...(remote ? [remote.set] : []),
  ]
  return createHookStages(sets, log, remote?.close)
}
