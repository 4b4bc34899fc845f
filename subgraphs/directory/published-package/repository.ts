import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { PackageRegistry } from '#generated/directory/resolvers.ts'
import {
  LAUNCHERS,
  MAX_PACKAGE_NAME_LENGTH,
  NPM_COMMAND,
  type PackageName,
  PYPI_COMMAND,
  packageKey,
} from '../item/package-name.ts'
import type { Tables } from '../tables.ts'
import type { DuePackage, PackageFacts } from './facts.ts'
import type { PackageVersion } from './osv.ts'

/** What is new of a package. */
export type ObservedPackage = DuePackage & { readonly facts: PackageFacts }

/** What is known of a package. */
export type KnownPackage = PackageName &
  PackageFacts & {
    readonly answeredAt: Date
    readonly monthlyDownloads: number | null
    /** Whether its registry no longer has it: all else is unknown. */
    readonly isUnpublished: boolean
    /** Ids of advisories about the newest version; null: they were not looked up. */
    readonly advisories: readonly string[] | null
  }

export type PackageRepository = ReturnType<typeof packageRepository>

const COLUMNS = [
  'registry',
  'name',
  'answered_at',
  'version',
  'published_at',
  'license',
  'monthly_downloads',
  'is_withdrawn',
  'withdrawn_reason',
  'repository',
  'has_install_script',
  'has_provenance',
  'is_unpublished',
  'advisories',
] as const

/** Observed packages in the directory's tables. Every method rejects only when the database fails. */
export const packageRepository = (query: Kysely<Tables>) => ({
  /** Attempts since a time. */
  async countSince(since: Date): Promise<number> {
    const { count } = await query
      .selectFrom('package_observation')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('observed_at', '>', since)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Packages of these registries that living servers name and that were not observed since; never observed ones first. */
  async due(registries: readonly PackageRegistry[], before: Date, limit: number): Promise<readonly DuePackage[]> {
    const { rows } = await sql<DuePackage>`
      SELECT named.registry, named.name, observed.etag
      FROM (
        SELECT DISTINCT found.registry, found.name
        FROM item,
          jsonb_array_elements(CASE jsonb_typeof(detail -> 'installations') WHEN 'array' THEN detail -> 'installations' END) AS installation,
          LATERAL (VALUES
            ('NPM', (regexp_match(installation ->> 'command', ${NPM_COMMAND}))[1]),
            ('PYPI', lower(regexp_replace((regexp_match(installation ->> 'command', ${PYPI_COMMAND}))[1], '[-_.]+', '-', 'g')))
          ) AS found (registry, name)
        WHERE item.kind = 'MCP_SERVER' AND removed_at IS NULL AND length(found.name) <= ${MAX_PACKAGE_NAME_LENGTH}
          AND found.registry || ' ' || found.name <> ALL (${[...LAUNCHERS]})
      ) AS named
      LEFT JOIN package_observation AS observed USING (registry, name)
      WHERE named.registry = ANY (${[...registries]}) AND (observed.observed_at IS NULL OR observed.observed_at < ${before})
      ORDER BY observed.observed_at NULLS FIRST, named.registry, named.name
      LIMIT ${limit}`.execute(query)
    return rows
  },

  /** Stores an attempt that found nothing new: what was known stays. */
  async storeAttempt({ registry, name }: PackageName, isAnswered: boolean, now: Date): Promise<void> {
    const values = { observed_at: now, ...(isAnswered && { answered_at: now }) }
    await query
      .insertInto('package_observation')
      // Of no version: the first answer says that they are unknown.
      .values({ registry, name, advisories: [], ...values })
      .onConflict((conflict) => conflict.columns(['registry', 'name']).doUpdateSet(values))
      .execute()
  },

  /** Stores the ids of advisories, by `packageKey`, unless another version is the newest meanwhile; what is absent stays. */
  async storeAdvisories(versions: readonly PackageVersion[], ids: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const rows = versions.flatMap((one) => {
      const known = ids.get(packageKey(one))
      return known === undefined ? [] : [{ ...one, ids: known }]
    })
    await sql`
      UPDATE package_observation AS known SET advisories = ARRAY(SELECT jsonb_array_elements_text(r.ids))
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (registry text, name text, version text, ids jsonb)
      WHERE known.registry = r.registry AND known.name = r.name AND known.version = r.version`.execute(query)
  },

  /** By `packageKey`. */
  async findByKeys(keys: readonly string[]): Promise<readonly KnownPackage[]> {
    const rows = await query
      .selectFrom('package_observation')
      .select(COLUMNS)
      .where(
        sql<boolean>`(registry, name) IN (SELECT split_part(key, ' ', 1), split_part(key, ' ', 2) FROM unnest(${[...keys]}::text[]) AS key)`,
      )
      .execute()
    return rows.flatMap((row) =>
      row.answered_at === null
        ? []
        : [
            {
              // Only these are written.
              registry: row.registry as PackageRegistry,
              name: row.name,
              answeredAt: row.answered_at,
              version: row.version,
              publishedAt: row.published_at,
              license: row.license,
              monthlyDownloads: row.monthly_downloads,
              isWithdrawn: row.is_withdrawn,
              withdrawnReason: row.withdrawn_reason,
              repository: row.repository,
              hasInstallScript: row.has_install_script,
              hasProvenance: row.has_provenance,
              isUnpublished: row.is_unpublished,
              advisories: row.advisories,
            },
          ],
    )
  },
})

/** What a turn learned; `missing`: packages that a registry does not have. */
export type Observed = {
  readonly found: readonly ObservedPackage[]
  readonly missing: readonly PackageName[]
  readonly downloads: ReadonlyMap<string, number>
}

/**
 * Stores what is new, in the transaction of an import. What was known of a missing package is of none that can be
 * installed: it is forgotten, and the package marked.
 */
export async function savePackages(client: pg.ClientBase, { found, missing, downloads }: Observed, now: Date): Promise<void> {
  await client.query(
    `INSERT INTO package_observation AS known (registry, name, observed_at)
     SELECT registry, name, $2 FROM jsonb_to_recordset($1) AS r (registry text, name text)
     ON CONFLICT (registry, name) DO UPDATE
     SET observed_at = excluded.observed_at, is_unpublished = known.answered_at IS NOT NULL,
         answered_at = CASE WHEN known.answered_at IS NOT NULL THEN excluded.observed_at END, etag = NULL, version = NULL,
         published_at = NULL, license = NULL, monthly_downloads = NULL, is_withdrawn = false, withdrawn_reason = NULL,
         repository = NULL, has_install_script = NULL, has_provenance = NULL, advisories = NULL`,
    [JSON.stringify(missing.map(({ registry, name }) => ({ registry, name }))), now],
  )
  await client.query(
    `INSERT INTO package_observation AS known (registry, name, observed_at, answered_at, etag, version, published_at, license, is_withdrawn,
                                      withdrawn_reason, repository, has_install_script, has_provenance)
     SELECT registry, name, $2, $2, etag, version, "publishedAt", license, "isWithdrawn", "withdrawnReason", repository,
            "hasInstallScript", "hasProvenance"
     FROM jsonb_to_recordset($1) AS r (registry text, name text, etag text, version text, "publishedAt" timestamptz, license text,
          "isWithdrawn" boolean, "withdrawnReason" text, repository text, "hasInstallScript" boolean, "hasProvenance" boolean)
     ON CONFLICT (registry, name) DO UPDATE
     SET observed_at = excluded.observed_at, answered_at = excluded.answered_at, etag = excluded.etag, version = excluded.version,
         published_at = excluded.published_at, license = excluded.license, is_withdrawn = excluded.is_withdrawn,
         withdrawn_reason = excluded.withdrawn_reason, repository = excluded.repository,
         has_install_script = excluded.has_install_script, has_provenance = excluded.has_provenance,
         is_unpublished = false, advisories = CASE WHEN known.version = excluded.version THEN known.advisories END`,
    [JSON.stringify(found.map(({ facts, registry, name, etag }) => ({ registry, name, etag, ...facts }))), now],
  )
  await client.query(
    `UPDATE package_observation SET monthly_downloads = r.downloads
     FROM jsonb_to_recordset($1) AS r (name text, downloads integer)
     WHERE registry = 'NPM' AND package_observation.name = r.name`,
    [JSON.stringify([...downloads].map(([name, count]) => ({ name, downloads: count })))],
  )
}

/** Whatever items take of packages, as one text per package, by `packageKey`. */
export async function mergedFacts(client: pg.ClientBase, names: readonly PackageName[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ key: string; facts: string }>(
    // Downloads by their first digit and how many follow: `roundedDownloads`.
    `SELECT registry || ' ' || name AS key,
       jsonb_build_array(repository, license, is_withdrawn, left(monthly_downloads::text, 1), length(monthly_downloads::text))::text AS facts
     FROM package_observation
     WHERE (registry, name) IN (SELECT split_part(key, ' ', 1), split_part(key, ' ', 2) FROM unnest($1::text[]) AS key)`,
    [names.map(packageKey)],
  )
  return new Map(rows.map(({ key, facts }) => [key, facts]))
}
