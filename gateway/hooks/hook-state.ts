import type { HookOperation } from './hooks.ts'

/** What hooks of one operation have in common, from its first stage to its last event. */
export type HookState = {
  /** Values that hooks set. */
  readonly context: Record<string, unknown>
  /** The operation of the client; null for operations of programs and facades. */
  readonly operation: HookOperation | null
}

/** Without inherited names: hooks and coprocessors choose the keys. */
export const createHookState = (operation: HookOperation | null): HookState => ({
  // `Object.create` has no type of its own.
  context: Object.create(null) as Record<string, unknown>,
  operation,
})
