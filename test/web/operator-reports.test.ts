import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askRaw } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, fieldsOf } from './support/console.ts'
import { startWeb } from './support/site.ts'

const PATH = '/operations/reports'
const HOSTILE = '<script>window.ran = 1</script>'

let web: Awaited<ReturnType<typeof startWeb>>
const { aVisitor } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

/** A report of a host of its own, by a key of its own. */
async function aReport(text = 'It is our own shop.', domain = 'example.org') {
  const host = `${randomUUID().slice(0, 8)}.${domain}`
  const { secret } = await web.trust.aKey({ name: 'a caller' })
  const send = async (path: string, body: object) =>
    (
      await askRaw(web.url, path, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json
  const decide = async () => (await send('/v1/decide', { domain: host })).recommended_action
  await send('/v1/reports', { target: host, kind: 'false_negative', text })
  return { host, secret, decide }
}

async function anOperator() {
  const { secret } = await web.trust.aKey({ name: `ops ${randomUUID().slice(0, 8)}`, plan: 'unlimited', role: 'operator' })
  const visitor = aVisitor()
  await visitor.get(PATH)
  const reply = await visitor.post(`${PATH}/sign-in`, { key: secret })
  expect([reply.status, reply.headers.location]).toEqual([303, PATH])
  return { visitor, secret, reply }
}

/** Fields of the form below the heading of a host; what the page says there. */
function sectionOf(text: string, host: string) {
  const section = text.split('<section ').find((each) => each.includes(`>${host} <`)) ?? ''
  const fields = fieldsOf({ text: section } as Parameters<typeof fieldsOf>[0], `${PATH}/answer`)
  return { section, fields }
}

test('only a key of an operator opens the page, and its cookie is strict and sealed', async () => {
  const { host, secret } = await aReport()
  const visitor = aVisitor()
  const first = await visitor.get(PATH)
  expect([first.status, first.text.includes(host), first.headers['cache-control']]).toEqual([200, false, 'no-store'])
  const keys = [secret, 'sk_x', 'sk_ключ', `${secret}\n${secret}`, 'x'.repeat(300)]
  const refused = await Promise.all(keys.map((key) => visitor.post(`${PATH}/sign-in`, { key })))
  expect(refused.map(({ status }) => status)).toEqual(keys.map(() => 422))
  const unreadable = expect.stringContaining('letters, digits')
  expect(refused.map(({ text }) => /role="alert">([^<]*)/.exec(text)?.[1])).toEqual([
    expect.stringContaining('key of an operator'),
    expect.stringContaining('in use'),
    unreadable,
    unreadable,
    unreadable,
  ])
  expect(refused.some(({ text }) => text.includes(secret))).toBe(false)
  const operator = await anOperator()
  const cookie = String(operator.reply.headers['set-cookie'])
  expect(cookie).toMatch(/operator=[^;]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict/)
  expect(cookie).not.toContain(operator.secret)
  const page = await operator.visitor.get(PATH)
  expect([page.status, page.headers['cache-control'], page.text.includes(host)]).toEqual([200, 'no-store', true])
})

test('an accepted report is answered and its entry decides from then on, in one step', async () => {
  const { host, decide } = await aReport(`Bad ${HOSTILE}`)
  expect(await decide()).not.toBe('deny')
  const { visitor } = await anOperator()
  const { section, fields } = sectionOf((await visitor.get(PATH)).text, host)
  expect(section).toContain('Bad &lt;script&gt;')
  expect(section).toContain('Evidence of the decision')
  expect(section).toMatch(/<(?:h3|dt)>popularity/)
  expect(fields.target).toBe(host)
  const answered = { ...fields, answer: `Blocked ${HOSTILE}`, list: 'BLOCK', verdict: 'accept' }
  const broken = await visitor.post(`${PATH}/answer`, { ...answered, target: 'co.uk' })
  expect(broken.status).toBe(422)
  expect(broken.text).toMatch(/role="alert"[^>]*><p>[^<]*(suffix|entry)/i)
  expect(sectionOf(broken.text, host).fields).toMatchObject({ answer: `Blocked ${HOSTILE}`, list: 'BLOCK', target: 'co.uk' })
  // Both or none: the refused entry has answered nothing.
  expect(await decide()).not.toBe('deny')
  // The reason of the entry is cut within its last character.
  answered.answer = `${'x'.repeat(499)}🙂 ${HOSTILE}`
  const done = await visitor.post(`${PATH}/answer`, answered)
  expect([done.status, done.headers.location]).toEqual([303, `${PATH}?done=listed`])
  expect(await decide()).toBe('deny')
  const again = await visitor.post(`${PATH}/answer`, answered)
  expect([again.status, again.text.includes('Expected &quot;id&quot; to be an open report.')]).toEqual([422, true])
  expect((await visitor.get(PATH)).text).not.toContain(`>${host} <`)
  const accepted = sectionOf((await visitor.get(`${PATH}?status=accepted&done=listed`)).text, host).section
  expect(accepted).toContain('x🙂 &lt;script&gt;')
  expect(accepted).not.toContain('<form')
})

test('a rejected report adds no entry', async () => {
  const { host, decide } = await aReport('It is our own shop.', 'xn--mller-kva.org')
  const { visitor } = await anOperator()
  const { section, fields } = sectionOf((await visitor.get(PATH)).text, host)
  expect(section).toMatch(/<strong>\w{8}\.müller\.org/)
  const done = await visitor.post(`${PATH}/answer`, { ...fields, answer: 'It is fine.', list: 'BLOCK', verdict: 'reject' })
  expect(done.headers.location).toBe(`${PATH}?done=rejected`)
  expect(await decide()).not.toBe('deny')
  expect(sectionOf((await visitor.get(`${PATH}?status=rejected`)).text, host).section).toContain('It is fine.')
})

test('forms without the token of the session change nothing, and a revoked key ends the session', async () => {
  const { host } = await aReport()
  const { visitor, secret } = await anOperator()
  const { fields } = sectionOf((await visitor.get(PATH)).text, host)
  const answer = { ...fields, answer: 'Yes.', verdict: 'accept' }
  for (const token of ['', 'x'.repeat(24)]) expect((await visitor.post(`${PATH}/answer`, { ...answer, token })).status).toBe(403)
  expect((await visitor.post(`${PATH}/sign-out`, { token: '' })).status).toBe(403)
  expect((await aVisitor().post(`${PATH}/answer`, answer)).status).toBe(403)
  expect((await aVisitor().post(`${PATH}/sign-in`, { key: secret })).status).toBe(403)
  const page = await visitor.get(PATH)
  expect(sectionOf(page.text, host).section).toContain('<form')
  await web.trust.sql(`UPDATE api_key SET revoked_at = now() WHERE name LIKE 'ops %'`)
  const ended = await visitor.get(PATH)
  expect([ended.status, ended.text.includes(host), ended.text.includes('You are signed out')]).toEqual([401, false, true])
  expect(visitor.cookies.has('operator')).toBe(false)
})

test('who signs out has ended the session on the server: a copy of its cookie opens nothing, other sessions go on', async () => {
  const { host } = await aReport()
  const [{ visitor }, other] = [await anOperator(), await anOperator()]
  const { fields } = sectionOf((await visitor.get(PATH)).text, host)
  const copy = aVisitor()
  for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
  expect((await copy.get(PATH)).text).toContain(host)
  expect((await visitor.post(`${PATH}/sign-out`, {})).status).toBe(303)
  const page = await copy.get(PATH)
  expect([page.text.includes(host), page.text.includes('You are signed out')]).toEqual([false, true])
  expect((await copy.post(`${PATH}/answer`, { ...fields, answer: 'Yes.', verdict: 'accept' })).status).toBe(403)
  expect((await other.visitor.get(PATH)).text).toContain(host)
})

test('pages of ten lead to older reports; unreadable addresses and long forms are refused', async () => {
  for (let count = 0; count < 11; count++) await aReport()
  const { visitor } = await anOperator()
  const first = (await visitor.get(PATH)).text
  expect([...first.matchAll(/action="\/operations\/reports\/answer"/g)].length).toBe(10)
  const older = /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = await visitor.get(older)
  expect(second.status).toBe(200)
  expect(second.text).toContain('Back to the newest')
  // A refused answer shows its page again, with what was typed.
  const action = /action="([^"]+\/answer\?[^"]+)"/.exec(second.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const [id = ''] = /(?<=name="id" value=")[^"]+/.exec(second.text) ?? []
  const refused = await visitor.post(action, { id, answer: 'Typed.', list: 'BLOCK', target: 'co.uk', verdict: 'accept' })
  expect([refused.status, refused.text.includes('Back to the newest')]).toEqual([422, true])
  expect(refused.text).toMatch(/<textarea[^>]*>\s*Typed\.<\/textarea>/)
  expect((await visitor.get(`${PATH}?status=none`)).status).toBe(400)
  expect((await visitor.get(`${PATH}?after=x`)).status).toBe(400)
  expect((await visitor.post(`${PATH}/answer`, { answer: 'x'.repeat(70_000) })).status).toBe(413)
  expect((await visitor.post(`${PATH}/answer`, { verdict: 'maybe' })).status).toBe(422)
  const out = await visitor.post(`${PATH}/sign-out`, {})
  expect([out.status, visitor.cookies.has('operator')]).toEqual([303, false])
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('an operator answers without scripts, on a page that fits and is accessible', async () => {
    const [{ host }] = [await aReport(`Asks for passwords ${HOSTILE}`), await aReport()]
    const { secret } = await web.trust.aKey({ name: 'ops in a browser', plan: 'unlimited', role: 'operator' })
    const { page, complaints } = await openPage(browser, { baseURL: web.url })
    await page.goto(PATH)
    await look(page, 'operator-reports-sign-in')
    const plain = await browser.newContext({ baseURL: web.url, javaScriptEnabled: false })
    const tab = await plain.newPage()
    await tab.goto(PATH)
    await tab.getByLabel('API key').fill(secret)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    const section = tab.getByRole('region', { name: host })
    await section.getByText('Answer', { exact: true }).click()
    await section.getByLabel('Answer for the owner').fill('Blocked, thank you.')
    await section.getByLabel('When accepted').selectOption('BLOCK')
    await section.getByRole('button', { name: 'Accept' }).click()
    await tab.getByText('the entry is on the list').waitFor()
    await page.getByLabel('API key').fill(secret)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Evidence of the decision').first().click()
    await page.getByText('Answer', { exact: true }).first().click()
    await look(page, 'operator-reports')
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
    expect(complaints).toEqual([])
    await plain.close()
    await page.close()
  })
})
