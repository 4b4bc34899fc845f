import type { Generated, GeneratedAlways } from 'kysely'

/** What was bought, and how it gets there, as tables: decimals are exact text. */
export type OrderTables = {
  order: {
    store_id: number
    id: GeneratedAlways<number>
    status: 'ABANDONED' | 'CANCELED' | 'PENDING_PAYMENT' | 'PAID'
    fulfillment_status: Generated<'UNFULFILLED' | 'FULFILLED'>
    shipment_status: Generated<'UNFULFILLED' | 'REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE'>
    currency: string
    locale: string | null
    subtotal: string
    tax: Generated<string>
    shipping: Generated<string>
    shipping_tax: Generated<string>
    discount: Generated<string>
    shipping_discount: Generated<string>
    gift_cards_discount: Generated<string>
    total: string
    refunded: Generated<string>
    shipping_required: Generated<boolean>
    shipping_option: 'DELIVERY' | 'STORE_PICKUP' | 'NO_SHIPPING' | null
    same_day_delivery: Generated<boolean>
    shipping_method_id: number | null
    shipping_service_id: number | null
    shipping_method_name: string | null
    shipping_branch: unknown
    pickup_location_id: number | null
    payment_method_id: number | null
    payment_method_name: string | null
    payment_method_type: string | null
    payment_information: string | null
    payment_notification_id: string | null
    additional_information: string | null
    external_shipping_rate_id: string | null
    external_shipping_rate_description: string | null
    customer_id: number | null
    customer: unknown
    shipping_address: unknown
    billing_address: unknown
    pickup_address: unknown
    billing_information: unknown
    source: unknown
    coupons: Generated<readonly string[]>
    promotions: Generated<unknown>
    shipping_taxes: Generated<unknown>
    tracking_number: string | null
    tracking_company: string | null
    tracking_url: string | null
    token: string
    recovered_from: number | null
    search_key: string
    created_at: Date
    completed_at: Date | null
    updated_at: Date
    version: Generated<number>
  }
  order_line: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number
    position: number
    product_id: number | null
    variant_id: number | null
    sku: string | null
    name: string
    image_url: string | null
    qty: number
    price: string
    discount: Generated<string>
    weight: Generated<string>
    taxes: Generated<unknown>
    subtotal: Generated<string>
    tax: Generated<string>
    total: Generated<string>
  }
  order_additional_field: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number
    label: string
    value: string | null
    area: string | null
  }
  order_history: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number
    message: string
    log: unknown
    created_at: Date
  }
  order_document: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number
    app_code: string | null
    document_type: number
    external_id: string | null
    public_id: string
    url: string | null
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  order_refund: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number
    amount: string
    reason: string | null
    restocked: boolean
    created_at: Date
  }
  order_refund_line: {
    store_id: number
    refund_id: number
    order_line_id: number
    quantity: number
    amount: string
  }
  ledger_entry: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number | null
    kind: 'PAYMENT' | 'REFUND' | 'APP_FEE'
    amount: string
    currency: string
    created_at: Date
  }
  fulfillment: {
    store_id: number
    id: GeneratedAlways<number>
    order_id: number | null
    location_id: number
    type: string
    service_type: string | null
    shipment_status: 'REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE'
    tracking_number: string | null
    tracking_company: string | null
    tracking_url: string | null
    external_id: string | null
    message: string | null
    observations: string | null
    receiver_email: string | null
    phone: string | null
    phone_prefix: string | null
    expected_arrival_from: Date | null
    expected_arrival_to: Date | null
    address: unknown
    packages: Generated<unknown>
    label_file_id: Generated<number | null>
    send_email: Generated<boolean>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  fulfillment_history: {
    store_id: number
    id: GeneratedAlways<number>
    fulfillment_id: number
    shipment_status: string
    message: string
    created_at: Date
  }
}
