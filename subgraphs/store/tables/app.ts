import type { Generated, GeneratedAlways } from 'kysely'

/** Third-party apps and what stores let them do, and who is signed in to a console, as tables. */
export type AppTables = {
  app: {
    id: GeneratedAlways<number>
    store_id: number | null
    code: string
    name: string
    secret_hash: Buffer | null
    redirect_uris: string[]
    scopes: string[]
    is_store_itself: Generated<boolean>
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  app_installation: {
    store_id: number
    app_id: number
    installed_at: Date
  }
  script_tag: {
    store_id: number
    id: GeneratedAlways<number>
    app_id: number
    url: string
    template: 'LAYOUT' | 'HOME' | 'PRODUCT' | 'PAGE' | 'CATEGORY' | 'CART' | 'CHECKOUT'
    element: 'HEAD' | 'BODY'
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  app_plan: {
    app_id: number
    name: string
    place: number
    currency: string
    monthly_price: string
    free_orders: number
    price_per_order: string
  }
  app_subscription: {
    store_id: number
    id: GeneratedAlways<number>
    app_id: number
    plan: string
    currency: string
    monthly_price: string
    free_orders: number
    price_per_order: string
    starts_on: string
    ends_on: string | null
    created_at: Date
  }
  app_payment: {
    store_id: number
    id: GeneratedAlways<number>
    subscription_id: number
    cycle_starts_on: string
    amount: string
    created_at: Date
  }
  app_authorization: {
    store_id: number
    id: GeneratedAlways<number>
    grant_id: string
    app_id: number
    scopes: string[]
    created_at: Date
  }
  app_token: {
    hash: Buffer
    kind: 'code' | 'access' | 'refresh'
    grant_id: string
    scopes: string[]
    detail: unknown
    created_at: Date
    expires_at: Date
    consumed_at: Date | null
  }
  console_session: {
    hash: Buffer
    store_id: number
    created_at: Date
    expires_at: Date
  }
  app_sign_in: {
    hash: Buffer
    kind: 'session' | 'request'
    sealed: Buffer
    expires_at: Date
  }
}
