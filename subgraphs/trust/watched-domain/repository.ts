import { type Kysely, sql } from 'kysely'
import { append } from '../../../platform/events/outbox.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Plan } from '../key/key.ts'
import type { Tables } from '../tables.ts'
import { WATCH_SECRET } from './secrets.ts'
import {
  type DomainVerdictChange,
  hasChanged,
  MAX_CHANGES_PER_WATCH,
  MAX_WATCHED_DOMAINS,
  type NewWatch,
  topicOfKey,
  type Verdict,
  type VerdictChange,
  type VerdictEvent,
  type WatchedDomain,
} from './watched-domain.ts'

/** Which domains are listed. */
type Listed = { readonly keyId: string; readonly domain: string | null }

/** A watched domain whose assessment is due in this process. */
export type DueWatch = { readonly id: string; readonly domain: string; readonly plan: Plan; readonly incomplete: number }

/** A change that this process sends. */
export type DueWebhook = {
  readonly change: VerdictChange
  readonly watch: Pick<WatchedDomain, 'id' | 'domain'>
  readonly url: string
  /** Throws when its key is unknown. */
  readonly secret: () => string
}

/** What an assessment has found: `counts` says whether it may be a change. */
export type Check = {
  readonly verdict: Verdict
  readonly counts: boolean
  readonly incomplete: number
  readonly nextCheckAt: Date
}

const DELETE_BATCH_ROWS = 1_000

/** Watched domains, their changes and what is sent of these. */
export const watchedDomainRepository = (database: Kysely<Tables>, secrets: SecretCipher) => ({
  /** By name, one more than requested. */
  async list({ keyId, domain }: Listed, { size, after }: KeysetRange): Promise<WatchedDomain[]> {
    const one = domain === null ? sql`` : sql`AND domain = ${domain}`
    const behind = after ? sql`AND domain > ${String(after[0])}` : sql``
    const { rows } = await sql<WatchRow>`
      SELECT ${WATCH}, ${VERDICT}
      FROM watched_domain AS watch LEFT JOIN LATERAL (${newestChange}) AS change ON true
      WHERE key_id = ${keyId} ${one} ${behind} ORDER BY domain LIMIT ${size + 1}`.execute(database)
    return rows.map(watchOf)
  },

  async count({ keyId, domain }: Listed): Promise<number> {
    let query = database.selectFrom('watched_domain').where('key_id', '=', keyId)
    if (domain !== null) query = query.where('domain', '=', domain)
    const { count } = await query.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Watches a domain for a key; `secret`: of its webhooks. */
  add: (
    { id: keyId, plan }: { readonly id: string; readonly plan: Plan },
    { domain, webhookUrl }: NewWatch,
    { secret, at }: { readonly secret: string | null; readonly at: Date },
  ): Promise<WatchedDomain | 'watched' | 'too many'> =>
    database.transaction().execute(async (transaction) => {
      // Concurrent requests would each see room for one more.
      await transaction.selectFrom('api_key').select('id').where('id', '=', keyId).forUpdate().execute()
      const mine = await transaction.selectFrom('watched_domain').select('domain').where('key_id', '=', keyId).execute()
      if (mine.some((each) => each.domain === domain)) return 'watched'
      if (mine.length >= MAX_WATCHED_DOMAINS[plan]) return 'too many'
      // The ciphertext is bound to the row.
      const { rows } = await sql<{ id: string }>`
        SELECT nextval(pg_get_serial_sequence('watched_domain', 'id')) AS id`.execute(transaction)
      const id = rows[0]?.id ?? ''
      const stored = secret === null ? null : secrets.encrypt(secretLocation(WATCH_SECRET, id), secret)
      await sql`
        INSERT INTO watched_domain (id, key_id, domain, webhook_url, secret, created_at, next_check_at) OVERRIDING SYSTEM VALUE
        VALUES (${id}, ${keyId}, ${domain}, ${webhookUrl}, ${stored}, ${at}, ${at})`.execute(transaction)
      return { id, domain, webhookUrl, createdAt: at, checkedAt: null, verdict: null }
    }),

  /** Ends watching; false when the key watches nothing with this id. */
  remove: (keyId: string, id: string): Promise<boolean> =>
    database
      .deleteFrom('watched_domain')
      .where('key_id', '=', keyId)
      .where('id', '=', id)
      .executeTakeFirst()
      .then(({ numDeletedRows }) => numDeletedRows > 0n),

  /** Whether a key watches the domain with this id. */
  has: (keyId: string, id: string): Promise<boolean> =>
    database
      .selectFrom('watched_domain')
      .select('id')
      .where('key_id', '=', keyId)
      .where('id', '=', id)
      .executeTakeFirst()
      .then((row) => row !== undefined),

  /** A change of a domain that a key watches; null when it or the domain is gone. */
  async findChange(keyId: string, { changeId, watchId }: VerdictEvent): Promise<DomainVerdictChange | null> {
    const [{ rows }, change] = await Promise.all([
      sql<WatchRow>`
        SELECT ${WATCH}, ${VERDICT} FROM watched_domain AS watch LEFT JOIN LATERAL (${newestChange}) AS change ON true
        WHERE key_id = ${keyId} AND watch.id = ${watchId}`.execute(database),
      database
        .selectFrom('verdict_change')
        .selectAll()
        .where('id', '=', changeId)
        .where('watch_id', '=', watchId)
        .executeTakeFirst(),
    ])
    const [watch] = rows
    return watch && change ? { watch: watchOf(watch), change: changeOf(change) } : null
  },

  /** Changes of a watched domain, newest first, one more than requested. */
  async changes(watchId: string, { size, after }: KeysetRange): Promise<VerdictChange[]> {
    let query = database.selectFrom('verdict_change').selectAll().where('watch_id', '=', watchId)
    if (after) query = query.where('id', '<', String(after[0]))
    const rows = await query
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute()
    return rows.map(changeOf)
  },

  async countChanges(watchId: string): Promise<number> {
    const { count } = await database
      .selectFrom('verdict_change')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('watch_id', '=', watchId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /**
   * Takes due assessments, of keys in use: no other process gets them before `until`, when they are
   * due again unless they were recorded.
   */
  async takeDue(at: Date, until: Date, max: number): Promise<readonly DueWatch[]> {
    const { rows } = await sql<DueWatch>`
      UPDATE watched_domain AS watch SET next_check_at = ${until} FROM (
        SELECT due.id, api_key.plan FROM watched_domain AS due JOIN api_key ON api_key.id = due.key_id
        WHERE due.next_check_at <= ${at} AND api_key.revoked_at IS NULL
        ORDER BY due.next_check_at, due.id LIMIT ${max} FOR UPDATE OF due SKIP LOCKED
      ) AS taken WHERE watch.id = taken.id
      RETURNING watch.id, watch.domain, taken.plan, watch.incomplete`.execute(database)
    return rows
  },

  /** Records an assessment; returns the change, if it is one. */
  record: (id: string, { verdict, counts, incomplete, nextCheckAt }: Check, at: Date): Promise<VerdictChange | null> =>
    database.transaction().execute(async (transaction) => {
      const watch = await transaction
        .updateTable('watched_domain')
        .set({ checked_at: at, incomplete, next_check_at: nextCheckAt })
        .where('id', '=', id)
        .returning(['webhook_url', 'key_id'])
        .executeTakeFirst()
      if (!watch || !counts) return null
      const newest = await transaction
        .selectFrom('verdict_change')
        .selectAll()
        .where('watch_id', '=', id)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      const before = newest ? verdictIn(newest) : null
      if (!hasChanged(before, verdict)) return null
      const isSent = before !== null && watch.webhook_url !== null
      const change = await transaction
        .insertInto('verdict_change')
        .values({
          watch_id: id,
          changed_at: at,
          action: verdict.action,
          state: verdict.state,
          trust_score: verdict.trustScore,
          threat_score: verdict.threatScore,
          deviation_score: verdict.deviationScore,
          reason_codes: [...verdict.reasonCodes],
          previous_action: before?.action ?? null,
          previous_state: before?.state ?? null,
          webhook: isSent ? 'waiting' : null,
          due_at: isSent ? at : null,
          error: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await sql`
        DELETE FROM verdict_change WHERE watch_id = ${id} AND id < (
          SELECT id FROM verdict_change WHERE watch_id = ${id} ORDER BY id DESC OFFSET ${MAX_CHANGES_PER_WATCH - 1} LIMIT 1
        )`.execute(transaction)
      const event: VerdictEvent = { changeId: change.id, watchId: id }
      if (before !== null) await append(transaction, topicOfKey(watch.key_id), event)
      return changeOf(change)
    }),

  /**
   * Takes due webhooks, those of one domain in the order of its changes; each counts as an attempt.
   * No other process gets them before `until`, when they are due again unless they were settled.
   */
  async takeWebhooks(at: Date, until: Date, max: number): Promise<readonly DueWebhook[]> {
    const { rows } = await sql<ChangeRow & { domain: string; url: string; secret: string }>`
      UPDATE verdict_change AS change SET due_at = ${until}, attempts = change.attempts + 1 FROM (
        SELECT due.id, watch.domain, watch.webhook_url AS url, watch.secret
        FROM verdict_change AS due JOIN watched_domain AS watch ON watch.id = due.watch_id
        JOIN api_key ON api_key.id = watch.key_id
        WHERE due.webhook = 'waiting' AND due.due_at <= ${at} AND watch.secret IS NOT NULL AND api_key.revoked_at IS NULL
          AND NOT EXISTS (
            SELECT FROM verdict_change AS earlier
            WHERE earlier.watch_id = due.watch_id AND earlier.id < due.id AND earlier.webhook = 'waiting'
          )
        ORDER BY due.due_at, due.id LIMIT ${max} FOR UPDATE OF due SKIP LOCKED
      ) AS taken WHERE change.id = taken.id
      RETURNING change.*, taken.domain, taken.url, taken.secret`.execute(database)
    return rows.map(({ domain, url, secret, ...row }) => ({
      change: changeOf(row),
      watch: { id: row.watch_id, domain },
      url,
      secret: () => secrets.decrypt(secretLocation(WATCH_SECRET, row.watch_id), secret),
    }))
  },

  /** Records the result of an attempt. `dueAt`: the next one; null: there is none. */
  async settle(
    { id, attempts }: Pick<VerdictChange, 'id' | 'attempts'>,
    { error, dueAt }: { readonly error: string | null; readonly dueAt: Date | null },
  ): Promise<void> {
    await database
      .updateTable('verdict_change')
      .set({ webhook: error === null ? 'delivered' : dueAt ? 'waiting' : 'failed', due_at: dueAt, error })
      .where('id', '=', id)
      // A later attempt has another result.
      .where('attempts', '=', attempts)
      .execute()
  },

  /**
   * Deletes changes before `time`, but for the newest of each domain; returns their number: at most
   * a thousand, 0 when there are no more.
   */
  async deleteBefore(time: Date): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM verdict_change WHERE id IN (
        SELECT id FROM verdict_change AS old WHERE changed_at < ${time}
          AND EXISTS (SELECT FROM verdict_change AS newer WHERE newer.watch_id = old.watch_id AND newer.id > old.id)
        ORDER BY changed_at LIMIT ${DELETE_BATCH_ROWS}
      )`.execute(database)
    return Number(numAffectedRows)
  },
})

export type WatchedDomainRepository = ReturnType<typeof watchedDomainRepository>

const VERDICT = sql.raw('action, state, trust_score, threat_score, deviation_score, reason_codes')
const WATCH = sql.raw(`watch.id, domain, webhook_url AS "webhookUrl", created_at AS "createdAt", checked_at AS "checkedAt"`)
const newestChange = sql`SELECT ${VERDICT} FROM verdict_change WHERE watch_id = watch.id ORDER BY id DESC LIMIT 1`

type VerdictRow = {
  readonly action: Verdict['action']
  readonly state: Verdict['state']
  readonly trust_score: number
  readonly threat_score: number
  readonly deviation_score: number
  readonly reason_codes: readonly string[]
}
type ChangeRow = VerdictRow & {
  readonly id: string
  readonly watch_id: string
  readonly changed_at: Date
  readonly previous_action: VerdictChange['previousAction']
  readonly previous_state: VerdictChange['previousState']
  readonly webhook: VerdictChange['webhook']
  readonly attempts: number
  readonly due_at: Date | null
  readonly error: string | null
}
/** Without a change all columns of the verdict are null. */
type WatchRow = Omit<WatchedDomain, 'verdict'> & (VerdictRow | { readonly [Column in keyof VerdictRow]: null })

const verdictIn = (row: VerdictRow): Verdict => ({
  action: row.action,
  state: row.state,
  trustScore: row.trust_score,
  threatScore: row.threat_score,
  deviationScore: row.deviation_score,
  reasonCodes: row.reason_codes,
})

const watchOf = (row: WatchRow): WatchedDomain => {
  const { id, domain, webhookUrl, createdAt, checkedAt } = row
  return { id, domain, webhookUrl, createdAt, checkedAt, verdict: row.action === null ? null : verdictIn(row) }
}

const changeOf = (row: ChangeRow): VerdictChange => ({
  id: row.id,
  changedAt: row.changed_at,
  verdict: verdictIn(row),
  previousAction: row.previous_action,
  previousState: row.previous_state,
  webhook: row.webhook,
  attempts: row.attempts,
  dueAt: row.due_at,
  error: row.error,
})
