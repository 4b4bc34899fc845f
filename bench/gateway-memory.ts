/**
 * Memory of the standalone gateway with a supergraph of 1,000 types: after a start, and while it
 * answers operations that are all different. A process for each start, in turns.
 *
 *   node bench/gateway-memory.ts
 *   --rounds N (5)         starts of each contender
 *   --program TEXT         arguments of Node that start a gateway, as `--flag FOLDER/main.js`; may be
 *                          repeated (gateway/main.ts of this checkout)
 *   --operations N (0)     distinct operations after the last start of each; 50000 take 10 to 15 minutes
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../platform/http/listen.ts'
import { memoryOf, REPORTS_HEAP, soak } from './gateway-memory/soak.ts'
import { anySubgraph } from './gateway-memory/subgraph.ts'
import { thousandTypes } from './gateway-memory/supergraph.ts'
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
      const { child } = await start(program)
      try {
        await pause(IDLE_AFTER_MS)
        const figures = { ...memoryOf(child), cpu: processorMilliseconds(child.pid ?? 0) }
        // The first fills the compile cache.
        if (round >= 0) starts.set(program, [...(starts.get(program) ?? []), figures])
      } finally {
        await stop(child)
      }
    }
  }
  for (const program of operations > 0 ? values.program : []) {
    const { child, port } = await start(program, REPORTS_HEAP)
    try {
      await soak(program, child, port, operations)
    } finally {
      await stop(child)
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

async function start(
  program: string,
  flags: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort('127.0.0.1')
  const child = spawn(join(ROOT, 'node_modules/node/bin/node'), [...flags, ...program.split(' ')], {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      SUPERGRAPH_FILE: file,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
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
