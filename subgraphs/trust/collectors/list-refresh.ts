import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import { type HttpClient, type OutboundResponse, statusFault } from '../../../platform/outbound/http-client.ts'
import type { UnixSeconds } from '../evidence.ts'
import type { Edition, ListEntry, ListRepository } from './list-repository.ts'
import { unpacked } from './list-unpack.ts'
import type { List } from './lists.ts'

/** Delay before a failed download is retried. Seconds. */
const RETRY_SECONDS = 15 * 60
/** A download that takes longer is given up. Milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000
/** A copy that has lost more than this share of its entries is a broken one … */
const MIN_SIZE_RATIO = 0.5
/** … unless the old copy is that old: then a list has really become short. Seconds. */
const SHRINK_ACCEPTED_AFTER_SECONDS = 7 * 86_400
/** More lines than this share that cannot be read: it is not the list that we know. */
const MAX_UNREADABLE_RATIO = 0.2
const MAX_LINE_CHARACTERS = 16_384
/** Entries that go to the database at once. */
const BATCH_ENTRIES = 2_000

/** A list after all that were due have been downloaded. */
export type RefreshedList = {
  readonly name: string
  /** Whether there is anything to look into, be it what ships with this program. */
  readonly hasCopy: boolean
  /** Why it could not be downloaded when it last was; null when it could. */
  readonly fault: string | null
  /** When it will be; null when it has just been. */
  readonly notDueUntil: UnixSeconds | null
}

/** Dependencies of downloads. */
export type RefreshParts = {
  readonly lists: ListRepository
  readonly https: HttpClient
  readonly log: Logger
  readonly now: () => Date
  readonly signal: AbortSignal
}

/**
 * Downloads a list if it is due and no other process does; false otherwise. Never rejects: a
 * failure is logged and stored, and the old copy stays.
 */
export async function refreshList(list: List, parts: RefreshParts): Promise<boolean> {
  const { lists, log, signal } = parts
  try {
    const now = seconds(parts.now())
    if (!(await lists.claim(list.name, { now, retryAt: now + RETRY_SECONDS }))) return false
    const entries = await download(list, parts)
    if (entries !== null) log.info({ list: list.name, entries }, 'a list was loaded')
  } catch (error) {
    if (signal.aborted) return true
    const reason = error instanceof Fault ? error.message : faultOf(error).message
    log.warn({ list: list.name, reason }, 'a list could not be refreshed; its old copy stays')
    await lists.fail(list.name, reason).catch(() => {})
  }
  return true
}

/**
 * Number of entries of the new copy; null when the list has not changed. Throws a `Fault` for a
 * rejected copy.
 */
async function download(list: List, { lists, https, now, signal }: RefreshParts): Promise<number | null> {
  const old = await lists.edition(list.name)
  const response = list.url.startsWith('file:')
    ? await fileResponse(list)
    : await https.get(list.url, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]),
        accept: '*/*',
        maxBytes: list.maxBytes,
        headers: old?.etag ? { 'if-none-match': old.etag } : {},
      })
  const fetchedAt = seconds(now())
  const asOf = lastModified(response) ?? fetchedAt
  const refreshAt = fetchedAt + list.refreshSeconds
  if (response.status === 304 && old) {
    response.body.destroy()
    await lists.confirm(list.name, { asOf: Math.max(asOf, old.asOf), fetchedAt, refreshAt })
    return null
  }
  if (response.status !== 200) throw statusFault(response, now())
  if (/html/i.test(response.headers['content-type'] ?? '')) {
    response.body.destroy()
    throw new Fault('malformed', 'Expected a list, got a web page')
  }

  const copy = readEntries(list, response)
  const unchanged = new Error('unchanged')
  try {
    return await lists.replace(list.name, copy.batches, (entries) => {
      const version = copy.hash.digest('hex')
      if (old?.version === version) throw unchanged
      assertSane(list, { entries, unreadable: copy.unreadable(), asOf }, old, fetchedAt)
      return { version, etag: response.headers.etag ?? null, asOf, fetchedAt, refreshAt }
    })
  } catch (error) {
    if (error !== unchanged) throw error
    await lists.confirm(list.name, { asOf: Math.max(asOf, old?.asOf ?? 0), fetchedAt, refreshAt })
    return null
  } finally {
    response.body.destroy()
  }
}

/** A file of the operator in the form of a response. Throws a `Fault`. */
async function fileResponse({ url, maxBytes }: List): Promise<OutboundResponse> {
  try {
    const { size, mtime } = await stat(new URL(url))
    if (size > maxBytes) throw new Fault('too_large', `Expected at most ${maxBytes} bytes, got ${size}.`)
    const headers = { 'last-modified': mtime.toUTCString() }
    return { status: 200, headers, url, body: createReadStream(new URL(url), { end: maxBytes }) }
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('unavailable', 'the file cannot be read', { cause: error })
  }
}

type Copy = { readonly entries: number; readonly unreadable: number; readonly asOf: UnixSeconds }

/** Throws `malformed` for a copy that must not replace the old one. */
function assertSane(list: List, { entries, unreadable, asOf }: Copy, old: Edition | null, now: UnixSeconds): void {
  if (unreadable > (entries + unreadable) * MAX_UNREADABLE_RATIO)
    throw new Fault('malformed', `${unreadable} of its lines cannot be read`)
  if (entries < list.minEntries) throw new Fault('malformed', `Expected at least ${list.minEntries} entries, got ${entries}.`)
  if (!old) return
  // Servers behind one name may be some minutes apart.
  if (asOf < old.asOf - list.refreshSeconds) throw new Fault('malformed', 'it is older than the copy that we have')
  if (entries < old.entries * MIN_SIZE_RATIO && now - old.fetchedAt < SHRINK_ACCEPTED_AFTER_SECONDS) {
    throw new Fault('malformed', `it has ${entries} entries, and the copy that we have ${old.entries}`)
  }
}

/**
 * The entries of an answer in batches, while it comes in. `hash` and `unreadable` are complete when
 * `batches` is.
 */
function readEntries(
  list: List,
  { body }: OutboundResponse,
): { batches: AsyncIterable<ListEntry[]>; hash: Hash; unreadable: () => number } {
  const hash = createHash('sha256')
  const { format } = list
  let unreadable = 0

  async function* hashed(): AsyncGenerator<Buffer> {
    // A stream without encoding yields buffers.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
    }
  }

  async function* batches(): AsyncGenerator<ListEntry[]> {
    if (format.kind === 'document') {
      const chunks: Buffer[] = []
      for await (const chunk of unpacked(hashed())) chunks.push(chunk)
      const entries = format.read(parse(Buffer.concat(chunks)))
      if (entries === null) throw new Fault('malformed', 'it is a document of another kind')
      yield entries
      return
    }
    const read = format.reader()
    let batch: ListEntry[] = []
    let isFirst = true
    for await (const line of linesIn(unpacked(hashed()))) {
      if (isFirst && line.startsWith('<')) throw new Fault('malformed', 'Expected a list, got a web page')
      isFirst = false
      const entry = read(line)
      if (entry === null) unreadable += 1
      else if (entry !== 'nothing') batch.push(entry)
      if (batch.length < BATCH_ENTRIES) continue
      yield batch
      batch = []
    }
    yield batch
  }

  return { batches: batches(), hash, unreadable: () => unreadable }
}

/** Lines without their ends, a byte order mark and blanks around; none that are empty. */
async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r/)
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) throw new Fault('malformed', 'a line without end')
    for (const line of lines) {
      const text = line.trim()
      if (text !== '') yield text
    }
  }
  const last = (rest + decoder.decode()).trim()
  if (last !== '') yield last
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new Fault('malformed', 'Expected JSON', { cause })
  }
}

function lastModified({ headers }: OutboundResponse): UnixSeconds | null {
  const at = Date.parse(headers['last-modified'] ?? '')
  return Number.isFinite(at) ? Math.floor(at / 1000) : null
}

const seconds = (date: Date): UnixSeconds => Math.floor(date.getTime() / 1000)
