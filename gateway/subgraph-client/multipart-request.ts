import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type { ExecutionResult } from 'graphql'
import type { Sign } from '../signed-link/signature.ts'
import type { FileUpload, PlacedFile } from '../uploads/file-upload.ts'
import { UploadError } from '../uploads/upload-error.ts'
import { parseGraphQLResponse } from './http-messages.ts'
import type { RequestContext } from './link.ts'
import type { RetryingFetch } from './retrying-fetch.ts'
import type { TrafficShaping } from './shaped-fetch.ts'

/** Sends a request with files. Once: neither retried, batched, joined nor sent by its hash. */
export type SendFiles = (request: {
  /** JSON of the request, with null where files stand. */
  readonly operations: string
  readonly files: readonly PlacedFile[]
  readonly headers: Readonly<Record<string, string>>
  readonly context: RequestContext
}) => Promise<ExecutionResult>

/** Creates what sends files to one subgraph. */
export function createFileSender(
  name: string,
  fetch: RetryingFetch['fetch'],
  { sign, shaping }: { readonly sign: Sign | undefined; readonly shaping: TrafficShaping | null },
): SendFiles {
  // The body is known only when it has been sent.
  const isSigned = sign !== undefined || shaping?.isSigned === true
  const applyResponseRules = shaping?.applyResponseRules ?? null
  return async ({ operations, files, headers, context }) => {
    if (isSigned) {
      const message = `Expected no file for the ${name} service, whose requests are signed: their signature covers the whole body.`
      throw new UploadError('UPLOAD_NOT_SUPPORTED', message)
    }
    const { contentType, body } = multipartMessage(operations, files)
    const response = await fetch({
      message: () => ({ body, headers: { ...headers, 'content-type': contentType, ...PREFLIGHTED } }),
      signal: context.signal,
      retries: 0,
      parse: parseGraphQLResponse,
      ...(context.uploads && { timeoutMs: context.uploads.remainingMs() }),
    })
    if (applyResponseRules && context.responseHeaders) applyResponseRules(context.responseHeaders, response.headers)
    return response.result
  }
}

/** Servers refuse multipart requests without it, as a page of another site could send them. */
const PREFLIGHTED = { 'apollo-require-preflight': 'true' }

/** A multipart request to a subgraph, whose files go through as they arrive. */
type MultipartMessage = { readonly contentType: string; readonly body: PassThrough }

/**
 * Writes a request by the GraphQL multipart request specification. `operations` is JSON with null
 * where files stand. The body ends with the last file, or is destroyed with an `UploadError`.
 */
function multipartMessage(operations: string, placed: readonly PlacedFile[]): MultipartMessage {
  const boundary = `atrium-${randomUUID()}`
  const files = [...new Set(placed.map(({ file }) => file))]
  const map = Object.fromEntries(
    files.map((file, index) => [
      index,
      placed.filter((each) => each.file === file).map(({ path }) => ['variables', ...path].join('.')),
    ]),
  )
  const body = new PassThrough()
  // Before the request is sent, nobody listens.
  body.on('error', () => {})
  body.write(`${fieldPart(boundary, 'operations', operations)}${fieldPart(boundary, 'map', JSON.stringify(map))}`)
  writeFiles(body, boundary, files).catch((error: unknown) =>
    body.destroy(error instanceof Error ? error : new UploadError('UPLOAD_MALFORMED', 'Expected a file.')),
  )
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

async function writeFiles(body: PassThrough, boundary: string, files: readonly FileUpload[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    const { filename, mimetype } = await file.arrived
    if (body.destroyed) return
    body.write(
      `--${boundary}\r\ncontent-disposition: form-data; name="${index}"; filename="${quoted(filename)}"\r\n` +
        `content-type: ${MEDIA_TYPE.test(mimetype) ? mimetype : 'application/octet-stream'}\r\n\r\n`,
    )
    file.pipeInto(body)
    await file.ended
    body.write('\r\n')
  }
  body.end(`--${boundary}--\r\n`)
}

const fieldPart = (boundary: string, name: string, value: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** As browsers write names in forms (HTML, "multipart/form-data encoding algorithm"). */
const quoted = (text: string): string => text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')

/** A type and its subtype (RFC 9110 §8.3.1); what a client sends is no header until it is one. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/
