/**
 * What a start costs beside another checkout of Atrium: the gateway by itself, and the whole
 * system as `npm start` runs it, in turns, a process for each.
 *
 *   node bench/start.ts --before FOLDER
 *   --before FOLDER      another checkout, which has its packages and its generated files
 *   --rounds N (7)       how often each starts; one more before them fills caches and databases
 *   --only TEXT          only `gateway` or `system`
 *   --with TEXT          this checkout once more, with a variable of the environment (`NAME=VALUE`)
 *                        or flags of Node (`--flag --other`); may be repeated
 *   --profile FOLDER     one start of this checkout for each, with a profile of its processor time
 *
 * The databases are embedded ones, migrated and empty, and run in processes of their own, which are
 * not counted. Both gateways serve the supergraph of the other checkout, so that the older one can.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../platform/http/listen.ts'
import { processorMilliseconds, STARTED_WITH } from './server.ts'
import { median } from './tricks/turns.ts'

const ROOT = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    with: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
  },
})
/** What runs on after the start, as timers and collections of garbage, is over by then. */
const IDLE_AFTER_MS = 4_000
const READY_WITHIN_MS = 120_000

type Kind = 'gateway' | 'system'
type Extra = { readonly env: Record<string, string>; readonly flags: readonly string[] }
type Contender = { readonly name: string; readonly root: string; readonly extra: Extra; readonly data: string }

/** Of one start: processor time until it answers, and a while later, with its memory by then. */
type Start = Record<'ready' | 'idle' | 'resident' | 'proportional' | 'own', number>
const MEASURES: readonly (readonly [keyof Start, string])[] = [
  ['ready', 'ms of processor time until ready'],
  ['idle', `ms of processor time ${IDLE_AFTER_MS / 1000} s later`],
  ['resident', 'MB resident'],
  ['proportional', 'MB, shared pages by their part'],
  ['own', 'MB of its own'],
]

const before = values.before === undefined ? null : resolve(values.before)
const supergraph = join(before ?? ROOT, 'schema/supergraph.graphql')
const folders: string[] = []
const contenders = [
  contender('now', ROOT),
  ...(before ? [contender('before', before)] : []),
  ...values.with.map((text) => contender(text, ROOT, extraOf(text))),
]
console.log(`${values.rounds} rounds; medians, and the medians of the ratios of each round, with the least and the most.`)
for (const kind of ['gateway', 'system'] as const) if (kind.includes(values.only)) await compareStarts(kind)
for (const folder of folders) rmSync(folder, { recursive: true, force: true })

function contender(name: string, root: string, extra: Extra = { env: {}, flags: [] }): Contender {
  const data = mkdtempSync(join(tmpdir(), 'atrium-start-'))
  folders.push(data)
  return { name, root, extra, data }
}

function extraOf(text: string): Extra {
  if (text.startsWith('--')) return { env: {}, flags: text.split(' ') }
  const at = text.indexOf('=')
  if (at < 1) throw new Error(`Expected --with to be NAME=VALUE or flags, got ${text}.`)
  return { env: { [text.slice(0, at)]: text.slice(at + 1) }, flags: [] }
}

async function compareStarts(kind: Kind): Promise<void> {
  for (const each of contenders) await startOnce(kind, each)
  if (values.profile !== undefined) {
    await startOnce(kind, contenders[0] as Contender, ['--cpu-prof', `--cpu-prof-dir=${join(resolve(values.profile), kind)}`])
  }
  const starts = new Map<Contender, Start[]>(contenders.map((each) => [each, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const each of round % 2 === 0 ? contenders : contenders.toReversed()) {
      starts.get(each)?.push(await startOnce(kind, each))
    }
  }
  const [own, ...others] = contenders
  const of = (each: Contender | undefined, what: keyof Start) =>
    (each ? (starts.get(each) ?? []) : []).map((start) => start[what])
  for (const [what, unit] of MEASURES) {
    const figures = contenders.map((each) => `${each.name} ${median(of(each, what)).toFixed(0)}`).join(', ')
    const ratios = others.map((other) => {
      const all = of(own, what).map((value, round) => value / (of(other, what)[round] ?? Number.NaN))
      const [least, greatest] = [Math.min(...all), Math.max(...all)]
      return `${median(all).toFixed(3)} (${least.toFixed(2)} to ${greatest.toFixed(2)}) times ${other.name}`
    })
    console.log(`${kind.padEnd(8)} ${unit.padEnd(40)} ${figures.padEnd(34)} ${ratios.join('; ')}`)
  }
}

async function startOnce(kind: Kind, { root, extra, data }: Contender, flags: readonly string[] = []): Promise<Start> {
  const port = await freePort('127.0.0.1')
  const child = spawn(
    join(root, 'node_modules/node/bin/node'),
    [...flags, ...(kind === 'system' ? STARTED_WITH : []), ...extra.flags, kind === 'system' ? 'main.ts' : 'gateway/main.ts'],
    {
      cwd: root,
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PORT: String(port),
        HOST: '127.0.0.1',
        LOG_LEVEL: 'error',
        ...(kind === 'system' ? { DATA_DIR: data } : { SUPERGRAPH_FILE: supergraph }),
        ...extra.env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const pid = child.pid ?? 0
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  try {
    await listening(child, port)
    const ready = processorMilliseconds(pid)
    await pause(IDLE_AFTER_MS)
    return { ready, idle: processorMilliseconds(pid), ...memoryOf(pid) }
  } catch (error) {
    console.error(said)
    throw error
  } finally {
    const gone = new Promise((done) => child.once('exit', done))
    if (child.exitCode === null && child.kill('SIGTERM')) await gone
  }
}

/** Resolves when the process listens; asking it by HTTP would count as its work. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  for (let waited = 0; waited < READY_WITHIN_MS; waited += 20) {
    if (child.exitCode !== null) throw new Error(`Expected ${child.spawnargs.join(' ')} to run, got exit code ${child.exitCode}.`)
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).once('error', () => done(false))
      socket.once('close', () => done(false)).unref()
      setTimeout(() => socket.destroy(), 500).unref()
    })
    if (isOpen) return
    await pause(20)
  }
  throw new Error(`Expected ${child.spawnargs.join(' ')} to listen within ${READY_WITHIN_MS / 1000} seconds.`)
}

/** Memory of a process in megabytes, from /proc. */
function memoryOf(pid: number): Pick<Start, 'resident' | 'proportional' | 'own'> {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1024) / 1e6
  return { resident: of('Rss'), proportional: of('Pss'), own: of('Private_Dirty') }
}
