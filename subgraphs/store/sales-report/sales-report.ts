import type { OrderPeriodInput } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { countDays, dayIn, daysFrom, outerDays } from '../order/days.ts'
import { type Clock, parsePeriod } from '../order/selection.ts'

/** Sales of one day; amounts are exact decimals. */
export type SalesDay = {
  readonly day: string
  readonly ordersPlaced: number
  readonly ordersPaid: number
  readonly ordersCanceled: number
  readonly gross: string
  readonly net: string
  readonly refunded: string
}

/** Orders of a report: of a store, in a currency, created from `since` on and before `before`. */
export type SalesSelection = {
  readonly storeId: number
  readonly currency: string
  readonly since: Date
  readonly before: Date
}

/** A report whose sums are read where they are requested. */
export type SalesReport = {
  readonly currency: string
  readonly timezone: string
  readonly period: ReportDays
  readonly selection: SalesSelection
}

/** Most rows of products, sources or taxes before the one that sums the others. */
export const MAX_REPORT_ROWS = 250

/** Longest report: a year beside its last days of the year before. */
const MAX_DAYS = 400
/** Databases and calendars agree on days from here on. */
const FIRST_DAY = '1970-01-01'

/** Days of a report, with the instants at which each begins and the last one ends. */
export type ReportDays = ReturnType<typeof daysFrom>

/** The days of the argument `period`. Throws BAD_USER_INPUT for an invalid one. */
export function reportDaysOf(period: OrderPeriodInput, { now, timezone }: Clock): ReportDays {
  const [first, last] = outerDays(parsePeriod('period', period), now, timezone)
  if (first === null || first < FIRST_DAY) throw badInput('period.firstDay', `a day from ${FIRST_DAY} on`, first)
  const end = last ?? dayIn(now, timezone)
  const count = countDays(first, end)
  if (count < 1) throw badInput('period.lastDay', `a day not before \`firstDay\`, ${first}`, end)
  if (count > MAX_DAYS) throw badInput('period', `at most ${MAX_DAYS} days`, `${count} days`)
  return daysFrom(first, count, timezone)
}

/** Orders of the days of a report. */
export function selectionOf(storeId: number, currency: string, { starts }: ReportDays): SalesSelection {
  const [since, before] = [starts[0], starts.at(-1)]
  if (!since || !before) throw new Error('Expected a report with a first and a last instant.')
  return { storeId, currency, since, before }
}

/** A report with every day, from the days that have orders. */
export const completeDays = (days: readonly string[], found: ReadonlyMap<number, Omit<SalesDay, 'day'>>): SalesDay[] =>
  days.map((day, index) => ({ day, ...(found.get(index) ?? NO_SALES) }))

const NO_SALES = { ordersPlaced: 0, ordersPaid: 0, ordersCanceled: 0, gross: '0', net: '0', refunded: '0' } as const
