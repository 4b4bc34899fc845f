import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { Findings } from '../import/findings.ts'
import { deleteRoot } from '../import/store.ts'
import { withImportClient } from '../import/store-findings.ts'
import { update, waitForTurn } from '../import/update.ts'
import { locationOf } from './location.ts'
import { neighbours } from './neighbours.ts'
import type { Source } from './source.ts'

const NOTHING: Findings = { contributions: [], scopes: [], skipped: [], unreadable: [], counts: [], unattended: null }

/**
 * Deletes a source and everything that was read of it, in one transaction; returns how many items
 * have no source left.
 */
export async function removeWithItems(
  source: Pick<Source, 'id' | 'kind' | 'address' | 'repository'>,
  { connection, log, now }: { readonly connection: Connection; readonly log: Logger; readonly now: Date },
): Promise<number> {
  const { signal } = new AbortController()
  return withImportClient({ connection, log }, async (client) => {
    // Before any lock of a row: a run that has the turn would wait for that one, and this for the turn.
    await waitForTurn(client, signal)
    await client.query('DELETE FROM source WHERE id = $1', [source.id])
    await deleteRoot(client, locationOf(source).root)
    await neighbours(source).reread(client, now)
    const { removed } = await update(client, NOTHING, { now, signal, onStep: () => {} })
    return removed
  })
}
