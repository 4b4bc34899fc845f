/**
 * Calls `load` when its result is first needed, and once for all who need it: for modules that a
 * start does without. A failed load is tried again by the next caller.
 */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): {
  readonly get: () => Promise<Loaded>
  /** Null when nothing was loaded so far, or it failed. */
  readonly started: () => Promise<Loaded> | null
} {
  let loading: Promise<Loaded> | null = null
  return {
    get() {
      loading ??= load().catch((error: unknown) => {
        loading = null
        throw error
      })
      return loading
    },
    started: () => loading,
  }
}
