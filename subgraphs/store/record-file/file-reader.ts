import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { excerpt } from '../../../platform/graphql/errors.ts'
import { withoutFormulaGuard } from '../../../platform/text/csv.ts'
import type { RecordFormat } from './record.ts'

/** Why a file cannot be read further. */
export class FileFault extends Error {}

/** One row of CSV by the names of its columns. */
export type CsvRow = { readonly row: number; readonly cells: ReadonlyMap<string, string> }

/** A row with the number of its characters. */
type MeasuredRow = CsvRow & { readonly length: number }

/** One object of a file: the rows that it has in CSV, at least one, or a value of JSON; `length` is that of its text. */
export type FileObject =
  | { readonly format: 'CSV'; readonly row: number; readonly rows: readonly CsvRow[]; readonly length: number }
  | { readonly format: 'JSON_LINES'; readonly row: number; readonly value: unknown; readonly length: number }
  | { readonly format: 'UNREADABLE'; readonly row: number; readonly message: string }

/** Characters of a row: a product has a description of 100,000, and cells beside it. */
const MAX_ROW_LENGTH = 1_000_000
/** Columns of a file: those of Shopify are some 80, with all markets some 200. */
const MAX_COLUMNS = 500
/** Rows of one object: 500 variants and 100 images at most. */
const MAX_ROWS_PER_OBJECT = 1_000
/** Characters of one object: its memory is a multiple of them. */
const MAX_OBJECT_LENGTH = 5_000_000
/** Objects of a file, and its rows: empty ones and repeated ones cost time as well. */
const [MAX_OBJECTS, MAX_ROWS] = [100_000, 1_000_000]
/** Bytes that are parsed without a pause: each may be a row. */
const PART_BYTES = 2_048

type Reading = {
  readonly format: RecordFormat
  /** Column of CSV that says which object a row belongs to. */
  readonly key: string
  /** Whether rows with the same cell as the row above belong to the object above. */
  readonly hasManyRows: boolean
}

/**
 * The objects of a file, in order; memory holds one object and one piece. Throws `FileFault` for what
 * is no such file.
 */
export async function* readObjects(
  pieces: AsyncIterable<Uint8Array>,
  { format, key, hasManyRows }: Reading,
): AsyncGenerator<FileObject> {
  const texts = decoded(pieces)
  let count = 0
  for await (const object of format === 'CSV' ? csvObjects(texts, key, hasManyRows) : jsonObjects(texts)) {
    count += 1
    if (count > MAX_OBJECTS) throw new FileFault(`Expected at most ${MAX_OBJECTS.toLocaleString('en')} objects in a file.`)
    yield object
  }
}

/** Beginnings of files that are no text. */
const BINARY: readonly (readonly [beginning: readonly number[], name: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive (or a workbook): unpack it, or save it as CSV'],
  [[0x1f, 0x8b], 'a gzip archive: unpack it'],
  [[0xff, 0xfe], 'UTF-16: save the file as UTF-8'],
  [[0xfe, 0xff], 'UTF-16: save the file as UTF-8'],
]

/** Texts of UTF-8, without a byte order mark; everything else that waits has its turn before each. */
async function* decoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst) {
      const binary = BINARY.find(([beginning]) => beginning.every((byte, index) => piece[index] === byte))
      if (binary) throw new FileFault(`Expected text in UTF-8, got ${binary[1]}.`)
      isFirst = false
    }
    for (let at = 0; at < piece.length; at += PART_BYTES) {
      await setImmediate()
      yield textOf(() => decoder.decode(piece.subarray(at, at + PART_BYTES), { stream: true }))
    }
  }
  yield textOf(() => decoder.decode())
}

function textOf(decode: () => string): string {
  let text: string
  try {
    text = decode()
  } catch {
    throw new FileFault('Expected text in UTF-8, got other bytes: save the file as UTF-8.')
  }
  if (text.includes('\0')) throw new FileFault('Expected text, got a NUL character.')
  return text
}

async function* jsonObjects(texts: AsyncIterable<string>): AsyncGenerator<FileObject> {
  let row = 0
  const objectOf = (line: string): FileObject | null => {
    row += 1
    if (row > MAX_ROWS) throw tooManyRows()
    if (line.length > MAX_ROW_LENGTH) throw tooLong(row)
    if (line.trim() === '') return null
    try {
      return { format: 'JSON_LINES', row, value: JSON.parse(line), length: line.length }
    } catch {
      return { format: 'UNREADABLE', row, message: `Expected one JSON object in a line, got ${excerpt(line)}.` }
    }
  }
  // Joined once, when the line ends.
  let [parts, length]: [string[], number] = [[], 0]
  for await (const text of texts) {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      const object = objectOf(parts.join('') + line)
      ;[parts, length] = [[], 0]
      if (object) yield object
    }
    parts.push(rest)
    length += rest.length
    if (length > MAX_ROW_LENGTH) throw tooLong(row + 1)
  }
  const last = objectOf(parts.join(''))
  if (last) yield last
}

const tooManyRows = (): FileFault => new FileFault(`Expected at most ${MAX_ROWS.toLocaleString('en')} rows in a file.`)

const tooLong = (row: number): FileFault =>
  new FileFault(`Expected at most ${MAX_ROW_LENGTH.toLocaleString('en')} characters in row ${row}.`)

async function* csvObjects(texts: AsyncIterable<string>, key: string, hasManyRows: boolean): AsyncGenerator<FileObject> {
  let open: { readonly row: number; readonly rows: CsvRow[]; length: number } | null = null
  for await (const { length, ...row } of csvRows(texts, key)) {
    const name = row.cells.get(key) ?? ''
    const [first] = open?.rows ?? []
    if (open && hasManyRows && name !== '' && name === first?.cells.get(key)) {
      if (open.rows.length >= MAX_ROWS_PER_OBJECT) {
        throw new FileFault(`Expected at most ${MAX_ROWS_PER_OBJECT} rows with the same "${key}", got more in row ${row.row}.`)
      }
      open.rows.push(row)
      open.length += length
      if (open.length > MAX_OBJECT_LENGTH) {
        const expected = `Expected at most ${MAX_OBJECT_LENGTH.toLocaleString('en')} characters in rows with the same "${key}"`
        throw new FileFault(`${expected}, got more in row ${row.row}.`)
      }
      continue
    }
    if (open) yield { format: 'CSV', ...open }
    open = { row: row.row, rows: [row], length }
  }
  if (open) yield { format: 'CSV', ...open }
}

/** Rows below the header, without empty ones. */
async function* csvRows(texts: AsyncIterable<string>, key: string): AsyncGenerator<MeasuredRow> {
  // Loaded when the first file is read: most processes never do.
  const { parse } = await import('csv-parse')
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_LENGTH,
  })
  const source = Readable.from(texts)
  source.once('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let [row, columns]: [number, readonly string[] | null] = [0, null]
  try {
    // Without the option `columns` records are lists of texts.
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1
      if (row > MAX_ROWS) throw tooManyRows()
      const length = cells.reduce((sum, cell) => sum + cell.length, 0)
      if (columns === null) columns = headerOf(cells, key)
      else if (length > 0) yield { row, cells: byColumn(columns, cells, row), length }
    }
  } catch (error) {
    throw csvFault(error, row + 1)
  } finally {
    source.destroy()
    parser.destroy()
  }
  if (columns === null) throw new FileFault(`Expected a header with the column "${key}" in row 1, got an empty file.`)
}

function headerOf(cells: readonly string[], key: string): readonly string[] {
  const columns = cells.map((cell) => withoutFormulaGuard(cell.trim()))
  if (columns.length > MAX_COLUMNS) throw new FileFault(`Expected at most ${MAX_COLUMNS} columns, got ${columns.length}.`)
  if (!columns.includes(key))
    throw new FileFault(`Expected a header with the column "${key}" in row 1, got ${excerpt(columns.join(','))}.`)
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index)
  if (twice !== undefined) throw new FileFault(`Expected each column once in row 1, got ${excerpt(twice)} twice.`)
  return columns
}

function byColumn(columns: readonly string[], cells: readonly string[], row: number): ReadonlyMap<string, string> {
  if (cells.length > columns.length)
    throw new FileFault(`Expected at most ${columns.length} cells in row ${row}, as the header has, got ${cells.length}.`)
  return new Map(columns.map((name, index) => [name, withoutFormulaGuard(cells[index] ?? '')]))
}

/** What the parser threw, in words that name the row. */
function csvFault(error: unknown, row: number): unknown {
  // Its errors have codes.
  const { code } = error as { readonly code?: unknown }
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error
  return code === 'CSV_MAX_RECORD_SIZE'
    ? tooLong(row)
    : new FileFault(`Expected quotes around a whole cell, and doubled inside, in row ${row} or above.`)
}
