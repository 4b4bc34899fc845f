import { isAddress } from '../../../platform/outbound/address-policy.ts'
import { type Addresses, resolveAddresses } from '../../../platform/outbound/addresses.ts'
import { deadline } from '../../../platform/outbound/deadline.ts'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import type { Evidence, FailReason, Source, UnixSeconds } from '../evidence.ts'
import type { CollectorParts, CollectorResult, Subject } from './collector.ts'
import { ADDRESSES_TIMEOUT_MS, type CollectorRow } from './collectors.ts'

/**
 * How long a source that did not answer is left alone: long enough not to be a burden, short enough
 * to be forgotten. Seconds.
 */
const MIN_RETRY_SECONDS = 60
/** Longest Retry-After of a source that is respected. Seconds. */
const MAX_RETRY_SECONDS = 3_600
/** Time for a collector to return partial results after its timeout. Milliseconds. */
const GRACE_MS = 100

/** The row's answer, always: a fault, a silence and a mistake of ours are answers too. */
export type PendingEvidence = { readonly row: CollectorRow; readonly evidence: Promise<Evidence> }

/**
 * Running collections, to abort them all. A set, because a signal with thousands of listeners is
 * slow.
 */
export type RunningCollections = Set<AbortController>

/** Starts these rows at once, and is among `running` until the last has answered. */
export function startCollectors(
  rows: readonly CollectorRow[],
  subject: Subject,
  { parts, now, running }: { readonly parts: CollectorParts; readonly now: () => Date; readonly running: RunningCollections },
): PendingEvidence[] {
  let resolving: Promise<Addresses> | null = null
  const ending = new AbortController()
  const ended = ending.signal
  running.add(ending)
  const pending = rows.map((row) => ({ row, evidence: run(row) }))
  void Promise.all(pending.map(({ evidence }) => evidence)).then(() => running.delete(ending))
  return pending

  function addresses(): Promise<Addresses> {
    if (isAddress(subject.host)) return Promise.resolve(literal(subject.host))
    resolving ??= resolve()
    return resolving
  }

  async function resolve(): Promise<Addresses> {
    const { signal, clear } = deadline(ADDRESSES_TIMEOUT_MS, ended)
    try {
      const found = await resolveAddresses(parts.dns, subject.host, signal)
      // A server that denies every name is no evidence that this one does not exist.
      if (found.status !== 'nxdomain' || (await parts.dns.root(signal)).isReachable) return found
      throw new Fault('unavailable', 'the DNS servers do not know the root')
    } finally {
      clear()
    }
  }

  async function run(row: CollectorRow): Promise<Evidence> {
    const clears: (() => void)[] = []
    try {
      if (row.needs === 'addresses') await addresses()
      const own = deadline(row.timeoutMs, ended)
      const last = deadline(row.timeoutMs + GRACE_MS, ended)
      clears.push(own.clear, last.clear)
      // A collector that ignores its abort signal is abandoned.
      const late = new Promise<never>((_, reject) => {
        last.signal.addEventListener('abort', () => reject(new Fault('timeout', 'no answer in time')))
      })
      return toEvidence(row, await Promise.race([row.collect({ subject, parts, signal: own.signal, now, addresses }), late]))
    } catch (error) {
      if (!(error instanceof Fault) && !ended.aborted) parts.log.error({ err: error, source: row.source }, 'a collector failed')
      return failedEvidence(row, subject, faultOf(error), at())
    } finally {
      for (const clear of clears) clear()
    }
  }

  function toEvidence(row: CollectorRow, { validFor, version, ...result }: CollectorResult<Source>): Evidence {
    const collectedAt = at()
    const around = {
      subject: row.subjectOf(subject),
      collectedAt,
      validUntil: collectedAt + Math.max(0, Math.round(validFor)),
      version,
    }
    // The row ties its source to its facts; the compiler cannot follow that through the table.
    return { source: row.source, evidence: { ...around, ...result } } as Evidence
  }

  function at(): UnixSeconds {
    return Math.floor(now().getTime() / 1000)
  }
}

/** What stands for a row whose answer has not come when a decision must be made. */
export const timedOutEvidence = ({ row }: PendingEvidence, subject: Subject, at: UnixSeconds): Evidence =>
  failedEvidence(row, subject, { reason: 'timeout', retryAfter: null }, at)

function failedEvidence(
  row: CollectorRow,
  subject: Subject,
  { reason, retryAfter }: Pick<Fault, 'reason' | 'retryAfter'>,
  collectedAt: UnixSeconds,
): Evidence {
  const wait = Math.min(Math.max(retryAfter ?? MIN_RETRY_SECONDS, MIN_RETRY_SECONDS), MAX_RETRY_SECONDS)
  const around = { subject: row.subjectOf(subject), collectedAt, validUntil: collectedAt + wait, version: null }
  // Each failure is evidence of every source.
  return { source: row.source, evidence: { ...around, ...failureStatus(reason) } } as Evidence
}

function failureStatus(reason: Fault['reason']) {
  if (reason === 'timeout') return { status: 'timeout' } as const
  if (reason === 'no_capacity') return { status: 'skipped', reason } as const
  return { status: 'failed', reason: FAILURES[reason] } as const
}

/** Failures of a source's own service: unreachable is no statement about the target. */
const FAILURES: Readonly<Record<Exclude<Fault['reason'], 'timeout' | 'no_capacity'>, FailReason>> = {
  rate_limited: 'rate_limited',
  unavailable: 'unavailable',
  malformed: 'malformed',
  too_large: 'malformed',
  blocked: 'blocked',
  refused: 'unavailable',
  no_tls: 'unavailable',
}

const literal = (address: string): Addresses => ({
  status: 'found',
  a: address.includes(':') ? [] : [address],
  aaaa: address.includes(':') ? [address] : [],
  cnames: [],
  ttlSeconds: null,
  isAuthentic: false,
  unanswered: [],
})
