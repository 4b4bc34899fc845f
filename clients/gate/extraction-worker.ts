import { parentPort, workerData } from 'node:worker_threads'
import { contentOfPage } from '../evidence/page.ts'

/** Runs beside the program, so that a page that takes too long can be stopped. */
parentPort?.postMessage(contentOfPage(String(workerData)))
