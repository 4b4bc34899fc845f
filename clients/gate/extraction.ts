import { Worker } from 'node:worker_threads'
import type { ExtractedContent } from '../evidence/content.ts'

export type Extracted =
  | { readonly kind: 'content'; readonly content: ExtractedContent }
  | { readonly kind: 'failed'; readonly reason: string }

/** In megabytes. Pages of five take about a hundred. */
const MAX_MEMORY_MB = 512

/** The sources run as TypeScript, what is published as JavaScript. */
const WORKER = new URL(`./extraction-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/**
 * Extracts the text of a page in a thread of its own, which is stopped when it takes longer than
 * `timeoutMs`. Never rejects.
 */
export function extract(html: string, timeoutMs: number): Promise<Extracted> {
  const { promise, resolve } = Promise.withResolvers<Extracted>()
  const worker = new Worker(WORKER, {
    workerData: html,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    // Flags of the program are its own.
    execArgv: [],
    stderr: true,
  })
  const timer = setTimeout(
    () => resolve({ kind: 'failed', reason: `Its text could not be extracted within ${timeoutMs / 1000} s.` }),
    timeoutMs,
  )
  worker.once('message', (content: ExtractedContent) => resolve({ kind: 'content', content }))
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
