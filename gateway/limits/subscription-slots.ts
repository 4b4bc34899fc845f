import { hash, randomInt } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import type { GraphQLFormattedError } from 'graphql'
import { type Caller, CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { networkOf } from '../../platform/rate-limit/address-rate-limit.ts'
import { refusal } from '../operations/errors.ts'

/** The bounds of subscriptions that an operator may move. */
export type SubscriptionLimits = {
  /**
   * Subscriptions of one client address, all its sockets and event streams together; 0 for no
   * bound.
   */
  readonly perAddress: number
  /** The same of one credential, from all addresses together; 0 for no bound. */
  readonly perCredential: number
  /** Bytes of memory that all subscriptions of the process may take, by `SUBSCRIPTION_BYTES`. */
  readonly memoryBytes: number
}

/** Which bound a refused subscription would have exceeded. */
export type SubscriptionBound = 'ADDRESS' | 'CREDENTIAL' | 'MEMORY'

/**
 * What one subscription is counted as, in bytes. Rounded up from `bench/subscription-memory.ts`,
 * resident memory of 100,000 (docs/performance.md), so that the sum is more than the process really
 * takes.
 */
export const SUBSCRIPTION_BYTES = {
  /**
   * Each, whether it shares its source or not: the record of the operation, its id and its place.
   */
  each: 1_000,
  /** One source of events in this process, with everything behind it in the subgraph. */
  source: 12_000,
  /** One source in another process: a connection of its own, with an HTTP parser and buffers. */
  remoteSource: 40_000,
  /**
   * One event stream (SSE): an HTTP exchange that lasts. WebSockets carry many, and have a bound of
   * their own.
   */
  eventStream: 20_000,
  /**
   * A text with its plan, and per character all that is made of it (see `documents.ts`); once for
   * all who ask the same.
   */
  document: 10_000,
  documentCharacter: 70,
  /**
   * Per character of the variables as JSON, for each source: nothing takes more than `{}` and a
   * comma, which are 56 bytes.
   */
  variableCharacter: 20,
} as const

/**
 * 100 operations may run over one socket: an address may fill 20 of them, which is an office or a
 * page in every tab; a proxy that hides its clients needs more.
 */
const DEFAULT_PER_ADDRESS = 2_000
/** Five full sockets: a program that follows all it may, on a few devices. */
const DEFAULT_PER_CREDENTIAL = 500
/**
 * Of the heap. What a process needs besides, and garbage that waits to be collected, must fit into
 * the rest.
 */
const DEFAULT_MEMORY_PERCENT = 25

/** The configured limits. */
export const subscriptionLimitsOf = (config: {
  readonly MAX_SUBSCRIPTIONS_PER_ADDRESS: number
  readonly MAX_SUBSCRIPTIONS_PER_CREDENTIAL: number
  readonly SUBSCRIPTION_MEMORY_PERCENT: number
}): SubscriptionLimits => ({
  perAddress: config.MAX_SUBSCRIPTIONS_PER_ADDRESS,
  perCredential: config.MAX_SUBSCRIPTIONS_PER_CREDENTIAL,
  memoryBytes: heapShare(config.SUBSCRIPTION_MEMORY_PERCENT),
})

/**
 * That many percent of the most that the heap of this process may become (`--max-old-space-size`),
 * in bytes.
 */
const heapShare = (percent: number): number => Math.floor((getHeapStatistics().heap_size_limit * percent) / 100)

/** The default limits. */
export const defaultSubscriptionLimits = (): SubscriptionLimits => ({
  perAddress: DEFAULT_PER_ADDRESS,
  perCredential: DEFAULT_PER_CREDENTIAL,
  memoryBytes: heapShare(DEFAULT_MEMORY_PERCENT),
})

/** Subscriptions that one address or one credential has at present. */
type Holder = { readonly key: string; readonly of: Map<string, Holder>; running: number }

/** The slot of one subscription. */
export type SubscriptionSlot = {
  /** Releases the slot; called once. */
  readonly release: () => void
}

/** Counts the subscriptions of a process over all transports. */
export type SubscriptionSlots = {
  /**
   * Takes a slot for a subscription of `caller` with `bytes` of memory; otherwise returns an error
   * with `retryAfterSeconds`.
   */
  readonly take: (caller: Pick<Caller, 'address' | 'credentials'>, bytes: number) => SubscriptionSlot | GraphQLFormattedError
  /**
   * Reserves `bytes` for memory that subscriptions share, or returns the error. Release with
   * `releaseBytes`.
   */
  readonly reserve: (bytes: number) => GraphQLFormattedError | null
  readonly releaseBytes: (bytes: number) => void
  /** Bytes that are counted now, and may be. */
  readonly memory: () => { readonly usedBytes: number; readonly limitBytes: number }
  /** Addresses and credentials that are remembered: those that have a subscription. */
  readonly remembered: () => number
}

/** Whether the slot was refused. */
export const isRefusal = (taken: SubscriptionSlot | GraphQLFormattedError): taken is GraphQLFormattedError => 'message' in taken

/**
 * Range of a random delay, in seconds: clients that are refused together do not retry together.
 * Subscriptions are long-lived, so an early retry is of no use.
 */
const RETRY_SECONDS = { min: 10, max: 20 }

/**
 * Counts subscriptions of a process. `onRefusal` is called for each refusal. What it remembers is
 * bounded by the subscriptions that there are: who has none is forgotten at once.
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

/** One that is not counted yet is not remembered either. */
const holderIn = (holders: Map<string, Holder>, key: string): Holder => holders.get(key) ?? { key, of: holders, running: 0 }

function enter(holder: Holder): void {
  if (holder.running++ === 0) holder.of.set(holder.key, holder)
}

function leave(holder: Holder): void {
  if (--holder.running === 0) holder.of.delete(holder.key)
}

/** A class, so that a hundred thousand of them share their code. */
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

/** Whether a caller presents nothing that could make it see something else than others. */
export const isAnonymous = ({ credentials, headers }: Pick<Caller, 'credentials' | 'headers'>): boolean => {
  for (const _ in credentials) return false
  return headers === undefined
}

/** Hashed, so that credentials lie nowhere; null without any. */
function credentialKeyOf(caller: Pick<Caller, 'credentials'>): string | null {
  const presented = CREDENTIAL_HEADERS.map((name) => caller.credentials[name] ?? '')
  if (presented.every((value) => value === '')) return null
  return hash('sha256', presented.join('\n'), 'base64url')
}
