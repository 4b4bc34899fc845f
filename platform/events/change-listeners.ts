import type { OnChange } from '../graphql/subgraph.ts'

/** Notifies listeners of changes. */
export type ChangeListeners = {
  readonly onChange: OnChange
  /** Types that are concerned, or null when anything may have changed. */
  readonly notify: (types: readonly string[] | null) => void
}

export function changeListeners(): ChangeListeners {
  const listeners = new Set<Parameters<OnChange>[0]>()
  return {
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify(types) {
      for (const listener of listeners) listener(types)
    },
  }
}
