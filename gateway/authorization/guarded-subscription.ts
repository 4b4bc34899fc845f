import { GraphQLError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { Begin, EventPipeline, StillAllowed } from '../subscriptions/subscribe.ts'
import type { OperationGuard, Refused } from './authorization.ts'
import { refusalErrors } from './refusal-errors.ts'

/** What is left of a subscription: the refusals of the caller who began it. */
export type AllowedPart = Refused & Pick<OperationGuard, 'ready'>

/**
 * Guards a subscription. `planned` plans all of it, or what is allowed of it. A caller who may not
 * have its field is refused before anything begins. What a caller with credentials holds is found
 * again before each event: when it has changed, the subscription ends. Callers without credentials
 * hold the same at all times.
 */
export function guardedSubscription(guard: OperationGuard | null, planned: (allowed: AllowedPart | null) => Begin): Begin {
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
    // Results are shared between subscribers, error texts included.
    const key = `${refused.refusals.key} ${refused.errorKey}`
    return remember('subscription', key, () => planned({ ...refused, ready }))
  }
}

/**
 * A function of its own: a closure above would keep the request context as long as the subscription
 * runs.
 */
function recheckOf(guard: OperationGuard, caller: Caller, key: string): StillAllowed {
  const requestContext = { caller, signal: NEVER }
  return async () => keyOf(await guard.check(requestContext)) === key
}

const NEVER = new AbortController().signal

const keyOf = (refused: Refused | null): string => refused?.refusals.key ?? ''

/** `source`, which ends with an error before the first event after `stillAllowed` says no. */
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

/** What a subscription ends with then. */
export const CHANGED = new GraphQLError('What these credentials may read has changed: subscribe again.', {
  extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' },
})
