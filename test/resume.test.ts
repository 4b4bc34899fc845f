import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../gateway/listen.ts'
import { type FreshDatabase, freshDatabase } from './support/database.ts'

const ROOT = join(import.meta.dirname, '..')

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

/** A whole Atrium in a process of its own. */
type Atrium = { readonly child: ChildProcess; readonly base: string }

let database: FreshDatabase
const running: Atrium[] = []
const clients: Client[] = []

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.dispose()))
  for (const { child } of running) child.kill('SIGKILL')
  await database.drop()
})

async function start(): Promise<Atrium> {
  const port = await freePort('127.0.0.1')
  const { connectionString } = database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL: connectionString, PORT: String(port), LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, ['main.ts'], { cwd: ROOT, env, stdio: 'ignore' })
  const atrium = { child, base: `http://127.0.0.1:${port}` }
  running.push(atrium)
  while (!(await fetch(`${atrium.base}/ready`).catch(() => null))?.ok) await sleep(50)
  return atrium
}

async function kill({ child }: Atrium): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

async function ask({ base }: Atrium, query: string, variables: object = {}, token?: string): Promise<Data> {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as Data
  expect(errors).toBeUndefined()
  return data
}

/** Texts that a member is told of, as they come; resolves when the subscription runs. */
async function listen({ base }: Atrium, room: string, token: string): Promise<string[]> {
  const texts: string[] = []
  const client = createClient({
    url: `${base.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
    lazy: true,
  })
  clients.push(client)
  client.subscribe(
    { query: 'subscription ($room: ID!) { messageReceived(roomId: $room) { text author { name } } }', variables: { room } },
    {
      next: ({ data }: Data) => texts.push(data.messageReceived.text),
      error: () => {},
      complete: () => {},
    },
  )
  return texts
}

const SEND = 'mutation ($room: ID!, $text: String!) { sendMessage(roomId: $room, text: $text) { __typename } }'

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10)
}

test('what was committed when a process was killed arrives when its listener is back, once', async () => {
  const [one, other] = await Promise.all([start(), start()])
  const signUp = `mutation { createUser(input: { email: "ann@example.org", name: "Ann", password: "correct horse" }) { errors { message } }
    login(email: "ann@example.org", password: "correct horse") { ... on LoginSuccess { token } } }`
  const { token } = (await ask(one, signUp)).login
  const made = await ask(one, 'mutation { createRoom(name: "Room") { ... on CreateRoomSuccess { room { id } } } }', {}, token)
  const room = made.createRoom.room.id
  const send = (atrium: Atrium, text: string) => ask(atrium, SEND, { room, text }, token)

  const before = await listen(one, room, token)
  while (before.length === 0) {
    await send(other, 'first')
    await sleep(100)
  }
  // What was delivered is written down a moment after.
  await until(() => before.at(-1) === 'first')
  await sleep(500)

  // Stopped, it hears of nothing any more; killed, it never will.
  one.child.kill('SIGSTOP')
  await send(other, 'second')
  await send(other, 'third')
  await kill(one)
  expect(before).not.toContain('second')

  const again = await start()
  const after = await listen(again, room, token)
  await until(() => after.length >= 2)
  await send(again, 'fourth')
  await until(() => after.includes('fourth'))
  expect(after).toEqual(['second', 'third', 'fourth'])
}, 60_000)
