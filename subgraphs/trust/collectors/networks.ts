import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { AddressNetwork } from '../evidence.ts'
import type { SourceStatus } from './health.ts'
import { NetworkFileFault, type NetworkFileFaultReason } from './network-file-fault.ts'
import { type NetworkTable, systemOf } from './network-table.ts'

/** Result of the thread that reads a file. */
export type NetworkFileReading =
  | { readonly table: NetworkTable }
  | { readonly fault: { readonly reason: NetworkFileFaultReason; readonly message: string } }

/** Which networks addresses are in, by files of the operator. */
export type Networks = {
  /** Networks of the first addresses that a file knows, in their order. */
  readonly of: (addresses: readonly string[]) => readonly AddressNetwork[]
  /** Reads files that are new or have changed; a fault leaves the table before. Never rejects. */
  readonly refresh: () => Promise<void>
  /** A row for operators. */
  readonly status: () => SourceStatus
}

/** Name of the row in the state of sources. */
const NAME = 'networks'
/** Addresses of one host that are looked up. */
const MAX_ADDRESSES = 8
/** Heap of the thread: the largest files take half of it. */
const MAX_MEMORY_MB = 1_024
const READ_TIMEOUT_MS = 120_000
const WORKER = new URL('./network-file-worker.ts', import.meta.url)

/** `version`: of the file that was read last; undefined: none was. */
type File = { readonly path: string; version: string | null | undefined; table: NetworkTable | null; fault: string | null }

/** `paths`: the first file that knows an address counts. `signal` ends reading. */
export function networkFiles(
  paths: readonly string[],
  {
    log,
    signal,
    timeoutMs = READ_TIMEOUT_MS,
  }: { readonly log: Logger; readonly signal: AbortSignal; readonly timeoutMs?: number },
): Networks {
  const files = paths.map((path): File => ({ path, version: undefined, table: null, fault: null }))
  return {
    of: (addresses) =>
      addresses.slice(0, MAX_ADDRESSES).flatMap((address) => {
        for (const { table } of files) {
          const system = table && systemOf(table, address)
          if (system) return [{ address, ...system }]
        }
        return []
      }),

    async refresh() {
      // One after the other: each takes some hundred megabytes while it is read.
      for (const file of files) {
        const version = await versionOf(file.path)
        if (signal.aborted) return
        if (version === file.version) continue
        try {
          if (version === null) throw new NetworkFileFault('missing', 'Expected a file, found none.')
          file.table = await readInThread(file.path, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
          file.fault = null
        } catch (error) {
          if (signal.aborted) return
          const { reason, message } =
            error instanceof NetworkFileFault ? error : new NetworkFileFault('unreadable', String(error))
          // Anybody may read the state of sources; the log has the whole path.
          file.fault = `${basename(file.path)}: ${reason}. ${message}`
          log.warn({ err: error, path: file.path, reason }, 'a file of networks cannot be used')
        }
        file.version = version
      }
    },

    status() {
      const faults = files.flatMap(({ fault }) => fault ?? [])
      if (faults.length > 0) return { name: NAME, state: 'down', reason: faults.join(' ') }
      return { name: NAME, state: files.every(({ table }) => table !== null) ? 'up' : 'untried', reason: null }
    },
  }
}

/** Changes when the file or who may read it does; null: it is not there, or cannot be looked at. */
async function versionOf(path: string): Promise<string | null> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path)
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`
  } catch {
    return null
  }
}

/** Rejects with a `NetworkFileFault`. */
async function readInThread(path: string, signal: AbortSignal): Promise<NetworkTable> {
  const { promise, resolve, reject } = Promise.withResolvers<NetworkFileReading>()
  const worker = new Worker(WORKER, {
    workerData: path,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    execArgv: [],
    stderr: true,
  })
  const expire = () => reject(new NetworkFileFault('timeout', 'Reading took too long.'))
  signal.addEventListener('abort', expire)
  worker.once('message', resolve)
  // Out of memory, or a fault of the library that nobody foresaw.
  worker.once('error', (error: unknown) =>
    reject(new NetworkFileFault('timeout', `It could not be read: ${error instanceof Error ? error.message : String(error)}.`)),
  )
  try {
    const reading = await promise
    if ('fault' in reading) throw new NetworkFileFault(reading.fault.reason, reading.fault.message)
    return reading.table
  } finally {
    signal.removeEventListener('abort', expire)
    void worker.terminate()
  }
}
