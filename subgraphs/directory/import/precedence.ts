import { type Contribution, FORMATS, type Format } from './contribution.ts'

const RANK: ReadonlyMap<Format, number> = new Map(FORMATS.map((format, rank) => [format, rank]))

/** Rank of a format, 0 the most believed. */
export const rankOf = (format: Format): number => RANK.get(format) ?? FORMATS.length

/** Most believed first; equals by address, so that the order of reading never matters. */
export function byPrecedence(one: Contribution, other: Contribution): number {
  return (
    rankOf(one.format) - rankOf(other.format) ||
    compare(one.origin, other.origin) ||
    compare(one.path, other.path) ||
    compare(one.locator, other.locator)
  )
}

/** Order of code units: the same on every machine. */
export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
