import type { ContributionFormat, Skip } from './contribution.ts'

/**
 * What an import did. Counts of items are of the whole directory, not only of what this run read.
 */
export type ImportReport = {
  /** Files and pages that were read. */
  readonly read: number
  /** Files of other kinds, and links, that were passed over. */
  readonly ignored: number
  /** Records read from them. */
  readonly records: number
  /**
   * Records and files per format, in order of recognition; formats that did not occur are absent.
   */
  readonly formats: readonly { readonly format: ContributionFormat; readonly files: number; readonly records: number }[]
  /** Items that are new. */
  readonly imported: number
  /** Items with changed values, or that returned. */
  readonly updated: number
  readonly unchanged: number
  /** Items that no source has any longer; they stay as tombstones. */
  readonly removed: number
  /** Records of the whole directory that joined another record's item. */
  readonly merged: number
  /** Sources that are there but could not be read: their earlier records stay. */
  readonly retained: readonly { readonly origin: string; readonly path: string; readonly records: number }[]
  /** Skipped records, with reasons. */
  readonly skipped: readonly Skip[]
  /** Star counts that a `--stars` file gave. */
  readonly stars: number
  /** Living items per kind afterwards. */
  readonly totals: Readonly<Record<string, number>>
  /** The directory's revision afterwards; unchanged when nothing changed. */
  readonly revision: string
  readonly milliseconds: number
}

/**
 * Whether the run imported nothing: items also change when one of several of their records is
 * removed.
 */
export const cameToNothing = ({ records, imported, updated, removed, stars }: ImportReport): boolean =>
  [records, imported, updated, removed, stars].every((count) => count === 0)

/** Reasons and examples per reason that a person is shown; `--json` lists all. */
const MAX_REASONS = 12
const MAX_EXAMPLES = 3

const KINDS: Readonly<Record<string, string>> = {
  MCP_SERVER: 'servers',
  PLUGIN: 'plugins',
  SKILL: 'skills',
  PERSONA: 'personas',
  BUNDLE: 'bundles',
  AGENT: 'agents',
  GUIDE: 'guides',
}

const number = (value: number): string => value.toLocaleString('en-US')

const counted = (value: number, singular: string): string => `${number(value)} ${singular}${value === 1 ? '' : 's'}`

/** The report for people: read, changed and skipped records. Ends with a newline. */
export function reportText(report: ImportReport): string {
  const { read, ignored, records, formats, imported, updated, unchanged, removed, merged, retained, skipped, stars, totals } =
    report
  const storedRecords = retained.reduce((sum, { records: count }) => sum + count, 0)
  const lines = [
    `Read ${counted(read, 'file')} in ${(report.milliseconds / 1_000).toFixed(1)} s: ${counted(records, 'record')}${ignored > 0 ? `; passed over ${counted(ignored, 'file')} of other kinds` : ''}.`,
    ...formats.map(
      ({ format, files, records: taken }) => `  ${format.padEnd(16)}${number(taken).padStart(8)} from ${counted(files, 'file')}`,
    ),
    ...(stars > 0 ? [`  ${'stars'.padEnd(16)}${number(stars).padStart(8)} repositories`] : []),
    '',
    `Items: ${number(imported)} new, ${number(updated)} updated, ${number(unchanged)} unchanged, ${number(removed)} removed. ${counted(merged, 'record')} joined another's item.`,
    `The directory now has ${
      Object.entries(KINDS)
        .filter(([kind]) => totals[kind] !== undefined)
        .map(([kind, plural]) => `${number(totals[kind] ?? 0)} ${plural}`)
        .join(', ') || 'no items'
    } (revision ${report.revision}).`,
    ...(storedRecords > 0
      ? [
          '',
          `Kept ${counted(storedRecords, 'earlier record')} of ${counted(retained.length, 'source')} that could not be read this time.`,
        ]
      : []),
    ...(skipped.length > 0 ? ['', ...skippedText(skipped)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function skippedText(skipped: readonly Skip[]): readonly string[] {
  const groups = new Map<string, Skip[]>()
  for (const skip of skipped) {
    const reason = withoutPlace(skip.reason)
    const group = groups.get(reason)
    if (group) group.push(skip)
    else groups.set(reason, [skip])
  }
  const sorted = [...groups].sort(([, one], [, other]) => other.length - one.length)
  const hidden = sorted.slice(MAX_REASONS).reduce((sum, [, group]) => sum + group.length, 0)
  return [
    `Skipped ${number(skipped.length)}:`,
    ...sorted
      .slice(0, MAX_REASONS)
      .flatMap(([reason, group]) => [
        `  ${number(group.length).padStart(6)}  ${reason}`,
        ...group.slice(0, MAX_EXAMPLES).map((skip) => `          ${addressText(skip)}`),
        ...(group.length > MAX_EXAMPLES ? [`          … and ${number(group.length - MAX_EXAMPLES)} more; --json lists all`] : []),
      ]),
    ...(hidden > 0 ? [`  ${number(hidden).padStart(6)}  for other reasons; --json lists all`] : []),
  ]
}

/** `plugins[3]: needs a name` and `plugins[4]: needs a name` are one reason. */
const withoutPlace = (reason: string): string => reason.replace(/^[\w.]*\[\d+\]:? */, '')

/** Not safe for a terminal: control characters and changes of direction in the name of a file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function addressText({ origin, path, line, reason }: Skip): string {
  const record = /^[\w.]*\[\d+\]/.exec(reason)?.[0]
  const address = `${origin}${path === '' ? '' : `: ${path}`}${line === null ? '' : `:${line}`}${record ? ` ${record}` : ''}`
  return address.replace(UNPRINTABLE, '\ufffd')
}
