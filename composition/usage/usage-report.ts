import pg from 'pg'
import type { Connection } from '../../platform/database/database.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'

/** Usage of an operation by one client within the report's days. */
export type OperationUse = {
  readonly clientName: string
  readonly clientVersion: string
  readonly requests: number
  readonly errors: number
  readonly milliseconds: number
  readonly lastSeenAt: Date
}

/** A used operation with its clients. */
export type UsedOperation = {
  readonly hash: string
  /** Null: an anonymous operation. */
  readonly name: string | null
  readonly kind: string
  /** Null when it was too long, or for operations above a bound. */
  readonly signature: string | null
  readonly coordinates: readonly string[]
  /** Usage by client, most requests first; never empty. */
  readonly uses: readonly OperationUse[]
}

export type UsageReport = {
  readonly days: number
  /** First recorded day, such as `2026-11-25`; null: nothing is recorded in the report's days. */
  readonly firstDay: string | null
  /** Most requests first. */
  readonly operations: readonly UsedOperation[]
}

type Row = Omit<UsedOperation, 'uses'> & OperationUse

/** PostgreSQL error codes for a missing schema and a missing table. */
const MISSING = ['3F000', '42P01']

/**
 * Reads the usage of the last `days`, today included. Throws an `OperatorError` when the database
 * has no usage tables.
 */
export async function readUsage(connection: Connection, days: number): Promise<UsageReport> {
  const options = '-c default_transaction_read_only=on'
  const client = new pg.Client({ ...connection, application_name: 'atrium schema', options })
  client.on('error', () => {})
  await client.connect()
  try {
    const since = `(now() AT TIME ZONE 'UTC')::date - ($1::int - 1)`
    const { rows } = await client.query<Row>(
      `SELECT hash, name, kind, signature, coordinates, client_name AS "clientName", client_version AS "clientVersion",
         sum(requests)::float8 AS requests, sum(errors)::float8 AS errors, sum(milliseconds) AS milliseconds,
         max(last_seen_at) AS "lastSeenAt"
       FROM gateway.usage_count JOIN gateway.usage_operation ON hash = operation
       WHERE day >= ${since} GROUP BY hash, client_name, client_version ORDER BY requests DESC, hash, client_name, client_version`,
      [days],
    )
    const { rows: first } = await client.query<{ readonly day: string | null }>(
      `SELECT CASE WHEN max(day) >= ${since} THEN min(day)::text END AS day FROM gateway.usage_count`,
      [days],
    )
    return { days, firstDay: first[0]?.day ?? null, operations: operationsIn(rows) }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !MISSING.includes(error.code ?? '')) throw error
    throw new OperatorError(
      'This database has no usage reports: start this version of Atrium on it, or run npx atrium db migrate.',
      {
        cause: error,
      },
    )
  } finally {
    await client.end()
  }
}

function operationsIn(rows: readonly Row[]): readonly UsedOperation[] {
  const byHash = Map.groupBy(rows, ({ hash }) => hash)
  const operations = [...byHash.values()].flatMap((uses) => {
    const [operation] = uses
    if (!operation) return []
    const { hash, name, kind, signature, coordinates } = operation
    return [{ hash, name, kind, signature, coordinates, uses }]
  })
  return operations.sort((one, other) => requestsOf(other) - requestsOf(one))
}

export const requestsOf = ({ uses }: Pick<UsedOperation, 'uses'>): number => uses.reduce((sum, { requests }) => sum + requests, 0)
