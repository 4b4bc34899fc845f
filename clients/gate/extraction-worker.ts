import { parentPort, workerData } from 'node:worker_threads'
import { contentOfPage } from '../evidence/page.ts'

/** Worker thread, so that extraction of a large page can be terminated. */
parentPort?.postMessage(contentOfPage(String(workerData)))
