import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askRaw } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt } from './support/console.ts'
import { startWeb } from './support/site.ts'

const PASSWORD = 'correct horse battery'

let web: Awaited<ReturnType<typeof startWeb>>
const { aVisitor } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** A signed-in user with a key. */
async function aUser() {
  const visitor = aVisitor()
  const email = `${randomUUID()}@example.org`
  await visitor.get('/account/sign-up')
  await visitor.post('/account/sign-up', { name: 'Ann', email, password: PASSWORD })
  await visitor.get('/account/keys')
  const made = await visitor.post('/account/keys', { name: 'my agent' })
  const secret = /<code id="key">(sk_[\w-]+)</.exec(made.text)?.[1] ?? ''
  const send = async (method: string, path: string, body?: object) =>
    (
      await askRaw(web.url, path, {
        method,
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json
  return { visitor, email, send }
}

/** Writes a history behind the graph: one change per day. */
async function addHistory(domain: string, rows: readonly [action: string, threat: number, trust: number][]): Promise<void> {
  const client = new pg.Client({ ...web.trust.database.connection })
  await client.connect()
  for (const [index, [action, threat, trust]] of rows.entries())
    await client.query(
      `INSERT INTO trust.verdict_change (watch_id, changed_at, action, state, trust_score, threat_score, deviation_score, reason_codes, previous_action)
       SELECT id, '2026-11-10T12:00Z'::timestamptz + $2 * interval '1 day', $3, 'F', $5, $4, 10, '{}', $6 FROM trust.watched_domain WHERE domain = $1`,
      [domain, index, action, threat, trust, rows[index - 1]?.[0] ?? null],
    )
  await client.query(`UPDATE trust.watched_domain SET checked_at = '2026-11-20T12:00Z' WHERE domain = $1`, [domain])
  await client.end()
}
const HISTORY: [string, number, number][] = [
  ['proceed', 0, 80],
  ['sandbox', 40, 60],
  ['deny', 90, 20],
]

test('only the owner of the key sees a decision by its id, with what each source said', async () => {
  const [ann, eve] = [await aUser(), await aUser()]
  const { request_id: id } = await ann.send('POST', '/v1/decide', {
    target: { value: 'good.example.com' },
    policy: { profile: 'strict' },
  })
  const path = `/account/trust/decision?id=${id}`
  const { status, text, headers } = await ann.visitor.get(path)
  expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(text).toContain('<h1>Decision about good.example.com</h1>')
  expect(text).toMatch(/for my agent: fetch, read only, sensitivity medium, policy strict/)
  expect(text).toContain('What each source said')
  expect(text).toContain('&quot;registeredAt&quot;')
  const foreign = await eve.visitor.get(path)
  expect([foreign.status, foreign.text.includes('good.example.com')]).toEqual([404, false])
  const anonymous = await aVisitor().get(path)
  expect([anonymous.status, anonymous.headers.location]).toEqual([303, `/account/sign-in?next=${encodeURIComponent(path)}`])
  expect((await ann.visitor.get('/account/trust/decision?id=dec_x')).status).toBe(404)
  expect((await ann.visitor.get('/account/trust/decision')).status).toBe(400)
})

test('the history of a watched domain is a chart with axes and a table, for its owner only', async () => {
  const [ann, eve] = [await aUser(), await aUser()]
  await ann.send('POST', '/v1/watches', { domain: 'watched.example.com' })
  await addHistory('watched.example.com', HISTORY)
  const list = (await ann.visitor.get('/account/trust')).text
  const href = /href="([^"]*\/account\/trust\/domain[^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect(list).toMatch(/watched\.example\.com<\/a><\/th>\s*<td class="tone-bad"><span class="tone">Deny<\/span>/)
  const { status, text } = await ann.visitor.get(href)
  expect(status).toBe(200)
  // Ten days over 600 pixels: each score holds until the next change, the last until the assessment.
  const points = /<path class="first" d="M([^"]+)"/.exec(text)?.[1]?.split('L') ?? []
  expect([points[0], points[11], points[12], points[23], points[24], points.at(-1)]).toEqual([
    ...['0.0,160.0h0.5', '55.0,160.0', '60.0,96.0', '115.0,96.0', '120.0,16.0', '600.0,16.0'],
  ])
  expect(text).toMatch(/<div class="amounts" aria-hidden="true"><span>100<\/span><span>0<\/span>/)
  expect(text).toMatch(/aria-label="Scores of watched\.example\.com: from Nov 10, 2026 to Nov 20, 2026; now threat 90, trust 20/)
  expect([...text.matchAll(/<th scope="row"><time datetime="2026-11-1[012]/g)].length).toBe(3)
  expect((await eve.visitor.get(href)).status).toBe(404)
  expect((await eve.visitor.get('/account/trust')).text).not.toContain('watched.example.com')
  expect((await aVisitor().get(href)).status).toBe(303)
})

test('a wrong decision is reported from its page or by its host, and shows what became of it', async () => {
  const [ann, eve] = [await aUser(), await aUser()]
  const { request_id: id } = await ann.send('POST', '/v1/decide', { domain: 'good.example.com' })
  const path = `/account/trust/decision?id=${id}`
  const form = (await ann.visitor.get(path)).text
  const key = /name="key" value="([^"]+)"/.exec(form)?.[1] ?? ''
  expect(form).toContain(`<input type="hidden" name="about" value="${id}">`)
  const report = { about: id, key, kind: 'FALSE_NEGATIVE', expected: 'DENY', text: 'It asks for <b>passwords</b>.' }
  const refused = await ann.visitor.post('/account/trust/reports', { ...report, kind: 'FALSE_POSITIVE' })
  expect([refused.status, refused.text.includes('It asks for &lt;b&gt;')]).toEqual([422, true])
  expect((await eve.visitor.get('/account/trust')).status).toBe(200)
  expect((await eve.visitor.post('/account/trust/reports', report)).status).toBe(404)
  const sent = await ann.visitor.post('/account/trust/reports', report)
  expect([sent.status, sent.headers.location]).toEqual([303, '/account/trust?done=reported'])
  const list = (await ann.visitor.get('/account/trust?done=reported')).text
  expect(list).toMatch(/good\.example\.com<\/a><\/th>\s*<td>.*too mild<\/td><td><span class="chip tone-none">open</)
  expect((await eve.visitor.get('/account/trust')).text).not.toContain('good.example.com')
  const client = new pg.Client({ ...web.trust.database.connection })
  await client.connect()
  await client.query(
    `UPDATE trust.decision_report SET status = 'accepted', answer = 'Thank you.', resolved_at = now() WHERE decision_id = $1`,
    [id],
  )
  await client.end()
  expect((await ann.visitor.get(path)).text).toMatch(/accepted<\/span>[\s\S]*The operator answered[\s\S]*Thank you\./)
  const ofHost = { ...report, about: 'HTTPS://host.example.org/x', kind: 'FALSE_POSITIVE', expected: '' }
  expect((await ann.visitor.post('/account/trust/reports', ofHost)).status).toBe(303)
  expect((await ann.visitor.get('/account/trust')).text).toContain('host.example.org</a>')
})

test('a list of more watched domains than a page has says so', async () => {
  const ann = await aUser()
  await ann.send('POST', '/v1/watches', { domain: 'first.example.org' })
  const client = new pg.Client({ ...web.trust.database.connection })
  await client.connect()
  await client.query(
    `INSERT INTO trust.watched_domain (key_id, domain, created_at, next_check_at)
     SELECT key_id, 'n' || n || '.example.org', created_at, 'infinity' FROM trust.watched_domain, generate_series(1, 100) AS n WHERE domain = 'first.example.org'`,
  )
  await client.end()
  const { text } = await ann.visitor.get('/account/trust')
  expect([...text.matchAll(/\/account\/trust\/domain\?/g)].length).toBe(100)
  expect(text).toContain('The first 100 of 101 are shown.')
})

test('a key above its request rate hides only its own domains, and says so', async () => {
  const ann = await aUser()
  await ann.send('POST', '/v1/watches', { domain: 'busy.example.org' })
  const made = await ann.visitor.post('/account/keys', { name: 'quiet key' })
  const quiet = /<code id="key">(sk_[\w-]+)</.exec(made.text)?.[1] ?? ''
  const headers = { 'x-api-key': quiet, 'content-type': 'application/json' }
  const decided = await askRaw(web.url, '/v1/decide', { method: 'POST', headers, body: '{"domain": "good.example.com"}' })
  await askRaw(web.url, '/v1/watches', { method: 'POST', headers, body: '{"domain": "calm.example.org"}' })
  for (let requests = 0; requests < 1_000; requests++) if ((await ann.send('GET', '/v1/overrides')).code === 'rate_limited') break
  const { status, text } = await ann.visitor.get('/account/trust')
  expect([status, text.includes('calm.example.org'), text.includes('busy.example.org')]).toEqual([200, true, false])
  expect(text).toMatch(/<h3>my agent<\/h3><p role="status">[^<]*questions of this key[^<]*<\/p>/)
  const path = (id: string) => `/account/trust/decision?id=${id}`
  expect((await ann.visitor.get(path(decided.json.request_id))).status).toBe(200)
  // One that may belong to the busy key is not said to be missing.
  expect((await ann.visitor.get(path('dec_x'))).status).toBe(429)
})

test('a domain without an assessment, and a user without a key, have pages', async () => {
  const ann = await aUser()
  await ann.send('POST', '/v1/watches', { domain: 'new.example.org' })
  const list = (await ann.visitor.get('/account/trust')).text
  const href = /href="([^"]*\/account\/trust\/domain[^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect((await ann.visitor.get(href)).text).toContain('Not assessed yet.')
  const visitor = aVisitor()
  await visitor.get('/account/sign-up')
  await visitor.post('/account/sign-up', { name: 'Ben', email: `${randomUUID()}@example.org`, password: PASSWORD })
  expect((await visitor.get('/account/trust')).text).toContain('You have no keys yet')
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('the pages fit and are accessible', async () => {
    const { email, send } = await aUser()
    const { request_id: id } = await send('POST', '/v1/decide', { domain: 'good.example.com' })
    await send('POST', '/v1/reports', { decision_id: id, kind: 'false_negative', text: 'It asks for passwords.' })
    await send('POST', '/v1/watches', { domain: 'drawn.example.com' })
    await addHistory('drawn.example.com', HISTORY)
    const { page, complaints } = await openPage(browser, { baseURL: web.url })
    await page.goto('/account/sign-in?next=/account/trust')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/account/trust')
    await page.getByText('Report a wrong decision').click()
    await look(page, 'account-trust')
    await page.getByRole('link', { name: 'drawn.example.com' }).click()
    await page.getByRole('heading', { name: 'drawn.example.com' }).waitFor()
    await look(page, 'account-trust-domain')
    await page.goto('/account/trust')
    await page.getByLabel('Its id').fill(id)
    await page.getByRole('button', { name: 'Show the decision' }).click()
    await page.getByRole('heading', { name: 'Decision about good.example.com' }).waitFor()
    await page.getByText('What each source said').click()
    await look(page, 'account-trust-decision')
    expect(complaints).toEqual([])
    await page.close()
  })
})
