import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { ChannelKeys } from '../../../gateway/multiplexed-link/channel.ts'
import {
  type GatewayConnection,
  gatewayConnection,
  type MultiplexedRequest,
} from '../../../gateway/multiplexed-link/gateway-connection.ts'
import { keysOf, LINK_PATH, NONCE_HEADER, newNonce, PROTOCOL } from '../../../gateway/multiplexed-link/handshake.ts'
import { type LinkMessage, MESSAGE, outgoing, readMessages, writeMessage } from '../../../gateway/multiplexed-link/messages.ts'
import { createRecordOpener, createRecordSealer } from '../../../gateway/multiplexed-link/records.ts'
import { serveMultiplexedLinks } from '../../../gateway/multiplexed-link/subgraph-end.ts'
import { createSessionKey, createSignatureVerifier, createSigner } from '../../../gateway/signed-link/signature.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { recordingLog } from '../support/graph.ts'

const SECRETS = ['a secret that both ends of the link have']
const KEYS: ChannelKeys = { seal: Buffer.alloc(32, 1), open: Buffer.alloc(32, 2) }

const requestOf = (variables: string): MultiplexedRequest => ({
  query: '{ now }',
  operationName: undefined,
  variables,
  headers: {},
  grantedScopes: null,
  signal: new AbortController().signal,
})

/** A connection after the other end has proved to know the secret. */
async function proved(socket: Socket, keys: ChannelKeys): Promise<GatewayConnection> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const connection = gatewayConnection(socket, keys, { onProved: resolve, onClose() {} })
  onTestFinished(connection.destroy)
  await promise
  return connection
}

/** A connection to a subgraph that the test plays: what it hears, and how it answers. */
async function connected() {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [subgraph]: Socket[] = await once(server, 'connection')
  if (!subgraph) throw new Error('Expected a connection.')
  const heard: LinkMessage[] = []
  const open = createRecordOpener(KEYS.seal, 1_000_000, (payload) => readMessages(payload, (message) => heard.push(message)))
  subgraph.on('error', () => {}).on('data', open)
  const seal = createRecordSealer(KEYS.open)
  const recordOf = (...message: Parameters<typeof outgoing>) => {
    const out = outgoing(...message)
    return seal(out.size, (bytes, at) => void writeMessage(bytes, at, out))
  }
  subgraph.write(recordOf(MESSAGE.ping, 0))
  const connection = await proved(socket, KEYS)
  return { socket, subgraph, connection, heard, recordOf }
}

test('large requests and large answers of one connection do not stop each other', async () => {
  const app = createHttpServer({ log: recordingLog().log, upgradeProtocol: PROTOCOL })
  const body = 'a'.repeat(500_000)
  serveMultiplexedLinks(app, createSignatureVerifier(SECRETS, Date.now), async () => ({ head: '', body }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const nonce = newNonce()
  const path = `${LINK_PATH}${nonce}`
  const signed = createSigner(SECRETS, Date.now)({ method: 'GET', path, headers: {} }, '')
  const headers = { connection: 'Upgrade', upgrade: PROTOCOL, ...signed }
  const { port } = app.server.address() as AddressInfo
  const [response, socket] = await once(request(`http://127.0.0.1:${port}${path}`, { headers }).end(), 'upgrade')
  const keys = keysOf(createSessionKey(SECRETS), nonce, response.headers[NONCE_HEADER])
  const connection = await proved(socket, keys)
  const variables = JSON.stringify({ text: 'x'.repeat(240_000) })
  const answers = await Promise.all(Array.from({ length: 60 }, () => connection.exchange(requestOf(variables))))
  expect(answers.filter((answer) => answer && 'bytes' in answer && answer.bytes.length === body.length)).toHaveLength(60)
})

test('an answer that takes long to arrive is waited for while bytes of it come', async () => {
  const { socket, subgraph, connection, heard, recordOf } = await connected()
  const exchanged = connection.exchange(requestOf('{}'))
  await expect.poll(() => heard.some(({ kind }) => kind === MESSAGE.request)).toBe(true)
  const record = recordOf(MESSAGE.answer, 1, '', '{"data":{"now":1}}')
  const begun = performance.now()
  for (let at = 0; at < record.length; at += 4) {
    const arriving = once(socket, 'data')
    subgraph.write(record.subarray(at, at + 4))
    await arriving
    // Half a minute, in all.
    for (const half of [1, 2]) connection.check(begun + at * 500 + half * 1_000)
  }
  expect(await exchanged).toMatchObject({ statusCode: 200 })
})

test('a process that did nothing for a while does not hold that against its connections', async () => {
  const { socket, connection } = await connected()
  void connection.exchange(requestOf('{}'))
  connection.check(performance.now() + 10_000)
  expect(socket.destroyed).toBe(false)
})

test('a connection over which nothing comes is probed, and then given up, also while nothing waits for it', async () => {
  const { socket, connection, heard } = await connected()
  await expect.poll(() => heard.length).toBe(1)
  for (let count = 0; count < 4; count++) {
    expect(socket.destroyed).toBe(false)
    connection.check(performance.now())
    await turn()
  }
  await expect.poll(() => heard.map(({ kind }) => kind)).toEqual([MESSAGE.ping, MESSAGE.ping, MESSAGE.ping, MESSAGE.ping])
  connection.check(performance.now())
  expect(socket.destroyed).toBe(true)
})

test('a connection that was given up takes no further request', async () => {
  const { connection } = await connected()
  expect(connection.load()).toBe(0)
  connection.destroy()
  expect(connection.load()).toBe(Number.POSITIVE_INFINITY)
})
