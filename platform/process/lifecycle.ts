import { OperatorError } from './operator-error.ts'

/** Registers the close function of a part; they run in reverse order. */
export type Defer = (close: () => Promise<unknown>) => void

/**
 * Runs a process: calls `start`, waits for SIGTERM, SIGINT or `end`, closes the deferred parts and
 * exits 0. A second signal exits at once. An `OperatorError` is printed as its message, any other
 * error with its stack; both exit 1.
 */
export async function runProgram(start: (defer: Defer, end: (fault?: Error) => void) => Promise<void>): Promise<void> {
  const closers: (() => Promise<unknown>)[] = []
  let ending = false

  const end = async (status: number): Promise<void> => {
    if (ending) return
    ending = true
    let result = status
    for (const close of closers.reverse()) {
      await close().catch((error: unknown) => {
        report(error)
        result = 1
      })
    }
    // Remaining handles were closed, but may keep the process alive.
    process.exit(result)
  }
  const fail = (error: unknown): void => {
    // A part that is still starting may fail on parts already closed.
    if (!ending) report(error)
    void end(1)
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(128 + (signal === 'SIGINT' ? 2 : 15))
      void end(0)
    })
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)

  try {
    await start(
      (close) => closers.push(close),
      (fault) => (fault ? fail(fault) : void end(0)),
    )
  } catch (error) {
    fail(error)
  }
}

function report(error: unknown): void {
  console.error(error instanceof OperatorError ? error.message : error)
}
