import { join } from 'node:path'
import type { Config } from '../../../platform/config/config.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import type { secretsVariables } from '../../../platform/secrets/variables.ts'
import { type LocalStorage, localStorage } from './local-storage.ts'
import { s3CredentialsOf } from './s3-credentials.ts'
import type { FileStorage } from './storage.ts'
import type { FileConfig } from './variables.ts'

/**
 * The storage that the configuration names. `local`: what this process has to serve itself; null
 * when a bucket does. Throws an `OperatorError` when it cannot be used.
 */
export async function fileStorageOf(
  config: FileConfig & Partial<Config<typeof secretsVariables>>,
  { dataDir, publicUrl }: { readonly dataDir: string; readonly publicUrl: string },
): Promise<{ readonly storage: FileStorage; readonly local: LocalStorage | null }> {
  const { S3_BUCKET_URL: bucketUrl } = config
  if (bucketUrl === undefined) {
    const local = await localFolder(config.FILES_DIR ?? join(dataDir, 'files'), publicUrl)
    return { storage: local, local }
  }
  const credentials = s3CredentialsOf(config)
  // Loaded where it is used: most installations have no bucket.
  const { s3Storage } = await import('./s3-storage.ts')
  const publicBase = config.S3_PUBLIC_URL ?? null
  const storage = await s3Storage({
    bucketUrl,
    region: config.S3_REGION,
    credentials,
    publicUrl: publicBase,
  })
  return { storage, local: null }
}

async function localFolder(folder: string, publicUrl: string): Promise<LocalStorage> {
  try {
    return await localStorage({ folder, publicUrl })
  } catch (error) {
    throw new OperatorError(`Expected to be able to write to the folder of stored files, "${folder}": ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
