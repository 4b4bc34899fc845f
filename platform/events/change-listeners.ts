import type { OnChange } from '../graphql/subgraph.ts'

/** Tells whoever asked to be told of changes. */
export type Changes = {
  readonly onChange: OnChange
  /** Types that are concerned, or null when anything may have changed. */
  readonly tell: (types: readonly string[] | null) => void
}

export function changes(): Changes {
  const told = new Set<Parameters<OnChange>[0]>()
  return {
    onChange(changed) {
      told.add(changed)
      return () => void told.delete(changed)
    },
    tell(types) {
      for (const changed of told) changed(types)
    },
  }
}
