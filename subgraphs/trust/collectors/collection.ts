import { setTimeout as sleep } from 'node:timers/promises'
import type { Evidence, FailReason, Source, UnixSeconds } from '../evidence.ts'
import { isAddress } from './address-policy.ts'
import { type Addresses, resolveAddresses } from './addresses.ts'
import type { Asking, Parts, Subject, Told } from './collector.ts'
import { ADDRESSES_TIMEOUT, type Row } from './collectors.ts'
import { Fault, faultOf } from './fault.ts'

/** How long a source that did not answer is left alone: long enough not to be a burden, short enough to be forgotten. Seconds. */
const FAILED_FOR = 60
/** A source that asks for more patience than this is asked sooner. Seconds. */
const PATIENCE = 3_600
/** What a collector may take to put together what it has when its time is over. Milliseconds. */
const GRACE = 100

/** The row's answer, always: a fault, a silence and a mistake of ours are answers too. */
export type Answering = { readonly row: Row; readonly evidence: Promise<Evidence> }

/** Starts these rows at once. `ended` ends all of them early. */
export function startCollectors(
  rows: readonly Row[],
  subject: Subject,
  { parts, now, ended }: { readonly parts: Parts; readonly now: () => Date; readonly ended: AbortSignal },
): Answering[] {
  let resolving: Promise<Addresses> | null = null
  return rows.map((row) => ({ row, evidence: run(row) }))

  function addresses(): Promise<Addresses> {
    if (isAddress(subject.host)) return Promise.resolve(literal(subject.host))
    resolving ??= resolveAddresses(parts.dns, subject.host, AbortSignal.any([ended, AbortSignal.timeout(ADDRESSES_TIMEOUT)]))
    return resolving
  }

  async function run(row: Row): Promise<Evidence> {
    const started = performance.now()
    try {
      if (row.needs === 'addresses') await addresses()
      const signal = AbortSignal.any([ended, AbortSignal.timeout(row.timeout)])
      const asking: Asking = { subject, parts, signal, now, addresses }
      // A collector that does not listen to its signal is left behind.
      const late = sleep(row.timeout + GRACE, null, { ref: false }).then(() => {
        throw new Fault('timeout', 'no answer in time')
      })
      late.catch(() => {})
      return written(row, await Promise.race([row.collect(asking), late]))
    } catch (error) {
      if (!(error instanceof Fault) && !ended.aborted) {
        parts.log.error({ err: error, source: row.source, ms: Math.round(performance.now() - started) }, 'a collector failed')
      }
      return failed(row, subject, faultOf(error), at())
    }
  }

  function written(row: Row, { validFor, version, ...told }: Told<Source>): Evidence {
    const collectedAt = at()
    const around = {
      subject: row.about(subject),
      collectedAt,
      validUntil: collectedAt + Math.max(0, Math.round(validFor)),
      version,
    }
    // The row ties its source to its facts; the compiler cannot follow that through the table.
    return { source: row.source, evidence: { ...around, ...told } } as Evidence
  }

  function at(): UnixSeconds {
    return Math.floor(now().getTime() / 1000)
  }
}

/** What stands for a row whose answer has not come when a decision must be made. */
export const timedOut = ({ row }: Answering, subject: Subject, at: UnixSeconds): Evidence =>
  failed(row, subject, new Fault('timeout', 'no answer in time'), at)

function failed(row: Row, subject: Subject, { reason, retryAfter }: Fault, collectedAt: UnixSeconds): Evidence {
  const wait = Math.min(Math.max(retryAfter ?? FAILED_FOR, FAILED_FOR), PATIENCE)
  const around = { subject: row.about(subject), collectedAt, validUntil: collectedAt + wait, version: null }
  return { source: row.source, evidence: { ...around, ...endingOf(reason) } } as Evidence
}

function endingOf(reason: Fault['reason']) {
  if (reason === 'timeout') return { status: 'timeout' } as const
  if (reason === 'no_capacity') return { status: 'skipped', reason } as const
  return { status: 'failed', reason: FAILURES[reason] } as const
}

/** Of a source's own service: nobody listening there is no statement about the target. */
const FAILURES: Readonly<Record<Exclude<Fault['reason'], 'timeout' | 'no_capacity'>, FailReason>> = {
  rate_limited: 'rate_limited',
  unavailable: 'unavailable',
  malformed: 'malformed',
  blocked: 'blocked',
  refused: 'unavailable',
  no_tls: 'unavailable',
}

const literal = (address: string): Addresses => ({
  outcome: 'found',
  a: address.includes(':') ? [] : [address],
  aaaa: address.includes(':') ? [address] : [],
  cnames: [],
  ttlSeconds: null,
  isAuthentic: false,
  unanswered: [],
})
