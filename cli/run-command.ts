/** Commands of `npx atrium`. */
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

/**
 * Runs the command that `argv` names: as `process.argv`, its first two elements are skipped. Sets
 * `process.exitCode`.
 */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const atrium = await commandNamed(argv[2] ?? '')
  try {
    await atrium.parseAsync(argv)
  } catch (error) {
    // Commander has printed the usage error or the requested help already.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else {
      console.error(error instanceof OperatorError ? error.message : error)
      process.exitCode = 1
    }
  }
}

/** The program with the command of this name; with all commands when there is none. */
async function commandNamed(word: string): Promise<Command> {
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

  // Loads only the named command: loading all takes most of the run time of a short command.
  // `--help` and the error for an unknown command need all of them.
  const commands = commandLoaders(atrium)
  const isAlone = commands.has(word) && !ABOUT_ALL.has(word)
  for (const [name, load] of commands) if (!isAlone || name === word) atrium.addCommand(await load())
  const below = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(below)]
  for (const command of below(atrium)) {
    command.exitOverride().showHelpAfterError('(see --help)')
  }
  return atrium
}
