import type { Passage } from './link.ts'

/**
 * Runs `work` with a signal that aborts when the client's does, or after `milliseconds`. Cheaper than AbortSignal.timeout with AbortSignal.any, which this
 * would be otherwise.
 */
export async function withinTime<Result>(
  milliseconds: number,
  passage: Passage,
  work: (bounded: Passage) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const { signal } = passage
  const abort = () => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => controller.abort(new Error(`The operation took longer than ${milliseconds} ms.`)), milliseconds)
  try {
    return await work({ caller: passage.caller, signal: controller.signal })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}
