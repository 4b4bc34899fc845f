import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Config } from '../../../platform/config/config.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { type SecretLocation, secretCipher } from '../../../platform/secrets/cipher.ts'
import { secretsKeysOf, type secretsVariables } from '../../../platform/secrets/variables.ts'
import type { FileConfig } from './variables.ts'

/** An access key of the bucket, and its secret as it is. */
export type S3Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string }

/** Where `atrium secrets seal` encrypts the secret of the bucket for. */
export const S3_SECRET_PLACE: SecretLocation = { column: 'environment.S3_SECRET_ACCESS_KEY', row: [] }

/** Most frequent check of the file: so soon a leaked key is out of use. */
const FILE_CHECK_INTERVAL_MS = 1_000

type CredentialsConfig = FileConfig & Partial<Config<typeof secretsVariables>>

/**
 * A function that returns the current access key of the configuration. Throws an `OperatorError`
 * when there is none, or two.
 */
export function s3CredentialsOf(config: CredentialsConfig): () => S3Credentials {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_CREDENTIALS_FILE: file } = config
  refuseTwoSources(config)
  if (file !== undefined) return credentialsInFile(file, config)
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new OperatorError('Expected S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to be set, because S3_BUCKET_URL is.')
  }
  const credentials = { accessKeyId, secretAccessKey: openSecret(secretAccessKey, config) }
  return () => credentials
}

/** A key that has leaked must not stay in the other place. Throws an `OperatorError`. */
export function refuseTwoSources(config: FileConfig): void {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_CREDENTIALS_FILE: file } = config
  if (file === undefined || (accessKeyId === undefined && secretAccessKey === undefined)) return
  throw new OperatorError('Expected either S3_CREDENTIALS_FILE to be set, or S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.')
}

/** The access key in `NAME=value` lines. Throws an `OperatorError` that does not repeat them. */
export function parseS3Credentials(
  text: string,
  source: string,
  config: Partial<Config<typeof secretsVariables>>,
): S3Credentials {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secret } = parseEnv(text)
  if (accessKeyId && secret) return { accessKeyId, secretAccessKey: openSecret(secret, config) }
  throw new OperatorError(`Expected ${source} to hold lines of S3_ACCESS_KEY_ID=… and S3_SECRET_ACCESS_KEY=….`)
}

/**
 * A file that cannot be read later leaves the access key as it was: a rotation replaces it whole.
 */
function credentialsInFile(file: string, config: CredentialsConfig): () => S3Credentials {
  let version = versionOf(file)
  let credentials = readS3Credentials(file, config)
  let checkedAt = performance.now()
  return () => {
    if (performance.now() - checkedAt < FILE_CHECK_INTERVAL_MS) return credentials
    checkedAt = performance.now()
    const found = versionOf(file)
    if (found === null || found === version) return credentials
    try {
      credentials = readS3Credentials(file, config)
      version = found
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
    }
    return credentials
  }
}

/** Throws an `OperatorError` for a file that has no access key. */
export function readS3Credentials(file: string, config: Partial<Config<typeof secretsVariables>>): S3Credentials {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  return parseS3Credentials(text, file, config)
}

/** Differs after each change of the file; null: it is not there. */
function versionOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : null
}

/**
 * The secret itself, which may be given as `atrium secrets seal` encrypts it. Throws an
 * `OperatorError` when SECRETS_KEY does not open it.
 */
function openSecret(secret: string, { SECRETS_KEY, SECRETS_KEY_FILE }: Partial<Config<typeof secretsVariables>>): string {
  try {
    return secretCipher(secretsKeysOf({ SECRETS_KEY, SECRETS_KEY_FILE })).decrypt(S3_SECRET_PLACE, secret)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError('Expected S3_SECRET_ACCESS_KEY to be encrypted under a key of SECRETS_KEY, or not at all.', {
      cause: error,
    })
  }
}
