import pg from 'pg'

/** SQLSTATE of an error of PostgreSQL; null for other errors. */
export const sqlStateOf = (error: unknown): string | null => (error instanceof pg.DatabaseError ? (error.code ?? null) : null)

/** SQLSTATE of unique_violation. */
const UNIQUE_VIOLATION = '23505'

/** Whether this violates the unique constraint or index with this name or pattern. */
export const violates = (error: unknown, constraint: string | RegExp): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === UNIQUE_VIOLATION &&
  (typeof constraint === 'string' ? error.constraint === constraint : constraint.test(error.constraint ?? ''))
