import { readJson } from '../../../platform/outbound/http-client.ts'
import { readAnswer } from '../import/reading.ts'
import { latestRows } from '../import/registry.ts'
import { pageIn } from '../import/registry-api.ts'
import { asRecord } from '../import/shape.ts'
import type { Rooted } from '../import/store.ts'
import { type FetchedSource, MAX_RECORDS, NONE } from './fetched.ts'
import type { SourceLocation } from './location.ts'
import { type Request, RunFault } from './request.ts'

/** A page that an earlier part of the run has stored. */
export type StoredPage = {
  readonly position: number
  readonly nextCursor: string | null
  readonly rowCount: number
  readonly characters: number
}

/** Where the pages of a run are stored until it ends. */
export type PageStore = {
  /** In their order. */
  readonly pages: () => Promise<readonly StoredPage[]>
  readonly add: (page: { readonly position: number; readonly nextCursor: string | null; readonly rows: string }) => Promise<void>
  /** Rows of the page at this position. */
  readonly rows: (position: number) => Promise<readonly unknown[]>
  /** Deletes them: what follows begins anew. */
  readonly clear: () => Promise<void>
}

/** The public registry has pages of 100 rows of 2 kB. Bytes. */
const MAX_PAGE_BYTES = 8_000_000
const MAX_PAGES = 5_000
/** All pages as text: three times the public registry, which is 54,000 rows. UTF-16 units. */
const MAX_RUN_CHARACTERS = 300_000_000
const MAX_CURSOR_LENGTH = 2_000
const PAGE_TIMEOUT_MS = 30_000

/**
 * Reads the pages of a registry from where an earlier run stopped. `since`: only what changed after
 * it; null: everything. Throws RunFault; what was read stays stored unless it can lead nowhere.
 */
export async function fetchPages(
  location: SourceLocation,
  { request, store, since }: { readonly request: Request; readonly store: PageStore; readonly since: Date | null },
): Promise<FetchedSource> {
  const stored = [...(await store.pages())]
  const cursors = new Set(stored.flatMap(({ nextCursor }) => nextCursor ?? []))
  let rowCount = stored.reduce((sum, page) => sum + page.rowCount, 0)
  let characters = stored.reduce((sum, page) => sum + page.characters, 0)
  let cursor = stored.at(-1)?.nextCursor
  let lists = pageUrls(location.url, since)
  for (let position = stored.length; cursor !== null; position += 1) {
    if (position >= MAX_PAGES) return giveUp('TOO_LARGE', `It has more than ${MAX_PAGES} pages.`)
    const page = await pageBehind(cursor ?? null)
    const rows = JSON.stringify(page.rows)
    rowCount += page.rows.length
    characters += rows.length
    if (characters > MAX_RUN_CHARACTERS) return giveUp('TOO_LARGE', `It has more than ${MAX_RUN_CHARACTERS} characters.`)
    if (rowCount > MAX_RECORDS) return giveUp('TOO_LARGE', `It has more than ${MAX_RECORDS} rows.`)
    if (page.cursor !== null && cursors.has(page.cursor)) return giveUp('INVALID', 'Its pages lead back to an earlier one.')
    // PostgreSQL stores no character 0.
    if (page.cursor !== null && (page.cursor.length > MAX_CURSOR_LENGTH || page.cursor.includes('\0')))
      return giveUp('INVALID', `It has a cursor that is no text of at most ${MAX_CURSOR_LENGTH} characters.`)
    await store.add({ position, nextCursor: page.cursor, rows })
    if (page.cursor !== null) cursors.add(page.cursor)
    cursor = page.cursor
  }
  return readRows(location, pagesOf(store, await store.pages()), since === null)

  async function giveUp(problem: RunFault['problem'], message: string): Promise<never> {
    await store.clear()
    throw new RunFault(problem, message)
  }

  async function pageBehind(behind: string | null) {
    try {
      const { list, page } = await fetchPage(lists, behind, request)
      lists = [list]
      return page
    } catch (error) {
      // A cursor that is no longer valid would fail for ever.
      if (behind !== null && error instanceof RunFault && isOfClient(error.status)) await store.clear()
      throw error
    }
  }
}

const isOfClient = (status: number | null): boolean => status !== null && status >= 400 && status < 500 && status !== 429

/** Addresses of the first page, in the order in which they are tried. */
function pageUrls(url: URL, since: Date | null): readonly URL[] {
  const lists = /\/servers\/?$/.test(url.pathname)
    ? [url.href]
    : ['v0.1', 'v0'].map((version) => `${url.href.replace(/(?<!\/)\/+$/, '')}/${version}/servers`)
  return lists.map((list) => {
    const first = new URL(list)
    first.searchParams.set('version', 'latest')
    first.searchParams.set('limit', '100')
    if (since) {
      first.searchParams.set('updated_since', since.toISOString())
      first.searchParams.set('include_deleted', 'true')
    }
    return first
  })
}

/** A page of the first list that there is. */
async function fetchPage(lists: readonly URL[], cursor: string | null, request: Request) {
  for (const [index, list] of lists.entries()) {
    const url = new URL(list)
    if (cursor !== null) url.searchParams.set('cursor', cursor)
    try {
      const page = await request(
        url,
        { accept: 'application/json', maxBytes: MAX_PAGE_BYTES, timeoutMs: PAGE_TIMEOUT_MS },
        async (response) => {
          const read = pageIn(await readJson(response))
          if (!read) throw new RunFault('INVALID', 'An answer is not a page of servers.')
          return read
        },
      )
      return { list, page }
    } catch (error) {
      const isMissing = error instanceof RunFault && error.status === 404
      if (!isMissing || index === lists.length - 1) throw error
    }
  }
  throw new RunFault('UNREACHABLE', 'It has no list of servers.')
}

/** Rows page by page, each time anew: all of them together take more memory than what is read of them. */
const pagesOf = (store: PageStore, stored: readonly StoredPage[]) =>
  async function* rows(): AsyncGenerator<readonly unknown[]> {
    for (const { position } of stored) yield await store.rows(position)
  }

/** A name of a row, and whether the registry says that it is deleted. */
type NamedRow = { readonly name: string; readonly isDeleted: boolean }

/** All rows as contributions; one page is held at a time. */
async function readRows(
  location: SourceLocation,
  pages: () => AsyncGenerator<readonly unknown[]>,
  isComplete: boolean,
): Promise<FetchedSource> {
  const latest = latestRows()
  let rowCount = 0
  for await (const rows of pages()) {
    latest.add(rows)
    rowCount += rows.length
  }
  const contributions: Rooted[] = []
  const named: NamedRow[] = []
  const seen = new Map<string, number>()
  let [skipped, start] = [0, 0]
  for await (const rows of pages()) {
    const wanted = rows.filter((_, index) => latest.isWanted(start + index))
    start += rows.length
    if (wanted.length === 0 && rowCount > 0) continue
    const reading = readAnswer(location.url, { servers: wanted, pages: 1, fault: null }, seen)
    if (reading.unreadable) throw new RunFault('INVALID', `Its rows ${reading.skipped[0]?.reason ?? 'could not be understood'}.`)
    for (const one of reading.contributions) if (location.formats.has(one.contribution.format)) contributions.push(one)
    skipped += reading.format === null ? Math.max(1, wanted.length) : reading.skipped.length
    named.push(...namedRows(rows))
  }
  return { ...fetchedOf(contributions, named, { skipped, isComplete }), scope: isComplete ? scopeOf(location) : null }
}

const scopeOf = ({ origin, root, path }: SourceLocation) => ({ origin, root, prefix: path, exact: true })

const namedRows = (rows: readonly unknown[]): readonly NamedRow[] =>
  rows.flatMap((row) => {
    const { server, _meta } = asRecord(row) ?? {}
    const name = asRecord(server)?.name
    const official = asRecord(asRecord(_meta)?.['io.modelcontextprotocol.registry/official'])
    return typeof name === 'string' ? [{ name, isDeleted: official?.status === 'deleted' }] : []
  })

function fetchedOf(
  contributions: readonly Rooted[],
  named: readonly NamedRow[],
  { skipped, isComplete }: { readonly skipped: number; readonly isComplete: boolean },
): Omit<FetchedSource, 'scope'> {
  const read = new Set(
    contributions.flatMap(({ contribution: { statement } }) =>
      statement.kind === 'MCP_SERVER' && statement.registered ? statement.registered.name : [],
    ),
  )
  const withdrawn = new Set(
    named.filter(({ name, isDeleted }) => isDeleted && !read.has(name) && !name.includes('\0')).map(({ name }) => name),
  )
  return {
    contributions,
    rejected: Math.max(0, skipped - withdrawn.size),
    unreadable: [],
    unreadableRecords: [],
    unreadableNames: new Set(named.map(({ name }) => name).filter((name) => !read.has(name) && !withdrawn.has(name))),
    withdrawn: isComplete ? NONE : withdrawn,
    etag: null,
    lastModified: null,
  }
}
