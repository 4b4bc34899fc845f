import { Worker } from 'node:worker_threads'
import type { ExtractedContent } from '../evidence/content.ts'
import type { ContentRisk } from '../evidence/risk.ts'
import type { DocumentFormat } from './web.ts'

export type PageText = { readonly format: DocumentFormat; readonly text: string }
export type ExtractedPage = { readonly content: ExtractedContent; readonly risk: ContentRisk }

export type Extracted = ({ readonly kind: 'content' } & ExtractedPage) | { readonly kind: 'failed'; readonly reason: string }

/** Heap limit of a worker; pages of 5 MB need about 100 MB. */
const MAX_MEMORY_MB = 512

/** The source tree has .ts files, the published package .js files. */
const WORKER = new URL(`./extraction-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/**
 * Extracts the text of a page and examines it in a worker thread, which is terminated after
 * `timeoutMs`. Never rejects.
 */
export function extract(page: PageText, timeoutMs: number): Promise<Extracted> {
  const { promise, resolve } = Promise.withResolvers<Extracted>()
  const worker = new Worker(WORKER, {
    workerData: page,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    // Node.js flags of the parent process are not inherited.
    execArgv: [],
    stderr: true,
  })
  const timer = setTimeout(
    () => resolve({ kind: 'failed', reason: `Its text could not be extracted within ${timeoutMs / 1000} s.` }),
    timeoutMs,
  )
  worker.once('message', (extracted: ExtractedPage) => resolve({ kind: 'content', ...extracted }))
  worker.once('error', (error: unknown) =>
    resolve({
      kind: 'failed',
      reason: `Its text could not be extracted: ${error instanceof Error ? error.message : String(error)}`,
    }),
  )
  return promise.finally(() => {
    clearTimeout(timer)
    void worker.terminate()
  })
}
