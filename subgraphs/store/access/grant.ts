import type { Scope } from './scopes.ts'
import type { StaffRole } from './staff-roles.ts'

/** Which store a caller may touch, and how. */
export type Access = {
  readonly storeId: number
  readonly storeCode: string
  /** All: the store's own authtoken. */
  readonly scopes: 'all' | readonly Scope[]
  /**
   * The app whose token it is; null for the store's own authtoken, and for parts of this process.
   */
  readonly app: { readonly id: number; readonly code: string } | null
  /** The user who works in the store, by an opaque id; null for credentials of programs. */
  readonly staff: { readonly userId: string; readonly role: StaffRole } | null
}
