import type { buildConnector } from 'undici/index.js'
import { Agent, request as send } from '../../platform/outbound/undici.ts'
import { parseGraphQLResponse } from './http-messages.ts'
import type { RequestContext } from './link.ts'
import { type OpenUpstream, sharedUpstreams } from './shared-upstreams.ts'
import type { CallbackMessage, Callbacks } from './upstream-callbacks.ts'
import type { UpstreamSubscriptions } from './upstream-subscriptions.ts'

/** Upper bound of the response to the request that starts a subscription. */
const MAX_ANSWER_BYTES = 1_000_000

/** Missed heartbeats after which the subgraph counts as gone. */
const MAX_MISSED_HEARTBEATS = 3

/**
 * Subscriptions of a remote subgraph with the HTTP callback protocol of Apollo Router: the subgraph
 * sends each event as a request to a URL of the gateway.
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
  /** URL of this process for the subgraph; the subscription's id is appended. */
  readonly callbackUrl: string
  readonly heartbeatMs: number
  readonly timeoutMs: number
  /** Request headers after header rules. */
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
    // `signal` cannot be aborted yet, because the subscription has just started.
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
