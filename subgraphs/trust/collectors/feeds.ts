import { isAddress } from '../../../platform/outbound/address-policy.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import type { FeedHit, FeedsFacts } from '../evidence.ts'
import type { Collector, CollectorParts, Subject } from './collector.ts'
import { DNSBL_VALID_SECONDS } from './dnsbl.ts'

/** Bounds of how long a look into local lists counts. Seconds. */
const MIN_VALID_SECONDS = 60
const MAX_VALID_SECONDS = 3_600

/**
 * Looks into the local copies of threat feeds, and asks block lists over DNS where the operator has
 * named some.
 */
export const collectFeeds: Collector<'feeds'> = async ({ subject, parts, signal, now }) => {
  const at = Math.floor(now().getTime() / 1000)
  const zones = isAddress(subject.host) ? [] : parts.dnsbl.zones
  if (threats(parts).length + zones.length === 0)
    return { status: 'skipped', reason: 'not_configured', validFor: MAX_VALID_SECONDS }
  const none: FeedsFacts = { checked: [], failed: [], hits: [] }
  const [local, remote] = await Promise.all([
    findInLists(subject, parts),
    zones.length > 0 ? parts.dnsbl.lookUp(subject.host, at, signal) : none,
  ])
  const facts: FeedsFacts = {
    checked: [...local.checked, ...remote.checked],
    failed: [...local.failed, ...remote.failed],
    hits: [...local.hits, ...remote.hits],
  }
  if (facts.checked.length === 0) throw new Fault('unavailable', 'no threat feed could be looked into')
  const refresh = Math.min(...facts.checked.map(({ refreshAt }) => refreshAt)) - at
  const retry = facts.failed.length > 0 ? DNSBL_VALID_SECONDS : MAX_VALID_SECONDS
  return { status: 'ok', facts, validFor: Math.max(MIN_VALID_SECONDS, Math.min(refresh, retry, MAX_VALID_SECONDS)) }
}

const threats = ({ configured }: CollectorParts) => configured.filter(({ kind }) => kind === 'threat')

async function findInLists({ host, registrable }: Subject, parts: CollectorParts): Promise<FeedsFacts> {
  const feeds = threats(parts)
  if (feeds.length === 0) return { checked: [], failed: [], hits: [] }
  const names = feeds.map(({ name }) => name)
  const [states, entries] = await Promise.all([
    parts.lists.states(names),
    parts.lists.find(names, [host, ...above(host, registrable)]),
  ])
  const hits = entries.flatMap((entry): FeedHit[] => {
    const feed = feeds.find(({ name }) => name === entry.list)
    // What stands above the host lists it only when it lists a domain with all its hosts.
    if (!feed || (entry.key !== host && entry.scope !== 'domain')) return []
    return [
      {
        feed: feed.name,
        lineage: feed.lineage,
        category: entry.category ?? 'other',
        scope: entry.scope,
        indicator: entry.indicator,
        firstSeenAt: entry.firstSeenAt,
        lastSeenAt: entry.lastSeenAt,
        state: entry.state ?? 'unknown',
        abusedLegitimate: false,
      },
    ]
  })
  return {
    checked: states.flatMap(({ list, edition }) => {
      const every = feeds.find(({ name }) => name === list)?.refreshSeconds ?? 0
      return edition ? [{ feed: list, asOf: edition.asOf, refreshAt: edition.fetchedAt + every }] : []
    }),
    failed: states.flatMap(({ list, edition }) => (edition ? [] : [{ feed: list, reason: 'unavailable' as const }])),
    hits,
  }
}

/**
 * The names between a host and its registrable domain, which is the last of them; none above an
 * address.
 */
function above(host: string, registrable: string | null): string[] {
  if (registrable === null || host === registrable) return []
  const labels = host.split('.')
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((name) => name !== host && (name === registrable || name.endsWith(`.${registrable}`)))
}
