/** What `npx atrium` can do: runs the command that its arguments name when it is loaded. */
import { Command, CommanderError } from 'commander'
import { variables } from '../config.ts'
import { describeConfig } from '../platform/config/config.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { appCommand } from './app.ts'
import { clusterCommand } from './cluster.ts'
import { dbCommand } from './db.ts'
import { gateCommand } from './gate.ts'
import { importCommand } from './import.ts'
import { mcpCommand } from './mcp.ts'
import { secretsCommand } from './secrets.ts'
import { startCommand } from './start.ts'
import { storeCommand } from './store.ts'
import { trustCommand } from './trust.ts'
import { userCommand } from './user.ts'

const atrium = new Command('atrium')
  .description('One typed graph for AI agents and the people who run them.')
  .addCommand(startCommand())
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
  .addHelpText(
    'after',
    `
Environment:
${describeConfig(variables)}

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
