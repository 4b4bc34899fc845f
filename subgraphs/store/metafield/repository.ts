import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Metafield, MetafieldInput, MetafieldName, MetafieldType } from './metafield.ts'
import { OWNERS, type Owner } from './owners.ts'

/** A metafield and whose it is, as a key of loaders. */
export type OwnedMetafield = Metafield & { readonly owner: string }

/** An owner as one text, such as `Page:7`. */
export const ownerKey = ({ type, id }: Owner): string => `${type}:${id}`

export type MetafieldRepository = ReturnType<typeof metafieldRepository>

/** Metafields in the database; every call is about one store. */
export const metafieldRepository = (database: Kysely<Tables>) => ({
  /** Those of all these owners, by namespace and key. Keys are those of `ownerKey`. */
  async ofOwners(storeId: number, keys: readonly string[]): Promise<OwnedMetafield[]> {
    const owners = keys.map((key) => key.split(':'))
    const types = owners.map(([type]) => type)
    const ids = owners.map(([, id]) => Number(id))
    const { rows } = await sql<OwnedMetafield & { readonly type: MetafieldType }>`
      SELECT metafield.id, namespace, key, type, value, created_at AS "createdAt", updated_at AS "updatedAt",
        requested.owner_type || ':' || requested.owner_id AS owner
      FROM unnest(${types}::text[], ${ids}::integer[]) AS requested (owner_type, owner_id)
      JOIN metafield ON metafield.store_id = ${storeId}
        AND metafield.owner_type = requested.owner_type AND metafield.owner_id = requested.owner_id
      ORDER BY namespace COLLATE "C", key COLLATE "C"`.execute(database)
    return rows
  },

  /**
   * Whether the owner exists. Locks it against deletion and other changes of its metafields until
   * the transaction ends.
   */
  async lockOwner(storeId: number, { type, id }: Owner): Promise<boolean> {
    if (type === 'Store' && id !== storeId) return false
    // A cast: the tables have the same columns, and types of queries take one table only.
    const table = OWNERS[type].table as 'product'
    let query = database.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate()
    if (type !== 'Store') query = query.where('store_id', '=', storeId)
    return (await query.executeTakeFirst()) !== undefined
  },

  /** Sets these; values are in their stored form. */
  async set(storeId: number, { type, id }: Owner, metafields: readonly MetafieldInput[], at: Date): Promise<void> {
    await database
      .insertInto('metafield')
      .values(
        metafields.map((metafield) => ({
          store_id: storeId,
          owner_type: type,
          owner_id: id,
          ...metafield,
          created_at: at,
          updated_at: at,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'owner_type', 'owner_id', 'namespace', 'key']).doUpdateSet((set) => ({
          type: set.ref('excluded.type'),
          value: set.ref('excluded.value'),
          updated_at: set.ref('excluded.updated_at'),
        })),
      )
      .execute()
  },

  async count(storeId: number, { type, id }: Owner): Promise<number> {
    const { count } = await database
      .selectFrom('metafield')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .where('owner_type', '=', type)
      .where('owner_id', '=', id)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  async delete(storeId: number, { type, id }: Owner, names: readonly MetafieldName[]): Promise<void> {
    await sql`DELETE FROM metafield WHERE store_id = ${storeId} AND owner_type = ${type} AND owner_id = ${id}
      AND (namespace, key) IN (SELECT * FROM unnest(${names.map(({ namespace }) => namespace)}::text[],
        ${names.map(({ key }) => key)}::text[]))`.execute(database)
  },
})
