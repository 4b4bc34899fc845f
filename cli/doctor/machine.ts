import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

/**
 * Free disk space below MIN_FREE_BYTES is a failure, since a full disk stops the database; below
 * LOW_FREE_BYTES a warning.
 */
const MIN_FREE_BYTES = 200_000_000
const LOW_FREE_BYTES = 2_000_000_000
/** Larger clock differences make tokens and signatures look expired or not yet valid. */
const MAX_CLOCK_SKEW_MS = 5_000
const REQUEST_TIMEOUT_MS = 5_000

/** Oldest Node.js major version that can run this code. */
const MIN_NODE_MAJOR = 22

export function checkNode(version: string): DoctorFinding {
  const found = `Node.js ${version}`
  return Number(version.split('.', 1)[0]) >= MIN_NODE_MAJOR
    ? ok('node', found)
    : fail('node', found, 'Run `npm ci`, and start with `npm start` or `npx node`: they use the Node.js that it installs.')
}

/** Port check: free, or in use by Atrium itself. */
export async function checkPort(host: string, port: number): Promise<DoctorFinding> {
  if (port === 0) return ok('port', 'any free port is used')
  const fault = await listenFault(host, port)
  if (fault === null) return ok('port', `${host}:${port} is free; Atrium does not run there`)
  if (fault !== 'EADDRINUSE') {
    return fail(
      'port',
      `${host}:${port} cannot be listened on (${fault})`,
      'Set HOST to an address of this machine, and PORT above 1023.',
    )
  }
  const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/health`, {
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch(() => null)
  return answer?.ok
    ? ok('port', `Atrium answers on ${host}:${port}`)
    : fail('port', `another program uses ${host}:${port}`, `Stop it, or set PORT: PORT=${port + 1} npm start`)
}

const listenFault = (host: string, port: number): Promise<string | null> =>
  new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => done(null)))
  })

/** Disk check: free space and write permission. `folder` may not exist yet. */
export function checkDisk(folder: string): DoctorFinding {
  let place = resolve(folder)
  while (!existsSync(place)) place = dirname(place)
  try {
    accessSync(place, constants.W_OK)
  } catch {
    return fail('disk', `${folder} cannot be written`, `Give it to the user that runs Atrium, or set DATA_DIR to another folder.`)
  }
  const { bavail, bsize } = statfsSync(place)
  const free = bavail * bsize
  const found = `${(free / 1e9).toFixed(1)} GB free at ${folder}`
  const remedy = 'Free some room, or set DATA_DIR to a folder on another disk: a full disk stops the database.'
  if (free < MIN_FREE_BYTES) return fail('disk', found, remedy)
  return free < LOW_FREE_BYTES ? warn('disk', found, remedy) : ok('disk', found)
}

/** Clock check. `skewMs` is this clock minus the other one: positive means ahead. */
export function checkClock(skewMs: number, other: string): DoctorFinding {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  return Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS
    ? ok('clock', `agrees with ${other}`)
    : fail(
        'clock',
        `${seconds} seconds ${skewMs > 0 ? 'ahead of' : 'behind'} ${other}`,
        'Synchronise the clocks, as with `timedatectl set-ntp true`: tokens and signatures depend on them.',
      )
}

/**
 * Network check: an HTTPS request to `url`, and a clock check against the `Date` header of its
 * response.
 */
export async function checkNetwork(url: string): Promise<readonly DoctorFinding[]> {
  const { host } = new URL(url)
  try {
    const sent = Date.now()
    const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    const date = Date.parse(headers.get('date') ?? '')
    const found = ok('network', `${host} answers`)
    // Estimates the server's clock in the middle of the request; + 500 ms, because `Date` has whole
    // seconds.
    return Number.isNaN(date) ? [found] : [found, checkClock((sent + Date.now()) / 2 - date - 500, host)]
  } catch (error) {
    return [
      warn(
        'network',
        `${host} cannot be reached (${reasonOf(error)})`,
        'Trust decisions have less evidence, and webhooks do not arrive. Check DNS and firewall, or set TRUST_LISTS=none to do without lists.',
      ),
    ]
  }
}

/** Reason of the innermost cause, because the message of `fetch` is always "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // System errors have a `code`.
  const { code } = error as NodeJS.ErrnoException
  return error.cause instanceof Error ? reasonOf(error.cause) : (code ?? error.message)
}
