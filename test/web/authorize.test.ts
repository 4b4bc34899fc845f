import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OauthStack, startOauth } from '../subgraphs/store/support/oauth.ts'
import { shopBrowser } from '../subgraphs/store/support/shop-browser.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'
import { expectAccessible, hasNoBrowser, launch, look, openPage, picture } from './support/browser.ts'

let stack: OauthStack
let shop: TestStore
let other: TestStore
/** Where the app waits for its answer: another origin. */
let callback: string
let listener: Server
let app: Awaited<ReturnType<OauthStack['anApp']>>
const SCOPES = ['read_products', 'write_products', 'read_orders', 'read_customers', 'write_store']

beforeAll(async () => {
  stack = await startOauth()
  listener = createServer((_, response) => response.end('<!doctype html><title>app</title>Back in the app.'))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  callback = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`
  shop = await stack.aStore({ name: 'Corner shop' })
  other = await stack.aStore({ name: 'Flower shop' })
  app = await stack.anApp({ redirectUris: [callback, 'urn:ietf:wg:oauth:2.0:oob'], scopes: SCOPES, isPublic: true })
})
afterAll(async () => {
  listener.close()
  await stack.close()
})

/** What an app begins with, and what it does with the answer: a library that thousands of apps use. */
async function begin(redirectUri = callback) {
  const client = await oauth.discovery(new URL(stack.url), app.clientId, undefined, oauth.None(), {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  })
  const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()]
  const link = oauth.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: SCOPES.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const finish = (address: string) =>
    oauth.authorizationCodeGrant(client, new URL(address), { pkceCodeVerifier: verifier, expectedState: state })
  return { link: link.href, finish }
}

const signIn = async (page: Page, { login, authtoken }: TestStore) => {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Authtoken').fill(authtoken)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  test('a shop owner signs in, reads what the app may do, allows it, and the app works on the shop', async () => {
    const { page, complaints } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in to your shop')
    await look(page, 'authorize-sign-in')
    await signIn(page, shop)

    await page.getByRole('heading', { level: 1, name: 'May Stock Keeper use your shop?' }).waitFor()
    expect(await page.title()).toContain('May Stock Keeper use Corner shop?')
    expect(await page.getByRole('region', { name: 'It may read' }).getByRole('listitem').allTextContents()).toEqual([
      'customers: names, e-mail and postal addresses, telephone numbers',
      'orders: who bought what, for how much, and where it goes',
      'products: prices, stock, texts, pictures and files',
    ])
    expect(await page.getByRole('region', { name: 'It may change' }).getByRole('listitem').count()).toBe(2)
    expect(await page.getByText('Afterwards you are sent to').textContent()).toContain(new URL(callback).origin)
    await look(page, 'authorize-consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)
    const { access_token } = await finish(page.url())
    const answer = await fetch(`${stack.url}/v1/store/info.json`, { headers: { authorization: `Bearer ${access_token}` } })
    expect(answer.status).toBe(403)
    expect((await fetch(`${stack.url}/v1/products.json`, { headers: { authorization: `Bearer ${access_token}` } })).status).toBe(
      200,
    )
    expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
    await page.close()
  })

  test('with the keyboard alone, from the first field to the answer', async () => {
    const { page } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    const focused = () => page.evaluate<string>('document.activeElement.name || document.activeElement.textContent')
    while ((await focused()) !== 'login') await page.keyboard.press('Tab')
    await page.keyboard.type(shop.login)
    await page.keyboard.press('Tab')
    await page.keyboard.type(shop.authtoken)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    while ((await page.evaluate('document.activeElement.value')) !== 'allow') await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${callback}?**`)
    expect((await finish(page.url())).scope).toBe(SCOPES.join(' '))
    await page.close()
  })

  test('who refuses is sent back, and the app is told', async () => {
    const { page } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.waitForURL(`${callback}?**`)
    await expect(finish(page.url())).rejects.toMatchObject({ error: 'access_denied' })
    await page.close()
  })

  test('who cancels before signing in is sent back as well', async () => {
    const { page } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${callback}?**`)
    await expect(finish(page.url())).rejects.toMatchObject({ error: 'access_denied' })
    await page.close()
  })

  test('a wrong authtoken is said where it was typed, and the next try works', async () => {
    const { page } = await openPage(browser)
    const { link } = await begin()
    await page.goto(link)
    await signIn(page, { ...shop, authtoken: 'wrong' })
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe(
      'There is no shop with this login and authtoken. Look at both again.',
    )
    expect(await page.title()).toMatch(/^That did not work/)
    expect(await page.getByLabel('Login').inputValue()).toBe(shop.login)
    expect(await page.getByLabel('Authtoken').inputValue()).toBe('')
    await expectAccessible(page)
    await picture(page, 'authorize-wrong')
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await page.close()
  })

  test('who is signed in is not asked again, and can take another shop', async () => {
    const { page } = await openPage(browser)
    await page.goto((await begin()).link)
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)

    const { link, finish } = await begin()
    await page.goto(link)
    expect(await page.getByRole('definition').last().textContent()).toBe('Corner shop')
    await page.getByRole('button', { name: 'This is not my shop' }).click()
    await signIn(page, other)
    expect(await page.getByRole('definition').last().textContent()).toBe('Flower shop')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)
    const { access_token } = await finish(page.url())
    const info = await fetch(`${stack.url}/oauth/token/info`, { headers: { authorization: `Bearer ${access_token}` } })
    expect(await info.json()).toMatchObject({ resource_owner_id: other.storeId })
    await page.close()
  })

  test('without an address to go to, the code is shown to be typed', async () => {
    const { page } = await openPage(browser)
    const { link } = await begin('urn:ietf:wg:oauth:2.0:oob')
    await page.goto(link)
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Your code' }).waitFor()
    expect(await page.getByLabel('Code').textContent()).toMatch(/^[\w-]{43}$/)
    await expectAccessible(page)
    await picture(page, 'authorize-code')
    await page.close()
  })

  test('a link that asks for something wrong ends at a page, not at the address in it', async () => {
    const { page } = await openPage(browser)
    const answer = await page.goto(
      (await begin()).link.replace(encodeURIComponent(callback), encodeURIComponent('https://evil.example/')),
    )
    expect([answer?.status(), new URL(page.url()).origin]).toEqual([400, stack.url])
    await page.getByRole('heading', { name: 'The app cannot ask for this' }).waitFor()
    await expectAccessible(page)
    await picture(page, 'authorize-problem')
    await page.close()
  })
})

describe('held against others', () => {
  const opened = async () => {
    const browser = shopBrowser(stack.url)
    const { address } = await browser.open((await begin()).link)
    const consent = await browser.press(address, { login: shop.login, authtoken: shop.authtoken })
    return { browser, address: consent.address }
  }

  test('no page can be put into a frame, load anything from elsewhere, or be kept', async () => {
    const { browser, address } = await opened()
    const { headers } = await browser.send(address)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`form-action 'self' ${new URL(callback).origin}`)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  })

  test('cookies are out of reach of scripts and of other sites, and of paths that do not need them', async () => {
    const { link } = await begin()
    const first = await fetch(link, { redirect: 'manual', headers: { accept: 'text/html' } })
    const lines = first.headers.getSetCookie()
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) {
      expect(line).toMatch(/; httponly/i)
      expect(line).toMatch(/; samesite=lax/i)
      expect(line).toMatch(/; path=\/(oauth\/)?authorize/i)
    }
  })

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['by an older browser, from another origin', { origin: 'https://evil.example' }],
    ['from a page without origin', { origin: 'null' }],
  ])('an answer that was sent %s counts as none', async (_, headers) => {
    const { browser, address } = await opened()
    const answer = await browser.send(address, { method: 'POST', body: new URLSearchParams({ do: 'allow' }), headers })
    expect(answer.status).toBe(410)
    expect((await browser.open(address)).page).toContain('May Stock Keeper use your shop?')
  })

  test('a request belongs to the browser that began it', async () => {
    const { address } = await opened()
    const stranger = shopBrowser(stack.url)
    expect((await stranger.open(address)).status).toBe(410)
    expect((await stranger.press(address, { do: 'allow' })).status).toBe(410)
    // Nor can its address be resumed elsewhere.
    expect((await stranger.open(address.replace('/authorize/', '/oauth/authorize/'))).status).toBe(400)
  })

  test('an answer counts once', async () => {
    const { browser, address } = await opened()
    expect((await browser.press(address, { do: 'allow' })).address).toContain(callback)
    expect((await browser.press(address, { do: 'allow' })).status).toBe(410)
  })

  test('nobody agrees for a shop that is not signed in', async () => {
    const browser = shopBrowser(stack.url)
    const { address } = await browser.open((await begin()).link)
    const consents = () => stack.sql('SELECT count(*) FROM app_authorization')
    const before = await consents()
    expect((await browser.press(address, { do: 'allow' })).status).toBe(410)
    expect(await consents()).toEqual(before)
  })

  test('who tries many authtokens is told to wait', async () => {
    const browser = shopBrowser(stack.url)
    const { address } = await browser.open((await begin()).link)
    const statuses = await Promise.all(
      Array.from(
        { length: 70 },
        async (_, index) => (await browser.press(address, { login: 'x', authtoken: `wrong-${index}` })).status,
      ),
    )
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5)
    expect(statuses.every((status) => status === 422 || status === 429)).toBe(true)
  })
})
