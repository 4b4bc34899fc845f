/**
 * Compares Atrium's gateway with others that serve the same graph, in turns, each in a process of
 * its own: `npm ci --prefix bench/gateway/contenders` first. What it prints are medians of the
 * rounds: a machine that changes its speed does so between rounds as well.
 *
 *   node bench/gateway.ts
 *   --rounds N (15)      how often each has its turn
 *   --seconds N (1)      how long a turn with one query is; before the first, a thousand requests warm up
 *   --clients N (10)     requests under way at once
 *   --only TEXT          only contenders with this in their names; may be repeated
 *   --before FOLDER      another checkout of Atrium to compare with, which has its packages
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { parse } from 'graphql'
import { Pool } from 'undici'
import { compose } from '../gateway/planning/composition.ts'
import { BY_HAND, LINK, QUERIES, SUBGRAPHS, VARIABLES } from './gateway/shop.ts'
import { processorMilliseconds, residentBytes, STARTED_WITH } from './server.ts'

type QueryName = keyof typeof QUERIES
const NAMES = Object.keys(QUERIES) as QueryName[]
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '1' },
    clients: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true, default: [] },
    before: { type: 'string' },
  },
})
/** Requests before it counts. */
const WARM_UP = 1_000
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)]

type Contender = {
  readonly name: string
  readonly script: string
  readonly path: string
  readonly options: object
  /** The checkout it is of. */
  readonly root?: string
}

const ROOT = join(import.meta.dirname, '..')

/** Starts a process of the comparison and waits for what it says when it is ready. */
function started<Ready>(
  script: string,
  options: object,
  root = ROOT,
): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_ENV: 'production', APOLLO_TELEMETRY_DISABLED: 'true' }
    const child = fork(join(root, 'bench/gateway/process.js'), [script], {
      env,
      execArgv: script === 'atrium' ? [...STARTED_WITH] : [],
    })
    child.once('message', (ready) => resolve({ child, ready: ready as Ready }))
    child.once('exit', (code) =>
      reject(new Error(`${script} ended with ${code}: is \`npm ci --prefix bench/gateway/contenders\` done?`)),
    )
    child.send(options)
  })
}

/** A contender that runs, and what its turns came to. */
type Running = {
  readonly name: string
  readonly pid: number
  readonly ask: (query: QueryName) => Promise<{ readonly statusCode: number; readonly text: string }>
  readonly stop: () => Promise<void>
  readonly turns: { readonly [Name in QueryName]: Turn[] }
}

/**
 * Processor time in milliseconds per request, requests a second, and milliseconds that half of them
 * and all but a hundredth of them took at most.
 */
type Turn = { readonly cpu: number; readonly perSecond: number; readonly p50: number; readonly p99: number }

function bodyOf(query: QueryName): string {
  const operationName = query[0]?.toUpperCase() + query.slice(1)
  return JSON.stringify({ query: QUERIES[query], operationName, variables: VARIABLES[query] })
}

/**
 * Starts a contender, compares its answers with those by hand and warms it up; null where it does
 * not answer as it should, which it says.
 */
async function running({ name, script, path, options, root }: Contender): Promise<Running | null> {
  const { child, ready: port } = await started<number>(script, options, root)
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: clients })
  const ask: Running['ask'] = async (query) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: bodyOf(query),
    })
    return { statusCode, text: await body.text() }
  }
  const stop = async () => {
    await pool.destroy()
    child.disconnect()
  }
  try {
    for (const query of NAMES) {
      const { text } = await ask(query)
      const { data, errors } = JSON.parse(text)
      const expected = BY_HAND[query](VARIABLES[query] as { first: number })
      if (errors || !isDeepStrictEqual(data, JSON.parse(JSON.stringify(expected)))) {
        throw new Error(`Another answer than by hand to ${query}: ${text.slice(0, 500)}`)
      }
      // Slow ones must have their code compiled as well as fast ones.
      await during({ requests: WARM_UP }, () => ask(query))
    }
    return { name, pid: child.pid ?? 0, ask, stop, turns: { large: [], small: [], field: [] } }
  } catch (error) {
    console.log(`${name.padEnd(38)} ${error instanceof Error ? error.message : error}`)
    await stop()
    return null
  }
}

async function takeTurn({ pid, ask }: Running, query: QueryName): Promise<Turn> {
  const busy = processorMilliseconds(pid)
  const begin = performance.now()
  const times = await during({ seconds }, () => ask(query))
  const elapsed = performance.now() - begin
  const spent = processorMilliseconds(pid) - busy
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
  return { cpu: spent / times.length, perSecond: (times.length / elapsed) * 1000, p50: at(0.5), p99: at(0.99) }
}

/** Asks with as many clients as there are; the milliseconds of each request. */
async function during(
  { seconds = Infinity, requests = Infinity }: { readonly seconds?: number; readonly requests?: number },
  ask: () => Promise<{ statusCode: number }>,
): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  const client = async () => {
    while (performance.now() < end && times.length < requests) {
      const begin = performance.now()
      const { statusCode } = await ask()
      if (statusCode !== 200) throw new Error(`Expected status 200, got ${statusCode}.`)
      times.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return times
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

/**
 * How many times the processor time of `base` another takes, of the turns of each round: the
 * median, and between the least and the most.
 */
function timesAsMuch(other: Running, base: Running, query: QueryName): string {
  const ratios = other.turns[query].map(({ cpu }, round) => cpu / (base.turns[query][round]?.cpu ?? Number.NaN))
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
}

const subgraphs = await started<Record<string, number>>('subgraphs', {})
const urls = Object.fromEntries(Object.entries(subgraphs.ready).map(([name, port]) => [name, `http://127.0.0.1:${port}/`]))
const supergraphSdl = compose(
  SUBGRAPHS.map(({ name, types }) => ({ name, typeDefs: parse(LINK + types), url: urls[name] as string })),
)

const CONTENDERS: Contender[] = [
  { name: 'by hand', script: 'hand', path: '/', options: {} },
  { name: 'Yoga, one schema', script: 'yoga', path: '/', options: {} },
  { name: 'Atrium, in process', script: 'atrium', path: '/graphql', options: { supergraphSdl } },
  { name: 'Apollo, in process', script: 'stock', path: '/', options: { supergraphSdl } },
  { name: 'Apollo Server with Atrium, in process', script: 'drop-in', path: '/', options: { supergraphSdl } },
  { name: 'Atrium, HTTP', script: 'atrium', path: '/graphql', options: { supergraphSdl, urls } },
  { name: 'Apollo, HTTP', script: 'stock', path: '/', options: { supergraphSdl, urls } },
  { name: 'Apollo Server with Atrium, HTTP', script: 'drop-in', path: '/', options: { supergraphSdl, urls } },
  { name: 'Hive, HTTP', script: 'hive', path: '/graphql', options: { supergraphSdl } },
  { name: 'Hive with Rust, HTTP', script: 'hive', path: '/graphql', options: { supergraphSdl, withRust: true } },
  { name: 'Mercurius, HTTP', script: 'mercurius', path: '/', options: { urls } },
]

if (values.before !== undefined) {
  const before = { script: 'atrium', path: '/graphql', root: resolve(values.before) }
  CONTENDERS.push(
    { name: 'Atrium before, in process', ...before, options: { supergraphSdl } },
    { name: 'Atrium before, HTTP', ...before, options: { supergraphSdl, urls } },
  )
}

/** Of these, how many times the processor time of the second one the first one takes. */
const RATIOS: readonly (readonly [other: string, base: string])[] = [
  ['Apollo, in process', 'Atrium, in process'],
  ['Atrium, in process', 'by hand'],
  ['Apollo, in process', 'Apollo Server with Atrium, in process'],
  ['Apollo Server with Atrium, in process', 'Atrium, in process'],
  ['Apollo, HTTP', 'Atrium, HTTP'],
  ['Apollo, HTTP', 'Apollo Server with Atrium, HTTP'],
  ['Apollo Server with Atrium, HTTP', 'Atrium, HTTP'],
  ['Hive with Rust, HTTP', 'Atrium, HTTP'],
  ['Atrium, in process', 'Atrium before, in process'],
  ['Atrium, HTTP', 'Atrium before, HTTP'],
]

const all: Running[] = []
try {
  const wanted = CONTENDERS.filter(
    ({ name }) => values.only.length === 0 || values.only.some((only) => name.toLowerCase().includes(only.toLowerCase())),
  )
  for (const contender of wanted) {
    const one = await running(contender)
    if (one) all.push(one)
  }
  for (let round = 1; round <= rounds; round++) {
    console.error(`Round ${round} of ${rounds}`)
    for (const query of NAMES) for (const each of all) each.turns[query].push(await takeTurn(each, query))
  }
  console.log('CPU ms per request | requests/s | p50 ms | p99 ms; MB resident')
  for (const { name, pid, turns } of all) {
    for (const query of NAMES) {
      const of = (figure: keyof Turn) => median(turns[query].map((turn) => turn[figure]))
      const cells = [of('cpu').toFixed(3), of('perSecond').toFixed(0), of('p50').toFixed(2), of('p99').toFixed(2)]
      console.log(`${name.padEnd(38)} ${query.padEnd(6)} ${cells.map((cell) => cell.padStart(9)).join('')}`)
    }
    console.log(`${name.padEnd(38)} ${(residentBytes(pid) / 1024 / 1024).toFixed(0)} MB`)
  }
  const find = (wanted: string) => all.find(({ name }) => name === wanted)
  for (const [otherName, baseName] of RATIOS) {
    const [other, base] = [find(otherName), find(baseName)]
    if (!other || !base) continue
    const ratios = NAMES.map((query) => `${query} ${timesAsMuch(other, base, query)}`)
    console.log(`${otherName} takes, times ${baseName}: ${ratios.join(', ')}`)
  }
} finally {
  for (const { stop } of all) await stop()
  subgraphs.child.disconnect()
}
