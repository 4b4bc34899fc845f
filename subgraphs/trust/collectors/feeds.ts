import { getDomain } from 'tldts'
import { isAddress } from '../../../platform/outbound/address-policy.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import type { FeedHit, FeedsFacts, ListedNow, UnixSeconds } from '../evidence.ts'
import { type UrlKeys, withoutWww } from '../url-key.ts'
import type { Collector, CollectorParts, Subject } from './collector.ts'
import { DNSBL_VALID_SECONDS } from './dnsbl.ts'
import type { ListEntry } from './list-repository.ts'
import type { List } from './lists.ts'

/** Bounds of how long a look into local lists counts. Seconds. */
const MIN_VALID_SECONDS = 60
const MAX_VALID_SECONDS = 3_600

/**
 * Looks a target up in the local copies of threat feeds, and in configured block lists over DNS.
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

const threats = ({ configured }: Pick<CollectorParts, 'configured'>) => configured.filter(({ kind }) => kind === 'threat')

async function findInLists(subject: Subject, parts: CollectorParts): Promise<FeedsFacts> {
  const feeds = threats(parts)
  if (feeds.length === 0) return { checked: [], failed: [], hits: [] }
  const names = feeds.map(({ name }) => name)
  const related = relatedNames(subject)
  const [states, entries] = await Promise.all([parts.lists.states(names), parts.lists.find(names, [...related.keys()])])
  return {
    checked: states.flatMap(({ list, edition }) => {
      const every = feeds.find(({ name }) => name === list)?.refreshSeconds ?? 0
      return edition ? [{ feed: list, asOf: edition.asOf, refreshAt: edition.fetchedAt + every }] : []
    }),
    failed: states.flatMap(({ list, edition }) => (edition ? [] : [{ feed: list, reason: 'unavailable' as const }])),
    hits: entries.filter(({ key, scope }) => related.get(key)?.has(scope)).flatMap((entry) => hitOf(entry, feeds)),
  }
}

/**
 * Entries of threat feeds about this URL, the directories above it, and other URLs of the same
 * user of a host that is shared by path; in any order.
 */
export async function findListedUrls(keys: UrlKeys, parts: Pick<CollectorParts, 'configured' | 'lists'>): Promise<FeedHit[]> {
  const feeds = threats(parts)
  if (feeds.length === 0) return []
  const names = feeds.map(({ name }) => name)
  const entries = await parts.lists.findUrls(names, keys)
  return entries.flatMap((entry) => hitOf(entry, feeds))
}

/** A copy that is overdue for longer says nothing of what has left a feed since. Seconds. */
const OVERDUE_SECONDS = 2 * 86_400

/** What feeds with a copy list of a host now, and of the URL with this hash. */
export async function findListedNow(
  subject: Subject,
  urlKey: string | null,
  at: UnixSeconds,
  parts: CollectorParts,
): Promise<ListedNow> {
  const [{ checked, hits }, listedUrls] = await Promise.all([
    findInLists(subject, parts),
    urlKey === null ? [] : findListedUrls({ keys: [urlKey], tenantKey: null }, parts),
  ])
  return {
    feeds: threats(parts).map(({ name, lineage, keepsEntries = false }) => {
      const copy = checked.find(({ feed }) => feed === name)
      return { name, lineage, keepsEntries, isFresh: copy !== undefined && at - copy.refreshAt < OVERDUE_SECONDS }
    }),
    hits: [...listedUrls, ...hits],
  }
}

function hitOf(entry: ListEntry & { readonly list: string }, feeds: readonly List[]): FeedHit[] {
  const feed = feeds.find(({ name }) => name === entry.list)
  if (!feed) return []
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
      ...(entry.urlKey === null ? {} : { urlKey: entry.urlKey }),
      ...(entry.tenantKey === null ? {} : { tenantKey: entry.tenantKey }),
    },
  ]
}

type Scopes = ReadonlySet<FeedHit['scope']>
const ANY_SCOPE: Scopes = new Set(['host', 'domain', 'url'])
const OF_ALL_HOSTS: Scopes = new Set(['domain'])
/**
 * A listed root of a domain covers the hosts below it, like a listed host: their owner is the same.
 */
const OF_APEX: Scopes = new Set(['domain', 'host'])

/**
 * The names whose entries are about a host, with the scopes that are: itself, its twin with or
 * without `www.`, and the names above up to the domain that one party has registered, or rents on a
 * shared suffix. An address has none but itself.
 */
function relatedNames({ host, registrable }: Subject): ReadonlyMap<string, Scopes> {
  const related = new Map([[host, ANY_SCOPE]])
  const border = registrable === null ? null : getDomain(host, { allowPrivateDomains: true, validateHostname: false })
  if (border === null) return related
  for (let name = host; name !== border; ) {
    name = name.slice(name.indexOf('.') + 1)
    related.set(name, name === border ? OF_APEX : OF_ALL_HOSTS)
  }
  const bare = withoutWww(host)
  related.set(bare === host ? `www.${host}` : bare, ANY_SCOPE)
  return related
}
