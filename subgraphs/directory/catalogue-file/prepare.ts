import { newestCatalogue } from '../item/newest-catalogue.ts'
import type { ItemRepository } from '../item/repository.ts'
import type { CatalogueStore } from './catalogue-store.ts'

/** What the next start of this code finds: `small` needs no file, `unwritten` has none of this revision. */
export type PreparedCatalogue = {
  readonly status: 'current' | 'written' | 'unwritten' | 'small'
  readonly items: number
  readonly revision: string
}

/**
 * Writes the file that the next start of this code reads, of the newest revision, unless it is there.
 * Rejects when the database fails, and with the signal's reason; a file that cannot be written is a warning.
 */
export async function prepareCatalogue({
  items,
  stored,
  minItems,
  signal,
}: {
  readonly items: ItemRepository
  readonly stored: CatalogueStore
  readonly minItems: number
  readonly signal: AbortSignal
}): Promise<PreparedCatalogue> {
  try {
    const { catalogue } = await newestCatalogue(items, await stored.read())
    signal.throwIfAborted()
    const known = { items: catalogue.size, revision: catalogue.revision.number }
    if (catalogue.size < minItems) return { status: 'small', ...known }
    if (await stored.holds(catalogue)) return { status: 'current', ...known }
    stored.offer(catalogue, Number.POSITIVE_INFINITY)
    await stored.idle()
    return { status: (await stored.holds(catalogue)) ? 'written' : 'unwritten', ...known }
  } finally {
    await stored.close()
  }
}
