import { setTimeout as sleep } from 'node:timers/promises'

/** `first` settles after the first run. `stop` resolves when no run is in progress. */
export type PeriodicJob = { readonly first: Promise<void>; readonly stop: () => Promise<void> }

/**
 * Runs `run` now and again `intervalMs` after each end, until stopped, which aborts the signal.
 * Rejections go to `onError`.
 */
export function runPeriodically(
  intervalMs: number,
  run: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): PeriodicJob {
  const ended = new AbortController()
  const first = run(ended.signal).catch(onError)
  const running = first.then(repeat)

  return {
    first,
    async stop() {
      ended.abort()
      await running
    },
  }

  async function repeat(): Promise<void> {
    while (!ended.signal.aborted) {
      await sleep(intervalMs, null, { signal: ended.signal, ref: false }).catch(() => {})
      if (!ended.signal.aborted) await run(ended.signal).catch(onError)
    }
  }
}
