import type { RequestContext } from '../subgraph-client/link.ts'

/** Abort reason of a signal when the operation's time limit is over. */
class TimeUp extends Error {
  override readonly name = 'TimeUp'
}

/**
 * Runs `work` with a signal that aborts when the client's does, or after `milliseconds`. What
 * `outlivesClient` has no client any more once it has begun: only the time ends it, this one or
 * that of what it is part of. Cheaper than AbortSignal.timeout with AbortSignal.any, which this
 * would be otherwise.
 */
export async function withTimeout<Result>(
  milliseconds: number,
  context: RequestContext,
  work: (bounded: RequestContext) => Promise<Result>,
  { outlivesClient = false }: { readonly outlivesClient?: boolean } = {},
): Promise<Result> {
  const controller = new AbortController()
  const { signal, planTrace } = context
  const abort = () => controller.abort(signal.reason)
  const listen = () => {
    if (!outlivesClient || signal.reason instanceof TimeUp) abort()
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', listen, { once: true })
  const timer = setTimeout(() => controller.abort(new TimeUp(`The operation took longer than ${milliseconds} ms.`)), milliseconds)
  try {
    const { caller, exchange, responseHeaders, hooks, activeLabels } = context
    const bounded = { caller, signal: controller.signal, exchange, responseHeaders, hooks, activeLabels }
    return await work(planTrace ? { ...bounded, planTrace } : bounded)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', listen)
  }
}
