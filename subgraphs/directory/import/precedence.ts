import type { Contribution, Format } from './contribution.ts'

/**
 * Whom to believe first where two sources state the same field: the curated before the collected, the subject itself before
 * its readers. Our own seed comes last: it is written by hand and grows old, so it stands where no other source speaks.
 */
const PRECEDENCE: readonly Format[] = [
  'toolhive',
  'docker',
  'registry',
  'mcpm',
  'toolsdk',
  'mcp-get',
  'tensorblock',
  'readme',
  'marketplace',
  'plugin-manifest',
  'skill',
  'atrium',
]
const RANK: ReadonlyMap<Format, number> = new Map(PRECEDENCE.map((format, rank) => [format, rank]))

/** Rank of a format, 0 the most believed. */
export const rankOf = (format: Format): number => RANK.get(format) ?? PRECEDENCE.length

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
