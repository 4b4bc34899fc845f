import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chownLike } from './binaries.ts'

/** Iterations of PBKDF2 in a SCRAM verifier: PostgreSQL's own default (`scram_iterations`). */
const SCRAM_ITERATIONS = 4_096

/**
 * A role without privileges for health checks. HAProxy speaks no SCRAM, so this role alone sends
 * its password in clear text, over the Unix socket.
 */
export const HEALTH_CHECK_ROLE = 'health_check'

const PASSWORD_PATTERN = /^[0-9a-f]{64}$/

/**
 * The superuser's password file, beside the data so that the server's user cannot read it. Mode
 * 0600.
 */
export const passwordFileOf = (dataDir: string): string => join(resolve(dataDir), 'postgres.password')

/**
 * The superuser's password, 256 random bits in hexadecimal; null when absent. Throws when this user
 * may not read it.
 */
export function readPassword(dataDir: string): string | null {
  const file = passwordFileOf(dataDir)
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8').trim()
  return PASSWORD_PATTERN.test(text) ? text : null
}

/** The superuser's password; creates it when absent. Concurrent processes get the same one. */
export function ensurePassword(dataDir: string): string {
  const file = passwordFileOf(dataDir)
  const existing = readPassword(dataDir)
  if (existing !== null) {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    return existing
  }
  const password = randomBytes(32).toString('hex')
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporary, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    // A file without a valid password is useless.
    if (existsSync(file) && readPassword(dataDir) === null) rmSync(file)
    // Unlike renaming, linking fails when another process was first.
    linkSync(temporary, file)
  } catch {
    // A file system without hard links.
    if (readPassword(dataDir) === null) renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  return readPassword(dataDir) ?? password
}

/** The password of `HEALTH_CHECK_ROLE`, a one-way derivation of the superuser's. */
export const healthCheckPassword = (password: string): string =>
  createHmac('sha256', password).update(HEALTH_CHECK_ROLE).digest('hex')

/**
 * Requires a password for every login to the server on `data`: a new one, one of a former release
 * (which trusted its socket), or one whose password file changed. The server must not run.
 * `runStatements` opens no socket, so there is no moment without a password.
 */
export async function requirePassword(
  data: string,
  password: string,
  runStatements: (statements: readonly string[]) => Promise<void>,
): Promise<void> {
  // A standby is read-only and has its primary's roles.
  if (existsSync(join(data, 'standby.signal'))) return
  const file = join(data, 'pg_hba.conf')
  const rules = accessRules(password)
  if (existsSync(file) && readFileSync(file, 'utf8') === rules) return

  await runStatements([
    `ALTER ROLE postgres PASSWORD '${scramVerifier(password)}'`,
    `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${HEALTH_CHECK_ROLE}') THEN CREATE ROLE ${HEALTH_CHECK_ROLE}; END IF; END $$`,
    `ALTER ROLE ${HEALTH_CHECK_ROLE} LOGIN CONNECTION LIMIT 8 PASSWORD '${scramVerifier(healthCheckPassword(password))}'`,
  ])
  // Written last and atomically: this file says that the statements have run.
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporary, rules, { mode: 0o600, flag: 'wx', flush: true })
  chownLike(join(data, 'PG_VERSION'), temporary)
  renameSync(temporary, file)
}

/** Content of `pg_hba.conf`. A hash of the password makes it change with the password. */
const accessRules = (password: string): string => `# Written by Atrium; what is changed here is undone by the next start.
# Password: ${createHash('sha256').update(`pg_hba.conf ${password}`).digest('hex').slice(0, 16)}
local postgres ${HEALTH_CHECK_ROLE} password
local all all scram-sha-256
local replication all scram-sha-256
`

/** A SCRAM verifier (RFC 5803): statements and logs never hold the password itself. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`
}
