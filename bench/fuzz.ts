/**
 * Asks a whole Atrium, which it starts over an embedded database of its own (or the empty one of
 * DATABASE_URL), random operations and random REST requests, and says which were answered wrongly:
 * with a status of 500 or more, with an error that is a fault, with something that is no JSON or
 * breaks its contract, or not at all. Every failure is made small and kept in test/fuzz/cases,
 * which the suite asks from then on.
 *
 *   node bench/fuzz.ts --operations 50000 --requests 50000     Ctrl-C ends it early, and says what was found
 *   node bench/fuzz.ts --protocol graph --seed 123                 one seed again; state that earlier seeds made is not there
 *   --from N (0)                                               the first seed
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { databaseServer } from '../platform/database/server.ts'
import { type Finding, keep, run } from '../test/fuzz/run.ts'
import { startTarget } from '../test/fuzz/target.ts'

const { values: options } = parseArgs({
  options: {
    operations: { type: 'string', default: '5000' },
    requests: { type: 'string', default: '5000' },
    from: { type: 'string', default: '0' },
    protocol: { type: 'string' },
    seed: { type: 'string' },
  },
})
const dataDir = mkdtempSync(join(tmpdir(), 'atrium-fuzz-'))
const database = await databaseServer({ databaseUrl: process.env.DATABASE_URL, dataDir, log: pino({ level: 'fatal' }) })
const { connection } = database
// The embedded server is reached through a socket, which a URL can name too.
const databaseUrl =
  'connectionString' in connection
    ? connection.connectionString
    : `postgresql://${connection.user}@localhost/${connection.database}?host=${encodeURIComponent(connection.host)}`
const target = await startTarget(databaseUrl)
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const from = Number(options.from)
const seedsOf = (count: string) => Array.from({ length: Number(count) }, (_, index) => from + index)
const only = options.seed
const plan = [
  { protocol: 'graph', seeds: only === undefined ? seedsOf(options.operations) : [only] },
  { protocol: 'rest', seeds: only === undefined ? seedsOf(options.requests) : [only] },
] as const
const findings: Finding[] = []
for (const { protocol, seeds } of plan.filter(
  ({ protocol }) => options.protocol === undefined || options.protocol === protocol,
)) {
  const began = performance.now()
  let sentCount = 0
  const results = await run(target, protocol, seeds, {
    signal: stop.signal,
    progress: (done) => {
      sentCount = done
      if (done % 1_000 === 0) console.error(`${protocol}: ${done} of ${seeds.length}, ${findings.length} found`)
    },
    found: (finding) => {
      findings.push(finding)
      console.error(`${protocol} seed ${finding.seed}: ${finding.fault}\n  kept in ${keep(finding)}`)
    },
  })
  const seconds = (performance.now() - began) / 1000
  console.log(`${protocol}: ${sentCount} asked in ${Math.round(seconds)} s, ${Math.round(sentCount / seconds)} a second`)
  console.log(
    [...results]
      .sort(([, one], [, other]) => other - one)
      .map(([result, count]) => `  ${result} ${count}`)
      .join('\n'),
  )
}
const faults = target.faults()
for (const { id, line } of faults) console.log(`the log${id ? ` of ${id}` : ''}: ${line}`)
console.log(`${findings.length} kinds of failures, ${faults.length} faults in the log`)
await target.stop()
await database.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit(findings.length + faults.length > 0 ? 1 : 0)
