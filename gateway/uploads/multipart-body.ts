import type { Readable, Writable } from 'node:stream'
import type { BusboyConstructor, BusboyFileStream } from '@fastify/busboy'
import { MAX_BODY_BYTES } from '../../platform/http/body-limit.ts'
import { BOUNDS } from '../limits/limits.ts'
import { isDeeperThan } from '../limits/nesting.ts'
import { placeFiles } from './place-files.ts'
import { malformed, UploadError } from './upload-error.ts'
import { createUploads, type IncomingUploads, timeUp } from './uploads.ts'

/** What a multipart request may have. */
export type UploadLimits = {
  /** Highest bytes of one file. */
  readonly maxFileBytes: number
  readonly maxFiles: number
  /** Time for the request, its operation and the answer. */
  readonly timeoutSeconds: number
}

/** A request whose operations are known; its files may still be arriving. */
export type MultipartRequest = {
  /** JSON of `operations`, with files in place. */
  readonly operations: unknown
  readonly uploads: IncomingUploads
}

/** Headers of one part; those of the specification have two. */
const MAX_PART_HEADERS = 20
const MAX_PART_HEADER_BYTES = 8_000
/** Bytes around a file: its boundary and headers, with room. */
const PART_BYTES = 10_000
/** Levels of `operations`: a list, an operation, and its variables, which are counted again later. */
const MAX_NESTING_LEVELS = BOUNDS.variableDepth + 2

/** Loads the parser: few gateways take uploads, and none before the first. */
const loadParser = async (): Promise<BusboyConstructor> => (await import('@fastify/busboy')).Busboy

/**
 * Reads a multipart request by the GraphQL multipart request specification until `operations` and
 * `map` are there; its files then arrive as they are read. Rejects with an `UploadError`. Never
 * destroys `source`.
 */
export async function readMultipart(source: Readable, contentType: string, limits: UploadLimits): Promise<MultipartRequest> {
  const beganAt = performance.now()
  const { maxFileBytes, maxFiles, timeoutSeconds } = limits
  const ready = Promise.withResolvers<MultipartRequest>()
  let operations: unknown
  let uploads: IncomingUploads | null = null
  let failure: UploadError | null = null
  const parser = parserOf(await loadParser(), contentType, limits)
  const timer = setTimeout(() => fail(timeUp(timeoutSeconds)), timeoutSeconds * 1_000)

  parser.on('field', (name, value, _, isTruncated) => attempt(() => field(name, value, isTruncated)))
  parser.on('file', (name, stream, filename, encoding, mimetype) => file(name, stream, { filename, encoding, mimetype }))
  parser.on('filesLimit', () => fail(tooMany(maxFiles)))
  parser.on('partsLimit', () => fail(tooMany(maxFiles)))
  parser.on('fieldsLimit', () => fail(malformed('Expected two fields, "operations" and "map", got more.')))
  parser.on('error', () => fail(cutShort()))
  parser.on('finish', () => {
    if (uploads) uploads.end()
    else fail(malformed(`Expected the field "${operations === undefined ? 'operations' : 'map'}", got none.`))
  })
  const maxBytes = 2 * MAX_BODY_BYTES + maxFiles * maxFileBytes + (maxFiles + 3) * PART_BYTES
  const stopFeeding = feed(source, parser, maxBytes, fail)
  try {
    return await ready.promise
  } finally {
    clearTimeout(timer)
  }

  function fail(reason: UploadError): void {
    if (failure) return
    failure = reason
    stopFeeding()
    ready.reject(reason)
    uploads?.fail(reason)
  }

  function attempt(read: () => void): void {
    try {
      if (!failure) read()
    } catch (error) {
      fail(error instanceof UploadError ? error : malformed('Expected a multipart request by its specification.'))
    }
  }

  function field(name: string, value: string, isTruncated: boolean): void {
    if (uploads) throw malformed(`Expected files after "map", got the field "${String(name).slice(0, 100)}".`)
    const expected = operations === undefined ? 'operations' : 'map'
    if (name !== expected) throw outOfOrder(expected, name)
    if (isTruncated) throw new UploadError('UPLOAD_TOO_LARGE', `Expected the field "${name}" of at most ${MAX_BODY_BYTES} bytes.`)
    const json = jsonOf(name, value)
    if (name === 'operations') {
      if (typeof json !== 'object' || json === null) {
        throw malformed('Expected the field "operations" to be the JSON of one operation, or of a list of them.')
      }
      // Before the walks over variables, which recurse.
      if (isDeeperThan(json, MAX_NESTING_LEVELS)) {
        throw malformed(`Expected the field "operations" to have variables nested at most ${BOUNDS.variableDepth} deep.`)
      }
      operations = json
      return
    }
    uploads = createUploads(placeFiles(operations, json, maxFiles), { beganAt, timeoutSeconds }, fail)
    ready.resolve({ operations, uploads })
  }

  function file(name: string, stream: BusboyFileStream, head: Parameters<IncomingUploads['arrive']>[2]): void {
    if (!uploads || failure) {
      stream.on('error', () => {})
      stream.resume()
      fail(outOfOrder(operations === undefined ? 'operations' : 'map', name))
      return
    }
    stream.once('limit', () =>
      fail(new UploadError('UPLOAD_TOO_LARGE', `Expected files of at most ${maxFileBytes} bytes, got more in "${name}".`)),
    )
    uploads.arrive(name, stream, head)
  }
}

/** Pipes a request into the parser. Returns what stops that, and leaves the rest unread. */
function feed(source: Readable, parser: Writable, maxBytes: number, onFailure: (reason: UploadError) => void): () => void {
  let bytes = 0
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length
    if (bytes > maxBytes) onFailure(new UploadError('UPLOAD_TOO_LARGE', `Expected a request of at most ${maxBytes} bytes.`))
  }
  source.on('data', count)
  source.on('error', () => onFailure(clientGone()))
  source.once('close', () => {
    if (!source.readableEnded) onFailure(clientGone())
  })
  source.pipe(parser)
  return () => {
    source.off('data', count)
    source.unpipe(parser)
  }
}

function parserOf(Busboy: BusboyConstructor, contentType: string, { maxFileBytes, maxFiles }: UploadLimits) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldSize: MAX_BODY_BYTES,
        // One more than there may be, so that it is refused by name.
        fields: 3,
        files: maxFiles,
        parts: maxFiles + 3,
        // The parser reports what reaches its limit.
        fileSize: maxFileBytes,
        headerPairs: MAX_PART_HEADERS,
        headerSize: MAX_PART_HEADER_BYTES,
      },
    })
  } catch {
    throw malformed('Expected content-type multipart/form-data with a boundary.')
  }
}

function jsonOf(name: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw malformed(`Expected the field "${name}" to be JSON.`)
  }
}

const outOfOrder = (expected: string, name: unknown): UploadError =>
  malformed(
    `Expected the field "${expected}" next, as text, got "${String(name).slice(0, 100)}": first "operations", then "map", then files.`,
  )
const tooMany = (maxFiles: number): UploadError =>
  new UploadError('UPLOAD_TOO_LARGE', `Expected at most ${maxFiles} files, got more.`)
const cutShort = (): UploadError =>
  malformed('Expected a multipart body that ends with its closing boundary, got one that is cut short.')
const clientGone = (): UploadError => malformed('Expected the whole request, but the client has left.')
