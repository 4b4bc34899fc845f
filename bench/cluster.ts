/**
 * What splitting costs and gives: one process, a cluster of one copy of each part, and one of two
 * copies, asked the same in turns, in one run. Needs haproxy and redis-server.
 *
 *   node bench/cluster.ts
 *   --seconds N (4)      how long each is asked each question, each time
 *   --rounds N (3)       how often; the medians are told
 *   --clients N (16)     requests under way at once
 *   --port N (14200)     where the clusters begin: each takes 50 ports from there
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { Pool } from 'undici'
import { type Cluster, startCluster } from '../composition/cluster/cluster.ts'
import { processorMilliseconds, startAtrium } from './server.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    port: { type: 'string', default: '14200' },
  },
})
const [seconds, rounds, clients, port] = [values.seconds, values.rounds, values.clients, values.port].map(Number) as [
  number,
  number,
  number,
  number,
]

/** Nothing that was answered before, and no limits: what is measured is the work. */
const SETTINGS = { RESPONSE_CACHE_BYTES: '0', COST_LIMIT: '0', TRUST_LISTS: 'none', LOG_LEVEL: 'warn' }

const QUESTIONS: Readonly<Record<string, string>> = {
  'one field': '{ mcpServers(first: 1) { totalCount } }',
  'one subgraph': '{ mcpServers(first: 20) { edges { node { id name description category } } } }',
  'three subgraphs': `{ mcpServers(first: 20) { edges { node { id name description
    trust { action } posts(first: 3) { totalCount edges { node { title author { name } } } } } } } }`,
}

type System = { readonly name: string; readonly url: string; readonly pids: Readonly<Record<string, readonly number[]>> }
type Measured = { readonly perSecond: number; readonly cpu: Readonly<Record<string, number>>; readonly p50: number }

async function measure({ url, pids }: System, query: string): Promise<Measured> {
  const pool = new Pool(url, { connections: clients })
  const body = JSON.stringify({ query })
  const ask = async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const { statusCode, body: answer } = await pool.request({ method: 'POST', path: '/graphql', headers, body })
    const text = await answer.text()
    if (statusCode !== 200 || text.includes('"errors"'))
      throw new Error(`Expected an answer, got ${statusCode} ${text.slice(0, 500)}`)
  }
  const during = async (length: number) => {
    const times: number[] = []
    const end = performance.now() + length * 1000
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (performance.now() < end) {
          const begin = performance.now()
          await ask()
          times.push(performance.now() - begin)
        }
      }),
    )
    return times.sort((one, other) => one - other)
  }
  const spent = () =>
    Object.entries(pids).map(([part, all]) => [part, all.reduce((sum, pid) => sum + processorMilliseconds(pid), 0)] as const)
  try {
    await during(seconds / 4)
    const [before, begin] = [Object.fromEntries(spent()), performance.now()]
    const times = await during(seconds)
    const elapsed = performance.now() - begin
    return {
      perSecond: (times.length / elapsed) * 1000,
      cpu: Object.fromEntries(spent().map(([part, after]) => [part, (after - (before[part] ?? 0)) / times.length])),
      p50: times[Math.floor(times.length / 2)] ?? Number.NaN,
    }
  } finally {
    await pool.close()
  }
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
const total = (cpu: Measured['cpu']): number => Object.values(cpu).reduce((sum, each) => sum + each, 0)

function partsOf({ programs, balancer }: Cluster): System['pids'] {
  const of = (wanted: (name: string) => boolean) => programs.filter(({ name }) => wanted(name)).map(({ pid }) => pid())
  return {
    balancer: [balancer.pid()],
    gateway: of((name) => name.startsWith('gateway')),
    subgraphs: of((name) => !name.startsWith('gateway')),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const closers: (() => Promise<unknown>)[] = []
try {
  const single = await startAtrium({ settings: SETTINGS })
  closers.push(single.stop)
  const systems: System[] = [{ name: 'one process', url: single.base, pids: { process: [single.pid] } }]
  for (const copies of [1, 2]) {
    const cluster = await startCluster({
      port: port + (copies - 1) * 50,
      copies,
      dataDir: join(folder, String(copies)),
      env: { ...process.env, ...SETTINGS },
      log: pino({ level: 'silent' }),
      defer: (close) => closers.push(close),
    })
    systems.push({ name: `${copies} of each`, url: cluster.url, pids: partsOf(cluster) })
  }

  console.log('                                     requests/s   p50 ms   CPU ms per request, by part')
  for (const [question, query] of Object.entries(QUESTIONS)) {
    const measured = new Map<string, Measured[]>(systems.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const system of systems) measured.get(system.name)?.push(await measure(system, query))
    }
    const cpuOf = (name: string) => median((measured.get(name) ?? []).map(({ cpu }) => total(cpu)))
    const perSecondOf = (name: string) => median((measured.get(name) ?? []).map(({ perSecond }) => perSecond))
    for (const { name, pids } of systems) {
      const all = measured.get(name) ?? []
      const parts = Object.keys(pids).map((part) => `${part} ${median(all.map(({ cpu }) => cpu[part] ?? 0)).toFixed(3)}`)
      const cells = [
        perSecondOf(name).toFixed(0).padStart(10),
        median(all.map(({ p50 }) => p50))
          .toFixed(1)
          .padStart(8),
      ]
      console.log(
        `${question.padEnd(17)} ${name.padEnd(16)} ${cells.join(' ')}   ${cpuOf(name).toFixed(3)} (${parts.join(', ')})`,
      )
    }
    const ratio = (value: number) => value.toFixed(2)
    console.log(
      `${''.padEnd(17)} CPU, split to one process: ${ratio(cpuOf('1 of each') / cpuOf('one process'))}; CPU, two copies to one: ` +
        `${ratio(cpuOf('2 of each') / cpuOf('1 of each'))}; requests/s, two copies to one: ${ratio(perSecondOf('2 of each') / perSecondOf('1 of each'))}`,
    )
  }
} finally {
  for (const close of closers.reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
}
