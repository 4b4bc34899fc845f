import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { withoutCancellation } from '../../../platform/database/cancellation.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../platform/outbound/dns-servers.ts'
import { httpClient } from '../../../platform/outbound/http-client.ts'
import { type NetworkOptions, safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import { slots } from '../../../platform/outbound/slots.ts'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { Evidence, FeedCopy, FeedHit, ListedNow, Snapshot, UnixSeconds } from '../evidence.ts'
import type { UrlKeys } from '../url-key.ts'
import { createCircuits } from './circuits.ts'
import { type PendingEvidence, type RunningCollections, startCollectors, timedOutEvidence } from './collection.ts'
import { collectionTurn, snapshotTurn } from './collection-turns.ts'
import type { CollectorParts, Subject } from './collector.ts'
import { type CollectorRow, collectors, keyOf, sourceSubjects } from './collectors.ts'
import { dnsblZones } from './dnsbl.ts'
import { findListedNow, findListedUrls } from './feeds.ts'
import { listStatus, readFeedCopies, type SourceStatus, sourceHealth } from './health.ts'
import { type RefreshedList, refreshList } from './list-refresh.ts'
import type { ListRepository } from './list-repository.ts'
import { chosenLists, isShipped, type List, ownFeedLists } from './lists.ts'
import { networkFiles } from './networks.ts'
import { popularNames } from './popular-names.ts'
import { createRedirectFollower, type FollowRedirects } from './redirects.ts'
import type { EvidenceRepository, StoredSnapshot } from './repository.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { CollectorConfig } from './variables.ts'
import { WHOIS_PORT } from './whois.ts'

/**
 * The whole time of a decision's collecting: with what the gateway and the database add, an answer
 * takes 2.5 s when a registry is dead. Sources that are later go on in the background. Milliseconds.
 */
const BUDGET_MS = 2_700
/** A snapshot is refreshed ahead of its end when this share of its life is left. */
const REFRESH_AHEAD_RATIO = 0.2
/** Requests at once to one registry or one address, and to all. */
const MAX_CONCURRENT_REQUESTS = { perKey: 10, total: 200 }
/** Interval of checks for due lists, and of DNS. Milliseconds. */
const MAINTENANCE_INTERVAL_MS = 60_000
const DNS_PROBE_TIMEOUT_MS = 1_500
/** How long a decision waits for stored evidence, and for storing its snapshot. Milliseconds. */
const DATABASE_TIMEOUT_MS = 400
/** Most targets whose evidence is stored by one statement: larger ones take too long. */
const MAX_SAVES_PER_STATEMENT = 100
/**
 * How long a new answer is shared: until it can be read from the database, also by a caller who has
 * just missed it there. Seconds.
 */
const SHARED_SECONDS = 10
const DATABASE_TOO_SLOW = new Error('The database takes too long.')
const HOUR_MS = 3_600_000

export type EvidenceOptions = {
  /** Ends the waiting, not the collecting: others may wait for the same. */
  readonly signal?: AbortSignal
  /** How long to wait for sources; those that are late appear as `timeout`. Milliseconds. */
  readonly budgetMs?: number
  /**
   * A snapshot that ended at most so long ago will do, while a new one is collected for the next
   * caller. Seconds.
   */
  readonly maxStaleSeconds?: number
}

/** Everything that the trust subgraph learns from outside. */
export type TrustSources = {
  /**
   * All evidence about a target: the stored snapshot while it is valid, else a new one with the
   * valid part of the old. Rejects only with the reason of an aborted signal: failed sources are
   * part of the snapshot. Concurrent requests for equal targets share a collection.
   */
  readonly evidenceFor: (subject: Subject, options?: EvidenceOptions) => Promise<Snapshot>
  /** What threat feeds list of a URL; null when the lists cannot be read. Never rejects. */
  readonly listedUrls: (keys: UrlKeys) => Promise<readonly FeedHit[] | null>
  /** What feeds with a copy list now; null when the lists cannot be read. Never rejects. */
  readonly listedNow: (subject: Subject, urlKey: string | null) => Promise<ListedNow | null>
  /** Copies of threat feeds, by name; null when they cannot be read. Never rejects. */
  readonly feedCopies: () => Promise<readonly FeedCopy[] | null>
  /** Follows redirects of URLs; absent where the operator has turned it off. */
  readonly redirects?: { readonly of: 'shorteners' | 'all'; readonly follow: FollowRedirects }
  /** What can be reached, in a fixed order: sources first, then lists by name. Never rejects. */
  readonly status: () => Promise<SourceStatus[]>
  /**
   * Downloads due lists, and returns the state of each. Rejects when the database does not answer.
   */
  readonly refreshLists: () => Promise<readonly RefreshedList[]>
  /** Looks after lists and DNS until it is closed. */
  readonly start: () => void
  /** Ends what runs, and resolves when nothing does. */
  readonly close: () => Promise<void>
}

export type SourcesOptions = {
  readonly evidence: EvidenceRepository
  readonly lists: ListRepository
  readonly config: CollectorConfig
  readonly log: Logger
  /** Makes a snapshot of evidence; other sources count as not queried. */
  readonly snapshotOf: (host: string, collectedAt: UnixSeconds, evidence: readonly Evidence[]) => Snapshot
  readonly now?: () => Date
  /** For tests: exceptions from what may be connected to. No configuration leads here. */
  readonly network?: Omit<NetworkOptions, 'resolvers'>
  /** For tests: null for none of the popular names that ship with this program. */
  readonly shippedNames?: CollectorParts['popularNames']
  /** For tests: other lists than those of the configuration. */
  readonly chosen?: readonly List[]
}

/** The collectors; nothing is queried before the first target or `start`. */
export function trustSources({
  evidence: repository,
  lists,
  config,
  log,
  snapshotOf,
  now = () => new Date(),
  network: networkOptions = {},
  chosen = [...chosenLists(config.TRUST_LISTS), ...ownFeedLists(config.TRUST_OWN_FEEDS ?? [])],
  shippedNames = popularNames,
}: SourcesOptions): TrustSources {
  const ended = new AbortController()
  const network = safeNetwork({
    whoisPort: WHOIS_PORT,
    ...networkOptions,
    resolvers: config.TRUST_DNS_SERVERS ?? systemServers(),
  })
  const dns = dnsClient(network)
  const https = httpClient(network, dns, { userAgent: 'atrium-trust' })
  const pages = httpClient(network, dns, { userAgent: 'atrium-trust', isPlainAllowed: true })
  const networks =
    config.TRUST_NETWORK_FILES === undefined ? null : networkFiles(config.TRUST_NETWORK_FILES, { log, signal: ended.signal })
  const parts: CollectorParts = {
    networks,
    network,
    dns,
    https,
    lists,
    configured: chosen,
    dnsbl: dnsblZones(dns, config.TRUST_DNSBL_ZONES ?? []),
    ctUrl: config.TRUST_CT_URL ?? null,
    popularNames: shippedNames,
    usesWhois: config.TRUST_WHOIS,
    slots: slots(MAX_CONCURRENT_REQUESTS),
    circuits: createCircuits(log),
    log,
  }
  const follow = createRedirectFollower({ http: pages, slots: parts.slots, ended: ended.signal })
  const health = sourceHealth()
  /**
   * Targets that are collected now, and single answers: hosts of one domain share those about the
   * domain.
   */
  const collecting = new Map<string, Promise<Snapshot>>()
  const sharedEvidence = new Map<string, { readonly evidence: Promise<Evidence>; since: UnixSeconds | null }>()
  const background = new Set<Promise<unknown>>()
  const running: RunningCollections = new Set()
  let isDnsUp: boolean | null = null
  let maintenance = Promise.resolve()

  // Under load many targets share a statement. Few at first: were hundreds begun at once, none of
  // them would be answered in time.
  const latestOf = batchWork(repository.latestSnapshots)
  const validOf = batchWork(async (targets: readonly Subject[]) => {
    const valid = await repository.valid(targets.flatMap(sourceSubjects), seconds())
    const byKey = new Map(valid.map((each) => [`${each.source} ${each.evidence.subject}`, each]))
    return targets.map((target) =>
      sourceSubjects(target).flatMap(({ source, subject }) => byKey.get(`${source} ${subject}`) ?? []),
    )
  })
  const save = batchWork(
    async (all: readonly { readonly stored: StoredSnapshot; readonly evidence: readonly Evidence[] }[]) => {
      await repository.save(all.flatMap(({ evidence }) => evidence))
      await repository.saveSnapshots(all.map(({ stored }) => stored))
      return all.map(() => null)
    },
    { maxItems: MAX_SAVES_PER_STATEMENT },
  )

  return {
    async evidenceFor(subject, { signal, budgetMs = BUDGET_MS, maxStaleSeconds = 0 } = {}) {
      signal?.throwIfAborted()
      const end = performance.now() + budgetMs
      const wanted = stored(subject).then((latest) => {
        const at = seconds()
        if (!latest || latest.validUntil + maxStaleSeconds <= at) return collectOnce(subject, end - performance.now())
        const life = latest.validUntil - latest.snapshot.collectedAt
        if (latest.validUntil - at < life * REFRESH_AHEAD_RATIO) inBackground(collectOnce(subject, budgetMs, true))
        return latest.snapshot
      })
      return signal ? unlessAborted(wanted, signal) : wanted
    },

    listedUrls: (keys) => inTime(findListedUrls(keys, parts), null, 'listed URLs could not be read'),

    listedNow: (subject, urlKey) =>
      inTime(findListedNow(subject, urlKey, seconds(), parts), null, 'listings of feeds could not be read'),

    feedCopies: () => inTime(readFeedCopies(lists, chosen, seconds()), null, 'the state of feeds could not be read'),

    ...(config.TRUST_REDIRECTS === 'off' ? {} : { redirects: { of: config.TRUST_REDIRECTS, follow } }),

    async status() {
      const names = chosen.map(({ name }) => name)
      const states = await lists.states(names).catch((error: unknown) => {
        log.warn({ err: error }, 'the state of lists could not be read')
        return names.map((list) => ({ list, edition: null, fault: 'the database does not answer' }))
      })
      const dnsStatus: SourceStatus =
        isDnsUp === false ? { name: 'dns', state: 'down', reason: 'no DNS server knows the root' } : health.of('dns')
      const ctStatus: SourceStatus = parts.ctUrl === null ? { name: 'ct', state: 'off', reason: null } : health.of('ct')
      const threats = chosen.some(({ kind }) => kind === 'threat') || parts.dnsbl.zones.length > 0
      const feeds: SourceStatus[] = threats ? [] : [{ name: 'feeds', state: 'off', reason: null }]
      return [
        health.of('rdap'),
        isDnsUp === true && dnsStatus.state === 'untried' ? { ...dnsStatus, state: 'up' } : dnsStatus,
        health.of('tls'),
        ctStatus,
        ...feeds,
        ...(networks ? [networks.status()] : []),
        ...states.map((state) => listStatus(state, seconds())),
      ]
    },

    async refreshLists() {
      const [due] = await Promise.all([refreshDue(), networks?.refresh()])
      const states = await lists.states(chosen.map(({ name }) => name))
      return states.map(({ list, edition, fault, dueAt }) => ({
        name: list,
        hasCopy: edition !== null || isShipped(list),
        fault,
        notDueUntil: due.has(list) ? null : dueAt,
      }))
    },

    start() {
      maintenance = maintain()
    },

    async close() {
      ended.abort()
      for (const each of running) each.abort()
      await maintenance
      await Promise.allSettled([
        ...collecting.values(),
        ...[...sharedEvidence.values()].map(({ evidence: answer }) => answer),
        ...background,
      ])
      await Promise.all([https.close(), pages.close()])
    },
  }

  function seconds(): UnixSeconds {
    return Math.floor(now().getTime() / 1000)
  }

  /** Without the database a decision has no stored evidence, but does not fail. */
  async function stored({ host }: Subject): Promise<StoredSnapshot | null> {
    return inTime(latestOf(host), null, 'stored snapshots could not be read')
  }

  function collectOnce(subject: Subject, budgetMs: number, isRenewal = false): Promise<Snapshot> {
    const current = collecting.get(subject.host)
    if (current) return current
    // Others may come to wait for it.
    const collected = withoutCancellation(() => collect(subject, budgetMs, isRenewal)).finally(() =>
      collecting.delete(subject.host),
    )
    collecting.set(subject.host, collected)
    return collected
  }

  /** `isRenewal`: also queries sources whose evidence expires soon. */
  async function collect(subject: Subject, budgetMs: number, isRenewal: boolean): Promise<Snapshot> {
    // The rest of the budget is for the database.
    const late = sleep(Math.max(1, budgetMs - DATABASE_TIMEOUT_MS), null, { ref: false })
    const cached = await loadValidEvidence(subject, isRenewal)
    await collectionTurn()
    const rows = collectors.filter(({ source }) => !cached.some((each) => each.source === source))
    const answers = start(rows, subject)
    const inBudget = await Promise.all(answers.map(({ evidence }) => Promise.race([evidence, late])))
    const now = answers.map((answer, index) => inBudget[index] ?? timedOutEvidence(answer, subject, seconds()))
    // A dead source is known to be down before its own, longer time is over.
    for (const [index, { row }] of answers.entries()) {
      const each = now[index]
      if (each?.evidence.status === 'timeout' && row.timeoutMs > budgetMs && !ended.signal.aborted) health.note(each)
    }
    const snapshot = await store(subject, [...cached, ...now])
    inBackground(
      Promise.all(answers.map(({ evidence }) => evidence)).then(async (all) => {
        const isLate = all.some((evidence, index) => evidence !== now[index])
        // Late answers make a better snapshot for the next caller.
        if (isLate && !ended.signal.aborted) await store(subject, [...cached, ...all])
      }),
    )
    return snapshot
  }

  async function loadValidEvidence(subject: Subject, isRenewal: boolean): Promise<Evidence[]> {
    const valid = await inTime(validOf(subject), [], 'stored evidence could not be read')
    if (!isRenewal) return valid
    const at = seconds()
    return valid.filter(
      ({ evidence: { collectedAt, validUntil } }) => validUntil - at >= (validUntil - collectedAt) * REFRESH_AHEAD_RATIO,
    )
  }

  /** Answers of the rows, shared between concurrent requests for the same source and subject. */
  function start(rows: readonly CollectorRow[], subject: Subject): PendingEvidence[] {
    const at = seconds()
    const shared = rows.map((row) => {
      const entry = sharedEvidence.get(keyOf(row, subject))
      return entry && (entry.since === null || Math.abs(at - entry.since) <= SHARED_SECONDS)
        ? [{ row, evidence: entry.evidence }]
        : []
    })
    const fresh = rows.filter((_, index) => shared[index]?.length === 0)
    const started = startCollectors(fresh, subject, { parts, now, running })
    for (const { row, evidence } of started) share(keyOf(row, subject), evidence)
    return [...shared.flat(), ...started]
  }

  function share(key: string, evidence: Promise<Evidence>): void {
    const entry: { evidence: Promise<Evidence>; since: UnixSeconds | null } = { evidence, since: null }
    sharedEvidence.set(key, entry)
    void evidence.then((each) => {
      entry.since = each.evidence.collectedAt
      if (!ended.signal.aborted) health.note(each)
      setTimeout(() => sharedEvidence.get(key) === entry && sharedEvidence.delete(key), SHARED_SECONDS * 1_000).unref()
    })
  }

  async function store(subject: Subject, evidence: readonly Evidence[]): Promise<Snapshot> {
    await snapshotTurn()
    const snapshot = snapshotOf(subject.host, seconds(), evidence)
    const validUntil = Math.min(...evidence.map((each) => each.evidence.validUntil))
    const stored = { snapshot, validUntil }
    await inTime(save({ stored, evidence: evidence.filter(isStorable) }), null, 'a snapshot could not be stored')
    return snapshot
  }

  /**
   * Result of the database, or `otherwise` when it fails or takes too long: a decision does not
   * wait for it. A write is still completed.
   */
  async function inTime<Result, Otherwise>(
    work: Promise<Result>,
    otherwise: Otherwise,
    complaint: string,
  ): Promise<Result | Otherwise> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(DATABASE_TOO_SLOW), DATABASE_TIMEOUT_MS)
    try {
      return await Promise.race([work, late.promise])
    } catch (error) {
      if (!ended.signal.aborted) log.warn({ err: error }, complaint)
      return otherwise
    } finally {
      clearTimeout(timer)
    }
  }

  function inBackground(work: Promise<unknown>): void {
    const quiet = work.catch((error: unknown) => {
      if (!ended.signal.aborted) log.warn({ err: error }, 'evidence could not be refreshed')
    })
    background.add(quiet)
    void quiet.finally(() => background.delete(quiet))
  }

  /** The lists that were due; never rejects. */
  async function refreshDue(): Promise<ReadonlySet<string>> {
    const due = new Set<string>()
    // One after the other: they are large, and nothing waits for them.
    for (const list of chosen) {
      if (ended.signal.aborted) break
      if (await refreshList(list, { lists, https, log, now, signal: ended.signal })) due.add(list.name)
    }
    return due
  }

  /** Looks after DNS and lists until the end. */
  async function maintain(): Promise<void> {
    let tidied = -Infinity
    while (!ended.signal.aborted) {
      isDnsUp = (await dns.root(AbortSignal.any([ended.signal, AbortSignal.timeout(DNS_PROBE_TIMEOUT_MS)]))).isReachable
      await Promise.all([refreshDue(), networks?.refresh()])
      if (performance.now() - tidied > HOUR_MS && !ended.signal.aborted) {
        tidied = performance.now()
        await repository.tidy().catch((error: unknown) => log.warn({ err: error }, 'old evidence could not be removed'))
      }
      await sleep(MAINTENANCE_INTERVAL_MS, null, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }
}

/** Sources that were not queried, or late, are queried by the next caller. */
const isStorable = ({ evidence: { status } }: Evidence): boolean => status !== 'timeout' && status !== 'skipped'
