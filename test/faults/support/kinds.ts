import pg from 'pg'
import { decodeId, encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { ask } from '../../cluster/support.ts'
import type { Kind } from './ledger.ts'
import { listenTo } from './listener.ts'
import { mutate, request } from './requests.ts'

/** Where writes go, and where they are found again. */
export type Place = { readonly url: string; readonly databaseUrl: string }

/** Pieces of a product that no run sells out. */
export const STOCK = 1_000_000

/**
 * Messages in a room, and a member who is told of them. Nothing tells a message from its
 * repetition, so a client that was told nothing cannot repeat it.
 */
export function messages({ url, databaseUrl }: Place, token: string, room: string): Kind {
  const listener = listenTo(url, token, room)
  const written = () =>
    namesIn(databaseUrl, 'SELECT text AS name FROM social.message WHERE room_id = $1', [decodeId(room, 'Room')])
  return {
    name: 'message',
    isRepeatable: false,
    write: async (text) => {
      const send = 'mutation ($room: ID!, $text: String!) { sendMessage(roomId: $room, text: $text) { __typename } }'
      await mutate(url, `Bearer ${token}`, 'sendMessage', send, { room, text })
    },
    written,
    async wrongs(names) {
      const { messages } = (await ask(url, 'query ($room: ID!) { room(id: $room) { messages { totalCount } } }', { room }, token))
        .room
      const unheard = await listener.settle(await written())
      return [...unequal('messages of the room', messages.totalCount, names), ...unheard]
    },
  }
}

/** Orders of one piece, under idempotency keys, so that a client repeats them until it is told. */
export const orders = ({ url, databaseUrl }: Place, authorization: string, product: number): Kind => ({
  name: 'order',
  isRepeatable: true,
  write: async (name) => {
    const order = { additional_information: name, products: [{ id: product, qty: 1 }] }
    const headers = { authorization, 'idempotency-key': `${product} ${name}` }
    await request({ url: `${url}/v1/orders.json`, headers, body: { order } })
  },
  written: () =>
    namesIn(
      databaseUrl,
      `SELECT additional_information AS name FROM store."order" JOIN store.order_line ON order_id = "order".id AND order_line.store_id = "order".store_id
       WHERE product_id = $1`,
      [product],
    ),
  wrongs: async (names) => unequal('pieces of the product', await stockOf(url, authorization, product), STOCK - names),
})

/** Pieces that come in, one by one, under idempotency keys. */
export const arrivals = ({ url, databaseUrl }: Place, authorization: string, product: number): Kind => ({
  name: 'arrival',
  isRepeatable: true,
  write: async (name) => {
    const adjust = 'mutation ($input: AdjustInventoryInput!) { adjustInventory(input: $input) { __typename } }'
    const input = { productId: encodeId('Product', String(product)), delta: 1, idempotencyKey: `${product} ${name}` }
    await mutate(url, authorization, 'adjustInventory', adjust, { input })
  },
  // What tells a repetition is committed with the change, or neither is: the stock must agree.
  written: () =>
    namesIn(
      databaseUrl,
      `SELECT substr(key, length($1) + 2) AS name FROM store.idempotency_key WHERE key LIKE $1 || ' arrival %'`,
      [String(product)],
    ),
  wrongs: async (names) => unequal('pieces of the product', await stockOf(url, authorization, product), STOCK + names),
})

/** Decisions about hosts, each a scan of the month. */
export const decisions = ({ url, databaseUrl }: Place, key: string): Kind => ({
  name: 'decision',
  isRepeatable: false,
  // A free key has 150 a month.
  pause: 1_000,
  write: async (name) => {
    await request({ url: `${url}/v1/decide`, headers: { 'x-api-key': key }, body: { domain: hostOf(name) } })
  },
  written: async () => {
    const hosts = await namesIn(
      databaseUrl,
      `SELECT request::json #>> '{target,host}' AS name FROM trust.decision JOIN trust.api_key_secret USING (key_id)
       JOIN trust.judgement ON judgement.id = judgement_id WHERE hash = sha256($1::bytea)`,
      [key],
    )
    return hosts.map(nameOf)
  },
  async wrongs(names) {
    const { used } = await request({ url: `${url}/v1/usage`, method: 'GET', headers: { 'x-api-key': key } })
    return unequal('scans of the month', used, names)
  },
})

const hostOf = (name: string): string => `${name.replace(' ', '-')}.example.com`
const nameOf = (host: string): string => host.replace('.example.com', '').replace('-', ' ')

const stockOf = async (url: string, authorization: string, product: number): Promise<number> =>
  (await request({ url: `${url}/v1/products/${product}.json`, method: 'GET', headers: { authorization } })).product.stock

const unequal = (what: string, said: number, expected: number): readonly string[] =>
  said === expected ? [] : [`Expected ${expected} ${what}, got ${said}.`]

const namesIn = async (databaseUrl: string, sql: string, values: readonly unknown[]): Promise<readonly string[]> =>
  (await rowsOf<{ readonly name: string }>(databaseUrl, sql, values)).map(({ name }) => name)

/** The rows of a statement, on a connection of its own. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  connectionString: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
