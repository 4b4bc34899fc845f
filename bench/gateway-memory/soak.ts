import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { processorMilliseconds } from '../server.ts'
import { rootOf } from './supergraph.ts'

const CLIENTS = 10
const SAMPLES = 50
const SAMPLES_PER_LINE = 5
/** Timers and returned pages are over by then. */
const IDLE_AFTER_MS = 5_000

/** Arguments of Node that make a child process report its heap; it needs an IPC channel. */
export const REPORTS_HEAP: readonly string[] = ['--import', join(import.meta.dirname, 'report-heap.js')]

/** MiB of a child process after so many thousand operations. */
type Sample = { readonly thousands: number; readonly resident: number; readonly live: number }

/** Memory of a process in MiB, from /proc: resident, and not shared with a file. */
export function memoryOf({ pid }: ChildProcess): { readonly rss: number; readonly own: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
  return { rss: of('Rss'), own: of('Private_Dirty') }
}

/**
 * Sends `operations` that are all different to a process started with `REPORTS_HEAP`. Prints a line
 * at each tenth, and the slopes of resident memory and live heap over the second half. Throws for a
 * wrong answer.
 */
export async function soak(program: string, child: ChildProcess, port: number, operations: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CLIENTS })
  const samples: Sample[] = []
  const [begin, spent] = [performance.now(), processorMilliseconds(child.pid ?? 0)]
  let sent = 0
  const client = async () => {
    while (sent < operations) {
      const number = sent++
      await send(pool, number)
      if ((number + 1) % Math.ceil(operations / SAMPLES) !== 0) continue
      samples.push({ thousands: (number + 1) / 1000, resident: memoryOf(child).rss, live: await liveHeapOf(child) })
      if (samples.length % SAMPLES_PER_LINE === 0) console.log(lineOf(samples.at(-1), begin))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await pool.destroy()
  const cpu = (processorMilliseconds(child.pid ?? 0) - spent) / operations
  await pause(IDLE_AFTER_MS)
  const secondHalf = samples.slice(samples.length / 2)
  const of = (what: 'resident' | 'live') => slopeOf(secondHalf.map((each) => [each.thousands, each[what]]))
  console.log(
    `${program}: ${cpu.toFixed(2)} ms of processor time per operation; idle then ${memoryOf(child).rss.toFixed(0)} MiB resident.
  Slopes of the second half, MiB per 1,000 operations, with 95 % confidence: resident ${of('resident')}, live heap ${of('live')}`,
  )
}

/** One operation for each number: the alias makes it new, every other needs two subgraphs. */
async function send(pool: Pool, number: number): Promise<void> {
  const fields = number % 2 === 0 ? `rating${number % 800}` : 'text'
  const query = `{ ${rootOf(number)}(id: "1") { id name alias${number}: createdAt ${fields} } }`
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query })
  const answer = await pool.request({ method: 'POST', path: '/graphql', headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200 || text.includes('"errors"'))
    throw new Error(`Expected an answer, got ${answer.statusCode}: ${text.slice(0, 300)}`)
}

/** MiB that the last full collection of a process left in its heap. */
async function liveHeapOf(child: ChildProcess): Promise<number> {
  const answer = new Promise<number>((resolve) => child.once('message', (bytes) => resolve(Number(bytes))))
  child.send('heap')
  return (await answer) / 1024 ** 2
}

function lineOf(sample: Sample | undefined, begin: number): string {
  const { thousands = 0, resident = 0, live = 0 } = sample ?? {}
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  return `  ${thousands}k operations, ${seconds} s: ${resident.toFixed(1)} MiB resident, ${live.toFixed(1)} MiB live heap`
}

/** Least squares: the slope, and 1.96 of its standard errors. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): string {
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  const slope = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spread
  const residuals = points.reduce((sum, [x, y]) => sum + (y - middleY - slope * (x - middleX)) ** 2, 0)
  const error = Math.sqrt(residuals / (points.length - 2) / spread)
  return `${slope.toFixed(3)} ± ${(1.96 * error).toFixed(3)}`
}
