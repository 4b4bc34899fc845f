/**
 * Memory of the standalone gateway with a supergraph of 1,000 types: after a start, and while it
 * answers operations that are all different. A process for each start, in turns.
 *
 *   node bench/gateway-memory.ts
 *   --rounds N (5)         starts of each contender
 *   --program TEXT         arguments of Node that start a gateway, as `--flag FOLDER/main.js`; may be
 *                          repeated (gateway/main.ts of this checkout)
 *   --operations N (0)     distinct operations after the last start of each, for instance 50000
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { freePort } from '../platform/http/listen.ts'
import { anySubgraph } from './gateway-memory/subgraph.ts'
import { rootOf, thousandTypes } from './gateway-memory/supergraph.ts'
import { processorMilliseconds } from './server.ts'
import { median } from './tricks/turns.ts'

const ROOT = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    program: { type: 'string', multiple: true, default: ['gateway/main.ts'] },
    operations: { type: 'string', default: '0' },
  },
})
const [rounds, operations] = [Number(values.rounds), Number(values.operations)]
const READY_TIMEOUT_MS = 120_000
/** Timers of a start and returned pages are over by then. */
const IDLE_AFTER_MS = 5_000
const CLIENTS = 10
const SAMPLES = 50

const folder = mkdtempSync(join(tmpdir(), 'atrium-memory-'))
const subgraph = anySubgraph().listen(0, '127.0.0.1')
await new Promise((listening) => subgraph.once('listening', listening))
// Of a server that listens on TCP.
const { port: subgraphPort } = subgraph.address() as AddressInfo
const file = join(folder, 'supergraph.graphql')
writeFileSync(
  file,
  thousandTypes(() => `http://127.0.0.1:${subgraphPort}/`),
)

const starts = new Map<string, { readonly rss: number; readonly own: number; readonly cpu: number }[]>()
try {
  for (let round = -1; round < rounds; round++) {
    for (const program of round % 2 === 0 ? values.program : values.program.toReversed()) {
      const { child, port } = await start(program)
      try {
        await pause(IDLE_AFTER_MS)
        const figures = { ...memoryOf(child), cpu: processorMilliseconds(child.pid ?? 0) }
        // The first fills the compile cache.
        if (round >= 0) starts.set(program, [...(starts.get(program) ?? []), figures])
        if (round === rounds - 1 && operations > 0) await soak(program, child, port)
      } finally {
        await stop(child)
      }
    }
  }
} finally {
  subgraph.close()
  subgraph.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}
for (const [program, all] of starts) {
  const of = (what: 'rss' | 'own' | 'cpu') => {
    const figures = all.map((each) => each[what])
    return `${median(figures).toFixed(1)} (${Math.min(...figures).toFixed(1)}–${Math.max(...figures).toFixed(1)})`
  }
  console.log(`${program}: ${of('rss')} MiB resident, of which ${of('own')} its own; ${of('cpu')} ms of processor time`)
}

async function start(program: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort('127.0.0.1')
  const child = spawn(join(ROOT, 'node_modules/node/bin/node'), program.split(' '), {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      SUPERGRAPH_FILE: file,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const end = performance.now() + READY_TIMEOUT_MS
  while (!(await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok) {
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`Expected ${program} to start, exit code ${child.exitCode}.`)
    await pause(50)
  }
  return { child, port }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise((done) => child.once('exit', done))
  if (child.exitCode === null && child.kill('SIGTERM')) await exited
}

/** Memory of a process in MiB, from /proc: resident, and not shared with a file. */
function memoryOf({ pid }: ChildProcess): { readonly rss: number; readonly own: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
  return { rss: of('Rss'), own: of('Private_Dirty') }
}

/** Sends operations that are all different; prints memory, and its slope over the second half. */
async function soak(program: string, child: ChildProcess, port: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CLIENTS })
  const headers = { 'content-type': 'application/json' }
  const samples: { readonly thousands: number; readonly mebibytes: number }[] = []
  let sent = 0
  const client = async () => {
    while (sent < operations) {
      const number = sent++
      const fields = number % 2 === 0 ? `rating${number % 800}` : 'text'
      const query = `{ ${rootOf(number)}(id: "1") { id name alias${number}: createdAt ${fields} } }`
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/graphql',
        headers,
        body: JSON.stringify({ query }),
      })
      const text = await body.text()
      if (statusCode !== 200 || text.includes('"errors"'))
        throw new Error(`Expected an answer, got ${statusCode}: ${text.slice(0, 300)}`)
      if ((number + 1) % Math.ceil(operations / SAMPLES) === 0)
        samples.push({ thousands: (number + 1) / 1000, mebibytes: memoryOf(child).rss })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await pool.destroy()
  await pause(IDLE_AFTER_MS)
  const { slope, error } = regression(samples.slice(samples.length / 2))
  const at = samples
    .filter((_, index) => (index + 1) % 10 === 0)
    .map(({ thousands, mebibytes }) => `${thousands}k ${mebibytes.toFixed(0)}`)
  console.log(
    `${program}: MiB resident after operations: ${at.join(', ')}; idle then ${memoryOf(child).rss.toFixed(0)}; slope of the second half ${slope.toFixed(2)} ± ${(1.96 * error).toFixed(2)} MiB per 1,000 operations`,
  )
}

/** Least squares: MiB per thousand operations, and its standard error. */
function regression(samples: readonly { readonly thousands: number; readonly mebibytes: number }[]) {
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length
  const [x, y] = [mean(samples.map(({ thousands }) => thousands)), mean(samples.map(({ mebibytes }) => mebibytes))]
  const spread = samples.reduce((sum, { thousands }) => sum + (thousands - x) ** 2, 0)
  const slope = samples.reduce((sum, { thousands, mebibytes }) => sum + (thousands - x) * (mebibytes - y), 0) / spread
  const residuals = samples.reduce((sum, { thousands, mebibytes }) => sum + (mebibytes - y - slope * (thousands - x)) ** 2, 0)
  return { slope, error: Math.sqrt(residuals / (samples.length - 2) / spread) }
}
