import { type Kysely, sql } from 'kysely'
import type { Evidence, Snapshot, Source, UnixSeconds } from '../evidence.ts'
import type { Tables } from '../tables.ts'

/** A stored snapshot and until when all of its evidence is valid. */
export type StoredSnapshot = { readonly snapshot: Snapshot; readonly validUntil: UnixSeconds }

/** Retention of expired evidence, which may still be better than none. SQL interval. */
const RETENTION = '7 days'

/** Evidence and snapshots in the database. */
export const evidenceRepository = (database: Kysely<Tables>) => ({
  /** The newest snapshots of these hosts, valid or not; null in the place of a host without any. */
  async latestSnapshots(hosts: readonly string[]): Promise<(StoredSnapshot | null)[]> {
    const { rows } = await sql<{ host: string; body: string; valid_until: Date }>`
      SELECT latest.host, latest.body, latest.valid_until FROM unnest(${hosts}::text[]) AS requested (host)
      CROSS JOIN LATERAL (
        SELECT * FROM snapshot WHERE snapshot.host = requested.host ORDER BY collected_at DESC, valid_until DESC LIMIT 1
      ) AS latest`.execute(database)
    return hosts.map((host) => {
      const row = rows.find((each) => each.host === host)
      return row ? { snapshot: JSON.parse(row.body), validUntil: secondsOf(row.valid_until) } : null
    })
  },

  /** One snapshot by its id; null when it is not there. */
  async snapshot(id: string): Promise<Snapshot | null> {
    const row = await database.selectFrom('snapshot').select('body').where('id', '=', id).executeTakeFirst()
    return row ? JSON.parse(row.body) : null
  },

  /** An equal snapshot is there already when two processes collect the same within one second. */
  async saveSnapshots(snapshots: readonly StoredSnapshot[]): Promise<void> {
    const rows = snapshots.map(({ snapshot, validUntil }) => ({
      id: snapshot.id,
      host: snapshot.host,
      body: JSON.stringify(snapshot),
      collected_at: dateOf(snapshot.collectedAt),
      valid_until: dateOf(validUntil),
    }))
    await database
      .insertInto('snapshot')
      .values(rows.sort((one, other) => (one.id < other.id ? -1 : 1)))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  },

  /** Answers that are valid at `now`, of these sources about these subjects, in any order. */
  async valid(
    requested: readonly { readonly source: Source; readonly subject: string }[],
    now: UnixSeconds,
  ): Promise<Evidence[]> {
    const sources = requested.map(({ source }) => source)
    const subjects = requested.map(({ subject }) => subject)
    const { rows } = await sql<{ source: string; body: unknown }>`
      SELECT source, body FROM evidence
      JOIN unnest(${sources}::text[], ${subjects}::text[]) AS requested (source, subject) USING (source, subject)
      WHERE valid_until > ${dateOf(now)}`.execute(database)
    // A cast: the column holds written `Evidence`.
    return rows.map(({ source, body }) => ({ source, evidence: body }) as Evidence)
  },

  /**
   * Keeps answers, each over an older one of the same source and subject; of several about the
   * same, the last.
   */
  async save(answers: readonly Evidence[]): Promise<void> {
    if (answers.length === 0) return
    const distinct = new Map(answers.map((answer) => [`${answer.source} ${answer.evidence.subject}`, answer]))
    const rows = [...distinct.values()].map(({ source, evidence }) => ({
      source,
      subject: evidence.subject,
      body: JSON.stringify(evidence),
      collected_at: dateOf(evidence.collectedAt),
      valid_until: dateOf(evidence.validUntil),
    }))
    // In one order everywhere: two processes that write the same rows must not wait for each other.
    rows.sort((one, other) => (`${one.source} ${one.subject}` < `${other.source} ${other.subject}` ? -1 : 1))
    await database
      .insertInto('evidence')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['source', 'subject'])
          .doUpdateSet((eb) => ({
            body: eb.ref('excluded.body'),
            collected_at: eb.ref('excluded.collected_at'),
            valid_until: eb.ref('excluded.valid_until'),
          }))
          .whereRef('evidence.collected_at', '<=', 'excluded.collected_at'),
      )
      .execute()
  },

  /** Deletes unused evidence. Snapshots stay: decisions refer to them. */
  async tidy(): Promise<void> {
    await sql`DELETE FROM evidence WHERE valid_until < now() - ${RETENTION}::interval`.execute(database)
  },
})

export type EvidenceRepository = ReturnType<typeof evidenceRepository>

const dateOf = (seconds: UnixSeconds): Date => new Date(seconds * 1000)
const secondsOf = (date: Date): UnixSeconds => Math.floor(date.getTime() / 1000)
