import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cluster } from '../../../composition/cluster/cluster.ts'
import type { Plan } from '../../../subgraphs/trust/key/key.ts'
import { ask, atriumOf, ROOT, testCluster } from '../../cluster/support.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { arrivals, decisions, messages, orders, type Place, rowsOf, STOCK } from './kinds.ts'
import type { Kind } from './ledger.ts'
import { mutate, request } from './requests.ts'

/** What clients write into, and the receiver of webhooks. */
export type Furnished = {
  /**
   * Writes of four kinds: in a room, of products and with a key that nobody used before, by default
   * of the free plan. Its 150 scans are enough for a minute.
   */
  readonly kinds: (plan?: Plan) => Promise<readonly Kind[]>
  /**
   * Ids of the deliveries that the receiver was sent about each order, by the order's id in REST.
   */
  readonly deliveries: ReadonlyMap<number, ReadonlySet<string>>
  /** Orders of which it was not told. */
  readonly untold: () => Promise<readonly number[]>
  readonly closeReceiver: () => Promise<void>
}

/** A cluster with a user, a store, and a receiver of its webhooks. */
export type Installation = Omit<Furnished, 'closeReceiver'> & {
  readonly cluster: Cluster
  readonly close: () => Promise<void>
}

/** Starts one with so many copies of each part; `options` are those of its cluster. */
export async function startInstallation(copies: number, options: Parameters<typeof testCluster>[1] = {}): Promise<Installation> {
  const { cluster, close } = await testCluster(copies, {
    ...options,
    settings: {
      WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
      USER_WRITES_PER_MINUTE: '0',
      USER_BYTES_PER_DAY: '0',
      ...options.settings,
    },
  })
  const { closeReceiver, ...furnished } = await fillInstallation(cluster).catch(async (error: unknown) => {
    // Its processes are detached: they would outlive the test.
    await close()
    throw error
  })
  return {
    ...furnished,
    cluster,
    async close() {
      await close()
      await closeReceiver()
    },
  }
}

/**
 * Adds a user and a store, whose webhooks go to a receiver on `host`. `root` is the folder of the
 * code whose commands are run, with `settings`.
 */
export async function fillInstallation(
  place: Place,
  {
    host = '127.0.0.1',
    root = ROOT,
    settings = {},
  }: { readonly host?: string; readonly root?: string; readonly settings?: NodeJS.ProcessEnv } = {},
): Promise<Furnished> {
  const { url, databaseUrl } = place
  const deliveries = new Map<number, Set<string>>()
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => {
      const { order } = JSON.parse(Buffer.concat(chunks).toString())
      const ids = deliveries.get(order.id) ?? new Set()
      deliveries.set(order.id, ids.add(String(incoming.headers['atrium-delivery-id'])))
      response.end()
    })
  }
  const receiver = await startHttpServer({ '*': answer }, { host })
  await ask(
    url,
    'mutation { createUser(input: { email: "ann@example.org", name: "Ann", password: "correct horse" }) { errors { message } } }',
  )
  const store = await atriumOf(
    root,
    { ...settings, DATABASE_URL: databaseUrl },
    'store',
    'create',
    '--name',
    'Corner Shop',
    '--empty',
  )
  const authorization = `Basic ${Buffer.from(`${store.login}:${store.authtoken}`).toString('base64')}`
  const inStore = (path: string, body: object) => request({ url: `${url}/v1${path}`, headers: { authorization }, body })
  const aProduct = async (): Promise<number> =>
    (await inStore('/products.json', { product: { name: 'Lamp', price: 10, stock: STOCK } })).product.id
  const hook = { event: 'order_created', url: `${receiver.url}/hook` }
  await inStore('/hooks.json', { hook })

  return {
    deliveries,
    closeReceiver: receiver.close,
    async untold() {
      const made = await rowsOf<{ readonly id: number }>(
        databaseUrl,
        'SELECT "order".id FROM store."order" JOIN store.webhook_subscription USING (store_id) WHERE url = $1',
        [hook.url],
      )
      return made.map(({ id }) => id).filter((id) => !deliveries.has(id))
    },
    async kinds(plan = 'free') {
      // Tokens end after a quarter of an hour.
      const { token } = (
        await ask(
          url,
          'mutation { login(email: "ann@example.org", password: "correct horse") { ... on LoginSuccess { token } } }',
        )
      ).login
      const made = 'mutation { createRoom(name: "Room") { __typename ... on CreateRoomSuccess { room { id } } } }'
      const { room } = await mutate(url, `Bearer ${token}`, 'createRoom', made, {})
      return [
        messages(place, token, room.id),
        orders(place, authorization, await aProduct()),
        arrivals(place, authorization, await aProduct()),
        decisions(place, await aKey(databaseUrl, plan)),
      ]
    },
  }
}

/** A key, whose scans are counted. */
async function aKey(databaseUrl: string, plan: Plan): Promise<string> {
  const key = `key-${randomUUID()}`
  const hash = createHash('sha256').update(key).digest()
  await rowsOf(
    databaseUrl,
    `WITH made AS (INSERT INTO trust.api_key (name, plan, created_at) VALUES ('faults', $2, now()) RETURNING id)
     INSERT INTO trust.api_key_secret (hash, key_id, hint, created_at) SELECT $1, id, 'key-', now() FROM made`,
    [hash, plan],
  )
  return key
}
