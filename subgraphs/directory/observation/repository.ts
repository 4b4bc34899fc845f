import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../tables.ts'

/** A repository whose observation is due. */
export type DueRepository = { readonly repository: string; readonly etag: string | null }

/** What GitHub said that is new. */
export type ObservedFacts = DueRepository & {
  readonly stars: number
  readonly archived: boolean
  readonly license: string | null
  readonly pushedAt: Date | null
  readonly createdAt: Date | null
}

/** What is known of a repository. */
export type RepositoryFacts = {
  readonly repository: string
  readonly answeredAt: Date
  readonly archived: boolean | null
  readonly license: string | null
  readonly pushedAt: Date | null
  readonly createdAt: Date | null
}

export type ObservationRepository = ReturnType<typeof observationRepository>

/** Observations in the directory's tables. Every method rejects only when the database fails. */
export const observationRepository = (query: Kysely<Tables>) => ({
  /** Attempts since a time. */
  async countSince(since: Date): Promise<number> {
    const { count } = await query
      .selectFrom('repository_observation')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('observed_at', '>', since)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Repositories of GitHub that living items name and that were not observed since; never observed ones first. */
  async due(before: Date, limit: number): Promise<readonly DueRepository[]> {
    const { rows } = await sql<DueRepository>`
      SELECT named.repository, observed.etag
      FROM (
        SELECT DISTINCT (regexp_match(lower(coalesce(detail ->> 'repoUrl', detail ->> 'sourceUrl')),
          '^https://github\\.com/([a-z0-9-]{1,39}/[a-z0-9._-]{1,100})(?:[/#?]|$)'))[1] AS repository
        FROM item WHERE removed_at IS NULL
      ) AS named
      LEFT JOIN repository_observation AS observed USING (repository)
      WHERE named.repository IS NOT NULL AND (observed.observed_at IS NULL OR observed.observed_at < ${before})
      ORDER BY observed.observed_at NULLS FIRST, named.repository
      LIMIT ${limit}`.execute(query)
    return rows
  },

  /** Stores an attempt that found nothing new: what was known stays. */
  async storeAttempt(repository: string, isAnswered: boolean, now: Date): Promise<void> {
    const values = { observed_at: now, ...(isAnswered && { answered_at: now }) }
    await query
      .insertInto('repository_observation')
      .values({ repository, ...values })
      .onConflict((conflict) => conflict.column('repository').doUpdateSet(values))
      .execute()
  },

  async findByRepositories(repositories: readonly string[]): Promise<readonly RepositoryFacts[]> {
    const rows = await query
      .selectFrom('repository_observation')
      .select(['repository', 'answered_at', 'archived', 'license', 'pushed_at', 'created_at'])
      .where('repository', 'in', repositories)
      .execute()
    return rows.flatMap(({ repository, answered_at, archived, license, pushed_at, created_at }) =>
      answered_at === null
        ? []
        : [{ repository, answeredAt: answered_at, archived, license, pushedAt: pushed_at, createdAt: created_at }],
    )
  },
})

/** Stores what is new, in the transaction of an import. */
export async function saveObservations(client: pg.ClientBase, observed: readonly ObservedFacts[], now: Date): Promise<void> {
  await client.query(
    `INSERT INTO repository_observation (repository, observed_at, answered_at, etag, archived, license, pushed_at, created_at)
     SELECT repository, $2, $2, etag, archived, license, "pushedAt", "createdAt"
     FROM jsonb_to_recordset($1) AS r (repository text, etag text, archived boolean, license text, "pushedAt" timestamptz,
          "createdAt" timestamptz)
     ON CONFLICT (repository) DO UPDATE
     SET observed_at = excluded.observed_at, answered_at = excluded.answered_at, etag = excluded.etag,
         archived = excluded.archived, license = excluded.license, pushed_at = excluded.pushed_at,
         created_at = excluded.created_at`,
    [JSON.stringify(observed), now],
  )
}
