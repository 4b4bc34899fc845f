import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost, withCostHeader } from '../limits/cost-report.ts'
import { BOUNDS } from '../limits/limits.ts'
import { SUBSCRIPTION_BYTES } from '../limits/subscription-slots.ts'
import { refusal, withRequestId } from '../operations/errors.ts'
import { type Client, type Delivery, deliver } from './delivery.ts'
import { COMMENT, COMMENT_SECONDS, COMPLETE_EVENT, nextEvent } from './event-stream-protocol.ts'
import { heartbeat } from './heartbeat.ts'
import { RESPONSE_HEADERS, type RequestHead } from './http-rules.ts'
import { type GraphQLParams, parseBodyParams, parseUrlParams } from './request-params.ts'
import { streamContext } from './stream-context.ts'

/** A request being handled, with data parsed from the `Request`. */
export type IncomingFetch = {
  readonly request: Request
  readonly head: RequestHead
  readonly caller: Caller
}

/** An open event stream. */
type OpenStream = { readonly controller: ReadableStreamDefaultController<Uint8Array>; readonly end: () => void }

const encoder = new TextEncoder()

/**
 * Event streams for the Fetch API: graphql-sse, distinct connections mode, at most
 * `BOUNDS.connections`. The next event is read when the client has read the previous one. `close`
 * and a hot swap end streams without `complete`, so that clients reconnect.
 */
export function createFetchEventStreams(gateway: Gateway): {
  readonly respond: (context: IncomingFetch, value: unknown) => Response
  readonly close: () => void
} {
  const open = new Set<OpenStream>()
  const comments = heartbeat<OpenStream>(COMMENT_SECONDS, ({ controller }) => {
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(COMMENT))
  })
  const close = () => {
    for (const { end } of [...open]) end()
  }
  gateway.onSwap(close)
  return { respond, close }

  function respond({ request, head, caller }: IncomingFetch, value: unknown): Response {
    const responseOf = (body: ReadableStream<Uint8Array> | string) =>
      new Response(body, {
        headers: {
          ...RESPONSE_HEADERS,
          'content-type': 'text/event-stream; charset=utf-8',
          'x-accel-buffering': 'no',
          'x-request-id': caller.requestId,
        },
      })
    const refused = (errors: readonly GraphQLFormattedError[]) =>
      responseOf(
        nextEvent(JSON.stringify({ errors: errors.map((error) => withRequestId(error, caller.requestId)) })) + COMPLETE_EVENT,
      )

    if (open.size >= BOUNDS.connections) return refused([refusal('UNAVAILABLE', 'Too many event streams: try again later.')])
    const parsed = head.method === 'POST' ? parseBodyParams(value, 'BAD_USER_INPUT') : parseUrlParams(value, 'BAD_USER_INPUT')
    if (parsed.kind === 'malformed') return refused([parsed.error])
    const { params } = parsed
    const prepared = gateway.prepare(withCostHeader(params, head.headers[COST_HEADER]))
    if (prepared.kind === 'rejected') return refused(prepared.errors)
    if (head.method === 'GET' && prepared.operation === 'mutation') {
      const message = 'Expected a query or a subscription over GET, got a mutation; send it with POST.'
      return refused([refusal('METHOD_NOT_ALLOWED', message)])
    }

    let delivery: Delivery | null = null
    let stream: OpenStream | null = null
    /** Resumes delivery when the client has read queued data. */
    let resume: (() => void) | null = null
    const release = () => {
      if (stream) {
        open.delete(stream)
        comments.delete(stream)
      }
      delivery?.stop()
      resume?.()
      resume = null
    }
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const end = () => {
          if (stream === null || !open.has(stream)) return
          release()
          controller.close()
        }
        stream = { controller, end }
        open.add(stream)
        comments.add(stream)
        controller.enqueue(encoder.encode(COMMENT))
        const write = (text: string) => {
          if (stream && open.has(stream)) controller.enqueue(encoder.encode(text))
        }
        const client: Client = {
          send(text, taken) {
            write(nextEvent(text))
            if ((controller.desiredSize ?? 1) > 0) return taken()
            resume = taken
          },
          opening: () => null,
          begun() {},
          ended(errors) {
            write((errors ? nextEvent(JSON.stringify({ errors })) : '') + COMPLETE_EVENT)
            end()
          },
        }
        const pending = pendingOf(params, { request, head, caller }, gateway)
        delivery = deliver(prepared, pending, client)
        if (request.signal.aborted) end()
        else request.signal.addEventListener('abort', end, { once: true })
      },
      pull() {
        const proceed = resume
        resume = null
        proceed?.()
      },
      cancel: release,
    })
    return responseOf(body)
  }
}

/** Parameters of an operation's delivery. */
const pendingOf = (params: GraphQLParams, { head, caller }: IncomingFetch, gateway: Gateway): Parameters<typeof deliver>[1] => ({
  variables: params.variables,
  caller: { ...caller, connectedAt: new Date() },
  wantsCost: wantsCost(head.headers[COST_HEADER], params),
  connectionBytes: SUBSCRIPTION_BYTES.eventStream,
  http: streamContext(gateway, head),
})
