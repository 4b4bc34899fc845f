import type { Link } from '../subgraph-client/link.ts'
import type { EntityCache } from './entity-cache.ts'

/** Invalidates entities when subgraphs announce changes; returns the unsubscribe function. */
export function followEntityChanges(links: readonly Link[], cache: EntityCache): () => void {
  const unsubscribes = links.map(({ name: subgraph, onChange }) =>
    onChange?.((types) => {
      const changes = types?.map((type) => ({ kind: 'type' as const, subgraph, type }))
      // Not awaited: the store reads nothing from Redis until queued invalidations are written.
      void cache.invalidate(changes ?? [{ kind: 'subgraph', subgraph }])
    }),
  )
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe?.()
  }
}
