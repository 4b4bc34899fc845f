import type { Kysely } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { NewListEntry, OperatorList, OperatorListEntry } from '../operator-list/operator-list.ts'
import { addListEntries, catchTooMany } from '../operator-list/repository.ts'
import type { Action } from '../pipeline/stages.ts'
import type { Tables } from '../tables.ts'
import {
  type DecisionReport,
  type DecisionReportKind,
  type DecisionReportStatus,
  MAX_REPORTS_PER_KEY,
} from './decision-report.ts'

const COLUMNS = [
  'id',
  'decision_id as decisionId',
  'kind',
  'text',
  'host',
  'action',
  'status',
  'answer',
  'resolved_at as resolvedAt',
  'created_at as createdAt',
] as const

const DAY_MS = 86_400_000

/** Which reports are listed; null: those of all keys, or with any status. */
type Listed = { readonly keyId: string | null; readonly status: DecisionReportStatus | null }

type NewReport = {
  readonly keyId: string
  readonly decisionId: string
  readonly kind: DecisionReportKind
  readonly text: string
  readonly host: string
  readonly action: Action
  readonly at: Date
}

/** Why a report is not stored, or not answered. */
type NotReported = { readonly kind: 'too-many' } | { readonly kind: 'reported' }
type Resolved =
  | { readonly kind: 'resolved'; readonly report: DecisionReport; readonly entry: OperatorListEntry | null }
  | { readonly kind: 'not-open' }
  | { readonly kind: 'too-many'; readonly max: number }

/** Reports in the database. */
export const decisionReportRepository = (database: Kysely<Tables>) => {
  const listed = ({ keyId, status }: Listed) => {
    let query = database.selectFrom('decision_report')
    if (keyId !== null) query = query.where('key_id', '=', keyId)
    return status === null ? query : query.where('status', '=', status)
  }
  return {
    /** Newest first, one more than requested. */
    list(which: Listed, { size, after }: KeysetRange): Promise<DecisionReport[]> {
      let query = listed(which).select(COLUMNS)
      if (after) query = query.where('id', '<', String(after[0]))
      return query
        .orderBy('id', 'desc')
        .limit(size + 1)
        .execute()
    },

    count: (which: Listed): Promise<number> =>
      listed(which)
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow()
        .then(({ count }) => Number(count)),

    /** Stores a report, unless the decision has one or the key too many of the last 24 hours. */
    add: ({ keyId, at, decisionId, ...report }: NewReport): Promise<{ kind: 'added'; report: DecisionReport } | NotReported> =>
      database.transaction().execute(async (transaction) => {
        // Concurrent requests would each see room for one more.
        await transaction.selectFrom('api_key').select('id').where('id', '=', keyId).forUpdate().execute()
        const { recent } = await transaction
          .selectFrom('decision_report')
          .select(({ fn }) => fn.countAll<string>().as('recent'))
          .where('key_id', '=', keyId)
          .where('created_at', '>', new Date(at.getTime() - DAY_MS))
          .executeTakeFirstOrThrow()
        if (Number(recent) >= MAX_REPORTS_PER_KEY) return { kind: 'too-many' }
        const added = await transaction
          .insertInto('decision_report')
          .values({
            ...report,
            key_id: keyId,
            decision_id: decisionId,
            created_at: at,
            answer: null,
            resolved_at: null,
            resolved_by: null,
          })
          .onConflict((conflict) => conflict.column('decision_id').doNothing())
          .returning(COLUMNS)
          .executeTakeFirst()
        return added ? { kind: 'added', report: added } : { kind: 'reported' }
      }),

    /** Answers an open report, and adds an entry to a list, both or none. */
    resolve: (
      id: string,
      {
        isAccepted,
        answer,
        by,
        at,
        entry,
      }: {
        readonly isAccepted: boolean
        readonly answer: string
        readonly by: string
        readonly at: Date
        readonly entry: { readonly list: OperatorList; readonly entry: NewListEntry } | null
      },
    ): Promise<Resolved> =>
      catchTooMany(
        database.transaction().execute(async (transaction): Promise<Resolved> => {
          const report = await transaction
            .updateTable('decision_report')
            .set({ status: isAccepted ? 'accepted' : 'rejected', answer, resolved_at: at, resolved_by: by })
            .where('id', '=', id)
            .where('status', '=', 'open')
            .returning(COLUMNS)
            .executeTakeFirst()
          if (!report) return { kind: 'not-open' }
          const added = entry && (await addListEntries(transaction, entry.list, [entry.entry], { by, at }))
          return { kind: 'resolved', report, entry: added?.entries[0] ?? null }
        }),
      ),
  }
}

export type DecisionReportRepository = ReturnType<typeof decisionReportRepository>
