import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { encryptInBackground, STORED_SECRETS } from '../../composition/stored-secrets.ts'
import { keyIdOf, secretCipher } from '../../platform/secrets/cipher.ts'
import { startHttpServer } from '../support/http-server.ts'
import { type Copy, type Installation, installation } from './support/installation.ts'

// Each starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const [one, two] = [randomBytes(32), randomBytes(32)]
const [ONE, TWO] = [one.toString('base64'), two.toString('base64')]
const [A, B] = [keyIdOf(one), keyIdOf(two)]

let site: Installation
beforeEach(async () => {
  site = await installation()
})
afterEach(() => site.end())

type Shop = { readonly code: string; readonly login: string; readonly authtoken: string }
const as = ({ login, authtoken }: Shop) => ({ 'x-login-key': login, 'x-auth-token': authtoken })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function aShop(env: NodeJS.ProcessEnv = {}, name = 'A shop'): Promise<Shop> {
  const { out, err, code } = await site.command(['store', 'create', '--name', name, '--empty', '--json'], env)
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}
const hooksTokenOf = async (copy: Copy, shop: Shop): Promise<string> =>
  (await copy.graph('{ store { hooksToken } }', {}, as(shop))).data.store.hooksToken

const SIGN_UP = `mutation ($email: String!) {
  createUser(input: { email: $email, name: "Ann", password: "correct horse" }) { user { id } }
  login(email: $email, password: "correct horse") { ... on LoginSuccess { token refreshToken } } }`
const aUser = async (copy: Copy, email = 'ann@example.org') =>
  (await copy.graph(SIGN_UP, { email })).data.login as { readonly token: string; readonly refreshToken: string }
const signIn = async (copy: Copy, email = 'ann@example.org'): Promise<string> =>
  (
    await copy.graph(
      `mutation ($email: String!) { login(email: $email, password: "correct horse") { ... on LoginSuccess { token } } }`,
      { email },
    )
  ).data.login.token
const me = async (copy: Copy, token: string): Promise<string | null> =>
  (await copy.graph('{ me { name } }', {}, bearer(token))).data?.me?.name ?? null
const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
const published = async (copy: Copy): Promise<string[]> => {
  const { keys } = (await (await fetch(`${copy.base}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid).sort()
}

/** A payment method and a shipping method whose secrets the shop gives. */
const METHODS = `mutation ($secret: String!) {
  createPaymentMethod(input: { name: "Gate", paymentMethodUrl: "https://pay.example/", key: $secret, secret: $secret }) { __typename }
  createShippingMethod(input: { type: EXTERNAL, name: "Van", callbackUrl: "https://ship.example/", token: $secret }) { __typename } }`

/** Everything that is stored and must be readable again, as text. */
const stored = async (): Promise<string[]> => {
  const rows = await site.sql(`
    SELECT private_key::text AS value FROM social.signing_key
    UNION ALL SELECT hooks_token FROM store.store
    UNION ALL SELECT previous_hooks_token FROM store.store WHERE previous_hooks_token IS NOT NULL
    UNION ALL SELECT token FROM store.shipping_method WHERE token IS NOT NULL
    UNION ALL SELECT unnest(ARRAY[key, secret]) FROM store.payment_method WHERE key IS NOT NULL`)
  return rows.map(({ value }) => value)
}
const storedUnder = async (keyId: string): Promise<number> =>
  (await stored()).filter((value) => new RegExp(`^"?v1:${keyId}:`).test(value)).length

const statusOf = async (env: NodeJS.ProcessEnv) => {
  const { out, code } = await site.command(['secrets', 'status', '--json'], env)
  return { ...JSON.parse(out), code }
}

test.each([
  ['HOST', { HOST: '0.0.0.0' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://atrium.example' }],
  ['HOST as the store', { HOST: '0.0.0.0', ATRIUM_ROLE: 'store', LINK_SECRET: 'x'.repeat(32) }],
])('a server that is reachable by %s does not start without a key', async (_, env) => {
  const { err, code } = await site.command(['start'], env)
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^Expected SECRETS_KEY or SECRETS_KEY_FILE to be set, because HOST or PUBLIC_URL/),
  ])
})

test('development starts without a key, and says so', async () => {
  const copy = await site.start()
  expect(copy.said()).toContain('secrets are stored unencrypted, which is for development only')
  expect(copy.said()).toContain('Secrets     stored unencrypted')
})

test('no recoverable secret is stored unencrypted, whatever wrote it', async () => {
  await site.end()
  site = await installation({ hasStore: false })
  const copy = await site.start({ SECRETS_KEY: ONE, HOST: '0.0.0.0' })
  expect(copy.said()).not.toContain('unencrypted')
  const shop = await aShop({ SECRETS_KEY: ONE })
  await aUser(copy)
  const secret = 'a-secret-of-a-merchant'
  expect(JSON.stringify(await copy.graph(METHODS, { secret }, as(shop)))).toMatch(/PaymentMethodSuccess.*ShippingMethodSuccess/)
  const before = await hooksTokenOf(copy, shop)
  await copy.graph('mutation { rotateHooksToken(input: { overlapHours: 1 }) { __typename } }', {}, as(shop))
  // By the API of another store, which is paid for, and as the first start does it.
  await site.sql("UPDATE store.store SET paid_since = now() - interval '2 days'")
  await copy.graph('mutation { createStore(input: { name: "Branch" }) { __typename } }', {}, as(shop))
  await expect.poll(() => site.sql("SELECT 1 FROM store.store WHERE code = 'demo'"), { timeout: 30_000 }).not.toEqual([])

  const values = await stored()
  expect(values.filter((value) => !/^"?v1:/.test(value))).toEqual([])
  expect(await storedUnder(A)).toBe(values.length)
  expect(values.length).toBeGreaterThanOrEqual(8)
  const database = JSON.stringify(
    await site.sql('SELECT to_jsonb(s) AS row FROM store.store s UNION ALL SELECT to_jsonb(p) FROM store.payment_method p'),
  )
  for (const plain of [secret, before, await hooksTokenOf(copy, shop)]) expect(database).not.toContain(plain)
})

test('an encrypted token signs webhooks, as does the previous one, and no ciphertext can replace another', async () => {
  const got: { body: string; headers: Record<string, unknown> }[] = []
  const receiver = await startHttpServer({
    '/hook': async (request, response) => {
      got.push({ body: Buffer.concat(await request.toArray()).toString(), headers: request.headers })
      response.end()
    },
  })
  try {
    const copy = await site.start({ SECRETS_KEY: ONE })
    const [shop, other] = [await aShop({ SECRETS_KEY: ONE }), await aShop({ SECRETS_KEY: ONE }, 'Another')]
    const before = await hooksTokenOf(copy, shop)
    const { out } = await site.command(['secrets', 'rotate', 'hooks-token', '--store', shop.code, '--json'], { SECRETS_KEY: ONE })
    expect(Date.parse(JSON.parse(out).previousUntil)).toBeGreaterThan(Date.now() + 23 * 3_600_000)
    const after = await hooksTokenOf(copy, shop)
    expect(after).not.toBe(before)

    await copy.graph(
      `mutation ($url: String!) { createWebhookSubscription(input: { event: PRODUCT_CREATED, url: $url }) { __typename } }`,
      { url: `${receiver.url}/hook` },
      as(shop),
    )
    await copy.graph('mutation { createProduct(input: { name: "Cup", price: "1" }) { __typename } }', {}, as(shop))
    await expect.poll(() => got.length, { timeout: 20_000 }).toBe(1)
    const [{ body = '', headers = {} } = {}] = got
    const by = (token: string): string => createHmac('sha256', token).update(body).digest('base64')
    expect(headers['jumpseller-hmac-sha256']).toBe(by(after))
    expect(headers['atrium-previous-hmac-sha256']).toBe(by(before))

    // Who can write to the database, but has no key, cannot give one shop the token of another.
    await site.sql('UPDATE store.store SET hooks_token = (SELECT hooks_token FROM store.store WHERE code = $1) WHERE code = $2', [
      other.code,
      shop.code,
    ])
    const { data, errors } = await copy.graph('{ store { hooksToken } }', {}, as(shop))
    expect([data?.store?.hooksToken ?? null, errors[0].extensions.code]).toEqual([null, 'INTERNAL_SERVER_ERROR'])
  } finally {
    await receiver.close()
  }
})

test('secrets stored before SECRETS_KEY was set are readable, and encrypted by the command and by the next starts', async () => {
  const plain = await site.start()
  const shop = await aShop()
  const { token } = await aUser(plain)
  await plain.graph(METHODS, { secret: 'a-secret-of-a-merchant' }, as(shop))
  const hooksToken = await hooksTokenOf(plain, shop)
  const kids = await published(plain)
  await plain.kill()

  const copy = await site.start({ SECRETS_KEY: ONE })
  expect(await me(copy, token)).toBe('Ann')
  expect(await hooksTokenOf(copy, shop)).toBe(hooksToken)
  const total = (await stored()).length
  expect(await storedUnder(A)).toBe(0)

  const { out, code } = await site.command(['secrets', 'reencrypt', '--json'], { SECRETS_KEY: ONE })
  expect([code, JSON.parse(out)]).toEqual([0, { changed: total, unreadable: 0 }])
  expect(await storedUnder(A)).toBe(total)
  expect(await me(copy, token)).toBe('Ann')
  expect(await me(copy, await signIn(copy))).toBe('Ann')
  expect(await hooksTokenOf(copy, shop)).toBe(hooksToken)
  expect(await published(copy)).toEqual(kids)

  // The same without the command, where no release before this one can be running.
  await site.sql('UPDATE store.store SET hooks_token = $1 WHERE code = $2', [hooksToken, shop.code])
  const stop = encryptInBackground(site.database.connection, STORED_SECRETS, {
    cipher: secretCipher([one]),
    isAlone: true,
    log: pino({ level: 'silent' }),
  })
  await expect.poll(() => storedUnder(A)).toBe(total)
  await stop()
  expect(await hooksTokenOf(copy, shop)).toBe(hooksToken)
})

test('the key is rotated while the servers run; without the previous key none starts or writes until all is re-encrypted', async () => {
  const copy = await site.start({ SECRETS_KEY: ONE })
  const shop = await aShop({ SECRETS_KEY: ONE })
  const { token } = await aUser(copy)
  const hooksToken = await hooksTokenOf(copy, shop)
  const total = (await stored()).length

  for (const env of [{ SECRETS_KEY: TWO }, {}]) {
    for (const words of [['start'], ['store', 'create', '--name', 'Wrong', '--empty'], ['secrets', 'emergency', '--yes']]) {
      const { err, code } = await site.command(words, env)
      expect([code, err]).toEqual([1, `Expected SECRETS_KEY to include the key ${A}: stored secrets are encrypted under it.\n`])
    }
  }
  const other = await site.start({ SECRETS_KEY: `${TWO},${ONE}` })
  expect(await hooksTokenOf(other, shop)).toBe(hooksToken)
  expect(await me(other, token)).toBe('Ann')
  expect(await statusOf({ SECRETS_KEY: `${TWO},${ONE}` })).toMatchObject({ secretsKeys: [B, A], code: 0 })

  await site.command(['secrets', 'reencrypt'], { SECRETS_KEY: `${TWO},${ONE}` })
  expect([await storedUnder(A), await storedUnder(B)]).toEqual([0, total])
  await copy.kill()
  const alone = await site.start({ SECRETS_KEY: TWO })
  expect(await hooksTokenOf(alone, shop)).toBe(hooksToken)
  expect(await me(alone, token)).toBe('Ann')
  const { stored: rows, code } = await statusOf({ SECRETS_KEY: TWO })
  expect(code).toBe(0)
  expect(rows.reduce((sum: number, { current }: { current: number }) => sum + current, 0)).toBe(total)
  expect(JSON.stringify(rows)).not.toContain(hooksToken)
})

test('rotating the signing keys of users ends no session, and publishes the new key before it signs', async () => {
  const copy = await site.start({ SECRETS_KEY: ONE })
  const { token } = await aUser(copy)
  const { out } = await site.command(['secrets', 'rotate', 'user-keys', '--json'], { SECRETS_KEY: ONE })
  const { kid } = JSON.parse(out)
  expect(await published(copy)).toEqual([kid, kidOf(token)].sort())
  expect(kidOf(await signIn(copy))).toBe(kidOf(token))

  const { kid: next } = JSON.parse(
    (await site.command(['secrets', 'rotate', 'user-keys', '--overlap-minutes', '0', '--json'], { SECRETS_KEY: ONE })).out,
  )
  await expect.poll(async () => kidOf(await signIn(copy)), { interval: 250 }).toBe(next)
  expect(await me(copy, token)).toBe('Ann')
  expect(await published(copy)).toEqual([next, kid, kidOf(token)].sort())
})

test('an emergency ends every token, session and sign-in of before within seconds, in every process', async () => {
  const [copy, other] = await Promise.all([
    site.start({ SECRETS_KEY: ONE, CONSOLE_SECRET: 'c'.repeat(32) }),
    site.start({ SECRETS_KEY: ONE, CONSOLE_SECRET: 'c'.repeat(32) }),
  ])
  const shop = await aShop({ SECRETS_KEY: ONE })
  const { token, refreshToken } = await aUser(copy)
  const cookie = await consoleCookie(copy, shop)
  const seesConsole = async (at: Copy): Promise<boolean> => (await consolePage(at, cookie)).includes('Sign out')
  for (const each of [copy, other]) {
    expect(await me(each, token)).toBe('Ann')
    expect(await seesConsole(each)).toBe(true)
    // So that the store has fetched the keys, too.
    expect(await claims(each, shop, token)).toBe('ClaimStoreSuccess')
  }

  expect((await site.command(['secrets', 'emergency'], { SECRETS_KEY: ONE })).code).toBe(2)
  expect(await me(copy, token)).toBe('Ann')
  const { out, code } = await site.command(['secrets', 'emergency', '--yes', '--json'], { SECRETS_KEY: ONE })
  expect(code).toBe(0)
  const report = JSON.parse(out)
  expect(report).toMatchObject({ keysDropped: 1, sessionsEnded: 1, hooksTokensReplaced: 0 })

  for (const each of [copy, other]) {
    // First: whoever is asked for its keys has read them.
    await expect.poll(async () => kidOf(await signIn(each)), { interval: 250 }).toBe(report.kid)
    expect(await me(each, token)).toBeNull()
    await expect.poll(() => claims(each, shop, token), { interval: 250 }).toBe('UNAUTHENTICATED')
    await expect.poll(() => seesConsole(each), { interval: 250 }).toBe(false)
    expect(await published(each)).toEqual([report.kid])
  }
  const refreshed = await copy.graph('mutation ($token: String!) { refreshSession(refreshToken: $token) { __typename } }', {
    token: refreshToken,
  })
  expect(refreshed.data.refreshSession.__typename).toBe('InvalidRefreshToken')
  // Whoever signs in anew is somebody, at once.
  expect(await me(other, await signIn(copy))).toBe('Ann')
  expect(await consolePage(copy, await consoleCookie(other, shop))).toContain('Sign out')
})

test('an emergency can end what apps and webhooks have, too', async () => {
  const copy = await site.start({ SECRETS_KEY: ONE })
  const shop = await aShop({ SECRETS_KEY: ONE })
  const before = await hooksTokenOf(copy, shop)
  const { out } = await site.command(['secrets', 'emergency', '--yes', '--apps', '--hooks-tokens', '--json'], {
    SECRETS_KEY: ONE,
  })
  expect(JSON.parse(out).hooksTokensReplaced).toBeGreaterThanOrEqual(1)
  expect(await hooksTokenOf(copy, shop)).not.toBe(before)
  expect(await site.sql('SELECT previous_hooks_token FROM store.store WHERE code = $1', [shop.code])).toEqual([
    { previous_hooks_token: null },
  ])
})

test('sessions of the console go on through a rotation of CONSOLE_SECRET, and end with the secret', async () => {
  const [old, fresh] = ['o'.repeat(32), 'n'.repeat(32)]
  const shop = await aShop()
  const first = await site.start({ CONSOLE_SECRET: old })
  const cookie = await consoleCookie(first, shop)
  const both = await site.start({ CONSOLE_SECRET: fresh, CONSOLE_SECRET_PREVIOUS: old })
  expect(await consolePage(both, cookie)).toContain('Sign out')
  const renewed = await consoleCookie(both, shop)
  const last = await site.start({ CONSOLE_SECRET: fresh })
  expect(await consolePage(last, cookie)).not.toContain('Sign out')
  expect(await consolePage(last, renewed)).toContain('Sign out')
})

const claims = async (copy: Copy, shop: Shop, token: string): Promise<string> => {
  const headers = { ...as(shop), ...bearer(token) }
  const { data, errors } = await copy.graph('mutation { claimStore { __typename } }', {}, headers)
  return data?.claimStore?.__typename ?? errors[0].extensions.code
}

const consolePage = async (copy: Copy, cookie: string): Promise<string> =>
  (await fetch(`${copy.base}/console`, { headers: { cookie } })).text()

/** Signs in at the console. */
async function consoleCookie(copy: Copy, { login, authtoken }: Shop): Promise<string> {
  const cookieIn = (answer: Response): string => (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  const welcome = await fetch(`${copy.base}/console`)
  const [, formToken = ''] = /name="token" value="([^"]+)"/.exec(await welcome.text()) ?? []
  const answer = await fetch(`${copy.base}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: cookieIn(welcome),
      origin: copy.base,
      'sec-fetch-site': 'same-origin',
    },
    body: new URLSearchParams({ token: formToken, login, authtoken }),
  })
  expect(answer.status).toBe(303)
  // The time of a session is compared with that of an emergency.
  await sleep(5)
  return cookieIn(answer)
}
