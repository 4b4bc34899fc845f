/** Most attempts of a transaction in a deadlock. */
const MAX_ATTEMPTS = 5
const DEADLOCK = '40P01'

/** Retries a transaction that PostgreSQL aborted as a deadlock victim: nothing of it was done. */
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
