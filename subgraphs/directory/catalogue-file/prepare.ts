import type { Logger } from 'pino'
import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { newestCatalogue } from '../item/newest-catalogue.ts'
import { itemRepository } from '../item/repository.ts'
import { safeNames } from '../server-features/findings.ts'
import type { Tables } from '../tables.ts'
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
  connection,
  stored,
  minItems,
  log,
  signal,
}: {
  readonly connection: Connection
  readonly stored: CatalogueStore
  readonly minItems: number
  readonly log: Logger
  readonly signal: AbortSignal
}): Promise<PreparedCatalogue> {
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const database = openDatabase<Tables>(connection, { schema: 'directory', max: 1, onError })
  try {
    const { catalogue } = await newestCatalogue(itemRepository(database.query, safeNames), await stored.read())
    signal.throwIfAborted()
    const known = { items: catalogue.size, revision: catalogue.revision.number }
    if (catalogue.size < minItems) return { status: 'small', ...known }
    if (await stored.holds(catalogue)) return { status: 'current', ...known }
    stored.offer(catalogue, Number.POSITIVE_INFINITY)
    await stored.idle()
    return { status: (await stored.holds(catalogue)) ? 'written' : 'unwritten', ...known }
  } finally {
    await stored.close()
    await database.close()
  }
}
