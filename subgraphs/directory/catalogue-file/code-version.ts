import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { endianness } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
/** Whatever decides what a catalogue holds: code that reads and orders items, how values of the database are parsed, and changes of stored rows. */
export const FOLDERS = [
  'subgraphs/directory',
  'subgraphs/toolkit',
  'platform/collections',
  'platform/database',
  'clients/evidence',
  'prisma/directory/migrations',
]

/**
 * A hash of the code that makes catalogues, of the engine, whose tables of Unicode it reads words with,
 * and of the order of bytes: what other code wrote is never read. Rejects when a file was replaced after
 * `startedAt`, when this process began: then it may run other code than the files have.
 */
export async function codeVersion(startedAt = Date.now() - process.uptime() * 1_000): Promise<string> {
  const hash = createHash('sha256').update(`${process.version} ${process.versions.unicode} ${endianness()}`)
  for (const folder of FOLDERS) {
    const names = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })
    const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    for (const file of files.sort()) {
      const [{ ctimeMs }, bytes] = [await stat(file), await readFile(file)]
      if (ctimeMs > startedAt) throw new Error(`Expected ${file.slice(ROOT.length)} to be older than this process.`)
      hash.update(`${file.slice(ROOT.length)} ${bytes.length} `).update(bytes)
    }
  }
  return hash.digest('hex')
}
