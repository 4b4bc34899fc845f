import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Connection, openDatabase } from '../platform/database/database.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { type SecretCipher, secretCipher } from '../platform/secrets/cipher.ts'
import { reencrypt, type StoredSecret, unknownKeys } from '../platform/secrets/stored.ts'
import { secretsKeysOf } from '../platform/secrets/variables.ts'
import { SOCIAL_SECRETS } from '../subgraphs/social/session/secrets.ts'
import { STORE_SECRETS } from '../subgraphs/store/stored-secrets.ts'
import { TRUST_SECRETS } from '../subgraphs/trust/watched-domain/secrets.ts'
import type { AtriumConfig, SubgraphName } from './subgraph-factories.ts'

/** Encrypted columns per subgraph; the others store only hashes. */
const SECRETS_OF: Readonly<Record<SubgraphName, readonly StoredSecret[]>> = {
  directory: [],
  social: SOCIAL_SECRETS,
  store: STORE_SECRETS,
  trust: TRUST_SECRETS,
}

/** Every stored secret of an installation. */
export const STORED_SECRETS: readonly StoredSecret[] = Object.values(SECRETS_OF).flat()

/** The stored secrets that a process of this role reads and writes. */
export const secretsOfRole = (role: AtriumConfig['ATRIUM_ROLE']): readonly StoredSecret[] =>
  role === 'all' ? STORED_SECRETS : role === 'gateway' ? [] : SECRETS_OF[role]

/**
 * Delay before plain secrets are encrypted: releases before this one cannot read encrypted values,
 * and a rolling update replaces them within this time.
 */
const UPGRADE_WINDOW_MS = 10 * 60 * 1000

/** Loopback host names and addresses. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/

/**
 * Whether the process is reachable from this machine only: a development setup, which may store
 * secrets in plain text.
 */
const isDevelopment = ({ HOST, PUBLIC_URL }: Pick<AtriumConfig, 'HOST' | 'PUBLIC_URL'>): boolean =>
  LOOPBACK.test(HOST) && (PUBLIC_URL === undefined || LOOPBACK.test(new URL(PUBLIC_URL).hostname))

/** The cipher of the configuration; without keys when none is set. */
export const configuredCipher = (config: Pick<AtriumConfig, 'SECRETS_KEY' | 'SECRETS_KEY_FILE'>): SecretCipher =>
  secretCipher(secretsKeysOf(config))

/**
 * The cipher of a process. Throws an `OperatorError` when it is reachable by others and has no key.
 */
export function requiredCipher(config: AtriumConfig): SecretCipher {
  const cipher = configuredCipher(config)
  if (cipher.keyIds.length === 0 && secretsOfRole(config.ATRIUM_ROLE).length > 0 && !isDevelopment(config)) {
    throw new OperatorError(
      'Expected SECRETS_KEY or SECRETS_KEY_FILE to be set, because HOST or PUBLIC_URL is not this machine alone: stored secrets are encrypted ' +
        'with it. `npx atrium secrets generate` makes one; keep it outside of the database and its backups.',
    )
  }
  return cipher
}

/**
 * Throws an `OperatorError` when stored secrets use a key that this cipher lacks. Otherwise two
 * sets of secrets would exist that no single configuration decrypts.
 */
export async function assertKnownKeys(connection: Connection, cipher: SecretCipher): Promise<void> {
  const unknown = await withSecrets(connection, (database) => unknownKeys(database, STORED_SECRETS, cipher))
  if (unknown.length === 0) return
  const keys = unknown.length === 1 ? `the key ${unknown[0]}` : `the keys ${unknown.join(', ')}`
  throw new OperatorError(
    `Expected SECRETS_KEY to include ${keys}: stored secrets are encrypted under ${unknown.length === 1 ? 'it' : 'them'}.`,
  )
}

/** Warns at start that secrets are stored in plain text. */
export function warnOfPlainSecrets(cipher: SecretCipher, log: Logger): void {
  if (cipher.keyIds.length > 0) return
  log.warn('secrets are stored unencrypted, which is for development only: SECRETS_KEY is not set')
}

/**
 * Re-encrypts plain secrets, and secrets under a further key, with the first key in the background;
 * the returned function stops this. Unless `isAlone`, waits UPGRADE_WINDOW_MS for processes of
 * earlier releases.
 */
export function encryptInBackground(
  connection: Connection,
  secrets: readonly StoredSecret[],
  { cipher, isAlone, log }: { readonly cipher: SecretCipher; readonly isAlone: boolean; readonly log: Logger },
): () => Promise<void> {
  const stopped = new AbortController()
  const { signal } = stopped
  const run = async (): Promise<void> => {
    if (!isAlone) await sleep(UPGRADE_WINDOW_MS, null, { signal, ref: false })
    await withSecrets(connection, async (database) => {
      for (const secret of secrets) {
        const { changed, unreadable } = await reencrypt(database, secret, cipher, { signal })
        if (changed > 0)
          log.info({ secret: secret.name, rows: changed }, 'stored secrets were encrypted under the first SECRETS_KEY')
        if (unreadable > 0) log.error({ secret: secret.name, rows: unreadable }, 'stored secrets cannot be read with SECRETS_KEY')
      }
    })
  }
  const running =
    cipher.keyIds.length === 0 || secrets.length === 0
      ? Promise.resolve()
      : run().catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, 'stored secrets could not be encrypted; the next start tries again')
        })
  return () => {
    stopped.abort()
    return running
  }
}

/** Runs `work` with a connection to the tables with secrets, without statement timeout. */
export async function withSecrets<Result>(
  connection: Connection,
  work: (database: ReturnType<typeof openDatabase<never>>['now']) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase<never>(connection, { schema: 'public', max: 1, onError: () => {} })
  try {
    return await work(database.now)
  } finally {
    await database.close()
  }
}
