import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANONYMOUS, aBadHost, aGoodHost, startTrust, type Trust } from './support/trust.ts'

/** The clock stands still but for what a test adds, in seconds. */
const begun = Date.now()
let ahead = 0
let trust: Trust
beforeAll(async () => {
  trust = await startTrust(() => new Date(begun + ahead * 1000))
  trust.sources.setEvidence('good.example.com', aGoodHost())
  trust.sources.setEvidence('bad.example.net', aBadHost())
})
afterAll(() => trust.close())

const TRIAL = `query ($target: String!, $policy: PolicyProfile, $interaction: InteractionInput) {
  trial(input: { target: $target, policy: $policy, interaction: $interaction }) {
    __typename
    ... on TrialMade {
      assessment { action confidence scores { trust { score } threat { score } deviation { score } } reasonCodes target { normalized } }
      audit { coverage points { signal } snapshot { host sources { source status } } }
      alternatives { of condition action }
      remaining
    }
    ... on TrialNotUnderstood { message faults { field code message } }
  }
}`
const from = (address: string) => ({ ...ANONYMOUS, address })
async function trial(target: string, variables: object = {}, address = '203.0.113.1') {
  ahead += 60
  const { data, errors } = await trust.ask(TRIAL, { target, ...variables }, from(address))
  expect(errors).toBeUndefined()
  return data.trial
}

test('a trial answers what a decision for a key would, and neither counts nor keeps it', async () => {
  const key = await trust.aKey()
  const answer = await trial('https://good.example.com/some/page')
  const { data } = await trust.ask(
    `{ decide(input: { domain: "good.example.com" }) { ... on DecisionMade { usage { used } decision { assessment { action confidence scores { trust { score } threat { score } deviation { score } } reasonCodes target { normalized } } } } } }`,
    {},
    key.caller,
  )
  expect(answer.assessment).toEqual(data.decide.decision.assessment)
  expect(data.decide.usage.used).toBe(1)
  await trial('good.example.com')
  expect(await trust.sql('SELECT count(*)::int AS n FROM decision')).toEqual([{ n: 1 }])
})

test('alternatives are decisions: the alternative input gets that decision', async () => {
  const { alternatives } = await trial('bad.example.net')
  const policies = ['open', 'strict', 'critical']
  for (const policy of policies) {
    const { assessment } = await trial('bad.example.net', { policy: policy.toUpperCase() })
    expect(alternatives).toContainEqual({ of: 'QUESTION', condition: `the policy were ${policy}`, action: assessment.action })
  }
  const { assessment } = await trial('bad.example.net', { interaction: { kind: 'INITIATE_PAYMENT' } })
  expect(alternatives).toContainEqual({ of: 'QUESTION', condition: 'money were sent', action: assessment.action })
})

test('evidence is only supposed where it could be otherwise, and what is bad becomes milder without', async () => {
  const bad = await trial('bad.example.net')
  expect(bad.assessment.action).toBe('DENY')
  const cleared = bad.alternatives.find(({ condition }: { condition: string }) => condition === 'no threat feed listed it')
  expect(cleared.action).not.toBe('DENY')
  const good = await trial('good.example.com')
  const conditions = good.alternatives.map(({ condition }: { condition: string }) => condition)
  expect(conditions).not.toContain('no threat feed listed it')
  expect(conditions).not.toContain('its certificate were in order')
  const listed = good.alternatives.find(
    ({ condition }: { condition: string }) => condition === 'two independent threat feeds listed it',
  )
  expect(listed.action).not.toBe('PROCEED')
  const unknown = await trial('nobody.example.org')
  expect(unknown.alternatives.filter(({ of }: { of: string }) => of === 'EVIDENCE')).toEqual([])
})

test('five a minute from one address, and others are not held back by it', async () => {
  ahead += 600
  const ask = (address: string) => trust.ask(TRIAL, { target: 'good.example.com' }, from(address))
  for (const left of [4, 3, 2, 1, 0]) expect((await ask('203.0.113.9')).data.trial.remaining).toBe(left)
  const { errors } = await ask('203.0.113.9')
  expect(errors?.[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
  expect((await ask('203.0.113.10')).data.trial.remaining).toBe(4)
  // Everybody in one network of IPv6 is one: each has more addresses than could be counted.
  for (let n = 1; n <= 5; n += 1) await ask(`2001:db8::${n}`)
  expect((await ask('2001:db8::6')).errors?.[0].extensions.code).toBe('RATE_LIMITED')
})

test('sixty a minute from all together; whom that refuses, it costs nothing', async () => {
  ahead += 600
  const ask = (n: number) => trust.ask(TRIAL, { target: 'good.example.com' }, from(`198.51.100.${n}`))
  for (let n = 0; n < 60; n += 1) expect((await ask(n)).errors).toBeUndefined()
  expect((await ask(100)).errors?.[0].extensions.code).toBe('RATE_LIMITED')
  ahead += 2
  expect((await ask(100)).data.trial.remaining).toBe(4)
})

test('an invalid input is refused, and costs nothing', async () => {
  ahead += 600
  const address = '203.0.113.77'
  for (const target of ['', 'ftp://example.com', 'a b', '\u0000', 'x'.repeat(3000)]) {
    const { data } = await trust.ask(TRIAL, { target }, from(address))
    expect(data.trial).toMatchObject({
      __typename: 'TrialNotUnderstood',
      message: expect.stringMatching(/^Expected/),
      faults: [{ field: 'target', message: expect.stringMatching(/^Expected/) }],
    })
  }
  expect((await trust.ask(TRIAL, { target: '192.168.0.1' }, from(address))).data.trial).toMatchObject({
    assessment: { action: 'DENY' },
    remaining: 4,
  })
})

test('the sources report whether they are available', async () => {
  trust.sources.down.push('rdap')
  const { data } = await trust.ask('{ trustSources { name state reason } }')
  expect(data.trustSources).toEqual([{ name: 'rdap', state: 'DOWN', reason: 'told so' }])
  trust.sources.down.pop()
})
