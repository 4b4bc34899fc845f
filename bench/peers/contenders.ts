import { type ChildProcess, fork, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Pool } from 'undici'
import { freePort } from '../../platform/http/listen.ts'
import { STARTED_WITH } from '../server.ts'
import { CACHE_FOLDER, cosmoRouter, hiveRouter, hiveRouterSettings } from './build.ts'

/** A gateway that runs, in a process of its own. */
export type Contender = {
  readonly name: string
  readonly pid: number
  /** Sends a body, and resolves with the bytes of the answer. Rejects for another status than 200. */
  readonly send: (body: string) => Promise<ArrayBuffer>
  readonly stop: () => Promise<void>
}

/** Why a contender does not take part. */
export type Missing = { readonly name: string; readonly why: string }

type Urls = Readonly<Record<string, string>>
type Started = { readonly child: ChildProcess; readonly port: number; readonly path: string }

const ROOT = join(import.meta.dirname, '../..')
const READY_TIMEOUT_MS = 30_000

/** Starts the subgraphs, which tell how many requests they had, and how busy they were. */
export async function startSubgraphs() {
  const { child, ready } = await forked<Record<string, number>>('../../peers/subgraphs', {}, [])
  const urls: Urls = Object.fromEntries(Object.entries(ready).map(([name, port]) => [name, `http://127.0.0.1:${port}/`]))
  const measure = () =>
    new Promise<{ readonly requests: number; readonly busy: number }>((resolve) => {
      child.once('message', (message) => resolve(message as { requests: number; busy: number })) // as subgraphs.js sends it
      child.send('measure')
    })
  return { urls, measure, stop: () => child.disconnect() }
}

/** Starts all contenders; those that cannot are named with their reason. */
export async function startContenders({
  supergraphSdl,
  urls,
  clients,
  only,
  profile,
}: {
  readonly supergraphSdl: string
  readonly urls: Urls
  readonly clients: number
  readonly only: readonly string[]
  readonly profile: boolean
}): Promise<{ readonly running: readonly Contender[]; readonly missing: Missing[] }> {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${CACHE_FOLDER}`, '--cpu-prof-name=peers.cpuprofile'] : []
  const starts: Readonly<Record<string, () => Promise<Started>>> = {
    Atrium: () => node('atrium', '/graphql', { supergraphSdl, urls, depth: 30 }, [...STARTED_WITH, ...profiling]),
    'Apollo Gateway': () => node('stock', '/', { supergraphSdl, urls }),
    'Hive Gateway, planner in Rust': () => node('hive', '/graphql', { supergraphSdl, withRust: true }),
    'Hive Router': () => compiledHive(supergraphSdl),
    'Cosmo Router': compiledCosmo,
  }
  const running: Contender[] = []
  const missing: Missing[] = []
  for (const [name, start] of Object.entries(starts)) {
    if (only.length > 0 && !only.some((each) => name.toLowerCase().includes(each.toLowerCase()))) continue
    try {
      running.push(contenderOf(name, await start(), clients))
    } catch (error) {
      missing.push({ name, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { running, missing }
}

function contenderOf(name: string, { child, port, path }: Started, clients: number): Contender {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: clients })
  return {
    name,
    pid: child.pid ?? 0,
    async send(body) {
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      const { statusCode, body: answer } = await pool.request({ method: 'POST', path, headers, body })
      const bytes = await answer.arrayBuffer()
      if (statusCode !== 200) throw new Error(`${name} answered ${statusCode}: ${Buffer.from(bytes).subarray(0, 300)}`)
      return bytes
    },
    async stop() {
      await pool.destroy()
      const exited = new Promise((resolve) => child.once('exit', resolve))
      if (child.connected) child.disconnect()
      else child.kill()
      await exited
    },
  }
}

async function node(script: string, path: string, options: object, execArgv: readonly string[] = []): Promise<Started> {
  const { child, ready } = await forked<number>(script, options, execArgv)
  return { child, port: ready, path }
}

function forked<Ready>(
  script: string,
  options: object,
  execArgv: readonly string[],
): Promise<{ child: ChildProcess; ready: Ready }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_ENV: 'production', APOLLO_TELEMETRY_DISABLED: 'true' }
    const child = fork(join(ROOT, 'bench/gateway/process.js'), [script], { env, execArgv: [...execArgv] })
    child.once('message', (ready) => resolve({ child, ready: ready as Ready })) // as process.js sends it
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: npm ci --prefix bench/gateway/contenders`)))
    child.send(options)
  })
}

async function compiledHive(supergraphSdl: string): Promise<Started> {
  const built = hiveRouter()
  if ('missing' in built) throw new Error(built.missing)
  const port = await freePort('127.0.0.1')
  const { cwd, env } = hiveRouterSettings(supergraphSdl, port)
  const child = spawn(built.file, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
  const end = performance.now() + READY_TIMEOUT_MS
  while (!(await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok) {
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`Hive Router is not ready (exit code ${child.exitCode}).`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { child, port, path: '/graphql' }
}

/** Not run: no machine of ours could build it, so what it needs was never tried. */
async function compiledCosmo(): Promise<Started> {
  const built = cosmoRouter()
  throw new Error('missing' in built ? built.missing : 'It is built, but this bench has no configuration for it yet.')
}
