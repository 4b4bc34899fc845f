import { keysOf } from '../../../platform/collections/keys-of.ts'
import type { Scope } from '../access/scopes.ts'

/**
 * What has metafields: SDL type, its table, and the scopes that may set them, any one of which will
 * do. Triggers of these tables delete metafields with their owner.
 */
export const OWNERS = {
  Store: { table: 'store', scopes: ['write_store'] },
  ProductCategory: { table: 'product_category', scopes: ['write_store', 'write_categories'] },
  Product: { table: 'product', scopes: ['write_products'] },
  ProductVariant: { table: 'product_variant', scopes: ['write_products'] },
  CustomField: { table: 'custom_field', scopes: ['write_products', 'write_custom_fields'] },
  Location: { table: 'location', scopes: ['write_store', 'write_locations'] },
  Customer: { table: 'customer', scopes: ['write_customers'] },
  CustomerCategory: { table: 'customer_category', scopes: ['write_customers', 'write_customer_categories'] },
  CheckoutCustomField: { table: 'checkout_custom_field', scopes: ['write_settings', 'write_checkout_custom_fields'] },
  Tax: { table: 'tax', scopes: ['write_taxes'] },
  PriceList: { table: 'price_list', scopes: ['write_products'] },
  Promotion: { table: 'promotion', scopes: ['write_promotions'] },
  ShippingMethod: { table: 'shipping_method', scopes: ['write_shipping_methods'] },
  PaymentMethod: { table: 'payment_method', scopes: ['write_payment_methods'] },
  Order: { table: 'order', scopes: ['write_orders'] },
  OrderDocument: { table: 'order_document', scopes: ['write_orders'] },
  Fulfillment: { table: 'fulfillment', scopes: ['write_fulfillments'] },
  Page: { table: 'page', scopes: ['write_pages'] },
  PageCategory: { table: 'page_category', scopes: ['write_pages'] },
  Theme: { table: 'theme', scopes: ['write_settings'] },
  PageTemplate: { table: 'page_template', scopes: ['write_pages'] },
} as const satisfies Readonly<Record<string, { readonly table: string; readonly scopes: readonly Scope[] }>>

export type OwnerType = keyof typeof OWNERS

/** An object with metafields. */
export type Owner = { readonly type: OwnerType; readonly id: number }

/** An object with its owner. */
export type Owned = { readonly owner: Owner }

export const OWNER_TYPES = keysOf(OWNERS)
