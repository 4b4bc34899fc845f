import type { OnChange } from '../graphql/subgraph.ts'

/** Tells whoever asked to be told of changes. */
export type ChangeListeners = {
  readonly onChange: OnChange
  /** Types that are concerned, or null when anything may have changed. */
  readonly notify: (types: readonly string[] | null) => void
}

export function changeListeners(): ChangeListeners {
  const told = new Set<Parameters<OnChange>[0]>()
  return {
    onChange(changed) {
      told.add(changed)
      return () => void told.delete(changed)
    },
    notify(types) {
      for (const changed of told) changed(types)
    },
  }
}
