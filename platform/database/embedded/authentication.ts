import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chownLike } from './binaries.ts'

/** Iterations of PBKDF2 in a SCRAM verifier: PostgreSQL's own default (`scram_iterations`). */
const SCRAM_ITERATIONS = 4_096

/**
 * A role without rights of its own. A balancer asks as this role whether a server is the primary: HAProxy speaks no SCRAM, so this
 * role alone sends its password as it is, over the Unix socket.
 */
export const HEALTH_CHECK_ROLE = 'health_check'

const PASSWORD_PATTERN = /^[0-9a-f]{64}$/

/** The file with the superuser's password: beside the data, so that the user whom the server runs as cannot read it. Mode 0600. */
export const passwordFileOf = (dataDir: string): string => join(resolve(dataDir), 'postgres.password')

/** The superuser's password, 256 random bits in hexadecimal; null when there is none yet. Throws when this user may not read it. */
export function readPassword(dataDir: string): string | null {
  const file = passwordFileOf(dataDir)
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8').trim()
  return PASSWORD_PATTERN.test(text) ? text : null
}

/** The superuser's password; makes one when there is none. Of several processes that do so at once, all get the same. */
export function ensurePassword(dataDir: string): string {
  const file = passwordFileOf(dataDir)
  const known = readPassword(dataDir)
  if (known !== null) {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    return known
  }
  const password = randomBytes(32).toString('hex')
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporary, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    // What is there and no password is of no use to anybody.
    if (existsSync(file) && readPassword(dataDir) === null) rmSync(file)
    // Linking fails where another process was faster, which renaming does not.
    linkSync(temporary, file)
  } catch {
    // A file system without hard links.
    if (readPassword(dataDir) === null) renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  return readPassword(dataDir) ?? password
}

/** The password of `HEALTH_CHECK_ROLE`, which tells nothing about the superuser's. */
export const healthCheckPassword = (password: string): string =>
  createHmac('sha256', password).update(HEALTH_CHECK_ROLE).digest('hex')

/**
 * Makes the server on `data` ask everybody for a password, if it does not yet: a new one, one of a former release, which trusted
 * whoever reached its socket, and one whose password file is another. The server must not run. `runStatements` runs statements
 * without opening a socket, so there is no moment at which the server trusts anybody.
 */
export async function requirePassword(
  data: string,
  password: string,
  runStatements: (statements: readonly string[]) => Promise<void>,
): Promise<void> {
  // A standby cannot write: it has what its primary has.
  if (existsSync(join(data, 'standby.signal'))) return
  const file = join(data, 'pg_hba.conf')
  const rules = accessRules(password)
  if (existsSync(file) && readFileSync(file, 'utf8') === rules) return

  await runStatements([
    `ALTER ROLE postgres PASSWORD '${scramVerifier(password)}'`,
    `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${HEALTH_CHECK_ROLE}') THEN CREATE ROLE ${HEALTH_CHECK_ROLE}; END IF; END $$`,
    `ALTER ROLE ${HEALTH_CHECK_ROLE} LOGIN CONNECTION LIMIT 8 PASSWORD '${scramVerifier(healthCheckPassword(password))}'`,
  ])
  // Last, and whole or not at all: this file is what says that the statements are done.
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporary, rules, { mode: 0o600, flag: 'wx', flush: true })
  chownLike(join(data, 'PG_VERSION'), temporary)
  renameSync(temporary, file)
}

/** A text of `pg_hba.conf`. It names its password by a hash, so that another password makes another text. */
const accessRules = (password: string): string => `# Written by Atrium; what is changed here is undone by the next start.
# Password: ${createHash('sha256').update(`pg_hba.conf ${password}`).digest('hex').slice(0, 16)}
local postgres ${HEALTH_CHECK_ROLE} password
local all all scram-sha-256
local replication all scram-sha-256
`

/** What PostgreSQL stores instead of a password (RFC 5803): statements and their logs never have the password itself. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`
}
