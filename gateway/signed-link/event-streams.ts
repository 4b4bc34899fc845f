import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Caller } from '../../platform/http/caller.ts'
import { BOUNDS } from '../limits/limits.ts'
import { withTimeout } from '../operations/timeout.ts'
import type { EventSource } from '../subgraph-client/link.ts'
import { heartbeat } from '../transports/heartbeat.ts'

const HEARTBEAT_SECONDS = 15

/** Opens an event stream as the response. */
export type OpenEventStream = (reply: FastifyReply) => PassThrough

/** Event streams of a server, with periodic comments as heartbeat. They end with the server. */
export function createEventStreams(app: FastifyInstance): OpenEventStream {
  const streams = new Set<PassThrough>()
  const heartbeats = heartbeat<PassThrough>(HEARTBEAT_SECONDS, (stream) => {
    if (!stream.writableNeedDrain) stream.write(':\n\n')
  })
  // Ends streams without `complete`, so that gateways reconnect to another instance.
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })

  return (reply) => {
    const stream = new PassThrough()
    streams.add(stream)
    heartbeats.add(stream)
    stream.once('close', () => {
      streams.delete(stream)
      heartbeats.delete(stream)
    })
    // Disables proxy buffering, which delays short events.
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
    stream.write(':\n\n')
    return stream
  }
}

/**
 * Reads the next event after the network took the previous one (backpressure), so that a slow
 * gateway is disconnected.
 */
export async function sendEvents(source: EventSource, stream: PassThrough, caller: Caller): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await source.next()
      if (!stream.writable) return
      if (done) break
      const context = { caller, signal: NEVER }
      const result = await withTimeout(BOUNDS.operationTimeoutMs, context, (bounded) => source.resolve(value, bounded))
      if (!stream.writable) return
      if (!stream.write(eventOf('next', JSON.stringify(result)))) await drained(stream)
    }
  } catch (error) {
    const errors = source.maskError ? [source.maskError(error).toJSON()] : []
    if (stream.writable) stream.end(eventOf('error', JSON.stringify({ errors })))
    return
  }
  stream.end(eventOf('complete', ''))
}

const NEVER = new AbortController().signal

/** Event of the graphql-sse protocol; `text` is JSON. */
export const eventOf = (name: string, text: string): string => `event: ${name}\ndata: ${text}\n\n`

const drained = (stream: PassThrough) =>
  new Promise<void>((resolve) => {
    const proceed = () => {
      stream.off('drain', proceed).off('close', proceed)
      resolve()
    }
    stream.on('drain', proceed).on('close', proceed)
  })
