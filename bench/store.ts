/**
 * Measures the store's REST API over a large shop, and beside what somebody would write by hand.
 * Makes a database for it on the server of DATABASE_URL, which stays for the next time:
 * atrium_bench_store_….
 *
 *   DATABASE_URL=postgres://… node bench/store.ts [--products 100000] [--orders 1000000] [--seconds 5] [--rounds 3] [--only TEXT]
 *
 * `--only` measures what has this in its name. Processor time is that of the server's process,
 * without PostgreSQL's. Says OVER where an aim is missed, and exits 1 then.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { processorMilliseconds, startAtrium } from './server.ts'
import { clients, type Measured, type Question, quantile } from './store/clients.ts'
import { filledDatabase } from './store/database.ts'

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '100000' },
    orders: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
})
const [products, orders, seconds, rounds] = [values.products, values.orders, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const server = process.env.DATABASE_URL
if (!server) throw new Error('Expected DATABASE_URL to name a PostgreSQL server on which databases may be made.')

const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort(new Error('Interrupted: nothing was left behind.')))
const filled = await filledDatabase(server, { products, orders }, interruption.signal)
const atrium = await startAtrium({ settings: { DATABASE_URL: filled.url, LOG_LEVEL: 'warn' } })
const byHand = await startByHand(atrium.base)
const authorization = `Basic ${Buffer.from(`${filled.login}:${filled.authtoken}`).toString('base64')}`
const [ours, theirs] = [clients(atrium.base, authorization), clients(byHand.base, authorization)]

/** Numbers from 0 to 1 that are the same in every run. */
let state = 7
const dice = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}
const upTo = (maxRequests: number): number => 1 + Math.floor(dice() * maxRequests)
const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

let isMissed = false
const say = (what: string, figures: string, isWithin: boolean | null, aim = ''): void => {
  if (isWithin === false) isMissed = true
  console.log(`${what.padEnd(58)} ${figures}${isWithin === null ? '' : `  ${isWithin ? 'within' : 'OVER'} ${aim}`}`)
}

/** Requests until code is compiled: a server that runs has had more. */
const WARM = 3_000

/**
 * The same question by one client at a time, without the first ones, which find nothing compiled or
 * read.
 */
async function latency(what: string, next: () => Question, aim: number | null): Promise<void> {
  if (!what.includes(values.only)) return
  await ours.load(next, { seconds: 1, atOnce: 1 })
  const measured = await ours.load(next, { seconds, atOnce: 1 })
  const p95 = quantile(measured, 0.95)
  const figures = `p50 ${shown(quantile(measured, 0.5))}  p95 ${shown(p95)}  p99 ${shown(quantile(measured, 0.99))} ms`
  say(what, figures, aim === null ? null : p95 <= aim, `${aim} ms (p95)`)
}

/** Two questions in turn: how much longer the second takes, by medians. */
async function ratio(what: string, first: () => Question, second: () => Question): Promise<void> {
  if (!what.includes(values.only)) return
  const times: [number[], number[]] = [[], []]
  for (let turn = 0; turn < rounds + 1; turn += 1) {
    for (const [index, next] of [first, second].entries()) {
      const measured = await ours.load(next, { seconds: seconds / 2, atOnce: 1 })
      if (turn > 0) times[index]?.push(...measured.times)
    }
  }
  const [near, far] = times.map((each) => quantile({ times: each.sort((one, other) => one - other) }, 0.5)) as [number, number]
  say(what, `${shown(near)} and ${shown(far)} ms: ${shown(far / near)} times`, far / near <= 2, 'twice')
}

type Metered = Measured & { readonly processor: number }

/** With the processor time of a process for each request, in milliseconds. */
async function metered(pid: number, run: () => Promise<Measured>): Promise<Metered> {
  const before = processorMilliseconds(pid)
  const measured = await run()
  return { ...measured, processor: (processorMilliseconds(pid) - before) / measured.times.length }
}

/** The same question to both servers in turn, after it was made sure that they answer the same. */
async function beside(what: string, next: () => Question, checked: readonly Question[]): Promise<void> {
  if (!what.includes(values.only)) return
  for (const question of checked) {
    const [one, other] = await Promise.all([ours.ask(question), theirs.ask(question)])
    if (one.status !== 200 || JSON.stringify(JSON.parse(one.text)) !== JSON.stringify(JSON.parse(other.text))) {
      throw new Error(
        `Expected both to answer ${question.path} the same, got:\n${one.text.slice(0, 2_000)}\n${other.text.slice(0, 2_000)}`,
      )
    }
  }
  for (const each of [ours, theirs]) await each.load(next, { seconds: 60, atOnce: 10, maxRequests: WARM })
  const shares: number[] = []
  const seen: [Metered[], Metered[]] = [[], []]
  for (let turn = 0; turn < rounds; turn += 1) {
    const [mine, hand] = [
      await metered(atrium.pid, () => ours.load(next, { seconds, atOnce: 10 })),
      await metered(byHand.pid, () => theirs.load(next, { seconds, atOnce: 10 })),
    ]
    shares.push(mine.perSecond / hand.perSecond)
    seen[0].push(mine)
    seen[1].push(hand)
  }
  const middle = (all: readonly number[]) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? Number.NaN
  const [mine, hand] = seen.map((all) => Math.round(middle(all.map(({ perSecond }) => perSecond))))
  const [own, bare] = seen.map((all) => shown(middle(all.map(({ processor }) => processor))))
  const share = middle(shares)
  say(
    what,
    `${mine} and by hand ${hand} requests/s, ${own} and ${bare} ms of processor time: ${Math.round(share * 100)} %`,
    share >= 0.6,
    '60 %',
  )
}

try {
  console.log(`${products} products, ${orders} orders; ${seconds} s each, ${rounds} rounds of what is compared`)
  const get = (path: string) => (): Question => ({ path: `/v1${path}` })

  // Page 10,000 of ten: behind all pages in front of it.
  const deep = Math.min(10 * 9_999, products - 11)
  await ratio(
    'REST, page 1 and 10,000 of products by cursor',
    get('/products/after/0.json?limit=10'.replace('after/0', 'after/1')),
    get(`/products/after/${deep}.json?limit=10`),
  )
  const deepOrder = Math.min(10 * 9_999, orders - 11)
  await ratio(
    'REST, page 1 and 10,000 of orders by cursor',
    get('/orders/after/1.json?limit=10'),
    get(`/orders/after/${deepOrder}.json?limit=10`),
  )
  for (const [field, behind] of [
    ['products', deep],
    ['orders', deepOrder],
  ] as const) {
    const page = (after: string | null): Question => ({
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({
        query: `query ($after: String) { ${field}(first: 10, after: $after) { nodes { id number createdAt } pageInfo { endCursor hasNextPage } } }`,
        variables: { after },
      }),
    })
    const found = await ours.ask({
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query: `{ ${field}(first: 1, filter: { afterId: "${behind}" }) { pageInfo { endCursor } } }` }),
    })
    const cursor = JSON.parse(found.text).data[field].pageInfo.endCursor
    await ratio(
      `graph, page 1 and 10,000 of ${field}`,
      () => page(null),
      () => page(cursor),
    )
  }

  await latency('50 products with variants and pictures', () => ({ path: `/v1/products.json?limit=50&page=${upTo(40)}` }), 40)
  await latency('50 products of a category', () => ({ path: `/v1/products/category/${upTo(220)}.json?limit=50` }), 40)
  await latency('50 products in a state', get('/products/status/not-available.json?limit=50'), 40)
  await latency(
    'search of products, two words',
    () => ({ path: `/v1/products/search.json?query=${['golden', 'mossy', 'velvet', 'made'][upTo(4) - 1]}%20lamp&limit=50` }),
    40,
  )
  await latency(
    'search of products, an article number',
    () => ({ path: `/v1/products/search.json?query=sku-${upTo(products)}&limit=50` }),
    40,
  )
  await latency('one product', () => ({ path: `/v1/products/${upTo(products)}.json` }), null)
  await latency('count of products', get('/products/count.json'), null)
  for (const status of ['paid', 'pending_payment', 'canceled', 'abandoned']) {
    await latency(
      `50 orders that are ${status.replace('_', ' ')}`,
      () => ({ path: `/v1/orders.json?status_filters[]=${status}&limit=50&page=${upTo(20)}` }),
      60,
    )
  }
  await latency(
    '50 orders, two states, of the last 7 days',
    get('/orders.json?status_filters[]=paid&status_filters[]=canceled&dateFilter=last7days'),
    60,
  )
  await latency('50 orders, not handed over', get('/orders.json?fulfillment_filters=unfulfilled'), 60)
  await latency(
    'search of orders, a name',
    () => ({ path: `/v1/orders/search.json?query=niamh%20rossi&limit=50&page=${upTo(5)}` }),
    null,
  )
  await latency(
    'search of orders, an address',
    () => ({
      path: `/v1/orders/search.json?query=niamh.${28 + 30 * upTo(Math.ceil(orders / 20 / 30) - 2)}@example.org&limit=50`,
    }),
    60,
  )
  await latency('search of orders, a number', () => ({ path: `/v1/orders/search.json?query=%23${upTo(orders)}&limit=50` }), 60)
  await latency('count of orders', get('/orders/count.json'), null)
  await latency(
    'a new order of two lines',
    () => {
      const [one, other] = [upTo(products), upTo(products)].map((row) => Math.max(2, row - (row % 20) + 2))
      const lines = [one, other].map((row) => ({ id: row, variant_id: 3 * (row ?? 0) - 2, qty: 1 }))
      return {
        method: 'POST',
        path: '/v1/orders.json',
        body: JSON.stringify({ order: { customer: { id: upTo(Math.ceil(orders / 20)) }, products: lines } }),
      }
    },
    25,
  )

  const lists = () => ({ path: `/v1/products.json?limit=50&page=${upTo(40)}` })
  await beside(
    'the same 50 products',
    lists,
    [1, 2, 40].map((page) => ({ path: `/v1/products.json?limit=50&page=${page}` })),
  )
  const one = () => ({ path: `/v1/products/${upTo(products)}.json` })
  await beside(
    'the same product',
    one,
    [1, 17, products].map((id) => ({ path: `/v1/products/${id}.json` })),
  )
} finally {
  ours.close()
  theirs.close()
  byHand.stop()
  await atrium.stop()
}
process.exitCode = isMissed ? 1 : 0

/** The endpoint by hand, in a process of its own like ours. */
async function startByHand(
  publicUrl: string,
): Promise<{ readonly base: string; readonly pid: number; readonly stop: () => void }> {
  const port = Number(new URL(publicUrl).port) + 1
  const env = {
    ...process.env,
    DATABASE_URL: filled.url,
    PORT: String(port),
    PUBLIC_URL: publicUrl.replace('127.0.0.1', 'localhost'),
    LOGIN: filled.login,
    AUTHTOKEN: filled.authtoken,
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'store/by-hand.ts')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const base = `http://127.0.0.1:${port}`
  for (let tries = 0; (await fetch(base).catch(() => null)) === null; tries += 1) {
    if (tries > 100) throw new Error('Expected the endpoint by hand to listen.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  if (child.pid === undefined) throw new Error('Expected the endpoint by hand to run.')
  return { base, pid: child.pid, stop: () => void child.kill() }
}
