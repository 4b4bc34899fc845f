import { type Catalogue, catalogueOf, changedCatalogue, maxChanges } from './catalogue.ts'
import type { ItemRepository } from './repository.ts'

type Newest = {
  readonly catalogue: Catalogue
  /** How many items are other ones than in the catalogue before; Infinity when all were read. */
  readonly changedItems: number
}

/**
 * The catalogue of the newest revision: `known` itself, or that with what has changed since, or one
 * that is read and built anew. Rejects when the database fails.
 */
export async function newestCatalogue(items: ItemRepository, known: Catalogue | null): Promise<Newest> {
  if (known) {
    const { dataset, mark } = await items.currentRevision()
    if (dataset === known.revision.dataset && mark === known.revision.mark) return { catalogue: known, changedItems: 0 }
    const changes = await items.changesBehindRevision(known.revision, maxChanges(known))
    const changed = changes && (await changedCatalogue(known, changes))
    if (changed) return { catalogue: changed, changedItems: changes.items.length + changes.removedIds.length }
  }
  return { catalogue: await catalogueOf(await items.snapshot()), changedItems: Number.POSITIVE_INFINITY }
}
