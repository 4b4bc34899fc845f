import { once } from 'node:events'
import { request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { variables } from '../../../config.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { parseProxies } from '../../../platform/http/trusted-proxies.ts'
import { type LocalGraph, localGraph, recordingLog } from '../../gateway/support/graph.ts'

/** Loopback has many addresses: two are those of proxies. */
const PROXY = '127.0.0.1'
const INNER_PROXY = '127.8.0.9'
const STRANGER = '127.0.0.2'

let graph: LocalGraph
let app: FastifyInstance
let port: number
beforeAll(async () => {
  graph = await localGraph()
  const { TRUSTED_PROXIES: isProxy } = readConfig(variables, { TRUSTED_PROXIES: `${PROXY}, 127.8.0.0/16, fd00::/8` })
  app = createHttpServer({ log: recordingLog().log, isProxy })
  await serveGraphql(app, graph.gateway)
  serveWebSockets(app, graph.gateway, { isProxy })
  app.get('/seen', async ({ ip, protocol, host }) => ({ ip, protocol, host }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = Number(new URL(app.listeningOrigin).port)
})
afterAll(async () => {
  await app.close()
  await graph.gateway.close()
})

type Headers = Readonly<Record<string, string | readonly string[]>>

async function seen(localAddress: string, headers: Headers, path = '/seen') {
  const outgoing = request({ host: '127.0.0.1', port, path, localAddress, headers: { host: 'inside', ...headers } as never })
  outgoing.end()
  const [answer] = await once(outgoing, 'response')
  let text = ''
  for await (const chunk of answer) text += chunk
  return JSON.parse(text)
}

const addressInGraph = async (localAddress: string, headers: Headers) => {
  const endpoint = `/graphql?query=${encodeURIComponent('{ caller }')}`
  const { data } = await seen(localAddress, { ...headers, 'apollo-require-preflight': '1' }, endpoint)
  return JSON.parse(data.caller).address
}

async function addressOverSocket(localAddress: string, headers: Headers) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', {
    localAddress,
    headers: headers as never,
  })
  const next = async () => JSON.parse(String((await once(socket, 'message'))[0]))
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await next()
  socket.send('{"type":"subscribe","id":"1","payload":{"query":"{ caller }"}}')
  const { payload } = await next()
  socket.close()
  return JSON.parse(payload.data.caller).address
}

describe.each([
  ['HTTP', async (from: string, headers: Headers) => (await seen(from, headers)).ip],
  ['the graph', addressInGraph],
  ['a WebSocket', addressOverSocket],
])('the address of a client over %s', (_, addressSeen) => {
  test.each<[string, string, Headers, string]>([
    ['is what a proxy says', PROXY, { 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    ['is its own, whatever a stranger says', STRANGER, { 'x-forwarded-for': '203.0.113.7' }, STRANGER],
    ['is its own where it names a proxy', STRANGER, { 'x-forwarded-for': PROXY }, STRANGER],
    [
      'is what the last proxy saw, not what the client said before',
      PROXY,
      { 'x-forwarded-for': '10.9.9.9, 203.0.113.7' },
      '203.0.113.7',
    ],
    ['is found behind two proxies', PROXY, { 'x-forwarded-for': `10.9.9.9, 203.0.113.7, ${INNER_PROXY}` }, '203.0.113.7'],
    ['is found in several headers', PROXY, { 'x-forwarded-for': ['10.9.9.9', '203.0.113.7'] }, '203.0.113.7'],
    ['may be of IPv6', PROXY, { 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7'],
    ['is that of the proxy which says nothing', PROXY, {}, PROXY],
    [
      'is that of the first proxy where there are only proxies',
      PROXY,
      { 'x-forwarded-for': `fd00::1, ${INNER_PROXY}` },
      'fd00::1',
    ],
  ])('%s', async (__, from, headers, expected) => {
    expect(await addressSeen(from, headers)).toBe(expected)
  })
})

test('the protocol and the host come from a trusted proxy only', async () => {
  const said = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' }
  expect(await seen(PROXY, said)).toMatchObject({ protocol: 'https', host: 'shop.example' })
  expect(await seen(STRANGER, said)).toMatchObject({ protocol: 'http', host: 'inside' })
})

test('without settings no proxy is trusted', async () => {
  const plain = createHttpServer({ log: recordingLog().log })
  plain.get('/seen', async ({ ip, protocol, host }) => ({ ip, protocol, host }))
  const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
  const url = await plain.listen({ port: 0, host: '127.0.0.1' })
  const answer = await (await fetch(`${url}/seen`, { headers })).json()
  expect(answer).toEqual({ ip: '127.0.0.1', protocol: 'http', host: new URL(url).host })
  await plain.close()
})

test.each([
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.10', false],
  ['fd00::1', 'fd00::1', true],
  ['fd00::/8', 'fd12::1%eth0', false],
  ['10.0.0.0/8', '0x0a.1', false],
  ['10.0.0.0/8', '', false],
])('of proxies in %s, %j is one: %s', (network, address, expected) => {
  expect(parseProxies([network])(address)).toBe(expected)
})

test.each(['proxy', '10.0.0.0/33', '1', '10.0.0.1,', 'loopback'])('TRUSTED_PROXIES=%s stops the start', (text) => {
  expect(() => readConfig(variables, { TRUSTED_PROXIES: text })).toThrow(/^Expected TRUSTED_PROXIES to be addresses or networks/)
})
