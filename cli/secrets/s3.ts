import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { AtriumConfig } from '../../composition/subgraph-factories.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { fileStorageOf } from '../../subgraphs/store/file/configured.ts'
import { type FileKey, fileKey } from '../../subgraphs/store/file/file.ts'
import type { S3Credentials } from '../../subgraphs/store/file/s3-credentials.ts'
import type { FileStorage } from '../../subgraphs/store/file/storage.ts'

/**
 * Puts, reads and deletes a file in the configured bucket. Throws an `OperatorError` on failure.
 */
export const checkStorage = (config: AtriumConfig): Promise<void> =>
  onBucket(config, (storage) => named('The access key', () => checkBetween(storage, storage)))

/**
 * Puts, reads and deletes a file with these credentials instead of the configured ones. Throws an
 * `OperatorError` on failure.
 */
export const checkCredentials = (config: AtriumConfig, credentials: S3Credentials): Promise<void> =>
  onBucket(withCredentials(config, credentials), (storage) => named('The new access key', () => checkBetween(storage, storage)))

/**
 * Checks that processes with the previous and the new access key can run side by side: each reads
 * and deletes files of the other, and the new key reads every sampled file that the previous one
 * reads. Throws an `OperatorError` otherwise.
 */
export async function checkOverlap(
  config: AtriumConfig,
  { former, next, stored }: { readonly former: S3Credentials; readonly next: S3Credentials; readonly stored: readonly FileKey[] },
): Promise<void> {
  await onBucket(withCredentials(config, former), (before) =>
    onBucket(withCredentials(config, next), async (after) => {
      await named('The access key until now', () => checkBetween(before, before))
      await named('The new access key beside the one until now', async () => {
        await checkBetween(before, after)
        await checkBetween(after, before)
      })
      for (const key of stored) {
        // A file that neither key can read was already missing, and is no fault of the new key.
        if (!(await canRead(after, key)) && (await canRead(before, key))) {
          throw new OperatorError(`The new access key cannot read the stored file ${key}, which the one until now can.`)
        }
      }
    }),
  )
}

const withCredentials = (config: AtriumConfig, { accessKeyId, secretAccessKey }: S3Credentials): AtriumConfig => ({
  ...config,
  S3_CREDENTIALS_FILE: undefined,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
})

async function onBucket(config: AtriumConfig, work: (storage: FileStorage) => Promise<void>): Promise<void> {
  if (config.S3_BUCKET_URL === undefined) throw new OperatorError('Expected S3_BUCKET_URL to be set.')
  const { storage } = await fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl: '' })
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

/** Puts a file with `writer`, then reads and deletes it with `reader`. */
async function checkBetween(writer: FileStorage, reader: FileStorage): Promise<void> {
  // A private file of a store id that does not exist, so that no client can read it.
  const key = fileKey('private', 9_999_999_999, randomBytes(16), 'bin')
  const [bytes, path] = [randomBytes(32), join(writer.incoming, 'check')]
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await writeFile(path, bytes, { mode: 0o600 })
  await writer.put(key, { path, bytes: bytes.length, sha256, type: 'application/octet-stream', extension: 'bin' })
  try {
    const found = await reader.open(key)
    if (!found || !(await buffer(found.body)).equals(bytes)) throw new Error('the stored object differs from the written one')
    await reader.delete(key)
  } catch (error) {
    await writer.delete(key).catch(() => {})
    throw error
  }
}

async function canRead(storage: FileStorage, key: FileKey): Promise<boolean> {
  try {
    const found = await storage.open(key)
    found?.body.on('error', () => {}).destroy()
    return found !== null
  } catch {
    return false
  }
}

async function named(subject: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new OperatorError(`${subject} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
