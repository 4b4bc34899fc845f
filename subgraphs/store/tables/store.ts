import type { Generated, GeneratedAlways } from 'kysely'

/**
 * Stores, their credentials, and what everything in them shares, as tables: decimals are exact
 * text.
 */
export type StoreTables = {
  store: {
    id: GeneratedAlways<number>
    code: string
    name: string
    email: string | null
    currency: string
    country: string
    timezone: string
    weight_unit: Generated<'kg' | 'lb'>
    logo_url: string | null
    fb_pixel_id: string | null
    whatsapp_phone: string | null
    theme: string | null
    address: unknown
    hooks_token: string
    previous_hooks_token: Generated<string | null>
    previous_hooks_token_until: Generated<Date | null>
    subscription_status: Generated<string>
    subscription_plan: Generated<string>
    paid_since: Date | null
    owner_id: string | null
    created_by: number | null
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  store_language: {
    store_id: number
    code: string
    is_default: Generated<boolean>
  }
  credential: {
    store_id: number
    login: string
    token_hash: Buffer
    created_at: Date
    reset_at: Date | null
  }
  idempotency_key: {
    store_id: number
    key: string
    fingerprint: Buffer
    outcome: unknown
    created_at: Date
  }
  metafield: {
    store_id: number
    id: GeneratedAlways<number>
    owner_type: string
    owner_id: number
    namespace: string
    key: string
    type: string
    value: string
    created_at: Date
    updated_at: Date
  }
  file: {
    store_id: number
    id: GeneratedAlways<number>
    key: string
    is_public: boolean
    content_type: string
    byte_count: string
    sha256: Buffer
    filename: string
    source_url: string | null
    created_at: Date
  }
}
