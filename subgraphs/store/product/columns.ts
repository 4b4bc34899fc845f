import type { ProductFields } from './product.ts'

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

/** The columns of a whole product, named as its fields. */
export const COLUMNS = [
  'id',
  ...(Object.entries(COLUMN_OF) as [keyof ProductFields, string][]).map(([field, column]) => `${column} as ${field}` as const),
  'permalink',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
]

/** Fields as the columns hold them. */
export const rowOfFields = (fields: ProductFields) =>
  Object.fromEntries(Object.entries(COLUMN_OF).map(([field, column]) => [column, fields[field as keyof ProductFields]]))
