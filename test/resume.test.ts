import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from 'graphql-ws'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type FreshDatabase, freshDatabase } from './support/database.ts'
import { startMain } from './support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

/** A whole Atrium in a process of its own. */
type Atrium = Awaited<ReturnType<typeof startMain>>

let database: FreshDatabase
let observer: pg.Client
const running: Atrium[] = []
const clients: Client[] = []

beforeAll(async () => {
  database = await freshDatabase({ hasStore: true })
  observer = new pg.Client(database.connection)
  await observer.connect()
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.dispose()))
  await Promise.all(running.map(({ kill }) => kill('SIGKILL')))
  await observer.end()
  await database.drop()
})

async function start(): Promise<Atrium> {
  const { connectionString } = database.connection as { connectionString: string }
  const atrium = await startMain({ ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent' })
  running.push(atrium)
  return atrium
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

/** Texts that a member is told of, as they come. The subscription runs a little later. */
function listen({ base }: Atrium, room: string, token: string): string[] {
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

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10)
}

/**
 * Whether it is written down that all listeners of a topic that has so many were told everything.
 */
async function isWritten(count = 1): Promise<boolean> {
  const { rows } = await observer.query(
    `SELECT count(*)::int AS count, bool_and(coalesce(event_listener.number, event_position.number) = last_number) AS holds
     FROM social.event_listener JOIN social.event_position USING (process, topic) JOIN social.event_topic ON name = topic
     GROUP BY topic`,
  )
  return rows.some((row) => row.count === count && row.holds)
}

test('what was committed when a process was killed arrives when its listener is back, once', async () => {
  const [one, other] = await Promise.all([start(), start()])
  const signUp = `mutation { createUser(input: { email: "ann@example.org", name: "Ann", password: "correct horse" }) { errors { message } }
    login(email: "ann@example.org", password: "correct horse") { ... on LoginSuccess { token } } }`
  const { token } = (await ask(one, signUp)).login
  const made = await ask(one, 'mutation { createRoom(name: "Room") { ... on CreateRoomSuccess { room { id } } } }', {}, token)
  const room = made.createRoom.room.id
  const send = (atrium: Atrium, text: string) => ask(atrium, SEND, { room, text }, token)

  const before = listen(one, room, token)
  while (before.length === 0) {
    await send(other, 'first')
    await sleep(100)
  }
  // What was delivered is written down a moment after.
  await until(isWritten)

  // Stopped, it hears of nothing any more; killed, it never will.
  one.child.kill('SIGSTOP')
  await send(other, 'second')
  await send(other, 'third')
  await one.kill('SIGKILL')
  expect(before).not.toContain('second')

  const again = await start()
  const after = listen(again, room, token)
  await until(() => after.length >= 2)
  await send(again, 'fourth')
  await until(() => after.includes('fourth'))
  expect(after).toEqual(['second', 'third', 'fourth'])
}, 180_000)

test('subscriptions of one caller over several sockets share one reader, and each gets its missed events once', async () => {
  const one = await start()
  const signUp = `mutation { createUser(input: { email: "bea@example.org", name: "Bea", password: "correct horse" }) { errors { message } }
    login(email: "bea@example.org", password: "correct horse") { ... on LoginSuccess { token } } }`
  const { token } = (await ask(one, signUp)).login
  const made = await ask(one, 'mutation { createRoom(name: "Room") { ... on CreateRoomSuccess { room { id } } } }', {}, token)
  const room = made.createRoom.room.id
  const send = (atrium: Atrium, text: string) => ask(atrium, SEND, { room, text }, token)
  const listeners = async ({ base }: Atrium) =>
    Number(/^atrium_outbox_listeners (\d+)/m.exec(await (await fetch(`${base}/metrics`)).text())?.[1])

  const before = [listen(one, room, token), listen(one, room, token), listen(one, room, token)]
  while (before.some((texts) => texts.length === 0)) {
    await send(one, 'first')
    await sleep(100)
  }
  await until(() => isWritten(3))
  expect(await listeners(one)).toBe(1)

  const other = await start()
  one.child.kill('SIGSTOP')
  await send(other, 'second')
  await send(other, 'third')
  await one.kill('SIGKILL')

  const again = await start()
  const after = [listen(again, room, token), listen(again, room, token), listen(again, room, token)]
  await until(() => after.every((texts) => texts.length >= 2))
  await send(again, 'fourth')
  await until(() => after.every((texts) => texts.includes('fourth')))
  // Who has what it missed goes on with the others.
  await until(async () => (await listeners(again)) === 1)
  await send(again, 'fifth')
  await until(() => after.every((texts) => texts.includes('fifth')))
  for (const texts of after) expect(texts).toEqual(['second', 'third', 'fourth', 'fifth'])
}, 180_000)
