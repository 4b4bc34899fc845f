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
export function daysOf({ period, firstDay, lastDay }: Period, now: Date, timezone: string): Days {
  if (period === 'CUSTOM') {
    return {
      since: firstDay === null ? null : startOf(firstDay, timezone),
      before: lastDay === null ? null : startOf(dayAfter(lastDay, 1), timezone),
    }
  }
  const today = dayIn(now, timezone)
  const [first, last] = SPANS[period]
  return { since: startOf(dayAfter(today, -first), timezone), before: startOf(dayAfter(today, 1 - last), timezone) }
}

/** The day that calendars of the zone show. */
export const dayIn = (at: Date, timezone: string): string =>
  // Sweden writes dates as ISO 8601 does.
  new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short' }).format(at)

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/**
 * The first instant of a day in a zone: midnight, or what clocks show after it where they skip it.
 */
function startOf(day: string, timezone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // Zones are at most 14 hours from UTC, and days begin at a quarter of an hour since 1972.
  let [low, high] = [midnight - DAY_MS, midnight + DAY_MS]
  while (high - low > 60_000) {
    const middle = low + Math.floor((high - low) / 2 / 60_000) * 60_000
    if (dayIn(new Date(middle), timezone) >= day) high = middle
    else low = middle
  }
  return new Date(high)
}
