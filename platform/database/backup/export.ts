import { rename } from 'node:fs/promises'
import pg from 'pg'
import type { Connection } from '../database.ts'
import { createArchive } from './archive.ts'
import type { BackupFiles } from './backup.ts'
import { copyOut } from './copy.ts'
import { filePath, SUMS } from './format.ts'
import { STABLE_TEXT_SETTINGS } from './tables.ts'

/**
 * Rows that are exported under a name: a query without parameters, each row of which becomes an
 * object.
 */
export type ExportSelection = { readonly name: string; readonly query: string }

export type ExportOptions = {
  readonly connection: Connection
  readonly file: string
  /** The selections to export, read within the transaction. */
  readonly selections: (client: pg.Client) => Promise<readonly ExportSelection[]>
  readonly files: BackupFiles | null
  readonly signal: AbortSignal
  readonly progress: (rows: number) => void
}

/** How many rows of each name, and how many files. */
export type ExportReport = { readonly rows: Readonly<Record<string, number>>; readonly files: number; readonly bytes: number }

/** Bytes of JSON lines that are in memory at once. */
const MAX_PIECE_BYTES = 4_000_000

/**
 * Writes rows as JSON lines, and files, into one compressed archive: the state of one moment, while
 * others go on writing. The last file lists the checksums of the others. Whatever it throws, no
 * file is left behind.
 */
export async function exportRows({
  connection,
  file,
  selections,
  files,
  signal,
  progress,
}: ExportOptions): Promise<ExportReport> {
  const client = new pg.Client({ ...connection, application_name: 'atrium export' })
  client.on('error', () => {})
  await client.connect()
  try {
    const archive = await createArchive(`${file}.part`, signal)
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await client.query(STABLE_TEXT_SETTINGS)
      const { rows: keys } = files ? await client.query<{ readonly key: string }>(files.keys) : { rows: [] }
      const rows: Record<string, number> = {}
      let written = 0
      for (const { name, query } of await selections(client)) {
        rows[name] = await write(name, query)
        written += rows[name]
        progress(written)
      }
      let cached = 0
      for (const { key } of keys) {
        const stored = await files?.open(key)
        if (!stored) continue
        await archive.addAll(filePath(key), stored.bytes, stored.body)
        cached += 1
      }
      const bytes = await archive.end(SUMS)
      await rename(`${file}.part`, file)
      return { rows, files: cached, bytes }

      async function write(name: string, query: string): Promise<number> {
        let [lines, size, piece, count]: [Buffer[], number, number, number] = [[], 0, 0, 0]
        const flush = async () => {
          piece += 1
          await archive.add(`${name}/${String(piece).padStart(6, '0')}.jsonl`, Buffer.concat(lines))
          count += lines.length
          ;[lines, size] = [[], 0]
        }
        // Neither byte is in JSON, so that lines come as they are.
        const copy = `COPY (SELECT to_jsonb(each) FROM (${query}) AS each) TO STDOUT (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01')`
        for await (const line of copyOut(client, copy)) {
          lines.push(line)
          size += line.length
          if (size >= MAX_PIECE_BYTES) await flush()
        }
        if (lines.length > 0) await flush()
        return count
      }
    } catch (error) {
      await archive.giveUp()
      throw error
    }
  } finally {
    await client.end().catch(() => {})
  }
}
