import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { OutboundResponse } from '../../../platform/outbound/http-client.ts'
import { readBytes, type SourceReading } from '../import/reading.ts'
import { FOREIGN, MAX_FOLDER_DEPTH, maxFileBytes } from '../import/walk.ts'
import { type FetchedSource, MAX_RECORDS, NONE } from './fetched.ts'
import type { SourceLocation } from './location.ts'
import { type Request, RunFault } from './request.ts'

/** What the last answer of a source was validated by. */
export type Validators = { readonly etag: string | null; readonly lastModified: string | null }

/** Largest archive as it is sent, and its files together. Bytes. */
const MAX_ARCHIVE_BYTES = 200_000_000
const MAX_UNPACKED_BYTES = 400_000_000
const UNPACKED_CHUNK_BYTES = 262_144
const MAX_ENTRIES = 200_000
const ARCHIVE_TIMEOUT_MS = 600_000
const FILE_TIMEOUT_MS = 60_000
/** Longest validator that is stored and sent back. */
const MAX_VALIDATOR_LENGTH = 500

/**
 * Reads a file, or the files of an archive, unless it is the one that was read before: null.
 * Throws RunFault.
 */
export async function fetchFiles(
  location: SourceLocation,
  validators: Validators,
  { request, signal }: { readonly request: Request; readonly signal: AbortSignal },
): Promise<FetchedSource | null> {
  const isArchive = location.protocol === 'archive'
  const limit = isArchive ? MAX_ARCHIVE_BYTES : (maxFileBytes(location.path) ?? 0)
  const headers = {
    ...(validators.etag !== null && { 'if-none-match': validators.etag }),
    ...(validators.lastModified !== null && { 'if-modified-since': validators.lastModified }),
  }
  return request(
    location.url,
    { accept: '*/*', maxBytes: limit, timeoutMs: isArchive ? ARCHIVE_TIMEOUT_MS : FILE_TIMEOUT_MS, headers },
    async (response) => {
      if (response.status === 304) {
        if (Object.keys(headers).length === 0) throw new RunFault('INVALID', 'It answered 304 to a request without a condition.')
        return null
      }
      const readings = isArchive
        ? await readArchive(response, location, signal)
        : [readOne(location, location.path, await wholeBody(response))]
      return { ...fetchedOf(readings, location), ...validatorsOf(response) }
    },
  )
}

const readOne = ({ origin, root }: SourceLocation, path: string, bytes: Uint8Array): SourceReading =>
  readBytes({ origin, path, root }, bytes)

async function wholeBody({ body }: OutboundResponse): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function validatorsOf({ headers }: OutboundResponse): Validators {
  const validator = (text: string | undefined) =>
    text !== undefined && text.length <= MAX_VALIDATOR_LENGTH && /^[\x20-\x7e]+$/.test(text) ? text : null
  return { etag: validator(headers.etag), lastModified: validator(headers['last-modified']) }
}

/** The files of a gzipped tar archive that its kind of source holds. Links are not followed. */
async function readArchive(
  { body }: OutboundResponse,
  location: SourceLocation,
  signal: AbortSignal,
): Promise<readonly SourceReading[]> {
  // Loaded here: most starts read no archive.
  const { createTarDecoder } = await import('modern-tar')
  const readings: SourceReading[] = []
  const paths = new Set<string>()
  let records = 0
  const { readable, writable } = createTarDecoder({ strict: true })
  const feeding = feed(unpackedOf(body), writable, signal)
  // Errors of the stream do not always reach who waits for the next file.
  const broken = feeding.then(() => new Promise<never>(() => {}))
  try {
    await Promise.race([readEntries(), broken])
  } catch (error) {
    signal.throwIfAborted()
    throw isBroken(error) ? new RunFault('INVALID', 'It is no complete archive (tar with gzip).') : error
  }
  return readings

  async function readEntries(): Promise<void> {
    let entries = 0
    for await (const { header, body: content } of readable) {
      entries += 1
      if (entries > MAX_ENTRIES) throw new RunFault('TOO_LARGE', `It has more than ${MAX_ENTRIES} files.`)
      const path = header.type === 'file' ? pathInside(header.name) : null
      const maxBytes = path === null ? undefined : maxFileBytes(path)
      if (path === null || maxBytes === undefined || !location.reads.test(path) || paths.has(path)) {
        await content.cancel()
        continue
      }
      paths.add(path)
      if (header.size > maxBytes) {
        await content.cancel()
        readings.push(tooLarge(location, path, maxBytes))
        continue
      }
      const reading = readOne(location, path, new Uint8Array(await new Response(content).arrayBuffer()))
      records += reading.contributions.length
      if (records > MAX_RECORDS) throw new RunFault('TOO_LARGE', `It has more than ${MAX_RECORDS} records.`)
      readings.push(reading)
    }
    // What is behind the last file may be broken as well.
    await feeding
  }
}

/** Errors of zlib and of the tar decoder; faults of the connection have their own types. */
const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TypeError' ||
    error.name === 'Error' ||
    error.name === 'RangeError' ||
    ('code' in error && String(error.code).startsWith('Z_')))

/** The archive without gzip; ends with TOO_LARGE. */
async function* unpackedOf(body: Readable): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const gunzip = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES })
  body.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  let bytes = 0
  try {
    // A stream without encoding yields buffers.
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_UNPACKED_BYTES) throw new RunFault('TOO_LARGE', `It unpacks to more than ${MAX_UNPACKED_BYTES} bytes.`)
      yield new Uint8Array(chunk)
    }
  } finally {
    gunzip.on('error', () => {}).destroy()
  }
}

async function feed(chunks: AsyncIterable<Uint8Array>, writable: WritableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const writer = writable.getWriter()
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      await writer.write(chunk)
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => {})
    throw error
  }
}

/** Path below the one folder that such archives have; null outside of it, and in folders that imports leave out. */
function pathInside(name: string): string | null {
  const [, ...segments] = name.replace(/^\.\//, '').split('/')
  const isRefused = segments.some((segment) => segment === '' || segment === '.' || segment === '..' || FOREIGN.has(segment))
  return name.startsWith('/') || name.includes('\\') || isRefused || segments.length > MAX_FOLDER_DEPTH || segments.length === 0
    ? null
    : segments.join('/')
}

const tooLarge = ({ origin }: SourceLocation, path: string, maxBytes: number): SourceReading => ({
  format: null,
  contributions: [],
  skipped: [{ origin, path, line: null, reason: `has more than ${maxBytes} bytes` }],
  unreadable: true,
})

/** What the files amount to, without records of formats that this kind of source does not have. */
function fetchedOf(readings: readonly SourceReading[], location: SourceLocation): Omit<FetchedSource, keyof Validators> {
  const { formats, origin, root, path, protocol } = location
  const [only] = readings
  if (protocol === 'file' && only) assertReadable(only, location)
  // In an archive, a file of another format is another file.
  const taken = readings.filter(({ format, unreadable }) => unreadable || (format !== null && formats.has(format)))
  if (taken.length === 0) throw new RunFault('INVALID', 'It has no file that is read of this kind of source.')
  const skipped = taken.flatMap((reading) => reading.skipped)
  return {
    contributions: taken.flatMap(({ contributions }) => contributions),
    scope: { origin, root, prefix: path, exact: protocol === 'file' },
    rejected: skipped.length,
    unreadable: taken.filter(({ contributions }) => contributions.length === 0).flatMap((reading) => reading.skipped),
    unreadableRecords: skipped.flatMap((skip) =>
      skip.locator === undefined ? [] : [{ origin: skip.origin, path: skip.path, locator: skip.locator }],
    ),
    unreadableNames: NONE,
    withdrawn: NONE,
  }
}

/** Throws RunFault where the one file of a source cannot be read, or is of another format. */
function assertReadable({ format, unreadable, skipped }: SourceReading, { formats }: SourceLocation): void {
  if (unreadable || format === null)
    throw new RunFault('INVALID', `The file ${skipped[0]?.reason ?? 'is in none of the known formats'}.`)
  if (!formats.has(format))
    throw new RunFault('INVALID', `The file is in the format ${format}, which this kind of source does not have.`)
}
