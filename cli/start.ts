import { Command } from 'commander'
import { variables } from '../config.ts'
import { describeConfig } from '../subgraphs/runtime/config.ts'

/** `atrium start`: the same as `npm start`. */
export function startCommand(): Command {
  return new Command('start')
    .description('run everything in this process, until Ctrl-C or SIGTERM')
    .addHelpText('after', `\nEnvironment:\n${describeConfig(variables)}`)
    .action(async () => {
      // Both run when they are loaded, in this order: main.ts needs what codegen.ts writes.
      await import('../codegen.ts')
      await import('../main.ts')
    })
}
