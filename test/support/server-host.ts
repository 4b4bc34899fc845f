/**
 * Runs servers one after the other in one process, so that what they import is loaded once: that is
 * four fifths of the processor time of a start. Each message of the parent starts one, with the given
 * environment and arguments; its output, signals and end are those of a process of its own. After
 * its end a line with the mark of the message and the exit code goes to standard output and standard
 * error, and the next one may start.
 */
import dgram from 'node:dgram'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Server, Socket } from 'node:net'
import { join } from 'node:path'

export type ServerTask = {
  /** From the root of the repository; what it starts is started each time that it is imported. */
  readonly module: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly mark: string
}

const ROOT = join(import.meta.dirname, '../..')
/** What a program listens to until its end. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException', 'unhandledRejection'] as const

/** Handles of this process itself, with its pipes and its channel to the parent. */
const own = new Set([...handles(), process.stdout, process.stderr])
let current: ServerTask | null = null
let started = 0

const leave = process.exit
process.exit = ((code: number = Number(process.exitCode ?? 0)) => {
  // One that is ending may be told to exit twice.
  if (current !== null) end(current, code)
}) as typeof process.exit

// What a part still does after the end would have ended with its process.
const ignore = () => {}
process.once('disconnect', () => leave(0))
process.on('message', (task: ServerTask) => {
  current = task
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, task.env)
  process.argv.splice(1, Number.POSITIVE_INFINITY, join(ROOT, task.module), ...task.args)
  started += 1
  // Another address is another module; what it imports is the same.
  import(`${join(ROOT, task.module)}?start=${started}`).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})

/** Ends what a process that exits would end with itself, and says so. */
function end({ mark }: ServerTask, code: number): void {
  current = null
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  process.on('uncaughtException', ignore).on('unhandledRejection', ignore)
  for (const handle of handles()) {
    if (own.has(handle)) continue
    if (handle instanceof Socket) handle.destroy()
    if (handle instanceof Server || handle instanceof dgram.Socket) handle.close()
  }
  process.exitCode = undefined
  // Log lines are written past the streams of Node.
  for (const fd of [1, 2]) writeSync(fd, `${mark}${code}\n`)
  // Otherwise written at the end of this process, while others compile the same again.
  if (started === 1) flushCompileCache()
}

/** What keeps this process alive, timers aside. */
function handles(): readonly unknown[] {
  // Not in its types: for tools like this one.
  return (process as unknown as { _getActiveHandles: () => readonly unknown[] })._getActiveHandles()
}
