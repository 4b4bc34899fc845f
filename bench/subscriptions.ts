/**
 * Measures sockets and fan-out: starts an Atrium of its own, opens idle sockets, then sends
 * messages into a room that many listen to.
 *
 *   node bench/subscriptions.ts
 *   --idle N (5000)          idle sockets whose memory is measured
 *   --subscribers N (1000)   sockets that listen to one room, shared among 50 users
 *   --messages N (50)        messages sent, one after another
 */
import { fork } from 'node:child_process'
import { get } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { processorMilliseconds, residentBytes, startAtrium } from './server.ts'

/**
 * What is aimed for: bytes of an idle socket, and milliseconds from sending a message to its last
 * but hundredth arrival.
 */
const BUDGETS = { idleBytes: 16_384, fanOutMilliseconds: 30 }
const USERS = 50

const { values } = parseArgs({
  options: {
    idle: { type: 'string', default: '5000' },
    subscribers: { type: 'string', default: '1000' },
    messages: { type: 'string', default: '50' },
  },
})
const [idle, subscribers, messages] = [values.idle, values.subscribers, values.messages].map(Number) as [number, number, number]

// One person says more in a minute here than people do.
const atrium = await startAtrium({ settings: { USER_WRITES_PER_MINUTE: '0', USER_BYTES_PER_DAY: '0' } })
const address = `${atrium.base.replace('http', 'ws')}/graphql`
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function ask<Data>(query: string, variables: object = {}, token?: string): Promise<Data> {
  const response = await fetch(`${atrium.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

const init = (token: string) => JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })

/** A socket of the protocol graphql-transport-ws that is acknowledged. */
function connected(token: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, 'graphql-transport-ws', { perMessageDeflate: false })
    socket.once('error', reject)
    socket.once('open', () => socket.send(init(token)))
    socket.once('message', () => resolve(socket))
  })
}

/** First bytes of whole frames (RFC 6455 §5.2). */
const [TEXT, PING, PONG] = [0x81, 0x89, 0x8a]

/** A frame as clients send them: masked, with a key that changes nothing. */
function framed(first: number, text: string): Buffer {
  const payload = Buffer.from(text)
  const { length } = payload
  const header = length < 126 ? [first, 0x80 | length] : [first, 0xfe, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), payload])
}

/**
 * A WebSocket that sends `texts`, each but the first when something was answered, and then only
 * notes when a text arrives that has `word` in it: a thousand of them share processors with the
 * server, and what they do beyond that would be measured as the server's.
 */
function listening(
  url: string,
  protocol: string,
  texts: readonly string[],
  word: string,
  onArrival: () => void,
): Promise<Socket> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    ...(protocol && { 'sec-websocket-protocol': protocol }),
  }
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false })
    request.once('error', reject)
    request.once('response', ({ statusCode }) => reject(new Error(`Expected a WebSocket, got status ${statusCode}.`)))
    request.once('upgrade', (_, socket) => {
      socket.on('data', (bytes: Buffer) => {
        if (bytes[0] === PING) socket.write(framed(PONG, ''))
        else if (bytes.includes(word)) onArrival()
        else say()
      })
      const toSay = [...texts]
      const say = () => {
        const text = toSay.shift()
        if (text !== undefined) socket.write(framed(TEXT, text))
      }
      say()
      resolve(socket)
    })
  })
}

/** Opens `count` sockets, a hundred at a time. */
async function many<Opened>(count: number, open: (index: number) => Promise<Opened>): Promise<Opened[]> {
  const sockets: Opened[] = []
  while (sockets.length < count) {
    const batch = Math.min(100, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: batch }, (_, index) => open(sockets.length + index)))))
  }
  return sockets
}

async function idleMemory(): Promise<number> {
  await sleep(3_000)
  return residentBytes(atrium.pid)
}

type Person = { readonly id: string; readonly token: string }

async function signUp(number: number): Promise<Person> {
  const [email, password] = [`bench${number}@example.org`, 'correct horse']
  await ask('mutation ($input: CreateUserInput!) { createUser(input: $input) { errors { message } } }', {
    input: { email, name: `Bench ${number}`, password },
  })
  const { login } = await ask<{ login: { user: { id: string }; token: string } }>(
    'mutation ($e: String!, $p: String!) { login(email: $e, password: $p) { ... on LoginSuccess { token user { id } } } }',
    { e: email, p: password },
  )
  return { id: login.user.id, token: login.token }
}

async function measureIdle({ token }: Person): Promise<void> {
  // The first sockets load code and fill pools.
  for (const socket of await many(500, () => connected(token))) socket.terminate()
  const before = await idleMemory()
  const sockets = await many(idle, () => connected(token))
  const each = (await idleMemory()) - before
  const verdict = each / idle <= BUDGETS.idleBytes ? 'within' : 'OVER'
  console.log(`${idle} idle sockets: ${(each / idle / 1024).toFixed(1)} KiB each  ${verdict} ${BUDGETS.idleBytes / 1024} KiB`)
  for (const socket of sockets) socket.terminate()
  await sleep(2_000)
}

async function measureFanOut(people: readonly Person[]): Promise<void> {
  const [owner] = people as [Person]
  const { createRoom } = await ask<{ createRoom: { room: { id: string } } }>(
    'mutation ($m: [ID!]) { createRoom(name: "Bench", memberIds: $m) { ... on CreateRoomSuccess { room { id } } } }',
    { m: people.slice(1).map(({ id }) => id) },
    owner.token,
  )
  const roomId = createRoom.room.id
  for (const { token } of people.slice(1)) {
    await ask('mutation ($r: ID!) { acceptRoomInvitation(roomId: $r) { __typename } }', { r: roomId }, token)
  }
  const query = 'subscription ($roomId: ID!) { messageReceived(roomId: $roomId) { id text author { name } room { name } } }'
  const subscription = JSON.stringify({ id: '1', type: 'subscribe', payload: { query, variables: { roomId } } })

  const arrivals: number[] = []
  const sockets = await many(subscribers, (index) => {
    const { token } = people[index % people.length] as Person
    const onArrival = () => arrivals.push(performance.now())
    return listening(`${atrium.base}/graphql`, 'graphql-transport-ws', [init(token), subscription], '"text":"message ', onArrival)
  })
  await sleep(2_000)

  const sendMessage = 'mutation ($roomId: ID!, $text: String!) { sendMessage(roomId: $roomId, text: $text) { __typename } }'
  const send = (number: number) => ask(sendMessage, { roomId, text: `message ${number}` }, owner.token)
  await timesOf(20, send, arrivals)
  const busy = processorMilliseconds(atrium.pid)
  const times = await timesOf(messages, send, arrivals)
  const spent = processorMilliseconds(atrium.pid) - busy
  for (const socket of sockets) socket.destroy()

  const verdict = at(times, 0.99) <= BUDGETS.fanOutMilliseconds ? 'within' : 'OVER'
  console.log(
    `${messages} messages to ${subscribers} subscribers: ${times.length} of ${messages * subscribers} arrived, ` +
      `p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms  ${verdict} ${BUDGETS.fanOutMilliseconds} ms; ` +
      `${((spent / times.length) * 1000).toFixed(1)} µs of processor time per delivery`,
  )
  await compareWithBare(times)
}

/**
 * The same text to as many sockets from a loop that does nothing else: what this machine can do at
 * all.
 */
async function compareWithBare(times: readonly number[]): Promise<void> {
  const server = fork(join(import.meta.dirname, 'bare-broadcast.ts'))
  const port = await new Promise((resolve) => server.once('message', resolve))
  const arrivals: number[] = []
  const onArrival = () => arrivals.push(performance.now())
  const sockets = await many(subscribers, () => listening(`http://127.0.0.1:${port}`, '', [], '"text":"message ', onArrival))
  const message = { id: 'x'.repeat(20), text: 'message 1', author: { name: 'Bench 1' }, room: { name: 'Bench' } }
  const text = JSON.stringify({ id: '1', type: 'next', payload: { data: { messageReceived: message } } })
  const send = async () => void server.send(text)
  await timesOf(20, send, arrivals)
  const bare = await timesOf(messages, send, arrivals)
  for (const socket of sockets) socket.destroy()
  server.disconnect()
  console.log(
    `A bare loop over ${subscribers} sockets: p50 ${at(bare, 0.5).toFixed(1)} ms, p99 ${at(bare, 0.99).toFixed(1)} ms; ` +
      `Atrium, from the request that sends the message, takes ${(at(times, 0.5) / at(bare, 0.5)).toFixed(1)} and ` +
      `${(at(times, 0.99) / at(bare, 0.99)).toFixed(1)} times as long`,
  )
}

/**
 * Milliseconds from the beginning of each of `count` sends to each arrival; waits for all of one
 * before the next.
 */
async function timesOf(count: number, send: (number: number) => Promise<unknown>, arrivals: number[]): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number < count; number++) {
    arrivals.length = 0
    const start = performance.now()
    await send(number)
    for (let waited = 0; arrivals.length < subscribers && waited < 10_000; waited += 2) await sleep(2)
    times.push(...arrivals.map((arrival) => arrival - start))
  }
  return times.sort((one, other) => one - other)
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN

try {
  const people: Person[] = []
  for (let number = 0; number < USERS; number++) people.push(await signUp(number))
  await measureIdle(people[0] as Person)
  await measureFanOut(people)
} finally {
  await atrium.stop()
}
