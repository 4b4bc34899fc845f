/** Entry point of `npx atrium`: importing this module runs the command of `process.argv`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { OperatorError } from '../platform/process/operator-error.ts'
import { commandLoaders } from './command-loaders.ts'
import { showNextStep } from './next-step.ts'

/** Version in package.json. */
function readVersion(): string {
  // The shape is known: it is this package's package.json.
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    readonly version: string
  }
  return version
}

/** Commands that need every other command loaded. */
const ABOUT_ALL: ReadonlySet<string> = new Set(['completion', 'help'])

const atrium: Command = new Command('atrium')
  .description('One typed graph for AI agents and the people who run them.')
  .version(readVersion())
  .helpCommand(false)
  .hook('postAction', (_, command) => showNextStep(command))
  .addHelpText(
    'after',
    `
Start here: npm start, then npx atrium doctor.
help COMMAND explains one, help env all environment variables.

Exit status:
  0    done
  1    rejected or failed; standard error has the reason in one sentence
  2    wrong usage
  130  interrupted`,
  )

// EPIPE: the reader closed the pipe, as `head` does. The command finishes without output.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

// Loads only the named command: loading all takes most of the run time of a short command. `--help`
// and the error for an unknown command need all of them.
const [, , word = ''] = process.argv
const commands = commandLoaders(atrium)
const isAlone = commands.has(word) && !ABOUT_ALL.has(word)
for (const [name, load] of commands) if (!isAlone || name === word) atrium.addCommand(await load())

const below = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(below)]
for (const command of below(atrium)) {
  command.exitOverride().showHelpAfterError('(see --help)')
}

try {
  await atrium.parseAsync()
} catch (error) {
  // Commander has printed the usage error or the requested help already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    console.error(error instanceof OperatorError ? error.message : error)
    process.exitCode = 1
  }
}
