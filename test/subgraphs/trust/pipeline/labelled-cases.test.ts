import { describe, expect, test } from 'vitest'
import { judgedHalf } from '../../../../bench/trust/cases/judged-cases.ts'
import { aHit, ct, DAY, decideOn, dns, feeds, NOW, popularity, rdap, targetOf, tls } from './support/samples.ts'

describe('labelled cases with evidence', () => {
  test('there are at least 300, each with a name of its own', async () => {
    const names = [...(await judgedHalf('tuned')).judged, ...(await judgedHalf('held-out')).judged].map(
      ({ wanted }) => wanted.name,
    )
    expect(names.length).toBeGreaterThanOrEqual(300)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('of the half that rules are tuned on, none is forbidden and at most 2 % are outside of their band', async () => {
    const { judged, outside, forbidden } = await judgedHalf('tuned')
    expect(forbidden.map(({ wanted, breaches }) => [wanted.name, breaches])).toEqual([])
    expect(outside.length / judged.length, outside.map(({ wanted }) => wanted.name).join()).toBeLessThanOrEqual(0.02)
  })

  // Judgement may only gain. Which cases they are is not printed: whoever reads it would tune on it.
  test('of the half that no rule was tuned on, none is forbidden and 2 are outside of their band', async () => {
    const { outside, forbidden } = await judgedHalf('held-out')
    expect(forbidden.length).toBe(0)
    expect(outside.length).toBeLessThanOrEqual(2)
  })
})

test.each([
  ['dmv.ca.gov-ticket.top', true],
  ['gov.uk-vehicle-tax.com', true],
  ['www.impots.gouv-remboursement.icu', true],
  ['gov-ticket.top', false],
  ['tickets.gov.uk', false],
  ['e-gov.kiev.ua', false],
])('%s pretends to be an authority: %s', (host, expected) => {
  expect(decideOn(host, []).reasonCodes.includes('BRAND_LOOKALIKE')).toBe(expected)
})

describe('a site of a builder', () => {
  test.each([
    ['annas-recipes.wordpress.com', 'annas-recipes.wordpress.com', true],
    ['www.annas-recipes.wordpress.com', 'annas-recipes.wordpress.com', true],
    ['wordpress.com', 'wordpress.com', false],
    ['www.wordpress.com', 'wordpress.com', false],
    ['de.wordpress.com', 'wordpress.com', false],
    ['login.wordpress.com', 'wordpress.com', false],
    ['notwordpress.com', 'notwordpress.com', false],
    ['docs-team.github.io', 'docs-team.github.io', true],
    ['student-finance.service.gov.uk', 'service.gov.uk', false],
    ['minfin.gov.ru', 'gov.ru', false],
  ])('%s belongs to %s, and is a stranger’s: %s', (host, tenant, shared) => {
    expect(targetOf(host).name).toMatchObject({ tenant, shared })
  })

  const popular = (hits: Parameters<typeof feeds>[0] = []) => [
    rdap({ registeredAt: NOW - 5000 * DAY }),
    dns(),
    tls(),
    ct(),
    feeds(hits),
    popularity(500),
  ]

  test('has neither the age nor the rank of its platform, and is denied when it is listed', () => {
    expect(decideOn('annas-recipes.weebly.com', popular()).action).toBe('proceed_with_caution')
    expect(decideOn('weebly.com', popular()).action).toBe('proceed')
    expect(decideOn('evil-kit.weebly.com', popular([aHit(), aHit({ feed: 'phishtank' })])).action).toBe('deny')
    expect(decideOn('paypal-login.weebly.com', popular()).reasonCodes).toContain('BRAND_LOOKALIKE')
  })

  test('that holds pages of users gets no passwords', () => {
    const form = 'https://docs.google.com/forms/d/e/1FAIpQLSx/viewform'
    const LOGIN = { interaction: { kind: 'submit_credentials', mode: 'read_only', sensitivity: 'medium' } } as const
    expect(decideOn(form, popular()).action).toBe('proceed')
    expect(decideOn(form, popular(), LOGIN)).toMatchObject({
      audit: { floors: [{ rule: 'secrets-to-user-page', action: 'sandbox' }] },
    })
    expect(decideOn('https://accounts.google.com/signin', popular(), LOGIN).action).toBe('proceed')
  })
})
