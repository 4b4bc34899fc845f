import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailServerAt } from '../../subgraphs/store/support/mail.ts'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from '../support/browser.ts'
import { consoleAt } from '../support/console.ts'
import { aFilledShop, type FilledShop } from '../support/shop.ts'
import { startWeb } from '../support/site.ts'

const SHOP = '/shops/corner-shop'
const PASSWORD = 'correct horse'
const ADDRESS = { name: 'Ana', surname: 'Sousa', address: 'Rua 1', city: 'Lisbon', country: 'PT' }

let smtp: TestSmtpServer
let web: Awaited<ReturnType<typeof startWeb>>
let shop: FilledShop
const { aVisitor } = consoleAt(() => web.url)
beforeAll(async () => {
  smtp = await startSmtpServer()
  web = await startWeb({ mailServer: mailServerAt(smtp.port) })
  shop = await aFilledShop(web, 'Corner shop')
  await aFilledShop(web, 'Another shop')
})
afterAll(async () => {
  await web?.close()
  await smtp?.close()
})

/** The path of the link in the newest e-mail to this address. */
async function linkFor(email: string): Promise<string> {
  const pathIn = () =>
    /\/shops\/[\w-]+\/account\/link\/[\w-]{43}/.exec(smtp.received.findLast(({ to }) => to[0] === email)?.text ?? '')?.[0]
  await expect.poll(pathIn, { timeout: 15_000 }).toBeTruthy()
  return pathIn() ?? ''
}
let made = 0
async function anOwner(password = PASSWORD) {
  made += 1
  const email = `ana${made}@example.org`
  const visitor = aVisitor()
  const sent = await visitor.post(`${SHOP}/account/request`, { 'request-email': email })
  expect([sent.status, sent.text.includes(email)]).toEqual([200, true])
  const link = await linkFor(email)
  const page = await visitor.get(link)
  expect([page.status, page.text.includes(`sign in as <strong>${email}</strong>`)]).toEqual([200, true])
  const opened = await visitor.post(link, { password })
  expect([opened.status, opened.headers.location]).toEqual([303, `${SHOP}/account`])
  return { visitor, email, link, opened }
}

type Owner = Pick<Awaited<ReturnType<typeof anOwner>>, 'visitor' | 'email'>

/** Takes one cup to the last step of the checkout; returns its page. */
async function atPayment({ visitor, email }: Owner): Promise<string> {
  await visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '1' })
  await visitor.get(`${SHOP}/cart`)
  await visitor.post(`${SHOP}/checkout/address`, { ...ADDRESS, email })
  const delivery = (await visitor.get(`${SHOP}/checkout`)).text
  const [, rate = ''] = /<input type="radio" name="delivery" value="(rate [^"]*)"/.exec(delivery) ?? []
  await visitor.post(`${SHOP}/checkout/delivery`, { delivery: rate })
  const { text } = await visitor.get(`${SHOP}/checkout`)
  expect(text).toContain(`Ordering as ${email}`)
  return text
}

/** Orders one cup, in the account that the form names or as a guest. */
async function anOrder({ visitor, email }: Owner, isGuest = false) {
  const text = await atPayment({ visitor, email })
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
  const [, answer = ''] = /name="(answer\.[^"]+)"/.exec(text) ?? []
  const done = await visitor.post(`${SHOP}/checkout/order`, {
    key: value('key'),
    expected: value('expected'),
    payment: value('payment'),
    account: isGuest ? '' : value('account'),
    ...(answer && { [answer]: 'true' }),
  })
  expect(done.status).toBe(303)
  return done
}

describe('the account of a shopper', () => {
  test('begins with a link by e-mail, and is reached with a cookie of this shop that scripts cannot read', async () => {
    const { visitor, email, link, opened } = await anOwner()
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^shopper=[\w-]{43}; Path=\/shops\/corner-shop; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    const page = await visitor.get(`${SHOP}/account`)
    expect(page.text).toContain(email)
    expect(page.headers['cache-control']).toBe('no-store')
    const again = await visitor.post(link, {})
    expect([again.status, again.text.includes('was used already')]).toEqual([422, true])
    expect((await visitor.get(link)).text).toContain('was used already')
    const logged = JSON.stringify(web.log.lines)
    expect(logged).toContain('/shops/:code/account/link/:link')
    for (const secret of [link.split('/').at(-1) ?? '', visitor.cookies.get('shopper') ?? '', email, PASSWORD])
      expect(logged).not.toContain(secret)
    expect(logged).not.toContain('already sent')
  })

  test('is not opened by a program that only reads the link', async () => {
    const email = 'reader@example.org'
    const visitor = aVisitor()
    await visitor.post(`${SHOP}/account/request`, { 'request-email': email })
    const link = await linkFor(email)
    await visitor.get(link)
    expect((await visitor.get(`${SHOP}/account`)).text).not.toContain(email)
    expect((await visitor.post(link, { password: '' })).status).toBe(303)
  })

  test('is signed in to by its password; a wrong one and an unknown address look the same', async () => {
    const { email } = await anOwner()
    const visitor = aVisitor()
    const wrong = await visitor.post(`${SHOP}/account/sign-in`, { email, password: 'guess-guess' })
    const unknown = await visitor.post(`${SHOP}/account/sign-in`, { email: 'no@example.org', password: 'guess-guess' })
    expect([wrong.status, wrong.text.replaceAll(email, '')]).toEqual([422, unknown.text.replaceAll('no@example.org', '')])
    expect((await visitor.post(`${SHOP}/account/sign-in`, { email, password: PASSWORD })).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Sign out on all 2 devices')
  })

  test('shows the order that was placed with it, keeps addresses, is exported and erased', async () => {
    const { visitor, email } = await anOwner()
    const done = await anOrder({ visitor, email })
    const { text: account } = await visitor.get(`${SHOP}/account`)
    expect(account).toContain(`href="${done.headers.location}"`)

    expect((await visitor.post(`${SHOP}/account/addresses`, { ...ADDRESS, city: '' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/addresses`, ADDRESS)).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Ana Sousa, Rua 1, Lisbon, PT')
    const data = await visitor.get(`${SHOP}/account/data`)
    expect(JSON.parse(data.text)).toMatchObject({ email, addresses: [ADDRESS], orders: [{ lines: [{ quantity: 1 }] }] })
    const [, key = ''] = /name="remove" value="([^"]+)"/.exec((await visitor.get(`${SHOP}/account`)).text) ?? []
    await visitor.post(`${SHOP}/account/addresses`, { remove: '0' })
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Rua 1, Lisbon')
    expect((await visitor.post(`${SHOP}/account/addresses`, { remove: key })).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).not.toContain('Rua 1, Lisbon')

    expect((await visitor.post(`${SHOP}/account/erase`, { 'erase-password': 'wrong' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/erase`, { 'erase-password': PASSWORD })).status).toBe(303)
    expect((await visitor.post(`${SHOP}/account/sign-in`, { email, password: PASSWORD })).status).toBe(422)
    expect((await visitor.get(done.headers.location ?? '')).status).toBe(200)
    const { orders } = await shop.merchant('{ orders(first: 1) { totalCount } }')
    expect(orders.totalCount).toBeGreaterThan(0)
  })

  test('does not get the order of who chooses to be a guest, and keeps what the pages do not show of an address', async () => {
    const owner = await anOwner()
    await anOrder(owner, true)
    expect((await owner.visitor.get(`${SHOP}/account`)).text).toContain('No orders yet')
    await shop.merchant(`mutation ($input: SetCustomerAddressesInput!) { setCustomerAddresses(input: $input) { __typename } }`, {
      input: {
        store: 'corner-shop',
        token: owner.visitor.cookies.get('shopper'),
        addresses: [{ ...ADDRESS, municipality: 'Lisboa' }],
      },
    })
    await owner.visitor.get(`${SHOP}/account`)
    await owner.visitor.post(`${SHOP}/account/addresses`, { ...ADDRESS, city: 'Porto' })
    const { addresses } = JSON.parse((await owner.visitor.get(`${SHOP}/account/data`)).text)
    expect(addresses).toMatchObject([{ municipality: 'Lisboa' }, { city: 'Porto' }])
  })

  test('is changed by forms of its own pages only', async () => {
    const { visitor, email } = await anOwner()
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const other = await anOwner()
    for (const [path, fields] of [
      ['sign-out', { everywhere: '1' }],
      ['password', { current: PASSWORD, password: 'another one' }],
      ['addresses', ADDRESS],
      ['erase', { 'erase-password': PASSWORD }],
    ] as const) {
      await visitor.get(`${SHOP}/account`)
      expect((await visitor.post(`${SHOP}/account/${path}`, fields, foreign)).status).toBe(403)
      const stolen = /name="token" value="([^"]+)"/.exec((await other.visitor.get(`${SHOP}/account`)).text)?.[1] ?? ''
      expect((await visitor.post(`${SHOP}/account/${path}`, { ...fields, token: stolen })).status).toBe(403)
    }
    for (const path of ['sign-in', 'request'])
      expect((await aVisitor().post(`${SHOP}/account/${path}`, { email, password: PASSWORD }, foreign)).status).toBe(403)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain(email)
  })

  test('changes its password and signs out', async () => {
    const { visitor, email } = await anOwner()
    await visitor.get(`${SHOP}/account`)
    expect((await visitor.post(`${SHOP}/account/password`, { current: 'wrong', password: 'another one' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/password`, { current: PASSWORD, password: 'short' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/password`, { current: PASSWORD, password: 'another one' })).status).toBe(303)
    await visitor.get(`${SHOP}/account`)
    expect((await visitor.post(`${SHOP}/account/sign-out`, {})).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Send me a link')
    expect((await visitor.post(`${SHOP}/account/sign-in`, { email, password: 'another one' })).status).toBe(303)
  })

  test('of a shop that does not exist is nowhere, and what no account has leads to the sign-in', async () => {
    expect((await aVisitor().get('/shops/none/account')).status).toBe(404)
    expect((await aVisitor().get(`${SHOP}/account/data`)).headers.location).toBe(`${SHOP}/account`)
    expect((await aVisitor().post(`${SHOP}/account/request`, { 'request-email': 'no address' })).status).toBe(422)
  })
})

test.skipIf(hasNoBrowser)('the pages of an account fit and are accessible in every look', async () => {
  const browser: Browser = await sharedBrowser()
  const { page, complaints } = await openPage(browser)
  await page.goto(`${web.url}${SHOP}/account`)
  await look(page, 'shop-sign-in')
  const [visitor, owner] = [aVisitor(), 'look@example.org']
  await visitor.post(`${SHOP}/account/request`, { 'request-email': owner })
  const link = await linkFor(owner)
  await page.goto(`${web.url}${link}`)
  await look(page, 'shop-link')
  await visitor.get(link)
  await visitor.post(link, { password: PASSWORD })
  await visitor.get(`${SHOP}/account`)
  await visitor.post(`${SHOP}/account/addresses`, ADDRESS)
  await anOrder({ visitor, email: owner })
  await atPayment({ visitor, email: owner })
  const cookies = [...visitor.cookies].map(([name, value]) => ({ name, value, url: `${web.url}${SHOP}` }))
  await page.context().addCookies(cookies)
  await page.goto(`${web.url}${SHOP}/account`)
  await look(page, 'shop-account')
  await page.goto(`${web.url}${SHOP}/checkout`)
  expect(await page.textContent('main')).toContain(`Ordering as ${owner}`)
  await look(page, 'shop-payment')
  expect(complaints).toEqual([])
  await closePages(browser)
})
