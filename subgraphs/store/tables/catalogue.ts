import type { Generated, GeneratedAlways } from 'kysely'

/** What a store sells, as tables: decimals are exact text. */
export type CatalogueTables = {
  product_category: {
    store_id: number
    id: GeneratedAlways<number>
    parent_id: number | null
    name: string
    permalink: string
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  store_quota: {
    store_id: number
    products: number
    file_bytes: string
    products_left: number
    file_bytes_left: number
    counted_at: Date
  }
  product: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    page_title: string | null
    meta_description: string | null
    description: string | null
    type: Generated<'PHYSICAL' | 'DIGITAL' | 'GIFT_CARD'>
    status: Generated<'AVAILABLE' | 'NOT_AVAILABLE' | 'DISABLED'>
    days_to_expire: Generated<number>
    price: string
    discount: Generated<string>
    cost_per_item: string | null
    compare_at_price: string | null
    weight: Generated<string>
    stock: Generated<number>
    stock_unlimited: Generated<boolean>
    stock_threshold: Generated<number>
    stock_notification: Generated<boolean>
    back_in_stock_enabled: Generated<boolean>
    minimum_quantity: number | null
    maximum_quantity: number | null
    sku: string | null
    brand: string | null
    barcode: string | null
    google_product_category: string | null
    quotable: Generated<boolean>
    featured: Generated<boolean>
    reviews_enabled: Generated<boolean>
    shipping_required: Generated<boolean>
    package_format: Generated<'BOX' | 'CYLINDER'>
    length: string | null
    width: string | null
    height: string | null
    diameter: string | null
    permalink: string
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  product_search: {
    store_id: number
    product_id: number
    text_key: string
    keys: unknown
  }
  product_translation: {
    store_id: number
    product_id: number
    locale: string
    name: string | null
    description: string | null
    page_title: string | null
    meta_description: string | null
    permalink: string | null
  }
  product_category_member: {
    store_id: number
    category_id: number
    product_id: number
    position: Generated<number>
  }
  product_option: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    name: string
    name_key: string
    position: number
    option_type: Generated<'OPTION' | 'INPUT' | 'TEXT' | 'FILE' | 'COLOR' | 'CHECKLIST'>
    addon_price: string | null
  }
  product_option_value: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    option_id: number
    name: string
    name_key: string
    custom: string | null
    position: number
  }
  product_image: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    position: number
    file_id: number
  }
  product_variant: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    price: string
    cost_per_item: string | null
    compare_at_price: string | null
    weight: string | null
    sku: string | null
    barcode: string | null
    stock: Generated<number>
    stock_unlimited: Generated<boolean>
    stock_threshold: Generated<number>
    stock_notification: Generated<boolean>
    image_id: number | null
    combination: string
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  product_variant_value: {
    store_id: number
    product_id: number
    variant_id: number
    value_id: number
  }
  product_attachment: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    file_id: number
  }
  digital_asset: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    file_id: number | null
    external_url: string | null
    expiration_seconds: number
  }
  custom_field: {
    store_id: number
    id: GeneratedAlways<number>
    label: string
    label_key: string
    type: 'TEXT' | 'SELECTION' | 'INPUT'
    product_visibility: Generated<boolean>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  custom_field_select_option: {
    store_id: number
    id: GeneratedAlways<number>
    custom_field_id: number
    value: string
    value_key: string
    position: number
  }
  product_custom_field_value: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number
    custom_field_id: number
    variant_id: number | null
    select_option_id: number | null
    value: string | null
  }
  product_review: {
    store_id: number
    id: GeneratedAlways<number>
    product_id: number | null
    product_name: string
    order_id: number | null
    customer_email: string | null
    status: Generated<'UNREAD' | 'UNPUBLISHED' | 'PUBLISHED'>
    rating: number
    review: string | null
    created_at: Date
  }
}
