import { Agent, type buildConnector, request as send } from 'undici/index.js'
import { parseGraphQLResponse } from './http-messages.ts'
import type { RequestContext } from './link.ts'
import { type OpenUpstream, sharedUpstreams } from './shared-upstreams.ts'
import type { CallbackMessage, Callbacks } from './upstream-callbacks.ts'
import type { UpstreamSubscriptions } from './upstream-subscriptions.ts'

/** Longest answer to the request that begins a subscription, in bytes. */
const MAX_ANSWER_BYTES = 1_000_000

/** A subgraph that has not called for so many heartbeats is gone. */
const MAX_MISSED_HEARTBEATS = 3

/**
 * Subscriptions of a remote subgraph by the HTTP callback protocol of Apollo Router: the subgraph
 * sends each event in a request of its own to a URL of the gateway.
 */
export function callbackUpstreams({
  name,
  url,
  callbacks,
  callbackUrl,
  heartbeatMs,
  timeoutMs,
  headersOf,
  connect,
}: {
  readonly name: string
  readonly url: string
  readonly callbacks: Callbacks
  /** URL under which the subgraph reaches this process; the id of the subscription is added. */
  readonly callbackUrl: string
  readonly heartbeatMs: number
  readonly timeoutMs: number
  /** The headers of a request, by rules. */
  readonly headersOf: (context: RequestContext) => Record<string, string>
  readonly connect: buildConnector.connector | undefined
}): UpstreamSubscriptions {
  const agent = new Agent({
    connectTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_ANSWER_BYTES,
    ...(connect && { connect }),
  })
  return { subscribe: sharedUpstreams({ name, open }), close: () => agent.destroy() }

  function open(...[operation, context, receiver, signal]: Parameters<OpenUpstream>): void {
    let isChecked = false
    let timer = setTimeout(lose, heartbeatMs * MAX_MISSED_HEARTBEATS).unref()
    const { id, verifier, remove } = callbacks.add(receive)
    const end = (error?: unknown) => {
      clearTimeout(timer)
      remove()
      signal.removeEventListener('abort', stop)
      receiver.end(error)
    }
    const stop = () => end()
    // It has just begun: no client has disconnected yet.
    signal.addEventListener('abort', stop, { once: true })
    begin().catch(end)

    async function begin(): Promise<void> {
      const subscription = {
        callbackUrl: `${callbackUrl.replace(/\/$/, '')}/${id}`,
        subscriptionId: id,
        verifier,
        heartbeatIntervalMs: heartbeatMs,
      }
      const { statusCode, body } = await send(url, {
        method: 'POST',
        dispatcher: agent,
        signal,
        headers: { ...headersOf(context), accept: 'application/json;callbackSpec=1.0', 'accept-encoding': 'identity' },
        body: JSON.stringify({ ...operation, extensions: { subscription } }),
      })
      const errors = parseGraphQLResponse(await body.text())?.errors
      if (errors) {
        receiver.refuse(errors)
        return end()
      }
      if (statusCode !== 200) throw new Error(`Expected status 200, got ${statusCode}.`)
      if (!isChecked) throw new Error('Expected a check of the subscription before its answer.')
      receiver.open()
    }

    function receive(message: CallbackMessage): void {
      isChecked = true
      clearTimeout(timer)
      timer = setTimeout(lose, heartbeatMs * MAX_MISSED_HEARTBEATS).unref()
      if (message.kind === 'result') receiver.push(message.result)
      if (message.kind === 'completed') end(message.errors[0])
    }

    function lose(): void {
      end(new Error('The subgraph has not called back in time.'))
    }
  }
}
