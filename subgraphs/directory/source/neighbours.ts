import type pg from 'pg'
import type { Neighbours } from '../import/findings.ts'
import { locationOf } from './location.ts'
import type { Source } from './source.ts'

type Stored = Pick<Source, 'id' | 'kind' | 'address' | 'repository'>

/** Sources of the same repository or host; at most as many as there are sources. */
async function neighboursOf(client: pg.ClientBase, { id, origin }: { id: string; origin: string }): Promise<readonly Stored[]> {
  const { rows } = await client.query<Stored>('SELECT id, kind, address, repository FROM source WHERE id <> $1', [id])
  return rows.filter((row) => locationOf(row).origin === origin)
}

/** The neighbours of a source. */
export const neighbours = (source: Pick<Source, 'id' | 'kind' | 'address' | 'repository'>): Neighbours => {
  const of = { id: source.id, origin: locationOf(source).origin }
  return {
    roots: async (client) => (await neighboursOf(client, of)).map((row) => locationOf(row).root),
    async reread(client, now) {
      const ids = (await neighboursOf(client, of)).map(({ id }) => id)
      if (ids.length === 0) return
      // The least of null and a time is the time: one that is not run by itself stays so.
      await client.query(
        `UPDATE source SET etag = NULL, last_modified = NULL,
           next_run_at = CASE WHEN next_run_at IS NOT NULL THEN least(next_run_at, $2) END WHERE id = ANY ($1)`,
        [ids, now],
      )
    },
  }
}
