import type { Dispatcher } from 'undici'

/** What sends requests: a pool, or a part of one. */
export type RequestDispatcher = Pick<Dispatcher, 'dispatch'>

/**
 * Sends at most `maxRequests` at once to `current`; others wait for their turn, in order, as they
 * would for a connection. One that was aborted meanwhile is aborted when it starts.
 */
export function createLimitedDispatcher(current: () => RequestDispatcher, maxRequests: number): RequestDispatcher {
  const waiting: (() => void)[] = []
  let running = 0
  let isStarting = false

  return {
    dispatch(options, handler) {
      if (running < maxRequests) return start(options, handler)
      // As many as operations run, like those that wait inside a pool.
      waiting.push(() => void start(options, handler))
      return false
    },
  }

  function start(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    running++
    let isFinished = false
    const finish = (): void => {
      if (isFinished) return
      isFinished = true
      running--
      startWaiting()
    }
    const counted: Dispatcher.DispatchHandler = {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (...head) => handler.onResponseStart?.(...head),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd(controller, trailers) {
        handler.onResponseEnd?.(controller, trailers)
        finish()
      },
      onResponseError(controller, error) {
        handler.onResponseError?.(controller, error)
        finish()
      },
    }
    try {
      return current().dispatch(options, counted)
    } catch (error) {
      finish()
      throw error
    }
  }

  /** A closed pool fails requests at once, so that one may end inside of `start`. */
  function startWaiting(): void {
    if (isStarting) return
    isStarting = true
    try {
      while (running < maxRequests) {
        const next = waiting.shift()
        if (!next) return
        next()
      }
    } finally {
      isStarting = false
    }
  }
}
