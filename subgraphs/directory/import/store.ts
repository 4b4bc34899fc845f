import type pg from 'pg'
import { type PackageName, packageKey } from '../item/package-name.ts'
import type { Contribution } from './contribution.ts'
import type { Keyed } from './key.ts'
import type { OwnPackage, Packages } from './own-package.ts'
import type { Row } from './row.ts'
import type { StarCount } from './stars.ts'

/** A contribution and the folder or URL that it was read under. */
export type Rooted = { readonly contribution: Contribution; readonly root: string }

/** Names a stored contribution. */
export type Address = { readonly origin: string; readonly path: string; readonly locator: string }

/** Rows per statement: a few MB of JSON. */
const BATCH_ROWS = 1_000

/** Any fixed number: "import" as ASCII in hexadecimal. Imports take turns. */
const IMPORT_LOCK = 0x696d706f7274

/**
 * Asks for the turn that lasts until the end of the transaction; false when another import has it.
 */
export async function takeTurn(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [IMPORT_LOCK])
  return rows[0]?.taken === true
}

/**
 * Stores contributions over what their addresses held, but for what is held under one of the roots
 * `others`; returns how many differ from that.
 */
export async function saveContributions(
  client: pg.ClientBase,
  rooted: readonly Rooted[],
  others: readonly string[] = [],
): Promise<number> {
  let saved = 0
  await inBatches(rooted, async (batch) => {
    const { rowCount } = await client.query(
      `INSERT INTO contribution (origin, path, locator, root, format, kind, record)
       SELECT origin, path, locator, root, format, kind, record
       FROM jsonb_to_recordset($1) AS r (origin text, path text, locator text, root text, format text, kind text, record jsonb)
       ON CONFLICT (origin, path, locator) DO UPDATE
       SET root = excluded.root, format = excluded.format, kind = excluded.kind, record = excluded.record
       WHERE (contribution.root, contribution.format, contribution.record) IS DISTINCT FROM (excluded.root, excluded.format, excluded.record)
         AND contribution.root <> ALL ($2)`,
      [JSON.stringify(batch.map(asRow)), others],
    )
    saved += rowCount ?? 0
  })
  return saved
}

const asRow = ({ contribution: { origin, path, locator, format, statement }, root }: Rooted) => ({
  origin,
  path,
  locator,
  root,
  format,
  kind: statement.kind,
  record: statement,
})

/** Where a contribution is stored, and what it is of. */
export type StoredAddress = Address & {
  readonly root: string
  readonly identity: string
  /** Name in its registry; null for other records. */
  readonly name: string | null
}

const ADDRESS = `origin, path, locator, root, record ->> 'identity' AS identity, record #>> '{registered,name}' AS name`

/** Addresses of contributions under a root that have one of these names in their registry. */
export async function addressesOfNames(
  client: pg.ClientBase,
  root: string,
  names: ReadonlySet<string>,
): Promise<readonly StoredAddress[]> {
  if (names.size === 0) return []
  const { rows } = await client.query<StoredAddress>(
    `SELECT ${ADDRESS} FROM contribution WHERE root = $1 AND record #>> '{registered,name}' = ANY ($2)`,
    [root, [...names]],
  )
  return rows
}

/** Whether there is a source with this row id; it stays until the end of the transaction, and may be changed. */
export async function hasSource(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM source WHERE id = $1 FOR KEY SHARE', [id])
  return rowCount === 1
}

/** Contributions that are stored under a root. */
export async function countRecordsOf(client: pg.ClientBase, root: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM contribution WHERE root = $1', [
    root,
  ])
  return rows[0]?.count ?? 0
}

/** Deletes all contributions under a root; returns how many. */
export async function deleteRoot(client: pg.ClientBase, root: string): Promise<number> {
  const { rowCount } = await client.query('DELETE FROM contribution WHERE root = $1', [root])
  return rowCount ?? 0
}

/**
 * Addresses of all contributions of these origins, of those that begin like one of `beginnings`, and
 * of those that were read under a folder that begins like one of `folders`; and what each was read
 * under.
 */
export async function addressesOf(
  client: pg.ClientBase,
  origins: readonly string[],
  beginnings: readonly string[],
  folders: readonly string[],
): Promise<readonly StoredAddress[]> {
  const { rows } = await client.query<StoredAddress>(
    `SELECT ${ADDRESS} FROM contribution
     WHERE origin = ANY ($1)
        OR EXISTS (SELECT FROM unnest($2::text[]) AS beginning WHERE starts_with(origin, beginning))
        OR EXISTS (SELECT FROM unnest($3::text[]) AS folder WHERE starts_with(root, folder))`,
    [origins, beginnings, folders],
  )
  return rows
}

export async function deleteContributions(client: pg.ClientBase, addresses: readonly Address[]): Promise<void> {
  await inBatches(addresses, (batch) =>
    client.query(
      `DELETE FROM contribution USING jsonb_to_recordset($1) AS r (origin text, path text, locator text)
       WHERE (contribution.origin, contribution.path, contribution.locator) = (r.origin, r.path, r.locator)`,
      [JSON.stringify(batch)],
    ),
  )
}

/** Everything that any import has found, in no particular order. */
export async function allContributions(client: pg.ClientBase): Promise<readonly Contribution[]> {
  const { rows } = await client.query<Contribution>('SELECT origin, path, locator, format, record AS statement FROM contribution')
  return rows
}

/**
 * Stores star counts; an older count never replaces a newer one, nor a smaller one that of the same
 * day.
 */
export async function saveStars(client: pg.ClientBase, counts: readonly StarCount[]): Promise<void> {
  await inBatches(counts, (batch) =>
    client.query(
      `INSERT INTO repository_stars (repository, stars, as_of)
       SELECT repository, stars, "asOf" FROM jsonb_to_recordset($1) AS r (repository text, stars integer, "asOf" date)
       ON CONFLICT (repository) DO UPDATE SET stars = excluded.stars, as_of = excluded.as_of
       WHERE (excluded.as_of, excluded.stars) > (repository_stars.as_of, repository_stars.stars)`,
      [JSON.stringify(batch)],
    ),
  )
}

export async function allStars(client: pg.ClientBase): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ repository: string; stars: number }>('SELECT repository, stars FROM repository_stars')
  return new Map(rows.map(({ repository, stars }) => [repository, stars]))
}

/** Repositories that GitHub says are archived. */
export async function allArchived(client: pg.ClientBase): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ repository: string }>('SELECT repository FROM repository_observation WHERE archived')
  return new Set(rows.map(({ repository }) => repository))
}

/** Licences that GitHub recognised, by repository. */
export async function allLicenses(client: pg.ClientBase): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ repository: string; license: string }>(
    'SELECT repository, license FROM repository_observation WHERE license IS NOT NULL',
  )
  return new Map(rows.map(({ repository, license }) => [repository, license]))
}

/** What items take of packages that name a repository, by `packageKey`. */
export async function allPackages(client: pg.ClientBase): Promise<Packages> {
  const { rows } = await client.query<PackageName & OwnPackage>(
    `SELECT registry, name, repository, license, is_withdrawn AS "isWithdrawn", monthly_downloads AS "monthlyDownloads"
     FROM package_observation WHERE repository IS NOT NULL`,
  )
  return new Map(rows.map((row) => [packageKey(row), row]))
}

/** The keys of all items, tombstones included. */
export async function allKeys(client: pg.ClientBase): Promise<readonly Keyed[]> {
  const { rows } = await client.query<Keyed>('SELECT kind, identity, key FROM item')
  return rows
}

/** Gives rows another identity; each keeps its id and key. */
export async function renameIdentities(
  client: pg.ClientBase,
  renamed: readonly { readonly kind: string; readonly from: string; readonly to: string }[],
): Promise<void> {
  await inBatches(renamed, (batch) =>
    client.query(
      `UPDATE item SET identity = r.to FROM jsonb_to_recordset($1) AS r (kind text, "from" text, "to" text)
       WHERE item.kind = r.kind AND item.identity = r.from`,
      [JSON.stringify(batch)],
    ),
  )
}

/**
 * The number that the next change of the directory will have. Locks the revision until the end of
 * the transaction.
 */
export async function nextRevision(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ next: string }>('SELECT number + 1 AS next FROM revision FOR UPDATE')
  if (!rows[0]) throw new Error('Expected table revision to have its row.')
  return rows[0].next
}

/** Inserts new rows, changes those that differ, revives tombstones, and leaves the others alone. */
export async function saveItems(
  client: pg.ClientBase,
  rows: readonly Row[],
  { revision, now }: { readonly revision: string; readonly now: Date },
): Promise<{ readonly added: number; readonly updated: number }> {
  let added = 0
  let updated = 0
  await inBatches(rows, async (batch) => {
    const { rows: written } = await client.query<{ added: boolean }>(
      `INSERT INTO item (kind, identity, key, name, description, category, original_category, tags, popularity, license, detail, provenance,
                         created_at, updated_at, removed_at, revision)
       SELECT kind, identity, key, name, description, category, original_category, tags, popularity, license, detail, provenance,
              $2, $2, NULL, $3
       FROM jsonb_to_recordset($1) AS r (kind text, identity text, key text, name text, description text, category text,
            original_category text, tags text[], popularity integer, license text, detail jsonb, provenance jsonb)
       ON CONFLICT (kind, identity) DO UPDATE
       SET name = excluded.name, description = excluded.description, category = excluded.category,
           original_category = excluded.original_category, tags = excluded.tags, popularity = excluded.popularity,
           license = excluded.license, detail = excluded.detail, provenance = excluded.provenance, updated_at = excluded.updated_at, removed_at = NULL,
           revision = excluded.revision
       WHERE item.removed_at IS NOT NULL
          OR (item.name, item.description, item.category, item.original_category, item.tags, item.popularity, item.license, item.detail,
              item.provenance)
             IS DISTINCT FROM (excluded.name, excluded.description, excluded.category, excluded.original_category, excluded.tags,
                               excluded.popularity, excluded.license, excluded.detail, excluded.provenance)
       -- A row that this statement inserted has never been locked or deleted by anybody.
       RETURNING xmax = 0 AS added`,
      [JSON.stringify(batch), now, revision],
    )
    added += written.filter((row) => row.added).length
    updated += written.filter((row) => !row.added).length
  })
  return { added, updated }
}

/** Turns every item that is not among `rows` into a tombstone; returns how many. */
export async function buryOthers(
  client: pg.ClientBase,
  rows: readonly Row[],
  { revision, now }: { readonly revision: string; readonly now: Date },
): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE item SET removed_at = $2, updated_at = $2, revision = $3
     WHERE removed_at IS NULL
       AND NOT EXISTS (SELECT FROM unnest($1::text[], $4::text[]) AS kept (kind, identity)
                       WHERE kept.kind = item.kind AND kept.identity = item.identity)`,
    [rows.map(({ kind }) => kind), now, revision, rows.map(({ identity }) => identity)],
  )
  return rowCount ?? 0
}

/**
 * Makes the change visible as a new state of the directory, and tells everybody who listens once it
 * is committed.
 */
export async function publishRevision(client: pg.ClientBase, now: Date): Promise<void> {
  await client.query('UPDATE revision SET number = number + 1, changed_at = $1', [now])
  await client.query('NOTIFY directory_revision')
}

/** Living items per kind. */
export async function countItems(client: pg.ClientBase): Promise<Readonly<Record<string, number>>> {
  const { rows } = await client.query<{ kind: string; count: number }>(
    'SELECT kind, count(*)::int AS count FROM item WHERE removed_at IS NULL GROUP BY kind ORDER BY kind',
  )
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

async function inBatches<Value>(values: readonly Value[], write: (batch: readonly Value[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < values.length; start += BATCH_ROWS) await write(values.slice(start, start + BATCH_ROWS))
}
