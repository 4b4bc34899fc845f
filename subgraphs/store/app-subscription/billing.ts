import { badInput } from '../../../platform/graphql/errors.ts'
import { type Amount, textOf } from '../amount.ts'
import { type Days, dayIn, daysOf, isDay } from '../order/days.ts'
import { storeRepository } from '../store/repository.ts'
import type { StoreQuery } from '../write.ts'
import { type AppSubscription, amountDue, amountLeft, type Cycle, cycleOf } from './app-subscription.ts'
import { type AppSubscriptionRepository, appSubscriptionRepository } from './repository.ts'

/** A month of a subscription of a store. */
export type BillingCycle = Cycle & {
  readonly storeId: number
  readonly subscription: AppSubscription
  /** The same by the clock. */
  readonly days: Days
}

/** What days are counted by. */
export type Calendar = { readonly today: string; readonly timezone: string }

/** The calendar of a store at `now`. */
export async function calendarOf({ query, storeId }: StoreQuery, now: Date): Promise<Calendar> {
  const [store] = await storeRepository(query).findByIds([storeId])
  const timezone = store?.timezone ?? 'UTC'
  return { today: dayIn(now, timezone), timezone }
}

/**
 * The billing month of a subscription that contains a day, today's when null; null without a
 * subscription then. Throws BAD_USER_INPUT for an invalid day.
 */
export const billingCycle = ({ query, storeId }: StoreQuery, appId: number, date: string | null, calendar: Calendar) =>
  cycleWith(storeId, (day) => appSubscriptionRepository(query).on(storeId, appId, day), date, calendar)

/** Of subscriptions to one app, that which a day lies in. */
export const holding = (subscriptions: readonly AppSubscription[], day: string): AppSubscription | null =>
  subscriptions.find(({ startsOn, endsOn }) => startsOn <= day && (endsOn === null || endsOn >= day)) ?? null

/** The cycle of a subscription that a day lies in, today's when null; null when there is none. */
export async function cycleWith(
  storeId: number,
  subscriptionOn: (day: string) => Promise<AppSubscription | null>,
  date: string | null,
  { today, timezone }: Calendar,
): Promise<BillingCycle | null> {
  if (date !== null && !isDay(date)) throw badInput('date', 'a day as YYYY-MM-DD', date)
  const subscription = await subscriptionOn(date ?? today)
  if (!subscription) return null
  const { startsOn } = subscription
  if (date !== null && date > cycleOf(startsOn, today).endsOn) return null
  const cycle = cycleOf(startsOn, date ?? today)
  const days = daysOf({ period: 'CUSTOM', firstDay: cycle.startsOn, lastDay: cycle.endsOn }, new Date(0), timezone)
  return { ...cycle, storeId, subscription, days }
}

/** Cost, payments and open amount (null for nothing) of cycles of one store; in their order. */
export async function accountsOf(
  subscriptions: Pick<AppSubscriptionRepository, 'accounts'>,
  storeId: number,
  cycles: readonly BillingCycle[],
) {
  const accounts = await subscriptions.accounts(storeId, cycles)
  return cycles.map(({ subscription }, index) => {
    const { orders, paid } = accounts[index] ?? NO_ACCOUNT
    const due: Amount = amountDue(subscription.plan, orders)
    return { due: textOf(due), paid, left: amountLeft(due, paid) }
  })
}

const NO_ACCOUNT = { orders: 0, paid: '0' }
