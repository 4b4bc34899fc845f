import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { OperatorError } from '../process/operator-error.ts'
import { scramVerifier } from './embedded/authentication.ts'
import { connectClient } from './server.ts'

/**
 * Rotation of the password in DATABASE_URL. PostgreSQL keeps one password per role, so two login
 * roles, `<owner>_a` and `<owner>_b`, take turns; both act as `<owner>`, to which everything
 * belongs.
 */
export type LoginRoleOptions = {
  /** DATABASE_URL as it is. */
  readonly url: string
  /** Of a role that may create and alter roles; null: the role of `url` may. */
  readonly adminUrl: string | null
}

export type RotatedLoginRole = {
  /** The role of the new URL. */
  readonly role: string
  /** Login roles that are locked from now on. */
  readonly locked: readonly string[]
  readonly connectionsEnded: number
}

/** PostgreSQL cuts longer names (NAMEDATALEN - 1), two of which are the suffix. Bytes. */
const MAX_OWNER_BYTES = 61

/** How long a terminated connection may take to end. Milliseconds. */
const TERMINATE_TIMEOUT_MS = 5_000

/** Advisory lock of a rotation: "rotate" as ASCII in hexadecimal. */
const ROTATION_LOCK = 0x726f74617465

const SCHEMAS = ['directory', 'gateway', 'social', 'store', 'trust']

type LoginRole = {
  readonly name: string
  readonly canLogin: boolean
  readonly actsAsOwner: boolean
  readonly connectionLimit: number
  /** When a rotation made its password, as ISO 8601 text; null: no rotation did. */
  readonly rotatedAt: string | null
  /** Besides the asking connection. */
  readonly connections: number
}

type Rotation = {
  /** As the role of DATABASE_URL. */
  readonly own: pg.Client
  /** Of the server process of `own`. */
  readonly ownPid: number
  readonly admin: pg.Client
  readonly owner: string
  readonly current: LoginRole
  /** The other roles of this rotation that exist. */
  readonly others: readonly LoginRole[]
}

/**
 * Gives the other login role a new password, proves that it can do what the one of `url` can, and
 * passes its URL to `save`. The one of `url` stays valid. `emergency` then locks every other login
 * role at once and ends their connections. Interrupted, it can be run again: a password that was
 * not saved is replaced. Throws an `OperatorError` that never contains a password.
 */
export async function rotateLoginRole(
  options: LoginRoleOptions & { readonly emergency: boolean; readonly save: (url: string) => void },
): Promise<RotatedLoginRole> {
  const { url, emergency, save } = options
  return withRotation(options, async (rotation) => {
    const { admin, owner, current, others } = rotation
    if (!emergency) refuseBegun(current, others)
    const name = current.name === `${owner}_a` ? `${owner}_b` : `${owner}_a`
    const known = others.find((other) => other.name === name)
    if (known && !known.actsAsOwner) {
      throw new OperatorError(`The role "${name}" exists and is no member of "${owner}": rename it, or grant it "${owner}".`)
    }
    const password = randomBytes(32).toString('hex')
    await enableRole(rotation, name, password, known === undefined)
    const rotatedUrl = withCredentials(url, name, password)
    try {
      // A session of a role from before the emergency would stay connected otherwise.
      if (emergency) await terminate(rotation, [name])
      await verifyRole(rotatedUrl, name, owner)
      save(rotatedUrl)
    } catch (error) {
      await lockRoles(admin, [name])
      throw error
    }
    if (!emergency) return { role: name, locked: [], connectionsEnded: 0 }
    const locked = [current, ...others].filter((role) => role.name !== name && role.canLogin).map((role) => role.name)
    return { role: name, locked, connectionsEnded: await retire(rotation, locked) }
  })
}

/**
 * Locks every login role of the rotation other than the one of `url`. While something is connected
 * by them it is refused, unless `endConnections`. Does nothing the second time.
 */
export async function finishLoginRoleRotation(
  options: LoginRoleOptions & { readonly endConnections: boolean },
): Promise<RotatedLoginRole> {
  return withRotation(options, async (rotation) => {
    const { current, others } = rotation
    const former = others.filter(({ canLogin }) => canLogin)
    const newer = former.find((role) => isNewer(role, current))
    if (newer) {
      throw new OperatorError(
        `Expected DATABASE_URL to name the role "${newer.name}", which the rotation has made, but it names the one before, "${current.name}".`,
      )
    }
    const connected = former.find(({ connections }) => connections > 0)
    if (connected && !options.endConnections) {
      throw new OperatorError(
        `${connected.connections} connections still use the role "${connected.name}": restart those processes with the new DATABASE_URL, or end them with --end-connections.`,
      )
    }
    const locked = former.map(({ name }) => name)
    return { role: current.name, locked, connectionsEnded: await retire(rotation, locked) }
  })
}

/** The URL with another user and password, wherever in it they stand. */
export function withCredentials(url: string, user: string, password: string): string {
  const changed = new URL(url)
  // pg prefers these to the ones in front of the host.
  for (const name of ['user', 'password']) changed.searchParams.delete(name)
  changed.username = encodeURIComponent(user)
  changed.password = password
  return changed.href
}

/**
 * Whether `url` logs in as one of the roles that take turns with `role`, and so changes with it.
 */
export function isRotatedWith(url: string, role: string): boolean {
  const { username, searchParams } = new URL(url)
  const owner = role.replace(/_[ab]$/, '')
  return [owner, `${owner}_a`, `${owner}_b`].includes(searchParams.get('user') ?? decodeURIComponent(username))
}

async function withRotation<Result>(
  { url, adminUrl }: LoginRoleOptions,
  work: (rotation: Rotation) => Promise<Result>,
): Promise<Result> {
  const own = await connectClient({ connectionString: url }, 'The database of DATABASE_URL', 'Correct DATABASE_URL.')
  let admin = own
  try {
    if (adminUrl !== null) {
      const advice = 'Correct the URL in the file of --admin-url-file.'
      admin = await connectClient({ connectionString: adminUrl }, 'The database of the administrator', advice)
    }
    const { rows } = await own.query('SELECT pg_try_advisory_lock($1) AS locked', [ROTATION_LOCK])
    if (!rows[0].locked) throw new OperatorError('Another command rotates the role of this database at the moment.')
    return await work({ own, admin, ...(await rolesOf(own)) })
  } catch (error) {
    throw isDenied(error) ? await denied(admin, error) : error
  } finally {
    if (admin !== own) await admin.end().catch(() => {})
    await own.end().catch(() => {})
  }
}

async function rolesOf(own: pg.Client): Promise<Omit<Rotation, 'own' | 'admin'>> {
  const { rows } = await own.query<{ login: string; owner: string; superuser: boolean; pid: number }>(
    `SELECT session_user::text AS login, current_user::text AS owner, bool_or(rolsuper) AS superuser, pg_backend_pid() AS pid
     FROM pg_roles WHERE rolname IN (session_user, current_user)`,
  )
  const [{ login, owner, superuser, pid: ownPid } = { login: '', owner: '', superuser: true, pid: 0 }] = rows
  if (superuser) {
    throw new OperatorError(`"${login}" in DATABASE_URL is a superuser, which is not rotated: create another role for Atrium.`)
  }
  if (Buffer.byteLength(owner) > MAX_OWNER_BYTES) {
    throw new OperatorError(`Expected the name of the role "${owner}" to be at most ${MAX_OWNER_BYTES} bytes long.`)
  }
  const names = [owner, `${owner}_a`, `${owner}_b`]
  if (!names.includes(login)) {
    throw new OperatorError(`Expected the role in DATABASE_URL to be one of "${names.join('", "')}", got "${login}".`)
  }
  const roles = await own.query<LoginRole & { readonly comment: string | null }>(
    `SELECT rolname AS name, rolcanlogin AS "canLogin", rolconnlimit AS "connectionLimit",
       pg_has_role(pg_roles.oid, $2, 'MEMBER') AS "actsAsOwner",
       substring(shobj_description(pg_roles.oid, 'pg_authid') from '^Atrium: rotated at (.*)$') AS "rotatedAt",
       (SELECT count(*)::int FROM pg_stat_activity WHERE usesysid = pg_roles.oid AND pid <> pg_backend_pid()) AS connections
     FROM pg_roles WHERE rolname = ANY($1)`,
    [names, owner],
  )
  const current = roles.rows.find(({ name }) => name === login)
  if (!current) throw new Error(`Expected the role "${login}" among its own.`)
  return { ownPid, owner, current, others: roles.rows.filter((role) => role !== current) }
}

/** ISO 8601 in UTC sorts as text. A role that no rotation has made is the oldest. */
const isNewer = (role: LoginRole, than: LoginRole): boolean => (role.rotatedAt ?? '') > (than.rotatedAt ?? '')

function refuseBegun(current: LoginRole, others: readonly LoginRole[]): void {
  const logins = others.filter(({ canLogin }) => canLogin)
  const former = logins.find((role) => isNewer(current, role))
  if (former) throw new OperatorError(`A rotation has begun: "${former.name}" can still log in; go on with --finish.`)
  const used = logins.find(({ connections }) => connections > 0)
  if (used) {
    throw new OperatorError(
      `A rotation has begun: ${used.connections} connections use the role "${used.name}" already; set DATABASE_URL to it, and go on with --finish.`,
    )
  }
}

/** The role with its new password and the settings of the current one, all of it or nothing. */
async function enableRole(
  { own, admin, owner, current }: Rotation,
  name: string,
  password: string,
  isNew: boolean,
): Promise<void> {
  const [role, group] = [pg.escapeIdentifier(name), pg.escapeIdentifier(owner)]
  const { rows: settings } = await own.query<{ database: string | null; setting: string }>(
    `SELECT datname AS database, unnest(setconfig) AS setting
     FROM pg_db_role_setting LEFT JOIN pg_database ON pg_database.oid = setdatabase
     WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = $1) AND (setdatabase = 0 OR datname = current_database())`,
    [current.name],
  )
  await inTransaction(admin, async () => {
    if (isNew) await admin.query(`CREATE ROLE ${role} IN ROLE ${group}`)
    await admin.query(
      `ALTER ROLE ${role} LOGIN CONNECTION LIMIT ${current.connectionLimit} VALID UNTIL 'infinity' PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`,
    )
    for (const { database, setting } of settings) {
      const [variable = '', value = ''] = setting.split(/=(.*)/s)
      if (variable === 'role') continue
      // A list such as search_path is stored as it is set, which only FROM CURRENT takes whole.
      await admin.query('SELECT set_config($1, $2, true)', [variable, value])
      const where = database === null ? '' : `IN DATABASE ${pg.escapeIdentifier(database)}`
      await admin.query(`ALTER ROLE ${role} ${where} SET ${pg.escapeIdentifier(variable)} FROM CURRENT`)
    }
    await admin.query(`ALTER ROLE ${role} SET role TO ${pg.escapeLiteral(owner)}`)
    const comment = `Atrium: rotated at ${new Date().toISOString()}`
    await admin.query(`COMMENT ON ROLE ${role} IS ${pg.escapeLiteral(comment)}`)
  })
}

/**
 * Logs in by the new URL, and writes and reads in every schema. Throws an `OperatorError` when
 * something is not permitted.
 */
async function verifyRole(url: string, name: string, owner: string): Promise<void> {
  const advice = 'The new role is locked again; look at pg_hba.conf, a pooler, and the right to connect.'
  const client = await connectClient({ connectionString: url }, `The database as the new role "${name}"`, advice)
  try {
    const { rows } = await client.query('SELECT session_user::text AS login, current_user::text AS "user"')
    if (rows[0].login !== name || rows[0].user !== owner) {
      throw new OperatorError(`Expected "${name}" to act as "${owner}", but it acts as "${rows[0].user}".`)
    }
    const denied = await client.query(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY($1)
       AND NOT (SELECT bool_and(has_table_privilege(format('%I.%I', schemaname, tablename), right_to))
                FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS right_to) LIMIT 1`,
      [SCHEMAS],
    )
    if (denied.rows[0]) throw new OperatorError(`The new role "${name}" may not read and write ${denied.rows[0].name}.`)
    const schemas = await client.query('SELECT nspname AS name FROM pg_namespace WHERE nspname = ANY($1)', [SCHEMAS])
    await client.query('BEGIN')
    for (const schema of schemas.rows) {
      const table = `${pg.escapeIdentifier(schema.name)}.rotation_probe`
      await client.query(`CREATE TABLE ${table} (value int)`)
      await client.query(`INSERT INTO ${table} VALUES (1)`)
      await client.query(`SELECT value FROM ${table}`)
    }
    await client.query('ROLLBACK')
  } catch (cause) {
    if (!isDenied(cause)) throw cause
    // `pg` only fails with errors.
    throw new OperatorError(`The new role "${name}" may not do what the one before may: ${(cause as Error).message}.`, { cause })
  } finally {
    await client.end().catch(() => {})
  }
}

/** Locks first: a pool connects again at once. Returns how many connections it has ended. */
async function retire(rotation: Rotation, names: readonly string[]): Promise<number> {
  await lockRoles(rotation.admin, names)
  return terminate(rotation, names)
}

const lockRoles = (admin: pg.Client, names: readonly string[]): Promise<void> =>
  inTransaction(admin, async () => {
    for (const name of names) await admin.query(`ALTER ROLE ${pg.escapeIdentifier(name)} NOLOGIN PASSWORD NULL`)
  })

async function terminate({ admin, ownPid }: Rotation, names: readonly string[]): Promise<number> {
  await admin.query('BEGIN')
  try {
    const { rows: foreign } = await admin.query<{ name: string }>(
      `SELECT rolname AS name FROM pg_roles
       WHERE rolname = ANY($1) AND NOT pg_has_role(oid, 'USAGE') AND NOT pg_has_role('pg_signal_backend', 'USAGE')`,
      [names],
    )
    // Until the ROLLBACK: only a member of a role may end its connections.
    for (const { name } of foreign) await admin.query(`GRANT ${pg.escapeIdentifier(name)} TO CURRENT_USER`)
    const { rows } = await admin.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(pid, $2) AS ended FROM pg_stat_activity
       WHERE usename = ANY($1) AND pid NOT IN (pg_backend_pid(), $3) AND backend_type = 'client backend'`,
      [names, TERMINATE_TIMEOUT_MS, ownPid],
    )
    return rows.filter(({ ended }) => ended).length
  } finally {
    await admin.query('ROLLBACK')
  }
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** `insufficient_privilege` of PostgreSQL. */
const isDenied = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '42501'

async function denied(admin: pg.Client, cause: unknown): Promise<OperatorError> {
  const { rows } = await admin.query('SELECT current_user::text AS name')
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new OperatorError(
    `The role "${rows[0].name}" may not rotate (${reason}): it needs CREATEROLE, and from PostgreSQL 16 on ADMIN OPTION on the roles; name one that has both with --admin-url-file.`,
    { cause },
  )
}
