/**
 * Lets callers continue one after another, for about `maxMs` in each turn of the event loop. Of
 * work that takes a millisecond and that hundreds begin together, timers and sockets get their
 * turns in between. A caller that waits alone continues in the next turn.
 */
export function createTurns(maxMs: number): () => Promise<void> {
  const waiting: (() => void)[] = []

  function takeTurn(): void {
    const end = performance.now() + maxMs
    const next = (): void => {
      // Callers that begin to wait from here on are behind the others.
      if (performance.now() >= end) {
        setImmediate(takeTurn)
        return
      }
      waiting.shift()?.()
      // Behind the caller's own microtask: its work is done when this runs.
      if (waiting.length > 0) queueMicrotask(next)
    }
    next()
  }

  return () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (waiting.push(resolve) === 1) setImmediate(takeTurn)
    return promise
  }
}
