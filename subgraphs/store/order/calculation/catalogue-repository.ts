import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../../platform/database/prepared-statements.ts'
import type { ProductStatus } from '../../product/product.ts'
import type { Tables } from '../../tables.ts'

/** What a line takes from a product. */
export type CatalogueProduct = {
  readonly productId: number
  readonly name: string
  readonly sku: string | null
  readonly status: ProductStatus
  readonly price: string
  /** Off one unit. */
  readonly discount: string
  readonly weight: string
  readonly minimumQuantity: number | null
  readonly maximumQuantity: number | null
  readonly requiresShipping: boolean
  readonly hasVariants: boolean
  /** Of its first picture. */
  readonly imageKey: string | null
}

/** What a line takes from a variant. */
export type CatalogueVariant = {
  readonly variantId: number
  readonly productId: number
  readonly sku: string | null
  readonly price: string
  /** Null: that of the product. */
  readonly weight: string | null
  /** `Red, M`; null without options. */
  readonly options: string | null
  readonly imageKey: string | null
}

/** What there is of what lines name, by row. */
export type OrderCatalogue = {
  readonly products: ReadonlyMap<number, CatalogueProduct>
  readonly variants: ReadonlyMap<number, CatalogueVariant>
}

/**
 * Reads what lines of an order take from the catalogue; names in a language, or in the store's own
 * for null. Two statements.
 */
export async function readCatalogue(
  database: Kysely<Tables>,
  storeId: number,
  rows: { readonly products: readonly number[]; readonly variants: readonly number[] },
  locale: string | null,
): Promise<OrderCatalogue> {
  const [products, variants] = await Promise.all([
    PRODUCTS(database, storeId, rows.products, locale),
    rows.variants.length === 0 ? [] : VARIANTS(database, storeId, rows.variants),
  ])
  return {
    products: new Map(products.map((product) => [product.productId, product])),
    variants: new Map(variants.map((variant) => [variant.variantId, variant])),
  }
}

const PRODUCTS = prepared((database: Kysely<Tables>, storeId: number, ids: readonly number[], locale: string | null) =>
  sql<CatalogueProduct>`
    SELECT product.id AS "productId", coalesce(translation.name, product.name) AS name, sku, status, price::text, discount::text, weight::text,
      minimum_quantity AS "minimumQuantity", maximum_quantity AS "maximumQuantity",
      shipping_required AND type = 'PHYSICAL' AS "requiresShipping",
      EXISTS (SELECT 1 FROM product_variant variant WHERE variant.store_id = product.store_id AND variant.product_id = product.id) AS "hasVariants",
      (SELECT file.key FROM product_image image JOIN file ON file.store_id = image.store_id AND file.id = image.file_id
        WHERE image.store_id = product.store_id AND image.product_id = product.id ORDER BY image.position LIMIT 1) AS "imageKey"
    FROM product
    LEFT JOIN product_translation translation
      ON translation.store_id = product.store_id AND translation.product_id = product.id AND translation.locale = ${locale}
    WHERE product.store_id = ${storeId} AND product.id = ANY (${ids}::integer[])`.compile(database),
)

const VARIANTS = prepared((database: Kysely<Tables>, storeId: number, ids: readonly number[]) =>
  sql<CatalogueVariant>`
    SELECT variant.id AS "variantId", variant.product_id AS "productId", variant.sku, variant.price::text, variant.weight::text,
      (SELECT string_agg(value.name, ', ' ORDER BY option.position, option.id)
        FROM product_variant_value held
        JOIN product_option_value value ON value.store_id = held.store_id AND value.id = held.value_id
        JOIN product_option option ON option.store_id = value.store_id AND option.id = value.option_id
        WHERE held.store_id = variant.store_id AND held.variant_id = variant.id) AS options,
      (SELECT file.key FROM product_image image JOIN file ON file.store_id = image.store_id AND file.id = image.file_id
        WHERE image.store_id = variant.store_id AND image.id = variant.image_id) AS "imageKey"
    FROM product_variant variant
    WHERE variant.store_id = ${storeId} AND variant.id = ANY (${ids}::integer[])`.compile(database),
)
