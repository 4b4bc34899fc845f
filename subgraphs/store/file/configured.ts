import { join } from 'node:path'
import type { Config } from '../../../platform/config/config.ts'
import { Refusal } from '../../../platform/process/operator-error.ts'
import { type SecretPlace, secretCipher } from '../../../platform/secrets/cipher.ts'
import { secretsKeysOf, type secretsVariables } from '../../../platform/secrets/variables.ts'
import { type LocalStorage, localStorage } from './local-storage.ts'
import type { FileStorage } from './storage.ts'
import type { FileConfig } from './variables.ts'

/** Where `atrium secrets seal` encrypts the secret of the bucket for. */
export const S3_SECRET_PLACE: SecretPlace = { column: 'environment.S3_SECRET_ACCESS_KEY', row: [] }

/**
 * The storage that the configuration names. `local`: what this process has to serve itself; null when a bucket does. Throws a `Refusal` when it cannot be
 * used.
 */
export async function fileStorageOf(
  config: FileConfig & Partial<Config<typeof secretsVariables>>,
  { dataDir, publicUrl }: { readonly dataDir: string; readonly publicUrl: string },
): Promise<{ readonly storage: FileStorage; readonly local: LocalStorage | null }> {
  const { S3_BUCKET_URL: bucketUrl, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config
  if (bucketUrl === undefined) {
    const local = await localFolder(config.FILES_DIR ?? join(dataDir, 'files'), publicUrl)
    return { storage: local, local }
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Refusal('Expected S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to be set, because S3_BUCKET_URL is.')
  }
  // Loaded where it is used: most installations have no bucket.
  const { s3Storage } = await import('./s3-storage.ts')
  const publicBase = config.S3_PUBLIC_URL ?? null
  const storage = await s3Storage({
    bucketUrl,
    region: config.S3_REGION,
    accessKeyId,
    secretAccessKey: openedSecret(secretAccessKey, config),
    publicUrl: publicBase,
  })
  return { storage, local: null }
}

/**
 * The secret itself, which may be given as `atrium secrets seal` encrypts it. Throws a `Refusal`
 * when SECRETS_KEY does not open it.
 */
function openedSecret(secret: string, config: Partial<Config<typeof secretsVariables>>): string {
  const { SECRETS_KEY, SECRETS_KEY_FILE } = config
  try {
    return secretCipher(secretsKeysOf({ SECRETS_KEY, SECRETS_KEY_FILE })).decrypt(S3_SECRET_PLACE, secret)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('Expected S3_SECRET_ACCESS_KEY to be encrypted under a key of SECRETS_KEY, or not at all.', {
      cause: error,
    })
  }
}

async function localFolder(folder: string, publicUrl: string): Promise<LocalStorage> {
  try {
    return await localStorage({ folder, publicUrl })
  } catch (error) {
    throw new Refusal(`Expected to be able to write to the folder of stored files, "${folder}": ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
