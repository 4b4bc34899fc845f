import { GraphQLError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { Begin, EventPipeline, StillAllowed } from '../subscriptions/subscribe.ts'
import type { OperationGuard, Refused } from './authorization.ts'
import { refusalErrors } from './refusal-errors.ts'

/** Refusals of the caller that started a subscription. */
export type AllowedPart = Refused & Pick<OperationGuard, 'ready'>

/**
 * Applies authorization to a subscription. `planned` plans the whole operation, or its allowed
 * part. A caller without access to the root field is refused before the event source is opened.
 * Grants of callers with credentials are checked again before each event: a change ends the
 * subscription. Anonymous callers always have the same grants. `activeLabels`: key of the labels
 * that `planned` plans with.
 */
export function guardedSubscription(
  guard: OperationGuard | null,
  activeLabels: string,
  planned: (allowed: AllowedPart | null) => Begin,
): Begin {
  const whole = planned(null)
  if (!guard) return whole
  const { ready, remember } = guard

  return async (variables, context, onReleased) => {
    const refused = await guard.check(context)
    if (refused && !refused.refusals.allowed) return { kind: 'refused', errors: refusalErrors(refused) }
    return planFor(refused)(variables, context, onReleased, recheckOf(guard, context.caller, keyOf(refused)))
  }

  function planFor(refused: Refused | null): Begin {
    if (!refused) return whole
    // Subscribers share results with their errors, so the key includes the error texts.
    const key = `${activeLabels}${refused.refusals.key} ${refused.errorKey}`
    return remember('subscription', key, () => planned({ ...refused, ready }))
  }
}

/**
 * Outside the closure above, which would keep the request context in memory as long as the
 * subscription runs.
 */
function recheckOf(guard: OperationGuard, caller: Caller, key: string): StillAllowed {
  const requestContext = { caller, signal: NEVER }
  return async () => keyOf(await guard.check(requestContext)) === key
}

const NEVER = new AbortController().signal

const keyOf = (refused: Refused | null): string => refused?.refusals.key ?? ''

/** `source` with a check before each event; ends with CHANGED once `stillAllowed` returns false. */
export const rechecked = (source: EventPipeline, stillAllowed: StillAllowed): EventPipeline => ({
  ...source,
  async next() {
    const event = await source.next()
    if (event.done || (await stillAllowed())) return event
    source.return()
    throw CHANGED
  },
  fault: (error) => (error === CHANGED ? CHANGED.toJSON() : source.fault(error)),
})

/** Final error of a subscription whose caller's grants have changed. */
export const CHANGED = new GraphQLError('What these credentials may read has changed: subscribe again.', {
  extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' },
})
