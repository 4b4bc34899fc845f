import { GraphQLError } from 'graphql'
import { boundedCache } from '../../subgraphs/runtime/bounded-cache.ts'
import { errorsOf } from '../execution.ts'
import type { Running, Subscribe } from '../subscription.ts'
import type { OperationGuard, Refused } from './authorization.ts'

/** Plans of one subscription without what some callers may not read, by what that is. */
const ALLOWED_PLANS = { maxEntries: 16, maxCharacters: 16_000 }

/** What is left of a subscription: the refusals of the caller who began it. */
export type AllowedPart = Refused & Pick<OperationGuard, 'ready'>

/**
 * Guards a subscription. `planned` plans all of it, or what is allowed of it. A caller who may not have its field is refused
 * before anything begins. What the caller holds is found again at each event: when it has changed, the subscription ends.
 */
export function guardedSubscription(
  guard: OperationGuard | null,
  planned: (allowed: AllowedPart | null) => Subscribe,
): Subscribe {
  const whole = planned(null)
  if (!guard) return whole
  const { ready } = guard
  const allowedPlans = boundedCache<Subscribe>(ALLOWED_PLANS)

  return async (variables, passage, ...others) => {
    const refused = await guard.check(passage)
    if (refused && !refused.refusals.allowed) return { kind: 'refused', errors: errorsOf(refused) }
    const opened = await planFor(refused)(variables, passage, ...others)
    if (opened.kind === 'refused') return opened
    return { kind: 'open', source: rechecked(opened.source, async () => keyOf(await guard.check(passage)) === keyOf(refused)) }
  }

  function planFor(refused: Refused | null): Subscribe {
    if (!refused) return whole
    const { key } = refused.refusals
    let subscribe = allowedPlans.get(key)
    if (!subscribe) {
      subscribe = planned({ ...refused, ready })
      allowedPlans.set(key, subscribe)
    }
    return subscribe
  }
}

const keyOf = (refused: Refused | null): string => refused?.refusals.key ?? ''

/** `source`, which ends with an error at the first event after `isAsBefore` is false. */
function rechecked(source: Running, isAsBefore: () => Promise<boolean>): Running {
  return {
    ...source,
    async next() {
      const event = await source.next()
      if (event.done || (await isAsBefore())) return event
      source.return()
      throw CHANGED
    },
    fault: (error) => (error === CHANGED ? CHANGED.toJSON() : source.fault(error)),
  }
}

const CHANGED = new GraphQLError('What these credentials may read has changed: subscribe again.', {
  extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' },
})
