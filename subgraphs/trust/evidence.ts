/**
 * What collectors found out about one host: the only thing that collectors (all the I/O) and the
 * pipeline (all the judgement) share. Collectors never judge: they store what was answered. The
 * pipeline never asks: it reads time from `Snapshot.collectedAt`.
 *
 * Times are whole seconds since 1970-01-01T00:00:00Z (`UnixSeconds`), so that no reader depends on
 * a time zone. Names are lower-case A-labels without a trailing dot. Lists have no meaning in their
 * order unless it is said.
 */
export type UnixSeconds = number

/** The sources, in the order in which people list them. */
export const SOURCES = ['rdap', 'dns', 'tls', 'ct', 'feeds', 'popularity'] as const
export type Source = (typeof SOURCES)[number]

/** What stands around every answer of a source. */
type Collected = {
  /**
   * Subject of the request: the registrable domain for `rdap` and `popularity`, the host for the
   * others, an address for a literal.
   */
  readonly subject: string
  /** When the answer was received; for local lists, when it was looked up. */
  readonly collectedAt: UnixSeconds
  /**
   * Until when it may be used again: TTL, `Expires`, the next refresh of a list. Never before
   * `collectedAt`.
   */
  readonly validUntil: UnixSeconds
  /**
   * Which edition answered: an ETag, a list id with its date, a server's name. Null where the
   * source has none.
   */
  readonly version: string | null
}

/**
 * One source's answer. Absent, failed and negative are three different things:
 * - `ok`: the source answered and `facts` are its answer, also when it says "nothing known" (a feed
 *   without hits, a name without a rank);
 * - `absent`: the source answered for sure that the thing itself is not there (`Reason` says how:
 *   not registered, NXDOMAIN, nobody listens);
 * - `failed`: the source answered badly or not at all; nothing is known;
 * - `timeout`: no answer within its time; nothing is known;
 * - `skipped`: not asked. See `SkipReason`.
 */
export type SourceEvidence<Facts, Absent extends string = never, Failed extends string = FailReason> = Collected &
  (
    | { readonly status: 'ok'; readonly facts: Facts }
    | ([Absent] extends [never] ? never : { readonly status: 'absent'; readonly reason: Absent })
    | { readonly status: 'failed'; readonly reason: Failed }
    | { readonly status: 'timeout' }
    | { readonly status: 'skipped'; readonly reason: SkipReason }
  )

export type FailReason =
  /** 429, or a DNS block list that says "too many queries". */
  | 'rate_limited'
  /** 5xx, no route, a broken connection, a list that was never loaded. */
  | 'unavailable'
  /** An answer that does not parse, that is too large, or that speaks about another name. */
  | 'malformed'
  /** Our own guard refused: a redirect or an address that we do not connect to. */
  | 'blocked'

export type SkipReason =
  /** There is no such service for this name (a TLD without RDAP): asking again will not help. */
  | 'no_service'
  /**
   * The question has no meaning for this target (RDAP for an address, TLS for a name without
   * addresses or with private ones).
   */
  | 'not_applicable'
  /**
   * This installation has not set up the source, or a list is empty. Counts as unknown, like a
   * failure.
   */
  | 'not_configured'
  /** Left out for lack of time or places. Counts as unknown, like a failure. */
  | 'no_capacity'

/**
 * RFC 9083 reduced to what is judged. `absent`: the registry says that the domain is not registered
 * (404).
 */
export type RdapEvidence = SourceEvidence<RdapFacts, 'not_registered'>
export type RdapFacts = {
  /**
   * The earliest `registration` event; null when the registry does not tell (DENIC) or the date is
   * unreadable. May lie in the future: the pipeline says so.
   */
  readonly registeredAt: UnixSeconds | null
  readonly changedAt: UnixSeconds | null
  readonly transferredAt: UnixSeconds | null
  readonly expiresAt: UnixSeconds | null
  /** RDAP status values, lower case with blanks ("client hold", "redemption period"). */
  readonly statuses: readonly string[]
  readonly registrarIanaId: number | null
  readonly registrarName: string | null
  readonly nameservers: readonly string[]
  /** `secureDNS.delegationSigned`; null when not told. */
  readonly delegationSigned: boolean | null
}

/**
 * `absent`: NXDOMAIN from a server in charge. `failed` with `servfail`: the name's servers are
 * broken or DNSSEC is (see `dnssec`).
 */
export type DnsEvidence = SourceEvidence<DnsFacts, 'nxdomain', FailReason | 'servfail'>
export type RecordType = 'A' | 'AAAA' | 'NS' | 'MX' | 'TXT' | 'DMARC' | 'CAA'
export type DnsFacts = {
  /**
   * IPv4 and IPv6 addresses of the host, as text, at the end of the CNAME chain. Empty: the name
   * exists and has none.
   */
  readonly a: readonly string[]
  readonly aaaa: readonly string[]
  /** Names of the registrable domain's servers. */
  readonly ns: readonly string[]
  /**
   * Exchanges of the registrable domain, without preferences; a null MX (RFC 7505) is the empty
   * string.
   */
  readonly mx: readonly string[]
  /**
   * The record of the registrable domain that begins with `v=spf1`, at most 1,024 characters; null
   * when there is none.
   */
  readonly spf: string | null
  /**
   * The record at `_dmarc` of the registrable domain that begins with `v=DMARC1`, at most 1,024
   * characters; null when there is none.
   */
  readonly dmarc: string | null
  /** CAA records that apply, as text ("0 issue \"letsencrypt.org\""). */
  readonly caa: readonly string[]
  /** In the order of the chain, without the host itself; at most 8. */
  readonly cnames: readonly string[]
  /** From a validating resolver. `unknown`: it could not be asked. */
  readonly dnssec: 'secure' | 'insecure' | 'bogus' | 'unknown'
  /** Whether a random label beside the host also resolves; null: not tried or unknown. */
  readonly wildcard: boolean | null
  /** The smallest TTL of the address records; null without any. */
  readonly ttlSeconds: number | null
  /**
   * Record types whose query failed or timed out; their lists above are empty for want of an
   * answer.
   */
  readonly unanswered: readonly RecordType[]
  /**
   * Networks of the first eight addresses, as the operator's files name them, in the order of the
   * addresses; absent without files, and in older evidence.
   */
  readonly networks?: readonly AddressNetwork[]
}
export type AddressNetwork = {
  readonly address: string
  /** Number of the autonomous system (RFC 6793). */
  readonly asn: number
  /** Null: the file does not name it. */
  readonly name: string | null
  /** Whether it rents servers to others; null: unknown. */
  readonly isHosting: boolean | null
}

/**
 * The handshake with a vetted address on port 443, SNI = host. `absent`: no TLS there (connection
 * refused, or another protocol answers).
 */
export type TlsEvidence = SourceEvidence<TlsFacts, 'refused' | 'no_tls'>
export type TlsFacts = {
  /** As node:tls says it: "TLSv1.3". */
  readonly protocol: string
  readonly issuer: string
  readonly subject: string
  /** dNSName and iPAddress entries; at most 100. */
  readonly names: readonly string[]
  readonly notBefore: UnixSeconds
  readonly notAfter: UnixSeconds
  /** Whether the chain ends in a root that we trust, dates and names aside. */
  readonly chainTrusted: boolean
  readonly selfSigned: boolean
  readonly nameMatches: boolean
  /** From the policy OIDs; `unknown` when there are none that tell. */
  readonly validation: 'DV' | 'OV' | 'EV' | 'unknown'
  readonly fingerprint256: string
}

/** Certificate transparency. `ok` with `certificates` 0: the logs know none. */
export type CtEvidence = SourceEvidence<CtFacts>
export type CtFacts = {
  /** When the first certificate for the registrable domain was logged; null without any. */
  readonly firstSeenAt: UnixSeconds | null
  readonly certificates: number
  readonly issuers: readonly string[]
}

/**
 * All threat feeds together. `ok` when at least one feed answered; then `failed` names those that
 * did not.
 */
export type FeedsEvidence = SourceEvidence<FeedsFacts>
export type FeedsFacts = {
  readonly checked: readonly FeedChecked[]
  readonly failed: readonly { readonly feed: string; readonly reason: FailReason | 'timeout' }[]
  readonly hits: readonly FeedHit[]
}
export type FeedChecked = {
  readonly feed: string
  /** Date of the copy that was looked at. */
  readonly asOf: UnixSeconds
  /** When a newer copy is due. */
  readonly refreshAt: UnixSeconds
}
export type FeedHit = {
  readonly feed: string
  /**
   * Where the feed gets its entries; two feeds of one lineage are one witness. Usually the feed's
   * own name.
   */
  readonly lineage: string
  readonly category: 'phishing' | 'malware' | 'c2' | 'spam' | 'other'
  /**
   * What the feed lists: this host (or address), the domain above it with all its hosts, or one URL
   * on it.
   */
  readonly scope: 'host' | 'domain' | 'url'
  /** The entry as the feed has it, at most 512 characters. */
  readonly indicator: string
  readonly firstSeenAt: UnixSeconds | null
  readonly lastSeenAt: UnixSeconds | null
  readonly state: 'online' | 'offline' | 'unknown'
  /**
   * The feed itself says that the domain is an honest one that is being abused (Spamhaus DBL
   * 127.0.1.102 to .106).
   */
  readonly abusedLegitimate: boolean
  /** Hash of a listed URL, as `url-key.ts` makes it; absent for hosts, and in older evidence. */
  readonly urlKey?: string
  /** Hash of the user that a listed URL belongs to, on hosts that are shared by path. */
  readonly tenantKey?: string
}

/** What the feeds that have a copy list of one target. */
export type ListedNow = {
  readonly feeds: readonly {
    readonly name: string
    readonly lineage: string
    /** Whether its copy is not overdue. */
    readonly isFresh: boolean
    /** Whether only what was wrong leaves it. */
    readonly keepsEntries: boolean
  }[]
  readonly hits: readonly FeedHit[]
}

/** The copy of a threat feed; `edition`: null when none was loaded. */
export type FeedCopy = {
  readonly name: string
  readonly state: 'up' | 'down' | 'untried' | 'off'
  /** Why it is down; null otherwise. */
  readonly reason: string | null
  readonly edition: { readonly entries: number; readonly asOf: UnixSeconds; readonly fetchedAt: UnixSeconds } | null
}

/** Popularity lists. `ok` with no ranks: looked up and on none of them. */
export type PopularityEvidence = SourceEvidence<PopularityFacts>
export type PopularityFacts = {
  readonly ranks: readonly PopularityRank[]
  /**
   * Popular names that the domain's first label resembles; absent for names with a
   * rank of their own, and in older evidence.
   */
  readonly neighbours?: readonly PopularNeighbour[]
}
export type PopularNeighbour = {
  readonly name: string
  readonly rank: number
  /** `same`: the label under another suffix; `edit`: one letter differs; `contains`: it stands at an end of the label. */
  readonly relation: 'same' | 'edit' | 'contains'
  /** What stands beside a contained label; empty otherwise. */
  readonly rest: string
  /** Id of the entry of the operator's brand list that names it; absent for popular names. */
  readonly entry?: string
}
export type PopularityRank = {
  readonly list: string
  readonly listId: string
  /** 1 is the most popular; for lists of buckets (CrUX) the bucket's upper end. */
  readonly rank: number
}

export type EvidenceBySource = {
  readonly rdap: RdapEvidence
  readonly dns: DnsEvidence
  readonly tls: TlsEvidence
  readonly ct: CtEvidence
  readonly feeds: FeedsEvidence
  readonly popularity: PopularityEvidence
}

/** One source's evidence together with the source's name: what a collector returns. */
export type Evidence = { readonly [S in Source]: { readonly source: S; readonly evidence: EvidenceBySource[S] } }[Source]

/**
 * All evidence of one host. Made by `pipeline/snapshot.ts`, which fills in sources that were
 * not collected and computes `id`.
 */
export type Snapshot = {
  /** Version of this shape. */
  readonly schema: 1
  /**
   * SHA-256 (hexadecimal) of the canonical JSON (RFC 8785) of everything else, with lists sorted
   * that have no order.
   */
  readonly id: string
  readonly host: string
  /** The clock of every decision made from this snapshot: when collecting ended. */
  readonly collectedAt: UnixSeconds
  readonly sources: EvidenceBySource
  /** Where the URL leads; absent where it was not followed, and in older evidence. */
  readonly redirects?: RedirectChain
}

/** The redirects of a URL, followed without credentials by requests for headers only. */
export type RedirectChain = {
  /**
   * How it ended. `answered`: the last URL answered without another redirect; `loop`: a URL came
   * twice; `too_many`: there were more than `MAX_REDIRECTS`; `blocked`: our own guard refused the
   * next one; `failed` and `timeout`: nothing is known about what comes next.
   */
  readonly end: 'answered' | 'loop' | 'too_many' | 'blocked' | 'failed' | 'timeout'
  readonly followedAt: UnixSeconds
  /** What the URL forwards to, in order, without itself. Empty where it does not redirect. */
  readonly hops: readonly RedirectHop[]
}

/** One URL of a chain: hashes of its path as in every target, and the evidence about its host. */
export type RedirectHop = {
  /** Normalized like every target, with hashes of its path: the pipeline's `Target`. */
  readonly target: { readonly host: string }
  readonly snapshot: Snapshot
}
