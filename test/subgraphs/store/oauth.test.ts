import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { isFresh } from '../../../subgraphs/store/authorization-request/authorization-request.ts'
import { type OauthStack, startOauth } from './support/oauth.ts'
import { shopBrowser } from './support/shop-browser.ts'
import type { TestStore } from './support/store.ts'

const CALLBACK = 'https://app.example/callback'

let stack: OauthStack
let shop: TestStore
beforeAll(async () => {
  stack = await startOauth()
  shop = await stack.aStore({ name: 'Corner shop' })
})
afterAll(() => stack.close())

type App = Awaited<ReturnType<OauthStack['anApp']>>

/**
 * The app's own side: a library that thousands of apps use, told nothing but the address of the
 * server.
 */
const clientOf = ({ clientId, clientSecret }: App) =>
  oauth.discovery(
    new URL(stack.url),
    clientId,
    undefined,
    clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret),
    { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
  )

const SCOPE = 'read_products write_products'

/** What an app gets from a shop that agrees. */
async function tokensOf(app: App, { of = shop, scope = SCOPE }: { of?: TestStore; scope?: string } = {}) {
  const client = await clientOf(app)
  const verifier = oauth.randomPKCECodeVerifier()
  const state = oauth.randomState()
  const link = oauth.buildAuthorizationUrl(client, {
    redirect_uri: CALLBACK,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const answered = await shopBrowser(stack.url).agree(link.href, of)
  return oauth.authorizationCodeGrant(client, new URL(answered), { pkceCodeVerifier: verifier, expectedState: state })
}

/** A code, without the library: for what it would never send. */
async function codeOf(app: App, extra: Record<string, string> = {}, of = shop): Promise<string> {
  const link = linkOf(app, extra)
  const answered = await shopBrowser(stack.url).agree(link, of)
  return new URL(answered).searchParams.get('code') ?? answered
}

const linkOf = ({ clientId }: App, extra: Record<string, string> = {}) =>
  `${stack.url}/oauth/authorize?${new URLSearchParams({ client_id: clientId, redirect_uri: CALLBACK, response_type: 'code', scope: SCOPE, ...extra })}`

const credentialsOf = ({ clientId, clientSecret }: App): Record<string, string> => ({
  client_id: clientId,
  ...(clientSecret !== null && { client_secret: clientSecret }),
})

async function post(
  path: string,
  fields: Record<string, string>,
  body: URLSearchParams | FormData | string = new URLSearchParams(fields),
) {
  const answer = await fetch(`${stack.url}${path}`, { method: 'POST', body })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, json: text === '' ? null : JSON.parse(text) }
}

const exchange = (app: App, code: string, extra: Record<string, string> = {}) =>
  post('/oauth/token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...credentialsOf(app), ...extra })

const renew = (app: App, refresh_token: string) =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...credentialsOf(app) })

const rest = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${stack.url}/v1${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } })

test('an authorized app reads and writes within its scopes, and its token info names them', async () => {
  const app = await stack.anApp()
  const tokens = await tokensOf(app)
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: SCOPE })
  expect(Math.abs(Number(tokens.created_at) - Date.now() / 1000)).toBeLessThan(60)
  expect(tokens.access_token).toMatch(/^sat_[\w-]{43}$/)

  expect((await rest('/products.json', tokens.access_token)).status).toBe(200)
  const created = await rest('/products.json', tokens.access_token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ product: { name: 'Tea', price: 3.5 } }),
  })
  expect([created.status, ((await created.json()) as { product: { name: string } }).product.name]).toEqual([200, 'Tea'])

  const info = await fetch(`${stack.url}/oauth/token/info`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  expect([info.status, await info.json()]).toEqual([
    200,
    {
      resource_owner_id: shop.storeId,
      scope: ['read_products', 'write_products'],
      expires_in: expect.any(Number),
      application: { uid: app.clientId },
      created_at: expect.any(Number),
    },
  ])
})

test('a missing scope is 403 and FORBIDDEN, and named', async () => {
  const { access_token } = await tokensOf(await stack.anApp(), { scope: 'read_products' })
  const written = await rest('/products.json', access_token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ product: { name: 'Tea', price: 1 } }),
  })
  expect([written.status, await written.json()]).toEqual([
    403,
    { message: 'Expected credentials with the scope "write_products".' },
  ])
  expect(written.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="write_products"')

  const answer = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
    body: JSON.stringify({ query: 'mutation { createProduct(input: { name: "Tea", price: "1" }) { __typename } }' }),
  })
  expect(((await answer.json()) as { errors: unknown[] }).errors[0]).toMatchObject({
    message: 'Expected credentials with the scope "write_products".',
    extensions: { code: 'FORBIDDEN' },
  })
})

test('a code works once: a second use revokes all of its tokens', async () => {
  const app = await stack.anApp()
  const code = await codeOf(app)
  const first = await exchange(app, code)
  expect(first.status).toBe(200)
  expect((await exchange(app, code)).json).toMatchObject({ error: 'invalid_grant' })
  expect((await renew(app, first.json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' })
  await expect.poll(async () => (await rest('/products.json', first.json.access_token)).status).toBe(401)
})

test('of concurrent exchanges of a code at most one gets tokens, which are then revoked', async () => {
  const app = await stack.anApp()
  const code = await codeOf(app)
  const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(app, code)))
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
  for (const { json } of answers) if (json.refresh_token) expect((await renew(app, json.refresh_token)).status).toBe(400)
})

test('a code is good for ten minutes, an access token for an hour, a refresh token for 90 days of rest', async () => {
  const app = await stack.anApp()
  const { json } = await exchange(app, await codeOf(app))
  const lives = await stack.sql(
    'SELECT kind, extract(epoch FROM max(expires_at - created_at))::integer AS seconds FROM app_token GROUP BY kind ORDER BY kind',
  )
  expect(lives).toEqual([
    { kind: 'access', seconds: 3_600 },
    { kind: 'code', seconds: 600 },
    { kind: 'refresh', seconds: 90 * 86_400 },
  ])

  const late = await codeOf(app)
  await stack.sql(`UPDATE app_token SET expires_at = now() - interval '1 second' WHERE hash = $1`, [hashOf(late)])
  expect((await exchange(app, late)).json).toMatchObject({ error: 'invalid_grant' })

  await stack.sql(`UPDATE app_token SET expires_at = now() - interval '1 second' WHERE hash = $1`, [hashOf(json.access_token)])
  const ended = await rest('/products.json', json.access_token)
  expect([ended.status, await ended.json()]).toEqual([401, { message: 'The access token is unknown, has ended or was revoked.' }])
  const info = await fetch(`${stack.url}/oauth/token/info?access_token=${json.access_token}`)
  expect([info.status, info.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])

  await stack.sql(`UPDATE app_token SET expires_at = now() - interval '1 second' WHERE hash = $1`, [hashOf(json.refresh_token)])
  expect((await renew(app, json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' })
})

test('a refresh token gives a new pair and works once: used again, its whole family ends', async () => {
  const app = await stack.anApp()
  const first = await tokensOf(app)
  const client = await clientOf(app)
  const second = await oauth.refreshTokenGrant(client, first.refresh_token ?? '')
  expect(second).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: SCOPE, created_at: expect.any(Number) })
  expect([second.access_token, second.refresh_token]).not.toEqual([first.access_token, first.refresh_token])
  const third = await oauth.refreshTokenGrant(client, second.refresh_token ?? '')
  expect((await rest('/products.json', third.access_token)).status).toBe(200)

  expect((await renew(app, first.refresh_token ?? '')).json).toMatchObject({ error: 'invalid_grant' })
  expect((await renew(app, third.refresh_token ?? '')).json).toMatchObject({ error: 'invalid_grant' })
  for (const { access_token } of [first, second, third]) {
    await expect.poll(async () => (await rest('/products.json', access_token)).status).toBe(401)
  }
})

test('a refresh token used twice at the same time leaves no valid token', async () => {
  const app = await stack.anApp()
  const { refresh_token = '' } = await tokensOf(app)
  const answers = await Promise.all(Array.from({ length: 6 }, () => renew(app, refresh_token)))
  expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
  for (const { json } of answers) {
    if (json.access_token) {
      const info = await fetch(`${stack.url}/oauth/token/info?access_token=${json.access_token}`)
      expect(info.status).toBe(401)
    }
  }
})

test('a refresh can ask for less, and never for more', async () => {
  const app = await stack.anApp()
  const { refresh_token = '' } = await tokensOf(app)
  const less = await post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token,
    scope: 'read_products',
    ...credentialsOf(app),
  })
  expect([less.status, less.json.scope]).toEqual([200, 'read_products'])
  const body = JSON.stringify({ product: { name: 'Tea', price: 1 } })
  expect((await rest('/products.json', less.json.access_token, { method: 'POST', body, headers: JSON_TYPE })).status).toBe(403)
  const more = await post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: less.json.refresh_token,
    scope: 'read_orders',
    ...credentialsOf(app),
  })
  expect(more.json).toMatchObject({ error: 'invalid_scope' })
})

test.each([
  ['no verifier for a code that has a challenge', {}, (verifier: string) => ({ challenge: challengeOf(verifier) })],
  ['another verifier', { code_verifier: 'x'.repeat(43) }, (verifier: string) => ({ challenge: challengeOf(verifier) })],
  ['a verifier for a code without challenge', { code_verifier: 'x'.repeat(43) }, () => ({ challenge: null })],
])('PKCE cannot be skipped: %s', async (_, extra, problem) => {
  const app = await stack.anApp()
  const { challenge } = problem('v'.repeat(43))
  const code = await codeOf(app, challenge === null ? {} : { code_challenge: challenge, code_challenge_method: 'S256' })
  expect((await exchange(app, code, extra)).json).toMatchObject({ error: 'invalid_grant' })
})

test('PKCE is S256 only, and never optional for an app without a secret', async () => {
  const browser = shopBrowser(stack.url)
  const plain = await browser.open(
    linkOf(await stack.anApp(), { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' }),
  )
  expect(parametersOf(plain.address)).toMatchObject({ error: 'invalid_request' })
  const open = await stack.anApp({ isPublic: true })
  expect(parametersOf((await browser.open(linkOf(open))).address)).toMatchObject({ error: 'invalid_request' })
})

test('an app without a secret gets tokens by PKCE alone, renews them once each, and cannot pretend to have a secret', async () => {
  const app = await stack.anApp({ isPublic: true })
  expect(app.clientSecret).toBeNull()
  const tokens = await tokensOf(app)
  const again = await oauth.refreshTokenGrant(await clientOf(app), tokens.refresh_token ?? '')
  expect((await rest('/products.json', again.access_token)).status).toBe(200)
  const lied = await post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: again.refresh_token ?? '',
    client_id: app.clientId,
    client_secret: 'anything',
  })
  expect([lied.status, lied.json.error]).toEqual([401, 'invalid_client'])
})

test('an app with a secret must send it, by form or by HTTP Basic, and the right one', async () => {
  const app = await stack.anApp()
  const code = await codeOf(app)
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: app.clientId }
  expect((await post('/oauth/token', form)).status).toBe(401)
  expect((await post('/oauth/token', { ...form, client_secret: 'x'.repeat(43) })).status).toBe(401)
  const [{ secret_hash: hash } = {}] = await stack.sql('SELECT secret_hash FROM app WHERE code = $1', [app.clientId])
  expect((await post('/oauth/token', { ...form, client_secret: (hash as Buffer).toString('base64url') })).status).toBe(401)
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
  const { client_id: _, ...without } = form
  const answer = await fetch(`${stack.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(without),
    headers: { authorization: `Basic ${basic}` },
  })
  expect(answer.status).toBe(200)
})

test('a code is of no use to another app, nor with another address', async () => {
  const [app, thief] = [await stack.anApp(), await stack.anApp({ name: 'Thief' })]
  const code = await codeOf(app)
  expect((await exchange(thief, code)).json).toMatchObject({ error: 'invalid_grant' })
  expect((await exchange(app, code, { redirect_uri: 'https://app.example/other' })).json).toMatchObject({
    error: 'invalid_grant',
  })
  expect((await exchange(app, code)).status).toBe(200)
})

test('programs for the published API send multipart forms', async () => {
  const app = await stack.anApp()
  const form = new FormData()
  for (const [name, value] of Object.entries({
    grant_type: 'authorization_code',
    code: await codeOf(app),
    redirect_uri: CALLBACK,
    ...credentialsOf(app),
  }))
    form.set(name, value)
  const { status, json } = await post('/oauth/token', {}, form)
  expect([status, Object.keys(json).sort()]).toEqual([
    200,
    ['access_token', 'created_at', 'expires_in', 'refresh_token', 'scope', 'token_type'],
  ])
})

test.each([
  ['another path', `${CALLBACK}/other`],
  ['one more slash', `${CALLBACK}/`],
  ['other letters', 'https://app.example/Callback'],
  ['a query', `${CALLBACK}?a=b`],
  ['a fragment', `${CALLBACK}#a`],
  ['a user', 'https://app.example@evil.example/callback'],
  ['another scheme', 'http://app.example/callback'],
  ['a longer host', 'https://app.example.evil.example/callback'],
  ['a backslash', 'https://evil.example\\@app.example/callback'],
  ['a script', 'javascript:alert(1)//app.example/callback'],
  ['a path up', 'https://app.example/x/../callback'],
  ['nothing', ''],
])('a browser is never sent where the app is not registered: %s', async (_, redirect_uri) => {
  const browser = shopBrowser(stack.url)
  const app = await stack.anApp()
  const problem = await browser.open(linkOf(app, { redirect_uri }))
  expect([problem.status, new URL(problem.address).pathname]).toEqual([400, '/authorize/problem'])
  expect(problem.page).toContain('You were not redirected')
  const response = await fetch(linkOf(app, { redirect_uri }), { redirect: 'manual', headers: { accept: 'application/json' } })
  expect([response.status, response.headers.get('location')]).toEqual([400, null])
  expect(browser.cookies.size).toBe(0)
})

test('an unknown app leads to a page that shows nothing of the link', async () => {
  const link = linkOf({ clientId: '<script>', clientSecret: null }, { state: '<b>' })
  const { status, page } = await shopBrowser(stack.url).open(link)
  expect(status).toBe(400)
  expect(page).toContain('has an unknown client_id')
  expect(page).not.toMatch(/<script>|<b>/)
})

test('an app may request its own existing scopes only, and gets all of them by naming none', async () => {
  const app = await stack.anApp({ scopes: ['read_products', 'read_orders'] })
  const browser = shopBrowser(stack.url)
  for (const scope of ['write_products', 'read_everything', 'openid', 'read_products openid']) {
    expect(parametersOf((await browser.open(linkOf(app, { scope, state: 's' }))).address)).toMatchObject({
      error: 'invalid_scope',
      state: 's',
    })
  }
  const { json } = await exchange(app, await codeOf(app, { scope: '' }))
  expect(json.scope.split(' ').sort()).toEqual(['read_orders', 'read_products'])
})

test('without an address to go to, the code is shown', async () => {
  const redirect_uri = 'urn:ietf:wg:oauth:2.0:oob'
  const app = await stack.anApp({ redirectUris: [redirect_uri] })
  const browser = shopBrowser(stack.url)
  const signIn = await browser.open(linkOf(app, { redirect_uri }))
  const consent = await browser.press(signIn.address, { login: shop.login, authtoken: shop.authtoken })
  const shown = await browser.press(consent.address, { do: 'allow' })
  const code = /<code id="code">([\w-]+)<\/code>/.exec(shown.page)?.[1] ?? ''
  expect((await exchange(app, code, { redirect_uri })).status).toBe(200)
})

test('a token of one shop opens that shop and no other', async () => {
  const other = await stack.aStore({ name: 'Other shop' })
  const app = await stack.anApp()
  const [ours, theirs] = [await tokensOf(app), await tokensOf(app, { of: other })]
  const created = await rest('/products.json', ours.access_token, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ product: { name: 'Only ours', price: 1 } }),
  })
  const { product } = (await created.json()) as { product: { id: number } }
  expect((await rest(`/products/${product.id}.json`, ours.access_token)).status).toBe(200)
  expect((await rest(`/products/${product.id}.json`, theirs.access_token)).status).toBe(404)
  const revoked = await post('/oauth/revoke', { token: theirs.refresh_token ?? '', ...credentialsOf(app) })
  expect(revoked.status).toBe(200)
  await expect.poll(async () => (await rest('/products.json', theirs.access_token)).status).toBe(401)
  expect((await rest('/products.json', ours.access_token)).status).toBe(200)
})

test('an app can give its tokens back, and only its own', async () => {
  const [app, other] = [await stack.anApp(), await stack.anApp({ name: 'Other' })]
  const tokens = await tokensOf(app)
  await post('/oauth/revoke', { token: tokens.access_token, ...credentialsOf(other) })
  expect((await rest('/products.json', tokens.access_token)).status).toBe(200)
  await oauth.tokenRevocation(await clientOf(app), tokens.access_token)
  await expect.poll(async () => (await rest('/products.json', tokens.access_token)).status).toBe(401)
  expect((await post('/oauth/revoke', { token: 'nothing', ...credentialsOf(app) })).status).toBe(200)
})

test('nothing that opens anything lies in the database or in the log', async () => {
  const app = await stack.anApp()
  const browser = shopBrowser(stack.url)
  const { address } = await browser.open(linkOf(app))
  const consent = await browser.press(address, { login: shop.login, authtoken: shop.authtoken })
  const request = consent.address.split('/').at(-1) ?? ''
  const session = browser.cookieAt(linkOf(app), '_atrium_session')
  const ofBrowser = browser.cookieAt(consent.address, '_atrium_browser')
  const code = parametersOf((await browser.press(consent.address, { do: 'allow' })).address).code ?? ''
  const { json } = await exchange(app, code)
  const secrets = [app.clientSecret, request, session, ofBrowser, code, json.access_token, json.refresh_token, shop.authtoken]
  expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 20)).toBe(true)

  const tables = await stack.sql(`SELECT relname AS name FROM pg_class WHERE relname LIKE 'app%' AND relkind = 'r'`)
  expect(tables.length).toBe(8)
  const rows = await Promise.all(
    tables.map(({ name }) => stack.sql(`SELECT t::text AS row, encode(t::text::bytea, 'escape') FROM ${name} t`)),
  )
  const text = JSON.stringify(rows) + JSON.stringify(stack.log.lines)
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(String(secret)).toString('hex'))
  }
})

test('the server publishes its metadata, with its endpoints and grant types', async () => {
  const json = async (path: string) => (await fetch(`${stack.url}${path}`)).json()
  expect(await json('/.well-known/oauth-authorization-server')).toEqual({
    issuer: stack.url,
    authorization_endpoint: `${stack.url}/oauth/authorize`,
    token_endpoint: `${stack.url}/oauth/token`,
    revocation_endpoint: `${stack.url}/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${stack.url}/reference/store`,
  })
  expect(await json('/.well-known/oauth-protected-resource/mcp/store')).toMatchObject({
    resource: `${stack.url}/mcp/store`,
    authorization_servers: [stack.url],
    bearer_methods_supported: ['header'],
  })
  expect((await fetch(`${stack.url}/.well-known/openid-configuration`)).status).toBe(404)
  expect((await fetch(`${stack.url}/jwks`)).status).toBe(404)
})

test('the issuer is the configured URL, not the Host header', async () => {
  const { hostname, port } = new URL(stack.url)
  const answer = await askRaw(hostname, Number(port), [
    'GET /.well-known/oauth-authorization-server HTTP/1.1',
    'host: evil.example',
    'x-forwarded-host: evil.example',
    'x-forwarded-proto: https',
    'connection: close',
  ])
  expect(answer).toContain(`"token_endpoint":"${stack.url}/oauth/token"`)
  expect(answer).not.toContain('evil')
})

test.each([
  ['no body', undefined, undefined],
  ['JSON', '{"grant_type":"authorization_code"}', 'application/json'],
  [
    'a multipart body that ends early',
    '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n',
    'multipart/form-data; boundary=x',
  ],
  ['a multipart body without boundary', 'x', 'multipart/form-data; charset=utf-8'],
  [
    'a file',
    '--x\r\ncontent-disposition: form-data; name="code"; filename="a"\r\n\r\nb\r\n--x--\r\n',
    'multipart/form-data; boundary=x',
  ],
  ['a long form', `code=${'x'.repeat(90_000)}`, 'application/x-www-form-urlencoded'],
  ['a long multipart form', `--x\r\n\r\n${'x'.repeat(90_000)}`, 'multipart/form-data; boundary=x'],
  [
    'everything twice',
    'grant_type=refresh_token&grant_type=authorization_code&client_id=a&client_id=b',
    'application/x-www-form-urlencoded',
  ],
  ['no character at all', 'client_id=%00&client_secret=%00&grant_type=%00', 'application/x-www-form-urlencoded'],
  ['names of objects', '__proto__=1&constructor=2&client_id[a]=b', 'application/x-www-form-urlencoded'],
])('what cannot be read is refused with a word of the protocol: %s', async (_, body, type) => {
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const answer = await fetch(`${stack.url}${path}`, {
      method: 'POST',
      ...(body !== undefined && { body }),
      headers: type === undefined ? {} : { 'content-type': type },
    })
    expect([path, answer.status < 500, answer.status >= 400]).toEqual([path, true, true])
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/) })
  }
})

test.each([
  ['a social token', 'Bearer a.b.c'],
  ['a key of the trust part', `Bearer sk_${'x'.repeat(43)}`],
  ['a refresh token', null],
  ['half a token', 'Bearer sat_x'],
  ['an unknown token', `Bearer sat_${'x'.repeat(43)}`],
])('only access tokens of this server open a shop: %s', async (_, given) => {
  const authorization = given ?? `Bearer ${(await tokensOf(await stack.anApp())).refresh_token}`
  const answer = await fetch(`${stack.url}/v1/products.json`, { headers: { authorization } })
  expect(answer.status).toBe(401)
})

const JSON_TYPE = { 'content-type': 'application/json' }
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')
const parametersOf = (address: string): Record<string, string> => Object.fromEntries(new URL(address).searchParams)

/** Bytes as they come, without what `fetch` adds and corrects. */
function askRaw(host: string, port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

test.each([
  [null, false],
  [9 * 60_000 + 59_999, true],
  [10 * 60_000, false],
])('a password that was given %s milliseconds ago counts: %s', (ago, counts) => {
  const now = new Date()
  expect(isFresh({ signedInAt: ago === null ? null : new Date(now.getTime() - ago) }, now)).toBe(counts)
})

test('the audit log of a store says who agreed to an app and that the app gave it back, without a secret', async () => {
  const [app, store] = [await stack.anApp(), await stack.aStore({ name: 'Audited shop' })]
  const entries = async () =>
    stack.sql(
      `SELECT actor, app_code, operation, request_id IS NOT NULL AS is_request, kind, fields FROM audit_entry
      WHERE store_id = $1 AND noun = 'APP_AUTHORIZATION' ORDER BY id`,
      [store.storeId],
    )
  const tokens = await tokensOf(app, { of: store })
  const granted = {
    ...{ actor: 'AUTHTOKEN', app_code: null, operation: 'answerAuthorizationRequest', is_request: true, kind: 'CREATED' },
    fields: { app_id: [expect.any(Number)], scopes: [null, SCOPE.split(' ')] },
  }
  expect(await entries()).toEqual([granted])
  await oauth.tokenRevocation(await clientOf(app), tokens.access_token)
  const ended = { ...granted, actor: 'APP', app_code: app.clientId, operation: '/oauth/revoke', kind: 'DELETED' }
  expect(await entries()).toMatchObject([granted, { ...ended, fields: { scopes: [SCOPE.split(' '), null] } }])

  // A code that is used twice ends what it gave.
  const code = await codeOf(app, {}, store)
  await exchange(app, code)
  await exchange(app, code)
  const all = await entries()
  expect(all.slice(2)).toMatchObject([granted, { ...ended, operation: '/oauth/token', fields: {} }])
  const secrets = [code, tokens.access_token, tokens.refresh_token ?? '', app.clientSecret ?? '', store.authtoken]
  expect(secrets.filter((secret) => secret !== '' && JSON.stringify(all).includes(secret))).toEqual([])
})
