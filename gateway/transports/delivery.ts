import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { ClientExchange } from '../exchange/client-exchange.ts'
import { fault, withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { ExecutableOperation } from '../operations/prepared-operation.ts'
import type { Recipient, Running } from '../subscriptions/subscribe.ts'
import { hasDeferredParts, sendPayloads } from './incremental.ts'
import { resultJson } from './result-json.ts'

/** The client of one operation. */
export type Client = {
  /** Sends a result; calls `taken` when the network took it (backpressure). */
  readonly send: (resultText: string, taken: () => void) => void
  /**
   * Announces that a source of events is being opened: work until `begun` or `ended`. Returns the
   * error when the process is overloaded.
   */
  readonly opening: () => GraphQLFormattedError | null
  /**
   * A subscription has begun: from now on it waits for events. Not called for other operations, nor
   * for one that does not begin.
   */
  readonly begun: () => void
  /**
   * Called once: with the errors that ended it or kept it from beginning; null when it came to its
   * end, or was stopped.
   */
  readonly ended: (errors: readonly GraphQLFormattedError[] | null) => void
}

/** A running operation of one client. */
export type Delivery = {
  /** Releases everything at once; nothing is sent any more. */
  readonly stop: () => void
}

type DeliveryRequest = {
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  readonly wantsCost: boolean
  /** The request that began it; absent where no option reads it. */
  readonly exchange?: ClientExchange | undefined
  /** What the client's connection keeps for it while a subscription runs, in bytes. */
  readonly connectionBytes: number
}

/**
 * Runs any operation: a query or a mutation has one result, a subscription one per event. Calls
 * nothing of `client` but `opening` before it returns.
 */
export function deliver(operation: ExecutableOperation, request: DeliveryRequest, client: Client): Delivery {
  return operation.subscribe ? deliverEvents(operation.subscribe, request, client) : deliverAnswer(operation, request, client)
}

function deliverAnswer(
  { run, runIncremental }: ExecutableOperation,
  { variables, caller, wantsCost, exchange }: DeliveryRequest,
  client: Client,
): Delivery {
  const controller = new AbortController()
  const { signal } = controller
  void answered()
    .catch(() => [fault(caller.requestId)])
    .then((errors) => client.ended(errors))
  return { stop: () => controller.abort(new Error('The client is gone.')) }

  async function answered(): Promise<readonly GraphQLFormattedError[] | null> {
    const context = { caller, signal, wantsCost, exchange }
    const result = runIncremental
      ? await runIncremental(variables, context)
      : { initial: await run(variables, context), rest: null }
    if (hasDeferredParts(result)) {
      await sendPayloads(result, caller.requestId, send)
      return null
    }
    const { data, errors, extensions } = result.initial
    if (signal.aborted) return null
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
      // A client that leaves takes nothing any more.
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
  const { variables, caller, wantsCost, connectionBytes, exchange } = request
  const { requestId } = caller
  const controller = new AbortController()
  const delivery = new EventDelivery(requestId, client, controller)
  const onSourceOpening = () => delivery.opening()
  const context = { caller, signal: controller.signal, wantsCost, connectionBytes, onSourceOpening }
  subscribe(variables, exchange ? { ...context, exchange } : context).then(
    (opened) => (opened.kind === 'open' ? delivery.begin(opened.source) : delivery.end(opened.errors)),
    () => delivery.end([fault(requestId)]),
  )
  return delivery
}

/**
 * A class, so that a hundred thousand of them share their code, and nothing of what they began with
 * is kept.
 */
class EventDelivery implements Delivery, Recipient {
  readonly #requestId: string
  readonly #client: Client
  /** Needed until it has begun; what is idle holds none. */
  #beginning: AbortController | null
  #source: Running | null = null
  #hasEnded = false

  constructor(requestId: string, client: Client, beginning: AbortController) {
    this.#requestId = requestId
    this.#client = client
    this.#beginning = beginning
  }

  opening(): GraphQLFormattedError | null {
    // The client left meanwhile.
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
