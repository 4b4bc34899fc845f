import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { AuditActor } from './audit-actor.ts'
import type { AuditEntry, AuditFilter } from './audit-entry.ts'
import type { AuditNoun } from './audited-columns.ts'

const COLUMNS = [
  'id',
  'at',
  'actor',
  'user_id as userId',
  'role',
  'app_code as appCode',
  'operation',
  'request_id as requestId',
  'noun',
  'object_id as objectNumber',
  'kind',
  'fields',
] as const

export type AuditEntryRepository = ReturnType<typeof auditEntryRepository>

/** Audit logs of stores in the database. Triggers write them: no statement here does. */
export const auditEntryRepository = (database: Kysely<Tables>) => ({
  /** Newest first, one more than requested. */
  async list(storeId: number, filter: AuditFilter, { size, after, offset }: KeysetRange): Promise<AuditEntry[]> {
    const { actor, userId, noun, objectNumber, from, to } = filter
    const rows = await database
      .selectFrom('audit_entry')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .$if(actor !== null, (query) => query.where('actor', '=', actor ?? 'USER'))
      .$if(userId !== null, (query) => query.where('user_id', '=', userId))
      .$if(noun !== null, (query) => query.where('noun', '=', noun ?? ''))
      .$if(objectNumber !== null, (query) => query.where('object_id', '=', objectNumber ?? 0))
      .$if(from !== null, (query) => query.where('at', '>=', from ?? new Date(0)))
      .$if(to !== null, (query) => query.where('at', '<', to ?? new Date(0)))
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(at, id) < (${after?.[0]}::timestamptz, ${Number(after?.[1])}::integer)`),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(size + 1)
      .offset(offset)
      .execute()
    // Written by our triggers.
    return rows.map((row) => ({ ...row, noun: row.noun as AuditNoun, fields: row.fields as AuditEntry['fields'] }))
  },

  /** Takes the id of a user out of the audit log of every store; what was done stays. */
  async forgetUser(userId: string): Promise<void> {
    await database.updateTable('audit_entry').set({ user_id: null }).where('user_id', '=', userId).execute()
  },

  /** Deletes at most `max` entries of before a time, of any store; returns their number. */
  async deleteBefore(before: Date, max: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM audit_entry WHERE ctid = ANY(ARRAY(SELECT ctid FROM audit_entry WHERE at < ${before} LIMIT ${max}))`.execute(
      database,
    )
    return Number(numAffectedRows)
  },
})

/**
 * From this statement to the end of the transaction, triggers write an entry of the audit log for
 * each audited row that changes. Without a change there is none.
 */
export const openAuditLog = (
  query: Kysely<Tables>,
  by: AuditActor & { readonly at: Date; readonly operation: string; readonly requestId: string | null },
): Promise<unknown> => sql`SELECT set_config('atrium.audit_entry', ${JSON.stringify(by)}, true)`.execute(query)
