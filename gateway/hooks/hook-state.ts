import type { HookOperation } from './hooks.ts'

/** State shared by the hooks of one operation, until its last event. */
export type HookState = {
  /** Values set by hooks. */
  readonly context: Record<string, unknown>
  /** The client's operation; null for programs and facades. */
  readonly operation: HookOperation | null
}

/** Null prototype, because hooks and coprocessors choose the keys. */
export const createHookState = (operation: HookOperation | null): HookState => ({
  // `Object.create` returns `any`.
  context: Object.create(null) as Record<string, unknown>,
  operation,
})
