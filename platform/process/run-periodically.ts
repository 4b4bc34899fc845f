import { setTimeout as sleep } from 'node:timers/promises'

/** `first`: the first round is over. `stop` resolves when no round is under way any more. */
export type PeriodicJob = { readonly first: Promise<void>; readonly stop: () => Promise<void> }

/** Runs `round` now, and again `every` so many milliseconds after each has ended, until it is stopped, which aborts the signal. A round that rejects is reported. */
export function runPeriodically(
  every: number,
  round: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): PeriodicJob {
  const ended = new AbortController()
  const first = round(ended.signal).catch(onError)
  const running = first.then(goOn)

  return {
    first,
    async stop() {
      ended.abort()
      await running
    },
  }

  async function goOn(): Promise<void> {
    while (!ended.signal.aborted) {
      await sleep(every, null, { signal: ended.signal, ref: false }).catch(() => {})
      if (!ended.signal.aborted) await round(ended.signal).catch(onError)
    }
  }
}
