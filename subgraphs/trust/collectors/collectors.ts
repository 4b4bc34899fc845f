import type { Source } from '../evidence.ts'
import type { Collector, Subject } from './collector.ts'
import { collectCt } from './ct.ts'
import { collectDns } from './dns.ts'
import { collectFeeds } from './feeds.ts'
import { collectPopularity } from './popularity.ts'
import { collectRdap } from './rdap.ts'
import { collectTls } from './tls.ts'

/** A collector as `collection.ts` runs it. */
export type CollectorRow<S extends Source = Source> = {
  readonly source: S
  /** Timeout, from the moment that its `needs` are available. Milliseconds. */
  readonly timeoutMs: number
  /**
   * Subject of its evidence, and key of the cache: hosts of one domain share evidence about the
   * domain.
   */
  readonly subjectOf: (subject: Subject) => string
  /** Whether it begins once the host's addresses are known. */
  readonly needs: 'addresses' | null
  readonly collect: Collector<S>
}

const host = (subject: Subject): string => subject.host
const domain = (subject: Subject): string => subject.registrable ?? subject.host
const row = <S extends Source>(each: CollectorRow<S>): CollectorRow<S> => each

/**
 * How long the host's addresses are waited for. What waits for them has the rest of the budget.
 * Milliseconds.
 */
export const ADDRESSES_TIMEOUT_MS = 1_100

/**
 * All sources. Within the budget of a decision: addresses, then DNS and TLS; the others in
 * parallel. Lists have little time because they are in our own database. Registries and log indexes
 * have more than a decision waits: several answer after 3 to 10 s, for the next decision.
 */
export const collectors: readonly CollectorRow[] = [
  row({ source: 'rdap', timeoutMs: 15_000, subjectOf: domain, needs: null, collect: collectRdap }),
  row({ source: 'dns', timeoutMs: 1_500, subjectOf: host, needs: 'addresses', collect: collectDns }),
  row({ source: 'tls', timeoutMs: 1_700, subjectOf: host, needs: 'addresses', collect: collectTls }),
  row({ source: 'ct', timeoutMs: 15_000, subjectOf: domain, needs: null, collect: collectCt }),
  row({ source: 'feeds', timeoutMs: 1_500, subjectOf: host, needs: null, collect: collectFeeds }),
  row({ source: 'popularity', timeoutMs: 1_000, subjectOf: domain, needs: null, collect: collectPopularity }),
] as readonly CollectorRow[]

/** Every source with its subject. */
export const sourceSubjects = (subject: Subject) =>
  collectors.map(({ source, subjectOf }) => ({ source, subject: subjectOf(subject) }))

/** Key of a source's evidence about a subject. */
export const keyOf = ({ source, subjectOf }: CollectorRow, subject: Subject): string => `${source} ${subjectOf(subject)}`
