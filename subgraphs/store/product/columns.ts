import { keysOf } from '../../../platform/collections/keys-of.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Product, ProductFields } from './product.ts'

/** The column that each field of a product is stored in. */
export const COLUMN_OF = {
  name: 'name',
  pageTitle: 'page_title',
  metaDescription: 'meta_description',
  description: 'description',
  type: 'type',
  status: 'status',
  daysToExpire: 'days_to_expire',
  price: 'price',
  discount: 'discount',
  costPerItem: 'cost_per_item',
  compareAtPrice: 'compare_at_price',
  weight: 'weight',
  stock: 'stock',
  stockUnlimited: 'stock_unlimited',
  stockThreshold: 'stock_threshold',
  stockNotification: 'stock_notification',
  backInStockEnabled: 'back_in_stock_enabled',
  minimumQuantity: 'minimum_quantity',
  maximumQuantity: 'maximum_quantity',
  sku: 'sku',
  brand: 'brand',
  barcode: 'barcode',
  googleProductCategory: 'google_product_category',
  quotable: 'quotable',
  featured: 'featured',
  reviewsEnabled: 'reviews_enabled',
  shippingRequired: 'shipping_required',
  packageFormat: 'package_format',
  length: 'length',
  width: 'width',
  height: 'height',
  diameter: 'diameter',
} as const satisfies Record<keyof ProductFields, string>

/** The column of each field of a row. */
const ROW_COLUMN_OF = {
  id: 'id',
  ...COLUMN_OF,
  permalink: 'permalink',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  version: 'version',
} as const satisfies Record<keyof Product, string>

/** The columns of a whole product. */
export const PRODUCT_COLUMNS = keysOf(ROW_COLUMN_OF)

/** What a statement selects for these columns, each named as its field. */
export const named = (columns: Columns<Product>) => columns.map((field) => `${ROW_COLUMN_OF[field]} as ${field}` as const)

/** Fields as the columns hold them. */
export const rowOfFields = (fields: ProductFields) =>
  // Keys of COLUMN_OF, which names all fields.
  Object.fromEntries(Object.entries(COLUMN_OF).map(([field, column]) => [column, fields[field as keyof ProductFields]]))
