import type { Kysely } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import { MAX_OVERRIDES_PER_KEY, type Override, type SetOverride } from './override.ts'

const COLUMNS = [
  'id',
  'key_id as keyId',
  'subject',
  'action',
  'reason',
  'expires_at as expiresAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** Which overrides of a key are listed. */
type Listed = { readonly keyId: string; readonly subject: string | null; readonly at: Date }

/** Overrides in the database. One that has ended is as good as gone. */
export const overrideRepository = (database: Kysely<Tables>) => {
  const alive = ({ keyId, subject, at }: Listed) => {
    const query = database
      .selectFrom('override')
      .where('key_id', '=', keyId)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    return subject === null ? query : query.where('subject', '=', subject)
  }

  return {
    /** By subject, one more than requested. */
    list(listed: Listed, { size, after }: KeysetRange): Promise<Override[]> {
      let query = alive(listed).select(COLUMNS)
      if (after) query = query.where('subject', '>', String(after[0]))
      return query
        .orderBy('subject')
        .limit(size + 1)
        .execute()
    },

    count: (listed: Listed): Promise<number> =>
      alive(listed)
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow()
        .then(({ count }) => Number(count)),

    /**
     * Sets the override of a subject, new or in the place of one; null when the key has too many
     * already.
     */
    set: (keyId: string, { subject, action, reason, expiresAt }: SetOverride, at: Date): Promise<Override | null> =>
      database.transaction().execute(async (transaction) => {
        // Concurrent requests would each see room for one more.
        await transaction.selectFrom('api_key').select('id').where('id', '=', keyId).forUpdate().execute()
        await transaction.deleteFrom('override').where('key_id', '=', keyId).where('expires_at', '<=', at).execute()
        const { others } = await transaction
          .selectFrom('override')
          .select(({ fn }) => fn.countAll<string>().as('others'))
          .where('key_id', '=', keyId)
          .where('subject', '<>', subject)
          .executeTakeFirstOrThrow()
        if (Number(others) >= MAX_OVERRIDES_PER_KEY) return null
        return transaction
          .insertInto('override')
          .values({ key_id: keyId, subject, action, reason, expires_at: expiresAt, created_at: at, updated_at: at })
          .onConflict((conflict) =>
            conflict.columns(['key_id', 'subject']).doUpdateSet({ action, reason, expires_at: expiresAt, updated_at: at }),
          )
          .returning(COLUMNS)
          .executeTakeFirstOrThrow()
      }),

    /** Deletes the override of a subject; false when the key has none. */
    delete: (keyId: string, subject: string): Promise<boolean> =>
      database
        .deleteFrom('override')
        .where('key_id', '=', keyId)
        .where('subject', '=', subject)
        .executeTakeFirst()
        .then(({ numDeletedRows }) => numDeletedRows > 0n),
  }
}

export type OverrideRepository = ReturnType<typeof overrideRepository>
