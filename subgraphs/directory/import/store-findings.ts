import type pg from 'pg'
import type { Logger } from 'pino'
import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import type { Findings } from './findings.ts'
import type { Progress } from './progress.ts'
import type { Rooted } from './store.ts'
import { type UpdateResult, update } from './update.ts'

type Options = {
  readonly connection: Connection
  readonly signal: AbortSignal
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly log?: Logger | undefined
  readonly now: Date
}

/** Stores what a run found, in one transaction: all or nothing. Throws what `update` throws. */
export async function storeFindings(
  findings: Findings,
  { connection, signal, progress, log, now }: Options,
): Promise<UpdateResult> {
  return withImportClient({ connection, log }, (client) =>
    update(client, findings, { now, signal, onStep: (done, total) => progress?.({ phase: 'storing', done, total }) }),
  )
}

/** Runs `work` in a transaction on a connection of its own. */
export async function withImportClient<Result>(
  { connection, log }: Pick<Options, 'connection' | 'log'>,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(connection, {
    schema: 'directory',
    max: 1,
    onError: ({ message }) => log?.error({ reason: message }, 'a connection to the database broke'),
  })
  try {
    const client = await database.pool.connect()
    try {
      return await inTransaction(client, () => work(client))
    } finally {
      client.release()
    }
  } finally {
    await database.close()
  }
}

async function inTransaction<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A connection that is gone has rolled back already.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * Two folders of one run may hold the same file of one origin: the first by folder counts, as if
 * only it were there.
 */
export function withoutRepeats(rooted: readonly Rooted[]): readonly Rooted[] {
  const byAddress = new Map<string, Rooted>()
  for (const one of rooted) {
    const address = `${one.contribution.origin}\n${one.contribution.path}\n${one.contribution.locator}`
    const earlier = byAddress.get(address)
    if (!earlier || one.root < earlier.root) byAddress.set(address, one)
  }
  return [...byAddress.values()]
}
