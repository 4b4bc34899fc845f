/** How often one of several transactions that wait for each other begins again. */
const MAX_ATTEMPTS = 5
const DEADLOCK = '40P01'

/** Runs a transaction, and again when the database has ended it because it and others were waiting for each other: nothing of it was done then. */
export async function retryAfterDeadlock<Result>(transact: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error
    }
  }
}

const isDeadlock = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === DEADLOCK
