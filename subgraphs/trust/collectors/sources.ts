import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Evidence, Snapshot, UnixSeconds } from '../evidence.ts'
import { type Answering, startCollectors, timedOut } from './collection.ts'
import type { Parts, Subject } from './collector.ts'
import { collectors, type Row } from './collectors.ts'
import { dnsClient } from './dns-client.ts'
import { dnsblZones } from './dnsbl.ts'
import { type SourceStatus, sourceHealth } from './health.ts'
import { httpsClient } from './https-client.ts'
import { refreshList } from './list-refresh.ts'
import type { ListRepository } from './list-repository.ts'
import { chosenLists, type List } from './lists.ts'
import type { EvidenceRepository, StoredSnapshot } from './repository.ts'
import { type NetworkOptions, safeNetwork } from './safe-connect.ts'
import { slots } from './slots.ts'
import { type CollectorConfig, systemServers } from './variables.ts'

/** The whole time of a decision's collecting. Milliseconds. */
const BUDGET = 3_000
/** A snapshot is refreshed ahead of its end when this share of its life is left. */
const AHEAD = 0.2
/** Requests at once to one registry or one address, and to all. */
const PLACES = { perKey: 10, total: 200 }
/** How often lists that are due, and DNS, are looked after. Milliseconds. */
const ROUND = 60_000
/** A list that was not refreshed for so long is reported as down. Seconds. */
const STALE = 48 * 3_600
const PROBE = 1_500
const HOUR = 3_600_000

export type EvidenceOptions = {
  /** Ends the waiting, not the collecting: others may wait for the same. */
  readonly signal?: AbortSignal
  /** How long to wait for sources; those that are late appear as `timeout`. Milliseconds. */
  readonly budgetMs?: number
  /** A snapshot that ended at most so long ago will do, while a new one is collected for the next caller. Seconds. */
  readonly maxStaleSeconds?: number
}

/** Everything that the trust subgraph learns from outside. */
export type TrustSources = {
  /**
   * All evidence about a target: the stored snapshot while it is valid, else a new one with what is valid of the old. Rejects only with the reason of an
   * aborted signal: sources that fail are part of the snapshot. Equal targets that are asked for at the same time are collected once.
   */
  readonly evidenceFor: (subject: Subject, options?: EvidenceOptions) => Promise<Snapshot>
  /** What can be reached, in a fixed order: sources first, then lists and block lists by name. */
  readonly status: () => Promise<SourceStatus[]>
  /** Downloads the lists that are due, which also happens by itself; resolves when that is done. */
  readonly refreshLists: () => Promise<void>
  /** Ends what runs, and resolves when nothing does. */
  readonly close: () => Promise<void>
}

export type SourcesOptions = {
  readonly evidence: EvidenceRepository
  readonly lists: ListRepository
  readonly config: CollectorConfig
  readonly log: Logger
  /** Puts evidence together; sources that are not among it were not asked. */
  readonly snapshotOf: (collected: {
    readonly host: string
    readonly collectedAt: UnixSeconds
    readonly evidence: readonly Evidence[]
  }) => Snapshot
  readonly now?: () => Date
  /** For tests: exceptions from what may be connected to. No configuration leads here. */
  readonly network?: Omit<NetworkOptions, 'resolvers'>
  /** For tests: other lists than those of the configuration. */
  readonly chosen?: readonly List[]
  /** For tests: whether lists and DNS are looked after without being told; true when left out. */
  readonly isScheduled?: boolean
}

/** Starts the collectors; nothing is asked before the first target, except for lists that are due and whether DNS answers. */
export function trustSources({
  evidence: repository,
  lists,
  config,
  log,
  snapshotOf,
  now = () => new Date(),
  network: networkOptions = {},
  chosen = chosenLists(config.TRUST_LISTS),
  isScheduled = true,
}: SourcesOptions): TrustSources {
  const ended = new AbortController()
  const network = safeNetwork({ ...networkOptions, resolvers: config.TRUST_DNS_SERVERS ?? systemServers() })
  const dns = dnsClient(network)
  const https = httpsClient(network, dns)
  const parts: Parts = {
    network,
    dns,
    https,
    lists,
    configured: chosen,
    dnsbl: dnsblZones(dns, config.TRUST_DNSBL_ZONES ?? []),
    ctUrl: config.TRUST_CT_URL ?? null,
    places: slots(PLACES),
    log,
  }
  const health = sourceHealth()
  /** Targets that are collected now, and single answers: hosts of one domain share those about the domain. */
  const collecting = new Map<string, Promise<Snapshot>>()
  const answering = new Map<string, Promise<Evidence>>()
  const background = new Set<Promise<unknown>>()
  let reachesDns: boolean | null = null

  const looking = isScheduled ? lookAfter() : Promise.resolve()

  return {
    async evidenceFor(subject, { signal, budgetMs = BUDGET, maxStaleSeconds = 0 } = {}) {
      signal?.throwIfAborted()
      const wanted = stored(subject).then((latest) => {
        const at = seconds()
        if (!latest || latest.validUntil + maxStaleSeconds <= at) return collectOnce(subject, budgetMs)
        const life = latest.validUntil - latest.snapshot.collectedAt
        if (latest.validUntil - at < life * AHEAD) inBackground(collectOnce(subject, budgetMs, true))
        return latest.snapshot
      })
      return signal ? unlessAborted(wanted, signal) : wanted
    },

    async status() {
      const states = await lists.states(chosen.map(({ name }) => name))
      const dnsStatus: SourceStatus =
        reachesDns === false ? { name: 'dns', state: 'down', reason: 'no DNS server answers' } : health.of('dns')
      const ctStatus: SourceStatus = parts.ctUrl === null ? { name: 'ct', state: 'off', reason: null } : health.of('ct')
      const threats = chosen.some(({ kind }) => kind === 'threat') || parts.dnsbl.zones.length > 0
      const feeds: SourceStatus[] = threats ? [] : [{ name: 'feeds', state: 'off', reason: null }]
      return [
        health.of('rdap'),
        reachesDns === true && dnsStatus.state === 'untried' ? { ...dnsStatus, state: 'up' } : dnsStatus,
        health.of('tls'),
        ctStatus,
        ...feeds,
        ...states.map(({ list, edition, fault }): SourceStatus => {
          if (!edition) return { name: list, state: fault === null ? 'untried' : 'down', reason: fault }
          const isStale = seconds() - edition.fetchedAt > STALE
          return { name: list, state: isStale ? 'down' : 'up', reason: isStale ? (fault ?? 'not refreshed for two days') : null }
        }),
      ]
    },

    refreshLists,

    async close() {
      ended.abort()
      await looking
      await Promise.allSettled([...collecting.values(), ...answering.values(), ...background])
      await https.close()
    },
  }

  function seconds(): UnixSeconds {
    return Math.floor(now().getTime() / 1000)
  }

  /** A database that does not answer costs what was kept, not the decision. */
  async function stored({ host }: Subject): Promise<StoredSnapshot | null> {
    return repository.latestSnapshot(host).catch((error: unknown) => {
      log.warn({ err: error }, 'stored snapshots could not be read')
      return null
    })
  }

  function collectOnce(subject: Subject, budgetMs: number, isRenewal = false): Promise<Snapshot> {
    const running = collecting.get(subject.host)
    if (running) return running
    const collected = collect(subject, budgetMs, isRenewal).finally(() => collecting.delete(subject.host))
    collecting.set(subject.host, collected)
    return collected
  }

  /** `isRenewal`: asks again also for what ends soon. */
  async function collect(subject: Subject, budgetMs: number, isRenewal: boolean): Promise<Snapshot> {
    const late = sleep(budgetMs, null, { signal: ended.signal, ref: false }).catch(() => null)
    const kept = await keptFor(subject, isRenewal)
    const rows = collectors.filter(({ source }) => !kept.some((each) => each.source === source))
    const answers = start(rows, subject)
    const inTime = await Promise.all(
      answers.map((answer) => Promise.race([answer.evidence, late.then(() => timedOut(answer, subject, seconds()))])),
    )
    const snapshot = await store(subject, [...kept, ...inTime])
    inBackground(
      Promise.all(answers.map(({ evidence }) => evidence)).then(async (all) => {
        const isLate = all.some((evidence, index) => evidence !== inTime[index])
        // What came late makes a better snapshot for the next caller.
        if (isLate && !ended.signal.aborted) await store(subject, [...kept, ...all])
      }),
    )
    return snapshot
  }

  async function keptFor(subject: Subject, isRenewal: boolean): Promise<Evidence[]> {
    const asked = collectors.map(({ source, about }) => ({ source, subject: about(subject) }))
    const at = seconds()
    const valid = await repository.valid(asked, at).catch((error: unknown) => {
      log.warn({ err: error }, 'stored evidence could not be read')
      return []
    })
    if (!isRenewal) return valid
    return valid.filter(({ evidence: { collectedAt, validUntil } }) => validUntil - at >= (validUntil - collectedAt) * AHEAD)
  }

  /** Each row's answer, shared with whoever asks the same source about the same subject right now. */
  function start(rows: readonly Row[], subject: Subject): Answering[] {
    const key = ({ source, about }: Row) => `${source} ${about(subject)}`
    const fresh = rows.filter((row) => !answering.has(key(row)))
    for (const { row, evidence } of startCollectors(fresh, subject, { parts, now, ended: ended.signal })) {
      const noted = evidence.then((each) => {
        answering.delete(key(row))
        if (!ended.signal.aborted) health.note(each)
        return each
      })
      answering.set(key(row), noted)
    }
    return rows.map((row) => ({ row, evidence: answering.get(key(row)) ?? Promise.reject(new Error('Expected an answer.')) }))
  }

  async function store(subject: Subject, evidence: readonly Evidence[]): Promise<Snapshot> {
    const snapshot = snapshotOf({ host: subject.host, collectedAt: seconds(), evidence })
    const validUntil = Math.min(...evidence.map((each) => each.evidence.validUntil))
    try {
      await repository.save(evidence.filter(isWorthKeeping))
      await repository.saveSnapshot({ snapshot, validUntil })
    } catch (error) {
      if (!ended.signal.aborted) log.warn({ err: error }, 'a snapshot could not be stored')
    }
    return snapshot
  }

  function inBackground(work: Promise<unknown>): void {
    const quiet = work.catch((error: unknown) => {
      if (!ended.signal.aborted) log.warn({ err: error }, 'evidence could not be refreshed')
    })
    background.add(quiet)
    void quiet.finally(() => background.delete(quiet))
  }

  async function refreshLists(): Promise<void> {
    // One after the other: they are large, and nothing waits for them.
    for (const list of chosen) {
      if (ended.signal.aborted) return
      await refreshList(list, { lists, https, log, now, signal: ended.signal })
    }
  }

  /** Looks after DNS and lists until the end. */
  async function lookAfter(): Promise<void> {
    let tidied = -Infinity
    while (!ended.signal.aborted) {
      const probing = dns.ask('.', 'NS', AbortSignal.any([ended.signal, AbortSignal.timeout(PROBE)])).then(
        () => true,
        () => false,
      )
      reachesDns = await probing
      await refreshLists()
      if (performance.now() - tidied > HOUR && !ended.signal.aborted) {
        tidied = performance.now()
        await repository.tidy().catch((error: unknown) => log.warn({ err: error }, 'old evidence could not be removed'))
      }
      await sleep(ROUND, null, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }
}

/** What was not asked, or came too late, is asked for by the next caller. */
const isWorthKeeping = ({ evidence: { status } }: Evidence): boolean => status !== 'timeout' && status !== 'skipped'

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  return promise
}
