import type { ItemTrustLevel } from '#generated/directory/resolvers.ts'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { installationFindings } from './installation.ts'
import { type Item, type McpServer, UNCATEGORIZED } from './item.ts'
import { KIND_ORDER } from './sort.ts'

/** An item that matches a query, and how well. */
export type ScoredItem = { readonly item: Item; readonly score: number }

/**
 * What being known adds to a score, at most: enough to order equal names, too little to lift a
 * description above a name.
 */
const OFFICIAL = 15
const PER_TENFOLD_STARS = 4
/** Programs download, too: a million a month are as much as a thousand stars. */
const PER_TENFOLD_DOWNLOADS = 2
/** What somebody described, filed and made installable is more use: orders equals, no more. */
const DESCRIBED = 2
const INSTALLABLE = 3
const FILED = 1
/**
 * What an item's own fields say of its trust: a registry verified who publishes it; its installation
 * names one version; or runs a script from the network, reaches the machine around it, or wants the
 * rights of an administrator. Less than a word in a name, as much as stars.
 */
const VERIFIED_PUBLISHER = 3
const PINNED = 1
const INSTALLATION_CAUTION = -3
const INSTALLATION_WARNING = -8
/** Characters that say more than a name. */
const MIN_DESCRIPTION_LENGTH = 30
/**
 * What remains of the score of a deprecated server: less than a living one has that says all words
 * in its name, more than one that only mentions them.
 */
const DEPRECATED_SHARE = 0.15
/** Partial matches have scores below zero: there it is a step down. */
const DEPRECATED_STEP = 100

/** Parts of a score; `total` is their sum. */
export type ItemScore = Readonly<
  Record<'total' | 'text' | 'popularity' | 'official' | 'trust' | 'metadata' | 'deprecated', number>
>

type Quality = Omit<ItemScore, 'total' | 'text' | 'deprecated'> & { readonly isDeprecated: boolean }

/** How far an item can be trusted to be the one that is meant, whatever the query. */
function qualityOf(item: Item): Quality {
  const isServer = item.kind === 'MCP_SERVER'
  return {
    popularity: Math.max(
      PER_TENFOLD_STARS * Math.log10(1 + item.popularity),
      isServer ? PER_TENFOLD_DOWNLOADS * Math.log10(1 + (item.monthlyDownloads ?? 0)) : 0,
    ),
    official: isServer && item.official ? OFFICIAL : 0,
    trust: isServer ? (item.registered ? VERIFIED_PUBLISHER : 0) + INSTALLATION_TRUST[installationLevel(item)] : 0,
    metadata:
      (item.description.length >= MIN_DESCRIPTION_LENGTH ? DESCRIBED : 0) +
      (!isServer || item.installations.length > 0 ? INSTALLABLE : 0) +
      (item.category === UNCATEGORIZED ? 0 : FILED),
    isDeprecated: isServer && item.deprecated,
  }
}

const INSTALLATION_TRUST: Readonly<Record<ItemTrustLevel, number>> = {
  GOOD: PINNED,
  UNKNOWN: 0,
  CAUTION: INSTALLATION_CAUTION,
  WARNING: INSTALLATION_WARNING,
}

/** The worst of what installing a server means; good when it names one version and nothing else is said. */
function installationLevel(server: McpServer): ItemTrustLevel {
  const levels = installationFindings(server).map(({ level }) => level)
  return (['WARNING', 'CAUTION', 'GOOD'] as const).find((level) => levels.includes(level)) ?? 'UNKNOWN'
}

/** Neither being known nor being verified helps who is deprecated. */
const deprecatedTotal = (text: number): number => (text > 0 ? text * DEPRECATED_SHARE : text - DEPRECATED_STEP)

/** How well an item answers, by its words and by its quality. */
export function scoreOf({ item, score: text }: ScoredItem): ItemScore {
  const { isDeprecated, ...quality } = qualityOf(item)
  const sum = text + quality.popularity + quality.official + quality.trust + quality.metadata
  const total = isDeprecated ? deprecatedTotal(text) : sum
  return { total, text, ...quality, deprecated: total - sum }
}

/** Quality of all items by their numbers: a frequent word matches tens of thousands. */
export type QualityColumns = {
  readonly popularity: Float64Array
  readonly stars: Float64Array
  /** The other parts, as `packParts` writes them: a search reads one number of an item, and not five. */
  readonly parts: Uint16Array
}

/** Bits of packed parts: official (4), trust (5), metadata (3), whether it is deprecated (1), KIND_ORDER (2). */
const TRUST_SHIFT = 4
const METADATA_SHIFT = 9
const DEPRECATED_BIT = 1 << 12
const KIND_SHIFT = 13
/** Trust is -8 to 4. */
const TRUST_ZERO = 16

const packParts = (item: Item, { official, trust, metadata, isDeprecated }: Quality): number =>
  official |
  ((trust + TRUST_ZERO) << TRUST_SHIFT) |
  (metadata << METADATA_SHIFT) |
  (isDeprecated ? DEPRECATED_BIT : 0) |
  (KIND_ORDER[item.kind] << KIND_SHIFT)

/** The kind in packed parts, by KIND_ORDER. */
export const kindIn = (parts: number): number => parts >>> KIND_SHIFT

/** The total of `scoreOf` for a text score, popularity and packed parts. */
export function totalIn(text: number, popularity: number, parts: number): number {
  if (parts & DEPRECATED_BIT) return deprecatedTotal(text)
  // In the order of `scoreOf`: another one rounds otherwise.
  return text + popularity + (parts & 15) + (((parts >>> TRUST_SHIFT) & 31) - TRUST_ZERO) + ((parts >>> METADATA_SHIFT) & 7)
}

/** Room for so many items, with what `known` has of the first ones. */
export function qualityColumns(size: number, known?: QualityColumns): QualityColumns {
  const columns: QualityColumns = {
    popularity: new Float64Array(size),
    stars: new Float64Array(size),
    parts: new Uint16Array(size),
  }
  if (known) for (const name of keysOf(columns)) columns[name].set(known[name])
  return columns
}

/** Writes the quality of an item at its number. */
export function setQuality(columns: QualityColumns, record: number, item: Item): void {
  const quality = qualityOf(item)
  columns.popularity[record] = quality.popularity
  columns.stars[record] = item.popularity
  columns.parts[record] = packParts(item, quality)
}
