import { configuredCipher, STORED_SECRETS, withSecrets } from '../../composition/stored-secrets.ts'
import type { AtriumConfig } from '../../composition/subgraph-factories.ts'
import type { Connection } from '../../platform/database/database.ts'
import type { SecretCipher } from '../../platform/secrets/cipher.ts'
import { countByKey, type StoredSecret } from '../../platform/secrets/stored.ts'
import { withSigningKeys } from '../../subgraphs/social/session/operator.ts'

/** Rows of one kind of secret, by encryption key. */
export type SecretStatus = Pick<StoredSecret, 'name'> & {
  readonly rows: number
  readonly plain: number
  /** Encrypted with the first key of SECRETS_KEY. */
  readonly current: number
  /** Encrypted with a further key of SECRETS_KEY. */
  readonly older: number
  /** Encrypted with keys that SECRETS_KEY lacks: these rows cannot be decrypted. */
  readonly unknown: number
  readonly keyIds: readonly string[]
}

/** Counts rows by encryption key, for every kind of secret. */
export const statusOf = (connection: Connection, { keyIds }: SecretCipher): Promise<readonly SecretStatus[]> =>
  withSecrets(connection, (database) =>
    Promise.all(
      STORED_SECRETS.map(async (secret) => {
        const counts = await countByKey(database, secret)
        const rowsWhere = (isCounted: (keyId: string | null) => boolean): number =>
          counts.reduce((sum, { keyId, rows }) => (isCounted(keyId) ? sum + rows : sum), 0)
        return {
          name: secret.name,
          rows: rowsWhere(() => true),
          plain: rowsWhere((keyId) => keyId === null),
          current: rowsWhere((keyId) => keyId !== null && keyId === keyIds[0]),
          older: rowsWhere((keyId) => keyId !== null && keyIds.indexOf(keyId) > 0),
          unknown: rowsWhere((keyId) => keyId !== null && !keyIds.includes(keyId)),
          keyIds: counts.flatMap(({ keyId }) => keyId ?? []),
        }
      }),
    ),
  )

/** Report of `secrets status`; it contains no secret. */
export async function reportOf(connection: Connection, config: AtriumConfig) {
  const cipher = configuredCipher(config)
  const stored = await statusOf(connection, cipher)
  const isReadable = stored.every(({ unknown }) => unknown === 0)
  return {
    secretsKeys: cipher.keyIds,
    stored,
    // Listing signing keys also decrypts their private keys, so every encryption key must be known.
    signingKeys: isReadable ? await withSigningKeys(connection, cipher, (keys) => keys.list()) : [],
    environment: {
      consoleSecrets: [config.CONSOLE_SECRET, config.CONSOLE_SECRET_PREVIOUS].filter((value) => value !== undefined).length,
      linkSecrets: config.LINK_SECRET?.length ?? 0,
      hasOperationsToken: config.OPERATIONS_TOKEN !== undefined,
      hasS3Secret: (config.S3_SECRET_ACCESS_KEY ?? config.S3_CREDENTIALS_FILE) !== undefined,
    },
  }
}

type Report = Awaited<ReturnType<typeof reportOf>>

/** The report as text. */
export function reportText({ secretsKeys, stored, signingKeys, environment }: Report, now: Date): string {
  const width = Math.max(...stored.map(({ name }) => name.length))
  const counts = stored.map(
    ({ name, rows, plain, current, older, unknown }) =>
      `${name.padEnd(width)}  ${rows} rows: ${current} under the first key, ${older} under older ones, ${plain} plain, ${unknown} unreadable`,
  )
  const days = (from: Date, to: Date): string => `${Math.floor((to.getTime() - from.getTime()) / 86_400_000)} days`
  const keys = signingKeys.map(({ kid, createdAt, retiresAt }) =>
    retiresAt > now
      ? `signing key ${kid}, ${days(createdAt, now)} old, signs for ${days(now, retiresAt)} more at most`
      : `signing key ${kid}, retired on ${retiresAt.toISOString()}`,
  )
  const { consoleSecrets, linkSecrets, hasOperationsToken, hasS3Secret } = environment
  return [
    secretsKeys.length === 0 ? 'SECRETS_KEY is not set' : `SECRETS_KEY: ${secretsKeys.join(', ')}; the first encrypts`,
    ...counts,
    ...keys,
    `In this environment: ${consoleSecrets} of CONSOLE_SECRET, ${linkSecrets} of LINK_SECRET, ${hasOperationsToken ? 'an' : 'no'} OPERATIONS_TOKEN, ${hasS3Secret ? 'an' : 'no'} S3_SECRET_ACCESS_KEY`,
  ].join('\n')
}
