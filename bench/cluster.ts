/**
 * What splitting costs and gives: one process, a cluster of one copy of each part, and one of two
 * copies, asked the same in turns, in one run. Needs haproxy and redis-server. What processes use
 * while nobody asks (health checks, timers) is told by itself, and not part of a request: on a
 * machine with others, few requests would carry all of it.
 *
 *   node bench/cluster.ts
 *   --seconds N (4)      how long each is asked each question, each time
 *   --rounds N (3)       how often; the medians are told
 *   --clients N (16)     requests under way at once
 *   --copies LIST (1,2)  clusters of how many copies of each part
 *   --port N (14200)     where the clusters begin: each takes 50 ports from there
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { startCluster } from '../composition/cluster/cluster.ts'
import { type Measured, measure, median, partsOf, QUESTIONS, SETTINGS, type System, total } from './cpu-per-request.ts'
import { startAtrium } from './server.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    copies: { type: 'string', default: '1,2' },
    port: { type: 'string', default: '14200' },
  },
})
const [seconds, rounds, clients, port] = [values.seconds, values.rounds, values.clients, values.port].map(Number) as [
  number,
  number,
  number,
  number,
]

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const closers: (() => Promise<unknown>)[] = []
try {
  const single = await startAtrium({ settings: SETTINGS })
  closers.push(single.stop)
  const systems: System[] = [{ name: 'one process', url: single.base, pids: { process: [single.pid] } }]
  for (const copies of values.copies.split(',').map(Number)) {
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

  console.log(
    '                                     requests/s   p50 ms   CPU ms per request, by part; CPU ms per second while idle',
  )
  for (const [question, query] of Object.entries(QUESTIONS)) {
    const measured = new Map<string, Measured[]>(systems.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const system of systems) measured.get(system.name)?.push(await measure(system, query, { seconds, clients }))
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
        `${question.padEnd(17)} ${name.padEnd(16)} ${cells.join(' ')}   ${cpuOf(name).toFixed(3)} (${parts.join(', ')}); ${median(all.map(({ idle }) => idle)).toFixed(1)}`,
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
