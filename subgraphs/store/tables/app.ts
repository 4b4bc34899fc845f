import type { Generated, GeneratedAlways } from 'kysely'

/** Third-party apps and what stores let them do, as tables. */
export type AppTables = {
  app: {
    id: GeneratedAlways<number>
    store_id: number | null
    code: string
    name: string
    secret_hash: Buffer | null
    redirect_uris: string[]
    scopes: string[]
    created_at: Date
    updated_at: Date
    version: Generated<number>
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
  app_sign_in: {
    hash: Buffer
    kind: 'session' | 'request'
    sealed: Buffer
    expires_at: Date
  }
}
