import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import { callerOf } from '../../platform/http/request-caller.ts'
import { asFacade } from '../client.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost, withCostHeader } from '../limits/cost-report.ts'
import { BOUNDS } from '../limits/limits.ts'
import { SUBSCRIPTION_BYTES } from '../limits/subscription-slots.ts'
import { refusal, withRequestId } from '../operations/errors.ts'
import { type Client, type Delivery, deliver } from './delivery.ts'
import { COMMENT, COMMENT_SECONDS, COMPLETE_EVENT, nextEvent } from './event-stream-protocol.ts'
import { heartbeat } from './heartbeat.ts'
import { type GraphQLParams, parseBodyParams, parseUrlParams } from './request-params.ts'
import { streamContext } from './stream-context.ts'

/**
 * Handles server-sent events: graphql-sse protocol, distinct connections mode. One stream per
 * operation, with an event `next` per result and a final `complete`. Accepts any operation over
 * POST, and all but mutations over GET. Errors are sent as `next`, because clients of the protocol
 * ignore other responses.
 */
export function createEventStreamHandler(
  app: FastifyInstance,
  gateway: Gateway,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const { open, refuse } = createEventStreams(app, gateway)
  return (request, reply) => {
    const parsed =
      request.method === 'POST'
        ? parseBodyParams(request.body, 'BAD_USER_INPUT')
        : parseUrlParams(request.query, 'BAD_USER_INPUT')
    return parsed.kind === 'malformed'
      ? refuse(reply, [parsed.error])
      : open(request, reply, { params: parsed.params, caller: callerOf(request) })
  }
}

/** Opens the stream of an operation, with explicit credentials instead of those in headers. */
type StreamOperation = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: {
    readonly text: string
    readonly variables: GraphQLParams['variables']
    readonly credentials: Caller['credentials']
  },
) => FastifyReply

/** Event streams for web pages, whose users have cookies. Limits are those of all clients. */
export function streamOperations(app: FastifyInstance, gateway: Gateway): StreamOperation {
  const { open } = createEventStreams(app, gateway)
  return (request, reply, { text, variables, credentials }) =>
    open(request, reply, {
      params: { text, variables, hash: null, documentId: null, operationName: undefined, wantsCost: false },
      caller: asFacade({ ...callerOf(request, []), credentials }),
    })
}

/** Opens streams for operations of any caller. */
type EventStreams = {
  /** Responds with the stream of an operation. */
  readonly open: (
    request: FastifyRequest,
    reply: FastifyReply,
    operation: { readonly params: GraphQLParams; readonly caller: Caller },
  ) => FastifyReply
  /** Responds with a stream of errors. */
  readonly refuse: (reply: FastifyReply, errors: readonly GraphQLFormattedError[]) => FastifyReply
}

/** Event streams that end with the server; those of subscriptions also end after a hot swap. */
function createEventStreams(app: FastifyInstance, gateway: Gateway): EventStreams {
  const streams = new Map<PassThrough, Delivery>()
  /** Streams of subscriptions. */
  const lasting = new WeakSet<PassThrough>()
  const comments = heartbeat<PassThrough>(COMMENT_SECONDS, (stream) => {
    // Skipped when the client is behind: it still has bytes to read.
    if (!stream.writableNeedDrain) stream.write(COMMENT)
  })
  // Ends without `complete`, so that clients reconnect.
  app.addHook('preClose', async () => {
    for (const [stream, delivery] of streams) {
      stream.end()
      delivery.stop()
    }
  })

  // Subscriptions end after a hot swap; queries and mutations end by themselves.
  gateway.onSwap(() => {
    for (const [stream, delivery] of streams) {
      if (!lasting.has(stream)) continue
      stream.end()
      delivery.stop()
    }
  })

  return { open, refuse }

  function begin(reply: FastifyReply): PassThrough {
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
    return new PassThrough()
  }

  function refuse(reply: FastifyReply, errors: readonly GraphQLFormattedError[]): FastifyReply {
    const stream = begin(reply)
    stream.end(
      nextEvent(JSON.stringify({ errors: errors.map((error) => withRequestId(error, reply.request.id)) })) + COMPLETE_EVENT,
    )
    return reply.send(stream)
  }

  function open(
    request: FastifyRequest,
    reply: FastifyReply,
    { params, caller: sender }: { readonly params: GraphQLParams; readonly caller: Caller },
  ): FastifyReply {
    const caller = { ...sender, connectedAt: new Date() }
    const refused = (errors: readonly GraphQLFormattedError[]) => refuse(reply, errors)
    if (streams.size >= BOUNDS.connections) return refused([refusal('UNAVAILABLE', 'Too many event streams: try again later.')])
    const prepared = gateway.prepare(withCostHeader(params, request.headers[COST_HEADER]))
    if (prepared.kind === 'rejected') return refused(prepared.errors)
    if (request.method === 'GET' && prepared.operation === 'mutation') {
      return refused([
        refusal('METHOD_NOT_ALLOWED', 'Expected a query or a subscription over GET, got a mutation; send it with POST.'),
      ])
    }

    const stream = begin(reply)
    const client: Client = {
      send(text, taken) {
        if (!stream.writable || stream.write(nextEvent(text))) return taken()
        const proceed = () => {
          stream.off('drain', proceed).off('close', proceed)
          taken()
        }
        stream.on('drain', proceed).on('close', proceed)
      },
      opening() {
        if (app.load.acquireOpening(stream)) return null
        const { message, retryAfterSeconds } = app.overloadError('graphql')
        return refusal('UNAVAILABLE', message, { retryAfterSeconds })
      },
      begun: () => app.load.release(stream),
      ended(errors) {
        app.load.release(stream)
        if (!stream.writable) return
        stream.end((errors ? nextEvent(JSON.stringify({ errors })) : '') + COMPLETE_EVENT)
      },
    }
    const pending = {
      variables: params.variables,
      caller,
      wantsCost: wantsCost(request.headers[COST_HEADER], params),
      connectionBytes: SUBSCRIPTION_BYTES.eventStream,
      http: streamContext(gateway, request),
    }
    const delivery = deliver(prepared, pending, client)
    streams.set(stream, delivery)
    if (prepared.subscribe) lasting.add(stream)
    // Counts as load while the response is being produced.
    else app.load.acquire(stream)
    comments.add(stream)
    stream.once('close', () => {
      streams.delete(stream)
      comments.delete(stream)
      delivery.stop()
    })
    stream.write(COMMENT)
    return reply.send(stream)
  }
}
