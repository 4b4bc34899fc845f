import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BackupFiles } from '../../platform/database/backup/backup.ts'
import type { FileDestination } from '../../platform/database/backup/restore.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { isFileKey } from '../../subgraphs/store/file/file.ts'
import type { FileStorage, Received } from '../../subgraphs/store/file/storage.ts'

/**
 * Files of all stores. `FOR KEY SHARE` makes deletions of files wait or skip these rows until the
 * backup ends.
 */
export const backupFiles = ({ open }: FileStorage): BackupFiles => ({
  keys: 'SELECT key FROM store.file ORDER BY key FOR KEY SHARE',
  open,
})

/**
 * Restores files into `storage`. A file with the same key and size is not written again: keys are
 * random and contents immutable.
 */
export function fileDestination(storage: FileStorage): FileDestination {
  const staged = new Map<string, Omit<Received, 'type' | 'extension'>>()
  const put: string[] = []

  return {
    async stage(key, body) {
      if (!isFileKey(key)) throw new OperatorError(`The backup has a file "${key}", which is the name of none.`)
      const path = join(storage.incoming, `restored-${randomUUID()}`)
      const sum = createHash('sha256')
      let bytes = 0
      staged.set(key, { path, bytes, sha256: '' })
      await pipeline(
        body,
        async function* (chunks) {
          for await (const chunk of chunks) {
            sum.update(chunk)
            bytes += chunk.length
            yield chunk
          }
        },
        createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
      )
      staged.set(key, { path, bytes, sha256: sum.digest('hex') })
    },
    async commit(client) {
      const { rows } = await client.query<{ readonly key: string; readonly type: string }>(
        'SELECT key, content_type AS type FROM store.file',
      )
      const types = new Map(rows.map(({ key, type }) => [key, type]))
      for (const [key, received] of staged) {
        const there = await storage.open(key)
        there?.body.destroy()
        if (there?.bytes === received.bytes) continue
        put.push(key)
        const extension = key.slice(key.lastIndexOf('.') + 1)
        await storage.put(key, { ...received, type: types.get(key) ?? 'application/octet-stream', extension })
      }
      await removeStaged()
    },
    async discard() {
      for (const key of put) await storage.delete(key)
      await removeStaged()
    },
  }

  async function removeStaged(): Promise<void> {
    for (const { path } of staged.values()) await rm(path, { force: true })
  }
}
