import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../subgraphs/runtime/caller.ts'
import { fault, identified } from './errors.ts'
import type { Admission } from './gateway.ts'
import type { Outcome } from './outcome.ts'
import { textOf } from './outcome-text.ts'
import type { Running } from './subscription.ts'

/** Where outcomes go, one after the other: calls `taken` when the network took this one, so that a slow reader is not told faster than it reads. */
export type Send = (outcomeText: string, taken: () => void) => void

/** An operation whose outcomes are on their way to one client. */
export type Delivery = {
  /** The errors that ended it or kept it from beginning; null when it came to its end, or was stopped. Never rejects. */
  readonly ended: Promise<readonly GraphQLFormattedError[] | null>
  /** Releases everything at once; nothing is sent any more. */
  readonly stop: () => void
}

/** Runs any admitted operation: a query or a mutation has one outcome, a subscription one per event. */
export function deliver(
  admission: Admission & { readonly kind: 'admitted' },
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
  send: Send,
  wantsCost = false,
): Delivery {
  let isStopped = false
  let running: Running | null = null
  // Needed until a query is answered or a subscription has begun; what is idle holds none.
  let beginning: AbortController | null = new AbortController()

  return {
    ended: run().catch(() => [fault(caller.requestId)]),
    stop() {
      if (isStopped) return
      isStopped = true
      beginning?.abort(new Error('The client is gone.'))
      running?.return()
    },
  }

  async function run(): Promise<readonly GraphQLFormattedError[] | null> {
    const signal = beginning?.signal ?? AbortSignal.abort()
    if (!admission.subscribe) {
      const outcome = await admission.run(variables, { caller, signal, wantsCost })
      beginning = null
      const { data, errors, extensions } = outcome
      if (isStopped) return null
      if (data === undefined) return (errors ?? []).map((error) => identified(error, caller.requestId))
      const text = JSON.stringify({
        data,
        ...(errors && { errors: errors.map((error) => identified(error, caller.requestId)) }),
        ...(extensions && { extensions }),
      })
      await new Promise<void>((taken) => send(text, taken))
      return null
    }

    const opened = await admission.subscribe(variables, { caller, signal, wantsCost })
    beginning = null
    if (opened.kind === 'refused') return opened.errors.map((error) => identified(error, caller.requestId))
    running = opened.source
    if (isStopped) running.return()
    return told(opened.source)
  }

  /** Tells of one event after the other. Written with callbacks: an event to a thousand clients runs through here a thousand times. */
  function told(source: Running): Promise<readonly GraphQLFormattedError[] | null> {
    return new Promise((resolve) => {
      const ask = (): void => void source.next().then(take, fail)
      const end = (errors: readonly GraphQLFormattedError[] | null): void => {
        source.return()
        resolve(errors)
      }
      const fail = (error: unknown): void => end(isStopped ? null : [source.fault(error)])
      const take = (result: IteratorResult<unknown, unknown>): void => {
        if (isStopped || result.done) end(null)
        else {
          const outcome = source.outcome(result.value)
          if (outcome instanceof Promise) void outcome.then(tell)
          else tell(outcome)
        }
      }
      const tell = (outcome: Outcome): void => {
        try {
          if (isStopped) ask()
          else send(textOf(outcome), ask)
        } catch (error) {
          fail(error)
        }
      }
      ask()
    })
  }
}
