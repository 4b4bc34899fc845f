import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { eventFeed } from '../../../platform/events/event-feed.ts'
import { append, appendAll, type EventFeed, type OutboxEvent } from '../../../platform/events/outbox.ts'
import type { OutboxTables } from '../../../platform/events/tables.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { databaseProxy } from '../database/support/database-proxy.ts'

const log = pino({ level: 'silent' })

let fresh: FreshDatabase
let database: Database<OutboxTables>
let feed: EventFeed
const children: ChildProcess[] = []

beforeEach(async () => {
  fresh = await freshDatabase()
  database = openDatabase(fresh.connection, { schema: 'social', onError: () => {} })
  feed = await eventFeed({ connection: fresh.connection, schema: 'social', log })
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await feed.close()
  await database.close()
  await fresh.drop()
})

const happen = (topic: string, count = 1): Promise<void> =>
  database.query.transaction().execute(async (transaction) => {
    for (let index = 0; index < count; index += 1) await append(transaction, topic, { index })
  })

async function read(events: AsyncIterator<OutboxEvent>, count: number): Promise<number[]> {
  const numbers: number[] = []
  while (numbers.length < count) {
    const { value, done } = await events.next()
    if (done) break
    numbers.push(value.number)
  }
  return numbers
}

const rows = async (table: 'event_listener' | 'event_position' | 'event_process'): Promise<number> =>
  Number(
    (
      await database.query
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
    ).count,
  )

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** A process that listens; `lines` gives what it prints, one after the other. */
async function listenElsewhere(topic: string, name: string): Promise<{ child: ChildProcess; line: () => Promise<string> }> {
  const { connectionString } = fresh.connection as { connectionString: string }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support/listener.ts'), connectionString, topic, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const line = async () => (await lines.next()).value ?? ''
  expect(await line()).toBe('listening')
  return { child, line }
}

test('an event reaches every subscriber once, as the same object, and no later subscriber', async () => {
  await happen('a', 3)
  const [one, other, elsewhere] = await Promise.all([feed.listen('a', null), feed.listen('a', 'name'), feed.listen('b', null)])
  await happen('a')
  const [first, second] = await Promise.all([one.next(), other.next()])
  expect(first.value).toMatchObject({ topic: 'a', number: 4, payload: { index: 0 } })
  expect(second.value).toBe(first.value)
  expect(() => Object.assign(first.value as object, { number: 5 })).toThrow()
  await happen('b')
  expect(await read(elsewhere, 1)).toEqual([1])
})

test('events written together arrive in order, numbered as if they were written one by one', async () => {
  await happen('a')
  const events = await feed.listen('a', null)
  await database.query.transaction().execute(async (transaction) => {
    await appendAll(transaction, 'a', [{ index: 'x' }, { index: { deep: [1] } }, { index: null }])
    await appendAll(transaction, 'a', [])
    await append(transaction, 'a', { index: 'last' })
  })
  const received: unknown[] = []
  for (let place = 0; place < 4; place += 1) received.push((await events.next()).value)
  expect(received).toMatchObject([
    { number: 2, payload: { index: 'x' } },
    { number: 3, payload: { index: { deep: [1] } } },
    { number: 4, payload: { index: null } },
    { number: 5, payload: { index: 'last' } },
  ])
})

test('an event of a rolled back transaction is not delivered, and leaves no gap', async () => {
  const events = await feed.listen('a', null)
  const failing = database.query.transaction().execute(async (transaction) => {
    await append(transaction, 'a', { lost: true })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await happen('a')
  const { value } = await events.next()
  expect(value).toMatchObject({ number: 1, payload: { index: 0 } })
})

test('events of transactions at once arrive without gaps, in the order of their commits', async () => {
  const events = await feed.listen('a', null)
  await Promise.all(Array.from({ length: 40 }, () => happen('a', 5)))
  expect(await read(events, 200)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
})

test('a subscriber that joins during events misses none after it has joined', async () => {
  const first = await feed.listen('a', null)
  const happening = (async () => {
    for (let count = 0; count < 50; count += 1) await happen('a')
  })()
  await read(first, 5)
  const late = await feed.listen('a', null)
  await happening
  await happen('a')
  const numbers = await read(late, 1)
  while (numbers.at(-1) !== 51) numbers.push(...(await read(late, 1)))
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => (numbers[0] ?? 0) + index))
})

/** Somebody whom a dead process left behind at a place of topic `a`. */
async function leftBehind(name: string, number: number): Promise<void> {
  const dead = randomUUID()
  await database.pool.query('INSERT INTO event_process (id, seen_at) VALUES ($1, now())', [dead])
  await database.pool.query(
    "INSERT INTO event_listener (id, process, topic, listener, number) VALUES (gen_random_uuid(), $1, 'a', $2, $3)",
    [dead, name, number],
  )
}

test('a subscriber that leaves during catch-up delays neither others nor the end', async () => {
  await happen('a', 5)
  await leftBehind('name', 2)
  const held: (() => void)[] = []
  let behind = 'nothing'
  const proxy = await databaseProxy(fresh.connection, {
    toServer: ({ bytes, pass }) => (bytes.includes(behind) ? void held.push(pass) : pass()),
    toClient: ({ pass }) => pass(),
  })
  const busy = await eventFeed({ connection: proxy.connection, schema: 'social', log })
  const others = await busy.listen('a', null)
  const back = await busy.listen('a', 'name')
  await happen('a')
  expect(await read(others, 1)).toEqual([6])
  behind = '{"5"}'
  expect(await read(back, 3)).toEqual([3, 4, 5])
  const next = back.next()
  await eventually(async () => held.length > 0)
  await back.return?.()
  expect(await next).toMatchObject({ done: true })
  for (const pass of held) pass()
  await happen('a')
  expect(await read(others, 1)).toEqual([7])
  await busy.close()
  proxy.close()
})

test('a resumed subscriber misses nothing, though others get newer events before it has caught up', async () => {
  await happen('a', 5)
  await leftBehind('name', 2)
  const held: (() => void)[] = []
  const proxy = await databaseProxy(fresh.connection, {
    // What is behind position 2.
    toServer: ({ bytes, pass }) => (bytes.includes('{"2"}') ? void held.push(pass) : pass()),
    toClient: ({ pass }) => pass(),
  })
  const busy = await eventFeed({ connection: proxy.connection, schema: 'social', log })
  try {
    const others = await busy.listen('a', null)
    const coming = busy.listen('a', 'name')
    await eventually(async () => held.length > 0)
    await happen('a')
    expect(await read(others, 1)).toEqual([6])
    for (const pass of held) pass()
    const back = await coming
    await happen('a')
    expect(await read(back, 5)).toEqual([3, 4, 5, 6, 7])
  } finally {
    await busy.close()
    proxy.close()
  }
})

const many = (count: number): Promise<void> =>
  database.query.transaction().execute((transaction) =>
    appendAll(
      transaction,
      'a',
      Array.from({ length: count }, (_, index) => ({ index })),
    ),
  )

test('a resumed subscriber with more missed events than a queue holds gets all of them, at its own pace, and then new ones', async () => {
  await many(3_400)
  await leftBehind('name', 0)
  // Where nobody else listens, and where others have been told everything.
  const others = await feed.listen('a', null)
  await happen('a')
  expect(await read(others, 1)).toEqual([3_401])
  const back = await feed.listen('a', 'name')
  const numbers: number[] = []
  for (let count = 0; count < 34; count += 1) {
    numbers.push(...(await read(back, 100)))
    await happen('a')
  }
  numbers.push(...(await read(back, 35)))
  expect(numbers).toEqual(Array.from({ length: 3_435 }, (_, index) => index + 1))
  expect(await read(others, 34)).toHaveLength(34)
})

test('a burst larger than one read disconnects no subscriber that reads', async () => {
  const [one, other] = await Promise.all([feed.listen('a', null), feed.listen('a', 'name')])
  const reading = [read(one, 4_000), read(other, 4_000)]
  await Promise.all([many(1_700), many(2_300)])
  for (const numbers of await Promise.all(reading))
    expect(numbers).toEqual(Array.from({ length: 4_000 }, (_, index) => index + 1))
})

test('resuming after deleted events ends with SLOW_READER', async () => {
  await happen('a', 5)
  await leftBehind('name', 1)
  await database.pool.query('DELETE FROM event WHERE number < 4')
  await feed.listen('a', null).then((events) => events.return?.())
  const [back] = await Promise.all([feed.listen('a', 'name'), feed.listen('a', null)])
  await happen('a')
  await expect(back.next()).rejects.toMatchObject({ extensions: { code: 'SLOW_READER' } })
})

test('a resumed subscriber that does not read is disconnected after a minute', async () => {
  await many(1_500)
  await leftBehind('name', 0)
  const back = await feed.listen('a', 'name')
  expect(await read(back, 10)).toHaveLength(10)
  const now = performance.now.bind(performance)
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
  try {
    await eventually(async () => feed.listeners() === 0)
  } finally {
    later.mockRestore()
  }
  await expect(back.next()).rejects.toMatchObject({ extensions: { code: 'SLOW_READER' } })
})

test('positions that cannot be written are tried again after a pause, until they can', async () => {
  let warnings = 0
  const counting = pino({ level: 'warn' }, { write: () => void warnings++ })
  const other = await eventFeed({ connection: fresh.connection, schema: 'social', log: counting })
  try {
    const events = await other.listen('a', 'name')
    await database.pool.query('ALTER TABLE event_position RENAME TO elsewhere')
    await happen('a')
    await read(events, 1)
    // It is done with one when it asks for the next.
    const next = events.next()
    await eventually(async () => warnings > 0)
    // Without a pause there are hundreds by then.
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(warnings).toBeLessThan(5)
    await database.pool.query('ALTER TABLE elsewhere RENAME TO event_position')
    await eventually(async () => (await rows('event_position')) === 1)
    await events.return?.()
    await next
  } finally {
    await other.close()
  }
})

test('a subscriber that does not read ends with SLOW_READER, and delays no other', async () => {
  const [slow, quick] = await Promise.all([feed.listen('a', 'slow'), feed.listen('a', 'quick')])
  const reading = read(quick, 1_500)
  for (let count = 0; count < 15; count += 1) await happen('a', 100)
  expect(await reading).toHaveLength(1_500)
  await expect(slow.next()).rejects.toMatchObject({ extensions: { code: 'SLOW_READER' } })
  expect(await slow.next()).toEqual({ done: true, value: undefined })
  expect(feed.listeners()).toBe(1)
})

test('return() ends a reader that waits, and leaves nothing behind', async () => {
  const events = await Promise.all(Array.from({ length: 20 }, (_, index) => feed.listen('a', `listener ${index}`)))
  const waiting = events.map((each) => each.next())
  expect(feed.listeners()).toBe(20)
  await Promise.all(events.map((each) => each.return?.()))
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 20 }, () => ({ done: true, value: undefined })))
  expect(feed.listeners()).toBe(0)
  await eventually(async () => (await rows('event_listener')) === 0)
})

test('detached subscribers share a reader, and each keeps a position until it is released', async () => {
  const [reader, other] = await Promise.all([feed.listen('a', 'name'), feed.listen('a', 'name')])
  await happen('a')
  const { value: first } = await reader.next()
  // What was not delivered yet is in the way.
  await eventually(async () => (await other.detach?.()) === null)
  await read(other, 1)
  const [one, two] = [reader.detach?.(), other.detach?.()]
  if (!one || !two) throw new Error('Expected subscribers with nothing that waits.')
  expect([one.topic, two.topic, reader.detach?.()]).toEqual(['a', 'a', null])
  expect([one.subscriber.isNew(first), two.subscriber.isNew(first)]).toEqual([false, false])
  await other.return?.()
  expect([feed.listeners(), await rows('event_listener')]).toEqual([1, 2])

  await happen('a')
  const { value: second } = await reader.next()
  expect([one.subscriber.isNew(second), two.subscriber.isNew(second)]).toEqual([true, true])
  two.subscriber.delivered(second)
  const positions = async () => {
    const { rows } = await database.pool.query(
      `SELECT coalesce(event_listener.number, event_position.number)::int AS number
       FROM social.event_listener LEFT JOIN social.event_position USING (process, topic) ORDER BY number`,
    )
    return rows.map(({ number }) => number)
  }
  await expect.poll(positions).toEqual([1, 2])
  one.subscriber.delivered(second)
  await expect.poll(positions).toEqual([2, 2])
  one.subscriber.release()
  two.subscriber.release()
  await reader.return?.()
  await eventually(async () => (await rows('event_listener')) === 0)
  expect(feed.listeners()).toBe(0)
})

test('closing ends readers and takes back what the database knew', async () => {
  const events = await feed.listen('a', 'name')
  const waiting = events.next()
  await feed.close()
  expect(await waiting).toMatchObject({ done: true })
  expect(await rows('event_process')).toBe(0)
  feed = await eventFeed({ connection: fresh.connection, schema: 'social', log })
})

test('a broken connection is opened again, and nothing is missed', async () => {
  const events = await feed.listen('a', null)
  await happen('a')
  expect(await read(events, 1)).toEqual([1])
  // The one that holds the lock is the one that hears.
  const { rows: broken } = await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  expect(broken).toHaveLength(1)
  await happen('a', 2)
  expect(await read(events, 2)).toEqual([2, 3])
})

test('subscribers continue on a database that lacks the last events, as after a fail-over', async () => {
  const [events, named] = await Promise.all([feed.listen('a', null), feed.listen('a', 'name')])
  await happen('a', 5)
  expect([await read(events, 5), await read(named, 5)]).toEqual([
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5],
  ])
  // Before the connection breaks: it may be back at once.
  const missed = new Promise<void>((received) => {
    const end = feed.notice((topic) => {
      if (topic !== null) return
      end()
      received()
    })
  })
  await database.pool.query('DELETE FROM event WHERE number > 2; UPDATE event_topic SET last_number = 2')
  // After that is committed: who is cut off within the same transaction may be back before its end,
  // and see the events still.
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  )
  await missed
  await happen('a', 2)
  expect([await read(events, 2), await read(named, 2)]).toEqual([
    [3, 4],
    [3, 4],
  ])
})

test('a subscriber of a process killed between commit and delivery resumes elsewhere, with each event once', async () => {
  const { child, line } = await listenElsewhere('a', 'name')
  await happen('a', 2)
  expect([await line(), await line()]).toEqual(['1', '2'])
  await eventually(async () => {
    const { rows: positions } = await database.pool.query('SELECT number FROM event_position')
    return positions[0]?.number === '2'
  })
  child.kill('SIGSTOP')
  await happen('a', 3)
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  // The database takes a moment to see that it is dead.
  await eventually(async () => {
    const { rows: locks } = await database.pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    return locks.length === 1
  })

  const [stranger, back] = await Promise.all([feed.listen('a', 'other name'), feed.listen('a', 'name')])
  expect(await read(back, 3)).toEqual([3, 4, 5])
  // Nothing is told twice: the next one is new, also for whoever comes by that name again.
  const again = await feed.listen('a', 'name')
  await happen('a')
  expect(await Promise.all([read(back, 1), read(again, 1), read(stranger, 1)])).toEqual([[6], [6], [6]])
})

test('a subscriber of a live process takes no events from it', async () => {
  const { line } = await listenElsewhere('a', 'name')
  await happen('a')
  expect(await line()).toBe('1')
  const here = await feed.listen('a', 'name')
  await happen('a')
  expect([await line(), ...(await read(here, 1))]).toEqual(['2', 2])
})

test('every event is noticed, also of a topic without subscribers; after a broken connection, that some may be missing', async () => {
  const noticed: (string | null)[] = []
  const end = feed.notice((topic) => noticed.push(topic))
  await happen('one')
  await eventually(async () => noticed.includes('one'))
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  )
  await eventually(async () => noticed.includes(null))
  end()
  const before = noticed.length
  const events = await feed.listen('two', null)
  await happen('two')
  await read(events, 1)
  expect(noticed).toHaveLength(before)
})
