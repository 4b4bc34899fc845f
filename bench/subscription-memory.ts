/**
 * Measures the memory of identical subscriptions: starts an Atrium of its own, opens sockets, and
 * then asks the same subscription many times over each.
 *
 *   node bench/subscription-memory.ts
 *   --sockets N (1000)   sockets
 *   --each N (100)       identical subscriptions per socket
 *   --distinct           asks each subscription with a text of its own instead
 *   --signed-in          asks as one user who is signed in
 *   --users N            asks as so many users who are signed in, in turns over the sockets
 *   --heap N             heap of the server in megabytes; Node's own default without it
 */
import { once } from 'node:events'
import { get } from 'node:http'
import type { Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { freePort } from '../platform/http/listen.ts'
import { residentBytes, startAtrium } from './server.ts'

/**
 * Megabytes that 100,000 identical subscriptions on 1,000 sockets may take, without the sockets
 * themselves.
 */
const BUDGET_MB = 300

const { values } = parseArgs({
  options: {
    sockets: { type: 'string', default: '1000' },
    each: { type: 'string', default: '100' },
    distinct: { type: 'boolean', default: false },
    'signed-in': { type: 'boolean', default: false },
    users: { type: 'string', default: '0' },
    heap: { type: 'string' },
  },
})
const [sockets, each] = [Number(values.sockets), Number(values.each)]

const users = Number(values.users) || (values['signed-in'] ? 1 : 0)
const isOwn = values.distinct || users > 0
const inspectorPort = await freePort('127.0.0.1')

const atrium = await startAtrium({
  settings: {
    LOG_LEVEL: 'error',
    // All clients of this measurement have one address, and perhaps one credential.
    MAX_SUBSCRIPTIONS_PER_ADDRESS: '0',
    MAX_SUBSCRIPTIONS_PER_CREDENTIAL: '0',
    // Openings that each ask the database are to wait here, not to be refused.
    LOAD_LIMIT: '0',
    // So that users sign up from addresses of their own.
    TRUSTED_PROXIES: '127.0.0.1',
    NODE_OPTIONS: `--inspect-port=127.0.0.1:${inspectorPort}${values.heap ? ` --max-old-space-size=${values.heap}` : ''}`,
  },
})
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** First byte of a ping, and a whole pong. Who answers none is cut off after half a minute. */
const [PING, PONG] = [0x89, Buffer.from([0x8a, 0x80, 0, 0, 0, 0])]

/**
 * A short text frame as clients send it: masked, with a key that changes nothing (RFC 6455 §5.2).
 */
function framed(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message))
  const { length } = payload
  const header = length < 126 ? [0x81, 0x80 | length] : [0x81, 0xfe, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), payload])
}

function connected(init: object): Promise<Socket> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-protocol': 'graphql-transport-ws',
  }
  return new Promise((resolve, reject) => {
    const request = get(`${atrium.base}/graphql`, { headers, agent: false })
    request.once('error', reject)
    request.once('upgrade', (_, socket) => {
      socket.on('error', () => {})
      socket.write(framed({ type: 'connection_init', payload: init }))
      socket.once('data', () => {
        socket.on('data', (bytes: Buffer) => {
          if (bytes.includes(PING)) socket.write(PONG)
        })
        resolve(socket)
      })
    })
  })
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${atrium.base}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
}

/** Has the server collect its garbage, which what is opened with a database leaves much of. */
async function collectGarbage(): Promise<void> {
  // Opens the inspector.
  process.kill(atrium.pid, 'SIGUSR1')
  const targets = async () => {
    const answer = await fetch(`http://127.0.0.1:${inspectorPort}/json/list`).catch(() => null)
    return (await answer?.json()) as { webSocketDebuggerUrl: string }[] | undefined
  }
  let [target] = (await targets()) ?? []
  for (let tries = 0; !target && tries < 100; tries++) {
    await sleep(100)
    target = (await targets())?.[0]
  }
  if (!target) throw new Error('Expected the inspector of the server to answer within ten seconds.')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await once(socket, 'message')
  socket.terminate()
}

async function idleMemory(): Promise<{ readonly resident: number; readonly heap: number }> {
  await sleep(5_000)
  await collectGarbage()
  await sleep(1_000)
  return { resident: residentBytes(atrium.pid), heap: await figure('nodejs_heap_size_used_bytes') }
}

async function signedIn(number: number): Promise<string> {
  const ask = async (query: string) => {
    const answer = await fetch(`${atrium.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${number >> 8}.${number & 255}` },
      body: JSON.stringify({ query }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: the answers of two mutations, read once.
    return (await answer.json()) as any
  }
  const who = `email: "bench${number}@example.org", password: "correct horse"`
  await ask(`mutation { createUser(input: { ${who}, name: "Bench" }) { __typename } }`)
  return `Bearer ${(await ask(`mutation { login(${who}) { ... on LoginSuccess { token } } }`)).data.login.token}`
}

/** Waits until so many run, or nothing happens for five seconds. */
async function reached(count: number): Promise<void> {
  let [last, still] = [0, 0]
  while (last < count && still < 50) {
    const now = await figure('atrium_subscriptions_running')
    still = now === last ? still + 1 : 0
    last = now
    if (now < count) await sleep(100)
  }
}

const mb = (bytes: number) => `${(bytes / 1_000_000).toFixed(0)} MB`

try {
  const presented: object[] = []
  while (presented.length < users) presented.push({ authorization: await signedIn(presented.length) })
  /** Of a socket: users take turns. */
  const init = (number: number) => presented[number % presented.length] ?? {}
  const open: Socket[] = []
  // The first sockets load code and fill pools.
  for (const socket of await Promise.all(Array.from({ length: 50 }, () => connected(init(0))))) {
    socket.write(framed({ id: '1', type: 'subscribe', payload: { query: 'subscription { userCreated { id name } }' } }))
    await sleep(10)
    socket.destroy()
  }
  while (open.length < sockets) {
    const count = Math.min(100, sockets - open.length)
    open.push(...(await Promise.all(Array.from({ length: count }, (_, index) => connected(init(open.length + index))))))
  }
  const before = await idleMemory()
  const began = performance.now()
  for (const [index, socket] of open.entries()) {
    const alias = (number: number) => (values.distinct ? `a${index}_${number}: ` : '')
    const messages = Array.from({ length: each }, (_, number) => ({
      id: String(number),
      type: 'subscribe',
      payload: { query: `subscription { ${alias(number)}userCreated { id name } }` },
    }))
    socket.write(Buffer.concat(messages.map(framed)))
    if (index % 5 === 4) await sleep(20)
    // Each begins with work of its own then, which is to be done within the time that an operation
    // has.
    if (isOwn) await reached((index + 1) * each)
  }
  await reached(sockets * each)
  const seconds = (performance.now() - began) / 1000
  const running = await figure('atrium_subscriptions_running')
  const after = await idleMemory()
  const more = after.resident - before.resident
  const verdict = more <= BUDGET_MB * 1e6 ? 'within' : 'OVER'
  console.log(
    `${running} of ${sockets * each} subscriptions run over ${sockets} sockets after ${seconds.toFixed(1)} s: ` +
      `${mb(more)} more (${verdict} ${BUDGET_MB} MB), ${(more / running).toFixed(0)} bytes each; ` +
      `heap ${mb(after.heap - before.heap)} more, ${((after.heap - before.heap) / running).toFixed(0)} bytes each; ` +
      `resident ${mb(before.resident)} before, ${mb(after.resident)} after`,
  )
  for (const socket of open) socket.destroy()
} finally {
  await atrium.stop()
}
