import type { Generated, GeneratedAlways } from 'kysely'

/** What else an order costs, and what makes it cheaper, as tables: decimals are exact text. */
export type PricingTables = {
  tax_settings: {
    store_id: number
    prices_include_tax: Generated<boolean>
    taxed_address: Generated<'SHIPPING' | 'BILLING'>
    version: Generated<number>
  }
  tax: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    country: string | null
    region: string | null
    category_id: number | null
    rate: string
    fixed: Generated<boolean>
    shipping: Generated<boolean>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  promotion: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    enabled: Generated<boolean>
    discount_target: 'ORDER' | 'SHIPPING' | 'CATEGORIES' | 'BUY_X_GET_Y'
    buys_at_least: Generated<'NONE' | 'PRICE' | 'QTY' | 'SINGLE_ITEM'>
    condition_price: string | null
    condition_qty: number | null
    quantity_x: number | null
    type: 'FIX' | 'PERCENTAGE'
    discount_amount_fix: string | null
    discount_amount_percent: string | null
    lasts: Generated<'NONE' | 'DATE' | 'MAX_TIMES_USED' | 'BOTH'>
    begins_at: Date | null
    expires_at: Date | null
    times_used: Generated<number>
    max_times_used: number | null
    cumulative: Generated<boolean>
    customers: Generated<'ALL' | 'LOGGEDIN' | 'CATEGORIES' | 'GUESTS'>
    countries: Generated<readonly string[]>
    regions: Generated<readonly string[]>
    municipalities: Generated<readonly string[]>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  promotion_category: {
    store_id: number
    promotion_id: number
    category_id: number
    is_x: boolean
  }
  promotion_product: {
    store_id: number
    promotion_id: number
    product_id: number
    is_x: boolean
  }
  promotion_customer_category: {
    store_id: number
    promotion_id: number
    category_id: number
  }
  coupon: {
    store_id: number
    id: GeneratedAlways<number>
    promotion_id: number
    code: string
    code_key: string
    usage_limit: Generated<number>
    times_used: Generated<number>
  }
  promotion_redemption: {
    store_id: number
    order_id: number
    promotion_id: number
    coupon_id: number | null
  }
  shipping_method: {
    store_id: number
    id: GeneratedAlways<number>
    type: 'FREE' | 'TABLES' | 'CORREOS_CHILE' | 'CHILEXPRESS' | 'FLAT' | 'UPS' | 'EXTERNAL'
    name: string
    enabled: Generated<boolean>
    free_shipping: Generated<boolean>
    free_shipping_from: string | null
    fallback_price: string | null
    fees: Generated<unknown>
    callback_url: string | null
    fetch_services_url: string | null
    token: string | null
    state: string | null
    city: string | null
    postal: string | null
    tables: Generated<unknown>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  shipping_service: {
    store_id: number
    id: GeneratedAlways<number>
    shipping_method_id: number
    service_code: string
    service_name: string
    original_service_name: string
    enabled: Generated<boolean>
  }
  payment_method: {
    store_id: number
    id: GeneratedAlways<number>
    type: string
    name: string
    description: string | null
    payment_method_url: string | null
    key: string | null
    secret: string | null
    show_review: Generated<boolean>
    use_new_version: Generated<boolean>
    enabled: Generated<boolean>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
}
