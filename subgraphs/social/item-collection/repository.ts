import { type Kysely, sql } from 'kysely'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { costOf } from '../quota/quota.ts'
import type { QuotaRepository } from '../quota/repository.ts'
import type { Tables } from '../tables.ts'
import { type ItemCollection, type ItemCollectionEntry, MAX_COLLECTIONS, MAX_ENTRIES, movedTo } from './item-collection.ts'

const COLUMNS = [
  'id',
  'author_id as authorId',
  'name',
  'description',
  'visibility',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** The same columns of a row `found`. */
const FOUND = sql`found.id, found.author_id AS "authorId", found.name, found.description, found.visibility,
  found.created_at AS "createdAt", found.updated_at AS "updatedAt"`

type NewCollection = Pick<ItemCollection, 'authorId' | 'name' | 'description' | 'visibility'> & {
  /** Its first item; null: none. */
  readonly itemId: string | null
}

type NewEntry = Pick<ItemCollectionEntry, 'itemId'> & {
  /** Null: the note that is there stays, and a new entry has none. */
  readonly note: string | null
}

/** Why nothing was written: beyond the quota of the author, or beyond the number that there can be. */
type WriteRefusal = 'quota' | 'limit'

/** Collections in the database. */
export const itemCollectionRepository = (database: Kysely<Tables>, quota: QuotaRepository) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<ItemCollection[]> =>
    database.selectFrom('item_collection').select(COLUMNS).where('id', 'in', ids).execute(),

  /** The first entries of several collections, in the order of their authors; at most `max` of each. */
  async entriesOf(collectionIds: readonly string[], max: number): Promise<ItemCollectionEntry[]> {
    const { rows } = await sql<ItemCollectionEntry>`
      SELECT requested.id AS "collectionId", found.item_id AS "itemId", found.note, found.added_at AS "addedAt"
      FROM unnest(${collectionIds}::text[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT entry.* FROM item_collection_entry AS entry WHERE entry.collection_id = requested.id
        ORDER BY entry.position, entry.item_id LIMIT ${max}
      ) AS found
      ORDER BY requested.id, found.position, found.item_id`.execute(database)
    return rows
  },

  countEntries: (collectionIds: readonly string[]): Promise<{ readonly collectionId: string; readonly count: string }[]> =>
    database
      .selectFrom('item_collection_entry')
      .select(({ fn }) => ['collection_id as collectionId', fn.countAll<string>().as('count')])
      .where('collection_id', 'in', collectionIds)
      .groupBy('collection_id')
      .execute(),

  /** Collections of several authors, last changed first; only public ones unless `reader` is the author. */
  ofAuthors: (authorIds: readonly string[], reader: string | null): Promise<ItemCollection[]> =>
    database
      .selectFrom('item_collection')
      .select(COLUMNS)
      .where('author_id', 'in', authorIds)
      .where(sql<boolean>`(visibility = 'PUBLIC' OR author_id = ${reader}::bigint)`)
      .orderBy('author_id')
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .execute(),

  /** Public collections, last changed first, one more than requested. */
  listed({ size, after }: KeysetRange): Promise<ItemCollection[]> {
    let query = database.selectFrom('item_collection').select(COLUMNS).where('visibility', '=', sql.lit('PUBLIC'))
    if (after) query = query.where(sql<boolean>`(updated_at, id) < (${after[0]}::timestamptz, ${after[1]})`)
    return query
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute()
  },

  countListed: (): Promise<number> =>
    database
      .selectFrom('item_collection')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('visibility', '=', sql.lit('PUBLIC'))
      .executeTakeFirstOrThrow()
      .then(({ count }) => Number(count)),

  /** Public collections with each of several items, last changed first, of each item one more than requested. */
  async withItems(
    itemIds: readonly string[],
    { size, after }: KeysetRange,
  ): Promise<(ItemCollection & { readonly itemId: string })[]> {
    const behind = after ? sql`AND (own.updated_at, own.id) < (${after[0]}::timestamptz, ${after[1]})` : sql``
    const { rows } = await sql<ItemCollection & { readonly itemId: string }>`
      SELECT requested.id AS "itemId", ${FOUND}
      FROM unnest(${itemIds}::text[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT own.* FROM item_collection_entry AS entry JOIN item_collection AS own ON own.id = entry.collection_id
        WHERE entry.item_id = requested.id AND own.visibility = 'PUBLIC' ${behind}
        ORDER BY own.updated_at DESC, own.id DESC LIMIT ${size + 1}
      ) AS found
      ORDER BY requested.id, found.updated_at DESC, found.id DESC`.execute(database)
    return rows
  },

  countWithItems: (itemIds: readonly string[]): Promise<{ readonly itemId: string; readonly count: string }[]> =>
    database
      .selectFrom('item_collection_entry as entry')
      .innerJoin('item_collection as own', 'own.id', 'entry.collection_id')
      .select(({ fn }) => ['entry.item_id as itemId', fn.countAll<string>().as('count')])
      .where('entry.item_id', 'in', itemIds)
      .where('own.visibility', '=', sql.lit('PUBLIC'))
      .groupBy('entry.item_id')
      .execute(),

  /** Writes a collection, with its first item if there is one. */
  create: ({ authorId, name, description, visibility, itemId }: NewCollection): Promise<ItemCollection | WriteRefusal> =>
    unlessLimitReached(() =>
      database.transaction().execute(async (transaction) => {
        // Locks the row of the author, so that collections are counted one after the other.
        if (!(await quota.take(transaction, authorId, costOf(name, description)))) return 'quota'
        const { count } = await transaction
          .selectFrom('item_collection')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .where('author_id', '=', authorId)
          .executeTakeFirstOrThrow()
        if (Number(count) >= MAX_COLLECTIONS) throw new LimitReached()
        const collection = await transaction
          .insertInto('item_collection')
          .values({ author_id: authorId, name, description, visibility })
          .returning(COLUMNS)
          .executeTakeFirstOrThrow()
        if (itemId !== null)
          await transaction
            .insertInto('item_collection_entry')
            .values({ collection_id: collection.id, item_id: itemId, note: '', position: 1 })
            .execute()
        return collection
      }),
    ),

  /** Changes the given fields; undefined when the collection is gone. */
  update: (
    { id, authorId }: Pick<ItemCollection, 'id' | 'authorId'>,
    fields: Partial<Pick<ItemCollection, 'name' | 'description' | 'visibility'>>,
  ): Promise<ItemCollection | undefined | 'quota'> =>
    retryAfterDeadlock(() =>
      database.transaction().execute(async (transaction) => {
        if (!(await quota.take(transaction, authorId, costOf(fields.name, fields.description)))) return 'quota'
        return transaction
          .updateTable('item_collection')
          .set({ ...fields, updated_at: sql`now()` })
          .where('id', '=', id)
          .returning(COLUMNS)
          .executeTakeFirst()
      }),
    ),

  /** Deletes a collection; false when it is gone already. */
  delete: (id: string): Promise<boolean> =>
    retryAfterDeadlock(() => database.deleteFrom('item_collection').where('id', '=', id).executeTakeFirst()).then(
      ({ numDeletedRows }) => numDeletedRows > 0n,
    ),

  /** Adds an item as the last, or gives one that is there another note; undefined when the collection is gone. */
  add: (
    { id, authorId }: Pick<ItemCollection, 'id' | 'authorId'>,
    { itemId, note }: NewEntry,
  ): Promise<ItemCollection | undefined | WriteRefusal> =>
    unlessLimitReached(() =>
      database.transaction().execute(async (transaction) => {
        if (!(await quota.take(transaction, authorId, costOf(note)))) return 'quota'
        const collection = await lock(transaction, id)
        if (!collection) return undefined
        const entries = await placesOf(transaction, id)
        const present = entries.find((entry) => entry.item_id === itemId)
        if (present && (note === null || note === present.note)) return collection
        if (!present && entries.length >= MAX_ENTRIES) throw new LimitReached()
        const stored = note ?? ''
        await transaction
          .insertInto('item_collection_entry')
          .values({ collection_id: id, item_id: itemId, note: stored, position: (entries.at(-1)?.position ?? 0) + 1 })
          .onConflict((conflict) => conflict.columns(['collection_id', 'item_id']).doUpdateSet({ note: stored }))
          .execute()
        return touch(transaction, id)
      }),
    ),

  /** Removes an item; undefined when the collection is gone. */
  remove: (id: string, itemId: string): Promise<ItemCollection | undefined> =>
    retryAfterDeadlock(() =>
      database.transaction().execute(async (transaction) => {
        const collection = await lock(transaction, id)
        const { numDeletedRows } = await transaction
          .deleteFrom('item_collection_entry')
          .where('collection_id', '=', id)
          .where('item_id', '=', itemId)
          .executeTakeFirst()
        return numDeletedRows > 0n ? touch(transaction, id) : collection
      }),
    ),

  /** Moves an item to a place from 1; undefined when the collection or the item in it is gone. */
  move: (
    { id, authorId }: Pick<ItemCollection, 'id' | 'authorId'>,
    itemId: string,
    place: number,
  ): Promise<ItemCollection | undefined | 'quota'> =>
    retryAfterDeadlock(() =>
      database.transaction().execute(async (transaction) => {
        if (!(await quota.take(transaction, authorId, costOf()))) return 'quota'
        const collection = await lock(transaction, id)
        const ids = (await placesOf(transaction, id)).map((entry) => entry.item_id)
        const order = movedTo(ids, itemId, place)
        if (!collection || order === null) return undefined
        if (order.every((each, at) => each === ids[at])) return collection
        await sql`
          UPDATE item_collection_entry SET position = ordered.place
          FROM unnest(${order}::text[]) WITH ORDINALITY AS ordered (item_id, place)
          WHERE collection_id = ${id} AND item_collection_entry.item_id = ordered.item_id`.execute(transaction)
        return touch(transaction, id)
      }),
    ),
})

/**
 * Locks a collection until the transaction ends, so that its entries change one after the other;
 * undefined when it is gone.
 */
const lock = (transaction: Kysely<Tables>, id: string): Promise<ItemCollection | undefined> =>
  transaction.selectFrom('item_collection').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst()

/** Notes that the entries of a collection were changed, which moves it up in lists. */
const touch = (transaction: Kysely<Tables>, id: string): Promise<ItemCollection | undefined> =>
  transaction
    .updateTable('item_collection')
    .set({ updated_at: sql`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst()

/** Entries of a collection in their order. */
const placesOf = (transaction: Kysely<Tables>, id: string) =>
  transaction
    .selectFrom('item_collection_entry')
    .select(['item_id', 'note', 'position'])
    .where('collection_id', '=', id)
    .orderBy('position')
    .orderBy('item_id')
    .execute()

/** Rolls a write back, with what it took out of the quota. */
class LimitReached extends Error {}

/** The result of a write; `limit` when it threw `LimitReached`. */
async function unlessLimitReached<Result>(write: () => Promise<Result>): Promise<Result | 'limit'> {
  try {
    return await retryAfterDeadlock(write)
  } catch (error) {
    if (error instanceof LimitReached) return 'limit'
    throw error
  }
}

export type ItemCollectionRepository = ReturnType<typeof itemCollectionRepository>
