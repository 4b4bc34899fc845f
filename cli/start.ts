import { Command, Option } from 'commander'
import { PROCESS_ROLES } from '../gateway/signed-link/variables.ts'

/** `atrium start`: the whole installation like `npm start`, or one part in a process of its own. */
export function startCommand(): Command {
  return new Command('start')
    .summary('run Atrium, or one part of it')
    .description('run everything in this process, or one part of it, until Ctrl-C or SIGTERM')
    .addOption(
      new Option('--role <role>', 'role of this process')
        .choices([...PROCESS_ROLES])
        .env('ATRIUM_ROLE')
        .default('all'),
    )
    .addHelpText('after', '\n`npx atrium help env` describes the environment variables.')
    .action(async ({ role }: { readonly role: string }) => {
      process.env.ATRIUM_ROLE = role
      // Imports with side effects, in this order: main.ts imports files that codegen.ts generates.
      await import('../codegen.ts')
      await import('../main.ts')
    })
}
