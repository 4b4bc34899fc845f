import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Measured, measure, median, partsOf, QUESTIONS, SETTINGS, type System, total } from '../../bench/cpu-per-request.ts'
import { startAtrium } from '../../bench/server.ts'
import { planCapacity } from '../../cli/capacity/capacity.ts'
import { startCluster } from '../../composition/cluster/cluster.ts'
import { isLong } from './support/fault.ts'

/** How far from a prediction a run may be. */
const TOLERANCE_RATIO = 0.3
const ROUNDS = 3
const REQUESTS = 100_000

/** What the model says about a mix: how many times the CPU of one process, and the part of subgraphs. */
function predicted(crossPercent: number): { readonly ratio: number; readonly subgraphPercent: number } {
  const { oneProcessCores, parts } = planCapacity({ requestsPerSecond: REQUESTS, sockets: 0, crossPercent, coresPerMachine: 8 })
  const cores = parts.reduce((sum, part) => sum + part.cores, 0)
  return { ratio: cores / oneProcessCores, subgraphPercent: parts.find(({ part }) => part === 'subgraphs')?.cpuPercent ?? 0 }
}

/**
 * By processor time, which depends little on what else a machine does, and without what is used while
 * idle. Each request is compared with itself in one process: the model has the speed of the machine
 * that it was measured on.
 */
describe.runIf(isLong)('predictions of the capacity model', () => {
  const closers: (() => Promise<unknown>)[] = []
  const none = { directory: { all: 0, subgraphs: 0 }, cross: { all: 0, subgraphs: 0 } }
  const cost = { oneProcess: none, split: structuredClone(none) }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-capacity-'))
    closers.push(async () => rmSync(folder, { recursive: true, force: true }))
    const single = await startAtrium({ settings: SETTINGS })
    closers.push(single.stop)
    const cluster = await startCluster({
      ...{ port: 14_400, copies: 1, dataDir: folder, log: pino({ level: 'silent' }) },
      env: { ...process.env, ...SETTINGS },
      defer: (close) => closers.push(async () => close()),
    })
    const systems = {
      oneProcess: { name: 'one process', url: single.base, pids: { process: [single.pid] } },
      split: { name: 'one of each', url: cluster.url, pids: partsOf(cluster) },
    } satisfies Record<string, System>
    const questions = { directory: QUESTIONS['one subgraph'], cross: QUESTIONS['three subgraphs'] }
    for (const question of ['directory', 'cross'] as const) {
      const seen: Record<keyof typeof systems, Measured['cpu'][]> = { oneProcess: [], split: [] }
      for (let round = 0; round < ROUNDS; round++) {
        for (const name of ['oneProcess', 'split'] as const) {
          const { cpu } = await measure(systems[name], questions[question], { seconds: 4, clients: 16 })
          seen[name].push(cpu)
        }
      }
      for (const name of ['oneProcess', 'split'] as const) {
        const subgraphs = median(seen[name].map((cpu) => cpu.subgraphs ?? 0))
        cost[name][question] = { all: median(seen[name].map(total)), subgraphs }
      }
    }
    console.log(`CPU ms per request: ${JSON.stringify(cost)}`)
  }, 600_000)
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
  })

  const ratioOf = (question: 'directory' | 'cross') => cost.split[question].all / cost.oneProcess[question].all

  test.each<[string, () => readonly [predicted: number, seen: number]]>([
    ['the cost of a directory request, split', () => [predicted(0).ratio, ratioOf('directory')]],
    ['the cost of a request across subgraphs, split', () => [predicted(100).ratio, ratioOf('cross')]],
    [
      'the part of subgraphs in a tenth of requests across subgraphs',
      () => {
        const { directory, cross } = cost.split
        const mixed = (part: 'all' | 'subgraphs') => 0.9 * directory[part] + 0.1 * cross[part]
        return [predicted(10).subgraphPercent, (mixed('subgraphs') / mixed('all')) * 100]
      },
    ],
  ])('%s is within 30 percent', (name, values) => {
    const [expected, seen] = values()
    console.log(`${name}: predicted ${expected.toFixed(2)}, seen ${seen.toFixed(2)}`)
    expect(Math.abs(seen - expected) / expected).toBeLessThan(TOLERANCE_RATIO)
  })
})
