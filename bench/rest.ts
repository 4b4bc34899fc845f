/**
 * Measures the directory's REST API under load: 10 clients, each with one connection that stays
 * open, asking distinct questions drawn from what the directory holds.
 *
 *   node bench/rest.ts --url http://127.0.0.1:4000 [--pid 1234]   a running Atrium; with its pid, its memory as well
 *   node bench/rest.ts PATH…                                      starts one of its own, imports PATH, measures, stops it
 *   --seconds N (10)                                              per kind of request
 */
import { Agent, get } from 'node:http'
import { parseArgs } from 'node:util'
import { residentBytes, startAtrium } from './server.ts'

const CLIENTS = 10
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    pid: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    data: { type: 'boolean' },
  },
})
/** What is asked for, and the 95th percentile in milliseconds that it may take on two cores. */
const BUDGETS = { search: 30, list: 15, detail: 8 } as const
type Kind = keyof typeof BUDGETS

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
const ask = (url: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    }).on('error', reject)
  })

type Item = { url: string; category: string; title?: string; name?: string } & Record<string, string>

/** Every item of a list, page by page. */
async function all(base: string, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let offset = 0; ; offset += 100) {
    const { results, total } = JSON.parse((await ask(`${base}${path}?limit=100&offset=${offset}`)).text) as {
      results: Item[]
      total: number
    }
    items.push(...results)
    if (items.length >= total || results.length === 0) return items
  }
}

/** Numbers from 0 to 1 that are the same in every run. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Distinct questions of each kind, in an order that is the same in every run over the same data.
 */
async function questions(base: string): Promise<Record<Kind, string[]>> {
  const [servers, plugins, skills] = await Promise.all(['/api/mcp', '/api/plugins', '/api/skills'].map((path) => all(base, path)))
  const items = [...(servers ?? []), ...(plugins ?? []), ...(skills ?? [])]
  if (items.length === 0) throw new Error(`Expected ${base} to hold items, found none.`)
  const roll = dice(7)
  const pick = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(roll() * things.length)] as Thing
  const words = [
    ...new Set(
      items.flatMap((item) => (item.title ?? item.name ?? '').split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length > 2),
    ),
  ]
  const categories = [...new Set(items.map(({ category }) => category))]
  const phrase = (): string =>
    [
      () => pick(items).title ?? pick(items).name ?? pick(words),
      () => pick(words),
      () => `${pick(words)} ${pick(words)}`,
      () => pick(words).slice(0, -1),
      // A typing error: two letters change places.
      () => pick(words).replace(/(.)(.)(.*)$/u, '$2$1$3'),
      () => `${pick(words)} mcp server`,
    ]
      [Math.floor(roll() * 6)]?.()
      .slice(0, 100) ?? ''
  const q = (text: string) => encodeURIComponent(text.trim() || 'server')

  const search = () =>
    `/api/search?q=${q(phrase())}&limit=${pick([10, 10, 25])}&type=${pick(['all', 'all', 'mcp', 'skill', 'plugin'])}`
  const list = () => {
    const offset = Math.floor(roll() * (servers?.length ?? 0))
    const filter = pick([
      '',
      '',
      `&official=${pick(['true', 'false'])}`,
      `&category=${q(pick(categories))}`,
      `&q=${q(pick(words))}`,
    ])
    return `/api/mcp?limit=${pick([20, 20, 50, 100])}&offset=${offset}${filter}`
  }
  const detail = items.map(({ owner, repo, marketplaceSlug, slug }) =>
    owner !== undefined
      ? `/api/mcp/${q(owner)}/${q(repo ?? '')}`
      : marketplaceSlug !== undefined
        ? `/api/plugins/${q(marketplaceSlug)}/${q(slug ?? '')}`
        : `/api/skills/${q(slug ?? '')}`,
  )
  const distinct = (make: () => string) => [...new Set(Array.from({ length: 20_000 }, make))]
  return { search: distinct(search), list: distinct(list), detail: detail.sort(() => roll() - 0.5) }
}

/**
 * Milliseconds of every request within `seconds`, asked by all clients at once. Rejects on any
 * status but 200.
 */
async function load(base: string, paths: readonly string[], seconds: number): Promise<{ times: number[]; distinct: number }> {
  const times: number[] = []
  let requestCount = 0
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < end) {
        const path = paths[requestCount++ % paths.length] as string
        const start = performance.now()
        const { status, text } = await ask(base + path)
        times.push(performance.now() - start)
        if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
      }
    }),
  )
  return { times: times.sort((a, b) => a - b), distinct: Math.min(requestCount, paths.length) }
}

const started = options.url === undefined ? await startAtrium({ imports: positionals }) : null
try {
  const base = started?.base ?? options.url?.replace(/\/+$/, '') ?? ''
  const pid = started?.pid ?? (options.pid === undefined ? undefined : Number(options.pid))
  const requestCount = await questions(base)
  const seconds = Number(options.seconds)
  const at = (times: readonly number[], share: number) => (times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1)
  console.log(`${CLIENTS} clients, ${seconds} s each; milliseconds`)
  for (const kind of Object.keys(BUDGETS) as Kind[]) {
    // Compiled code and open connections are what a running server has.
    await load(base, requestCount[kind].slice(-200), 1)
    const { times, distinct } = await load(base, requestCount[kind], seconds)
    const verdict = Number(at(times, 0.95)) <= BUDGETS[kind] ? 'within' : 'OVER'
    const parts = [
      `p50 ${at(times, 0.5)}`,
      `p95 ${at(times, 0.95)}`,
      `p99 ${at(times, 0.99)}`,
      `${Math.round(times.length / seconds)} requests/s`,
    ]
    console.log(
      `${kind.padEnd(7)} ${parts.join('  ')}  ${distinct} distinct  ${verdict} ${BUDGETS[kind]} ms (p95)  RSS ${pid === undefined ? '?' : Math.round(residentBytes(pid) / 1e6)} MB`,
    )
  }
} finally {
  await started?.stop()
  agent.destroy()
}
