import { type Snapshot, SOURCES, type Source, type UnixSeconds } from '../evidence.ts'
import { isPrivateAnswer, isPrivateAnswerBeforeEngine3, networkOf } from './address.ts'
import type { Assumption } from './assumption.ts'
import { type Driver, UNAVAILABLE } from './codes.ts'
import { type Destination, destinationOf } from './destination.ts'
import { type FeedWitness, feedObservations } from './feeds.ts'
import { type Lookalike, type LookalikeKind, lookalikeOf, ownerOf } from './look-alike.ts'
import type { Target } from './normalise.ts'
import type { Observation } from './observation.ts'
import type { Policy } from './policy.ts'
import { popularLookalikeOf } from './popular-look-alike.ts'
import type { SignalId } from './signals.ts'
import type { EmbeddedHost } from './url.ts'
import { isDeceptive } from './userinfo.ts'

/** Features of a target, sorted for judging. */
export type Features = {
  readonly observations: readonly Observation[]
  readonly drivers: readonly Driver[]
  /**
   * Sources without an answer: failed, timed out, not queried. Not those without data for this kind
   * of target.
   */
  readonly unknown: ReadonlySet<Source>
  readonly ageDays: number | null
  readonly rank: number | null
  readonly owner: string | null
  readonly lookalike: Lookalike | null
  readonly witness: FeedWitness
  /** On a shared suffix: neither age nor rank are the tenant's. */
  readonly isTenant: boolean
  readonly isPlatform: boolean
  /**
   * Where the URL forwards to; `none` before engine 3, and never known before engine 4.
   */
  readonly destination: Destination
  /** A URL that ends like a file that runs when it is opened; false before engine 3. */
  readonly isProgram: boolean
  readonly isBelowApex: boolean
  readonly hasCertificateFault: boolean
  /** The registry publishes no dates of registration: other clocks count. False before engine 3. */
  readonly isRegistryUndated: boolean
  /**
   * Whether certificate logs, had they answered, could have shown use before the present
   * registration.
   */
  readonly mayBeReregistered: boolean
}

const DAY_SECONDS = 86_400

/**
 * Stage 3: evidence in, observations out. The order of evidence does not matter: counts, and the
 * best or worst. `assumption`: the answers of sources without one.
 */
export function observe(target: Target, snapshot: Snapshot, policy: Policy, assumption: Assumption): Features {
  const at = snapshot.collectedAt
  const { sources } = snapshot
  const isTenant = target.name.shared
  const drivers = new Set<Driver>()
  const unknown = unknownSources(snapshot)
  for (const source of unknown) drivers.add(UNAVAILABLE[source])
  if (SOURCES.some((source) => sources[source].validUntil < at && sources[source].status === 'ok')) drivers.add('STALE_SNAPSHOT')

  const registered = registeredAt(snapshot, drivers)
  const ageDays = registered === null ? null : Math.floor((at - registered) / DAY_SECONDS)
  const rank = isTenant ? null : bestRank(snapshot)
  const owner = ownerOf(target, policy.brands)
  const isPlatform = policy.isPlatform(target.host)
  const resembling =
    lookalikeOf(target, policy.brands, policy.words) ?? (owner === null ? popularLookalikeOf(target, snapshot, policy) : null)
  const lookalike =
    resembling && isCoincidence(resembling.kind, { ageDays, rank, unknown }, policy, assumption) ? null : resembling
  const feeds = feedObservations(
    snapshot,
    { isPlatform, isYoung: ageDays !== null && !isTenant && ageDays < policy.weights.STEPS.youngHostDays, url: target.url },
    policy,
  )
  for (const driver of feeds.drivers) drivers.add(driver)
  if (isTenant || isPlatform) drivers.add('PLATFORM_HOSTED')

  const tls = tlsObservations(snapshot, isTenant ? null : ageDays, policy)
  const observations: Observation[] = [
    ...registrationObservations(snapshot, ageDays, isTenant, policy),
    ...(isTenant ? [] : undatedRegistryObservations(snapshot, rank, policy)),
    ...popularityObservations(rank, policy),
    ...(owner === null ? [] : [{ signal: 'brand_owner', detail: owner } as const]),
    ...tls,
    ...dnsObservations(snapshot, policy),
    ...nameObservations(target, lookalike, policy),
    ...feeds.observations,
  ]
  return {
    observations,
    drivers: [...drivers].sort(),
    unknown,
    ageDays,
    rank,
    owner,
    lookalike,
    witness: feeds.witness,
    isTenant,
    isPlatform,
    destination: destinationOf(snapshot, isRedirector(target, policy), policy),
    isProgram: policy.engine >= 3 && target.url?.isProgram === true,
    isBelowApex: !isTenant && target.name.registrable !== null && target.host !== target.name.registrable,
    isRegistryUndated: isRegistryUndated(snapshot, policy),
    hasCertificateFault: tls.some(({ signal }) => policy.weights.SIGNALS[signal].deviation > 0),
    mayBeReregistered:
      registered === null ||
      registered - policy.weights.STEPS.reregisteredAfterDays * DAY_SECONDS > policy.weights.STEPS.ctLogsSince,
  }
}

export const isRedirector = ({ host, url }: Target, policy: Policy): boolean => url !== undefined && policy.isRedirector(host)

export function unknownSources({ sources }: Snapshot): ReadonlySet<Source> {
  return new Set(
    SOURCES.filter((source) => {
      const evidence = sources[source]
      if (evidence.status === 'skipped') return evidence.reason === 'not_configured' || evidence.reason === 'no_capacity'
      return evidence.status === 'timeout' || evidence.status === 'failed'
    }),
  )
}

function registeredAt({ sources, collectedAt }: Snapshot, drivers: Set<Driver>): UnixSeconds | null {
  if (sources.rdap.status !== 'ok') return null
  const registered = sources.rdap.facts.registeredAt
  if (registered === null) drivers.add('REGISTRATION_DATE_MISSING')
  else if (registered > collectedAt) drivers.add('REGISTRATION_DATE_IN_FUTURE')
  return registered !== null && registered <= collectedAt ? registered : null
}

/** Resemblances that names have without meaning them; the others are made on purpose. */
const CHANCE: ReadonlySet<LookalikeKind> = new Set(['typo', 'foreign-suffix', 'brand-with-word', 'brand-above'])

/** Popular ones are companies of their own, or the brand in another country. */
const OWN_NAMES: ReadonlySet<LookalikeKind> = new Set(['typo', 'foreign-suffix'])

/** The same of popular names: age alone speaks for these, because popular names are not brands. */
const CHANCE_OF_POPULAR: ReadonlySet<LookalikeKind> = new Set([
  'popular-typo',
  'less-popular-typo',
  'popular-with-lure',
  'popular-inside',
  'name-with-lure',
])

/**
 * Whether a name is so old and popular that it resembles a brand by chance, as far as is known or
 * supposed; not before engine 3.
 */
function isCoincidence(
  kind: LookalikeKind,
  { ageDays, rank, unknown }: Pick<Features, 'ageDays' | 'rank' | 'unknown'>,
  { engine, weights: { STEPS } }: Policy,
  assumption: Assumption,
): boolean {
  if (engine < 3 || !(CHANCE.has(kind) || CHANCE_OF_POPULAR.has(kind))) return false
  const mayBe = (source: Source) => assumption === 'best' && unknown.has(source)
  // Nobody gets there with an imitation, however young.
  if (engine >= 4 && (mayBe('popularity') || (rank !== null && rank <= STEPS.wellKnownRank))) return true
  // Whoever measures visits has seen these: only a known, lower age speaks against.
  const isUndated = engine >= 4 && ageDays === null && OWN_NAMES.has(kind)
  const isOld = mayBe('rdap') || isUndated || (ageDays !== null && ageDays >= STEPS.coincidenceDays)
  const isPopular = mayBe('popularity') || (rank !== null && rank <= STEPS.establishedRank)
  return isOld && (isPopular || CHANCE_OF_POPULAR.has(kind))
}

function bestRank({ sources: { popularity } }: Snapshot): number | null {
  if (popularity.status !== 'ok') return null
  const ranks = popularity.facts.ranks.map(({ rank }) => rank)
  return ranks.length === 0 ? null : Math.min(...ranks)
}

function popularityObservations(rank: number | null, { weights }: Policy): Observation[] {
  const step = rank === null ? undefined : weights.STEPS.bestRankUpTo.find(([limit]) => rank <= limit)
  return step ? [{ signal: step[1], detail: `rank ${rank}` }] : []
}

function registrationObservations(
  snapshot: Snapshot,
  ageDays: number | null,
  isTenant: boolean,
  { weights: { STEPS } }: Policy,
): Observation[] {
  const { rdap, ct } = snapshot.sources
  const at = snapshot.collectedAt
  // The platform is registered; its age is not that of its tenants.
  if (isTenant) return []
  if (rdap.status === 'absent') return [{ signal: 'not_registered' }]
  const seen: Observation[] = []
  if (ageDays !== null) {
    const detail = `${ageDays} days`
    const old = STEPS.olderThanDays.find(([days]) => ageDays >= days)
    if (old) seen.push({ signal: old[1], detail })
    const young = STEPS.youngerThanDays.find(([days]) => ageDays < days)
    if (young) seen.push({ signal: young[1], detail })
    const registered = rdap.status === 'ok' ? rdap.facts.registeredAt : null
    const firstSeen = ct.status === 'ok' ? ct.facts.firstSeenAt : null
    if (registered !== null && firstSeen !== null && registered - firstSeen > STEPS.reregisteredAfterDays * DAY_SECONDS)
      seen.push({ signal: 'reregistered' })
  }
  if (ct.status === 'ok' && ct.facts.firstSeenAt !== null && at - ct.facts.firstSeenAt > STEPS.ctFromDays * DAY_SECONDS)
    seen.push({ signal: 'ct_2y' })
  if (rdap.status !== 'ok') return seen

  const statuses = new Set(rdap.facts.statuses)
  const { transferredAt, expiresAt } = rdap.facts
  if (statuses.has('server transfer prohibited') && statuses.has('server delete prohibited'))
    seen.push({ signal: 'registry_locks' })
  if (statuses.has('client hold') || statuses.has('server hold')) seen.push({ signal: 'registry_hold' })
  // Between its last day and redemption a registry renews for the registrar, not for the owner.
  const hasRunOut = statuses.has('auto renew period') && expiresAt !== null && expiresAt < at
  if (statuses.has('redemption period') || statuses.has('pending delete') || hasRunOut) seen.push({ signal: 'redemption' })
  const recently = transferredAt !== null && transferredAt <= at && at - transferredAt < STEPS.transferredWithinDays * DAY_SECONDS
  if (recently && ageDays !== null && ageDays >= STEPS.transferOfDomainsFromDays) seen.push({ signal: 'recent_transfer' })
  return seen
}

/** A suffix without a registry service, or a registry that withholds dates (DENIC). */
const isRegistryUndated = ({ sources: { rdap } }: Snapshot, { engine }: Policy): boolean =>
  engine >= 3 &&
  ((rdap.status === 'skipped' && rdap.reason === 'no_service') || (rdap.status === 'ok' && rdap.facts.registeredAt === null))

/** Substitutes for an unpublished age: popularity, and the first certificate in the logs. */
function undatedRegistryObservations(snapshot: Snapshot, rank: number | null, policy: Policy): Observation[] {
  if (!isRegistryUndated(snapshot, policy)) return []
  const { STEPS } = policy.weights
  const { ct } = snapshot.sources
  const seen: Observation[] = []
  const popular = rank === null ? undefined : STEPS.undatedRankUpTo.find(([limit]) => rank <= limit)
  if (popular) seen.push({ signal: popular[1] })
  const days =
    ct.status === 'ok' && ct.facts.firstSeenAt !== null
      ? Math.floor((snapshot.collectedAt - ct.facts.firstSeenAt) / DAY_SECONDS)
      : 0
  const certified = STEPS.undatedCertifiedDays.find(([from]) => days >= from)
  if (certified) seen.push({ signal: certified[1], detail: `${days} days` })
  return seen
}

function tlsObservations(snapshot: Snapshot, ageDays: number | null, { weights: { STEPS } }: Policy): Observation[] {
  const { tls } = snapshot.sources
  const at = snapshot.collectedAt
  if (tls.status === 'absent') return [{ signal: 'no_tls', detail: tls.reason }]
  if (tls.status !== 'ok') return []
  const { selfSigned, chainTrusted, nameMatches, notBefore, notAfter, validation } = tls.facts
  const seen: Observation[] = []
  if (selfSigned) seen.push({ signal: 'self_signed' })
  else if (!chainTrusted) seen.push({ signal: 'untrusted_chain' })
  if (!nameMatches) seen.push({ signal: 'wrong_name' })
  if (notAfter <= at || notBefore > at) seen.push({ signal: 'outside_dates' })
  if (seen.length === 0) {
    seen.push({ signal: 'tls_valid' })
    if (validation === 'OV' || validation === 'EV') seen.push({ signal: 'tls_organisation' })
  }
  const isFresh = at - notBefore < STEPS.certifiedWithinDays * DAY_SECONDS
  if (isFresh && ageDays !== null && ageDays < STEPS.certifiedDomainUnderDays) seen.push({ signal: 'fresh_certificate' })
  return seen
}

function dnsObservations(snapshot: Snapshot, policy: Policy): Observation[] {
  const { dns } = snapshot.sources
  const { STEPS } = policy.weights
  if (dns.status === 'absent') return [{ signal: 'nxdomain' }]
  if (dns.status === 'failed' && dns.reason === 'servfail') return [{ signal: 'servfail' }]
  if (dns.status !== 'ok') return []
  const { facts } = dns
  const addresses = [...new Set([...facts.a, ...facts.aaaa])]
  const answered = (...types: readonly (typeof facts.unanswered)[number][]) =>
    types.every((type) => !facts.unanswered.includes(type))
  const hasMail = facts.mx.some((exchange) => exchange !== '' && exchange !== '.')
  const isLowTtl = facts.ttlSeconds !== null && facts.ttlSeconds <= STEPS.fluxTtlSeconds
  const networks = new Set(facts.a.map((address) => networkOf(address) ?? address))
  const checks: Readonly<Partial<Record<SignalId, boolean>>> = {
    has_address: addresses.length > 0,
    two_servers: new Set(facts.ns).size >= 2,
    has_mail: hasMail,
    has_spf: facts.spf !== null,
    dmarc_enforced: /;\s*p\s*=\s*(?:quarantine|reject)\b/i.test(facts.dmarc ?? ''),
    has_caa: facts.caa.length > 0,
    dnssec_secure: facts.dnssec === 'secure',
    no_address: addresses.length === 0 && answered('A', 'AAAA'),
    dnssec_bogus: facts.dnssec === 'bogus',
    private_answer: addresses.some(policy.engine >= 3 ? isPrivateAnswer : isPrivateAnswerBeforeEngine3),
    parked: facts.ns.some(policy.isParking) || addresses.some(policy.isParkingAddress),
    sinkholed: facts.ns.some(policy.isSinkhole) || addresses.some(policy.isSinkholeAddress),
    fast_flux: isLowTtl && new Set(facts.a).size >= STEPS.fluxAddresses && networks.size >= STEPS.fluxNetworks,
    low_ttl: facts.ttlSeconds !== null && facts.ttlSeconds < STEPS.lowTtlSeconds,
    wildcard: facts.wildcard === true,
    no_mail: !hasMail && facts.spf === null && answered('MX', 'TXT'),
  }
  // Keys of a literal of this type.
  return (Object.keys(checks) as SignalId[]).filter((signal) => checks[signal]).map((signal) => ({ signal }))
}

export function nameObservations(target: Target, lookalike: Lookalike | null, policy: Policy): Observation[] {
  const { words, isRiskySuffix } = policy
  const { STEPS } = policy.weights
  const seen: Observation[] = []
  if (lookalike) seen.push({ signal: lookalike.kind, detail: lookalike.brand })
  // What imitates a brand in foreign letters has been counted for its letters.
  if (target.findings.length > 0 && lookalike?.kind !== 'homograph')
    seen.push({ signal: 'odd_letters', detail: target.findings.join(', ') })
  if (target.kind === 'name') {
    const suffixLabels = target.name.suffix === null ? 1 : target.name.suffix.split('.').length
    const labels = target.folded.split('.').slice(0, -suffixLabels)
    const lures = labels.flatMap((label) => label.split('-')).filter((word) => words.lures.has(word)).length
    if (lures >= STEPS.lureWordsFrom) seen.push({ signal: 'lure_words', times: Math.min(lures, STEPS.lureWordsAtMost) })
    if (isRiskySuffix(target.host.slice(target.host.lastIndexOf('.') + 1))) seen.push({ signal: 'risky_suffix' })
    const core = (target.name.tenant ?? target.name.registrable ?? '').split('.', 1)[0] ?? ''
    if (looksRandom(core, STEPS) || isUnreadable(core, policy)) seen.push({ signal: 'random_label', detail: core })
  }
  if (target.userinfo !== null && isDeceptive(target.userinfo, ownerOf(target, policy.brands), policy))
    seen.push({ signal: 'deceptive_userinfo' })
  const carried = policy.engine >= 3 ? target.url?.embedded.find((each) => isSuspicious(each, policy)) : undefined
  if (carried) seen.push({ signal: 'embedded_suspicious', detail: carried.host })
  return seen
}

/** Whether a host that a URL carries leads into a private network or deceives by its name. */
function isSuspicious(embedded: EmbeddedHost, { brands, words }: Policy): boolean {
  if (embedded.reach === 'private' || embedded.name.specialUse === 'local-network' || embedded.findings.length > 0) return true
  const kind = lookalikeOf(embedded, brands, words)?.kind
  return kind !== undefined && kind !== 'brand-above' && kind !== 'brand-with-word'
}

function looksRandom(
  label: string,
  { randomLabelFrom, randomVowelPercent, randomDigitPercent }: Policy['weights']['STEPS'],
): boolean {
  if (label.length < randomLabelFrom || label.startsWith('xn--') || label.includes('-')) return false
  const count = (pattern: RegExp) => label.match(pattern)?.length ?? 0
  const percent = (part: number) => Math.floor((100 * part) / label.length)
  const digits = count(/\d/g)
  return percent(count(/[aeiouy]/g)) < randomVowelPercent && (percent(digits) >= randomDigitPercent || digits === 0)
}

/**
 * Whether letters follow each other as in no word of a Latin alphabet; for labels that are too
 * short to count vowels in. Not before engine 3.
 */
function isUnreadable(label: string, { engine, letters, weights: { STEPS } }: Policy): boolean {
  if (engine < 3 || !/^[a-z]+$/.test(label)) return false
  if (label.length < STEPS.unreadableLabelFrom || label.length >= STEPS.randomLabelFrom) return false
  const codes = [...label].map((letter) => letter.charCodeAt(0) - 'a'.charCodeAt(0))
  const surprise = codes.slice(1).reduce((total, code, index) => total + Number(letters[codes[index] ?? 0]?.[code] ?? 0), 0)
  return 10 * surprise >= STEPS.unreadableSurprise * (label.length - 1)
}
