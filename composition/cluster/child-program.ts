import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../platform/process/operator-error.ts'

/** Timeouts: from start until ready, and from stop until exit. */
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 40_000

export type Environment = Readonly<Record<string, string | undefined>>

/** A restartable child process. */
export type Program = {
  readonly name: string
  readonly pid: () => number
  /** Resolves with the exit code; null when the process had to be killed. */
  readonly stop: () => Promise<number | null>
  readonly start: () => Promise<void>
}

/**
 * A child process that logs to `logFile`. `start` resolves when `isReady` returns true, and rejects
 * with an `OperatorError` when the process exits before.
 */
export function childProgram({
  name,
  command,
  env,
  cwd,
  logFile,
  isReady,
}: {
  readonly name: string
  readonly command: readonly [file: string, ...args: string[]]
  /** The complete environment; nothing is inherited from this process. */
  readonly env: Environment
  readonly cwd: string
  readonly logFile: string
  readonly isReady: () => Promise<boolean>
}): Program {
  let child: ChildProcess | null = null
  return { name, pid: () => child?.pid ?? 0, start, stop }

  async function start(): Promise<void> {
    const [file, ...args] = command
    const output = openSync(logFile, 'a')
    // A process group of its own: Ctrl-C in the terminal must not stop it before the processes that
    // depend on it.
    const begun = spawn(file, args, { cwd, env: { ...env }, stdio: ['ignore', output, output], detached: true })
    closeSync(output)
    child = begun
    const failed = once(begun, 'error').then(([error]) => {
      throw new OperatorError(`${name} could not be started: ${error instanceof Error ? error.message : String(error)}.`)
    })
    const ended = once(begun, 'exit').then(() => {
      throw new OperatorError(`${name} ended before it was ready; ${logFile} says why.`)
    })
    await Promise.race([failed, ended, untilReady()])
  }

  async function untilReady(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await isReady().catch(() => false))) {
      if (Date.now() > deadline)
        throw new OperatorError(`${name} was not ready after ${START_TIMEOUT_MS / 1000} seconds; ${logFile} says why.`)
      await sleep(50)
    }
  }

  async function stop(): Promise<number | null> {
    const running = child
    if (!running || running.exitCode !== null || running.signalCode !== null) return running?.exitCode ?? null
    const gone = once(running, 'exit')
    running.kill('SIGTERM')
    const late = AbortSignal.timeout(STOP_TIMEOUT_MS)
    late.addEventListener('abort', () => running.kill('SIGKILL'))
    const [status] = await gone
    return status
  }
}
