import type { Link } from '../subgraph-client/link.ts'
import type { EntityCache } from './entity-cache.ts'

/** Invalidates the entities that subgraphs announce as changed; returns the end of it. */
export function followEntityChanges(links: readonly Link[], cache: EntityCache): () => void {
  const unsubscribes = links.map(({ name: subgraph, onChange }) =>
    onChange?.((types) => {
      const changes = types?.map((type) => ({ kind: 'type' as const, subgraph, type }))
      // While this is not stored in Redis, nothing is read from it.
      void cache.invalidate(changes ?? [{ kind: 'subgraph', subgraph }])
    }),
  )
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe?.()
  }
}
