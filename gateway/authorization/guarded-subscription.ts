import { GraphQLError } from 'graphql'
import { boundedCache } from '../../subgraphs/runtime/bounded-cache.ts'
import { errorsOf } from '../execution.ts'
import type { Begin, EventPipeline, StillAllowed } from '../subscription.ts'
import type { OperationGuard, Refused } from './authorization.ts'

/** Plans of one subscription without what some callers may not read, by what that is. */
const ALLOWED_PLANS = { maxEntries: 16, maxCharacters: 16_000 }

/** What is left of a subscription: the refusals of the caller who began it. */
export type AllowedPart = Refused & Pick<OperationGuard, 'ready'>

/**
 * Guards a subscription. `planned` plans all of it, or what is allowed of it. A caller who may not have its field is refused
 * before anything begins. What a caller with credentials holds is found again before each event: when it has changed, the
 * subscription ends. Callers without credentials hold the same at all times.
 */
export function guardedSubscription(guard: OperationGuard | null, planned: (allowed: AllowedPart | null) => Begin): Begin {
  const whole = planned(null)
  if (!guard) return whole
  const { ready } = guard
  const allowedPlans = boundedCache<Begin>(ALLOWED_PLANS)

  return async (variables, passage, onReleased) => {
    const refused = await guard.check(passage)
    if (refused && !refused.refusals.allowed) return { kind: 'refused', errors: errorsOf(refused) }
    const stillAllowed = async () => keyOf(await guard.check(passage)) === keyOf(refused)
    return planFor(refused)(variables, passage, onReleased, stillAllowed)
  }

  function planFor(refused: Refused | null): Begin {
    if (!refused) return whole
    const { key } = refused.refusals
    let begin = allowedPlans.get(key)
    if (!begin) {
      begin = planned({ ...refused, ready })
      allowedPlans.set(key, begin)
    }
    return begin
  }
}

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

const CHANGED = new GraphQLError('What these credentials may read has changed: subscribe again.', {
  extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' },
})
