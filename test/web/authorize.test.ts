import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRedirectUri } from '../../subgraphs/store/app/app.ts'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { leadingTo } from '../../web/frame/headers.ts'
import { type OauthStack, startOauth } from '../subgraphs/store/support/oauth.ts'
import { shopBrowser } from '../subgraphs/store/support/shop-browser.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { HOSTILE } from './support/site.ts'

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

/**
 * What an app begins with, and what it does with the answer: a library that thousands of apps use.
 */
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
  await page.getByLabel('Login', { exact: true }).fill(login)
  await page.getByLabel('Authtoken', { exact: true }).fill(authtoken)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const PASSWORD = 'correct horse'
let users = 0

// biome-ignore lint/suspicious/noExplicitAny: every question has another answer
async function graph(query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<any> {
  const body = JSON.stringify({ query, variables })
  const answer = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return answer.json()
}

/** A user of the social graph who owns these stores, as the operator's command says. */
async function anOwner(...stores: readonly TestStore[]): Promise<string> {
  const email = `owner${++users}@example.org`
  const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }'
  const { data } = await graph(CREATE, { input: { email, name: `Owner ${users}`, password: PASSWORD } })
  for (const { code } of stores) await withStores(stack.database.connection, (all) => all.setOwner(code, data.createUser.user.id))
  return email
}

const signInAsOwner = async (page: Page, email: string, password = PASSWORD) => {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in as owner' }).click()
}

const ownerOf = async (token: string) => {
  const info = await fetch(`${stack.url}/oauth/token/info`, { headers: { authorization: `Bearer ${token}` } })
  const { resource_owner_id } = (await info.json()) as { readonly resource_owner_id: number }
  return resource_owner_id
}

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('a shop owner signs in, reads what the app may do, allows it, and the app works on the shop', async () => {
    const { page, complaints } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in to your shop')
    await look(page, 'authorize-sign-in')
    await signIn(page, shop)

    await page.getByRole('heading', { level: 1, name: 'Allow Stock Keeper to access your shop?' }).waitFor()
    expect(await page.title()).toContain('Allow Stock Keeper to access Corner shop?')
    expect(await page.getByRole('region', { name: 'It may read' }).getByRole('listitem').allTextContents()).toEqual([
      'customers: names, e-mail and postal addresses, telephone numbers',
      'orders: who bought what, for how much, and where it goes',
      'products: prices, stock, texts, pictures and files',
    ])
    expect(await page.getByRole('region', { name: 'It may change' }).getByRole('listitem').count()).toBe(2)
    expect(await page.getByText('You will be redirected to').textContent()).toContain(new URL(callback).origin)
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

  test('a refusal redirects back with an error for the app', async () => {
    const { page } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${callback}?**`)
    await expect(finish(page.url())).rejects.toMatchObject({ error: 'access_denied' })
    await page.close()
  })

  test('a cancellation before signing in redirects back as well', async () => {
    const { page } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${callback}?**`)
    await expect(finish(page.url())).rejects.toMatchObject({ error: 'access_denied' })
    await page.close()
  })

  test('a wrong authtoken is reported in its form, and the next try works', async () => {
    const { page } = await openPage(browser)
    const { link } = await begin()
    await page.goto(link)
    await signIn(page, { ...shop, authtoken: 'wrong' })
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('The login or the authtoken is wrong.')
    expect(await page.title()).toMatch(/^Sign-in failed/)
    expect(await page.getByLabel('Login', { exact: true }).inputValue()).toBe(shop.login)
    expect(await page.getByLabel('Authtoken', { exact: true }).inputValue()).toBe('')
    await look(page, 'authorize-wrong')
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await page.close()
  })

  test('a signed-in merchant does not sign in again, and can choose another shop', async () => {
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

  test('an owner signs in with the account of the site, and the app works on the shop', async () => {
    const email = await anOwner(await stack.aStore({ name: 'Only shop' }))
    const { page, complaints } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await signInAsOwner(page, email)
    expect(await page.getByRole('definition').last().textContent()).toBe('Only shop')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)
    const { access_token } = await finish(page.url())
    const answer = await fetch(`${stack.url}/v1/products.json`, { headers: { authorization: `Bearer ${access_token}` } })
    expect(answer.status).toBe(200)
    const audited = await stack.sql(
      `SELECT entry.actor, entry.role, entry.user_id = store.owner_id AS "isOwner" FROM audit_entry entry JOIN store ON store.id = entry.store_id
      WHERE store.name = 'Only shop' AND entry.noun = 'APP_AUTHORIZATION'`,
    )
    expect(audited).toEqual([{ actor: 'USER', role: 'OWNER', isOwner: true }])
    const left = await stack.sql(
      'SELECT count(*)::int AS open FROM social.session JOIN social."user" u ON u.id = user_id WHERE u.email = $1 AND ended_at IS NULL',
      [email],
    )
    expect(left).toEqual([{ open: 0 }])
    expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
    await page.close()
  })

  test('an owner of several shops chooses one, and the app gets no other', async () => {
    const [first, second] = [await stack.aStore({ name: 'First of two' }), await stack.aStore({ name: 'Second of two' })]
    const email = await anOwner(first, second)
    const { page, complaints } = await openPage(browser)
    const { link, finish } = await begin()
    await page.goto(link)
    await signInAsOwner(page, email)
    await page.getByRole('heading', { level: 1, name: 'Which shop?' }).waitFor()
    await look(page, 'authorize-choice')
    await page.getByRole('button', { name: 'Second of two' }).click()
    expect(await page.getByRole('definition').last().textContent()).toBe('Second of two')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)
    expect(await ownerOf((await finish(page.url())).access_token)).toBe(second.storeId)
    expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
    await page.close()
  })

  test('a wrong password is reported in its form, and after five the account is locked, also for the right one', async () => {
    const email = await anOwner(shop)
    const { page } = await openPage(browser)
    await page.goto((await begin()).link)
    await signInAsOwner(page, email, 'wrong')
    expect(await page.getByRole('region', { name: 'With your account' }).getByRole('alert').textContent()).toBe(
      'The e-mail address or the password is wrong.',
    )
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email)
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    await look(page, 'authorize-wrong-password')
    for (let n = 0; n < 4; n += 1) await signInAsOwner(page, email, `wrong ${n}`)
    await signInAsOwner(page, email)
    expect(await page.getByRole('alert').textContent()).toContain('Too many wrong passwords')
    await page.close()
  })

  test('a shop owner sees in the console what apps may do, and takes it back without JavaScript', async () => {
    const { page } = await openPage(browser)
    const { link, finish } = await begin()
    const own = await stack.aStore({ name: 'Careful shop' })
    await page.goto(link)
    await signIn(page, own)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)
    const { access_token } = await finish(page.url())
    const works = async () =>
      (await fetch(`${stack.url}/v1/products.json`, { headers: { authorization: `Bearer ${access_token}` } })).status
    expect(await works()).toBe(200)
    await page.close()

    const { page: plain, complaints } = await openPage(browser, { javaScriptEnabled: false })
    await plain.goto(`${stack.url}/console`)
    await signIn(plain, own)
    await plain.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Apps' }).click()
    const card = plain.getByRole('listitem').filter({ hasText: 'Stock Keeper' })
    expect(await card.getByRole('region', { name: 'It may read' }).getByRole('listitem').allTextContents()).toContain(
      'orders: who bought what, for how much, and where it goes',
    )
    expect(await card.getByRole('region', { name: 'It may change' }).getByRole('listitem').count()).toBe(2)
    await card.locator('summary').click()
    const { page: seen } = await openPage(browser, { storageState: await plain.context().storageState() })
    await seen.goto(`${stack.url}/console/apps`)
    await seen.locator('main summary').click()
    await look(seen, 'console-apps')
    await seen.close()
    await card.getByRole('button', { name: 'Revoke access of Stock Keeper' }).click()
    await plain.getByText('The access of the app was revoked.').waitFor()
    await plain.getByText('No apps yet.').waitFor()
    await expect.poll(works).toBe(401)
    expect(complaints).toEqual([])
    await plain.close()
  })

  test('without an address to go to, the code is shown to be typed', async () => {
    const { page } = await openPage(browser)
    const { link } = await begin('urn:ietf:wg:oauth:2.0:oob')
    await page.goto(link)
    await signIn(page, shop)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Your code' }).waitFor()
    expect(await page.getByLabel('Code').textContent()).toMatch(/^[\w-]{43}$/)
    await look(page, 'authorize-code')
    await page.close()
  })

  test('an invalid authorization request ends at a page, not at its redirect URI', async () => {
    const { page } = await openPage(browser)
    const answer = await page.goto(
      (await begin()).link.replace(encodeURIComponent(callback), encodeURIComponent('https://evil.example/')),
    )
    expect([answer?.status(), new URL(page.url()).origin]).toEqual([400, stack.url])
    await page.getByRole('heading', { name: 'Invalid authorization request' }).waitFor()
    await look(page, 'authorize-problem')
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
    expect((await browser.open(address)).page).toContain('Allow Stock Keeper to access your shop?')
  })

  test('a request belongs to the browser that began it', async () => {
    const { address } = await opened()
    const stranger = shopBrowser(stack.url)
    expect((await stranger.open(address)).status).toBe(410)
    expect((await stranger.press(address, { do: 'allow' })).status).toBe(410)
    // Nor can its address be resumed elsewhere.
    expect((await stranger.open(address.replace('/authorize/', '/oauth/authorize/'))).status).toBe(400)
  })

  test('the id of a request without the secret of its browser reads, takes and resumes no step', async () => {
    const { browser, address } = await opened()
    const request = address.slice(address.lastIndexOf('/') + 1)
    const secret = browser.cookieAt(address, '_atrium_browser')
    expect(secret).toMatch(/^[\w-]{43}$/)
    const email = await anOwner(await stack.aStore())
    const LOGIN = 'mutation ($e: String!, $p: String!) { login(email: $e, password: $p) { ... on LoginSuccess { token } } }'
    const { login } = (await graph(LOGIN, { e: email, p: PASSWORD })).data
    const [asShop, asOwner] = [
      { authorization: `Basic ${btoa(`${shop.login}:${shop.authtoken}`)}` },
      { authorization: `Bearer ${login.token}` },
    ]
    const STEPS = [
      ['signInToAuthorize(request: $request, browser: $browser)', asShop],
      ['signInOwnerToAuthorize(request: $request, browser: $browser)', asOwner],
      ['answerAuthorizationRequest(request: $request, isGranted: true, browser: $browser)', {}],
      ['answerAuthorizationRequest(request: $request, isGranted: false, browser: $browser)', {}],
      ['leaveAuthorizationRequest(request: $request, browser: $browser)', {}],
    ] as const
    const other = await opened()
    const READ =
      'query ($request: ID!, $browser: String) { asked: authorizationRequest(id: $request, browser: $browser) { appName } }'
    for (const browserOf of [
      undefined,
      null,
      '',
      request,
      `${secret.slice(0, -1)}~`,
      other.browser.cookieAt(other.address, '_atrium_browser'),
    ]) {
      const variables = { request, ...(browserOf !== undefined && { browser: browserOf }) }
      expect((await graph(READ, variables)).data).toEqual({ asked: null })
      for (const [field, credentials] of STEPS) {
        const STEP = `mutation ($request: ID!, $browser: String) { step: ${field} { __typename } }`
        expect((await graph(STEP, variables, credentials)).data, field).toEqual({ step: { __typename: 'NotFoundError' } })
      }
    }
    expect((await graph(READ, { request, browser: secret })).data).toEqual({ asked: { appName: 'Stock Keeper' } })

    // The cookies of the protocol hold the id itself: who knows it can write them.
    const forged = `_atrium_request=${request}; _atrium_resume=${request}`
    const session = browser.cookieAt(`${stack.url}/oauth/authorize/`, '_atrium_session')
    const [page, answer, resumed] = await Promise.all([
      fetch(address, { headers: { cookie: forged } }),
      fetch(address, {
        method: 'POST',
        body: new URLSearchParams({ do: 'allow' }),
        headers: { cookie: forged },
        redirect: 'manual',
      }),
      fetch(address.replace('/authorize/', '/oauth/authorize/'), {
        headers: { cookie: `${forged}; _atrium_session=${session}`, accept: 'application/json' },
      }),
    ])
    expect([page.status, answer.status, resumed.status]).toEqual([410, 410, 400])
    expect(await resumed.json()).toMatchObject({ error: 'invalid_request' })

    expect((await browser.press(address, { do: 'allow' })).address).toContain(callback)
  })

  test.each(['form_post', 'fragment', 'web_message', 'jwt', 'constructor'])(
    'errors travel in the query of a redirection, never in a page of the protocol: response_mode=%s',
    async (mode) => {
      const { link } = await begin()
      for (const wrong of ['&prompt=none', '&scope=nothing', '&response_type=token', '']) {
        const answer = await fetch(`${link}${wrong}&response_mode=${mode}`, {
          redirect: 'manual',
          headers: { accept: 'text/html' },
        })
        expect(answer.status).toBe(303)
        expect(answer.headers.get('content-security-policy')).toBe(
          "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        )
        expect(await answer.text()).not.toContain('<script')
        expect(answer.headers.get('location')).toMatch(/[?]error=/)
      }
    },
  )

  test.each([
    ['https://app.example', true],
    ['https://app.example:8443', true],
    ['http://127.0.0.1:1', true],
    ['http://[::1]:8080', true],
    ['com.example.app:', true],
    ['https://a;script-src', false],
    ['https://a;sandbox', false],
    ["https://a'unsafe-inline'", false],
    ['https://*', false],
    ['https://*.example', false],
    ['https://a,b', false],
    ['https://a b', false],
    ['https://a.example/path', false],
    ['https:', false],
    ['$&', false],
  ])('a policy lets forms lead to %s: %s', (destination, isSource) => {
    const policy = leadingTo(destination)
    expect(policy.includes(`form-action 'self' ${destination};`)).toBe(isSource)
    if (!isSource) expect(policy).toBe(leadingTo(null))
  })

  test.each([
    ['https://app.example/back', true],
    ['https://xn--bcher-kva.example/', true],
    ['https://[2001:db8::1]/', true],
    ['https://a;script-src/', false],
    ['https://*.example/', false],
    ["https://a'b.example/", false],
    ['https://a,b.example/', false],
    ['https://a_b.example/', false],
  ])('an app may get its answers at %s: %s', (uri, may) => {
    expect(isRedirectUri(uri)).toBe(may)
  })

  test('an answer counts once', async () => {
    const { browser, address } = await opened()
    expect((await browser.press(address, { do: 'allow' })).address).toContain(callback)
    expect((await browser.press(address, { do: 'allow' })).status).toBe(410)
  })

  test('only a signed-in shop can be authorized', async () => {
    const browser = shopBrowser(stack.url)
    const { address } = await browser.open((await begin()).link)
    const consents = () => stack.sql('SELECT count(*) FROM app_authorization')
    const before = await consents()
    expect((await browser.press(address, { do: 'allow' })).status).toBe(410)
    expect(await consents()).toEqual(before)
  })

  const SIGN_IN = `mutation ($request: ID!, $browser: String) { step: signInOwnerToAuthorize(request: $request, browser: $browser) { __typename } }`
  const opening = async () => {
    const browser = shopBrowser(stack.url)
    const { address } = await browser.open((await begin()).link)
    return { browser, address, request: address.slice(address.lastIndexOf('/') + 1) }
  }
  const owner = (email: string, password = PASSWORD) => ({ do: 'sign-in-owner', email, password })
  const problemIn = ({ page }: { readonly page: string }) => /<p role="alert"[^>]*>([^<]*)</.exec(page)?.[1]

  test('a user without a shop is told so, and gets none by naming one', async () => {
    const { browser, address } = await opening()
    const nobody = await browser.press(address, owner(await anOwner()))
    expect([nobody.status, problemIn(nobody)]).toEqual([422, expect.stringMatching(/^This account owns no shop here/)])

    const email = await anOwner(await stack.aStore({ name: 'Mine' }), await stack.aStore({ name: 'Mine too' }))
    const strange = Buffer.from(`Store:${shop.storeId}`).toString('base64url')
    for (const store of [strange, String(shop.storeId), '0', HOSTILE, '\0']) {
      const choice = await browser.press(address, owner(email))
      const [, sealed = ''] = /name="owner" value="([^"]+)"/.exec(choice.page) ?? []
      const refused = await browser.press(address, { do: 'choose', owner: sealed, store })
      expect([store, problemIn(refused)]).toEqual([store, expect.stringMatching(/^This account owns no shop here/)])
      // The session that the choice took has ended with it.
      const again = await browser.press(address, { do: 'choose', owner: sealed, store })
      expect([store, problemIn(again)]).toEqual([store, 'The sign-in has expired. Sign in again.'])
    }
  })

  test('a choice is valid for its own request and user', async () => {
    const email = await anOwner(await stack.aStore(), await stack.aStore())
    const { browser, address } = await opening()
    const { page } = await browser.press(address, owner(email))
    const [, sealed = '', , store = ''] = /name="owner" value="([^"]+)"[\s\S]*?(name="store" value="([^"]+)")/.exec(page) ?? []
    const other = await opening()
    for (const form of [{ owner: sealed }, { owner: '' }, { owner: `${sealed.slice(0, -2)}AA` }]) {
      const refused = await other.browser.press(other.address, { do: 'choose', store, ...form })
      expect([refused.status, problemIn(refused)]).toEqual([422, 'The sign-in has expired. Sign in again.'])
    }
    expect((await browser.press(address, { do: 'choose', store, owner: sealed })).page).toContain(
      'Allow Stock Keeper to access your shop?',
    )
  })

  test('an app of one shop is refused to owners of other shops, and skips the choice for an owner of that shop', async () => {
    const [own, another] = [await stack.aStore({ name: 'Has an app' }), await stack.aStore()]
    const CREATE = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { ... on CreateAppSuccess { app { code } } } }'
    const { data } = await stack.ask(own, CREATE, {
      input: { name: 'Own app', redirectUris: [callback], scopes: ['read_products'], isPublic: true },
    })
    const query = new URLSearchParams({
      client_id: data.createApp.app.code,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'read_products',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const browser = shopBrowser(stack.url)
    const { address } = await browser.open(`${stack.url}/oauth/authorize?${query}`)
    expect(problemIn(await browser.press(address, owner(await anOwner(another))))).toMatch(/belongs to another store/)
    expect((await browser.press(address, owner(await anOwner(own, another)))).page).toContain('<strong>Has an app</strong>')
  })

  test('only a token of a password that was just given opens the second endpoint', async () => {
    const email = await anOwner(await stack.aStore())
    const { browser, address, request } = await opening()
    const key = { request, browser: browser.cookieAt(address, '_atrium_browser') }
    const LOGIN =
      'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { ... on LoginSuccess { token refreshToken } } }'
    const REFRESH =
      'mutation ($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ... on LoginSuccess { token } } }'
    const { login } = (await graph(LOGIN, { email, password: PASSWORD })).data
    const { refreshSession } = (await graph(REFRESH, { refreshToken: login.refreshToken })).data
    const codeWith = async (headers: Record<string, string>) => (await graph(SIGN_IN, key, headers)).errors?.[0].extensions.code
    const forged = `${login.token.slice(0, -6)}AAAAAA`
    expect(await codeWith({})).toBe('UNAUTHENTICATED')
    expect(await codeWith({ authorization: `Bearer ${refreshSession.token}` })).toBe('UNAUTHENTICATED')
    expect(await codeWith({ authorization: `Bearer ${forged}` })).toBe('UNAUTHENTICATED')
    expect(await codeWith({ 'x-login-key': shop.login, 'x-auth-token': shop.authtoken })).toBe('UNAUTHENTICATED')
    const { data } = await graph(SIGN_IN, key, { authorization: `Bearer ${login.token}` })
    expect(data.step.__typename).toBe('AuthorizationStep')
  })

  test('repeated authtokens are rate-limited', async () => {
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
