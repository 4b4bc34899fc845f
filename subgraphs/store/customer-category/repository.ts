import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import { freePermalink } from '../text-key.ts'
import type { CustomerCategory } from './customer-category.ts'

const COLUMNS = ['id', 'name', 'code', 'created_at as createdAt', 'updated_at as updatedAt', 'version'] as const

/**
 * Key of an advisory lock: any number that is the same in every process and used for nothing else.
 */
const CODES_LOCK = 0x63636f64

/** A customer in a category. */
type Membership = { readonly customerId: number; readonly categoryId: number }

export type CustomerCategoryRepository = ReturnType<typeof customerCategoryRepository>

/** Categories of customers in the database; every call is about one store. */
export const customerCategoryRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'customer_category', database.selectFrom('customer_category').select(COLUMNS)),

  count: (storeId: number): Promise<number> => countRows(database, 'customer_category', storeId),

  /** An unused code like the wanted one, reserved for this transaction. */
  async freeCode(storeId: number, wanted: string): Promise<string> {
    await sql`SELECT pg_advisory_xact_lock(${CODES_LOCK}, ${storeId})`.execute(database)
    const rows = await database
      .selectFrom('customer_category')
      .select('code')
      .where('store_id', '=', storeId)
      .where((where) =>
        where.or([where('code', '=', wanted), where(sql<string>`left(code, ${wanted.length + 1})`, '=', `${wanted}-`)]),
      )
      .execute()
    return freePermalink(wanted, new Set(rows.map(({ code }) => code)))
  },

  async insert(storeId: number, { name, code }: Pick<CustomerCategory, 'name' | 'code'>, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('customer_category')
      .values({ store_id: storeId, name, code, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async rename(storeId: number, id: number, name: string, at: Date): Promise<void> {
    await database
      .updateTable('customer_category')
      .set((set) => ({ name, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** The categories of customers by their rows, oldest first, at most `most` of each. */
  categoriesOf: (storeId: number, customerIds: readonly number[], max: number): Promise<readonly Membership[]> =>
    CATEGORIES_OF(database, storeId, customerIds, max),

  /** Ids of the customers of categories, oldest first, one more of each than requested. */
  async membersOf(
    storeId: number,
    categoryIds: readonly number[],
    { size, after, offset }: KeysetRange,
  ): Promise<readonly Membership[]> {
    const { rows } = await sql<Membership>`
      SELECT requested.id AS "categoryId", found.customer_id AS "customerId"
      FROM unnest(${categoryIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT customer_id FROM customer_category_member
        WHERE store_id = ${storeId} AND category_id = requested.id AND customer_id > ${after === null ? 0 : Number(after[0])}
        ORDER BY customer_id LIMIT ${size + 1} OFFSET ${offset}
      ) AS found
      ORDER BY found.customer_id`.execute(database)
    return rows
  },

  countMembers: (
    storeId: number,
    categoryIds: readonly number[],
  ): Promise<{ readonly categoryId: number; readonly count: string }[]> =>
    database
      .selectFrom('customer_category_member')
      .select(({ fn }) => ['category_id as categoryId', fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('category_id', 'in', categoryIds)
      .groupBy('category_id')
      .execute(),

  /** Adds customers to a category; returns those that were not in it before. */
  async addMembers(storeId: number, categoryId: number, customerIds: readonly number[]): Promise<readonly number[]> {
    const { rows } = await sql<{ readonly customerId: number }>`
      INSERT INTO customer_category_member (store_id, category_id, customer_id)
      SELECT ${storeId}, ${categoryId}, id FROM unnest(${customerIds}::integer[]) AS added (id)
      ON CONFLICT DO NOTHING
      RETURNING customer_id AS "customerId"`.execute(database)
    return rows.map(({ customerId }) => customerId)
  },

  /** Whether the customer was in the category. */
  async removeMember(storeId: number, categoryId: number, customerId: number): Promise<boolean> {
    const { numDeletedRows } = await database
      .deleteFrom('customer_category_member')
      .where('store_id', '=', storeId)
      .where('category_id', '=', categoryId)
      .where('customer_id', '=', customerId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },
})

const CATEGORIES_OF = prepared((database: Kysely<Tables>, storeId: number, customerIds: readonly number[], max: number) =>
  sql<Membership>`
    SELECT requested.id AS "customerId", found.category_id AS "categoryId"
    FROM unnest(${customerIds}::integer[]) AS requested (id)
    CROSS JOIN LATERAL (
      SELECT category_id FROM customer_category_member
      WHERE store_id = ${storeId} AND customer_id = requested.id ORDER BY category_id LIMIT ${max}
    ) AS found
    ORDER BY found.category_id`.compile(database),
)
