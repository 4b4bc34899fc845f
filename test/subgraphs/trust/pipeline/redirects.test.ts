import { describe, expect, test } from 'vitest'
import type { Evidence, RedirectChain, Snapshot } from '../../../../subgraphs/trust/evidence.ts'
import { decide, decisionText } from '../../../../subgraphs/trust/pipeline/decide.ts'
import type { Decision } from '../../../../subgraphs/trust/pipeline/decision.ts'
import { CURRENT_POLICY } from '../../../../subgraphs/trust/pipeline/policy.ts'
import type { DecideRequest } from '../../../../subgraphs/trust/pipeline/request.ts'
import { snapshotOf } from '../../../../subgraphs/trust/pipeline/snapshot.ts'
import {
  aRequest,
  ct,
  DAY,
  dns,
  feeds,
  knownBank,
  NOW,
  popularity,
  rdap,
  targetOf,
  tls,
  youngLookalike,
} from './support/samples.ts'

const LOGIN = { interaction: { kind: 'submit_credentials', mode: 'read_only', sensitivity: 'medium' } } as const

const clean: readonly Evidence[] = [
  rdap({ registeredAt: NOW - 12 * 366 * DAY }),
  dns({ dmarc: 'v=DMARC1; p=reject' }),
  tls(),
  ct({ firstSeenAt: NOW - 3000 * DAY }),
  feeds(),
  popularity(50),
]

const hopTo = (url: string, snapshot: (host: string) => Snapshot) => {
  const target = targetOf(url, 'url')
  return { target, snapshot: snapshot(target.host) }
}

/** Decides about a clean URL with such a chain behind it. */
function decideAbout(
  url: string,
  end: RedirectChain['end'],
  hops: RedirectChain['hops'] = [],
  partial: Partial<DecideRequest> = {},
  version = CURRENT_POLICY,
): Decision {
  const request = aRequest(url, partial)
  return decide(snapshotOf(request.target.host, NOW, clean, { end, followedAt: NOW, hops }), request, version, null)
}

const GOOD = hopTo('https://dbs.com.sg/news', knownBank)
const BAD = hopTo('https://paypa1-secure-login.com/x', youngLookalike)
const PRIVATE = hopTo('http://169.254.169.254/latest/meta-data/', (host) => snapshotOf(host, NOW, []))

describe('a clean short URL', () => {
  test.each(['answered', 'failed', 'timeout', 'loop', 'too_many', 'blocked'] as const)(
    'never just proceeds when following it ended with %s and nothing is behind it',
    (end) => {
      const decision = decideAbout('https://bit.ly/x', end)
      expect(decision.action).toBe('proceed_with_caution')
      expect(decision.reasonCodes).toContain('REDIRECTING_URL')
      expect(decideAbout('https://bit.ly/x', end, [], LOGIN).action).toBe('escalate_to_human')
    },
  )

  test('is judged like the page that it leads to, when that is known as safe', () => {
    const decision = decideAbout('https://bit.ly/x', 'answered', [GOOD])
    expect(decision.action).toBe('proceed')
    expect(decision.reasonCodes).toContain('REDIRECT_FOLLOWED')
    expect(decision.reasonCodes).not.toContain('REDIRECTING_URL')
    expect(decision.audit.redirects).toEqual({
      end: 'answered',
      hops: [{ host: 'dbs.com.sg', action: 'proceed' }],
      decidedBy: null,
    })
    // Its owner may point it elsewhere.
    expect(decision.validity.ttlSeconds).toBeLessThanOrEqual(900)
  })

  test.each([
    ['directly', [BAD], 0],
    ['behind another short URL', [hopTo('https://tinyurl.com/y', (host) => snapshotOf(host, NOW, clean)), BAD], 1],
    ['on the way to a good one', [BAD, GOOD], 0],
  ])('is denied when it leads to phishing %s', (_, hops, decidedBy) => {
    const decision = decideAbout('https://bit.ly/x', 'answered', hops)
    expect(decision).toMatchObject({ action: 'deny', audit: { redirects: { decidedBy } } })
    expect(decision.reasonCodes).toEqual(expect.arrayContaining(['REDIRECT_TARGET_RISK', 'BRAND_LOOKALIKE', 'THREAT_FEED_MATCH']))
    expect(decision.scores.threat.score).toBeGreaterThanOrEqual(70)
  })

  test('into a private network is denied, and no override opens it', () => {
    const request = aRequest('https://bit.ly/x')
    const snapshot = snapshotOf('bit.ly', NOW, clean, { end: 'blocked', followedAt: NOW, hops: [PRIVATE] })
    const override = { subject: 'bit.ly', action: 'proceed', reason: 'ours', expiresAt: null, actor: 'owner' } as const
    const decision = decide(snapshot, request, CURRENT_POLICY, override)
    expect(decision).toMatchObject({ action: 'deny', override: null })
    expect(decision.reasonCodes).toContain('PRIVATE_ADDRESS_RESOLUTION')
  })

  test('that ends at a second one is not known', () => {
    const second = hopTo('https://tinyurl.com/y', (host) => snapshotOf(host, NOW, clean))
    expect(decideAbout('https://bit.ly/x', 'answered', [second]).action).toBe('proceed_with_caution')
    expect(decideAbout('https://bit.ly/x', 'timeout', [GOOD]).action).toBe('proceed_with_caution')
  })
})

describe('any other URL', () => {
  test('keeps its decision when it does not redirect, or did not answer', () => {
    for (const end of ['answered', 'failed', 'timeout'] as const)
      expect(decideAbout('https://quiet-garden.net/x', end).action).toBe('proceed')
  })

  test('that turns in a circle gets caution, and one that leads to phishing is denied', () => {
    expect(decideAbout('https://quiet-garden.net/x', 'loop').action).toBe('proceed_with_caution')
    expect(decideAbout('https://quiet-garden.net/x', 'answered', [BAD]).action).toBe('deny')
  })
})

test('a chain is part of the snapshot’s id, and replays byte by byte', () => {
  const chain: RedirectChain = { end: 'answered', followedAt: NOW, hops: [BAD] }
  const [plain, followed] = [snapshotOf('bit.ly', NOW, clean), snapshotOf('bit.ly', NOW, clean, chain)]
  expect(followed.id).not.toBe(plain.id)
  const stored = JSON.parse(JSON.stringify(followed)) as Snapshot
  const request = aRequest('https://bit.ly/x')
  expect(decisionText(decide(stored, request, CURRENT_POLICY, null))).toBe(
    decisionText(decide(followed, request, CURRENT_POLICY, null)),
  )
})

test('engine 3 did not look behind a redirect, and still does not', () => {
  const decision = decideAbout('https://bit.ly/x', 'answered', [BAD], {}, 'p_d21dc9f6e238e70d')
  expect(decision.action).toBe('proceed_with_caution')
  expect(decision.audit).not.toHaveProperty('redirects')
})
