import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MAX_SUPERGRAPH_BYTES } from './source.ts'

/** The last supergraph that was served, on disk. */
export type LastGoodFile = {
  readonly path: string
  /** Null where there is none, or one that is too large. */
  readonly read: () => Promise<{ readonly sdl: string; readonly writtenAt: Date } | null>
  /** Replaces the file as a whole. Rejects where that is impossible. */
  readonly write: (sdl: string) => Promise<void>
}

/**
 * Keeps one supergraph at `path`. It is written beside and renamed, so that a reader, or a start
 * after a crash, sees the old one or the new one.
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
        // A supergraph names addresses that not everybody on the machine has to know.
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
