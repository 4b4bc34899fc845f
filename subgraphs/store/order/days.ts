/** Which days; the days of CUSTOM as YYYY-MM-DD, null: no end there. */
export type Period = {
  readonly period: 'TODAY' | 'YESTERDAY' | 'LAST_7_DAYS' | 'LAST_30_DAYS' | 'LAST_90_DAYS' | 'CUSTOM'
  readonly firstDay: string | null
  readonly lastDay: string | null
}

/** From the first instant to the first one after; null: no end there. */
export type Days = { readonly since: Date | null; readonly before: Date | null }

const DAY_MS = 86_400_000
/** The first and the last day of a period, in days before today. */
const SPANS: Readonly<Record<Exclude<Period['period'], 'CUSTOM'>, readonly [first: number, last: number]>> = {
  TODAY: [0, 0],
  YESTERDAY: [1, 1],
  LAST_7_DAYS: [6, 0],
  LAST_30_DAYS: [29, 0],
  LAST_90_DAYS: [89, 0],
}

/** Whether the text is a day that the calendar has, as YYYY-MM-DD, and has a day after it. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) && text !== '9999-12-31' ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** When a period begins and ends by the clocks of a time zone of IANA. */
export function daysOf(period: Period, now: Date, timezone: string): Days {
  const [first, last] = outerDays(period, now, timezone)
  const dayAt = calendarOf(timezone)
  return {
    since: first === null ? null : startOf(first, dayAt),
    before: last === null ? null : startOf(dayAfter(last, 1), dayAt),
  }
}

/** The first and the last day of a period, as YYYY-MM-DD; null: no end there. */
export function outerDays(
  { period, firstDay, lastDay }: Period,
  now: Date,
  timezone: string,
): readonly [first: string | null, last: string | null] {
  if (period === 'CUSTOM') return [firstDay, lastDay]
  const today = dayIn(now, timezone)
  const [first, last] = SPANS[period]
  return [dayAfter(today, -first), dayAfter(today, -last)]
}

/** Number of days from the first to the last one, both included; 0 or less when they are swapped. */
export const countDays = (first: string, last: string): number =>
  Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS) + 1

/** `count` days from `first` on, with the instants at which each begins and the last one ends. */
export function daysFrom(
  first: string,
  count: number,
  timezone: string,
): { readonly days: readonly string[]; readonly starts: readonly Date[] } {
  const dayAt = calendarOf(timezone)
  const days = Array.from({ length: count + 1 }, (_, index) => dayAfter(first, index))
  let before: Date | null = null
  const starts = days.map((day) => (before = before === null ? startOf(day, dayAt) : nextStart(before, day, dayAt)))
  return { days: days.slice(0, -1), starts }
}

/** The day that calendars of the zone show. */
export const dayIn = (at: Date, timezone: string): string => calendarOf(timezone)(at)

/** Calendar of a zone; making one takes longer than a hundred of its answers. */
function calendarOf(timezone: string): (at: Date) => string {
  // Sweden writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short' })
  return (at) => format.format(at)
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** `startOf` beside the start of the day before, which most days follow after 24 hours. */
function nextStart(before: Date, day: string, dayAt: (at: Date) => string): Date {
  const likely = new Date(before.getTime() + DAY_MS)
  return dayAt(likely) === day && dayAt(new Date(likely.getTime() - 60_000)) < day ? likely : startOf(day, dayAt)
}

/**
 * The first instant of a day in a zone: midnight, or what clocks show after it where they skip it.
 */
function startOf(day: string, dayAt: (at: Date) => string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // Zones are at most 14 hours from UTC, and days begin at a quarter of an hour since 1972.
  let [low, high] = [midnight - DAY_MS, midnight + DAY_MS]
  while (high - low > 60_000) {
    const middle = low + Math.floor((high - low) / 2 / 60_000) * 60_000
    if (dayAt(new Date(middle)) >= day) high = middle
    else low = middle
  }
  return new Date(high)
}
