import { OperatorError } from './operator-error.ts'

/** Notes what a part needs to be closed with; parts are closed in the reverse order of this. */
export type Defer = (close: () => Promise<unknown>) => void

/**
 * The life of a process: runs `start`, waits for SIGTERM or SIGINT (or for `end`), closes every deferred part, and exits 0.
 * A second signal exits at once. An `OperatorError` is printed as its message alone, every other fault with its stack; both exit 1.
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
    // Whatever still holds the process open has been told to end.
    process.exit(result)
  }
  const fail = (error: unknown): void => {
    // While it ends, a part that was still starting trips over what is closed already.
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
