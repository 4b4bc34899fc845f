import { type Contribution, type ContributionFormat, FORMATS } from './contribution.ts'
import { isHost, isRepository } from './link.ts'

const RANK: ReadonlyMap<ContributionFormat, number> = new Map(FORMATS.map((format, rank) => [format, rank]))

/** Rank of a format, 0 the most believed. */
export const rankOf = (format: ContributionFormat): number => RANK.get(format) ?? FORMATS.length

/**
 * Whether the publisher of an item states this: the file lies in the repository that the item is of,
 * or its registry vouches for the publisher.
 */
export const isByPublisher = ({ origin, statement }: Contribution): boolean =>
  // A file can say that a registry vouches; records of earlier releases did.
  ('byPublisher' in statement && statement.byPublisher === true && isHost(origin)) ||
  (isRepository(origin) && repositoryIn(statement.identity) === `github.com/${origin.toLowerCase()}`)

/** The repository part of an identity. */
const repositoryIn = (identity: string): string => identity.split(/[!#]/, 1)[0] ?? ''

/** The publisher first, then the most believed; equals by address, so that the order of reading never matters. */
export function byPrecedence(one: Contribution, other: Contribution): number {
  return (
    Number(isByPublisher(other)) - Number(isByPublisher(one)) ||
    rankOf(one.format) - rankOf(other.format) ||
    compare(one.origin, other.origin) ||
    compare(one.path, other.path) ||
    compare(one.locator, other.locator)
  )
}

/** Order of code units: the same on every machine. */
export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
