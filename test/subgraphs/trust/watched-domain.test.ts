import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keyIdIn, secretCipher } from '../../../platform/secrets/cipher.ts'
import { createTrustParts } from '../../../subgraphs/trust/parts.ts'
import { aBadHost, aGoodHost, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const SECONDS = NOON.getTime() / 1000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Received = { readonly headers: IncomingMessage['headers']; readonly body: string }

let at = NOON
let trust: Trust
let key: TestKey
let ask: Trust['ask']
/** Two processes on one database. */
let copies: ReturnType<typeof createTrustParts>[]
let url: string
let received: Received[] = []
/** How the receiver answers; it is called once per request. */
let answer: (response: ServerResponse) => void

const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    received.push({ headers: request.headers, body })
    answer(response)
  })
})
const answerWith = (status: number) => (response: ServerResponse) => void response.writeHead(status).end('thanks')

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  url = `http://127.0.0.1:${port}/hook`
  trust = await startTrust(() => at)
  const options = {
    secrets: secretCipher([randomBytes(32)]),
    webhookNetwork: { allow: (endpoint: { readonly port: number }) => endpoint.port === port },
  }
  ask = trust.another(options)
  const log = pino({ level: 'silent' })
  copies = [1, 2].map(() =>
    createTrustParts({ connection: trust.database.connection, log, sources: trust.sources, now: () => at, ...options }),
  )
})
afterAll(async () => {
  for (const { close } of copies) await close()
  await trust.close()
  receiver.closeAllConnections()
  await new Promise((resolve) => receiver.close(resolve))
})
beforeEach(async () => {
  at = NOON
  key = await trust.aKey()
  received = []
  answer = answerWith(200)
  await trust.sql('DELETE FROM watched_domain')
  trust.sources.requestedHosts.length = 0
  trust.sources.setEvidence('shop.example.com', aGoodHost(SECONDS))
})

/** A run in every process at once. */
const run = () => Promise.all(copies.map(({ checkWatched }) => checkWatched()))
const later = (ms: number) => {
  at = new Date(at.getTime() + ms)
}

const VERDICT = 'verdict { action state trustScore threatScore deviationScore reasonCodes }'
async function watch(domain: string, input: Record<string, unknown> = {}, as = key): Promise<Data> {
  const text = `mutation ($input: WatchDomainInput!) { result: watchDomain(input: $input) { __typename
    ... on WatchDomainSuccess { watch { id domain webhookUrl checkedAt ${VERDICT} } webhookSecret } ... on InvalidWatchedDomain { message faults { field code } } } }`
  const { data, errors } = await ask(text, { input: { domain, ...input } }, as.caller)
  return data?.result ?? errors?.[0]
}
async function watched(as = key): Promise<Data> {
  const text = `{ watchedDomains { totalCount edges { node { id domain checkedAt ${VERDICT} } } } }`
  return (await ask(text, {}, as.caller)).data.watchedDomains
}
async function history(watchId: string, as = key): Promise<Data> {
  const text = `query ($watchId: ID!) { verdictChanges(watchId: $watchId) { totalCount edges { node { id changedAt previousAction previousState
    ${VERDICT} webhook { status attempts nextAttemptAt error } } } } }`
  const { data, errors } = await ask(text, { watchId }, as.caller)
  expect(errors).toBeUndefined()
  return data.verdictChanges?.edges.map(({ node }: Data) => node) ?? null
}
const makeBad = () => trust.sources.setEvidence('shop.example.com', aBadHost(SECONDS))

test('a change of the verdict is stored and sent once, signed, however many processes there are', async () => {
  const { watch: added, webhookSecret } = await watch('Shop.Example.COM', { webhookUrl: url })
  expect(added).toMatchObject({ domain: 'shop.example.com', webhookUrl: url, checkedAt: null, verdict: null })
  expect(webhookSecret).toMatch(/^whsec_[\w+/]{43}=$/)
  await run()
  expect(await history(added.id)).toMatchObject([
    { previousAction: null, previousState: null, verdict: { action: 'PROCEED', state: 'SAFE_KNOWN' }, webhook: null },
  ])
  makeBad()
  await run()
  // Not due yet.
  expect((await history(added.id)).length).toBe(1)
  later(360 * MINUTE_MS)
  await run()
  const [change, ...others] = await history(added.id)
  expect([change, others.length]).toMatchObject([
    {
      changedAt: at.toISOString(),
      previousAction: 'PROCEED',
      previousState: 'SAFE_KNOWN',
      verdict: { action: 'DENY', state: 'CLEAR_THREAT' },
      webhook: { status: 'DELIVERED', attempts: 1, nextAttemptAt: null, error: null },
    },
    1,
  ])
  expect((await watched()).edges[0].node.verdict).toEqual(change.verdict)
  expect(received.length).toBe(1)
  const [{ headers, body } = { headers: {}, body: '' }] = received
  expect(headers['webhook-id']).toBe(change.id)
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const hmac = createHmac('sha256', Buffer.from(webhookSecret.slice(6), 'base64'))
    .update(signed)
    .digest('base64')
  expect([headers['webhook-signature'], headers['webhook-timestamp']]).toEqual([`v1,${hmac}`, String(at.getTime() / 1000)])
  expect(JSON.parse(body)).toMatchObject({
    type: 'domain.verdict_changed',
    id: change.id,
    data: { watch_id: added.id, domain: 'shop.example.com', action: 'deny', previous_action: 'proceed' },
  })
  later(360 * MINUTE_MS)
  await run()
  expect([(await history(added.id)).length, received.length]).toEqual([2, 1])
  // Two assessments of which the second process made none; the third found no change.
  expect(trust.sources.requestedHosts).toEqual(['shop.example.com', 'shop.example.com', 'shop.example.com'])
})

test('what a receiver does not take is sent again under one id, at growing pauses, five times', async () => {
  const { watch: added } = await watch('shop.example.com', { webhookUrl: url })
  await run()
  makeBad()
  later(360 * MINUTE_MS)
  const faults = [answerWith(500), (response: ServerResponse) => void response.destroy(), answerWith(301), answerWith(404)]
  const seen: Data[] = []
  for (const [index, minutes] of [1, 16, 81, 256].entries()) {
    answer = faults[index] ?? answer
    await run()
    const [{ webhook }] = await history(added.id)
    seen.push([webhook.status, webhook.attempts, (Date.parse(webhook.nextAttemptAt) - at.getTime()) / MINUTE_MS])
    expect(webhook.error).toMatch(/^(status (500|404|301: redirects are not followed)|unavailable: )/)
    later(minutes * MINUTE_MS - 1)
    await run()
    later(1)
  }
  expect(seen).toEqual([
    ['WAITING', 1, 1],
    ['WAITING', 2, 16],
    ['WAITING', 3, 81],
    ['WAITING', 4, 256],
  ])
  await run()
  const [{ id, webhook }] = await history(added.id)
  expect(webhook).toEqual({ status: 'FAILED', attempts: 5, nextAttemptAt: null, error: 'status 404' })
  later(DAY_MS)
  await run()
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array.from({ length: 5 }, () => id))
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
})

test('a source that is down for a while is no change of the domain', async () => {
  const { watch: added } = await watch('shop.example.com')
  await run()
  const good = aGoodHost(SECONDS)
  trust.sources.setEvidence('shop.example.com', { ...good, tls: { status: 'timeout' }, dns: { status: 'timeout' } } as never)
  later(360 * MINUTE_MS)
  await run()
  later(15 * MINUTE_MS)
  await run()
  expect((await history(added.id)).length).toBe(1)
  later(15 * MINUTE_MS)
  await run()
  expect((await history(added.id))[0].verdict.action).not.toBe('PROCEED')
})

test('the secret of a webhook is encrypted, bound to its row, and shown once', async () => {
  const { watch: added, webhookSecret } = await watch('shop.example.com', { webhookUrl: url })
  const [{ secret }] = (await trust.sql('SELECT secret FROM watched_domain')) as [{ secret: string }]
  expect(keyIdIn(secret)).not.toBeNull()
  expect(secret).not.toContain(webhookSecret.slice(6))
  const shown = JSON.stringify([await watched(), await history(added.id)])
  expect(shown).not.toContain('whsec_')
  expect((await watch('other.example.com')).webhookSecret).toBeNull()
})

test.each([
  [{ domain: 'localhost' }, 'domain', 'not_public'],
  [{ domain: '10.0.0.1' }, 'domain', 'not_public'],
  [{ domain: 'not a host' }, 'domain', 'host'],
  [{ webhookUrl: 'ftp://example.com/' }, 'webhookUrl', 'url'],
  [{ webhookUrl: 'http://169.254.169.254/latest' }, 'webhookUrl', 'url'],
  [{ webhookUrl: 'http://[::1]/' }, 'webhookUrl', 'url'],
  [{ webhookUrl: 'https://u:p@example.com/' }, 'webhookUrl', 'url'],
  [{ webhookUrl: 'https://example.com/\0' }, 'webhookUrl', 'url'],
])('%j is refused, and the field is named', async (input, field, code) => {
  expect((await watch('shop.example.com', input)).faults).toEqual([{ field, code: expect.stringContaining(code) }])
  expect((await watched()).totalCount).toBe(0)
})

test('a private address is not connected to, however its URL came to be stored', async () => {
  const { watch: added } = await watch('shop.example.com', { webhookUrl: url })
  await trust.sql(`UPDATE watched_domain SET webhook_url = 'http://127.0.0.1/hook'`)
  await run()
  makeBad()
  later(360 * MINUTE_MS)
  await run()
  expect((await history(added.id))[0].webhook).toMatchObject({
    status: 'WAITING',
    attempts: 1,
    error: expect.stringMatching(/^blocked: /),
  })
})

test('a key sees and ends its own watches only, each domain once, ten on the free plan', async () => {
  const { watch: added } = await watch('shop.example.com')
  const other = await trust.aKey()
  const end = (id: string, as: TestKey) =>
    ask(`mutation ($id: ID!) { unwatchDomain(id: $id) { __typename } }`, { id }, as.caller).then(
      ({ data }) => data.unwatchDomain.__typename,
    )
  expect([await watched(other), await history(added.id, other), await end(added.id, other)]).toEqual([
    { totalCount: 0, edges: [] },
    null,
    'WatchedDomainNotFound',
  ])
  expect((await watch('SHOP.example.com')).faults).toEqual([{ field: 'domain', code: 'watched' }])
  const both = await Promise.all(Array.from({ length: 12 }, (_, index) => watch(`n${index}.example.com`)))
  expect(both.filter(({ __typename }) => __typename === 'WatchDomainSuccess').length).toBe(9)
  expect(both.find(({ faults }) => faults)?.faults).toEqual([{ field: 'domain', code: 'too_many' }])
  expect(await end(added.id, key)).toBe('UnwatchDomainSuccess')
  expect(await history(added.id)).toBeNull()
  expect((await ask('{ watchedDomains { totalCount } }')).errors?.[0].extensions.code).toBe('UNAUTHENTICATED')
  expect((await ask('{ watchedDomains(keyId: "x") { totalCount } }', {}, key.caller)).errors?.[0].extensions.code).toBe(
    'UNAUTHENTICATED',
  )
})

test('nothing is assessed or sent for a revoked key, and its watches go with it', async () => {
  await watch('shop.example.com', { webhookUrl: url })
  await run()
  makeBad()
  later(360 * MINUTE_MS)
  await trust.sql('UPDATE api_key SET revoked_at = now() WHERE id = $1', [key.row])
  await run()
  expect([trust.sources.requestedHosts.length, received.length]).toEqual([1, 0])
  await trust.sql('DELETE FROM api_key WHERE id = $1', [key.row])
  expect(await trust.sql('SELECT (SELECT count(*) FROM watched_domain) + (SELECT count(*) FROM verdict_change) AS rows')).toEqual(
    [{ rows: '0' }],
  )
})

test('changes are deleted after a year, but for the newest, which the next is compared to', async () => {
  const { watch: added } = await watch('shop.example.com')
  await run()
  makeBad()
  later(360 * MINUTE_MS)
  await run()
  later(366 * DAY_MS)
  await copies[0]?.deleteOld()
  expect((await history(added.id)).map(({ verdict }: Data) => verdict.action)).toEqual(['DENY'])
})

test('the newest 500 changes of a domain are kept', async () => {
  const { watch: added } = await watch('shop.example.com')
  await run()
  await trust.sql(`INSERT INTO verdict_change (watch_id, changed_at, action, trust_score, threat_score, deviation_score, reason_codes)
    SELECT watch_id, changed_at, 'sandbox', 0, 0, 0, '{}' FROM verdict_change, generate_series(1, 520)`)
  later(360 * MINUTE_MS)
  await run()
  expect(await trust.sql('SELECT count(*) FROM verdict_change')).toEqual([{ count: '500' }])
  expect((await history(added.id))[0].verdict.action).toBe('PROCEED')
})
