import { setTimeout as pause } from 'node:timers/promises'
import { retryAfterOf } from '../../../platform/outbound/http-client.ts'
import { asList, asRecord } from './shape.ts'

/** What a registry's paged API answered. */
export type RegistryAnswer = {
  /** The rows of all pages, as in one page. */
  readonly servers: readonly unknown[]
  readonly pages: number
  /** Why there may be more; null after the last page. An incomplete answer removes nothing. */
  readonly fault: string | null
}

type Bounds = {
  /** A page, or the wait for one, takes at most this long. Milliseconds. */
  readonly timeout: number
  /** A page has at most this many bytes. */
  readonly pageSize: number
  readonly pages: number
  readonly rows: number
  readonly redirects: number
  /** Waits before the second and third try of a page. Milliseconds. */
  readonly pauses: readonly number[]
  /** A registry that asks for a longer wait is left. Milliseconds. */
  readonly maxWait: number
}

/** The public registry had 54,000 rows of 2 kB in pages of 100 in the middle of 2026. */
const BOUNDS: Bounds = {
  timeout: 20_000,
  pageSize: 8_000_000,
  pages: 5_000,
  rows: 300_000,
  redirects: 5,
  pauses: [500, 2_000],
  maxWait: 120_000,
}

type Options = { readonly signal: AbortSignal; readonly onPage?: (rows: number) => void; readonly bounds?: Partial<Bounds> }

/** A permanent failure; `status` null without an answer. */
class PageFault extends Error {
  override readonly name = 'PageFault'
  readonly status: number | null
  readonly again: boolean
  /** What the server asks to wait before the next try; null when it does not say. */
  readonly retryAfterSeconds: number | null
  constructor(
    message: string,
    {
      status = null,
      again = false,
      retryAfterSeconds = null,
    }: { readonly status?: number | null; readonly again?: boolean; readonly retryAfterSeconds?: number | null } = {},
  ) {
    super(message)
    this.status = status
    this.again = again
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Reads every page of a registry: of `<url>/v0.1/servers`, or of `url` itself when it is such a
 * list. Never throws but for an aborted `signal`. Rows of versions that are not the latest are left
 * out.
 */
export async function readRegistry(url: string, { signal, onPage, bounds }: Options): Promise<RegistryAnswer> {
  const limits = { ...BOUNDS, ...bounds }
  const servers: unknown[] = []
  const cursors = new Set<string>()
  let pages = 0
  const ended = (fault: string | null): RegistryAnswer => ({ servers, pages, fault })
  try {
    let { address, page } = await firstPage(url, limits, signal)
    for (;;) {
      const content = pageIn(page)
      if (!content) return ended('an answer is not a page of servers')
      pages += 1
      servers.push(...content.rows)
      onPage?.(servers.length)
      const { cursor } = content
      if (cursor === null) return ended(null)
      if (cursors.has(cursor)) return ended('its pages lead back to an earlier one')
      if (pages >= limits.pages) return ended(`it has more than ${limits.pages} pages`)
      if (servers.length >= limits.rows) return ended(`it has more than ${limits.rows} rows`)
      cursors.add(cursor)
      address = new URL(address)
      address.searchParams.set('cursor', cursor)
      page = await fetchPage(address, limits, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PageFault)) throw error
    return ended(error.message)
  }
}

/** Rows of a page that are of a latest version, and the cursor of the next page; null for no page. */
export function pageIn(page: unknown): { readonly rows: readonly unknown[]; readonly cursor: string | null } | null {
  const record = asRecord(page)
  if (!record || !Array.isArray(record.servers)) return null
  const metadata = asRecord(record.metadata)
  const cursor = metadata?.nextCursor ?? metadata?.next_cursor
  return { rows: record.servers.filter(isLatest), cursor: typeof cursor === 'string' && cursor !== '' ? cursor : null }
}

/** Older rows name no latest version: the reader of the format chooses there. */
function isLatest(row: unknown): boolean {
  const official = asRecord(asRecord(asRecord(row)?._meta)?.['io.modelcontextprotocol.registry/official'])
  return (official?.isLatest ?? official?.is_latest) !== false
}

async function firstPage(url: string, limits: Bounds, signal: AbortSignal): Promise<{ address: URL; page: unknown }> {
  const given = new URL(url)
  given.hash = ''
  const itself = async () => ({ address: given, page: await fetchPage(given, limits, signal) })
  if (/\/servers\/?$/.test(given.pathname) || given.search !== '') return itself()
  const address = new URL(`${given.href.replace(/\/+$/, '')}/v0.1/servers?version=latest&limit=100`)
  try {
    return { address, page: await fetchPage(address, limits, signal) }
  } catch (error) {
    if (error instanceof PageFault && error.status === 404) return itself()
    throw error
  }
}

/** One page as JSON, tried again after a fault that may pass. */
async function fetchPage(address: URL, limits: Bounds, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await fetchOnce(address, limits, signal)
    } catch (error) {
      signal.throwIfAborted()
      const wait = limits.pauses[attempt]
      if (!(error instanceof PageFault) || !error.again || wait === undefined) throw error
      const requestedMs = (error.retryAfterSeconds ?? 0) * 1_000
      if (requestedMs > limits.maxWait) throw error
      await pause(Math.max(wait, requestedMs), undefined, { signal })
    }
  }
}

async function fetchOnce(start: URL, limits: Bounds, signal: AbortSignal): Promise<unknown> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(limits.timeout)])
  let address = start
  try {
    if (hasCredentials(start)) throw new PageFault('its address holds a user name or password, which is not sent')
    for (let redirects = 0; redirects <= limits.redirects; redirects += 1) {
      const response = await fetch(address, { signal: either, redirect: 'manual', headers: { accept: 'application/json' } })
      const location = response.headers.get('location')
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel()
        address = redirected(address, location)
      } else if (response.ok) return parsePage(await boundedText(response, limits.pageSize))
      else {
        await response.body?.cancel()
        const again = response.status >= 500 || response.status === 429
        throw new PageFault(`it answered with status ${response.status}`, {
          status: response.status,
          again,
          retryAfterSeconds: retryAfterOf({ headers: Object.fromEntries(response.headers) }, new Date()),
        })
      }
    }
  } catch (error) {
    if (error instanceof PageFault) throw error
    if (either.aborted) throw new PageFault(`it did not answer within ${limits.timeout} ms`, { again: true })
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new PageFault(`it cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`, { again: true })
  }
  throw new PageFault(`it redirects more than ${limits.redirects} times`)
}

const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== ''

function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href)
  const safe = to !== null && (to.protocol === 'https:' || to.protocol === from.protocol) && /^https?:$/.test(to.protocol)
  if (!safe || hasCredentials(to)) throw new PageFault('it redirects to an address that is not followed')
  return to
}

async function boundedText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > limit) throw new PageFault(`a page has more than ${limit} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsePage(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PageFault('an answer is not JSON')
  }
}

/** The URL as one page of rows for the readers of files. */
export const asPage = ({ servers }: RegistryAnswer): unknown => ({
  servers: asList(servers),
  metadata: { count: servers.length },
})
