import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { acknowledged } from '../gateway/support/transports.ts'
import { type Atrium, basic, type Data, startAtrium } from './support/atrium.ts'

let atrium: Atrium
/** Has the keys of forgers at an address that tokens name. */
let elsewhere: Server
let isRequestedElsewhere = false
let ann: Awaited<ReturnType<Atrium['aUser']>>
let bob: Awaited<ReturnType<Atrium['aUser']>>
let ours: { readonly kid: string; readonly publicKey: JWK; readonly privateKey: JWK }
let own: JWK

beforeAll(async () => {
  atrium = await startAtrium()
  ;[ann, bob] = [await atrium.aUser('ann'), await atrium.aUser('bob')]
  const [key] = await atrium.sql('SELECT kid, public_key, private_key FROM social.signing_key')
  ours = { kid: key?.kid, publicKey: key?.public_key, privateKey: key?.private_key }
  own = await exportJWK((await generateKeyPair('EdDSA', { extractable: true })).privateKey)
  const { d: _, ...published } = own
  elsewhere = createServer((_request, response) => {
    isRequestedElsewhere = true
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [{ ...published, kid: 'evil' }] }))
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  elsewhere?.close()
  await atrium?.stop()
})

const encoded = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const parts = (token: string): readonly [string, string, string] => token.split('.') as [string, string, string]
const claims = (token: string): Data => JSON.parse(Buffer.from(parts(token)[1], 'base64url').toString())
const signed = async (payload: object, header: object, jwk: JWK): Promise<string> =>
  new SignJWT(payload as never).setProtectedHeader({ alg: 'EdDSA', ...header }).sign(await importJWK(jwk, 'EdDSA'))
const hmac = (payload: object, header: object, secret: string | Buffer): string => {
  const text = `${encoded({ alg: 'HS256', ...header })}.${encoded(payload)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
const evil = () => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/keys.json`
const spki = async () => exportSPKI((await importJWK(ours.publicKey, 'EdDSA', { extractable: true })) as never)
const now = () => Math.floor(Date.now() / 1000)

/** Tokens that say to be Ann's, and are not what we gave her. */
const FORGERIES: readonly { readonly why: string; readonly forge: () => string | Promise<string> }[] = [
  { why: 'no algorithm', forge: () => `${encoded({ alg: 'none', kid: ours.kid })}.${parts(ann.token)[1]}.AAAA` },
  {
    why: 'NONE in capitals',
    forge: () => `${encoded({ alg: 'NONE', kid: ours.kid })}.${parts(ann.token)[1]}.${parts(ann.token)[2]}`,
  },
  { why: 'no header at all', forge: () => `${encoded('{}')}.${parts(ann.token)[1]}.${parts(ann.token)[2]}` },
  {
    why: 'HMAC by the bytes of our public key',
    forge: () => hmac(claims(ann.token), { kid: ours.kid }, Buffer.from(String(ours.publicKey.x), 'base64url')),
  },
  {
    why: 'HMAC by the text of our public key',
    forge: () => hmac(claims(ann.token), { kid: ours.kid }, String(ours.publicKey.x)),
  },
  { why: 'HMAC by our public key as PEM', forge: async () => hmac(claims(ann.token), { kid: ours.kid }, await spki()) },
  {
    why: 'HMAC by our public key as JWK',
    forge: () => hmac(claims(ann.token), { kid: ours.kid }, JSON.stringify(ours.publicKey)),
  },
  { why: 'HMAC by nothing', forge: () => hmac(claims(ann.token), { kid: ours.kid }, '') },
  {
    why: 'RSA by a key of the forger',
    forge: async () => {
      const { privateKey } = await generateKeyPair('RS256')
      return new SignJWT(claims(ann.token)).setProtectedHeader({ alg: 'RS256', kid: ours.kid }).sign(privateKey)
    },
  },
  {
    why: 'an elliptic curve of the forger',
    forge: async () => {
      const { privateKey } = await generateKeyPair('ES256')
      return new SignJWT(claims(ann.token)).setProtectedHeader({ alg: 'ES256', kid: ours.kid }).sign(privateKey)
    },
  },
  { why: 'a key of the forger under our name', forge: () => signed(claims(ann.token), { kid: ours.kid }, own) },
  { why: 'a key of the forger without a name', forge: () => signed(claims(ann.token), {}, own) },
  {
    why: 'a key inside of the token',
    forge: () => signed(claims(ann.token), { kid: ours.kid, jwk: { ...own, d: undefined } }, own),
  },
  { why: 'a key at an address that the token names', forge: () => signed(claims(ann.token), { kid: 'evil', jku: evil() }, own) },
  {
    why: 'a certificate at an address that the token names',
    forge: () => signed(claims(ann.token), { kid: 'evil', x5u: evil() }, own),
  },
  ...['../../../../dev/null', "' OR '1'='1", '\0', '__proto__', 'constructor', 'x'.repeat(5_000), '/files/public/a', '*', ''].map(
    (kid) => ({
      why: `the key ${JSON.stringify(kid.slice(0, 30))}`,
      forge: () => signed(claims(ann.token), { kid }, own),
    }),
  ),
  ...[1, null, ['a'], { toString: 'x' }, true].map((kid) => ({
    why: `a name of a key that is no text: ${JSON.stringify(kid)}`,
    forge: () => {
      const [, payload, signature] = parts(ann.token)
      return `${encoded({ alg: 'EdDSA', kid })}.${payload}.${signature}`
    },
  })),
  { why: 'a critical extension', forge: () => signed(claims(ann.token), { kid: ours.kid, crit: ['b64'], b64: true }, own) },
  { why: 'the payload of another token', forge: () => [parts(bob.token)[0], parts(ann.token)[1], parts(bob.token)[2]].join('.') },
  { why: 'half a signature', forge: () => ann.token.slice(0, -43) },
  { why: 'a signature of zeros', forge: () => [...parts(ann.token).slice(0, 2), encoded('\0'.repeat(64))].join('.') },
  {
    why: 'one letter of the payload',
    forge: () => ann.token.replace(parts(ann.token)[1], encoded({ ...claims(bob.token), sub: claims(ann.token).sub })),
  },
  // Signed by us, as nobody but us can: what is said must hold all the same.
  {
    why: 'a token that has ended',
    forge: () => signed({ ...claims(ann.token), exp: now() - 1 }, { kid: ours.kid }, ours.privateKey),
  },
  {
    why: 'a token that is not valid yet',
    forge: () => signed({ ...claims(ann.token), nbf: now() + 600 }, { kid: ours.kid }, ours.privateKey),
  },
  {
    why: 'another issuer',
    forge: () => signed({ ...claims(ann.token), iss: 'https://accounts.example' }, { kid: ours.kid }, ours.privateKey),
  },
  { why: 'no issuer', forge: () => signed({ ...claims(ann.token), iss: undefined }, { kid: ours.kid }, ours.privateKey) },
  { why: 'no end', forge: () => signed({ ...claims(ann.token), exp: undefined }, { kid: ours.kid }, ours.privateKey) },
  {
    why: 'an end that is no number',
    forge: () =>
      signed({ ...claims(ann.token), exp: 'never' }, { kid: ours.kid }, ours.privateKey).catch(() =>
        hmac(claims(ann.token), {}, 'x'),
      ),
  },
  { why: 'no session', forge: () => signed({ ...claims(ann.token), sid: undefined }, { kid: ours.kid }, ours.privateKey) },
  {
    why: 'a session that is no text',
    forge: () => signed({ ...claims(ann.token), sid: { a: 1 } }, { kid: ours.kid }, ours.privateKey),
  },
  {
    why: 'a session that is none',
    forge: () => signed({ ...claims(ann.token), sid: randomUUID() }, { kid: ours.kid }, ours.privateKey),
  },
  { why: 'no subject', forge: () => signed({ ...claims(ann.token), sub: undefined }, { kid: ours.kid }, ours.privateKey) },
]

describe.each(FORGERIES)('$why', ({ forge }) => {
  test('is anonymous at the graph', async () => {
    const token = await forge()
    const { data, errors = [] } = await atrium.graph('{ me { id } }', {}, { headers: { authorization: `Bearer ${token}` } })
    expect(data?.me ?? null).toBeNull()
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED'])
  })

  test('claims no store', async () => {
    const store = await atrium.aStore()
    const headers = { authorization: `Bearer ${await forge()}`, 'x-login-key': store.login, 'x-auth-token': store.authtoken }
    const { data, errors = [] } = await atrium.graph('mutation { claimStore { __typename } }', {}, { headers })
    expect(data?.claimStore ?? null).toBeNull()
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED'])
    expect((await atrium.sql('SELECT owner_id FROM store.store WHERE code = $1', [store.code]))[0]?.owner_id).toBeNull()
  })
})

test('a forged token is anonymous over a WebSocket and an event stream, too', async () => {
  for (const why of ['no algorithm', 'a key of the forger under our name', 'a token that has ended']) {
    const authorization = `Bearer ${await FORGERIES.find((each) => each.why === why)?.forge()}`
    const socket = new WebSocket(`${atrium.base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    const { ask } = await acknowledged(socket, { authorization })
    expect(JSON.stringify(await ask({ query: '{ me { id } }' }))).toContain('UNAUTHENTICATED')
    socket.terminate()
    const streamed = await atrium.ask('/graphql', {
      body: { query: '{ me { id } }' },
      headers: { accept: 'text/event-stream', authorization },
    })
    expect(streamed.text).toContain('UNAUTHENTICATED')
  }
})

test('the token of a user opens neither a shop, nor its tools, nor trust, nor the operations page', async () => {
  const authorization = `Bearer ${ann.token}`
  const statuses = await Promise.all([
    atrium.ask('/v1/products.json', { headers: { authorization } }),
    atrium.ask('/v1/usage', { headers: { authorization } }),
    atrium.ask('/operations', { headers: { authorization } }),
    atrium.ask('/oauth/token/info', { headers: { authorization } }),
    atrium.ask('/mcp/store', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { authorization, accept: 'application/json, text/event-stream' },
    }),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
})

test('credentials of one kind are no credentials of another', async () => {
  const store = await atrium.aStore()
  const key = await atrium.aKey()
  const statusesWith = async (headers: Record<string, string>) =>
    (await Promise.all(['/v1/products.json', '/v1/usage', '/operations'].map((path) => atrium.ask(path, { headers })))).map(
      ({ status }) => status,
    )
  expect(await statusesWith(basic(store))).toEqual([200, 401, 401])
  expect(await statusesWith({ 'x-api-key': key })).toEqual([401, 200, 401])
  expect(await statusesWith({ authorization: `Bearer ${store.authtoken}` })).toEqual([401, 401, 401])
  expect(await statusesWith({ 'x-api-key': store.authtoken })).toEqual([401, 401, 401])
  expect(await statusesWith({ authorization: `Basic ${btoa(`${store.login}:${key}`)}` })).toEqual([401, 401, 401])
  expect(await statusesWith({ authorization: `Bearer ${ann.refreshToken}` })).toEqual([401, 401, 401])
})

test('no key is fetched from where a token says that one is', () => {
  expect(isRequestedElsewhere).toBe(false)
})

test('a good token is good all the while', async () => {
  const { data } = await atrium.graph('{ me { id } }', {}, { headers: { authorization: `Bearer ${ann.token}` } })
  expect(data.me.id).toBe(ann.id)
})
