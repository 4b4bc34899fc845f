import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { csvField, withoutFormulaGuard } from '../../../platform/text/csv.ts'
import { jsonDocument, plainLines } from '../collectors/feed-formats.ts'
import { refanged } from '../collectors/indicator.ts'
import { fieldsOf } from '../collectors/list-formats.ts'
import type { ListEntry as FeedEntry } from '../collectors/list-repository.ts'
import { asRecord } from '../collectors/untrusted-json.ts'
import { LIST_SCOPES, type ListEntryInput, type ListScope, type OperatorListEntry } from './operator-list.ts'

/** What a file does not say of its entries. */
type FileDefaults = Omit<ListEntryInput, 'target'>

/** An entry of a file with its location, such as `line 3`; null where it could not be read. */
type FileEntry = { readonly location: string; readonly input: ListEntryInput | null }

/**
 * Reads entries of a text: JSON (our export, a list of texts or objects, STIX 2.1, TAXII 2.1, MISP),
 * CSV with a column `target` (our export), or lines (names, addresses, URLs, a hosts file, rules of
 * content blockers, other CSV). Null for JSON of another form.
 */
export function readListFile(text: string, defaults: FileDefaults): readonly FileEntry[] | null {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (/^[[{]/.test(trimmed)) return inJson(trimmed, defaults)
  const lines = trimmed.split(/\r?\n/)
  const columns = fieldsOf(lines[0] ?? '').map((column) => column.toLowerCase())
  return columns.includes('target') ? inCsv(lines, columns, defaults) : inLines(lines, defaults)
}

function inJson(text: string, defaults: FileDefaults): readonly FileEntry[] | null {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return null
  }
  if (Array.isArray(json) && json.length > 0 && json.every((each) => typeof asRecord(each)?.target === 'string'))
    return json.map((each, index) => entryAt(`entry ${index + 1}`, (name) => ownValue(asRecord(each) ?? {}, name), defaults))
  const found = jsonDocument.kind === 'document' ? jsonDocument.read(json) : null
  if (!found) return null
  return found.map((entry, index) => ({ location: `entry ${index + 1}`, input: { ...defaults, target: targetOf(entry) } }))
}

function inCsv(lines: readonly string[], columns: readonly string[], defaults: FileDefaults): readonly FileEntry[] {
  return lines.slice(1).flatMap((line, index) => {
    if (line.trim() === '') return []
    const fields = fieldsOf(line).map(withoutFormulaGuard)
    return [entryAt(`line ${index + 2}`, (name) => fields[columns.indexOf(name)], defaults)]
  })
}

function inLines(lines: readonly string[], defaults: FileDefaults): readonly FileEntry[] {
  const read = plainLines.kind === 'lines' ? plainLines.reader() : () => null
  return lines.flatMap((line, index): FileEntry[] => {
    const found = line.trim() === '' ? 'nothing' : read(line.trim())
    // The first line may have the names of columns; one that looks like an entry is a fault.
    if (found === 'nothing' && (index > 0 || !looksLikeEntry(line.trim()))) return []
    if (found === 'nothing') return [{ location: `line ${index + 1}`, input: null }]
    return [{ location: `line ${index + 1}`, input: found && { ...defaults, target: targetOf(found) } }]
  })
}

const looksLikeEntry = (line: string): boolean => /[.:]/.test(line) && !/^(?:[#!;]|(?:0\.0\.0\.0|127\.0\.0\.1|::1?)\s)/.test(line)

/** An entry of our own export, with what it says of itself. */
function entryAt(location: string, fieldOf: (name: string) => unknown, defaults: FileDefaults): FileEntry {
  const [target, scope, reason, expires] = ['target', 'scope', 'reason', 'expires_at'].map((name) => {
    const value = fieldOf(name)
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  })
  const expiresAt = expires ? new Date(expires) : defaults.expiresAt
  const isScope = scope == null || isListScope(scope)
  if (target == null || !isScope || (expiresAt && Number.isNaN(expiresAt.getTime()))) return { location, input: null }
  return { location, input: { target, scope: scope ?? defaults.scope, reason: reason ?? defaults.reason, expiresAt } }
}

const isListScope = (text: string): text is ListScope => LIST_SCOPES.some((each) => each === text)

/** A URL as it was written, everything else as the name or address that it means. */
const targetOf = ({ scope, key, indicator }: FeedEntry): string => (scope === 'url' ? refanged(indicator) : key)

export const LIST_FILE_FORMATS = ['csv', 'json', 'lines'] as const
export type ListFileFormat = (typeof LIST_FILE_FORMATS)[number]

const CSV_COLUMNS = ['target', 'scope', 'reason', 'expires_at', 'created_by', 'created_at', 'hits', 'last_hit_at'] as const

/** Entries as a file that `readListFile` reads. */
export function writeListFile(entries: readonly OperatorListEntry[], format: ListFileFormat): string {
  const rows = entries.map(({ target, scope, reason, expiresAt, createdBy, createdAt, hits, lastHitAt }) => ({
    target,
    scope,
    reason,
    expires_at: expiresAt?.toISOString() ?? null,
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    hits,
    last_hit_at: lastHitAt?.toISOString() ?? null,
  }))
  switch (format) {
    case 'json':
      return `${JSON.stringify(rows, null, 2)}\n`
    case 'lines':
      return rows.map(({ target }) => `${target}\n`).join('')
    case 'csv':
      return [CSV_COLUMNS, ...rows.map((row) => CSV_COLUMNS.map((column) => inOneLine(row[column])))]
        .map((fields) => `${fields.map(csvField).join(',')}\n`)
        .join('')
  }
}

/** In CSV an entry is one line: `readListFile` splits at line breaks. */
const inOneLine = (value: string | number | null): string => String(value ?? '').replaceAll(/[\r\n]+/g, ' ')
