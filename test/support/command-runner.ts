/**
 * Runs commands of `npx atrium` one after the other in one process, each as its line of standard
 * input says, so that what they import is loaded once. After each it writes a line with the given
 * mark and the exit code to standard output and standard error.
 */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { runCommand } from '../../cli/run-command.ts'

type Task = {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly mark: string
  readonly input: string
}

const tasks = createInterface({ input: process.stdin })
for await (const line of tasks) {
  // Written by command-line.ts.
  const { words, env, mark, input } = JSON.parse(line) as Task
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv.splice(1, Number.POSITIVE_INFINITY, 'cli/atrium.ts', ...words)
  process.exitCode = undefined
  // A command that reads its input would take the next tasks.
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(input === '' ? [] : [Buffer.from(input)]) })
  await runCommand(process.argv)
  const end = `${mark}${process.exitCode ?? 0}\n`
  process.stdout.write(end)
  process.stderr.write(end)
}
