import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keysOf, LINK_PATH, NONCE_HEADER, newNonce, PROTOCOL } from '../../../gateway/multiplexed-link/handshake.ts'
import { MESSAGE, outgoing, writeMessage } from '../../../gateway/multiplexed-link/messages.ts'
import { createRecordOpener, createRecordSealer } from '../../../gateway/multiplexed-link/records.ts'
import { createSessionKey, createSignatureVerifier, createSigner, type Sign } from '../../../gateway/signed-link/signature.ts'
import { serveSubgraph } from '../../../gateway/signed-link/subgraph-endpoint.ts'
import { createRemoteLink, type RemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { listen } from '../../../platform/http/listen.ts'
import type { ReadinessCheck } from '../../../platform/http/readiness.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { recordingLog } from '../support/graph.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

const SECRETS = ['the newer secret, which signs now', 'the older secret, believed a while']
const sign = createSigner(SECRETS, Date.now)
const sessionKey = createSessionKey(SECRETS)

let ticker: Ticker
let origin: string
let app: FastifyInstance
/** Paths of requests over HTTP; and callers of operations, over both. */
const paths: string[] = []
const callers: Caller[] = []
/** Most requests that a subgraph had at once. */
let maxConcurrent = 0
const links: RemoteLink[] = []

/** A server of the ticking subgraph that does not listen yet. */
async function create(checks: readonly ReadinessCheck[] = []): Promise<FastifyInstance> {
  const [subgraph] = ticker.subgraphs
  if (!subgraph) throw new Error('Expected a subgraph.')
  const { log } = recordingLog()
  const server = createHttpServer({ log, checks, upgradeProtocol: PROTOCOL, loadLimit: 1_000 })
  server.server.on('request', ({ url = '' }: IncomingMessage) => paths.push(url))
  const context = (caller: Caller) => {
    callers.push(caller)
    maxConcurrent = Math.max(maxConcurrent, server.load.inFlight())
    return subgraph.context(caller)
  }
  await serveSubgraph(server, { ...subgraph, context }, { judge: createSignatureVerifier(SECRETS, Date.now), log })
  return server
}

async function serve(checks?: readonly ReadinessCheck[]): Promise<FastifyInstance> {
  const server = await create(checks)
  await server.listen({ host: '127.0.0.1', port: 0 })
  return server
}

const originOf = ({ server }: FastifyInstance) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  ticker = await startTicker()
  app = await serve()
  origin = originOf(app)
})
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()))
  await app.close()
})

function linkTo(at = origin, secrets = SECRETS): RemoteLink {
  const how = { sign: createSigner(secrets, Date.now), sessionKey: createSessionKey(secrets) }
  const link = createRemoteLink({ name: 'ticking', url: `${at}/graphql`, ...how })
  links.push(link)
  return link
}

const ANN: Caller = { requestId: 'r-7', address: '203.0.113.7', credentials: { authorization: 'Bearer x' } }
const ask = (link: RemoteLink, query = '{ now }', { signal = new AbortController().signal, caller = ANN, variables = {} } = {}) =>
  link.execute({ query, variables, operationName: undefined }, { caller, signal })

/** Asks until a request needs no HTTP of its own. */
async function multiplexed(at?: string, secrets?: readonly string[]): Promise<RemoteLink> {
  const link = linkTo(at, secrets as string[])
  await expect.poll(() => isMultiplexed(link)).toBe(true)
  return link
}

/** Whether a request needs none over HTTP. */
async function isMultiplexed(link: RemoteLink): Promise<boolean> {
  const before = paths.length
  await ask(link)
  return paths.length === before
}

test('requests at once share a connection, and each gets its own answer, in whatever order', async () => {
  const link = await multiplexed()
  const before = paths.length
  const slow = ask(link, 'query ($for: Int!) { later(milliseconds: $for) }', { variables: { for: 100 } })
  const others = await Promise.all(Array.from({ length: 7 }, (_, index) => ask(link, `{ number${index % 4}: now }`)))
  expect(others.map(({ data }) => Object.keys(data ?? {}))).toEqual(Array.from({ length: 7 }, (_, i) => [`number${i % 4}`]))
  expect((await slow).data).toEqual({ later: expect.any(Number) })
  expect(await ask(link, 'mutation { tick(text: "Käse 🧀") }')).toEqual({ data: { tick: expect.any(Number) } })
  expect((await ask(link, '{ unheardOf }')).errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED')
  expect(paths.length).toBe(before)
})

test('the subgraph gets the caller as the gateway identified it, and nothing that a signature would not cover', async () => {
  const link = await multiplexed()
  const connectedAt = new Date('2026-11-21T10:00:00.000Z')
  const grantedScopes = [{ holding: 'read_orders', scopes: ['read_customers'] }]
  const headers = { 'x-smuggled': 'yes' }
  await ask(link, '{ now }', { caller: { ...ANN, connectedAt, grantedScopes, headers } })
  expect(callers.at(-1)).toEqual({ ...ANN, connectedAt, grantedScopes })
})

test('a request whose client leaves is stopped at the subgraph, and others go on', async () => {
  const link = await multiplexed()
  const leaving = new AbortController()
  const left = ask(link, '{ later(milliseconds: 60000) }', { signal: leaving.signal })
  const stays = ask(link, '{ later(milliseconds: 50) }')
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect((await stays).data).toEqual({ later: expect.any(Number) })
  await expect.poll(() => app.load.inFlight()).toBe(0)
})

test('a subgraph that is full refuses a request before it begins', async () => {
  const link = await multiplexed()
  const works: object[] = []
  for (let work = {}; app.load.acquire(work, `tenant ${works.length}`); work = {}) works.push(work)
  const before = callers.length
  await expect(ask(link)).rejects.toThrow('did not answer this part')
  expect(callers.length).toBe(before)
  for (const work of works) app.load.release(work)
  expect((await ask(link)).data).toEqual({ now: expect.any(Number) })
})

test('variables that are too long for it go over HTTP', async () => {
  const link = await multiplexed()
  const before = paths.length
  const variables = { text: 'x'.repeat(300_000) }
  expect((await ask(link, 'mutation ($text: String) { tick(text: $text) }', { variables })).data).toBeTruthy()
  expect(paths.slice(before)).toEqual(['/graphql'])
})

test('a subgraph gets 64 requests of one gateway at once, over both ways together', async () => {
  const link = await multiplexed()
  maxConcurrent = 0
  const before = paths.length
  const answers = await Promise.all(
    Array.from({ length: 110 }, (_, index) => ask(link, `{ number${index}: later(milliseconds: 50) }`)),
  )
  expect(answers.filter(({ data }) => data)).toHaveLength(110)
  expect(paths.length - before).toBeGreaterThan(0)
  expect(paths.length - before).toBeLessThan(110)
  expect(maxConcurrent).toBeLessThanOrEqual(64)
})

test('a copy that is not ready has its requests sent elsewhere, until it is ready again', async () => {
  let isUp = true
  const check = async () => {
    if (!isUp) throw new Error('Expected a database.')
  }
  const copy = await serve([{ name: 'database', check }])
  const at = originOf(copy)
  const link = await multiplexed(at)
  isUp = false
  // Over HTTP, a balancer takes them to other copies.
  await expect
    .poll(async () => {
      expect((await fetch(`${at}/ready`)).status).toBe(503)
      return isMultiplexed(link)
    })
    .toBe(false)
  isUp = true
  expect((await fetch(`${at}/ready`)).status).toBe(200)
  await expect.poll(() => isMultiplexed(link)).toBe(true)
  await link.close()
  await copy.close()
})

test('gateways hear that a copy stops before the answer of its /ready', async () => {
  let isUp = true
  const check = async () => {
    if (!isUp) throw new Error('Expected a database.')
  }
  const copy = await serve([{ name: 'database', check }])
  const [upgraded, writes]: [Set<object>, string[]] = [new Set(), []]
  copy.server.on('upgrade', (_, socket) => upgraded.add(socket))
  copy.server.on('connection', (socket: Socket) => {
    const { write } = socket
    // `write` has several signatures, which pass through here.
    socket.write = function (this: Socket, ...args: never[]) {
      writes.push(upgraded.has(socket) ? 'link' : 'answer')
      return write.apply(this, args as never)
    } as typeof write
  })
  const { socket, keys } = await handshake({ at: originOf(copy) })
  if (!socket) throw new Error('Expected a connection.')
  socket.write(recordOf(createRecordSealer(keys.seal), PING))
  await once(socket, 'data')
  isUp = false
  writes.length = 0
  expect((await fetch(`${originOf(copy)}/ready`)).status).toBe(503)
  expect(writes.slice(0, 2)).toEqual(['link', 'answer'])
  socket.destroy()
  await copy.close()
})

test('requests over links have no more time than others when a subgraph stops', async () => {
  const old = await create()
  const stops: (() => Promise<unknown>)[] = []
  await listen(old, { host: '127.0.0.1', port: 0, graceSeconds: 0.05 }, (stop) => stops.push(stop))
  const link = await multiplexed(originOf(old))
  const before = paths.length
  const slow = expect(ask(link, '{ later(milliseconds: 1500) }')).rejects.toThrow('did not answer')
  await expect.poll(() => old.load.inFlight()).toBe(1)
  expect(paths.length).toBe(before)
  for (const stop of stops) await stop()
  await slow
})

test('a subgraph that stops has its requests sent elsewhere before, and loses none', async () => {
  const old = await serve()
  const at = originOf(old)
  const link = await multiplexed(at)
  const slow = ask(link, '{ later(milliseconds: 200) }')
  await ask(link)
  old.startDraining()
  await expect.poll(() => isMultiplexed(link)).toBe(false)
  expect((await handshake({ at })).status).toBe(503)
  const closing = old.close()
  expect((await slow).data).toEqual({ later: expect.any(Number) })
  await closing
})

test('a subgraph without the protocol gets requests over HTTP', async () => {
  const plain = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"data":{"now":1}}')
  }).listen(0, '127.0.0.1')
  await once(plain, 'listening')
  const link = linkTo(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`)
  for (let count = 0; count < 3; count++) expect(await ask(link)).toEqual({ data: { now: 1 } })
  plain.close()
})

/** Opens a connection as a gateway would, by whoever `how` says; null when it is refused. */
async function handshake(how: { sign?: Sign; path?: string; key?: typeof sessionKey; at?: string } = {}) {
  const nonce = newNonce()
  const path = `${LINK_PATH}${nonce}`
  const signed = (how.sign ?? sign)({ method: 'GET', path, headers: {} }, '')
  const headers = { connection: 'Upgrade', upgrade: PROTOCOL, ...signed }
  const handshaking = request(`${how.at ?? origin}${how.path ?? path}`, { headers }).end()
  const [response, socket] = await Promise.race([once(handshaking, 'upgrade'), once(handshaking, 'response')])
  if (response.statusCode !== 101) return { status: response.statusCode as number }
  const keys = keysOf(how.key ?? sessionKey, nonce, response.headers[NONCE_HEADER])
  return { status: 101, keys, headers, path, socket: socket as Socket }
}

const PING = outgoing(MESSAGE.ping, 0)
const HEAD = JSON.stringify([0, null, { 'x-forwarded-for': '127.0.0.1', authorization: 'Bearer stolen' }, null])
const recordOf = (seal: ReturnType<typeof createRecordSealer>, ...messages: ReturnType<typeof outgoing>[]) =>
  seal(
    messages.reduce((sum, { size }) => sum + size, 0),
    (bytes, offset) => void messages.reduce((at, message) => writeMessage(bytes, at, message), offset),
  )
const ATTACK = [outgoing(MESSAGE.text, 0, '', 'mutation { tick(text: "forged") }'), outgoing(MESSAGE.request, 1, HEAD, '{}')]

test.each([
  ['has no signature', { sign: () => ({}) }, 401],
  ['was signed with another secret', { sign: createSigner(['x'.repeat(32)], Date.now) }, 401],
  ['was signed a minute ago', { sign: createSigner(SECRETS, () => Date.now() - 60_000) }, 401],
  ['was signed for another nonce', { path: `${LINK_PATH}${newNonce()}` }, 401],
  ['has a path without a nonce', { path: `${LINK_PATH}short` }, 404],
  ['a gateway signed', {}, 101],
  ['a gateway signed with the older of two secrets', { sign: createSigner(SECRETS.slice(1), Date.now) }, 101],
])('a handshake that %s is answered by its right', async (_, how, status) => {
  const { status: got, socket } = await handshake(how)
  socket?.destroy()
  expect(got).toBe(status)
})

test('a gateway that signs with the older secret gets keys by that one', async () => {
  const link = await multiplexed(origin, SECRETS.slice(1))
  expect((await ask(link)).data).toEqual({ now: expect.any(Number) })
})

test.each<[string, (seal: Buffer) => readonly Buffer[]]>([
  ['by keys of another secret', () => [recordOf(createRecordSealer(Buffer.alloc(32)), ...ATTACK)]],
  ['that were changed', (key) => [changed(recordOf(createRecordSealer(key), ...ATTACK))]],
  ['whose first one is left out', (key) => [afterPing(key)]],
  ['that come twice', (key) => twice(recordOf(createRecordSealer(key), PING))],
  ['longer than any request', () => [Buffer.from([0xff, 0xff, 0xff, 0xff, ...Buffer.alloc(16)])]],
])('records %s close the connection, and nothing of them is done', async (_, recordsOf) => {
  const { socket, keys } = await handshake()
  if (!socket) throw new Error('Expected a connection.')
  const before = callers.length
  for (const record of recordsOf(keys.seal)) socket.write(record)
  socket.on('error', () => {}).resume()
  await once(socket, 'close')
  expect(callers.length).toBe(before)
})

function changed(record: Buffer): Buffer {
  const at = record.indexOf('stolen')
  record.write('STOLEN', at)
  return record
}
function afterPing(key: Buffer): Buffer {
  const seal = createRecordSealer(key)
  recordOf(seal, PING)
  return recordOf(seal, ...ATTACK)
}
const twice = (record: Buffer) => [record, record]

test('a connection that was recorded cannot be played again, nor its records sent over another one', async () => {
  const first = await handshake()
  if (!first.socket) throw new Error('Expected a connection.')
  const record = recordOf(createRecordSealer(first.keys.seal), ...ATTACK)
  first.socket.write(record)
  await expect.poll(() => callers.at(-1)?.credentials.authorization).toBe('Bearer stolen')
  first.socket.destroy()
  const before = callers.length
  // The same handshake, to the byte, within the time of its signature.
  const again = connect(Number(new URL(origin).port), '127.0.0.1')
  const lines = Object.entries({ host: 'x', ...first.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  again.on('error', () => {}).write(`GET ${first.path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await once(again, 'data')
  again.resume().write(record)
  await once(again, 'close')
  expect(callers.length).toBe(before)
})

test('a program in place of a subgraph that does not know the secret gets no request over a link', async () => {
  const heard: Buffer[] = []
  const impostor = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n${NONCE_HEADER}: ${newNonce()}\r\n\r\n`,
      )
      socket.on('data', (chunk) => {
        heard.push(chunk)
        // Sends back what it gets, which is by the key of the other direction.
        socket.write(chunk)
      })
    })
  }).listen(0, '127.0.0.1')
  await once(impostor, 'listening')
  const link = linkTo(`http://127.0.0.1:${(impostor.address() as AddressInfo).port}`)
  const leaving = new AbortController()
  const answer = ask(link, '{ now }', { signal: leaving.signal }).catch(() => {})
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  expect(Buffer.concat(heard).includes('Bearer x')).toBe(false)
  leaving.abort()
  await answer
  await link.close()
  impostor.close()
})

test('an opener takes records in pieces of any size', () => {
  const key = Buffer.alloc(32, 1)
  const seal = createRecordSealer(key)
  const bytes = Buffer.concat(['a', 'bc', ''].map((text) => seal(text.length, (record, at) => void record.write(text, at))))
  for (const size of [1, 3, 7, bytes.length]) {
    const got: string[] = []
    const open = createRecordOpener(key, 100, (payload) => got.push(payload.toString()))
    for (let at = 0; at < bytes.length; at += size) open(bytes.subarray(at, at + size))
    expect(got).toEqual(['a', 'bc', ''])
  }
})
