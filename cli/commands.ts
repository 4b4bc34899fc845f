/** What `npx atrium` can do: runs the command that its arguments name when it is loaded. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { OperatorError } from '../platform/process/operator-error.ts'
import { appCommand } from './app.ts'
import { clusterCommand } from './cluster.ts'
import { completionCommand } from './completion.ts'
import { dbCommand } from './db.ts'
import { doctorCommand } from './doctor.ts'
import { gateCommand } from './gate.ts'
import { helpCommand } from './help.ts'
import { importCommand } from './import.ts'
import { mcpCommand } from './mcp.ts'
import { showNextStep } from './next-step.ts'
import { secretsCommand } from './secrets.ts'
import { startCommand } from './start.ts'
import { storeCommand } from './store.ts'
import { trustCommand } from './trust.ts'
import { userCommand } from './user.ts'

/** The version of the program, from its package. */
function readVersion(): string {
  // The file is our own.
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    readonly version: string
  }
  return version
}

const atrium: Command = new Command('atrium')
  .description('One typed graph for AI agents and the people who run them.')
  .version(readVersion())
  .helpCommand(false)
  .addCommand(startCommand())
  .addCommand(doctorCommand())
  .addCommand(clusterCommand())
  .addCommand(importCommand())
  .addCommand(userCommand())
  .addCommand(storeCommand())
  .addCommand(appCommand())
  .addCommand(trustCommand())
  .addCommand(mcpCommand())
  .addCommand(gateCommand())
  .addCommand(dbCommand())
  .addCommand(secretsCommand())
  .addCommand(completionCommand(() => atrium))
  .addCommand(helpCommand(() => atrium))
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

// Who reads no further, as `head` does, has what they wanted: the command goes on to its end
// without a reader.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const below = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(below)]
for (const command of below(atrium)) {
  command.exitOverride().showHelpAfterError('(see --help)')
}

try {
  await atrium.parseAsync()
} catch (error) {
  // Commander has said what is wrong with the arguments, or has printed the help that was asked
  // for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    console.error(error instanceof OperatorError ? error.message : error)
    process.exitCode = 1
  }
}
