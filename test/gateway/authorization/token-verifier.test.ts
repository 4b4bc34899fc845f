import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import type { GatewayOptions } from '../../../gateway/options/gateway-options.ts'
import { recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type Remote, serveRemote } from '../support/remote.ts'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

/** An issuer with a key set that can change. */
async function anIssuer(name: string, alg = 'ES256') {
  let keys: { kid: string; pair: Keys }[] = []
  let fetches = 0
  const server = createServer(async (_, response) => {
    fetches++
    const jwks = await Promise.all(keys.map(async ({ kid, pair }) => ({ ...(await exportJWK(pair.publicKey)), kid, alg })))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: jwks }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const issuer = {
    name,
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    fetches: () => fetches,
    rotate: async (kid: string) => {
      keys = [{ kid, pair: await generateKeyPair(alg, { extractable: true }) }]
    },
    token: (claims: object, { expires = '1m', pair = keys[0]?.pair, kid = keys[0]?.kid ?? '' } = {}) =>
      new SignJWT({ iss: name, aud: 'graph', ...claims })
        .setProtectedHeader({ alg, kid })
        .setExpirationTime(expires)
        .sign((pair as Keys).privateKey),
  }
  await issuer.rotate('first')
  return issuer
}

const servers: Server[] = []
let shop: Remote
let review: Remote
let one: Awaited<ReturnType<typeof anIssuer>>
let two: Awaited<ReturnType<typeof anIssuer>>
beforeAll(async () => {
  shop = await serveRemote(shopSubgraph())
  review = await serveRemote(reviewSubgraph())
  one = await anIssuer('https://one.example')
  two = await anIssuer('https://two.example', 'EdDSA')
})
afterAll(() => {
  for (const server of [shop.server, review.server, ...servers]) server.close().closeAllConnections()
})

const FORWARD = {
  allSubgraphs: {
    headers: {
      request: [{ insert: 'x-user', claim: 'sub' }, { insert: 'x-roles', claim: 'realm.roles' }, { remove: 'authorization' }],
    },
  },
} as const

async function aGateway(jwt: NonNullable<GatewayOptions['jwt']>, options: GatewayOptions = FORWARD) {
  const supergraph = supergraphSdl({ shop: shop.url, review: review.url })
  const gateway = await createGateway({ supergraph, log: recordingLog().log, jwt, ...options })
  onTestFinished(gateway.close)
  return async (headers: Record<string, string>, query = '{ product(id: "a") { name } }') => {
    shop.requests.length = 0
    const response = await gateway.fetch(
      new Request('http://host.example/', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      }),
    )
    const { data, errors } = (await response.json()) as { data?: unknown; errors?: { message: string; extensions: object }[] }
    return { status: response.status, data, error: errors?.[0], sent: shop.requests[0]?.headers }
  }
}

const BOTH = () => ({
  issuers: [
    { issuer: one.name, jwksUrl: one.jwksUrl, aud: ['graph'], algorithms: ['ES256'] as const },
    { issuer: two.name, jwksUrl: two.jwksUrl },
  ],
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const NAMED = { product: { name: 'Product a' } }

describe('several issuers', () => {
  test('each issuer verifies with its own keys, and claims are forwarded by rules', async () => {
    const send = await aGateway(BOTH())
    const first = await send(bearer(await one.token({ sub: 'ann', realm: { roles: ['a', 'b'] } })))
    expect([first.status, first.data, first.sent]).toMatchObject([200, NAMED, { 'x-user': 'ann', 'x-roles': 'a,b' }])
    expect(first.sent).not.toHaveProperty('authorization')
    const second = await send(bearer(await two.token({ sub: 'bob' })))
    expect(second.sent?.['x-user']).toBe('bob')
  })

  test.each<[why: string, token: () => Promise<string>]>([
    ['one issuer signs in the name of the other', () => two.token({ iss: one.name, sub: 'eve' })],
    ['an issuer that nobody named', () => one.token({ iss: 'https://evil.example', sub: 'eve' })],
    ['another audience', () => one.token({ aud: 'else', sub: 'eve' })],
    ['an expired token', () => one.token({ sub: 'eve' }, { expires: '-10m' })],
    ['a token without an issuer', () => one.token({ iss: undefined, sub: 'eve' })],
  ])('%s: the caller is anonymous', async (_, token) => {
    const optional = await aGateway(BOTH())
    expect((await optional(bearer(await token()))).sent).not.toHaveProperty('x-user')
    const required = await aGateway({ ...BOTH(), required: true })
    const refused = await required(bearer(await token()))
    expect([refused.status, refused.error?.extensions, refused.sent]).toMatchObject([401, { code: 'UNAUTHENTICATED' }, undefined])
  })

  test('a key of the allow-list only: an algorithm that the issuer may not use is refused', async () => {
    const send = await aGateway({ jwksUrl: two.jwksUrl, algorithms: ['ES256'], required: true })
    expect((await send(bearer(await two.token({ sub: 'bob' })))).status).toBe(401)
  })
})

test('required: without a token nothing runs, over a batch of words neither', async () => {
  const send = await aGateway({ ...BOTH(), required: true })
  for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer' }, bearer('a.b.c')]) {
    const { status, error, sent } = await send(headers as Record<string, string>)
    expect([status, error?.extensions, sent]).toMatchObject([401, { code: 'UNAUTHENTICATED' }, undefined])
  }
  expect((await send(bearer(await one.token({})))).data).toEqual(NAMED)
})

test('keys rotate: an unknown key id fetches them once, and not again within the cooldown', async () => {
  const issuer = await anIssuer('https://three.example')
  const send = await aGateway({ jwksUrl: issuer.jwksUrl, required: true })
  expect((await send(bearer(await issuer.token({})))).status).toBe(200)
  expect(issuer.fetches()).toBe(1)
  const stranger = await generateKeyPair('ES256', { extractable: true })
  for (let attempt = 0; attempt < 5; attempt++) {
    const forged = await issuer.token({ attempt }, { pair: stranger, kid: `unknown-${attempt}` })
    expect((await send(bearer(forged))).status).toBe(401)
  }
  // jose counts the cooldown from the first fetch.
  expect(issuer.fetches()).toBe(1)
})

test('keys that cannot be had are a fault of ours: 503, and nothing of the address', async () => {
  const send = await aGateway({ jwksUrl: 'http://127.0.0.1:1/jwks', required: true })
  const { status, error } = await send(bearer(await one.token({})))
  expect([status, error?.extensions]).toMatchObject([503, { code: 'UNAVAILABLE' }])
  expect(JSON.stringify(error)).not.toContain('127.0.0.1')
})

test('a token in a cookie or another header counts, and its callers share nothing', async () => {
  const sources = [{ cookie: 'session' }, { header: 'x-token', scheme: null }]
  const send = await aGateway({ ...BOTH(), sources, required: true })
  const token = await one.token({ sub: 'ann' })
  expect((await send({ cookie: `other=1; session=${token}` })).sent?.['x-user']).toBe('ann')
  expect((await send({ 'x-token': await two.token({ sub: 'bob' }) })).sent?.['x-user']).toBe('bob')
  expect((await send(bearer(token))).status).toBe(401)
})

test('a tolerance of clocks is that of the option', async () => {
  const token = await one.token({}, { expires: '-30s' })
  expect((await (await aGateway({ ...BOTH(), required: true }))(bearer(token))).status).toBe(401)
  expect((await (await aGateway({ ...BOTH(), required: true, clockToleranceSeconds: 60 }))(bearer(token))).status).toBe(200)
})

test.each<[given: object, says: string]>([
  [{}, 'Expected "jwt.jwksUrl" to be an http or https URL, got nothing.'],
  [{ issuers: [] }, 'Expected "jwt.issuers" to be a list of issuers, got a list of 0.'],
  [{ jwksUrl: 'http://a/', algorithms: ['HS256'] }, 'Expected "jwt.algorithms[0]" to be one of EdDSA,'],
  [{ issuers: [{ issuer: 'a', jwksUrl: 'http://a/' }], aud: ['x'] }, 'Expected "jwt.aud" to be absent where "issuers" is given'],
])('options %j: %s', async (jwt, says) => {
  await expect(aGateway(jwt as never)).rejects.toThrow(says)
})
