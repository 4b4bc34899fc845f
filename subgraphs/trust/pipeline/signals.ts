import type { Code } from './codes.ts'

/** Points of observations, 0 to 100, with reasons. A change is a new policy version: `policy.ts`. */

/** Independent kinds of evidence. `none`: a consequence or an absence; corroborates nothing. */
export type Family = 'registration' | 'name' | 'hosting' | 'tls' | 'feed' | 'popularity' | 'none'

export type SignalWeight = {
  readonly family: Family
  readonly trust: number
  readonly threat: number
  readonly deviation: number
  readonly codes: readonly Code[]
  readonly because: string
}

const signal = (
  family: Family,
  [trust, threat, deviation]: readonly [trust: number, threat: number, deviation: number],
  codes: readonly Code[],
  because: string,
): SignalWeight => ({ family, trust, threat, deviation, codes, because })

const HISTORY: readonly Code[] = ['LONG_OPERATIONAL_HISTORY']
const NEW: readonly Code[] = ['NEWLY_REGISTERED_DOMAIN']
const KNOWN: readonly Code[] = ['KNOWN_BENIGN_PATTERN']
const SQUAT: readonly Code[] = ['BRAND_MISMATCH', 'BRAND_LOOKALIKE', 'TYPOSQUAT_PATTERN']

/** What each observation adds to the three scores: `[trust, threat, deviation]`. */
export const SIGNALS = {
  // Age: the one signal that abuse cannot buy in advance.
  age_10y: signal('registration', [35, 0, 0], HISTORY, 'Half of the way to strong trust (70): never enough alone.'),
  age_5y: signal('registration', [28, 0, 0], HISTORY, 'Most domains used for abuse live for months, not for five years.'),
  age_2y: signal('registration', [18, 0, 0], [], 'Renewed at least once, at a time when abuse would be known.'),
  age_1y: signal('registration', [10, 0, 0], [], 'Paid for more than the cheap first year.'),
  age_180d: signal('registration', [4, 0, 0], [], 'Outlived most campaigns.'),
  age_under_7d: signal('registration', [0, 25, 30], NEW, 'Most phishing happens within days of registration.'),
  age_under_30d: signal('registration', [0, 20, 30], NEW, 'Within the month that block lists call newly registered.'),
  age_under_90d: signal('registration', [0, 10, 15], NEW, 'The rate of abuse has fallen, not yet to normal.'),
  registry_locks: signal(
    'registration',
    [5, 0, 0],
    [],
    'Locks at the registry cost money and need a person: owners who have something to lose.',
  ),
  registry_hold: signal(
    'registration',
    [0, 30, 40],
    ['REGISTRY_HOLD'],
    'Domains are taken out of service for abuse, or for unpaid bills.',
  ),
  redemption: signal(
    'registration',
    [-20, 0, 45],
    ['EXPIRING_OR_REDEMPTION'],
    'Its owner let it go; soon it is somebody else’s.',
  ),
  recent_transfer: signal(
    'registration',
    [0, 0, 25],
    ['RECENT_TRANSFER'],
    'Hijacked domains are moved to another registrar first.',
  ),
  reregistered: signal(
    'registration',
    [0, 0, 30],
    ['RECENT_REREGISTRATION'],
    'Bought for its past: links and trust that others earned.',
  ),
  not_registered: signal('none', [0, 0, 40], ['DOMAIN_NOT_FOUND'], 'Nothing there, nothing to trust; no sign of harm.'),
  // Popularity, by the best rank on any list.
  rank_1k: signal('popularity', [35, 0, 0], KNOWN, 'Everybody would notice abuse.'),
  rank_10k: signal('popularity', [30, 0, 0], KNOWN, 'Hard to reach with bought traffic.'),
  rank_100k: signal('popularity', [22, 0, 0], KNOWN, 'Real traffic; single domains of abuse do reach it.'),
  rank_1m: signal('popularity', [12, 0, 0], [], 'Some traffic; the tail of the lists can be bought for little.'),
  // Clocks for registries without published dates.
  undated_rank_10k: signal(
    'registration',
    [15, 0, 0],
    [],
    'Half of the points of an age: names rise among the first 10,000 in years, and the registry says nothing else.',
  ),
  undated_rank_100k: signal('registration', [8, 0, 0], [], 'The same with less traffic.'),
  undated_ct_10y: signal('registration', [20, 0, 0], HISTORY, 'A certificate of then: in use, though perhaps by another owner.'),
  undated_ct_5y: signal('registration', [14, 0, 0], HISTORY, 'As above, for five years.'),
  undated_ct_2y: signal('registration', [8, 0, 0], [], 'As above, for two years.'),
  // The brand registry.
  brand_owner: signal(
    'name',
    [20, 0, 0],
    ['STRONG_BRAND_ALIGNMENT'],
    'Known by name; still needs two more kinds of evidence for strong trust.',
  ),
  // Certificates.
  tls_valid: signal('tls', [10, 0, 0], [], 'Free for everybody: proves control of the name, nothing else.'),
  tls_organisation: signal('tls', [4, 0, 0], [], 'Somebody checked that the company exists.'),
  self_signed: signal(
    'tls',
    [0, 12, 30],
    ['CERTIFICATE_ANOMALY', 'SELF_SIGNED_CERTIFICATE'],
    'Valid certificates are free, so this is neglect or a kit.',
  ),
  untrusted_chain: signal('tls', [0, 6, 25], ['CERTIFICATE_ANOMALY'], 'Often a missing intermediate certificate: a slip.'),
  wrong_name: signal(
    'tls',
    [0, 10, 25],
    ['CERTIFICATE_ANOMALY', 'CERTIFICATE_NAME_MISMATCH'],
    'The server was set up for something else.',
  ),
  outside_dates: signal(
    'tls',
    [0, 6, 25],
    ['CERTIFICATE_ANOMALY', 'EXPIRED_CERTIFICATE'],
    'A slip of operations, rarely a threat.',
  ),
  no_tls: signal('none', [0, 0, 15], ['NO_SECURE_TRANSPORT'], 'Unusual for a site of today; says nothing about intent.'),
  fresh_certificate: signal(
    'tls',
    [0, 12, 0],
    ['HOSTING_PATTERN_SUSPICIOUS'],
    'Registered and certified within days: the rhythm of campaigns.',
  ),
  // Certificate transparency.
  ct_2y: signal('none', [5, 0, 0], [], 'In use for years by a second clock; follows from age, so little.'),
  // The hygiene of the zone; together at most `hygieneCap`.
  has_address: signal('hosting', [3, 0, 0], [], 'It is in use.'),
  two_servers: signal('hosting', [2, 0, 0], [], 'RFC 1034 asks for two; any registrar gives them.'),
  has_mail: signal('hosting', [3, 0, 0], [], 'Somebody can be written to.'),
  has_spf: signal('hosting', [3, 0, 0], [], 'Somebody cares who sends mail in its name.'),
  dmarc_enforced: signal('hosting', [4, 0, 0], [], 'And turns away what is forged.'),
  has_caa: signal('hosting', [2, 0, 0], [], 'Somebody cares who certifies it.'),
  dnssec_secure: signal('hosting', [4, 0, 0], [], 'Signed, and the signatures are kept in order.'),
  // Faults of the zone.
  nxdomain: signal(
    'none',
    [0, 0, 45],
    ['DNS_RESOLUTION_FAILURE', 'DOMAIN_NOT_FOUND'],
    'Nothing there, nothing to trust; no sign of harm.',
  ),
  no_address: signal('none', [0, 0, 15], ['DNS_RESOLUTION_FAILURE'], 'The name exists for mail or for nothing.'),
  servfail: signal('none', [0, 0, 25], ['DNS_RESOLUTION_FAILURE'], 'Broken servers, or signatures that a resolver refuses.'),
  dnssec_bogus: signal('hosting', [0, 0, 40], ['DNSSEC_BOGUS'], 'Forged, or a failed change of keys: not to be told apart.'),
  private_answer: signal(
    'hosting',
    [0, 20, 50],
    ['PRIVATE_ADDRESS_RESOLUTION'],
    'A public name for a private address: an open door to whoever asks (DNS rebinding).',
  ),
  parked: signal('hosting', [-15, 0, 35], ['PARKED_DOMAIN'], 'Advertisements, sometimes with malware; for sale to anybody.'),
  sinkholed: signal(
    'hosting',
    [-30, 70, 50],
    ['SINKHOLED_DOMAIN'],
    'Courts and researchers take over names of malware and phishing: harmless now, and bad before.',
  ),
  fast_flux: signal(
    'hosting',
    [0, 15, 25],
    ['HOSTING_PATTERN_SUSPICIOUS'],
    'Many networks and short TTLs hide a host that is hunted.',
  ),
  low_ttl: signal('none', [0, 0, 8], [], 'Common behind content networks: a hint, no more.'),
  wildcard: signal('none', [0, 0, 8], [], 'Any label answers: handy for one URL per victim, and for blogs.'),
  no_mail: signal('none', [0, 0, 8], [], 'Neither mail nor a word about mail: unusual for a company.'),
  // The name. Deviation is 0.8 of threat, because a resemblance may be chance.
  homograph: signal(
    'name',
    [0, 55, 44],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE', 'IDN_HOMOGRAPH'],
    'Nobody spells a brand in foreign letters by accident.',
  ),
  skeleton: signal('name', [0, 45, 36], SQUAT, 'Digits for letters: rarely by accident.'),
  typo: signal('name', [0, 35, 28], SQUAT, 'One slip away; some are honest names.'),
  'brand-with-lure': signal(
    'name',
    [0, 35, 28],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE', 'CREDENTIAL_LURE_NAME'],
    'The most common form of phishing names.',
  ),
  'foreign-suffix': signal(
    'name',
    [0, 32, 26],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE'],
    'The brand under another suffix: an imitator, a reseller, or a gap in our registry.',
  ),
  'domain-inside': signal(
    'name',
    [0, 40, 32],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE'],
    'Made for narrow address bars that show the left end only.',
  ),
  'brand-with-word': signal(
    'name',
    [0, 22, 18],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE'],
    'Fans, shops and critics use brands as well.',
  ),
  'popular-typo': signal(
    'name',
    [0, 28, 22],
    SQUAT,
    'One slip from a name that everybody visits; less than of a brand, because more of these are chance.',
  ),
  'less-popular-typo': signal(
    'name',
    [0, 18, 14],
    SQUAT,
    'One slip from one of the first million names: of 100 honest names two are.',
  ),
  'name-with-lure': signal(
    'name',
    [0, 20, 16],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE', 'CREDENTIAL_LURE_NAME'],
    'Owners ask for passwords below their own name; hardly an honest name has such a word beside one other.',
  ),
  'popular-inside': signal(
    'name',
    [0, 32, 26],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE'],
    'Hides the real end of the name; proxies do it too, so less than with a brand that we know.',
  ),
  'popular-with-lure': signal(
    'name',
    [0, 30, 24],
    ['BRAND_MISMATCH', 'BRAND_LOOKALIKE', 'CREDENTIAL_LURE_NAME'],
    'A well-known name with nothing but words that ask for credentials.',
  ),
  'brand-above': signal('name', [0, 20, 16], ['BRAND_MISMATCH'], 'Companies name hosts after products that they use.'),
  odd_letters: signal(
    'name',
    [0, 20, 35],
    ['IDN_HOMOGRAPH'],
    'What browsers refuse to show as letters; imitates no brand that we know.',
  ),
  lure_words: signal('name', [0, 10, 0], ['CREDENTIAL_LURE_NAME'], 'Two such words in one name; each word adds `perLureWord`.'),
  risky_suffix: signal('name', [0, 5, 0], ['HIGH_RISK_SUFFIX'], 'Honest names are under it as well: a nudge.'),
  random_label: signal(
    'name',
    [0, 10, 0],
    ['RANDOM_LOOKING_NAME'],
    'Made by a program, as malware does and content networks do.',
  ),
  deceptive_userinfo: signal(
    'name',
    [0, 30, 30],
    ['URL_USERINFO_DECEPTIVE'],
    'There is no honest reason to put a name before the @.',
  ),
  embedded_suspicious: signal(
    'name',
    [0, 25, 30],
    ['EMBEDDED_URL_SUSPICIOUS'],
    'Open redirects are used to borrow a good name; honest links rarely carry such hosts.',
  ),
  address_literal: signal(
    'none',
    [0, 0, 40],
    ['IP_LITERAL_TARGET'],
    'Services have names, and nearly all that is known hangs on them: kept apart, without a sign of harm.',
  ),
  // Threat feeds; the strongest that applies.
  host_hits: signal(
    'feed',
    [0, 85, 0],
    ['MULTIPLE_FEED_MATCH', 'THREAT_FEED_MATCH'],
    'Two witnesses that do not copy each other.',
  ),
  host_hit: signal(
    'feed',
    [0, 70, 0],
    ['THREAT_FEED_MATCH'],
    'Exactly high: one witness suffices where nothing speaks against it.',
  ),
  exact_hits: signal(
    'feed',
    [0, 90, 0],
    ['URL_LISTED', 'MULTIPLE_FEED_MATCH', 'THREAT_FEED_MATCH'],
    'Two witnesses about the very URL: the host’s reputation says nothing for it.',
  ),
  exact_hit: signal(
    'feed',
    [0, 80, 0],
    ['URL_LISTED', 'THREAT_FEED_MATCH'],
    'A witness who has looked at this page; more than one about its host, which may be shared.',
  ),
  exact_old_hit: signal(
    'feed',
    [0, 45, 0],
    ['URL_LISTED', 'HISTORICAL_FEED_MATCH'],
    'It was harmful; kits come back to where they worked: just medium.',
  ),
  tenant_hit: signal(
    'feed',
    [0, 55, 20],
    ['COMPROMISED_SITE_SUSPECTED', 'THREAT_FEED_MATCH'],
    'The same user of a shared host published a listed page; an account may have been hijacked.',
  ),
  url_hit_young: signal('feed', [0, 72, 0], ['THREAT_FEED_MATCH'], 'A young host with a bad page was made for the page.'),
  url_hits: signal(
    'feed',
    [0, 50, 0],
    ['MULTIPLE_FEED_MATCH', 'COMPROMISED_SITE_SUSPECTED', 'THREAT_FEED_MATCH'],
    'Bad pages on a grown site: abused by others, most likely.',
  ),
  url_hit: signal('feed', [0, 42, 0], ['COMPROMISED_SITE_SUSPECTED', 'THREAT_FEED_MATCH'], 'As above, one witness: just medium.'),
  url_hit_platform: signal(
    'feed',
    [0, 30, 0],
    ['COMPROMISED_SITE_SUSPECTED'],
    'There is always a bad page on a large platform: below medium, so that it does not convict the rest.',
  ),
  old_hit: signal('feed', [0, 20, 0], ['HISTORICAL_FEED_MATCH'], 'Lists keep dead entries for years, and domains change hands.'),
} satisfies Readonly<Record<string, SignalWeight>>

export type SignalId = keyof typeof SIGNALS
