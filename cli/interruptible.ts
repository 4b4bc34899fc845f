/** Shell convention: 128 + 2, the number of SIGINT. */
const INTERRUPTED_EXIT_CODE = 130

/** Aborts `work` on SIGINT or SIGTERM, then prints `message` and exits with 130. */
export async function interruptible(message: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController()
  const interrupt = (): void => interruption.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await work(interruption.signal)
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    console.error(message)
    process.exitCode = INTERRUPTED_EXIT_CODE
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}
