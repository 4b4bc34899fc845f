import type { Logger } from 'pino'
import { z } from 'zod'
import { createCoprocessor } from '../hooks/coprocessor.ts'
import { createHookStages, HOOK_TIMEOUT_MS, type HookStages, STAGES } from '../hooks/hook-stages.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { flag, fn, httpUrl, options, wholeNumber } from './validate-options.ts'

/** Functions that are called on the way of an operation. */
export const hookOptions = options({
  /** Milliseconds that each call may take. Default: 1000. */
  timeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  request: fn<NonNullable<Hooks['request']>>().optional(),
  operation: fn<NonNullable<Hooks['operation']>>().optional(),
  plan: fn<NonNullable<Hooks['plan']>>().optional(),
  subgraphRequest: fn<NonNullable<Hooks['subgraphRequest']>>().optional(),
  subgraphResponse: fn<NonNullable<Hooks['subgraphResponse']>>().optional(),
  subscriptionEvent: fn<NonNullable<Hooks['subscriptionEvent']>>().optional(),
})

/** What a coprocessor is told at one stage, beside its name and the id of the request. */
const parts = options({
  /** Headers, with credentials. Default: false. */
  headers: flag().optional(),
  /** Operation, plan, or response. Default: false. */
  body: flag().optional(),
  /** Values that hooks and coprocessors have set. Default: false. */
  context: flag().optional(),
})

/** A server that is called at stages of an operation. */
export const coprocessorOptions = options({
  /** Where it takes POST; http or https. */
  url: httpUrl(),
  /** Milliseconds until the whole answer. Default: 1000. */
  timeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  /**
   * `refuse`: what it could not judge does not go on. `continue`: it is logged and goes on as
   * if there were no coprocessor. Default: refuse.
   */
  onFailure: z.enum(['refuse', 'continue'], 'refuse or continue').optional(),
  /** The stages that it is called at. */
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

/** Hooks first, then the coprocessor; null without either. */
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
