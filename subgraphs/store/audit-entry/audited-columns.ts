import type { Tables } from '../tables.ts'

/**
 * What the audit log keeps of a table. Triggers of the database do as this says: a change is a
 * migration that calls `audit_table` again, and a test compares them.
 */
type AuditedColumns<Table extends keyof Tables> = {
  /** Values that say which object it is, kept with every entry. */
  readonly names?: readonly (keyof Tables[Table] & string)[]
  /** Values that are kept from before and after a change. Texts are cut after 200 characters. */
  readonly stored?: readonly (keyof Tables[Table] & string)[]
  /** Columns of which only the fact of a change is stored: data of people, secrets and long texts. */
  readonly noted?: readonly (keyof Tables[Table] & string)[]
  /** Column with the number of the object, where that is not `id`. */
  readonly idColumn?: keyof Tables[Table] & string
  /** Column with the store, where that is not `store_id`. */
  readonly storeColumn?: keyof Tables[Table] & string
}

/** Tables of which the audit log keeps changes: the one list of what it keeps. */
export const AUDITED_COLUMNS = {
  app_authorization: { names: ['app_id'], stored: ['scopes'] },
  app_subscription: { names: ['app_id'], stored: ['plan', 'ends_on'] },
  checkout_custom_field: { names: ['label'], stored: ['type', 'area', 'required', 'position'], noted: ['select_options'] },
  coupon: { names: ['promotion_id'], stored: ['usage_limit'], noted: ['code'] },
  credential: { stored: ['reset_at'], noted: ['token_hash'], idColumn: 'store_id' },
  custom_field: { names: ['label'], stored: ['type', 'product_visibility'] },
  customer: {
    stored: ['status', 'accepts_marketing'],
    noted: ['email', 'phone', 'shipping_address', 'billing_address', 'password_hash'],
  },
  customer_additional_field: { names: ['customer_id', 'checkout_custom_field_id'], noted: ['value'] },
  customer_category: { names: ['name'], stored: ['code'] },
  digital_asset: { names: ['product_id'], stored: ['expiration_seconds'], noted: ['external_url', 'file_id'] },
  draft_order: { stored: ['status', 'currency', 'total', 'order_id'], noted: ['contents'] },
  fulfillment: {
    names: ['order_id'],
    stored: ['shipment_status', 'service_type', 'tracking_company', 'location_id'],
    noted: ['tracking_number', 'tracking_url', 'address', 'receiver_email', 'phone', 'message', 'observations'],
  },
  gift_card: { stored: ['issued', 'balance', 'expires_at', 'disabled_at'], noted: ['note'] },
  inventory_level: { names: ['product_id', 'variant_id', 'location_id'], stored: ['stock'] },
  inventory_transfer: { stored: ['status', 'source_id', 'destination_id'], noted: ['note'] },
  inventory_transfer_line: {
    names: ['transfer_id', 'product_id', 'variant_id'],
    stored: ['quantity', 'received', 'missing', 'reason', 'returned'],
  },
  location: { names: ['name'], stored: ['active', 'main', 'pickup_point', 'is_stock_origin'], noted: ['email', 'address'] },
  metafield: { names: ['owner_type', 'owner_id', 'namespace', 'key'], noted: ['value', 'type'] },
  mail_text: { names: ['kind', 'language'], noted: ['subject', 'opening'] },
  order: {
    stored: [
      'status',
      'fulfillment_status',
      'shipment_status',
      'currency',
      'total',
      'refunded',
      'shipping_method_name',
      'payment_method_name',
      'tracking_company',
    ],
    noted: [
      'customer',
      'shipping_address',
      'billing_address',
      'billing_information',
      'tracking_number',
      'tracking_url',
      'additional_information',
      'payment_information',
    ],
  },
  order_document: { names: ['order_id'], stored: ['document_type', 'app_code'], noted: ['url', 'external_id', 'public_id'] },
  order_refund: { names: ['order_id'], stored: ['amount', 'to_gift_cards', 'failed_amount', 'restocked'], noted: ['reason'] },
  order_return: { names: ['order_id'], stored: ['status', 'refund_id'], noted: ['note', 'reason'] },
  page: { names: ['title'], stored: ['status', 'permalink', 'legal', 'template_id'], noted: ['body'] },
  page_category: { names: ['name'] },
  page_template: { names: ['name'] },
  payment: { names: ['order_id'], stored: ['status', 'amount', 'captured', 'voided', 'refunded', 'refunds_failed'] },
  payment_method: { names: ['name'], stored: ['type', 'enabled'], noted: ['description', 'payment_method_url', 'key', 'secret'] },
  payment_operation: { names: ['payment_id'], stored: ['kind', 'amount', 'status'], noted: ['message'] },
  price_list: {
    names: ['name'],
    stored: [
      'active',
      'customer_category_id',
      'currency',
      'priority',
      'starts_at',
      'ends_at',
      'adjustment_percent',
      'rounding_step',
      'rounding_ending',
      'rounding_direction',
    ],
  },
  price_list_price: {
    names: ['price_list_id', 'product_id', 'variant_id', 'minimum_quantity'],
    stored: ['price', 'compare_at_price'],
  },
  product: {
    names: ['name'],
    stored: [
      'status',
      'type',
      'price',
      'discount',
      'cost_per_item',
      'compare_at_price',
      'stock',
      'stock_unlimited',
      'stock_threshold',
      'sku',
      'barcode',
      'brand',
      'permalink',
      'featured',
    ],
    noted: ['description', 'page_title', 'meta_description', 'weight', 'minimum_quantity', 'maximum_quantity'],
  },
  product_category: { names: ['name'], stored: ['parent_id', 'permalink'] },
  product_image: { names: ['product_id'], stored: ['position'] },
  product_option: { names: ['product_id', 'name'], stored: ['option_type', 'position', 'addon_price'] },
  product_review: { names: ['product_id'], stored: ['status', 'rating'], noted: ['review', 'customer_email'] },
  product_variant: {
    names: ['product_id'],
    stored: ['price', 'cost_per_item', 'compare_at_price', 'sku', 'barcode', 'stock', 'stock_unlimited', 'stock_threshold'],
    noted: ['weight', 'image_id'],
  },
  promotion: {
    names: ['name'],
    stored: [
      'enabled',
      'discount_target',
      'type',
      'discount_amount_fix',
      'discount_amount_percent',
      'begins_at',
      'expires_at',
      'max_times_used',
      'cumulative',
      'customers',
    ],
    noted: ['condition_price', 'condition_qty', 'quantity_x', 'countries', 'regions', 'municipalities'],
  },
  script_tag: { names: ['app_id'], stored: ['template', 'element'], noted: ['url'] },
  search_synonym: { stored: ['terms', 'targets'] },
  shipping_method: {
    names: ['name'],
    stored: ['type', 'enabled', 'free_shipping', 'free_shipping_from', 'fallback_price'],
    noted: ['fees', 'tables', 'callback_url', 'fetch_services_url', 'token', 'state', 'city', 'postal'],
  },
  staff_member: { stored: ['role', 'accepted_at'], noted: ['low_stock_email'] },
  store: {
    stored: [
      'name',
      'currency',
      'country',
      'timezone',
      'weight_unit',
      'subscription_plan',
      'order_confirmations',
      'return_window_days',
      'low_stock_alerts',
    ],
    noted: ['email', 'address', 'logo_url', 'whatsapp_phone', 'fb_pixel_id', 'theme', 'owner_id', 'hooks_token'],
    idColumn: 'id',
    storeColumn: 'id',
  },
  store_currency: {
    names: ['code'],
    stored: ['rate', 'rate_base', 'rounding_step', 'rounding_ending', 'rounding_direction'],
  },
  store_import: { names: ['kind', 'format'], stored: ['status', 'dry_run', 'overwrite'] },
  tax: { names: ['name'], stored: ['country', 'region', 'rate', 'fixed', 'shipping', 'category_id'] },
  tax_settings: { stored: ['prices_include_tax', 'taxed_address'], idColumn: 'store_id' },
  theme: { names: ['name'], stored: ['label'], noted: ['settings', 'customised'] },
  theme_publication: { names: ['theme_id'] },
  webhook_subscription: { names: ['name', 'event'], stored: ['paused_at'], noted: ['url'] },
} as const satisfies { readonly [Table in keyof Tables]?: AuditedColumns<Table> }

/** A table of the audit log. */
export type AuditedTable = keyof typeof AUDITED_COLUMNS
/** The same in the graph: the table in capitals. */
export type AuditNoun = Uppercase<AuditedTable>
