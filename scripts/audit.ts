/**
 * Asks the registry's advisory source about every dependency, development included. Exit status 1
 * for an advisory of severity high or critical that audit-exceptions.json does not except, and for
 * an exception whose day is over. Where no source answers it says so, and exits 0: a build must not
 * depend on somebody else's service. `--time-limit SECONDS` bounds each of two questions, 60 by
 * default.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { z } from 'zod'
import { advisoriesIn, type Exception, exceptionsIn, verdictOf } from './audit-report.ts'
import { productionPackages } from './production-packages.ts'

const EXCEPTIONS_FILE = 'audit-exceptions.json'
/** Beyond it, a source counts as none. */
const TIME_LIMIT_SECONDS = 60
/** A report of a thousand packages is some 100 kB. */
const MAX_OUTPUT_BYTES = 100_000_000

/**
 * Known since 2020 and 2022 to have two vulnerabilities: a source that has nothing about it knows
 * no advisories.
 */
const PROBE = { minimist: ['0.0.8'] }
const ProbeAnswer = z.object({ minimist: z.array(z.object({ severity: z.string(), url: z.string() })).min(1) })

const { values } = parseArgs({ options: { 'time-limit': { type: 'string', default: String(TIME_LIMIT_SECONDS) } } })
const timeLimitMs = z.coerce.number().min(1).max(600).parse(values['time-limit']) * 1_000
const root = process.cwd()
const exceptions = readExceptions()
const run = promisify(execFile)
const inProduction = new Set(productionPackages(root).map(({ path }) => path))

const source = await findSource()
const report = source.problem === null ? await npmAudit() : ''
const advisories = source.problem === null ? advisoriesIn(report, (path) => !inProduction.has(path)) : null
const problem = source.problem ?? (advisories === null ? 'npm audit gave no report' : null)

const { lines, isFailed } = verdictOf(advisories, exceptions, new Date().toISOString().slice(0, 10))

for (const line of lines) console.error(line)
if (problem !== null) console.error(`No advisory source answered (${problem}): the dependencies were NOT audited.`)
else console.error(`Audited: ${lines.length === 0 ? 'no advisory concerns a dependency' : isFailed ? 'failed' : 'passed'}.`)
process.exit(isFailed ? 1 : 0)

function readExceptions(): readonly Exception[] {
  const file = join(root, EXCEPTIONS_FILE)
  try {
    return existsSync(file) ? exceptionsIn(readFileSync(file, 'utf8')) : []
  } catch (error) {
    console.error(`${EXCEPTIONS_FILE}: ${error instanceof Error ? error.message : error}`)
    return process.exit(1)
  }
}

/**
 * Whether the registry of npm's configuration answers about advisories. Its address is not told: it
 * may hold a password.
 */
async function findSource(): Promise<{ readonly problem: string | null }> {
  try {
    const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: root, timeout: timeLimitMs })
    const url = new URL('-/npm/v1/security/advisories/bulk', `${stdout.trim().replace(/\/+$/, '')}/`)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(PROBE),
      signal: AbortSignal.timeout(timeLimitMs),
    })
    if (!answer.ok) return { problem: `status ${answer.status}` }
    const isKnowing = ProbeAnswer.safeParse(await answer.json()).success
    return { problem: isKnowing ? null : 'it knows nothing about a package that is known to be vulnerable' }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const cause =
      error instanceof Error && error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : null
    return { problem: isLate ? 'no answer in time' : (cause ?? 'no readable answer') }
  }
}

/**
 * What `npm audit --json` writes, which also says things with exit status 1; empty when it takes
 * too long.
 */
async function npmAudit(): Promise<string> {
  const options = ['--json', '--package-lock-only', '--fetch-retries=1', '--fetch-timeout=20000']
  return run('npm', ['audit', ...options], {
    cwd: root,
    timeout: timeLimitMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout?: string }) => error.stdout ?? '',
  )
}
