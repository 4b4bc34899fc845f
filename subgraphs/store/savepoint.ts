import { sql } from 'kysely'
import type { StoreEvent } from './events.ts'
import type { MutationResult } from './idempotency.ts'
import { isFailure, type UnitOfWork } from './write.ts'

/**
 * Runs a part of a transaction behind a savepoint: a failure rolls back this part only, with its
 * events. Several in a row, not nested.
 */
export async function withSavepoint<Result extends MutationResult>(
  unit: UnitOfWork,
  change: (within: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const events: StoreEvent[] = []
  await sql`SAVEPOINT part`.execute(unit.query)
  const response = await change({ ...unit, emit: (event) => void events.push(event) })
  if (isFailure(response)) await sql`ROLLBACK TO SAVEPOINT part`.execute(unit.query)
  else for (const event of events) unit.emit(event)
  await sql`RELEASE SAVEPOINT part`.execute(unit.query)
  return response
}
