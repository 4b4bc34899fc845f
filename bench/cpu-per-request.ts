import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Cluster } from '../composition/cluster/cluster.ts'
import { processorMilliseconds } from './server.ts'

/** Nothing that was answered before, and no limits: what is measured is the work. */
export const SETTINGS = { RESPONSE_CACHE_BYTES: '0', COST_LIMIT: '0', TRUST_LISTS: 'none', LOG_LEVEL: 'warn' }

/** Queries by name: of the directory alone, and across subgraphs. */
export const QUESTIONS = {
  'one field': '{ mcpServers(first: 1) { totalCount } }',
  'one subgraph': '{ mcpServers(first: 20) { edges { node { id name description category } } } }',
  'three subgraphs': `{ mcpServers(first: 20) { edges { node { id name description
    trust { action } posts(first: 3) { totalCount edges { node { title author { name } } } } } } } }`,
} as const

/** An installation, with the processes of each of its parts. */
export type System = { readonly name: string; readonly url: string; readonly pids: Readonly<Record<string, readonly number[]>> }
/** `cpu`: of each part, in ms per request; `idle`: of all while nobody asks, in ms per second. */
export type Measured = {
  readonly perSecond: number
  readonly cpu: Readonly<Record<string, number>>
  readonly idle: number
  readonly p50: number
}

/**
 * Asks `query` by `clients` at once for so many seconds, after a rest and a quarter of that to warm
 * up. Throws for an answer with errors.
 */
export async function measure(
  { url, pids }: System,
  query: string,
  { seconds, clients }: { readonly seconds: number; readonly clients: number },
): Promise<Measured> {
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
    const idleBefore = Object.fromEntries(spent())
    await sleep(seconds * 500)
    const idle = Object.fromEntries(spent().map(([part, after]) => [part, (after - (idleBefore[part] ?? 0)) / (seconds * 500)]))
    await during(seconds / 4)
    const [before, begin] = [Object.fromEntries(spent()), performance.now()]
    const times = await during(seconds)
    const elapsed = performance.now() - begin
    const ofRequests = (part: string, after: number) => after - (before[part] ?? 0) - (idle[part] ?? 0) * elapsed
    return {
      perSecond: (times.length / elapsed) * 1000,
      cpu: Object.fromEntries(spent().map(([part, after]) => [part, ofRequests(part, after) / times.length])),
      idle: total(idle) * 1000,
      p50: times[Math.floor(times.length / 2)] ?? Number.NaN,
    }
  } finally {
    await pool.close()
  }
}

/** The middle one; NaN of none. */
export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
/** CPU of all parts. */
export const total = (cpu: Measured['cpu']): number => Object.values(cpu).reduce((sum, each) => sum + each, 0)

/** The processes of a cluster, by part. */
export function partsOf({ programs, balancer }: Cluster): System['pids'] {
  const of = (wanted: (name: string) => boolean) => programs.filter(({ name }) => wanted(name)).map(({ pid }) => pid())
  return {
    balancer: [balancer.pid()],
    gateway: of((name) => name.startsWith('gateway')),
    subgraphs: of((name) => !name.startsWith('gateway')),
  }
}
