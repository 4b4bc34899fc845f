import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantOf } from '../../../platform/http/caller.ts'
import { permissionsOf } from '../../../subgraphs/store/access/permissions.ts'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { isRedirectUri } from '../../../subgraphs/store/app/app.ts'
import { FIELD_SCOPES } from './support/field-scopes.ts'
import { type OauthStack, startOauth } from './support/oauth.ts'
import { shopBrowser } from './support/shop-browser.ts'
import { ANONYMOUS, type TestStore } from './support/store.ts'

const CALLBACK = 'https://app.example/callback'

let stack: OauthStack
let shop: TestStore
beforeAll(async () => {
  stack = await startOauth()
  shop = await stack.aStore({ name: 'Corner shop' })
})
afterAll(() => stack.close())

const CREATE = `mutation ($input: CreateAppInput!) { createApp(input: $input) {
  __typename
  ... on CreateAppSuccess { clientSecret app { id number code name isPublic isPrivate redirectUris scopes version } }
  ... on ValidationError { errors { field message } }
  ... on ConflictError { message }
} }`

const INPUT = { name: 'Own app', redirectUris: [CALLBACK], scopes: ['write_products', 'read_products', 'read_products'] }

async function ownApp(input: Record<string, unknown> = {}, who = shop) {
  const { data, errors } = await stack.ask(who, CREATE, { input: { ...INPUT, ...input } })
  expect(errors).toBeUndefined()
  return data.createApp
}

const linkOf = (code: string) =>
  `${stack.url}/oauth/authorize?${new URLSearchParams({ client_id: code, redirect_uri: CALLBACK, response_type: 'code' })}`

/** Tokens of an app that the store agrees to. */
async function tokensOf({ app, clientSecret }: { app: { code: string }; clientSecret: string }, who = shop) {
  const answered = await shopBrowser(stack.url).agree(linkOf(app.code), who)
  const form = {
    grant_type: 'authorization_code',
    code: new URL(answered).searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id: app.code,
    client_secret: clientSecret,
  }
  const answer = await fetch(`${stack.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as { access_token: string; refresh_token: string }
}

const statusWith = async (token: string) =>
  (await fetch(`${stack.url}/v1/products.json`, { headers: { authorization: `Bearer ${token}` } })).status

const withBearer = (token: string) => ({ ...ANONYMOUS, credentials: { authorization: `Bearer ${token}` } })

test('a store registers its own app, and gets its secret once', async () => {
  const made = await ownApp({ idempotencyKey: 'once' })
  expect(made).toMatchObject({
    __typename: 'CreateAppSuccess',
    clientSecret: expect.stringMatching(/^[\w-]{43}$/),
    app: { name: 'Own app', isPublic: false, isPrivate: true, scopes: ['read_products', 'write_products'], version: 1 },
  })
  expect(await ownApp({ idempotencyKey: 'once' })).toEqual({ ...made, clientSecret: null })
  expect((await ownApp({ isPublic: true })).clientSecret).toBeNull()

  const { data } = await stack.ask(shop, 'query ($id: ID!) { app(id: $id) { name } apps { code } }', { id: made.app.number })
  expect(data.app).toEqual({ name: 'Own app' })
  expect(data.apps).toContainEqual({ code: made.app.code })
})

test('credentials of a store and of its apps count as the store once they were verified', async () => {
  const { access_token: token } = await tokensOf(await ownApp())
  const [app, invented] = [withBearer(token), withBearer(`sat_${'x'.repeat(43)}`)]
  for (const caller of [app, invented]) await stack.ask(caller, '{ apps { code } }')
  expect([app, invented].map(tenantOf)).toEqual([expect.stringMatching(/^store \d+$/), tenantOf(ANONYMOUS)])
  expect(tenantOf(shop.caller)).toBe(tenantOf(app))
})

test('a store sees, changes and deletes its own apps only', async () => {
  const other = await stack.aStore()
  const { app } = await ownApp()
  const { data } = await stack.ask(
    other,
    `mutation ($id: ID!) { updateApp(id: $id, input: { name: "Mine" }) { __typename } resetAppSecret(id: $id) { __typename } deleteApp(id: $id) { __typename } }`,
    { id: app.id },
  )
  expect(Object.values(data)).toEqual(Array(3).fill({ __typename: 'NotFoundError' }))
  expect((await stack.ask(other, 'query ($id: ID!) { app(id: $id) { name } }', { id: app.id })).data.app).toBeNull()
})

test.each([
  ['no name', { name: ' ' }, 'name'],
  ['no address', { redirectUris: [] }, 'redirectUris'],
  ['eleven addresses', { redirectUris: Array(11).fill(CALLBACK) }, 'redirectUris'],
  ['an invalid URL', { redirectUris: [CALLBACK, 'nowhere'] }, 'redirectUris.1'],
  ['no scope', { scopes: [] }, 'scopes'],
  ['an unknown scope', { scopes: ['read_products', 'admin'] }, 'scopes.1'],
])('an invalid app is refused with its field: %s', async (_, input, field) => {
  expect(await ownApp(input)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test.each([
  ['https://app.example/callback?x=1', true, 'a site'],
  ['http://127.0.0.1:8080/x', true, 'a program on this computer'],
  ['http://[::1]:8080/x', true, 'the same'],
  ['http://localhost/x', true, 'the same'],
  ['com.example.app:/done', true, 'a scheme that somebody owns'],
  ['urn:ietf:wg:oauth:2.0:oob', true, 'the code is shown'],
  ['http://app.example/callback', false, 'others could read the code on its way'],
  ['https://app.example/#x', false, 'fragments are for browsers'],
  ['https://app.example/#', false, 'so are empty ones'],
  ['https://me@app.example/', false, 'looks like another host'],
  ['https://localhost/', false, 'nobody has a certificate for it'],
  ['javascript:alert(1)', false, 'runs code'],
  ['java.script:alert(1)', true, 'a scheme with a point, which nothing runs'],
  ['data:text/html,x', false, 'runs code'],
  ['file:///etc/passwd', false, 'no answer arrives there'],
  ['myapp:/done', false, 'anybody can take such a scheme'],
  ['https://app.example\\\\evil', false, 'read differently by different programs'],
  ['https://app.example/a b', false, 'no address'],
  ['/callback', false, 'no address'],
  [`https://app.example/${'x'.repeat(2000)}`, false, 'too long'],
])('an answer can go to %s: %s (%s)', (uri, isPermitted) => {
  expect(isRedirectUri(uri)).toBe(isPermitted)
})

test('a new secret replaces the old one, and tokens stay valid', async () => {
  const made = await ownApp()
  const tokens = await tokensOf(made)
  const { data } = await stack.ask(
    shop,
    'mutation ($id: ID!) { resetAppSecret(id: $id) { ... on ResetAppSecretSuccess { clientSecret } } }',
    { id: made.app.id },
  )
  const renew = (secret: string) =>
    fetch(`${stack.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: made.app.code,
        client_secret: secret,
      }),
    })
  expect((await renew(made.clientSecret)).status).toBe(401)
  expect((await renew(data.resetAppSecret.clientSecret)).status).toBe(200)
  expect(await statusWith(tokens.access_token)).toBe(200)

  const open = await ownApp({ isPublic: true })
  const refused = await stack.ask(shop, 'mutation ($id: ID!) { resetAppSecret(id: $id) { __typename } }', { id: open.app.id })
  expect(refused.data.resetAppSecret).toEqual({ __typename: 'ValidationError' })
})

test('a removed redirect URI gets no code any more', async () => {
  const { app } = await ownApp()
  await stack.ask(
    shop,
    'mutation ($id: ID!) { updateApp(id: $id, input: { redirectUris: ["https://app.example/new"] }) { __typename } }',
    { id: app.id },
  )
  expect((await shopBrowser(stack.url).open(linkOf(app.code))).status).toBe(400)
})

test("a store's own app is of no use to another store, signed in before or not", async () => {
  const other = await stack.aStore({ name: 'Other shop' })
  const { app } = await ownApp()
  const browser = shopBrowser(stack.url)
  const signIn = await browser.open(linkOf(app.code))
  const refused = await browser.press(signIn.address, { login: other.login, authtoken: other.authtoken })
  expect([refused.status, refused.page.includes('This app belongs to another store')]).toEqual([422, true])

  const both = await stack.anApp()
  await browser.agree(linkOf(both.clientId), other)
  const again = await browser.open(linkOf(app.code))
  expect(again.page).toContain('Sign in to your shop')
  expect((await browser.press(again.address, { do: 'allow' })).status).toBe(410)
})

test('a store sees its granted apps, and revokes them', async () => {
  const tokens = await tokensOf(await ownApp({ name: 'Talkative' }))
  const list = async () =>
    (await stack.ask(shop, '{ appAuthorizations { id app { name } permissions { scope subject mayChange } } }')).data
      .appAuthorizations
  const [newest] = await list()
  expect(newest).toMatchObject({
    app: { name: 'Talkative' },
    permissions: [
      { scope: 'read_products', mayChange: false },
      { scope: 'write_products', mayChange: true },
    ],
  })
  const REVOKE = 'mutation ($id: ID!) { revokeAppAuthorization(id: $id) { __typename } }'
  const other = await stack.aStore()
  expect((await stack.ask(other, REVOKE, { id: newest.id })).data.revokeAppAuthorization.__typename).toBe('NotFoundError')
  expect((await stack.ask(shop, REVOKE, { id: newest.id })).data.revokeAppAuthorization.__typename).toBe(
    'RevokeAppAuthorizationSuccess',
  )
  expect((await list()).map(({ id }: { id: string }) => id)).not.toContain(newest.id)
  await expect.poll(() => statusWith(tokens.access_token)).toBe(401)
})

test('an app that is deleted takes its tokens along', async () => {
  const made = await ownApp()
  const tokens = await tokensOf(made)
  expect(await statusWith(tokens.access_token)).toBe(200)
  await stack.ask(shop, 'mutation ($id: ID!) { deleteApp(id: $id) { __typename } }', { id: made.app.id })
  await expect.poll(() => statusWith(tokens.access_token)).toBe(401)
})

test('no app gets at apps, consents or sign-ins, whatever it may', async () => {
  const { access_token } = await tokensOf(await ownApp({ scopes: [...SCOPES] }))
  const fields = Object.keys(FIELD_SCOPES).filter((field) => FIELD_SCOPES[field] === 'owner')
  expect(fields.length).toBeGreaterThan(5)
  for (const query of [
    '{ apps { code } }',
    '{ appAuthorizations { id } }',
    'mutation { createApp(input: { name: "x", redirectUris: ["https://a.example/"], scopes: ["read_apps"] }) { __typename } }',
    'mutation { deleteApp(id: "1") { __typename } }',
    'mutation { signInToAuthorize(request: "x") { __typename } }',
  ]) {
    const { errors } = await stack.ask(withBearer(access_token), query)
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  }
})

test('every scope has words for people, what is read first', () => {
  const words = permissionsOf(SCOPES)
  expect(words.length).toBe(42)
  const writes = SCOPES.map((scope) => scope.startsWith('write_') || scope === 'read_apps')
  expect(words.map(({ mayChange }) => mayChange)).toEqual(writes.toSorted())
  expect(words.every(({ subject }) => subject.length > 4)).toBe(true)
})

test('a store has a hundred apps at most, also with concurrent requests', async () => {
  const busy = await stack.aStore()
  await stack.sql(
    `INSERT INTO app (store_id, code, name, redirect_uris, scopes, created_at, updated_at)
     SELECT $1, 'busy-' || n, 'x', '{https://a.example/}', '{read_products}', now(), now() FROM generate_series(1, 97) n`,
    [busy.storeId],
  )
  const made = await Promise.all(Array.from({ length: 6 }, () => ownApp({}, busy)))
  expect(made.filter(({ __typename }) => __typename === 'CreateAppSuccess').length).toBe(3)
})
