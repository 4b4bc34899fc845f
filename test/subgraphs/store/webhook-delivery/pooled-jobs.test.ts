import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pooledJobs } from '../../../../subgraphs/store/pooled-jobs.ts'
import { emptyDatabase, type FreshDatabase } from '../../../support/database.ts'

let database: FreshDatabase
let relay: Awaited<ReturnType<typeof relayTo>>
beforeAll(async () => {
  database = await emptyDatabase()
  relay = await relayTo(database)
})
afterAll(async () => {
  relay?.close()
  await database?.drop()
})
beforeEach(() => relay.faults.clear())

/**
 * A way to the server that loses connections when a test says so. It answers LISTEN with an error,
 * or holds new connections back, while that fault is set.
 */
async function relayTo({ connection }: FreshDatabase) {
  const { host, port, user = '', password, database: name = '' } = new pg.Client(connection)
  const faults = new Set<'LISTEN fails' | 'connections wait'>()
  const clients = new Set<Socket>()
  const waiting: (() => void)[] = []
  const server = createServer((client) => {
    clients.add(client)
    client.on('error', () => {}).on('close', () => clients.delete(client))
    if (faults.has('connections wait')) waiting.push(() => connect(client))
    else connect(client)
  })
  const connect = (client: Socket) => {
    const upstream = host.startsWith('/') ? createConnection(join(host, `.s.PGSQL.${port}`)) : createConnection(port, host)
    upstream.on('error', () => {}).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.on('end', () => upstream.end())
    // As long as before, and no statement of SQL.
    client.on('data', (sent) =>
      upstream.write(
        faults.has('LISTEN fails') ? Buffer.from(sent.toString('latin1').replace('LISTEN', 'LISTEX'), 'latin1') : sent,
      ),
    )
    upstream.pipe(client)
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    // A server that listens on a port has such an address.
    connection: { host: '127.0.0.1', port: (server.address() as AddressInfo).port, user, password, database: name },
    faults,
    clients,
    waiting,
    loseConnections: () => {
      for (const client of clients) client.destroy()
    },
    close: () => server.close(),
  }
}

async function listening() {
  const errors: string[] = []
  const delivered: string[] = []
  const connected: number[] = []
  const jobs = pooledJobs(relay.connection, {
    pooler: database.connection,
    applicationName: 'test of jobs',
    onError: ({ message }) => errors.push(message),
    reconnectMs: 10,
  })
  const handle = await jobs.db.listen?.(
    'things',
    (payload) => delivered.push(payload),
    () => connected.push(relay.clients.size),
  )
  const notify = async (payload: string) => {
    await jobs.db.executeSql(`SELECT pg_notify('things', $1)`, [payload])
    await expect.poll(() => delivered.at(-1)).toBe(payload)
  }
  return { jobs, handle, errors, connected, notify }
}

test('a LISTEN that fails, at the start or after a lost connection, is tried again until notifications arrive', async () => {
  relay.faults.add('LISTEN fails')
  const { jobs, errors, connected, notify } = await listening()
  const failed = () => errors.filter((message) => message.includes('syntax error')).length
  await expect.poll(failed).toBeGreaterThan(1)
  relay.faults.clear()
  await expect.poll(() => connected.length).toBe(1)
  await notify('first')

  const before = failed()
  relay.faults.add('LISTEN fails')
  relay.loseConnections()
  await expect.poll(failed).toBeGreaterThan(before + 1)
  relay.faults.clear()
  await expect.poll(() => connected.length).toBe(2)
  await notify('second')
  // Those that could not listen were closed.
  await expect.poll(() => relay.clients.size).toBe(1)
  await jobs.close()
  await expect.poll(() => relay.clients.size).toBe(0)
})

test.each(['jobs', 'handle'] as const)(
  'a connection that is being made anew does not outlive close() of the %s',
  async (closed) => {
    const { jobs, handle, errors } = await listening()
    relay.faults.add('connections wait')
    relay.loseConnections()
    await expect.poll(() => relay.waiting.length).toBe(1)
    const reported = errors.length
    const end = closed === 'jobs' ? jobs.close() : handle?.close()
    relay.waiting.pop()?.()
    await end
    await expect.poll(() => relay.clients.size).toBe(0)
    expect(errors.slice(reported)).toEqual([])
    if (closed === 'handle') await jobs.close()
  },
)
