import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import { withRequestId } from '../operations/errors.ts'
import type { IncrementalPayload, IncrementalPayloads, IncrementalResult } from '../operations/incremental-result.ts'

/** An incremental result with later payloads. */
export type DeferredResult = IncrementalResult & { readonly rest: IncrementalPayloads }

export const hasDeferredParts = (result: IncrementalResult): result is DeferredResult => result.rest !== null

/**
 * Content type of incremental delivery, in the draft of 2022-08-24 used by Apollo Router and Apollo
 * Client, with Apollo Router's boundary.
 */
export const MULTIPART_TYPE = 'multipart/mixed; boundary="graphql"; deferSpec=20220824'

const BOUNDARY = '\r\n--graphql'
/** Each part is followed by the boundary, by which clients detect that it is complete. */
const partOf = (text: string): string => `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${text}${BOUNDARY}`
const END = '--\r\n'

/**
 * Sends payloads as JSON, each after the previous one was taken. Reads all payloads, also after the
 * client has disconnected. Rejects only when `send` does.
 */
export async function sendPayloads(
  { initial, rest }: DeferredResult,
  requestId: string,
  send: (text: string) => Promise<void>,
): Promise<void> {
  const named = (errors: readonly GraphQLFormattedError[]) => errors.map((error) => withRequestId(error, requestId))
  const { data, errors, extensions } = initial
  await send(JSON.stringify({ data, ...(errors && { errors: named(errors) }), extensions, hasNext: true }))
  const textOf = ({ incremental, hasNext, extensions: own }: IncrementalPayload): string =>
    JSON.stringify({
      incremental: incremental?.map((part) => (part.errors ? { ...part, errors: named(part.errors) } : part)),
      hasNext,
      extensions: own,
    })
  for (let payload = await rest.next(); payload !== null; payload = await rest.next()) await send(textOf(payload))
}

/** Sends a result as `multipart/mixed`, one part per payload. */
export function sendMultipart(reply: FastifyReply, result: DeferredResult, requestId: string): void {
  const stream = new PassThrough()
  const write = async (text: string): Promise<void> => {
    if (!stream.writable || stream.write(text)) return
    await new Promise<void>((resolve) => {
      const proceed = () => {
        stream.off('drain', proceed).off('close', proceed)
        resolve()
      }
      stream.on('drain', proceed).on('close', proceed)
    })
  }
  reply.code(200).header('content-type', MULTIPART_TYPE).header('x-accel-buffering', 'no').send(stream)
  stream.write(BOUNDARY)
  void sendPayloads(result, requestId, (text) => write(partOf(text))).then(() => {
    if (stream.writable) stream.end(END)
  })
}

/** Like `sendMultipart`, as a Fetch API body. */
export function multipartBody(result: DeferredResult, requestId: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isCancelled = false
  let resume: (() => void) | null = null
  const proceed = () => {
    resume?.()
    resume = null
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = async (text: string): Promise<void> => {
        if (isCancelled) return
        controller.enqueue(encoder.encode(text))
        if ((controller.desiredSize ?? 1) > 0) return
        await new Promise<void>((resolve) => {
          resume = resolve
        })
      }
      controller.enqueue(encoder.encode(BOUNDARY))
      void sendPayloads(result, requestId, (text) => write(partOf(text))).then(() => {
        if (isCancelled) return
        controller.enqueue(encoder.encode(END))
        controller.close()
      })
    },
    pull: proceed,
    cancel() {
      isCancelled = true
      proceed()
    },
  })
}
