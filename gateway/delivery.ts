import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Caller } from '../subgraphs/runtime/caller.ts'
import { fault, identified } from './errors.ts'
import type { Admission } from './gateway.ts'
import type { Events } from './link.ts'
import { textOf } from './outcome-text.ts'
import type { Outcome } from './stock-executor.ts'

/** Where outcomes go, one after the other: resolves when one was handed to the network, so that a slow reader is not told faster than it reads. */
export type Send = (outcomeText: string) => Promise<void> | void

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
): Delivery {
  let isStopped = false
  let events: Events<Outcome> | null = null
  // Needed until a query is answered or a subscription has begun; what is idle holds none.
  let beginning: AbortController | null = new AbortController()

  return {
    ended: run().catch((error: unknown) => (isStopped ? null : problemsOf(error, caller))),
    stop() {
      if (isStopped) return
      isStopped = true
      beginning?.abort(new Error('The client is gone.'))
      events?.return()
    },
  }

  async function run(): Promise<readonly GraphQLFormattedError[] | null> {
    const signal = beginning?.signal ?? AbortSignal.abort()
    if (!admission.subscribe) {
      const outcome = await admission.run(variables, { caller, signal })
      beginning = null
      const { data, errors } = outcome
      if (isStopped) return null
      if (data === undefined) return (errors ?? []).map((error) => identified(error, caller.requestId))
      await send(JSON.stringify({ data, ...(errors && { errors: errors.map((error) => identified(error, caller.requestId)) }) }))
      return null
    }

    const opened = await admission.subscribe(variables, { caller, signal })
    beginning = null
    if (opened.kind === 'refused') return opened.errors.map((error) => identified(error, caller.requestId))
    events = opened.events
    if (isStopped) events.return()
    return pump(opened.events)
  }

  async function pump(from: Events<Outcome>): Promise<null> {
    while (!isStopped) {
      const result = await from.next()
      if (isStopped || result.done) break
      await send(textOf(result.value))
    }
    return null
  }
}

/** Masked links reject with errors that clients may see; anything else is a fault of ours. */
function problemsOf(error: unknown, { requestId }: Caller): readonly GraphQLFormattedError[] {
  if (!(error instanceof GraphQLError)) return [fault(requestId)]
  const { message, extensions } = error
  return [identified({ message, extensions }, requestId)]
}
