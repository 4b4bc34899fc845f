import { IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import type { ExecutionResult } from '../../../gateway/operations/execution-result.ts'
import { remoteRoutes } from '../../../gateway/signed-link/remote-routes.ts'
import { createSignatureVerifier, createSigner, type Sign } from '../../../gateway/signed-link/signature.ts'
import { serveSubgraph } from '../../../gateway/signed-link/subgraph-endpoint.ts'
import { rememberVerifiedCaller } from '../../../gateway/signed-link/verified-caller.ts'
import { createRemoteLink, type RemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { changeListeners } from '../../../platform/events/change-listeners.ts'
import { type Caller, tenantOf } from '../../../platform/http/caller.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import type { SubgraphRoutes } from '../../../platform/http/subgraph-routes.ts'
import { rememberVerified } from '../../../platform/http/verified-credentials.ts'
import { ask, recordingLog } from '../support/graph.ts'
import { followed } from '../support/subscription-reader.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

const SECRETS = ['the newer secret, which signs now', 'the older secret, believed a while']
const sign = createSigner(SECRETS, Date.now)

let ticker: Ticker
let gateway: Gateway
let base: string
const servers: FastifyInstance[] = []
const links: RemoteLink[] = []
/** Who asked the ticking subgraph, as it was told. */
const callers: Caller[] = []
const { onChange, notify: notifyAll } = changeListeners()

const httpRoutes: SubgraphRoutes = {
  routes: [{ method: 'POST', path: '/form' }],
  async handle(request, response, from) {
    let body = ''
    for await (const chunk of request) body += chunk
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.writeHead(201).end(JSON.stringify({ body, cookie: request.headers.cookie, url: request.url, from }))
  },
}

beforeAll(async () => {
  ticker = await startTicker()
  for (const subgraph of ticker.subgraphs) {
    const { log } = recordingLog()
    const app = createHttpServer({ log })
    const context = (caller: Caller) => {
      callers.push(caller)
      return subgraph.context(caller)
    }
    await serveSubgraph(
      app,
      { ...subgraph, context, httpRoutes, onChange },
      { judge: createSignatureVerifier(SECRETS, Date.now), log },
    )
    await app.listen({ host: '127.0.0.1', port: 0 })
    servers.push(app)
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    if (subgraph.name === 'ticking') base = url
    links.push(createRemoteLink({ name: subgraph.name, url: `${url}/graphql`, sign }))
  }
  gateway = await startGateway({ supergraphSdl: ticker.supergraphSdl, links, limits: DEFAULT_LIMITS, log: recordingLog().log })
})
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()))
  await Promise.all(servers.map((server) => server.close()))
})

const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'x-request-id': 'r',
  'x-forwarded-for': '203.0.113.9',
}
const BODY = JSON.stringify({ query: 'mutation { tick(text: "forged") }', variables: {} })

/** Sends what a gateway would, except for what the case changes after it was signed. */
async function send(how: {
  readonly sign?: Sign
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly path?: string
}) {
  const signed = (how.sign ?? sign)({ method: 'POST', path: '/graphql', headers: HEADERS }, BODY)
  const response = await fetch(`${base}${how.path ?? '/graphql'}`, {
    method: 'POST',
    headers: { ...HEADERS, ...signed, ...how.headers },
    body: how.body ?? BODY,
  })
  return { status: response.status, text: await response.text() }
}

const at = (milliseconds: number) => createSigner(SECRETS, () => Date.now() + milliseconds)

test('a request that a gateway signed is answered, also by the older of two secrets', async () => {
  expect((await send({})).status).toBe(200)
  expect((await send({ sign: createSigner(SECRETS.slice(1), Date.now) })).status).toBe(200)
})

test.each([
  ['nobody signed', { sign: () => ({}) }, 401],
  ['somebody signed with another secret', { sign: createSigner(['x'.repeat(32)], Date.now) }, 401],
  ['was signed a minute ago', { sign: at(-60_000) }, 401],
  ['was signed a minute ahead', { sign: at(60_000) }, 401],
  ['carries another address', { headers: { 'x-forwarded-for': '127.0.0.1' } }, 401],
  ['carries credentials that were not signed', { headers: { authorization: 'Bearer stolen' } }, 401],
  ['says to be connected since long ago', { headers: { 'x-connected-at': '2020-01-01T00:00:00.000Z' } }, 401],
  ['was signed for another path', { path: '/door' }, 401],
  ['has another body', { body: BODY.replace('forged', 'altered') }, 400],
  ['has a signature of nonsense', { headers: { 'x-atrium-signature': '1 1 1 1' } }, 401],
  ['has two signatures in one', { headers: { 'x-atrium-signature': `1 ${Date.now()} a b, 1 1 a b` } }, 401],
])('a request that %s is refused before anything is done', async (_, how, status) => {
  const before = callers.length
  const answer = await send(how)
  expect([answer.status, callers.length]).toEqual([status, before])
  expect(JSON.parse(answer.text).error.message).toMatch(/^Expected /)
})

test('the subgraph gets the caller as the gateway identified it', async () => {
  const connectedAt = new Date('2026-11-21T10:00:00.000Z')
  const caller: Caller = { requestId: 'r-7', address: '203.0.113.7', credentials: { authorization: 'Bearer x' }, connectedAt }
  const prepared = gateway.prepareText('{ now }', undefined)
  if (prepared.kind === 'executable') await prepared.run({}, { caller, signal: new AbortController().signal })
  expect(callers.at(-1)).toEqual(caller)
})

test('a subgraph states in its response whose credentials it has verified, and the gateway remembers that', async () => {
  rememberVerified('Bearer known', 'user 7')
  const [known, invented] = await Promise.all(
    ['Bearer known', 'Bearer invented'].map(async (authorization) => {
      const headers = { ...HEADERS, authorization }
      const signed = sign({ method: 'POST', path: '/graphql', headers }, BODY)
      const { headers: answered } = await fetch(`${base}/graphql`, {
        method: 'POST',
        headers: { ...headers, ...signed },
        body: BODY,
      })
      return answered.get('x-atrium-verified')
    }),
  )
  expect([known, invented]).toEqual(['authorization user 7', null])
  const caller: Caller = {
    requestId: 'r',
    address: '203.0.113.9',
    credentials: { 'x-api-key': 'a key', authorization: 'made up' },
  }
  rememberVerifiedCaller(caller, { 'x-atrium-verified': 'x-api-key key 3' })
  expect(tenantOf(caller)).toBe('key 3')
  expect(tenantOf({ ...caller, credentials: { authorization: 'made up' } })).toBe('203.0.113.9')
})

test('queries and mutations go over it, faults are masked, and texts that do not fit the schema refused', async () => {
  expect(await ask(gateway, 'mutation { tick(text: "one") }')).toEqual({ data: { tick: expect.any(Number) } })
  const odd = JSON.stringify({ query: '{ unheardOf }', variables: {} })
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { ...HEADERS, ...sign({ method: 'POST', path: '/graphql', headers: HEADERS }, odd) },
    body: odd,
  })
  expect([response.status, ((await response.json()) as { errors: unknown[] }).errors]).toEqual([
    400,
    [expect.objectContaining({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } })],
  ])
})

async function subscribe(query: string) {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const caller = { requestId: 'r', address: '127.0.0.1', credentials: {} }
  return prepared.subscribe?.({}, { caller, signal: new AbortController().signal })
}

test('events arrive in order, completed by other subgraphs, and their source ends with the last subscriber', async () => {
  const begun = await subscribe('subscription { ticked { text thing { label } } }')
  if (begun?.kind !== 'open') throw new Error('Expected a subscription that runs.')
  const changes: unknown[] = []
  const source = followed(begun.source)
  const next = async () => changes.push(((await source.next()) as ExecutionResult).data)
  while (ticker.listening() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  for (const text of ['a', 'b', 'c']) ticker.tick(text)
  for (const _ of 'abc') await next()
  expect(changes).toEqual(['a', 'b', 'c'].map((text) => ({ ticked: { text, thing: { label: expect.any(String) } } })))
  source.return()
  await expect.poll(() => ticker.listening()).toBe(0)
})

test('an error that rejects or ends a subscription keeps its code, and internal errors are masked', async () => {
  const refused = await subscribe('subscription { refused { text } }')
  expect(refused).toMatchObject({ kind: 'refused', errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  const failing = await subscribe('subscription { failing { text } }')
  if (failing?.kind !== 'open') throw new Error('Expected a subscription that runs.')
  const source = followed(failing.source)
  await source.next()
  const fault = await source.next()
  expect(fault).toMatchObject({ ended: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] })
  expect(JSON.stringify(fault)).not.toContain('hunter2')
})

test('changed types are sent to gateways', async () => {
  const heard: unknown[] = []
  const silence = links[0]?.onChange?.((types) => heard.push(types))
  await expect
    .poll(() => {
      notifyAll(['Tick'])
      return heard
    })
    .toContainEqual(['Tick'])
  silence?.()
})

test('an endpoint in another process gets the request unchanged, and its response is returned unchanged', async () => {
  const remote = remoteRoutes(httpRoutes.routes, { url: base, sign })
  const request = new IncomingMessage(null as never)
  Object.assign(request, {
    method: 'POST',
    url: '/form?x=1',
    headers: { cookie: 'c=3', host: 'shop.example', 'content-length': '5' },
  })
  request.push('hello')
  request.push(null)
  const answered = await new Promise<{ status: number; headers: unknown; body: string }>((resolve) => {
    let [status, headers]: [number, unknown] = [0, null]
    const response = {
      writeHead: (code: number, given: unknown) => {
        status = code
        headers = given
      },
      end: (bytes: Uint8Array) => resolve({ status, headers, body: Buffer.from(bytes).toString() }),
    }
    void remote.httpRoutes.handle(request, response as unknown as ServerResponse, { requestId: 'r-9', address: '203.0.113.9' })
  })
  expect(answered).toMatchObject({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } })
  expect(JSON.parse(answered.body)).toEqual({
    body: 'hello',
    cookie: 'c=3',
    url: '/form?x=1',
    from: { requestId: 'r-9', address: '203.0.113.9' },
  })
  await remote.close()
})
