import { Command, Option } from 'commander'
import { PROCESS_ROLES } from '../gateway/signed-link/variables.ts'

/** `atrium start`: the same as `npm start`, or one part of it as a process of its own. */
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
      // Both run when they are loaded, in this order: main.ts needs what codegen.ts writes.
      await import('../codegen.ts')
      await import('../main.ts')
    })
}
