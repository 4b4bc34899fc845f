/** Entry point of `npx atrium`: importing this module runs the command of `process.argv`. */
import { runCommand } from './run-command.ts'

// EPIPE: the reader closed the pipe, as `head` does. The command finishes without output.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

await runCommand(process.argv)
