import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MAX_SUPERGRAPH_BYTES } from './source.ts'

/** File with the last supergraph that was served. */
export type LastGoodFile = {
  readonly path: string
  /** Null when the file is missing or too large. */
  readonly read: () => Promise<{ readonly sdl: string; readonly writtenAt: Date } | null>
  /** Replaces the file atomically. Rejects when it cannot be written. */
  readonly write: (sdl: string) => Promise<void>
}

/**
 * Stores one supergraph at `path`. Writes a temporary file and renames it, so that a reader, or a
 * start after a crash, sees the old or the new one whole.
 */
export function lastGoodFile(path: string): LastGoodFile {
  return {
    path,
    async read() {
      try {
        const { size, mtime } = await stat(path)
        return size > MAX_SUPERGRAPH_BYTES ? null : { sdl: await readFile(path, 'utf8'), writtenAt: mtime }
      } catch {
        return null
      }
    },
    async write(sdl) {
      const folder = dirname(path)
      await mkdir(folder, { recursive: true })
      const temporary = join(folder, `.${randomUUID()}.tmp`)
      try {
        // Mode 0600: a supergraph contains internal URLs.
        const file = await open(temporary, 'wx', 0o600)
        try {
          await file.writeFile(sdl)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },
  }
}
