import type { Scope } from '../access/scopes.ts'

/** The consent of a store to an app. */
export type AppAuthorization = {
  readonly id: number
  readonly appId: number
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
}
