import { describe, expect, test } from 'vitest'
import { specialRange } from '../../../../platform/outbound/address-policy.ts'
import type { Evidence, EvidenceBySource } from '../../../../subgraphs/trust/evidence.ts'
import { brandIndexSteps, brandOf } from '../../../../subgraphs/trust/pipeline/brand.ts'
import { type Code, DRIVERS, senseOf } from '../../../../subgraphs/trust/pipeline/codes.ts'
import { decide } from '../../../../subgraphs/trust/pipeline/decide.ts'
import { BRANDS } from '../../../../subgraphs/trust/pipeline/lists/brands.ts'
import { overrideFor } from '../../../../subgraphs/trust/pipeline/override.ts'
import { CURRENT_POLICY } from '../../../../subgraphs/trust/pipeline/policy.ts'
import type { Override } from '../../../../subgraphs/trust/pipeline/request.ts'
import { severityOf } from '../../../../subgraphs/trust/pipeline/route.ts'
import { SIGNALS } from '../../../../subgraphs/trust/pipeline/signals.ts'
import { snapshotIdOf, snapshotOf } from '../../../../subgraphs/trust/pipeline/snapshot.ts'
import { MATRIX } from '../../../../subgraphs/trust/pipeline/stages.ts'
import {
  aHit,
  aRequest,
  ct,
  DAY,
  decideOn,
  dns,
  feeds,
  knownBank,
  NOW,
  nothingKnown,
  popularity,
  rdap,
  targetOf,
  timeout,
  tls,
  youngLookalike,
} from './support/samples.ts'

const old = (years: number) => rdap({ registeredAt: NOW - years * 366 * DAY })
const plain = [old(12), dns(), tls(), ct({ firstSeenAt: NOW - 3000 * DAY }), feeds(), popularity(5000)]
const beside = (...changed: readonly (typeof plain)[number][]) => [
  ...plain.filter(({ source }) => !changed.some((one) => one.source === source)),
  ...changed,
]
const PAYMENT = { kind: 'initiate_payment', mode: 'privileged', sensitivity: 'critical' } as const

describe('targets that need no evidence', () => {
  test.each([
    ['localhost', 'deny', 'PRIVATE_ADDRESS_RESOLUTION'],
    ['169.254.169.254', 'deny', 'PRIVATE_ADDRESS_RESOLUTION'],
    ['[::ffff:10.0.0.1]', 'deny', 'PRIVATE_ADDRESS_RESOLUTION'],
    ['db.internal', 'deny', 'PRIVATE_ADDRESS_RESOLUTION'],
    ['expyuzz4wqqyqhjn.onion', 'escalate_to_human', 'SPECIAL_USE_NAME'],
    ['a.test', 'escalate_to_human', 'SPECIAL_USE_NAME'],
  ])('%s: %s', (host, action, code) => {
    const decision = decideOn(host, [])
    expect(decision).toMatchObject({ action, confidence: 0.99 })
    expect(decision.reasonCodes).toContain(code)
  })
})

describe('public addresses', () => {
  const looked = (facts: Partial<Extract<EvidenceBySource['feeds'], { status: 'ok' }>['facts']> = {}): Evidence => ({
    source: 'feeds',
    evidence: {
      subject: '8.8.8.8',
      collectedAt: NOW,
      validUntil: NOW + DAY,
      version: null,
      status: 'ok',
      facts: { checked: [{ feed: 'urlhaus', asOf: NOW, refreshAt: NOW + DAY }], failed: [], hits: [], ...facts },
    },
  })

  test.each([
    ['no feed answers', timeout('feeds'), 'sandbox', 'high', ['THREAT_FEEDS_UNAVAILABLE'], 0.35, 900],
    ['all of them do', looked(), 'sandbox', 'low', [], 0.95, 7_200],
    [
      'one of them does not',
      looked({ failed: [{ feed: 'threatfox', reason: 'unavailable' }] }),
      'sandbox',
      'medium',
      ['THREAT_FEED_PARTIAL'],
      0.65,
      7_200,
    ],
    [
      'one of them is old',
      looked({ checked: [{ feed: 'urlhaus', asOf: NOW - 3 * DAY, refreshAt: NOW - 2 * DAY }] }),
      'sandbox',
      'low',
      ['THREAT_FEED_STALE'],
      0.95,
      7_200,
    ],
    [
      'a copy of one is due in ten minutes',
      looked({ checked: [{ feed: 'urlhaus', asOf: NOW, refreshAt: NOW + 600 }] }),
      'sandbox',
      'low',
      [],
      0.95,
      600,
    ],
  ] as const)(
    'are judged by feeds, and as surely as these: %s',
    (_when, found, action, state, drivers, confidence, ttlSeconds) => {
      expect(decideOn('8.8.8.8', [found])).toMatchObject({
        action,
        confidence,
        uncertainty: { state, drivers },
        validity: { ttlSeconds },
      })
    },
  )

  test('what else a snapshot holds says nothing about an address', () => {
    const { snapshot: _, sources: __, ...audit } = decideOn('8.8.8.8', plain).audit
    const { snapshot: ___, sources: ____, ...alone } = decideOn('8.8.8.8', [feeds()]).audit
    expect(audit).toEqual(alone)
  })

  test.each([
    ['nobody', [], 'sandbox', 0, 0.95, ['IP_LITERAL_TARGET']],
    ['one feed', [aHit()], 'escalate_to_human', 70, 0.95, ['THREAT_FEED_MATCH', 'IP_LITERAL_TARGET']],
    [
      'two feeds',
      [aHit(), aHit({ feed: 'dbl' })],
      'deny',
      85,
      0.95,
      ['MULTIPLE_FEED_MATCH', 'THREAT_FEED_MATCH', 'IP_LITERAL_TARGET'],
    ],
  ] as const)('listed by %s', (_who, hits, action, score, confidence, reasonCodes) => {
    const decision = decideOn('8.8.8.8', [feeds(hits)])
    expect(decision).toMatchObject({ action, confidence, reasonCodes, scores: { threat: { score } } })
    expect(decision.audit.points.map(({ threat }) => threat)).toEqual(hits.length === 0 ? [0] : [0, score])
  })

  test('engine 1 was sure of them, whatever had answered', () => {
    const target = targetOf('8.8.8.8')
    expect(decide(nothingKnown('8.8.8.8'), aRequest('8.8.8.8', { target }), 'p_e03876f031933287', null)).toMatchObject({
      confidence: 0.99,
      uncertainty: { state: 'low', drivers: [] },
      validity: { ttlSeconds: DAY },
      audit: { engine: 1 },
    })
  })
})

describe('names that lead into private networks', () => {
  test.each([
    ['10.0.0.5', true],
    ['169.254.169.254', true],
    ['0.0.0.0', true],
    ['100.64.0.1', true],
    ['192.0.0.8', true],
    ['fd00::1', true],
    ['::7f00:1', true],
    ['::ffff:10.0.0.1', true],
    ['64:ff9b::a00:1', true],
    ['2002:a00:1::', true],
    ['93.184.216.34', false],
    ['2606:2800:220:1::1', false],
    // What a DNS64 resolver answers for a name that has an IPv4 address only.
    ['64:ff9b::5db8:d822', false],
  ])('an answer of %s: denied %s', (address, isDenied) => {
    const answer = address.includes(':') ? { aaaa: [address] } : { a: ['93.184.216.34', address] }
    const decision = decideOn('quiet-garden.net', beside(dns(answer)))
    expect(decision.action === 'deny').toBe(isDenied)
    expect(decision.reasonCodes.includes('PRIVATE_ADDRESS_RESOLUTION')).toBe(isDenied)
  })

  test('nothing opens them, and the denial ends soon: zones change', () => {
    const own = { subject: 'quiet-garden.net', action: 'proceed', reason: 'ours', expiresAt: null, actor: 'ops' } as const
    const decision = decideOn('quiet-garden.net', beside(dns({ a: ['10.0.0.5'] })), {}, own)
    expect(decision).toMatchObject({ action: 'deny', override: null, validity: { ttlSeconds: 3_600 } })
  })

  test('literals, answers of DNS and connections have one list', () => {
    for (const address of ['::7f00:1', '::ffff:10.0.0.1', '192.175.48.1', '2620:4f:8000::1', '5f00::1', '100::1']) {
      expect([address, specialRange(address) !== null]).toEqual([address, true])
      const literal = address.includes(':') ? `[${address}]` : address
      expect([address, decideOn(literal, [feeds()]).action]).toEqual([address, 'deny'])
    }
  })

  test('engine 2 isolated them', () => {
    const request = aRequest('quiet-garden.net')
    const snapshot = snapshotOf('quiet-garden.net', NOW, beside(dns({ a: ['10.0.0.5'] })))
    expect(decide(snapshot, request, 'p_2c13e318aaaf6498', null).action).toBe('sandbox')
  })
})

describe('domains of less than a week', () => {
  const LOGIN = { kind: 'submit_credentials', mode: 'read_only', sensitivity: 'medium' } as const
  const newborn = (...changed: readonly (typeof plain)[number][]) => [
    rdap({ registeredAt: NOW - 6 * DAY }),
    ...[dns(), tls({ notBefore: NOW - 5 * DAY }), ct({ firstSeenAt: null }), feeds(), popularity()].filter(
      ({ source }) => !changed.some((one) => one.source === source),
    ),
    ...changed,
  ]
  const withoutMail = dns({ mx: [], spf: null })

  test.each([
    ['open', 'proceed_with_caution', 'escalate_to_human', 'escalate_to_human'],
    ['balanced', 'sandbox', 'escalate_to_human', 'deny'],
    ['strict', 'sandbox', 'escalate_to_human', 'deny'],
    ['critical', 'escalate_to_human', 'escalate_to_human', 'deny'],
  ] as const)('under %s: read %s, log in %s, without mail %s', (profile, read, login, doubtful) => {
    const act = (evidence: readonly Evidence[], interaction?: typeof LOGIN) =>
      decideOn('quiet-garden.net', evidence, { profile, ...(interaction && { interaction }) }).action
    expect([act(newborn()), act(newborn(), LOGIN), act(newborn(withoutMail), LOGIN)]).toEqual([read, login, doubtful])
  })

  test('a certificate of these days is a sign of another kind as well', () => {
    const fresh = newborn(tls({ notBefore: NOW - DAY }))
    expect(decideOn('quiet-garden.net', fresh, { interaction: LOGIN }).action).toBe('deny')
  })

  test('a denial stands only where it would against the best answers of missing sources', () => {
    const login = (evidence: readonly Evidence[]) => decideOn('quiet-garden.net', evidence, { interaction: LOGIN }).action
    expect(login(newborn(withoutMail, timeout('ct')))).toBe('deny')
    // Popular names are somebody's launch, and without lists nobody knows.
    expect(login(newborn(withoutMail, timeout('popularity')))).toBe('escalate_to_human')
    expect(login(newborn(withoutMail, popularity(20_000)))).not.toBe('deny')
    expect(login(newborn(timeout('dns')))).toBe('escalate_to_human')
  })

  test('the eighth day ends it', () => {
    const week = [rdap({ registeredAt: NOW - 7 * DAY }), withoutMail, tls(), ct(), feeds(), popularity()]
    expect(decideOn('quiet-garden.net', week, { interaction: LOGIN }).action).not.toBe('deny')
  })
})

test.each([
  ['xkqzjvwpt.com', true],
  ['hvqxzrbkfd.net', true],
  ['quiet-garden.net', false],
  ['bundesregierung.de', false],
  ['wszystko.pl', false],
  ['strengthen.org', false],
  ['xkqz.com', false],
])('%s looks as if a program had made it up: %s', (host, expected) => {
  expect(decideOn(host, []).reasonCodes.includes('RANDOM_LOOKING_NAME')).toBe(expected)
})

describe('registries that publish no dates', () => {
  const LOGIN = { kind: 'submit_credentials', mode: 'privileged', sensitivity: 'high' } as const
  const none: Evidence = {
    source: 'rdap',
    evidence: { subject: 'x', collectedAt: NOW, validUntil: NOW, version: null, status: 'skipped', reason: 'no_service' },
  }
  const found = (undated: Evidence, ...more: readonly Evidence[]) => [
    undated,
    dns({ dmarc: 'v=DMARC1; p=reject' }),
    tls(),
    feeds(),
    ...more,
  ]

  test.each([
    ['no service', none],
    ['no date', rdap({ registeredAt: null })],
  ])('%s: popularity or an old certificate stands for the age', (_why, undated) => {
    const act = (...more: readonly Evidence[]) =>
      decideOn('stadtwerke-musterstadt.de', found(undated, ...more), { interaction: LOGIN })
    expect(act(popularity(5_000), ct({ firstSeenAt: null }))).toMatchObject({
      action: 'proceed_with_caution',
      audit: { state: 'E' },
    })
    expect(act(popularity(60_000), ct({ firstSeenAt: NOW - 3700 * DAY })).audit.state).toBe('E')
    expect(act(popularity(), ct({ firstSeenAt: null })).action).toBe('escalate_to_human')
  })

  test('what could stand for the age is supposed where it is unavailable, before anything is denied', () => {
    const act = (...more: readonly Evidence[]) => {
      const listed = [none, dns(), tls(), feeds([aHit()]), ...more]
      return decideOn('stadtwerke-musterstadt.de', listed, { profile: 'critical', interaction: PAYMENT }).action
    }
    expect(act(popularity(), ct({ firstSeenAt: null }))).toBe('deny')
    expect(act(popularity(5_000), ct({ firstSeenAt: NOW - 4000 * DAY }))).toBe('escalate_to_human')
    expect(act(timeout('popularity'), timeout('ct'))).toBe('escalate_to_human')
  })

  test('a registry that failed is not one of them', () => {
    const failed = decideOn('stadtwerke-musterstadt.de', found(timeout('rdap'), popularity(5_000), ct()))
    expect(failed.audit.points.map(({ signal }) => signal)).not.toContain('undated_rank_10k')
    expect(failed.action).toBe('proceed_with_caution')
  })
})

describe('names without content of their own', () => {
  test.each([
    ['a parking server', { ns: ['ns1.bodis.com', 'ns2.bodis.com'] }, 'PARKED_DOMAIN'],
    ['a parking address', { a: ['199.59.243.225'] }, 'PARKED_DOMAIN'],
    ['a sinkhole server', { ns: ['ns1.seizedservers.com', 'ns2.seizedservers.com'] }, 'SINKHOLED_DOMAIN'],
    ['a sinkhole address', { a: ['199.2.137.20'] }, 'SINKHOLED_DOMAIN'],
  ] as const)('%s', (_how, facts, code) => {
    const decision = decideOn('quiet-garden.net', beside(dns(facts)))
    expect(decision.reasonCodes).toContain(code)
    expect(decision.action).not.toBe('proceed')
  })

  test('a seized name is isolated, and signing in there requires a person', () => {
    const evidence = beside(dns({ a: ['199.2.137.20'] }))
    expect(decideOn('quiet-garden.net', evidence).action).toBe('sandbox')
    expect(decideOn('quiet-garden.net', evidence, { interaction: PAYMENT }).action).toBe('escalate_to_human')
  })
})

describe('feeds', () => {
  test('two feeds that copy each other are one witness', () => {
    const hits = [aHit({ feed: 'a', lineage: 'x' }), aHit({ feed: 'b', lineage: 'x' })]
    expect(decideOn('quiet-garden.net', beside(feeds(hits))).reasonCodes).not.toContain('MULTIPLE_FEED_MATCH')
  })

  test('one feed never denies a domain that is old and popular; two do', () => {
    expect(decideOn('quiet-garden.net', beside(feeds([aHit()])), { profile: 'critical', interaction: PAYMENT }).action).toBe(
      'escalate_to_human',
    )
    expect(decideOn('quiet-garden.net', beside(feeds([aHit(), aHit({ feed: 'dbl' })]))).action).toBe('deny')
  })

  test('listed pages do not convict the platform that they stand on', () => {
    const hits = ['a', 'b', 'c'].map((indicator) => aHit({ feed: indicator, scope: 'url', indicator }))
    const decision = decideOn('github.com', beside(feeds(hits)))
    expect(decision.action).toBe('proceed_with_caution')
    expect(decision.reasonCodes).toContain('USER_GENERATED_CONTENT')
  })

  test('an abused honest domain is treated like one with a bad page', () => {
    const decision = decideOn('quiet-garden.net', beside(feeds([aHit({ scope: 'domain', abusedLegitimate: true })])))
    expect(decision.reasonCodes).toContain('COMPROMISED_SITE_SUSPECTED')
  })

  test('a sighting of half a year ago is history', () => {
    expect(decideOn('quiet-garden.net', beside(feeds([aHit({ lastSeenAt: NOW - 180 * DAY })]))).reasonCodes).toContain(
      'HISTORICAL_FEED_MATCH',
    )
  })
})

describe('what is missing', () => {
  test('all of it: neither denied nor allowed, with high uncertainty', () => {
    const decision = decideOn('quiet-garden.net', [], { profile: 'critical', interaction: PAYMENT })
    expect(decision).toMatchObject({ action: 'escalate_to_human', uncertainty: { state: 'high', requiresHumanReview: true } })
    expect(decision.uncertainty.drivers).toEqual(expect.arrayContaining(['DNS_UNAVAILABLE', 'CONFIDENCE_CLAMP']))
  })

  test('a good domain whose registry does not answer is not let through unseen', () => {
    expect(decideOn('paypal.com', plain).action).toBe('proceed')
    const decision = decideOn('paypal.com', beside(timeout('rdap')))
    expect(decision.action).toBe('proceed_with_caution')
    expect(decision.audit.clamps).toEqual(['proceed-on-missing-evidence'])
    expect(decision.reasonCodes[0]).toBe('SPARSE_EVIDENCE')
  })

  test('a suffix without a registry service blocks no caller', () => {
    const none = {
      source: 'rdap',
      evidence: { subject: 'x', collectedAt: NOW, validUntil: NOW, version: null, status: 'skipped', reason: 'no_service' },
    } as const
    expect(decideOn('paypal.com', beside(none)).action).toBe('proceed')
  })

  test('a denial that one listing supports does not stand while age and rank are unknown', () => {
    expect(decideOn('quiet-garden.net', [rdap(), dns(), tls(), ct(), feeds([aHit()]), popularity()]).action).toBe('deny')
    expect(decideOn('quiet-garden.net', [timeout('rdap'), dns(), tls(), ct(), feeds([aHit()]), popularity()]).action).toBe(
      'escalate_to_human',
    )
  })
})

describe('tenants of a shared suffix', () => {
  test('do not inherit the age and rank of their platform', () => {
    const decision = decideOn('docs-team.github.io', plain)
    expect(decision.scores.trust.score).toBeLessThanOrEqual(45)
    expect(decision.reasonCodes).not.toContain('LONG_OPERATIONAL_HISTORY')
    expect(decision.reasonCodes).not.toContain('STRONG_BRAND_ALIGNMENT')
    expect(decision.reasonCodes).toEqual(expect.arrayContaining(['USER_GENERATED_CONTENT', 'REQUIRES_CORROBORATION']))
  })
})

describe('brands', () => {
  test.each([
    ['paypal.com', 'the brand itself', false],
    ['history.paypal.com', 'and what it puts below', false],
    ['google.de', 'under a country', false],
    ['dbs.com.hk', 'all of its domains', false],
    ['netflix.github.io', 'a tenant that takes the name', true],
    ['paypa1.com', 'a digit for a letter', true],
    ['vvikipedia.org', 'two letters for one', true],
    ['аррӏе.com', 'letters of another script', true],
    ['paypal.com.evil.top', 'the whole domain inside another', true],
    ['secure-paypal-login.com', 'beside lures', true],
    ['mail.com', 'a word is not a misspelt brand', false],
    ['applegate-orchard.org', 'an everyday word inside another', false],
    ['münchen.de', 'an honest umlaut', false],
    ['telegram.com', 'a newspaper that is called so', false],
    ['telegram-login.com', 'and somebody who is not', true],
    ['sparkasse-hannover.de', 'one of hundreds of banks with this word', false],
    ['sparkasse-login.de', 'a word beside a lure', true],
    ['lloyds.com', 'an insurer, not the bank', false],
    ['blockchain.news', 'what everybody calls it', false],
    ['zalando-lounge.fr', 'a label with a hyphen under a country', false],
    ['paypay.ne.jp', 'one slip from a brand is a brand itself', false],
    ['paypay-card.top', 'which is imitated as well', true],
    ['booking-com.top', 'a domain written as a word', true],
    ['usps.com-gotrack.top', 'a short brand’s domain up to a hyphen', true],
    ['www.chase.com-secure07.icu', 'an everyday word’s as well', true],
    ['apple.com-id.support', 'whatever follows', true],
    ['dhl.com-track.top', 'three letters', true],
    ['amazon.co.uk-refund.example-host.net', 'a suffix of two labels', true],
    ['usps-com-gotrack.top', 'hyphens for dots', true],
    ['ebay-order-issue.com', 'four letters beside a theme', true],
    ['ezpass-toll-notice.top', 'a toll', true],
    ['inpost-paczka.top', 'a parcel in Polish', true],
    ['agenziaentrate-rimborso.com', 'a tax refund in Italian', true],
    ['example.com-pany.org', 'nobody’s domain up to a hyphen', false],
    ['finance.com', 'a word that is one slip from a brand', false],
    ['trust.org', 'another', false],
    ['trade.gov', 'another', false],
    ['witch.net', 'another', false],
    ['student-finance.service.gov.uk', 'a name that an authority has given', false],
    ['paypal-studies.uni-example.ac.uk', 'or a university', false],
    ['paypal-login.ac', 'a country that sells to anybody is no university', true],
  ])('%s, %s: %s', (host, _why, expected) => {
    expect(decideOn(host, []).reasonCodes.includes('BRAND_LOOKALIKE')).toBe(expected)
  })
})

test('a name of years that many visit resembles a brand by chance', () => {
  const resembling = [rdap({ registeredAt: NOW - 6 * 366 * DAY }), dns(), tls(), ct(), feeds()]
  expect(decideOn('zaobao.com', [...resembling, popularity(3000)]).reasonCodes).not.toContain('BRAND_LOOKALIKE')
  expect(decideOn('zaobao.com', [...resembling, popularity()]).reasonCodes).toContain('BRAND_LOOKALIKE')
})

describe('the registry of brands', () => {
  const brands = BRANDS.map(brandOf)

  test('has 600 brands at least; no domain and no label belongs to two', () => {
    expect(brands.length).toBeGreaterThanOrEqual(600)
    for (const all of [
      brands.flatMap(({ domains }) => domains),
      brands.flatMap(({ labels }) => labels.map(({ label }) => label)),
    ])
      expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([])
  })

  test('is made ready in a step per brand, with time for others in between', () => {
    const list = [...BRANDS]
    const steps = brandIndexSteps(list, 6)
    let stops = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) stops += 1
    expect([stops, step.value.byDomain.get('paypal.com')]).toEqual([BRANDS.length, 'paypal'])
    expect(brandIndexSteps(list, 6).next()).toEqual({ done: true, value: step.value })
  })

  test('names domains as normalisation does, and takes none for an imitation of another brand', () => {
    for (const domain of brands.flatMap(({ domains }) => domains)) {
      expect(targetOf(domain).host).toBe(domain)
      expect([domain, decideOn(domain, []).reasonCodes.includes('BRAND_MISMATCH')]).toEqual([domain, false])
    }
  })
})

describe('the caller’s own decision', () => {
  const own = (override: Partial<Override> = {}): Override => ({
    subject: 'quiet-garden.net',
    action: 'proceed',
    reason: 'ticket 4411',
    expiresAt: NOW + DAY,
    actor: 'ops',
    ...override,
  })
  const young = [rdap({ registeredAt: NOW - 3 * DAY }), dns(), tls(), ct(), feeds(), popularity()]

  test('replaces ours, which stays beside it', () => {
    const decision = decideOn('quiet-garden.net', young, {}, own())
    expect(decision).toMatchObject({
      action: 'proceed',
      override: { engineAction: 'sandbox', reason: 'ticket 4411' },
    })
    expect(decision.reasonCodes[0]).toBe('CALLER_OVERRIDE_APPLIED')
    expect(decision.validity.ttlSeconds).toBeLessThanOrEqual(DAY)
  })

  test('ends when it runs out, and does not reach other hosts', () => {
    expect(decideOn('quiet-garden.net', young, {}, own({ expiresAt: NOW })).override).toBeNull()
    expect(decideOn('quiet-garden.net', young, {}, own({ subject: 'garden.net' })).override).toBeNull()
  })

  test('may forbid what we let through, and then says so first with a reason against', () => {
    const decision = decideOn('quiet-garden.net', plain, {}, own({ action: 'deny' }))
    expect(decision.action).toBe('deny')
    expect(senseOf(decision.reasonCodes[0] as Code)).toBe('negative')
  })

  test('opens no private network', () => {
    expect(decideOn('localhost', [], {}, own({ subject: 'localhost' }))).toMatchObject({ action: 'deny', override: null })
  })

  test('the most exact one counts, and a tenant is not reached through its platform', () => {
    const target = targetOf('a.quiet-garden.net')
    const [exact, wide] = [own({ subject: 'a.quiet-garden.net' }), own()]
    expect(overrideFor(target, [wide, exact], NOW)).toBe(exact)
    expect(overrideFor(target, [wide], NOW)).toBe(wide)
    expect(overrideFor(targetOf('docs.github.io'), [own({ subject: 'github.io' })], NOW)).toBeNull()
  })
})

test('a decision ends with the certificate that it rests on', () => {
  expect(decideOn('quiet-garden.net', beside(tls({ notAfter: NOW + 600 }))).validity.ttlSeconds).toBe(600)
  expect(decideOn('quiet-garden.net', beside(tls({ notAfter: NOW + 600 })), { profile: 'critical' }).validity.ttlSeconds).toBe(
    300,
  )
})

test('paying at one’s own bank is not stopped', () => {
  expect(decide(knownBank('dbs.com.sg'), aRequest('dbs.com.sg', { interaction: PAYMENT }), CURRENT_POLICY, null).action).toBe(
    'proceed_with_caution',
  )
})

test('an unknown policy or a snapshot of another host is a fault of the caller', () => {
  expect(() => decide(nothingKnown('a.com'), aRequest('a.com'), 'p_0', null)).toThrow('Expected a policy version')
  expect(() => decide(nothingKnown('b.com'), aRequest('a.com'), CURRENT_POLICY, null)).toThrow('Expected a snapshot of a.com')
})

test('a snapshot is known by its content', () => {
  const snapshot = youngLookalike('a.com')
  expect(snapshotIdOf(snapshot)).toBe(snapshot.id)
  expect(youngLookalike('b.com').id).not.toBe(snapshot.id)
})

test('every row of the matrix grows stricter with the policy', () => {
  for (const row of Object.values(MATRIX)) expect(row.map(severityOf)).toEqual(row.map(severityOf).sort())
})

test('every number has its reason', () => {
  for (const [signal, { because }] of Object.entries(SIGNALS)) expect(because, signal).toMatch(/\w.*[.]$/)
  expect(new Set(DRIVERS).size).toBe(DRIVERS.length)
})
