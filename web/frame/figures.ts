const WHOLE = new Intl.NumberFormat('en')
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone: 'UTC' })

/** 12,345 */
export const whole = (value: number): string => WHOLE.format(value)

/** 12.3K */
export const compact = (value: number): string => COMPACT.format(value)

/** Nov 21, 2026: the day of a time, in UTC. */
export const dayOf = (time: string | number | Date): string => DAY.format(new Date(time))

/** Nov 21, 2026, 13:05:59 UTC */
export const momentOf = (time: string | Date): string => `${MOMENT.format(new Date(time))} UTC`

/** `1 item`, `2 items`. */
export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${whole(count)} ${count === 1 ? singular : plural}`

/**
 * €12.50: an exact decimal amount, with as many places as its currency has, or as are needed up to
 * four.
 */
export const money = (amount: string, currency: string): string =>
  // An exact decimal: as a number it would be rounded.
  new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount as `${number}`)
