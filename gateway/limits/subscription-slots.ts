import { hash, randomInt } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import type { GraphQLFormattedError } from 'graphql'
import { type Caller, CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { networkOf } from '../../platform/rate-limit/address-rate-limit.ts'
import { refusal } from '../operations/errors.ts'

/** Configurable limits of subscriptions. */
export type SubscriptionLimits = {
  /** Subscriptions per client address, over all its sockets and event streams; 0: unlimited. */
  readonly perAddress: number
  /** Subscriptions per credential, from all addresses; 0: unlimited. */
  readonly perCredential: number
  /** Memory of all subscriptions of the process in bytes, by `SUBSCRIPTION_BYTES`. */
  readonly memoryBytes: number
}

/** Limit that a refused subscription would have exceeded. */
export type SubscriptionBound = 'ADDRESS' | 'CREDENTIAL' | 'MEMORY'

/**
 * Estimated memory of a subscription in bytes: rounded up from the resident memory of 100,000 in
 * `bench/subscription-memory.ts` (docs/performance.md), so that the sum exceeds the real use.
 */
export const SUBSCRIPTION_BYTES = {
  /** Per subscription, shared source or not: its operation record and id. */
  each: 1_000,
  /** Per event source in this process, including its part of the subgraph. */
  source: 12_000,
  /** Per event source in another process: a connection with HTTP parser and buffers. */
  remoteSource: 40_000,
  /**
   * Per event stream (SSE): a permanent HTTP exchange. WebSockets carry many operations, and have a
   * separate limit.
   */
  eventStream: 20_000,
  /**
   * Per text: its plan, and per character the compiled document (see `document-cache.ts`); once for
   * all subscriptions with equal text.
   */
  document: 10_000,
  documentCharacter: 70,
  /**
   * Per character of the variables as JSON, for each source. The worst case is `{}` with a comma,
   * which takes 56 bytes.
   */
  variableCharacter: 20,
} as const

/**
 * 20 full sockets (100 operations each) per address: an office, or a page in every browser tab. A
 * proxy that hides its clients needs more.
 */
const DEFAULT_PER_ADDRESS = 2_000
/** Five full sockets: one program on a few devices. */
const DEFAULT_PER_CREDENTIAL = 500
/** Percentage of the heap; the rest is for everything else, and for garbage not yet collected. */
const DEFAULT_MEMORY_PERCENT = 25

/** Limits by configuration. */
export const subscriptionLimitsOf = (config: {
  readonly MAX_SUBSCRIPTIONS_PER_ADDRESS: number
  readonly MAX_SUBSCRIPTIONS_PER_CREDENTIAL: number
  readonly SUBSCRIPTION_MEMORY_PERCENT: number
}): SubscriptionLimits => ({
  perAddress: config.MAX_SUBSCRIPTIONS_PER_ADDRESS,
  perCredential: config.MAX_SUBSCRIPTIONS_PER_CREDENTIAL,
  memoryBytes: heapShare(config.SUBSCRIPTION_MEMORY_PERCENT),
})

/** Percentage of the maximum heap size (`--max-old-space-size`) in bytes. */
const heapShare = (percent: number): number => Math.floor((getHeapStatistics().heap_size_limit * percent) / 100)

/** The default limits. */
export const defaultSubscriptionLimits = (): SubscriptionLimits => ({
  perAddress: DEFAULT_PER_ADDRESS,
  perCredential: DEFAULT_PER_CREDENTIAL,
  memoryBytes: heapShare(DEFAULT_MEMORY_PERCENT),
})

/** Number of running subscriptions of an address or a credential. */
type Holder = { readonly key: string; readonly of: Map<string, Holder>; running: number }

/** The slot of one subscription. */
export type SubscriptionSlot = {
  /** Releases the slot; called once. */
  readonly release: () => void
}

/** Counts the subscriptions of a process over all transports. */
export type SubscriptionSlots = {
  /**
   * Takes a slot for a subscription of `caller` with `bytes` of memory; returns an error with
   * `retryAfterSeconds` when none is free.
   */
  readonly take: (caller: Pick<Caller, 'address' | 'credentials'>, bytes: number) => SubscriptionSlot | GraphQLFormattedError
  /** Reserves memory that subscriptions share, or returns an error. Free it with `releaseBytes`. */
  readonly reserve: (bytes: number) => GraphQLFormattedError | null
  readonly releaseBytes: (bytes: number) => void
  /** Reserved bytes, and their limit. */
  readonly memory: () => { readonly usedBytes: number; readonly limitBytes: number }
  /** Number of addresses and credentials with subscriptions. */
  readonly remembered: () => number
}

/** Whether the slot was refused. */
export const isRefusal = (taken: SubscriptionSlot | GraphQLFormattedError): taken is GraphQLFormattedError => 'message' in taken

/**
 * Range of the random retry delay, so that clients refused together do not retry together. Long,
 * because subscriptions rarely end.
 */
const RETRY_SECONDS = { min: 10, max: 20 }

/**
 * Counts the subscriptions of a process. `onRefusal` is called per refusal. Its size is bounded by
 * running subscriptions: addresses and credentials without any are removed.
 */
export function subscriptionSlots(
  { perAddress, perCredential, memoryBytes }: SubscriptionLimits = defaultSubscriptionLimits(),
  onRefusal: (bound: SubscriptionBound) => void = () => {},
): SubscriptionSlots {
  const addresses = new Map<string, Holder>()
  const credentials = new Map<string, Holder>()
  let usedBytes = 0

  return {
    take(caller, bytes) {
      const address = holderIn(addresses, networkOf(caller.address))
      if (perAddress > 0 && address.running >= perAddress) return refuse('ADDRESS', perAddress)
      const key = credentialKeyOf(caller)
      const credential = key === null ? null : holderIn(credentials, key)
      if (credential && perCredential > 0 && credential.running >= perCredential) return refuse('CREDENTIAL', perCredential)
      const full = reserve(bytes)
      if (full) return full
      enter(address)
      if (credential) enter(credential)
      return new Slot(address, credential, bytes, releaseBytes)
    },
    reserve,
    releaseBytes,
    memory: () => ({ usedBytes, limitBytes: memoryBytes }),
    remembered: () => addresses.size + credentials.size,
  }

  function reserve(bytes: number): GraphQLFormattedError | null {
    if (usedBytes + bytes > memoryBytes) return refuse('MEMORY', null)
    usedBytes += bytes
    return null
  }

  function releaseBytes(bytes: number): void {
    usedBytes -= bytes
  }

  function refuse(bound: SubscriptionBound, limit: number | null): GraphQLFormattedError {
    onRefusal(bound)
    const retryAfterSeconds = randomInt(RETRY_SECONDS.min, RETRY_SECONDS.max + 1)
    return refusal('TOO_MANY_SUBSCRIPTIONS', `${MESSAGES[bound](limit)} Try again in ${retryAfterSeconds} seconds.`, {
      bound,
      ...(limit !== null && { limit }),
      retryAfterSeconds,
    })
  }
}

const MESSAGES: Readonly<Record<SubscriptionBound, (limit: number | null) => string>> = {
  ADDRESS: (limit) => `Expected at most ${limit} subscriptions at once from one address.`,
  CREDENTIAL: (limit) => `Expected at most ${limit} subscriptions at once with one credential.`,
  MEMORY: () => 'This server has no memory for another subscription of this kind.',
}

/** Not stored before its first subscription. */
const holderIn = (holders: Map<string, Holder>, key: string): Holder => holders.get(key) ?? { key, of: holders, running: 0 }

function enter(holder: Holder): void {
  if (holder.running++ === 0) holder.of.set(holder.key, holder)
}

function leave(holder: Holder): void {
  if (--holder.running === 0) holder.of.delete(holder.key)
}

/** A class, so that 100,000 instances share their methods. */
class Slot implements SubscriptionSlot {
  readonly #address: Holder
  readonly #credential: Holder | null
  readonly #bytes: number
  readonly #releaseBytes: (bytes: number) => void
  constructor(address: Holder, credential: Holder | null, bytes: number, releaseBytes: (bytes: number) => void) {
    this.#address = address
    this.#credential = credential
    this.#bytes = bytes
    this.#releaseBytes = releaseBytes
  }
  release(): void {
    leave(this.#address)
    if (this.#credential) leave(this.#credential)
    this.#releaseBytes(this.#bytes)
  }
}

/**
 * Whether a caller has neither credentials nor headers, so that all such callers get equal results.
 */
export const isAnonymous = ({ credentials, headers }: Pick<Caller, 'credentials' | 'headers'>): boolean => {
  for (const _ in credentials) return false
  return headers === undefined
}

/** Hash of the credentials, so that they are not stored; null without credentials. */
function credentialKeyOf(caller: Pick<Caller, 'credentials'>): string | null {
  const presented = CREDENTIAL_HEADERS.map((name) => caller.credentials[name] ?? '')
  if (presented.every((value) => value === '')) return null
  return hash('sha256', presented.join('\n'), 'base64url')
}
