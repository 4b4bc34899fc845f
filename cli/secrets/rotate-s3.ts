import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { Command } from 'commander'
import { configuredCipher } from '../../composition/stored-secrets.ts'
import type { AtriumConfig } from '../../composition/subgraph-factories.ts'
import { variables } from '../../config.ts'
import { readConfig } from '../../platform/config/config.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { keyIdIn } from '../../platform/secrets/cipher.ts'
import { withDatabase } from '../database.ts'
import { readVariable, writeVariables } from './env-file.ts'

/**
 * Longest lifetime of presigned URLs of private files: 7 days, the maximum of AWS Signature Version
 * 4.
 */
const MAX_URL_LIFETIME_MS = 604_800_000

/**
 * Newest and oldest stored files, this many of each, that the new access key must be able to read.
 */
const MAX_SAMPLED_FILES = 20

type Options = { readonly keyFile: string; readonly envFile?: string; readonly emergency?: true; readonly json?: true }

/** `atrium secrets rotate s3`: replaces the access key of the bucket. */
export function rotateS3Command(): Command {
  return new Command('s3')
    .description('replace the access key of the bucket by a new one of the provider, after testing it')
    .requiredOption('--key-file <file>', 'lines of S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; - reads standard input')
    .option('--env-file <file>', 'the file that processes are started with; not needed where S3_CREDENTIALS_FILE is set')
    .option('--emergency', 'the one until now has leaked: do not ask whether it works, and delete it at the provider at once')
    .option('--json', 'print {accessKeyId, former, deleteAfter, file} on standard output')
    .addHelpText(
      'after',
      '\nWhere S3_CREDENTIALS_FILE is set, that file is replaced, and running processes use the new access key within a second.',
    )
    .action(async (options: Options) => {
      const report = await rotateS3(options)
      console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report, options))
    })
}

type Report = {
  readonly accessKeyId: string
  /** Id of the previous access key; null: the file has the new one already. */
  readonly former: string | null
  /**
   * When the last URL presigned with the previous key expires (RFC 3339); null without a previous
   * key, or in an emergency, when it is deleted at once.
   */
  readonly deleteAfter: string | null
  readonly file: string
  readonly needsRestart: boolean
}

async function rotateS3({ keyFile, envFile, emergency }: Options): Promise<Report> {
  const { checkCredentials, checkOverlap } = await import('./s3.ts')
  const { parseS3Credentials, refuseTwoSources } = await import('../../subgraphs/store/file/s3-credentials.ts')
  const { config, file } = configurationOf(envFile)
  refuseTwoSources(config)
  const next = parseS3Credentials(await textOf(keyFile), keyFile === '-' ? 'standard input' : keyFile, config)
  if (/[\r\n"']/.test(next.accessKeyId + next.secretAccessKey)) throw new OperatorError('Expected an access key without quotes.')
  await checkCredentials(config, next)

  const [formerId, formerSecret] = [readVariable(file, 'S3_ACCESS_KEY_ID'), readVariable(file, 'S3_SECRET_ACCESS_KEY')]
  const needsRestart = config.S3_CREDENTIALS_FILE === undefined
  const report = { accessKeyId: next.accessKeyId, file, needsRestart }
  if (formerId === null || formerSecret === null) {
    throw new OperatorError(`Expected ${file} to set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.`)
  }
  if (formerId === next.accessKeyId) {
    const { secretAccessKey } = parseS3Credentials(envLines(formerId, formerSecret), file, config)
    if (secretAccessKey === next.secretAccessKey) return { ...report, former: null, deleteAfter: null }
  }
  if (!emergency) {
    const former = parseS3Credentials(envLines(formerId, formerSecret), file, config)
    await checkOverlap(config, { former, next, stored: await sampledFiles() })
  }
  writeVariables(file, {
    S3_ACCESS_KEY_ID: next.accessKeyId,
    S3_SECRET_ACCESS_KEY: await storedSecret(formerSecret, next.secretAccessKey, config),
  })
  const deleteAfter = emergency ? null : new Date(Date.now() + MAX_URL_LIFETIME_MS).toISOString()
  return { ...report, former: formerId, deleteAfter }
}

/** Configuration of the processes, and the path of the file with their S3 access key. */
function configurationOf(envFile: string | undefined): { readonly config: AtriumConfig; readonly file: string } {
  const inFile = envFile === undefined ? {} : parseEnv(readText(envFile))
  const config = readConfig(variables, { ...process.env, ...inFile })
  const file = config.S3_CREDENTIALS_FILE ?? envFile
  if (file === undefined) throw new OperatorError('Expected --env-file, because S3_CREDENTIALS_FILE is not set.')
  return { config, file }
}

const envLines = (id: string, secret: string): string => `S3_ACCESS_KEY_ID="${id}"\nS3_SECRET_ACCESS_KEY="${secret}"\n`

const textOf = async (file: string): Promise<string> => (file === '-' ? text(process.stdin) : readText(file))

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** The secret as the file stores it: encrypted when the previous one is. */
async function storedSecret(former: string, secret: string, config: AtriumConfig): Promise<string> {
  if (keyIdIn(former) === null) return secret
  const { S3_SECRET_PLACE } = await import('../../subgraphs/store/file/s3-credentials.ts')
  const cipher = configuredCipher(config)
  if (cipher.keyIds.length === 0) throw new OperatorError('Expected SECRETS_KEY or SECRETS_KEY_FILE to be set.')
  return cipher.encrypt(S3_SECRET_PLACE, secret)
}

/** Keys of the newest and the oldest stored files; empty when there are none. */
const sampledFiles = (): Promise<readonly string[]> =>
  withDatabase(async ({ connection }) => {
    const { migrate } = await import('../../platform/database/migrate.ts')
    await migrate(connection)
    const { openDatabase } = await import('../../platform/database/database.ts')
    const database = openDatabase(connection, { schema: 'store', max: 1, onError: () => {} })
    try {
      const { rows } = await database.pool.query<{ key: string }>(
        `(SELECT key FROM store.file ORDER BY created_at DESC LIMIT $1) UNION (SELECT key FROM store.file ORDER BY created_at LIMIT $1)`,
        [MAX_SAMPLED_FILES],
      )
      return rows.map(({ key }) => key)
    } finally {
      await database.close()
    }
  })

function reportText({ accessKeyId, former, deleteAfter, file, needsRestart }: Report, { emergency }: Options): string {
  const use = needsRestart
    ? 'Restart every process with this file, one after the other.'
    : 'Running processes use it within a second.'
  if (former === null) return `${file} has the access key ${accessKeyId} already. ${use}`
  const end = emergency
    ? `Then delete ${former} at the provider at once, which also ends every URL that it has signed: until then its holder can use the bucket.`
    : `Delete ${former} at the provider after ${deleteAfter}, when every URL that it has signed has ended.`
  return `The access key ${accessKeyId} can be used, and is in ${file}. ${use} ${end}`
}
