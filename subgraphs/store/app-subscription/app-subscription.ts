import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, textOf } from '../amount.ts'
import { isCurrency } from '../country/country.ts'

/** What an app can cost; prices are exact decimal text. */
export type AppPlan = {
  readonly name: string
  readonly currency: string
  readonly monthlyPrice: string
  readonly freeOrders: number
  readonly pricePerOrder: string
}

/** That a store pays for an app; days are YYYY-MM-DD of its calendar. */
export type AppSubscription = {
  readonly id: number
  readonly plan: AppPlan
  readonly startsOn: string
  /** The last day of a cycle; null: it goes on. */
  readonly endsOn: string | null
}

/** A month of a subscription: its first and its last day. */
export type Cycle = { readonly startsOn: string; readonly endsOn: string }

export const MAX_PLANS = 10
const MAX_NAME_LENGTH = 50
const MAX_FREE_ORDERS = 1_000_000_000

/** Invalid fields of plans of an app, in their order. */
export function planProblems(plans: readonly AppPlan[]): readonly Problem[] {
  if (plans.length > MAX_PLANS) return [problem('plans', `at most ${MAX_PLANS} plans`, plans.length)]
  return problemsIn(
    plans.flatMap(({ name, currency, monthlyPrice, freeOrders, pricePerOrder }, index) => {
      const at = `plans.${index}`
      return [
        textProblem(`${at}.name`, name, MAX_NAME_LENGTH),
        plans.findIndex((other) => other.name.trim() === name.trim()) < index
          ? problem(`${at}.name`, 'a name that no other plan has', name)
          : null,
        isCurrency(currency) ? null : problem(`${at}.currency`, 'an ISO 4217 code such as "EUR"', currency),
        amountOf(monthlyPrice) < 0n ? problem(`${at}.monthlyPrice`, '0 or more', monthlyPrice) : null,
        freeOrders < 0 || freeOrders > MAX_FREE_ORDERS
          ? problem(`${at}.freeOrders`, `0 to ${MAX_FREE_ORDERS}`, freeOrders)
          : null,
        amountOf(pricePerOrder) < 0n ? problem(`${at}.pricePerOrder`, '0 or more', pricePerOrder) : null,
      ]
    }),
  )
}

/**
 * The month that a day lies in, of months that begin on the day of `startsOn`; where a month lacks
 * that day, on its last one. `day` is not before `startsOn`.
 */
export function cycleOf(startsOn: string, day: string): Cycle {
  const [[year, month], [ofYear, ofMonth]] = [yearAndMonth(startsOn), yearAndMonth(day)]
  const months = (ofYear - year) * 12 + ofMonth - month
  const begun = monthsAfter(startsOn, months) <= day ? months : months - 1
  return { startsOn: monthsAfter(startsOn, begun), endsOn: dayBefore(monthsAfter(startsOn, begun + 1)) }
}

/** What a cycle with so many orders costs. */
export function amountDue({ monthlyPrice, freeOrders, pricePerOrder }: AppPlan, orders: number): Amount {
  const billable = Math.max(0, orders - freeOrders)
  return amountOf(monthlyPrice) + BigInt(billable) * amountOf(pricePerOrder)
}

/** Open amount, as text; null: nothing. */
export function amountLeft(due: Amount, paid: string): string | null {
  const left = due - amountOf(paid)
  return left > 0n ? textOf(left) : null
}

const yearAndMonth = (day: string): readonly [year: number, month: number] => [Number(day.slice(0, 4)), Number(day.slice(5, 7))]

function monthsAfter(day: string, months: number): string {
  const [year, month] = yearAndMonth(day)
  // Day 0 of the month after is the last one of the month.
  const last = new Date(Date.UTC(year, month + months, 0))
  return `${last.toISOString().slice(0, 8)}${String(Math.min(last.getUTCDate(), Number(day.slice(8)))).padStart(2, '0')}`
}

const dayBefore = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
