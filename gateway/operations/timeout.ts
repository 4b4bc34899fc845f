import type { RequestContext } from '../subgraph-client/link.ts'

/** Abort reason after an operation's timeout. */
class TimeUp extends Error {
  override readonly name = 'TimeUp'
}

/**
 * Runs `work` with a signal that is aborted with the client's signal, or after `milliseconds`. With
 * `outlivesClient` a disconnected client does not abort it once started; only timeouts do, its own
 * and an enclosing one. Cheaper than `AbortSignal.any` with `AbortSignal.timeout`.
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
    const { caller, http, responseHeaders, hooks, activeLabels, uploads } = context
    const bounded = { caller, signal: controller.signal, http, responseHeaders, hooks, activeLabels, uploads }
    return await work(planTrace ? { ...bounded, planTrace } : bounded)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', listen)
  }
}
