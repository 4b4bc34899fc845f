import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { assessmentOfReport } from '../feed/feed.ts'
import { assessReported } from '../feed/repository.ts'
import type { NewListEntry, OperatorList, OperatorListEntry } from '../operator-list/operator-list.ts'
import { addListEntries, catchTooMany } from '../operator-list/repository.ts'
import type { Action } from '../pipeline/stages.ts'
import type { Tables } from '../tables.ts'
import {
  type DecisionReport,
  type DecisionReportKind,
  type DecisionReportStats,
  type DecisionReportStatus,
  MAX_REPORTED_FEEDS,
  MAX_REPORTS_PER_KEY,
} from './decision-report.ts'

const COLUMNS = [
  'id',
  'decision_id as decisionId',
  'kind',
  'expected_action as expectedAction',
  'text',
  'host',
  'action',
  'status',
  'answer',
  'resolved_at as resolvedAt',
  'created_at as createdAt',
] as const

const DAY_MS = 86_400_000
/** Everybody may ask for the figures, and they are read from the whole table. */
const STATS_MAX_AGE_MS = 5_000

/** Which reports are listed; null: those of all keys, with any status, or of any decision. */
type Listed = {
  readonly keyId: string | null
  readonly status: DecisionReportStatus | null
  readonly decisionId?: string | null
}

type NewReport = {
  readonly keyId: string
  readonly decisionId: string
  readonly kind: DecisionReportKind
  readonly expectedAction: Action | null
  readonly text: string
  readonly host: string
  /** That list the target, each once. */
  readonly feeds: readonly string[]
  /** Beside `feeds`: the subject that each one lists; empty where it is unknown. */
  readonly feedSubjects: readonly string[]
  readonly action: Action
  readonly at: Date
  /** A key has one open report of a host and kind then. */
  readonly isOfTarget: boolean
}

/** Why a report is not stored, or not answered. */
type NotReported = { readonly kind: 'too-many' } | { readonly kind: 'reported' }
type Resolved =
  | { readonly kind: 'resolved'; readonly report: DecisionReport; readonly entry: OperatorListEntry | null }
  | { readonly kind: 'not-open' }
  | { readonly kind: 'too-many'; readonly max: number }

/** Reports in the database. */
export const decisionReportRepository = (database: Kysely<Tables>) => {
  const listed = ({ keyId, status, decisionId = null }: Listed) => {
    let query = database.selectFrom('decision_report')
    if (decisionId !== null) query = query.where('decision_id', '=', decisionId)
    if (keyId !== null) query = query.where('key_id', '=', keyId)
    return status === null ? query : query.where('status', '=', status)
  }
  const hasOpen = async (keyId: string, host: string, kind: DecisionReportKind, by: Kysely<Tables> = database) => {
    const open = by.selectFrom('decision_report').select('id').where('key_id', '=', keyId).where('status', '=', 'open')
    const found = await open.where('host', '=', host).where('kind', '=', kind).limit(1).executeTakeFirst()
    return found !== undefined
  }
  const hasRoom = async (keyId: string, at: Date, by: Kysely<Tables> = database) => {
    const { recent } = await by
      .selectFrom('decision_report')
      .select(({ fn }) => fn.countAll<string>().as('recent'))
      .where('key_id', '=', keyId)
      .where('created_at', '>', new Date(at.getTime() - DAY_MS))
      .executeTakeFirstOrThrow()
    return Number(recent) < MAX_REPORTS_PER_KEY
  }
  let held: { readonly at: number; readonly stats: Promise<DecisionReportStats> } | null = null
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

    /** Whether a key has an open report of this host and kind. */
    hasOpen: (keyId: string, host: string, kind: DecisionReportKind): Promise<boolean> => hasOpen(keyId, host, kind),

    /** Whether a key may report once more in the 24 hours before `at`. */
    hasRoom: (keyId: string, at: Date): Promise<boolean> => hasRoom(keyId, at),

    /** Figures of all reports as of `now`, or up to five seconds before; not kept after a failure. */
    stats(now: Date): Promise<DecisionReportStats> {
      // Also after a clock that was set back.
      if (held && Math.abs(now.getTime() - held.at) < STATS_MAX_AGE_MS) return held.stats
      const reading = { at: now.getTime(), stats: readStats(database) }
      held = reading
      reading.stats.catch(() => {
        if (held === reading) held = null
      })
      return reading.stats
    },

    /** Stores a report, unless the decision or target has one, or the key too many in 24 hours. */
    add: ({
      keyId,
      at,
      decisionId,
      expectedAction,
      feeds,
      feedSubjects,
      isOfTarget,
      ...report
    }: NewReport): Promise<{ kind: 'added'; report: DecisionReport } | NotReported> =>
      database.transaction().execute(async (transaction) => {
        // Concurrent requests would each see room for one more.
        await transaction.selectFrom('api_key').select('id').where('id', '=', keyId).forUpdate().execute()
        if (isOfTarget && (await hasOpen(keyId, report.host, report.kind, transaction))) return { kind: 'reported' }
        if (!(await hasRoom(keyId, at, transaction))) return { kind: 'too-many' }
        const added = await transaction
          .insertInto('decision_report')
          .values({
            ...report,
            key_id: keyId,
            decision_id: decisionId,
            expected_action: expectedAction,
            feeds: [...feeds],
            feed_subjects: [...feedSubjects],
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
          const updated = await transaction
            .updateTable('decision_report')
            .set({ status: isAccepted ? 'accepted' : 'rejected', answer, resolved_at: at, resolved_by: by })
            .where('id', '=', id)
            .where('status', '=', 'open')
            .returning([...COLUMNS, 'feeds', 'feed_subjects as subjects'])
            .executeTakeFirst()
          if (!updated) return { kind: 'not-open' }
          const { feeds, subjects, ...report } = updated
          const assessment = assessmentOfReport(report.kind, isAccepted)
          if (assessment !== null) await assessReported(transaction, { feeds, subjects }, assessment, at)
          const added = entry && (await addListEntries(transaction, entry.list, [entry.entry], { by, at }))
          return { kind: 'resolved', report, entry: added?.entries[0] ?? null }
        }),
      ),
  }
}

async function readStats(database: Kysely<Tables>): Promise<DecisionReportStats> {
  const [{ rows }, feeds] = await Promise.all([
    sql<Omit<DecisionReportStats, 'feeds'>>`
      SELECT count(*) FILTER (WHERE status = 'open')::integer AS open,
        min(created_at) FILTER (WHERE status = 'open') AS "oldestOpenAt",
        count(*) FILTER (WHERE status = 'accepted')::integer AS accepted,
        count(*) FILTER (WHERE status = 'rejected')::integer AS rejected
      FROM decision_report`.execute(database),
    sql<DecisionReportStats['feeds'][number]>`
      SELECT feed, count(*)::integer AS reported, count(*) FILTER (WHERE status = 'accepted')::integer AS accepted
      FROM decision_report, unnest(feeds) AS feed WHERE kind = 'false_positive'
      GROUP BY feed ORDER BY accepted DESC, reported DESC, feed LIMIT ${MAX_REPORTED_FEEDS}`.execute(database),
  ])
  const [totals] = rows
  if (!totals) throw new Error('Expected figures of reports.')
  return { ...totals, feeds: feeds.rows }
}

export type DecisionReportRepository = ReturnType<typeof decisionReportRepository>
