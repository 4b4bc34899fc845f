import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { HttpContext } from '../middleware/http-context.ts'
import { fault, withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { ExecutableOperation } from '../operations/prepared-operation.ts'
import { serializedBytes } from '../operations/serialized-result.ts'
import type { Recipient, Running } from '../subscriptions/subscribe.ts'
import { hasDeferredParts, sendPayloads } from './incremental.ts'
import { resultJson } from './result-json.ts'

/** The client of one operation, as transports implement it. */
export type Client = {
  /** Sends a result; calls `taken` when the network has taken it (backpressure). */
  readonly send: (resultText: string, taken: () => void) => void
  /**
   * Called when an event source is being opened, which is work until `begun` or `ended`. Returns an
   * error when the process is overloaded.
   */
  readonly opening: () => GraphQLFormattedError | null
  /**
   * A subscription has started and waits for events. Not called for other operations or on failure.
   */
  readonly begun: () => void
  /**
   * Called once: with the errors that ended or prevented the operation, or null at its regular end.
   */
  readonly ended: (errors: readonly GraphQLFormattedError[] | null) => void
}

/** A running operation of one client. */
export type Delivery = {
  /** Releases all resources at once; nothing more is sent. */
  readonly stop: () => void
}

type DeliveryRequest = {
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  readonly wantsCost: boolean
  /** HTTP context that started it; absent when no option needs it. */
  readonly http?: HttpContext | undefined
  /** Memory of the client's connection per subscription, in bytes. */
  readonly connectionBytes: number
}

/**
 * Runs any operation: a query or mutation sends one result, a subscription one per event. Before it
 * returns, only `client.opening` may be called.
 */
export function deliver(operation: ExecutableOperation, request: DeliveryRequest, client: Client): Delivery {
  return operation.subscribe ? deliverEvents(operation.subscribe, request, client) : deliverAnswer(operation, request, client)
}

function deliverAnswer(
  { run, runIncremental }: ExecutableOperation,
  { variables, caller, wantsCost, http }: DeliveryRequest,
  client: Client,
): Delivery {
  const controller = new AbortController()
  const { signal } = controller
  void answered()
    .catch(() => [fault(caller.requestId)])
    .then((errors) => client.ended(errors))
  return { stop: () => controller.abort(new Error('The client is gone.')) }

  async function answered(): Promise<readonly GraphQLFormattedError[] | null> {
    const context = { caller, signal, wantsCost, http }
    const result = runIncremental
      ? await runIncremental(variables, context)
      : { initial: await run(variables, context), rest: null }
    if (hasDeferredParts(result)) {
      await sendPayloads(result, caller.requestId, send)
      return null
    }
    if (signal.aborted) return null
    const bytes = serializedBytes(result.initial)
    if (bytes) {
      await send(bytes.toString())
      return null
    }
    const { data, errors, extensions } = result.initial
    if (data === undefined) return (errors ?? []).map((error) => withRequestId(error, caller.requestId))
    const text = JSON.stringify({
      data,
      ...(errors && { errors: errors.map((error) => withRequestId(error, caller.requestId)) }),
      ...(extensions && { extensions }),
    })
    await send(text)
    return null
  }

  async function send(text: string): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((taken) => {
      // A disconnected client never calls `taken`.
      signal.addEventListener('abort', () => taken(), { once: true })
      client.send(text, taken)
    })
  }
}

function deliverEvents(
  subscribe: NonNullable<ExecutableOperation['subscribe']>,
  request: DeliveryRequest,
  client: Client,
): Delivery {
  const { variables, caller, wantsCost, connectionBytes, http } = request
  const { requestId } = caller
  const controller = new AbortController()
  const delivery = new EventDelivery(requestId, client, controller)
  const onSourceOpening = () => delivery.opening()
  const context = { caller, signal: controller.signal, wantsCost, connectionBytes, onSourceOpening }
  subscribe(variables, http ? { ...context, http } : context).then(
    (opened) => (opened.kind === 'open' ? delivery.begin(opened.source) : delivery.end(opened.errors)),
    () => delivery.end([fault(requestId)]),
  )
  return delivery
}

/**
 * A class, so that 100,000 instances share their methods, and closures do not keep the request in
 * memory.
 */
class EventDelivery implements Delivery, Recipient {
  readonly #requestId: string
  readonly #client: Client
  /** Null once the subscription has started, to save memory while it is idle. */
  #beginning: AbortController | null
  #source: Running | null = null
  #hasEnded = false

  constructor(requestId: string, client: Client, beginning: AbortController) {
    this.#requestId = requestId
    this.#client = client
    this.#beginning = beginning
  }

  opening(): GraphQLFormattedError | null {
    // The client has disconnected meanwhile.
    return this.#hasEnded ? null : this.#client.opening()
  }

  begin(source: Running): void {
    this.#beginning = null
    if (this.#hasEnded) {
      source.return()
      return
    }
    this.#source = source
    this.#client.begun()
    source.follow(this)
  }

  deliver(result: ExecutionResult, taken: () => void): void {
    this.#client.send(resultJson(result), taken)
  }

  end(errors: readonly GraphQLFormattedError[] | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#source?.return()
    this.#source = null
    this.#client.ended(errors?.map((error) => withRequestId(error, this.#requestId)) ?? null)
  }

  stop(): void {
    this.#beginning?.abort(new Error('The client is gone.'))
    this.#beginning = null
    this.end(null)
  }
}
