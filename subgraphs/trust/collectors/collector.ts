import type { Logger } from 'pino'
import type { Addresses } from '../../../platform/outbound/addresses.ts'
import type { DnsClient } from '../../../platform/outbound/dns-client.ts'
import type { HttpClient } from '../../../platform/outbound/http-client.ts'
import type { Network } from '../../../platform/outbound/safe-connect.ts'
import type { Slots } from '../../../platform/outbound/slots.ts'
import type { EvidenceBySource, SkipReason, Source } from '../evidence.ts'
import type { Circuits } from './circuits.ts'
import type { DnsblZones } from './dnsbl.ts'
import type { ListRepository } from './list-repository.ts'
import type { List } from './lists.ts'
import type { Networks } from './networks.ts'
import type { PopularNames } from './popular-names.ts'

/**
 * A normalised target. Names are lower-case A-labels without a trailing dot; an address is its own
 * host and has no registrable domain.
 */
export type Subject = {
  readonly host: string
  /**
   * By the public suffix list without its private section; null for an address and for a name that
   * is itself a suffix.
   */
  readonly registrable: string | null
}

/** What collectors work with. */
export type CollectorParts = {
  readonly network: Network
  readonly dns: DnsClient
  readonly https: HttpClient
  readonly lists: ListRepository
  /** The lists that this installation has set up. */
  readonly configured: readonly List[]
  readonly dnsbl: DnsblZones
  /** Networks of addresses, by files of the operator; null: there are none. */
  readonly networks: Networks | null
  /** URL template with `{domain}` of a log index with crt.sh's JSON; null: none is queried. */
  readonly ctUrl: string | null
  /** Popular names that ship with this program, loaded at first use; null: none. */
  readonly popularNames: (() => Promise<PopularNames>) | null
  /** Whether registries without RDAP are queried by WHOIS. */
  readonly usesWhois: boolean
  /** Places for requests to registries and targets. */
  readonly slots: Slots
  /** Around requests to registries and log indexes. */
  readonly circuits: Circuits
  readonly log: Logger
}

/** One question to one source. */
export type CollectorRequest = {
  readonly subject: Subject
  readonly parts: CollectorParts
  /** Ends this source's time. What has an answer by then may still be returned. */
  readonly signal: AbortSignal
  readonly now: () => Date
  /** Addresses of the host, resolved once for all sources; rejects with a `Fault`. */
  readonly addresses: () => Promise<Addresses>
}

type FactsOf<S extends Source> = Extract<EvidenceBySource[S], { readonly status: 'ok' }>['facts']
type AbsenceOf<S extends Source> = EvidenceBySource[S] extends infer E
  ? E extends { readonly status: 'absent'; readonly reason: infer Reason }
    ? Reason
    : never
  : never
type FailureOf<S extends Source> = EvidenceBySource[S] extends infer E
  ? E extends { readonly status: 'failed'; readonly reason: infer Reason }
    ? Reason
    : never
  : never

/** Result of a source. `validFor`: seconds. Every failure is a thrown `Fault`. */
export type CollectorResult<S extends Source> = { readonly validFor: number; readonly version?: string } & (
  | { readonly status: 'ok'; readonly facts: FactsOf<S> }
  | { readonly status: 'absent'; readonly reason: AbsenceOf<S> }
  | { readonly status: 'failed'; readonly reason: FailureOf<S> }
  | { readonly status: 'skipped'; readonly reason: SkipReason }
)

export type Collector<S extends Source> = (request: CollectorRequest) => Promise<CollectorResult<S>>
