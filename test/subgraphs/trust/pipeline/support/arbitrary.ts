import fc from 'fast-check'
import type { Evidence, FeedHit, RecordType, Source } from '../../../../../subgraphs/trust/evidence.ts'
import {
  INTERACTION_KINDS,
  INTERACTION_MODES,
  type Interaction,
  PROFILES,
  SENSITIVITIES,
} from '../../../../../subgraphs/trust/pipeline/request.ts'
import { aHit, ct, DAY, dns, feeds, NOW, popularity, rdap, targetOf, tls } from './samples.ts'

/**
 * Names of every sort: brands, look-alikes, tenants, platforms, internationalised ones, plain ones,
 * and an address.
 */
export const hosts = fc.constantFrom(
  'paypal.com',
  'paypa1-secure-login.com',
  'paypal-login.github.io',
  'docs-team.github.io',
  'github.com',
  'xn--80ak6aa92e.com',
  'login-verify-account.xyz',
  'quietgarden.example.org',
  'quiet-garden.net',
  'kq3v9x1m7z2p8w4t6.com',
  'gogle-fans.net',
  'paypal.com.evil.top',
  'netflix.mom',
  '8.8.8.8',
  'http://8.8.8.8/a/x.exe',
  'https://quiet-garden.net/a/x.exe',
  'https://github.com/u/r/x.exe',
  'https://bit.ly/a',
  'https://quiet-garden.net/?u=http://127.0.0.1/',
  'zaobao.com',
  'usps.com-track.top',
  'stadt.de',
)

const ages = fc.constantFrom(null, -5, 1, 5, 20, 60, 100, 200, 400, 1000, 2000, 4000, 9000)
const bool = fc.boolean()

const rdapOk = fc
  .record({
    age: ages,
    transferred: fc.constantFrom(null, 3, 100),
    expires: fc.constantFrom(null, -3, 1, 300),
    statuses: fc.subarray([
      'server transfer prohibited',
      'server delete prohibited',
      'client hold',
      'redemption period',
      'auto renew period',
    ]),
  })
  .map(({ age, transferred, expires, statuses }) =>
    rdap({
      registeredAt: age === null ? null : NOW - age * DAY,
      transferredAt: transferred === null ? null : NOW - transferred * DAY,
      expiresAt: expires === null ? null : NOW + expires * DAY,
      statuses,
    }),
  )

const dnsOk = fc
  .record({
    a: fc.constantFrom(
      [],
      ['93.184.216.34'],
      ['10.0.0.5'],
      Array.from({ length: 12 }, (_, index) => `45.${index}.1.1`),
    ),
    aaaa: fc.constantFrom([], ['2606:2800:220:1::1'], ['fd00::1']),
    ns: fc.constantFrom(
      [],
      ['ns1.hoster.example'],
      ['ns1.sedoparking.com', 'ns2.sedoparking.com'],
      ['ns1.seizedservers.com'],
      ['a.hoster.example', 'b.hoster.example'],
    ),
    mx: fc.constantFrom([], [''], ['mx.hoster.example']),
    spf: fc.constantFrom(null, 'v=spf1 -all'),
    dmarc: fc.constantFrom(null, 'v=DMARC1; p=none', 'v=DMARC1; p=reject'),
    caa: fc.constantFrom([], ['0 issue "a"']),
    dnssec: fc.constantFrom('secure', 'insecure', 'bogus', 'unknown'),
    wildcard: fc.constantFrom(true, false, null),
    ttlSeconds: fc.constantFrom(null, 30, 300, 86_400),
    unanswered: fc.subarray<RecordType>(['A', 'AAAA', 'MX', 'TXT']),
  })
  .map((facts) => dns(facts))

const tlsOk = fc
  .record({
    notBefore: fc.constantFrom(NOW - DAY, NOW - 30 * DAY, NOW + DAY),
    notAfter: fc.constantFrom(NOW - DAY, NOW + 60 * DAY),
    chainTrusted: bool,
    selfSigned: bool,
    nameMatches: bool,
    validation: fc.constantFrom('DV', 'OV', 'EV', 'unknown'),
  })
  .map((facts) => tls(facts))
const tlsGood = fc.constant(tls())

const hit: fc.Arbitrary<FeedHit> = fc
  .record({
    feed: fc.constantFrom('urlhaus', 'openphish', 'phishtank', 'dbl'),
    scope: fc.constantFrom('host', 'domain', 'url'),
    lastSeenAt: fc.constantFrom(null, NOW - DAY, NOW - 200 * DAY),
    state: fc.constantFrom('online', 'offline', 'unknown'),
    abusedLegitimate: bool,
    indicator: fc.constantFrom('a', 'b', 'c'),
    listed: fc.constantFrom(null, 'https://quiet-garden.net/a/x.exe', 'https://github.com/u/', 'http://8.8.8.8/a/x.exe'),
  })
  .map(({ listed, ...fields }) => {
    const url = listed === null ? undefined : targetOf(listed).url
    const keys = url && { urlKey: url.keys[0] ?? '', ...(url.tenantKey !== null && { tenantKey: url.tenantKey }) }
    return aHit({ ...fields, ...keys, ...(keys && { scope: 'url' }) })
  })

const unknowns = (source: Source): fc.Arbitrary<Evidence> =>
  fc.constantFrom('timeout', 'failed', 'no_service', 'not_configured').map((how) => {
    const around = { subject: 'x', collectedAt: NOW, validUntil: NOW + DAY, version: null }
    const answer =
      how === 'timeout'
        ? { ...around, status: 'timeout' }
        : how === 'failed'
          ? { ...around, status: 'failed', reason: 'unavailable' }
          : { ...around, status: 'skipped', reason: how }
    // Every source can fail, time out or be skipped.
    return { source, evidence: answer } as Evidence
  })

const absent = (source: 'rdap' | 'dns' | 'tls', reason: string): fc.Arbitrary<Evidence> =>
  fc.constant({
    source,
    evidence: { subject: 'x', collectedAt: NOW, validUntil: NOW + DAY, version: null, status: 'absent', reason },
  } as Evidence)

const anything: readonly fc.Arbitrary<Evidence>[] = [
  fc.oneof({ weight: 5, arbitrary: rdapOk }, absent('rdap', 'not_registered'), unknowns('rdap')),
  fc.oneof(
    { weight: 5, arbitrary: dnsOk },
    { weight: 2, arbitrary: fc.constant(dns()) },
    absent('dns', 'nxdomain'),
    unknowns('dns'),
  ),
  fc.oneof({ weight: 3, arbitrary: tlsGood }, { weight: 3, arbitrary: tlsOk }, absent('tls', 'refused'), unknowns('tls')),
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(10, 300, 1000, 3500).map((days) => ct({ firstSeenAt: NOW - days * DAY })) },
    unknowns('ct'),
  ),
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(feeds()) },
    { weight: 4, arbitrary: fc.array(hit, { maxLength: 3 }).map((hits) => feeds(hits)) },
    unknowns('feeds'),
  ),
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(null, 30, 4000, 50_000, 800_000).map((rank) => popularity(rank)) },
    unknowns('popularity'),
  ),
]

const good: readonly Evidence[] = [
  rdap({ registeredAt: NOW - 5000 * DAY, statuses: ['server transfer prohibited', 'server delete prohibited'] }),
  dns({ dmarc: 'v=DMARC1; p=reject', caa: ['0 issue "a"'] }),
  tls({ validation: 'OV' }),
  ct({ firstSeenAt: NOW - 3000 * DAY }),
  feeds(),
  popularity(4000),
]

/** Evidence of all six sources: of every sort, or good with an exception or two. */
export const evidence: fc.Arbitrary<Evidence[]> = fc.oneof(
  fc.tuple(...anything),
  fc.tuple(...anything.map((any, index) => fc.oneof({ weight: 4, arbitrary: fc.constant(good[index] as Evidence) }, any))),
)

export const interactions: fc.Arbitrary<Interaction> = fc.record({
  kind: fc.constantFrom(...INTERACTION_KINDS),
  mode: fc.constantFrom(...INTERACTION_MODES),
  sensitivity: fc.constantFrom(...SENSITIVITIES),
})

export const profiles = fc.constantFrom(...PROFILES)
