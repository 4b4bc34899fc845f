import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { AtriumConfig } from '../../composition/subgraph-factories.ts'
import { Refusal } from '../../platform/process/operator-error.ts'
import { fileStorageOf } from '../../subgraphs/store/file/configured.ts'
import { fileKey } from '../../subgraphs/store/file/file.ts'

/**
 * Puts, gets and deletes a file in the bucket of the configuration. Throws a `Refusal` when one of
 * them is refused.
 */
export async function checkStorage(config: AtriumConfig): Promise<void> {
  if (config.S3_BUCKET_URL === undefined) throw new Refusal('Expected S3_BUCKET_URL to be set.')
  const { storage } = await fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl: '' })
  // Private, of a store that does not exist: nobody is shown it.
  const key = fileKey('private', 9_999_999_999, randomBytes(16), 'bin')
  const [bytes, path] = [randomBytes(32), join(storage.incoming, 'check')]
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    await storage.put(key, { path, bytes: bytes.length, sha256, type: 'application/octet-stream', extension: 'bin' })
    const found = await storage.open(key)
    if (!found || !(await buffer(found.body)).equals(bytes)) throw new Error('the read file differs from the written one')
    await storage.delete(key)
  } catch (cause) {
    throw new Refusal(`The access key does not work: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  } finally {
    await storage.close()
  }
}
