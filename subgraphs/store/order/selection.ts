import type { OrderFilter, OrderPeriodInput } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { decodeId, rowBefore } from '../ids.ts'
import { searchWords } from '../lists.ts'
import { type Days, daysOf, isDay, type Period } from './days.ts'
import type { OrderSelection } from './repository.ts'

/** What the days of a filter depend on. */
export type Clock = { readonly now: Date; readonly timezone: string }

/** The orders that arguments select. Throws BAD_USER_INPUT for invalid ones. */
export function selectionOf(
  filter: OrderFilter | null | undefined,
  search: string | null | undefined,
  clock: Clock,
): OrderSelection {
  const { status, fulfillmentStatus, shipmentStatus, updatedSince, afterId, customerId, productId } = filter ?? {}
  const within = withinOf(filter, clock)
  const since = later(filter?.createdSince ?? null, within.since)
  const before = earlier(filter?.createdBefore ?? null, within.before)
  return {
    ...(status && { status }),
    ...(fulfillmentStatus && { fulfillmentStatus }),
    ...(shipmentStatus && { shipmentStatus }),
    ...(since && { createdSince: since }),
    ...(before && { createdBefore: before }),
    ...(updatedSince != null && { updatedSince }),
    ...(afterId != null && { afterId: rowBefore('filter.afterId', afterId, 'Order') }),
    // An invalid id matches nothing.
    ...(customerId != null && { customerId: decodeId(customerId, 'Customer') ?? 0 }),
    ...(productId != null && { productId: decodeId(productId, 'Product') ?? 0 }),
    ...(search != null && { words: searchWords('search', search) }),
  }
}

function withinOf(filter: OrderFilter | null | undefined, { now, timezone }: Clock): Days {
  if (!filter?.createdWithin) return { since: null, before: null }
  return daysOf(parsePeriod('filter.createdWithin', filter.createdWithin), now, timezone)
}

/** The period of the argument `name`. Throws BAD_USER_INPUT for an invalid one. */
export function parsePeriod(name: string, { period, firstDay = null, lastDay = null }: OrderPeriodInput): Period {
  for (const [field, day] of Object.entries({ firstDay, lastDay })) {
    if (day !== null && !isDay(day)) throw badInput(`${name}.${field}`, 'a day as YYYY-MM-DD', day)
    if (day !== null && period !== 'CUSTOM') throw badInput(`${name}.${field}`, 'absent unless `period` is CUSTOM', day)
  }
  return { period, firstDay, lastDay }
}

const later = (one: Date | null, other: Date | null): Date | null => (one && other ? (one > other ? one : other) : (one ?? other))
const earlier = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other)
