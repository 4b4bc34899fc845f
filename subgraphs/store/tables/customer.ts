import type { Generated, GeneratedAlways } from 'kysely'

/** Who buys, as tables: decimals are exact text. */
export type CustomerTables = {
  customer: {
    store_id: number
    id: GeneratedAlways<number>
    email: string
    email_key: string
    phone: string | null
    phone_prefix: string | null
    status: Generated<'APPROVED' | 'PENDING' | 'DISABLED'>
    password_hash: string | null
    accepts_marketing: Generated<boolean>
    accepted_marketing_at: Date | null
    cancelled_marketing_at: Date | null
    shipping_address: unknown
    billing_address: unknown
    search_key: string
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  customer_category: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    code: string
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  customer_category_member: {
    store_id: number
    category_id: number
    customer_id: number
  }
  checkout_custom_field: {
    store_id: number
    id: GeneratedAlways<number>
    label: string
    type: 'TEXT' | 'SELECT' | 'INPUT' | 'CHECKBOX' | 'DATE'
    area: 'CONTACT' | 'BILLING_SHIPPING' | 'OTHER'
    required: Generated<boolean>
    position: number
    deletable: Generated<boolean>
    select_options: Generated<readonly string[]>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  customer_additional_field: {
    store_id: number
    id: GeneratedAlways<number>
    customer_id: number
    checkout_custom_field_id: number
    value: string
  }
}
