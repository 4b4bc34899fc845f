import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { Tables } from '../tables.ts'
import {
  type ApiKey,
  type KeyRole,
  MAX_KEYS_PER_USER,
  MAX_NEW_KEYS_PER_MONTH,
  monthRange,
  type OwnKey,
  type Plan,
} from './key.ts'
import type { Secret } from './secret.ts'

const COLUMNS = [
  'api_key.id',
  'api_key.name',
  'api_key.plan',
  'api_key.role',
  'api_key.created_at as createdAt',
  'api_key.revoked_at as revokedAt',
] as const

/** A key in lists for people. */
export type ListedKey = ApiKey & {
  /** Opaque id of the user who made it; null: an operator did. */
  readonly ownerId: string | null
  /** The first characters of its secrets that are good now, newest first. */
  readonly hints: readonly string[]
  /** Decisions of the month. */
  readonly scans: number
}

/** Keys, their secrets and their usage. */
export const keyRepository = (database: Kysely<Tables>) => ({
  /** The key of a secret that is valid at `at`; null when there is none. */
  findBySecret: createFindBySecret(database),

  create: ({ name, plan, role = 'caller', secret, at }: NewKey): Promise<ApiKey> =>
    database.transaction().execute(async (transaction) => {
      const key = await transaction
        .insertInto('api_key')
        .values({ name, plan, role, created_at: at, revoked_at: null })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      await transaction
        .insertInto('api_key_secret')
        .values({ hash: secret.hash, key_id: key.id, hint: secret.hint, created_at: at, ends_at: null })
        .execute()
      return key
    }),

  /** Keys in use of a user, first made first, with the scans of the month of `at`. */
  async listOf(ownerId: string, at: Date): Promise<readonly OwnKey[]> {
    const { rows } = await sql<OwnKey>`
      SELECT api_key.id, name, plan, api_key.created_at AS "createdAt",
        coalesce((SELECT hint FROM api_key_secret WHERE key_id = api_key.id ORDER BY created_at DESC, hint LIMIT 1), '') AS hint,
        coalesce((SELECT scans FROM scan_count WHERE key_id = api_key.id AND month = ${dateOf(monthRange(at).start)}), 0) AS used
      FROM api_key WHERE owner_id = ${ownerId} AND revoked_at IS NULL ORDER BY api_key.id`.execute(database)
    return rows
  },

  /** A key of a user, unless there are too many: in use, or made in the month of `at`. */
  createOf: (ownerId: string, { name, plan, secret, at }: NewKey): Promise<OwnKey | 'too many in use' | 'too many made'> =>
    database.transaction().execute(async (transaction) => {
      // Two requests at once must not pass the limit together.
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`trust keys of ${ownerId}`}, 0))`.execute(transaction)
      const { inUse, made } = await transaction
        .selectFrom('api_key')
        .select(({ fn, eb }) => [
          fn.countAll<string>().filterWhere('revoked_at', 'is', null).as('inUse'),
          fn
            .countAll<string>()
            .filterWhere(eb('created_at', '>=', monthRange(at).start))
            .as('made'),
        ])
        .where('owner_id', '=', ownerId)
        .executeTakeFirstOrThrow()
      if (Number(inUse) >= MAX_KEYS_PER_USER) return 'too many in use'
      if (Number(made) >= MAX_NEW_KEYS_PER_MONTH) return 'too many made'
      const key = await transaction
        .insertInto('api_key')
        .values({ name, plan, created_at: at, revoked_at: null, owner_id: ownerId })
        .returning(['id', 'name', 'plan', 'created_at as createdAt'])
        .executeTakeFirstOrThrow()
      await transaction
        .insertInto('api_key_secret')
        .values({ hash: secret.hash, key_id: key.id, hint: secret.hint, created_at: at, ends_at: null })
        .execute()
      return { ...key, hint: secret.hint, used: 0 }
    }),

  /** A key in use; undefined when there is none with this id. */
  find: (id: string): Promise<ApiKey | undefined> =>
    database.selectFrom('api_key').select(COLUMNS).where('id', '=', id).where('revoked_at', 'is', null).executeTakeFirst(),

  /** A key in use of a user; null when there is none. */
  findOf: (ownerId: string, id: string): Promise<ApiKey | null> =>
    database
      .selectFrom('api_key')
      .select(COLUMNS)
      .where('id', '=', id)
      .where('owner_id', '=', ownerId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
      .then((key) => key ?? null),

  /** Revokes a key in use of a user; false when there is none. */
  revokeOf: (ownerId: string, id: string, at: Date): Promise<boolean> =>
    database
      .updateTable('api_key')
      .set({ revoked_at: at })
      .where('id', '=', id)
      .where('owner_id', '=', ownerId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
      .then(({ numUpdatedRows }) => numUpdatedRows > 0n),

  /** Revokes all keys in use of a user; returns their number. */
  revokeAllOf: (ownerId: string, at: Date): Promise<number> =>
    database
      .updateTable('api_key')
      .set({ revoked_at: at })
      .where('owner_id', '=', ownerId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
      .then(({ numUpdatedRows }) => Number(numUpdatedRows)),

  /** Deletes all keys of a user, with their decisions, reports and overrides; returns their number. */
  eraseOf: (ownerId: string): Promise<number> =>
    database
      .deleteFrom('api_key')
      .where('owner_id', '=', ownerId)
      .executeTakeFirst()
      .then(({ numDeletedRows }) => Number(numDeletedRows)),

  /**
   * All keys, or those of a user, first made first, with the scans of the month of `at`. `ownerId`:
   * null for all.
   */
  async list(at: Date, ownerId: string | null): Promise<readonly ListedKey[]> {
    const { start, end } = monthRange(at)
    const { rows } = await sql<ListedKey>`
      SELECT api_key.id, name, plan, role, owner_id AS "ownerId", api_key.created_at AS "createdAt", revoked_at AS "revokedAt",
        coalesce((SELECT array_agg(hint ORDER BY created_at DESC, hint) FROM api_key_secret
          WHERE key_id = api_key.id AND (ends_at IS NULL OR ends_at > ${at})), '{}') AS hints,
        (SELECT count(*)::int FROM decision WHERE key_id = api_key.id AND created_at >= ${start} AND created_at < ${end}) AS scans
      FROM api_key WHERE ${ownerId}::text IS NULL OR owner_id = ${ownerId} ORDER BY id`.execute(database)
    return rows
  },

  /** Revokes a key; undefined when there is none. Revoking again changes nothing. */
  revoke: (id: string, at: Date): Promise<ApiKey | undefined> =>
    database
      .updateTable('api_key')
      .set({ revoked_at: sql`coalesce(revoked_at, ${at})` })
      .where('id', '=', id)
      .returning(COLUMNS)
      .executeTakeFirst(),

  /**
   * Gives a key a new secret, and ends the current ones at `endsAt`; undefined when there is no
   * such active key.
   */
  rotate: (
    id: string,
    secret: Secret,
    { at, endsAt }: { readonly at: Date; readonly endsAt: Date },
  ): Promise<ApiKey | undefined> =>
    database.transaction().execute(async (transaction) => {
      const key = await transaction
        .selectFrom('api_key')
        .select(COLUMNS)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (!key) return undefined
      await transaction
        .updateTable('api_key_secret')
        .set({ ends_at: sql`least(ends_at, ${endsAt})` })
        .where('key_id', '=', id)
        .execute()
      await transaction
        .insertInto('api_key_secret')
        .values({ hash: secret.hash, key_id: id, hint: secret.hint, created_at: at, ends_at: null })
        .execute()
      return key
    }),

  /** Scans of a key whose plan has a limit, in the month of `at`. */
  async counted(id: string, at: Date): Promise<number> {
    const row = await database
      .selectFrom('scan_count')
      .select('scans')
      .where('key_id', '=', id)
      .where('month', '=', dateOf(monthRange(at).start))
      .executeTakeFirst()
    return row?.scans ?? 0
  },

  /** Decisions of a key in the month of `at`: usage of plans without a limit. */
  async decided(id: string, at: Date): Promise<number> {
    const { start, end } = monthRange(at)
    const { count } = await database
      .selectFrom('decision')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('key_id', '=', id)
      .where('created_at', '>=', start)
      .where('created_at', '<', end)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Resolves when the tables can be read. */
  ping: (): Promise<unknown> => database.selectFrom('api_key').select('id').limit(1).execute(),
})

/** Every request begins with this one: those that come at once share a statement. */
function createFindBySecret(database: Kysely<Tables>): (hash: Buffer, at: Date) => Promise<ApiKey | null> {
  const find = batchWork(async (requests: readonly { readonly hash: Buffer; readonly at: Date }[]) => {
    const rows = await SELECT_BY_SECRETS(
      database,
      requests.map(({ hash }) => hash),
    )
    const bySecret = new Map(rows.map(({ hash, ...row }) => [hash.toString('hex'), row]))
    return requests.map(({ hash, at }) => {
      const row = bySecret.get(hash.toString('hex'))
      if (!row || (row.endsAt !== null && row.endsAt <= at)) return null
      const { endsAt: _, ...key } = row
      return key
    })
  })
  return (hash, at) => find({ hash, at })
}

const SELECT_BY_SECRETS = prepared((database: Kysely<Tables>, hashes: readonly Buffer[]) =>
  database
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.key_id')
    .select([...COLUMNS, 'hash', 'ends_at as endsAt'])
    .where(({ eb, val }) => eb('hash', '=', sql<Buffer>`ANY (${val(hashes)}::bytea[])`))
    .where('revoked_at', 'is', null)
    .compile(),
)

type NewKey = {
  readonly name: string
  readonly plan: Plan
  readonly role?: KeyRole
  readonly secret: Secret
  readonly at: Date
}

export type ApiKeyRepository = ReturnType<typeof keyRepository>

/** Runs `work` on the keys of a database that is migrated, without the rest of the subgraph. */
export async function withKeys<Result>(
  connection: Connection,
  work: (keys: ApiKeyRepository) => Promise<Result>,
): Promise<Result> {
  const { query, close } = openDatabase<Tables>(connection, { schema: 'trust', max: 1, onError: () => {} })
  try {
    return await work(keyRepository(query))
  } finally {
    await close()
  }
}

/**
 * The statement that takes up to `wanted` scans of a month: it returns how many it took, and the
 * scans of the month. Its row stays locked until the transaction ends: concurrent ones wait, and
 * see the rest.
 */
export function takeScans({
  keyId,
  at,
  wanted,
  limit,
}: {
  readonly keyId: string
  readonly at: Date
  readonly wanted: number
  readonly limit: number
}): RawBuilder<{ readonly taken: number; readonly scans: number }> {
  const left = sql`greatest(0, least(${wanted}::integer, ${limit}::integer - scan_count.scans))`
  const first = Math.min(wanted, limit)
  return sql`
    INSERT INTO scan_count (key_id, month, scans, taken) VALUES (${keyId}, ${dateOf(monthRange(at).start)}, ${first}, ${first})
    ON CONFLICT (key_id, month) DO UPDATE SET scans = scan_count.scans + ${left}, taken = ${left}
    RETURNING taken, scans`
}

/** `2026-11-01`. */
const dateOf = (start: Date): string => start.toISOString().slice(0, 10)
