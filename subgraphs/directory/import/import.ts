import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { ContributionFormat, Skip } from './contribution.ts'
import type { Findings } from './findings.ts'
import { compare } from './precedence.ts'
import type { Progress } from './progress.ts'
import { readers } from './readers.ts'
import { addressOfUrl, readAnswer, readFound, rootOfUrl, type SourceReading } from './reading.ts'
import { readRegistry } from './registry-api.ts'
import type { ImportReport } from './report.ts'
import { readStars } from './stars.ts'
import { storeFindings, withoutRepeats } from './store-findings.ts'
import { type WalkScope, walk } from './walk.ts'

type Options = {
  readonly connection: Connection
  /** Path of a file of star counts. */
  readonly stars?: string
  /** Ends the import; until it returns, nothing of it is visible. */
  readonly signal: AbortSignal
  readonly progress?: (progress: Progress) => void
  readonly log?: Logger
  readonly now?: () => Date
}

/** Files between two looks at the signal: some 20 ms. */
const FILES_PER_TURN = 50

/**
 * Imports files, folders and registry URLs into the directory of a migrated database: all or
 * nothing, in one transaction. Throws NoSuchPath and StarsUnreadable for wrong arguments, the
 * signal's reason when it was aborted, and what the database throws.
 */
export async function importPaths(paths: readonly string[], options: Options): Promise<ImportReport> {
  const started = performance.now()
  const { signal, progress, log, now = () => new Date() } = options
  const stars = options.stars === undefined ? { counts: [], skipped: [] } : readStars(options.stars)
  const urls = paths.filter(isUrl).map((path) => new URL(path))
  const found = await walk(
    paths.filter((path) => !isUrl(path)),
    signal,
  )

  const readings: SourceReading[] = []
  for (const [index, file] of found.files.entries()) {
    if (index % FILES_PER_TURN === 0) {
      await new Promise(setImmediate)
      signal.throwIfAborted()
      progress?.({ phase: 'reading', done: index, total: found.files.length })
    }
    readings.push(readFound(file))
  }
  progress?.({ phase: 'reading', done: found.files.length, total: found.files.length })
  const lists = []
  for (const url of urls) lists.push(await readUrl(url, options))
  readings.push(...lists.map(({ reading }) => reading))

  const skipped = [...found.refused, ...stars.skipped, ...readings.flatMap((reading) => reading.skipped)]
  const findings: Findings = {
    contributions: withoutRepeats(readings.flatMap((reading) => reading.contributions)),
    scopes: [...found.scopes, ...lists.flatMap(({ scope }) => scope ?? [])],
    skipped,
    unreadable: [
      ...found.refused.flatMap(({ origin, path }) => [
        { origin, path },
        { origin, path: path === '' ? '' : `${path}/` },
      ]),
      ...readings
        .filter(({ unreadable }) => unreadable)
        .flatMap((reading) => reading.skipped.map(({ origin, path }) => ({ origin, path }))),
    ],
    counts: stars.counts,
    unattended: null,
  }
  const { connection } = options
  const stored = await storeFindings(findings, { connection, signal, progress, log, now: now() })
  const report: ImportReport = {
    ...stored,
    read: found.files.length + lists.reduce((sum, { pages }) => sum + pages, 0),
    ignored: found.ignored,
    records: findings.contributions.length,
    formats: countFormats(readings),
    skipped: [...skipped, ...stored.skipped].sort(bySource),
    stars: stars.counts.length,
    milliseconds: Math.round(performance.now() - started),
  }
  log?.debug({ ...report, skipped: report.skipped.length, retained: report.retained.length }, 'import done')
  return report
}

/**
 * A path on Windows begins with a letter and a colon as well, but not with two slashes behind it.
 */
const isUrl = (path: string): boolean => /^https?:\/\//i.test(path) && URL.canParse(path)

async function readUrl(
  url: URL,
  { signal, progress }: Options,
): Promise<{ readonly reading: SourceReading; readonly scope: WalkScope | null; readonly pages: number }> {
  const answer = await readRegistry(url.href, {
    signal,
    onPage: (rows) => progress?.({ phase: 'fetching', done: rows, total: null }),
  })
  const { origin, path } = addressOfUrl(url)
  const fault =
    answer.fault === null ? [] : [{ origin, path, line: null, reason: `could not be read to its end: ${answer.fault}` }]
  const reading = answer.pages === 0 ? nothing : readAnswer(url, answer)
  return {
    reading: { ...reading, skipped: [...fault, ...reading.skipped] },
    // What an incomplete answer leaves out may still be there.
    scope: answer.fault === null ? { origin, root: rootOfUrl(url), prefix: path, exact: true } : null,
    pages: answer.pages,
  }
}

const nothing: SourceReading = { format: null, contributions: [], skipped: [], unreadable: false }

function countFormats(readings: readonly SourceReading[]): ImportReport['formats'] {
  const counts = new Map<ContributionFormat, { files: number; records: number }>()
  for (const { format, contributions } of readings) {
    if (format === null) continue
    const count = counts.get(format) ?? { files: 0, records: 0 }
    counts.set(format, { files: count.files + 1, records: count.records + contributions.length })
  }
  return readers.flatMap(({ format }) => {
    const count = counts.get(format)
    return count ? [{ format, ...count }] : []
  })
}

const bySource = (one: Skip, other: Skip): number =>
  compare(one.origin, other.origin) || compare(one.path, other.path) || (one.line ?? 0) - (other.line ?? 0)
