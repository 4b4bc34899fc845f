import { type TrustClientOptions, trustClient } from '../trust/client.ts'
import { ACTIONS, type Action, type Interaction, type Outcome, type Policy } from '../trust/decision.ts'
import { subjectOf } from '../trust/target.ts'
import { outcomeCache } from './decision-cache.ts'

/** Result for a request: continue, refuse, or run the caller's own handler. */
export type Passage<Handler> = 'pass' | 'block' | Handler

export type GuardOptions<Handler> = TrustClientOptions & {
  /**
   * What to do without a decision: Atrium is unreachable, slow or faulty, or the key has no scans
   * left. `open` lets every request pass, also to flagged domains; `closed` refuses all. No
   * default, because either can do harm.
   */
  readonly fail: 'open' | 'closed'
  /**
   * Result by action. Default: `proceed` and `proceed_with_caution` pass, all others are blocked.
   */
  readonly actions?: Partial<Readonly<Record<Action, Passage<Handler>>>>
  readonly interaction?: Interaction
  readonly policy?: Policy
  /** Size of the decision cache. Default 1000 entries, about 1 MB; 0 disables it. */
  readonly cacheEntries?: number
}

export type Ruling<Handler> = { readonly outcome: Outcome; readonly passage: Passage<Handler> }

/** Checks one target. Rejects only when `signal` is aborted. */
export type Guard<Handler> = (target: unknown, signal?: AbortSignal) => Promise<Ruling<Handler>>

const BY_DEFAULT: Readonly<Record<Action, 'pass' | 'block'>> = {
  proceed: 'pass',
  proceed_with_caution: 'pass',
  sandbox: 'block',
  escalate_to_human: 'block',
  deny: 'block',
}

/**
 * Guard without framework: caches decisions, and shares one request among concurrent checks of a
 * target. Throws a TypeError for invalid options.
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
    // No abort signal, because concurrent checks share this request; the client's timeout ends it.
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
        // Blocked even with `fail: 'open'`: the sender chose an invalid target, Atrium did not
        // fail.
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

/** Rejects when `signal` is aborted; the shared request continues. */
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
