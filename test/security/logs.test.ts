import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { secretCipher } from '../../platform/secrets/cipher.ts'
import { secretLocation } from '../../platform/secrets/stored.ts'
import { SIGNING_KEY } from '../../subgraphs/social/session/secrets.ts'
import { withApps } from '../../subgraphs/store/operator/apps.ts'
import { shopBrowser } from '../subgraphs/store/support/shop-browser.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { type Atrium, basic, OPERATIONS_TOKEN, startAtrium } from './support/atrium.ts'

let atrium: Atrium
/** Takes webhooks, and says that it cannot. */
let receiver: HttpServer
let isCalled = false
beforeAll(async () => {
  receiver = await startHttpServer({
    '*': (_, response) => {
      isCalled = true
      response.writeHead(500).end('no')
    },
  })
  // The most that a log can hold.
  atrium = await startAtrium({
    LOG_LEVEL: 'trace',
    WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
    CONSOLE_SECRET,
    CONSOLE_SECRET_PREVIOUS,
    SECRETS_KEY: KEYS.map((key) => key.toString('base64')).join(','),
  })
})
afterAll(async () => {
  await atrium?.stop()
  await receiver?.close()
})

const CONSOLE_SECRET = 'console-secret-of-this-test-0123456789'
const CONSOLE_SECRET_PREVIOUS = 'console-secret-before-9876543210-of-this-test'
const KEYS = [randomBytes(32), randomBytes(32)] as const
const CALLBACK = 'https://app.example/callback'

/** Every credential of a whole round through every door, by what it is. */
async function aRound(): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {
    OPERATIONS_TOKEN,
    CONSOLE_SECRET,
    CONSOLE_SECRET_PREVIOUS,
    secretsKey: KEYS[0].toString('base64'),
    olderSecretsKey: KEYS[1].toString('base64'),
    wrongPassword: 'a-wrong-password-of-the-round',
  }
  const { token, refreshToken, password } = await atrium.aUser('round')
  Object.assign(secrets, { token, refreshToken, password })
  const bearer = { authorization: `Bearer ${token}` }

  // Signing in: right, wrong, renewed, changed.
  await atrium.graph('mutation ($p: String!) { login(email: "round@example.org", password: $p) { __typename } }', {
    p: secrets.wrongPassword,
  })
  const renewed = await atrium.graph(
    'mutation ($t: String!) { refreshSession(refreshToken: $t) { ... on LoginSuccess { token refreshToken } } }',
    { t: refreshToken },
  )
  Object.assign(secrets, {
    renewedToken: renewed.data.refreshSession.token,
    renewedRefreshToken: renewed.data.refreshSession.refreshToken,
  })
  secrets.newPassword = 'another-long-password-of-the-round'
  await atrium.graph(
    'mutation ($i: ChangePasswordInput!) { changePassword(input: $i) { __typename } }',
    { i: { currentPassword: password, newPassword: secrets.newPassword } },
    { headers: { authorization: `Bearer ${secrets.renewedToken}` } },
  )
  secrets.literalPassword = 'a-password-written-in-the-document'
  await atrium.ask(`/graphql?query=${encodeURIComponent(`{ me { id } a: __typename }`)}`, {
    headers: { ...bearer, 'apollo-require-preflight': '1' },
  })
  await atrium.graph(`mutation { login(email: "x", password: "${secrets.literalPassword}") { nothing } }`)

  // A shop: set up by another, by every way to say who asks, and reset.
  const shop = await atrium.aStore('Round')
  secrets.authtoken = shop.authtoken
  const made = await atrium.graph(
    'mutation { createStore(input: { name: "Second", country: "PT" }) { ... on CreateStoreSuccess { login authtoken } } }',
    {},
    { headers: basic(shop) },
  )
  secrets.madeAuthtoken = made.data.createStore.authtoken
  const second = { login: made.data.createStore.login, authtoken: made.data.createStore.authtoken }
  for (const [path, headers] of [
    ['/v1/products.json', basic(shop)],
    ['/v1/products.json', { 'x-login-key': shop.login, 'x-auth-token': shop.authtoken }],
    [`/v1/products.json?login=${shop.login}&authtoken=${shop.authtoken}`, {}],
    [`/v1/products.json?limit=x&login=${shop.login}&authtoken=${shop.authtoken}`, {}],
    [`/v1/nothing.json?login=${shop.login}&authtoken=${shop.authtoken}`, {}],
    [`/nothing?authtoken=${shop.authtoken}`, {}],
  ] as const)
    await atrium.ask(path, { headers })
  secrets.basic = basic(shop).authorization.slice('Basic '.length)
  await atrium.graph(
    'mutation { claimStore { __typename } }',
    {},
    { headers: { ...bearer, 'x-login-key': shop.login, 'x-auth-token': shop.authtoken } },
  )
  const reset = await atrium.graph(
    'mutation { resetAuthtoken { ... on ResetAuthtokenSuccess { authtoken } } }',
    {},
    { headers: basic(second) },
  )
  secrets.resetAuthtoken = reset.data.resetAuthtoken.authtoken

  // A customer of the shop, and a webhook that fails, at an address that holds a secret.
  secrets.customerPassword = 'the-password-of-a-customer'
  await atrium.ask('/v1/customers.json', {
    headers: basic(shop),
    body: { customer: { email: 'customer@example.org', password: secrets.customerPassword } },
  })
  secrets.webhookKey = 'key-in-the-address-of-a-webhook'
  await atrium.ask('/v1/hooks.json', {
    headers: basic(shop),
    body: { hook: { event: 'product_created', url: `${receiver.url}/?key=${secrets.webhookKey}` } },
  })
  await atrium.ask('/v1/products.json', { headers: basic(shop), body: { product: { name: 'Thing', price: 1 } } })
  const hooksToken = async () =>
    (await atrium.graph('{ store { hooksToken } }', {}, { headers: basic(shop) })).data?.store.hooksToken
  secrets.previousHooksToken = await hooksToken()
  await atrium.graph('mutation { rotateHooksToken(input: {}) { __typename } }', {}, { headers: basic(shop) })
  secrets.hooksToken = await hooksToken()
  Object.assign(secrets, { paymentKey: 'key-of-a-payment-method', paymentSecret: 'secret-of-a-payment-method' })
  secrets.shippingToken = 'token-of-a-shipping-method'
  await atrium.graph(
    `mutation ($key: String!, $secret: String!, $token: String!, $url: String!) {
      createPaymentMethod(input: { name: "Gate", paymentMethodUrl: "https://pay.example/", key: $key, secret: $secret }) { __typename }
      createShippingMethod(input: { type: EXTERNAL, name: "Van", callbackUrl: $url, fetchServicesUrl: $url, token: $token }) { __typename } }`,
    { key: secrets.paymentKey, secret: secrets.paymentSecret, token: secrets.shippingToken, url: 'https://ship.example/' },
    { headers: basic(shop) },
  )
  const [row] = await atrium.sql('SELECT hooks_token FROM store.store WHERE code = $1', [shop.code])
  secrets.encryptedHooksToken = row?.hooks_token
  // One that cannot be decrypted is a fault, which is worth a line of the log.
  const moved = await atrium.aStore('Moved')
  await atrium.sql('UPDATE store.store SET hooks_token = $1 WHERE code = $2', [secrets.encryptedHooksToken, moved.code])
  await atrium.graph('{ store { hooksToken } }', {}, { headers: basic(moved) })
  expect(atrium.log()).toContain('belongs to another row')
  while (!isCalled) await new Promise((resolve) => setTimeout(resolve, 50))

  // An app that the shop agrees to.
  const app = await withApps(atrium.connection, (apps) =>
    apps.create({ name: 'Round', redirectUris: [CALLBACK], scopes: ['read_products'], isPublic: false }),
  )
  secrets.clientSecret = app.clientSecret ?? ''
  const browser = shopBrowser(atrium.base)
  const { address } = await browser.open(
    `${atrium.base}/oauth/authorize?${new URLSearchParams({ client_id: app.clientId, redirect_uri: CALLBACK, response_type: 'code', scope: 'read_products' })}`,
  )
  secrets.signInRequest = address.split('/').at(-1) ?? ''
  const consent = await browser.press(address, { login: shop.login, authtoken: shop.authtoken, do: 'sign-in' })
  secrets.consentRequest = consent.address.split('/').at(-1) ?? ''
  for (const { name, value, path } of browser.cookies.values()) secrets[`cookie ${name} of ${path}`] = value
  const answered = new URL((await browser.press(consent.address, { do: 'allow' })).address)
  secrets.code = answered.searchParams.get('code') ?? ''
  const form = (fields: Record<string, string>) =>
    atrium.ask('/oauth/token', {
      method: 'POST',
      body: String(new URLSearchParams({ client_id: app.clientId, client_secret: secrets.clientSecret ?? '', ...fields })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const tokens = (await form({ grant_type: 'authorization_code', code: secrets.code, redirect_uri: CALLBACK })).json
  Object.assign(secrets, { accessToken: tokens.access_token, appRefreshToken: tokens.refresh_token })
  await atrium.ask('/oauth/token/info', { headers: { authorization: `Bearer ${tokens.access_token}` } })
  await atrium.ask(`/oauth/token/info?access_token=${tokens.access_token}`)
  await atrium.ask('/v1/products.json', { headers: { authorization: `Bearer ${tokens.access_token}` } })
  const next = (await form({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).json
  Object.assign(secrets, { nextAccessToken: next.access_token, nextAppRefreshToken: next.refresh_token })
  // The second use ends the family, which is worth a line of the log.
  await form({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
  await form({ grant_type: 'authorization_code', code: secrets.code, redirect_uri: CALLBACK })

  // Trust, tools, the console, the operations page.
  secrets.key = await atrium.aKey()
  await atrium.ask('/v1/decide', { headers: { 'x-api-key': secrets.key }, body: { domain: 'example.com' } })
  await atrium.ask('/v1/usage', { headers: { authorization: `Bearer ${secrets.key}` } })
  await atrium.ask(`/v1/usage?api_key=${secrets.key}`)
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_products', arguments: {} } }
  const accept = 'application/json, text/event-stream'
  await atrium.ask('/mcp/store', {
    headers: { accept, 'x-login-key': shop.login, 'x-auth-token': shop.authtoken },
    body: message,
  })
  await atrium.ask('/mcp/trust', { headers: { accept, 'x-api-key': secrets.key }, body: message })
  await atrium.ask('/mcp/store', { headers: { accept, authorization: `Bearer ${secrets.nextAccessToken}` }, body: '{' })
  const console = shopBrowser(atrium.base)
  const { page } = await console.open(`${atrium.base}/console`)
  secrets.formToken = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await console.press(`${atrium.base}/console/sign-in`, {
    token: secrets.formToken,
    login: shop.login,
    authtoken: shop.authtoken,
  })
  for (const [name, { value }] of console.cookies) secrets[`cookie ${name}`] = value
  await atrium.ask('/operations', { headers: { authorization: `Basic ${btoa(`a:${OPERATIONS_TOKEN}`)}` } })
  const [key] = await atrium.sql('SELECT kid, private_key FROM social.signing_key')
  secrets.signingKey = JSON.parse(secretCipher(KEYS).decrypt(secretLocation(SIGNING_KEY, key?.kid), key?.private_key)).d
  return secrets
}

test('no credential that was used at any endpoint is in the log, in any form', { timeout: 120_000 }, async () => {
  const secrets = await aRound()
  // Whatever is missing here was not tested.
  expect(Object.entries(secrets).filter(([, secret]) => typeof secret !== 'string' || secret.length < 12)).toEqual([])
  expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(30)
  const log = atrium.log()
  expect(log.split('\n').length).toBeGreaterThan(40)
  const forms = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -2),
    Buffer.from(secret).toString('hex'),
  ]
  const found = Object.entries(secrets).filter(([, secret]) => forms(secret).some((form) => log.includes(form)))
  expect(found.map(([name, secret]) => [name, log.split('\n').find((line) => line.includes(secret))])).toEqual([])
})

describe('what a client writes', () => {
  const INJECTED = 'x\r\n{"level":60,"msg":"forged"}\u001b[2J\u2028'

  test('cannot inject lines or cursor movements into the log', async () => {
    const before = atrium.log().length
    const encoded = encodeURIComponent(INJECTED)
    await atrium.ask(`/${encoded}`)
    await atrium.ask(`/api/skills/${encoded}?q=${encoded}`)
    await atrium.ask(`/v1/orders/${encoded}.json`)
    await atrium.ask(`/authorize/${encoded}`)
    for (const name of ['x-request-id', 'user-agent', 'referer', 'x-forwarded-for', 'traceparent', 'x-login-key'])
      await atrium.raw(`GET /health HTTP/1.1\r\nhost: x\r\n${name}: a\tb\x1b[31mred\x9b2J\r\nconnection: close\r\n\r\n`)
    await atrium.graph(`query Forged { nothing(a: ${JSON.stringify(INJECTED)}) }`)
    await atrium.ask('/graphql', { body: { query: '{ __typename }', operationName: INJECTED } })
    await atrium.graph(
      'mutation ($n: String!) { createUser(input: { email: "injected@example.org", name: $n, password: "a long password" }) { user { id } } }',
      { n: INJECTED },
    )
    await atrium.raw(`GET /\u001b[2Jraw HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    const logged = atrium.log().slice(before)
    // The rule is that nothing but line feeds controls anything.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(logged).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u0085\u009b]/)
    const lines = logged.split('\n').filter((line) => line !== '')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
    expect(lines.filter((line) => JSON.parse(line).msg === 'forged')).toEqual([])
  })
})
