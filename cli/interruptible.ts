/** As shells have it: 128 and the number of SIGINT. */
const INTERRUPTED_EXIT_CODE = 130

/**
 * Runs a command that Ctrl-C ends in order: `work` is told, and `message` is said when it has given
 * up for that reason.
 */
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
