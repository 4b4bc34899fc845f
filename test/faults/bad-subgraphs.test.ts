import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { residentBytes } from '../../bench/server.ts'
import { acknowledged, type Data } from '../gateway/support/transports.ts'
import { startMain } from '../support/program.ts'
import { isLong } from './support/fault.ts'

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }
type Flaw = (exchange: Exchange) => void
const SECRET = 'what-only-the-subgraph-knows'
const MEGABYTES = 1_000_000

const answers =
  (body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): Flaw =>
  ({ response }) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
/** Writes `begin`, and a byte a time for as long as somebody reads. */
const drips =
  (begin: string): Flaw =>
  ({ request: { socket } }) => {
    socket.write(begin)
    const timer = setInterval(() => socket.write('x'), 100)
    socket.once('close', () => clearInterval(timer))
  }
const BEGUN = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n'

/** 100 MB, a piece after the other: the other subgraph is served by this process, too. */
const pours: Flaw = ({ response }) => {
  const piece = 'x'.repeat(MEGABYTES)
  let left = 100
  const write = () => {
    if (response.destroyed) return
    if (left-- > 0) response.write(piece, () => setImmediate(write))
    else response.end('"}}')
  }
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{"mcpServer":"')
  write()
}
/** Made before anything is asked, for it takes a while. */
const BOMB = isLong ? zlib.gzipSync(`{"data":{"mcpServer":"${'x'.repeat(100 * MEGABYTES)}"}}`) : ''

/** What a subgraph may do instead of its part. The short form takes one of each kind. */
const FLAWS: readonly { readonly what: string; readonly flaw: Flaw; readonly isShort?: true }[] = [
  { what: 'never answers', flaw: () => {} },
  { what: 'sends its headers a byte at a time', flaw: drips('HTTP/1.1 200 OK\r\nx-slow: '), isShort: true },
  { what: 'sends its body a byte at a time', flaw: drips(`${BEGUN}{"data":"`) },
  { what: 'resets before it answers', flaw: ({ request }) => void request.socket.resetAndDestroy() },
  {
    what: 'resets in the middle',
    flaw: ({ request: { socket } }) => void socket.write(`${BEGUN}{"data":`, () => socket.resetAndDestroy()),
    isShort: true,
  },
  { what: 'fails', flaw: answers(`<h1>${SECRET}</h1>`, 500, { 'content-type': 'text/html' }) },
  {
    what: 'fails with a stack',
    flaw: answers(JSON.stringify({ error: { message: SECRET, stack: 'at file:///app/a.js' } }), 500),
  },
  { what: 'is overloaded', flaw: answers('', 503, { 'retry-after': '3' }) },
  {
    what: 'believes no signature',
    flaw: answers(JSON.stringify({ error: { code: 'UNAUTHENTICATED', message: SECRET } }), 401),
    isShort: true,
  },
  { what: 'answers no JSON', flaw: answers(`{"data": ${SECRET}`) },
  { what: 'answers data that is a list', flaw: answers(`{"data": ["${SECRET}"]}`) },
  { what: 'answers errors that are a text', flaw: answers(`{"data": {}, "errors": "${SECRET}"}`) },
  { what: 'answers a field of another shape', flaw: answers(`{"data": {"mcpServer": ["${SECRET}"]}}`), isShort: true },
  { what: 'answers 100 MB', flaw: pours, isShort: true },
  { what: 'answers 100 MB that were compressed', flaw: answers(BOMB, 200, { 'content-encoding': 'gzip' }) },
]

let bad: Server
let good: Server
/** Null: it answers as it should. */
let flaw: Flaw | null = null
let flawed = 0
let gateway: Awaited<ReturnType<typeof startMain>>
let base: string
let memoryBefore: number

const serve = async (answer: Flaw): Promise<Server> => {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end('{}')
    answer({ request, response })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/**
 * A gateway as an installation has it. One subgraph answers as it should; all others are one
 * server, which does what each test says.
 */
beforeAll(async () => {
  good = await serve(answers('{"data":{"shop":{"name":"Corner Shop"}}}'))
  bad = await serve((exchange) => {
    if (flaw === null) return answers('{"data":{"mcpServer":{"name":"Tool"}}}')(exchange)
    flawed++
    flaw(exchange)
  })
  gateway = await startMain({
    PATH: process.env.PATH,
    ATRIUM_ROLE: 'gateway',
    LINK_SECRET: 'a secret of the links of this test',
    CONSOLE_SECRET: 'a secret of the console of this test',
    SUBGRAPH_DIRECTORY_URL: urlOf(bad),
    SUBGRAPH_SOCIAL_URL: urlOf(bad),
    SUBGRAPH_TRUST_URL: urlOf(bad),
    SUBGRAPH_STORE_URL: urlOf(good),
    SUBGRAPH_TIMEOUT_MILLISECONDS: '1000',
    RESPONSE_CACHE_BYTES: '0',
    LOG_LEVEL: 'silent',
  })
  base = gateway.base
  for (let count = 0; count < 50; count++) await healthy()
  memoryBefore = residentBytes(gateway.child.pid ?? 0)
})
afterAll(async () => {
  await gateway?.kill()
  for (const server of [bad, good]) server?.close().closeAllConnections()
})

const BOTH = '{ mcpServer(owner: "a", repo: "b") { name } shop(code: "corner") { name } }'
async function ask(): Promise<{ readonly data: Data; readonly errors?: readonly Data[]; readonly text: string }> {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: BOTH }),
  })
  const text = await response.text()
  return { ...JSON.parse(text), text }
}
const healthy = async () =>
  expect((await ask()).text).toBe('{"data":{"mcpServer":{"name":"Tool"},"shop":{"name":"Corner Shop"}}}')

const CODES = ['INVALID_SUBGRAPH_ANSWER', 'SUBGRAPH_UNAVAILABLE', 'TIMEOUT']
const LEAKS = new RegExp(`${SECRET}|127\\.0\\.0\\.1|file:|node:|\\bat \\w+ |ECONN|undici`)

describe('a subgraph that', () => {
  test.each(FLAWS.filter(({ isShort }) => isLong || isShort))(
    '$what nulls its own fields only',
    async (row) => {
      // So that the circuit stays closed: half of the last attempts have come to something.
      for (let count = 0; count < 10; count++) await healthy()
      flaw = row.flaw
      flawed = 0
      try {
        const { data, errors, text } = await ask()
        expect(data).toEqual({ mcpServer: null, shop: { name: 'Corner Shop' } })
        expect(errors?.map(({ extensions }) => CODES.includes(extensions.code))).toEqual([true])
        expect(text).not.toMatch(LEAKS)
        expect(flawed).toBeGreaterThan(0)

        const rest = await fetch(`${base}/api/mcp`)
        const problem = await rest.text()
        expect([rest.status, rest.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
        expect(JSON.parse(problem)).toMatchObject({ error: { code: 'UNAVAILABLE' } })
        expect(problem).not.toMatch(LEAKS)

        const { ask: over, socket } = await acknowledged(
          new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws'),
        )
        const received = await over({ query: 'subscription { userCreated { name } }' })
        socket.terminate()
        expect(received.map(({ type }) => type)).toEqual(['error'])
        expect(CODES).toContain(received[0].payload[0].extensions.code)
        expect(JSON.stringify(received)).not.toMatch(LEAKS)
      } finally {
        flaw = null
      }
      await healthy()
      // Answers that are refused are not kept, and what of them was read may be as much as one may
      // have, a few times.
      expect(residentBytes(gateway.child.pid ?? 0) - memoryBefore).toBeLessThan(150 * MEGABYTES)
    },
    60_000,
  )

  test('is not there leaves its fields out, until it is back', async () => {
    for (let count = 0; count < 10; count++) await healthy()
    const { port } = bad.address() as AddressInfo
    bad.close().closeAllConnections()
    const { data, errors, text } = await ask()
    expect(data).toEqual({ mcpServer: null, shop: { name: 'Corner Shop' } })
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['SUBGRAPH_UNAVAILABLE'])
    expect(text).not.toMatch(LEAKS)
    expect((await fetch(`${base}/api/mcp`)).status).toBe(503)
    bad.listen(port, '127.0.0.1')
    await once(bad, 'listening')
    await expect.poll(async () => (await ask()).errors, { timeout: 30_000 }).toBeUndefined()
  }, 60_000)
})
