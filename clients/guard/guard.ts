import { type TrustClientOptions, trustClient } from '../trust/client.ts'
import { ACTIONS, type Action, type Interaction, type Outcome, type Policy } from '../trust/decision.ts'
import { subjectOf } from '../trust/target.ts'
import { outcomeCache } from './decision-cache.ts'

/**
 * What happens to a request: it goes on, it is refused, or a handler of the caller's answers it.
 */
export type Passage<Handler> = 'pass' | 'block' | Handler

export type GuardOptions<Handler> = TrustClientOptions & {
  /**
   * What happens when there is no decision, because Atrium is down, slow or wrong, or the key has
   * no scan left. `open` lets requests through, flagged domains included; `closed` refuses them
   * all. There is no default: neither is harmless.
   */
  readonly fail: 'open' | 'closed'
  /**
   * What happens for each action. Default: `proceed` and `proceed_with_caution` pass, the others
   * are blocked.
   */
  readonly actions?: Partial<Readonly<Record<Action, Passage<Handler>>>>
  readonly interaction?: Interaction
  readonly policy?: Policy
  /** How many decisions are kept while they hold. Default 1000, about a megabyte; 0 keeps none. */
  readonly cacheEntries?: number
}

export type Ruling<Handler> = { readonly outcome: Outcome; readonly passage: Passage<Handler> }

/** Decides about one target. Rejects only when `signal` is aborted. */
export type Guard<Handler> = (target: unknown, signal?: AbortSignal) => Promise<Ruling<Handler>>

const BY_DEFAULT: Readonly<Record<Action, 'pass' | 'block'>> = {
  proceed: 'pass',
  proceed_with_caution: 'pass',
  sandbox: 'block',
  escalate_to_human: 'block',
  deny: 'block',
}

/**
 * The part that all frameworks share: asks once for each target at a time, and not again while the
 * decision holds. Throws a TypeError when the options cannot work.
 */
export function trustGuard<Handler = never>(options: GuardOptions<Handler>): Guard<Handler> {
  const { fail, actions = {}, interaction, policy, cacheEntries = 1_000, sendPath = false } = options
  if (fail !== 'open' && fail !== 'closed')
    throw new TypeError(`Expected fail to be "open" or "closed", got ${JSON.stringify(fail)}.`)
  const unknown = Object.keys(actions).find((action) => !ACTIONS.some((each) => each === action))
  if (unknown !== undefined)
    throw new TypeError(`Expected actions to be of ${ACTIONS.join(', ')}, got ${JSON.stringify(unknown)}.`)
  if (!Number.isSafeInteger(cacheEntries) || cacheEntries < 0)
    throw new TypeError(`Expected cacheEntries to be a whole number from 0, got ${cacheEntries}.`)

  const client = trustClient(options)
  const cache = outcomeCache(cacheEntries)
  const inFlight = new Map<string, Promise<Outcome>>()

  function outcomeFor(target: string): Outcome | Promise<Outcome> {
    const { value: key } = subjectOf(target, sendPath)
    const existing = cache.get(key) ?? inFlight.get(key)
    if (existing) return existing
    // Without a signal: others may wait for the same answer. Its own timeout ends it.
    const pending = client
      .decide({ target, ...(interaction && { interaction }), ...(policy && { policy }) })
      .then((outcome) => {
        cache.set(key, outcome)
        return outcome
      })
      .finally(() => inFlight.delete(key))
    inFlight.set(key, pending)
    return pending
  }

  function passageFor(outcome: Outcome): Passage<Handler> {
    switch (outcome.kind) {
      case 'decided':
        return actions[outcome.decision.action] ?? BY_DEFAULT[outcome.decision.action]
      case 'unverified':
        return fail === 'open' ? 'pass' : 'block'
      case 'invalid':
        // Not a failure of Atrium's: whoever sends this knows that nothing can be said about it.
        return 'block'
    }
  }

  return async (target, signal) => {
    signal?.throwIfAborted()
    if (typeof target !== 'string') return { outcome: notText, passage: 'block' }
    const outcome = await orAborted(outcomeFor(target), signal)
    return { outcome, passage: passageFor(outcome) }
  }
}

const notText: Outcome = { kind: 'invalid', message: 'Expected a host name or an http(s) URL as text.' }

/** Stops waiting when `signal` is aborted; what is waited for goes on. */
async function orAborted<Value>(value: Value | Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!(value instanceof Promise) || !signal) return value
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([value, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
