/**
 * Compares Atrium's gateway with others that serve the same graph, in one run: `npm ci --prefix bench/gateway/contenders` first.
 *
 *   node bench/gateway.ts
 *   --seconds N (4)      how long each is asked each query, after a thousand requests to warm up
 *   --clients N (10)     requests under way at once
 *   --only TEXT          only contenders with this in their names; may be given again
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { parse } from 'graphql'
import { Pool } from 'undici'
import { compose } from '../gateway/compose.ts'
import { BY_HAND, LINK, QUERIES, SUBGRAPHS, VARIABLES } from './gateway/shop.ts'
import { processorMilliseconds, residentBytes, STARTED_WITH } from './server.ts'

type QueryName = keyof typeof QUERIES
const NAMES = Object.keys(QUERIES) as QueryName[]

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true, default: [] },
  },
})
/** Requests before it counts. */
const WARM_UP = 1_000
const [seconds, clients] = [Number(values.seconds), Number(values.clients)]

type Contender = { readonly name: string; readonly script: string; readonly path: string; readonly options: object }

/** Starts a process of the comparison and waits for what it says when it is ready. */
function started<Ready>(script: string, options: object): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_ENV: 'production', APOLLO_TELEMETRY_DISABLED: 'true' }
    const child = fork(join(import.meta.dirname, 'gateway/process.js'), [script], {
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

type Measured = {
  readonly cpu: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly megabytes: number
}

async function measure(pool: Pool, path: string, name: QueryName, pid: number): Promise<Measured> {
  const body = JSON.stringify({
    query: QUERIES[name],
    operationName: name[0]?.toUpperCase() + name.slice(1),
    variables: VARIABLES[name],
  })
  const ask = async () => {
    const { statusCode, body: answer } = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
    })
    return { statusCode, text: await answer.text() }
  }
  const { text } = await ask()
  const { data, errors } = JSON.parse(text)
  const expected = BY_HAND[name](VARIABLES[name] as { first: number })
  if (errors || !isDeepStrictEqual(data, JSON.parse(JSON.stringify(expected)))) {
    throw new Error(`Another answer than by hand to ${name}: ${text.slice(0, 500)}`)
  }

  // Slow ones must have their code compiled as well as fast ones.
  await during({ requests: WARM_UP }, ask)
  const busy = processorMilliseconds(pid)
  const begin = performance.now()
  const times = await during({ seconds }, ask)
  const elapsed = performance.now() - begin
  const spent = processorMilliseconds(pid) - busy
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
  return {
    cpu: spent / times.length,
    perSecond: (times.length / elapsed) * 1000,
    p50: at(0.5),
    p99: at(0.99),
    megabytes: residentBytes(pid) / 1024 / 1024,
  }
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

const subgraphs = await started<Record<string, number>>('subgraphs', {})
const urls = Object.fromEntries(Object.entries(subgraphs.ready).map(([name, port]) => [name, `http://127.0.0.1:${port}/`]))
const supergraphSdl = compose(
  SUBGRAPHS.map(({ name, types }) => ({ name, typeDefs: parse(LINK + types), url: urls[name] as string })),
)

const CONTENDERS: readonly Contender[] = [
  { name: 'by hand', script: 'hand', path: '/', options: {} },
  { name: 'Yoga, one schema', script: 'yoga', path: '/', options: {} },
  { name: 'Atrium, in process', script: 'atrium', path: '/graphql', options: { supergraphSdl } },
  { name: 'Apollo, in process', script: 'stock', path: '/', options: { supergraphSdl } },
  { name: 'Atrium, HTTP', script: 'atrium', path: '/graphql', options: { supergraphSdl, urls } },
  { name: 'Apollo, HTTP', script: 'stock', path: '/', options: { supergraphSdl, urls } },
  { name: 'Hive, HTTP', script: 'hive', path: '/graphql', options: { supergraphSdl } },
  { name: 'Hive with Rust, HTTP', script: 'hive', path: '/graphql', options: { supergraphSdl, withRust: true } },
  { name: 'Mercurius, HTTP', script: 'mercurius', path: '/', options: { urls } },
]

try {
  const wanted = CONTENDERS.filter(
    ({ name }) => values.only.length === 0 || values.only.some((only) => name.toLowerCase().includes(only.toLowerCase())),
  )
  console.log('CPU ms per request | requests/s | p50 ms | p99 ms | MB resident')
  for (const { name, script, path, options } of wanted) {
    const { child, ready: port } = await started<number>(script, options)
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: clients })
    try {
      for (const query of NAMES) {
        const { cpu, perSecond, p50, p99, megabytes } = await measure(pool, path, query, child.pid ?? 0)
        const cells = [cpu.toFixed(3), perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), megabytes.toFixed(0)]
        console.log(`${name.padEnd(22)} ${query.padEnd(6)} ${cells.map((cell) => cell.padStart(9)).join('')}`)
      }
    } catch (error) {
      console.log(`${name.padEnd(22)} ${error instanceof Error ? error.message : error}`)
    } finally {
      await pool.destroy()
      child.disconnect()
    }
  }
} finally {
  subgraphs.child.disconnect()
}
