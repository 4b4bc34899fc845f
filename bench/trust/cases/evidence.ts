/**
 * Evidence as sources send it (RFC 9083, DNS records, certificates, lists), for labelled cases: what
 * scripted servers would answer about a domain of some kind. Ages are in days before `NOW`.
 */

export const NOW = '2026-11-20T12:00:00Z'
const DAY_MS = 86_400_000

export type CaseEvidenceInput = Readonly<Record<string, unknown>>

const daysAgo = (days: number): string => new Date(Date.parse(NOW) - days * DAY_MS).toISOString()

/** What differs between kinds of domains; the rest follows. */
export type DomainFacts = {
  /** Null: the registry publishes no date; undefined: there is no service. */
  readonly ageDays?: number | null | undefined
  readonly hasService?: boolean
  readonly rank?: number | null
  /** Whether the zone has mail, SPF and DMARC. */
  readonly hasMail?: boolean
  readonly certDays?: number
  /** Days since the first certificate in the logs. */
  readonly firstCertDays?: number
  readonly statuses?: readonly string[]
  readonly transferredDays?: number
  readonly addresses?: readonly string[]
  readonly servers?: readonly string[]
  readonly ttl?: number
  readonly tls?: Readonly<Record<string, unknown>>
  readonly dnssec?: 'secure' | 'insecure' | 'bogus' | 'unknown'
  readonly hits?: readonly HitInput[]
  /** Sources that do not answer in time. */
  readonly missing?: readonly string[]
  /** Instead of records: the name does not exist, or its servers fail. */
  readonly dns?: 'nxdomain' | 'servfail'
}

export type HitInput = {
  readonly feed: string
  readonly scope: 'host' | 'domain' | 'url'
  readonly indicator: string
  readonly category?: 'phishing' | 'malware' | 'c2' | 'spam'
  readonly state?: 'online' | 'offline' | 'unknown'
  readonly lastSeenDays?: number
}

export function evidenceOf(registrable: string, host: string, facts: DomainFacts): CaseEvidenceInput {
  const { ageDays, hasService = true, rank = null, hasMail = true, certDays = 40, firstCertDays, hits = [], missing = [] } = facts
  const unless = (source: string, answer: CaseEvidenceInput): CaseEvidenceInput =>
    missing.includes(source) ? { status: 'timeout' } : answer
  const ctDays = firstCertDays ?? (typeof ageDays === 'number' ? Math.max(0, Math.min(ageDays - 5, 4000)) : 2500)
  return {
    collectedAt: NOW,
    rdap: unless('rdap', hasService ? { status: 'ok', json: registration(registrable, facts) } : { status: 'no_service' }),
    dns: unless('dns', facts.dns ? { status: facts.dns } : records(facts, hasMail)),
    tls: unless('tls', facts.dns ? { status: 'skipped' } : certificate(host, certDays, facts.tls)),
    ct: unless('ct', { status: 'ok', firstSeen: daysAgo(ctDays), certCount: Math.max(1, Math.round(ctDays / 60)) }),
    feeds: unless('feeds', {
      status: 'ok',
      asOf: daysAgo(0.1),
      checked: ['urlhaus', 'openphish', 'phishtank', 'threatfox'],
      hits: hits.map(({ lastSeenDays = 1, category = 'phishing', state = 'online', ...hit }) => ({
        ...hit,
        category,
        state,
        firstSeen: daysAgo(lastSeenDays + 3),
        lastSeen: daysAgo(lastSeenDays),
      })),
    }),
    popularity: unless('popularity', { status: 'ok', lists: rank === null ? {} : { tranco: { rank, listId: 'X' } } }),
  }
}

/** Response of a registry. */
function registration(
  name: string,
  { ageDays, statuses = ['client transfer prohibited'], transferredDays, servers }: DomainFacts,
) {
  const event = (eventAction: string, days: number) => ({ eventAction, eventDate: daysAgo(days) })
  return {
    objectClassName: 'domain',
    ldhName: name.toUpperCase(),
    status: statuses,
    events: [
      ...(typeof ageDays === 'number' ? [event('registration', ageDays), event('expiration', -200)] : []),
      ...(transferredDays === undefined ? [] : [event('transfer', transferredDays)]),
    ],
    entities: [
      { objectClassName: 'entity', roles: ['registrar'], publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }] },
    ],
    nameservers: serversOf(servers).map((ldhName) => ({ objectClassName: 'nameserver', ldhName })),
    secureDNS: { delegationSigned: false },
  }
}

const serversOf = (servers: readonly string[] | undefined) => servers ?? ['ns1.hoster.example', 'ns2.hoster.example']

const records = ({ addresses = ['93.184.216.34'], servers, ttl = 3600, dnssec = 'insecure' }: DomainFacts, hasMail: boolean) => ({
  status: 'ok',
  A: addresses.filter((address) => !address.includes(':')),
  AAAA: addresses.filter((address) => address.includes(':')),
  NS: serversOf(servers),
  MX: hasMail ? ['10 mx.hoster.example'] : [],
  TXT: hasMail ? ['v=spf1 -all'] : [],
  DMARC: hasMail ? ['v=DMARC1; p=reject'] : [],
  CAA: [],
  CNAME: null,
  dnssec,
  wildcard: false,
  ttl,
})

const certificate = (host: string, days: number, different: Readonly<Record<string, unknown>> = {}) => ({
  status: 'ok',
  protocol: 'TLSv1.3',
  issuer: 'CN=R11',
  subject: `CN=${host}`,
  san: [host],
  validFrom: daysAgo(days),
  validTo: daysAgo(days - 90),
  chainTrusted: true,
  selfSigned: false,
  hostnameMatches: true,
  validationLevel: 'DV',
  fingerprint256: 'scripted',
  ...different,
})

const YEAR_DAYS = 366

/** Kinds of domains. */
export const KINDS = {
  /** Known to everybody. */
  popular: { ageDays: 15 * YEAR_DAYS, rank: 3_000, dnssec: 'secure' },
  /** A site of a country, known there. */
  national: { ageDays: 14 * YEAR_DAYS, rank: 60_000 },
  /** Under a registry that publishes no dates. */
  undatedPopular: { ageDays: null, rank: 8_000, firstCertDays: 3_700 },
  undatedNational: { ageDays: null, rank: 70_000, firstCertDays: 3_000 },
  undatedSmall: { ageDays: null, firstCertDays: 2_600 },
  undatedNew: { ageDays: null, firstCertDays: 3, certDays: 3, hasMail: false },
  /** Under a registry that no service answers for. */
  popularWithoutData: { hasService: false, rank: 6_000, firstCertDays: 3_700 },
  nationalWithoutData: { hasService: false, rank: 80_000, firstCertDays: 3_000 },
  smallWithoutData: { hasService: false, firstCertDays: 2_200 },
  /** A business of twelve years that nobody else knows. */
  small: { ageDays: 12 * YEAR_DAYS },
  mature: { ageDays: 3 * YEAR_DAYS },
  startup: { ageDays: 200 },
  /** Honest and new, with mail. */
  newborn: { ageDays: 4, certDays: 4 },
  month: { ageDays: 25, certDays: 24 },
  /** Registered and certified for a campaign. */
  kit: { ageDays: 2, certDays: 1, hasMail: false, ttl: 60 },
  oldKit: { ageDays: 45, certDays: 20, hasMail: false },
  nothing: { missing: ['rdap', 'dns', 'tls', 'ct', 'feeds', 'popularity'] },
} as const satisfies Readonly<Record<string, DomainFacts>>
