import { createHash } from 'node:crypto'
import {
  type Evidence,
  type EvidenceBySource,
  type RedirectChain,
  type Snapshot,
  SOURCES,
  type Source,
  type UnixSeconds,
} from '../evidence.ts'
import { canonicalText } from './canonical.ts'

/**
 * Combines the evidence of one host. Sources that were not queried are `skipped` for lack of
 * capacity, which counts as unknown. Lists without an order are sorted and broken surrogates
 * replaced, so that equal findings have equal ids, whatever their order. Of two answers of one
 * source the later one counts.
 */
export function snapshotOf(
  host: string,
  collectedAt: UnixSeconds,
  evidence: readonly Evidence[],
  redirects?: RedirectChain,
): Snapshot {
  const latest = new Map<Source, Evidence>()
  for (const answer of evidence) {
    const earlier = latest.get(answer.source)
    if (!earlier || isLater(answer, earlier)) latest.set(answer.source, answer)
  }
  const sources = Object.fromEntries(
    // Widened: the union of all sources is too large to infer.
    SOURCES.map((source) => [source, normalised(latest.get(source)?.evidence ?? unasked(host, collectedAt)) as unknown]),
  ) as EvidenceBySource // One entry per source, each from evidence of that source.
  const content = { schema: 1 as const, host, collectedAt, sources, ...(redirects && { redirects }) }
  return { ...content, id: snapshotIdOf(content) }
}

/** The id of a snapshot, from everything else in it. */
export const snapshotIdOf = ({ schema, host, collectedAt, sources, redirects }: Omit<Snapshot, 'id'>): string =>
  createHash('sha256')
    .update(canonicalText({ schema, host, collectedAt, sources, ...(redirects && { redirects }) }))
    .digest('hex')

/** By time, then by text, so that the order of arrival never matters. */
function isLater(one: Evidence, other: Evidence): boolean {
  const [a, b] = [one.evidence.collectedAt, other.evidence.collectedAt]
  return a !== b ? a > b : canonicalText(normalised(one.evidence)) > canonicalText(normalised(other.evidence))
}

const unasked = (host: string, at: UnixSeconds) =>
  ({ subject: host, collectedAt: at, validUntil: at, version: null, status: 'skipped', reason: 'no_capacity' }) as const

/** Lists whose order means something. */
const ORDERED = new Set(['cnames'])

/** The same value with lists sorted by their canonical text and texts made well-formed. */
function normalised(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) {
    const items = value.map((item) => normalised(item))
    if (ORDERED.has(key)) return items
    return items
      .map((item) => [canonicalText(item), item] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, item]) => item)
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalised(item, name)]))
}
