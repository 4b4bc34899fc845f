import { parentPort, workerData } from 'node:worker_threads'
import { NetworkFileFault } from './network-file-fault.ts'
import { readNetworkFile } from './network-file-reading.ts'
import type { NetworkFileReading } from './networks.ts'

/** Worker thread, so that reading a large or a hostile file can be terminated. */
async function reading(path: string): Promise<NetworkFileReading> {
  try {
    return { table: await readNetworkFile(path) }
  } catch (error) {
    if (!(error instanceof NetworkFileFault)) throw error
    return { fault: { reason: error.reason, message: error.message } }
  }
}

// The parent passes the path.
parentPort?.postMessage(await reading(workerData as string))
