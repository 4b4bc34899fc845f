import type { StoreStack, TestStore } from './store.ts'

let made = 0

/** A product of a store, straight in the database: its id of the REST API. */
export async function aProduct({ sql }: Pick<StoreStack, 'sql'>, { storeId }: TestStore, name = 'Lamp'): Promise<number> {
  made += 1
  const [row] = await sql(
    `INSERT INTO product (store_id, name, price, permalink, created_at, updated_at)
     VALUES ($1, $2, 10, $3, now(), now()) RETURNING id`,
    [storeId, name, `${name.toLowerCase()}-${made}`],
  )
  return Number(row?.id)
}

/** A variant of a product, straight in the database. */
export async function aVariant({ sql }: Pick<StoreStack, 'sql'>, { storeId }: TestStore, product: number): Promise<number> {
  made += 1
  const [row] = await sql(
    `INSERT INTO product_variant (store_id, product_id, price, combination, created_at, updated_at)
     VALUES ($1, $2, 10, $3, now(), now()) RETURNING id`,
    [storeId, product, String(made)],
  )
  return Number(row?.id)
}
