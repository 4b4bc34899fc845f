import type { Source } from '../evidence.ts'

/** How a code speaks about a target. `mixed` ones ask for care without accusing. */
export type Sense = 'negative' | 'mixed' | 'positive'

type Entry = { readonly sense: Sense; readonly label: string }

/** Reason codes: the vocabulary of answers, only ever added to. Labels are sentences for people. */
export const REASON_CODES = {
  // About the name
  BRAND_MISMATCH: { sense: 'negative', label: 'The name uses a brand that it does not belong to.' },
  BRAND_LOOKALIKE: { sense: 'negative', label: 'The name looks like that of a known brand.' },
  TYPOSQUAT_PATTERN: { sense: 'negative', label: 'The name is one slip away from that of a known brand.' },
  IDN_HOMOGRAPH: { sense: 'negative', label: 'The name has letters that pass for others.' },
  CREDENTIAL_LURE_NAME: { sense: 'negative', label: 'The name is made of words that ask for credentials or haste.' },
  HIGH_RISK_SUFFIX: { sense: 'negative', label: 'Names under this suffix are abused far more often than others.' },
  RANDOM_LOOKING_NAME: { sense: 'negative', label: 'The name looks as if a program had made it up.' },
  URL_USERINFO_DECEPTIVE: { sense: 'negative', label: 'The URL shows another name in front of the real one.' },
  SPECIAL_USE_NAME: { sense: 'negative', label: 'The name does not belong to the public domain name system.' },
  IP_LITERAL_TARGET: { sense: 'negative', label: 'The target is an address and has no name.' },
  STRONG_BRAND_ALIGNMENT: { sense: 'positive', label: 'The domain is one of a known brand.' },
  APEX_DOMAIN_TRUST_INHERITANCE: { sense: 'positive', label: 'The host belongs to a domain with a good record.' },
  // About the registration
  NEWLY_REGISTERED_DOMAIN: { sense: 'negative', label: 'The domain was registered a short while ago.' },
  RECENT_REREGISTRATION: { sense: 'negative', label: 'The domain was in use before its present registration.' },
  RECENT_TRANSFER: { sense: 'negative', label: 'The domain has lately moved to another registrar.' },
  REGISTRY_HOLD: { sense: 'negative', label: 'Registry or registrar have taken the domain out of service.' },
  EXPIRING_OR_REDEMPTION: { sense: 'negative', label: 'The registration has run out.' },
  DOMAIN_NOT_FOUND: { sense: 'negative', label: 'The domain does not exist.' },
  LONG_OPERATIONAL_HISTORY: { sense: 'positive', label: 'The domain has been registered for years.' },
  // About the hosting
  HOSTING_PATTERN_SUSPICIOUS: { sense: 'negative', label: 'The way it is hosted is typical of short-lived abuse.' },
  PARKED_DOMAIN: { sense: 'negative', label: 'The domain shows advertisements instead of content.' },
  DNS_RESOLUTION_FAILURE: { sense: 'negative', label: 'The name cannot be resolved.' },
  DNSSEC_BOGUS: { sense: 'negative', label: 'The signatures of the zone are wrong.' },
  PRIVATE_ADDRESS_RESOLUTION: { sense: 'negative', label: 'The target leads into a private network.' },
  CERTIFICATE_ANOMALY: { sense: 'negative', label: 'The certificate is not in order.' },
  EXPIRED_CERTIFICATE: { sense: 'negative', label: 'The certificate is outside of its dates.' },
  SELF_SIGNED_CERTIFICATE: { sense: 'negative', label: 'The certificate is signed by nobody but itself.' },
  CERTIFICATE_NAME_MISMATCH: { sense: 'negative', label: 'The certificate is for another name.' },
  NO_SECURE_TRANSPORT: { sense: 'negative', label: 'The host does not offer TLS.' },
  // About threat feeds
  THREAT_FEED_MATCH: { sense: 'negative', label: 'A threat feed lists the target.' },
  MULTIPLE_FEED_MATCH: { sense: 'negative', label: 'Independent threat feeds list the target.' },
  HISTORICAL_FEED_MATCH: { sense: 'negative', label: 'A threat feed listed the target in the past.' },
  FEED_HIT_ON_POPULAR_DOMAIN: {
    sense: 'negative',
    label: 'A threat feed lists an established domain; that may be a mistake or a misuse.',
  },
  COMPROMISED_SITE_SUSPECTED: { sense: 'negative', label: 'Single pages are listed: the site may be abused by others.' },
  SINKHOLED_DOMAIN: { sense: 'negative', label: 'The domain was seized: it leads to a server that watches its victims.' },
  URL_LISTED: { sense: 'negative', label: 'A threat feed lists this very URL.' },
  EMBEDDED_URL_SUSPICIOUS: {
    sense: 'negative',
    label: 'The URL carries another one that deceives or leads into a private network.',
  },
  REDIRECTING_URL: { sense: 'mixed', label: 'The URL forwards to another one, which is not known.' },
  REDIRECT_FOLLOWED: { sense: 'mixed', label: 'The URL forwards to another one, which was judged as well.' },
  REDIRECT_TARGET_RISK: { sense: 'negative', label: 'The URL forwards to one that more speaks against.' },
  PROGRAM_FILE: { sense: 'mixed', label: 'The URL ends like a file that runs when it is opened.' },
  // About popularity and content
  KNOWN_BENIGN_PATTERN: { sense: 'positive', label: 'The domain is among the most visited ones.' },
  TRUST_SIGNAL_CONSISTENCY: { sense: 'positive', label: 'Registration, name servers and certificate fit together.' },
  USER_GENERATED_CONTENT: { sense: 'mixed', label: 'Anybody can publish there.' },
  REQUIRES_CORROBORATION: { sense: 'mixed', label: 'What stands there needs a second source.' },
  // About the decision as a whole
  ELEVATED_DEVIATION: { sense: 'negative', label: 'Several things are not as they usually are.' },
  HIGH_INFRASTRUCTURE_DEVIATION: { sense: 'negative', label: 'Most things are not as they usually are.' },
  LOW_REPUTATION_EVIDENCE: { sense: 'negative', label: 'Not enough speaks for the target.' },
  SPARSE_EVIDENCE: { sense: 'negative', label: 'Too little could be found out.' },
  CONFLICTING_EVIDENCE: { sense: 'negative', label: 'Good and bad signs contradict each other.' },
  INTERACTION_RISK_ELEVATED: { sense: 'negative', label: 'What is to be done there asks for more certainty.' },
  POLICY_RISK_ELEVATED: { sense: 'negative', label: 'The chosen policy asks for more certainty.' },
  CALLER_OVERRIDE_APPLIED: { sense: 'mixed', label: 'The caller has decided for this target.' },
  OPERATOR_BLOCK_LISTED: { sense: 'negative', label: 'The block list of the operator has the target.' },
  OPERATOR_ALLOW_LISTED: { sense: 'positive', label: 'The allow list of the operator has the target.' },
} as const satisfies Readonly<Record<string, Entry>>

export type Code = keyof typeof REASON_CODES

/** What made a decision less certain. */
export const DRIVERS = [
  'REGISTRATION_DATA_UNAVAILABLE',
  'REGISTRATION_DATE_MISSING',
  'REGISTRATION_DATE_IN_FUTURE',
  'DNS_UNAVAILABLE',
  'TLS_UNAVAILABLE',
  'CT_UNAVAILABLE',
  'THREAT_FEEDS_UNAVAILABLE',
  'THREAT_FEED_PARTIAL',
  'THREAT_FEED_STALE',
  'POPULARITY_UNAVAILABLE',
  'CONFLICTING_EVIDENCE',
  'PLATFORM_HOSTED',
  'CONFIDENCE_CLAMP',
  'LOW_CONFIDENCE_CLAMP',
  'STALE_SNAPSHOT',
] as const
export type Driver = (typeof DRIVERS)[number]

/** Drivers of uncertainty for sources that failed, timed out, or were not queried. */
export const UNAVAILABLE: Readonly<Record<Source, Driver>> = {
  rdap: 'REGISTRATION_DATA_UNAVAILABLE',
  dns: 'DNS_UNAVAILABLE',
  tls: 'TLS_UNAVAILABLE',
  ct: 'CT_UNAVAILABLE',
  feeds: 'THREAT_FEEDS_UNAVAILABLE',
  popularity: 'POPULARITY_UNAVAILABLE',
}

export const senseOf = (code: Code): Sense => REASON_CODES[code].sense
