import { type Kysely, type RawBuilder, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { Tables } from '../tables.ts'
import type { InventoryLevel, StockItem } from './inventory.ts'

const LEVEL = [
  'id',
  'location_id as locationId',
  'product_id as productId',
  'variant_id as variantId',
  'stock',
  'updated_at as updatedAt',
] as const

/** Stock in the row of an item itself; `hasVariants` of products only. */
export type Holder = StockItem & { readonly stock: number; readonly isUnlimited: boolean; readonly hasVariants: boolean }

/** A level, with the priority of its location. */
export type StoredLevel = InventoryLevel & { readonly isMain: boolean; readonly isSource: boolean }

/** Pieces that come to an item, at a location or on its own row; negative: that leave it. */
export type LevelChange = StockItem & { readonly locationId: number | null; readonly delta: number }

/** A level that has changed. */
export type Moved = Pick<InventoryLevel, 'id' | 'productId' | 'locationId'>

export type InventoryRepository = ReturnType<typeof inventoryRepository>

/** Stock in the database; every call is about one store. */
export const inventoryRepository = (database: Kysely<Tables>) => ({
  /** Whether the store has this location. */
  async hasLocation(storeId: number, locationId: number): Promise<boolean> {
    const found = await database
      .selectFrom('location')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', '=', locationId)
      .executeTakeFirst()
    return found !== undefined
  },

  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<InventoryLevel[]> =>
    database.selectFrom('inventory_level').select(LEVEL).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

  /** By location, product and variant. No variants: all of them. */
  list(
    storeId: number,
    {
      locationIds,
      productIds,
      variantIds,
    }: {
      readonly locationIds: readonly number[]
      readonly productIds: readonly number[]
      readonly variantIds: readonly number[] | null
    },
  ): Promise<InventoryLevel[]> {
    let query = database
      .selectFrom('inventory_level')
      .select(LEVEL)
      .where('store_id', '=', storeId)
      .where('location_id', 'in', locationIds)
      .where('product_id', 'in', productIds)
    if (variantIds) query = query.where('variant_id', 'in', variantIds)
    return query.orderBy('location_id').orderBy('product_id').orderBy('variant_id').execute()
  },

  /** Of products, by location and variant, at most `most` of all. */
  ofProducts: (storeId: number, productIds: readonly number[], max: number): Promise<InventoryLevel[]> =>
    database
      .selectFrom('inventory_level')
      .select(LEVEL)
      .where('store_id', '=', storeId)
      .where('product_id', 'in', productIds)
      .orderBy('location_id')
      .orderBy('variant_id')
      .limit(max)
      .execute(),

  /** The rows of these products and of all their variants, as they are now. */
  holders: (storeId: number, productIds: readonly number[]): Promise<readonly Holder[]> =>
    holdersOf(database, storeId, productIds, HOLDERS),

  /** The same, locked until the transaction ends: in one order, to avoid deadlocks. */
  lock: (storeId: number, productIds: readonly number[]): Promise<readonly Holder[]> =>
    holdersOf(database, storeId, productIds, LOCKED),

  /** The levels of products, the main location's first, then by location. */
  levels: (storeId: number, productIds: readonly number[]): Promise<readonly StoredLevel[]> =>
    LEVELS_OF_PRODUCTS(database, storeId, productIds),

  /** Locks a location against changes of levels until the transaction ends. */
  async lockLocation(storeId: number, locationId: number): Promise<void> {
    await database
      .selectFrom('location')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', '=', locationId)
      .forUpdate()
      .execute()
  },

  /** Items with a level at a location. */
  itemsAt: (storeId: number, locationId: number): Promise<StockItem[]> =>
    database
      .selectFrom('inventory_level')
      .select(['product_id as productId', 'variant_id as variantId'])
      .where('store_id', '=', storeId)
      .where('location_id', '=', locationId)
      .execute(),

  /** Makes the level of an item at a location this high; its row. */
  async set(storeId: number, locationId: number, { productId, variantId }: StockItem, stock: number, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('inventory_level')
      .values({ store_id: storeId, location_id: locationId, product_id: productId, variant_id: variantId, stock, updated_at: at })
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'product_id', 'variant_id', 'location_id']).doUpdateSet({ stock, updated_at: at }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  /** Makes items have a level at a location, which is 0 if it is new. */
  async ensure(storeId: number, locationId: number, items: readonly StockItem[], at: Date): Promise<void> {
    if (items.length === 0) return
    await sql`
      INSERT INTO inventory_level (store_id, location_id, product_id, variant_id, stock, updated_at)
      SELECT ${storeId}, ${locationId}, item.product_id, item.variant_id, 0, ${at}
      FROM unnest(${items.map(({ productId }) => productId)}::integer[], ${items.map(({ variantId }) => variantId)}::integer[])
        AS item (product_id, variant_id)
      ON CONFLICT (store_id, product_id, variant_id, location_id) DO NOTHING`.execute(database)
  },

  /** Adds to existing levels, and returns them; changes without a location are left out. */
  async addToLevels(storeId: number, changes: readonly LevelChange[], at: Date): Promise<readonly Moved[]> {
    const stored = changes.filter(({ locationId }) => locationId !== null)
    if (stored.length === 0) return []
    return ADD_TO_LEVELS(
      database,
      storeId,
      stored.map(({ locationId }) => locationId),
      stored.map(({ productId }) => productId),
      stored.map(({ variantId }) => variantId),
      stored.map(({ delta }) => delta),
      at,
    )
  },

  /** Adds to the rows of products and variants. */
  async addToHolders(storeId: number, changes: readonly LevelChange[]): Promise<void> {
    const of = (part: readonly LevelChange[], id: (change: LevelChange) => number | null) => ({
      ids: part.map(id),
      deltas: part.map(({ delta }) => delta),
    })
    const products = of(
      changes.filter(({ variantId }) => variantId === null),
      ({ productId }) => productId,
    )
    const variants = of(
      changes.filter(({ variantId }) => variantId !== null),
      ({ variantId }) => variantId,
    )
    await Promise.all(
      (
        [
          ['product', products],
          ['product_variant', variants],
        ] as const
      ).map(([table, { ids, deltas }]) => ids.length > 0 && ADD_TO[table](database, storeId, ids, deltas)),
    )
  },

  /** Sets the stock of products and variants to the sum of their levels, where they have any. */
  async sumUp(storeId: number, productIds: readonly number[]): Promise<void> {
    await sql`
      UPDATE product SET stock = level.stock
      FROM (SELECT product_id, sum(stock)::integer AS stock FROM inventory_level
        WHERE store_id = ${storeId} AND product_id = ANY(${productIds}::integer[]) AND variant_id IS NULL GROUP BY 1) AS level
      WHERE product.store_id = ${storeId} AND product.id = level.product_id`.execute(database)
    await sql`
      UPDATE product_variant SET stock = level.stock
      FROM (SELECT variant_id, sum(stock)::integer AS stock FROM inventory_level
        WHERE store_id = ${storeId} AND product_id = ANY(${productIds}::integer[]) AND variant_id IS NOT NULL GROUP BY 1) AS level
      WHERE product_variant.store_id = ${storeId} AND product_variant.id = level.variant_id`.execute(database)
  },

  async setUnlimited(storeId: number, { productId, variantId }: StockItem, isUnlimited: boolean): Promise<void> {
    const [table, id] = variantId === null ? (['product', productId] as const) : (['product_variant', variantId] as const)
    await database
      .updateTable(table)
      .set({ stock_unlimited: isUnlimited })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },
})

async function holdersOf(
  database: Kysely<Tables>,
  storeId: number,
  productIds: readonly number[],
  { products, variants }: typeof HOLDERS,
): Promise<readonly Holder[]> {
  const found = await Promise.all([products(database, storeId, productIds), variants(database, storeId, productIds)])
  return found.flat()
}

const holders = (lock: RawBuilder<unknown>) => ({
  products: prepared((database: Kysely<Tables>, storeId: number, productIds: readonly number[]) =>
    sql<Holder>`
      SELECT id AS "productId", NULL AS "variantId", stock, stock_unlimited AS "isUnlimited",
        EXISTS (SELECT 1 FROM product_variant variant WHERE variant.store_id = product.store_id AND variant.product_id = product.id) AS "hasVariants"
      FROM product WHERE store_id = ${storeId} AND id = ANY(${productIds}::integer[])
      ORDER BY id ${lock}`.compile(database),
  ),
  variants: prepared((database: Kysely<Tables>, storeId: number, productIds: readonly number[]) =>
    sql<Holder>`
      SELECT product_id AS "productId", id AS "variantId", stock, stock_unlimited AS "isUnlimited", false AS "hasVariants"
      FROM product_variant WHERE store_id = ${storeId} AND product_id = ANY(${productIds}::integer[])
      ORDER BY id ${lock}`.compile(database),
  ),
})
const HOLDERS = holders(sql``)
const LOCKED = holders(sql`FOR NO KEY UPDATE`)

const LEVELS_OF_PRODUCTS = prepared((database: Kysely<Tables>, storeId: number, productIds: readonly number[]) =>
  sql<StoredLevel>`
    SELECT level.id, level.location_id AS "locationId", level.product_id AS "productId", level.variant_id AS "variantId", level.stock,
      level.updated_at AS "updatedAt", location.main AS "isMain", location.active AND location.is_stock_origin AS "isSource"
    FROM inventory_level level
    JOIN location ON location.store_id = level.store_id AND location.id = level.location_id
    WHERE level.store_id = ${storeId} AND level.product_id = ANY(${productIds}::integer[])
    ORDER BY location.main DESC, location.id`.compile(database),
)

const ADD_TO_LEVELS = prepared(
  (
    database: Kysely<Tables>,
    storeId: number,
    locationIds: readonly (number | null)[],
    productIds: readonly number[],
    variantIds: readonly (number | null)[],
    deltas: readonly number[],
    at: Date,
  ) =>
    sql<Moved>`
      UPDATE inventory_level AS level SET stock = level.stock + change.delta, updated_at = ${at}
      FROM (SELECT location_id, product_id, variant_id, sum(delta)::integer AS delta
        FROM unnest(${locationIds}::integer[], ${productIds}::integer[], ${variantIds}::integer[], ${deltas}::integer[])
          AS part (location_id, product_id, variant_id, delta) GROUP BY 1, 2, 3) AS change
      WHERE level.store_id = ${storeId} AND level.location_id = change.location_id AND level.product_id = change.product_id
        AND level.variant_id IS NOT DISTINCT FROM change.variant_id
      RETURNING level.id, level.product_id AS "productId", level.location_id AS "locationId"`.compile(database),
)

const addTo = (table: 'product' | 'product_variant') =>
  prepared((database: Kysely<Tables>, storeId: number, ids: readonly (number | null)[], deltas: readonly number[]) =>
    sql`
      UPDATE ${sql.table(table)} AS held SET stock = held.stock + change.delta
      FROM (SELECT id, sum(delta)::integer AS delta FROM unnest(${ids}::integer[], ${deltas}::integer[]) AS part (id, delta) GROUP BY 1) AS change
      WHERE held.store_id = ${storeId} AND held.id = change.id`.compile(database),
  )
const ADD_TO = { product: addTo('product'), product_variant: addTo('product_variant') }
