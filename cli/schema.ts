import { Command } from 'commander'
import { checkCommand } from './schema/check.ts'
import { unusedCommand } from './schema/unused.ts'
import { usageCommand } from './schema/usage.ts'

/** `atrium schema`: schema usage by clients, and the check of a new schema against it. */
export function schemaCommand(): Command {
  return new Command('schema')
    .summary('who uses which field; what a new schema breaks')
    .description('what clients use of the graph, and what a new schema would break; the server may be running')
    .addCommand(usageCommand())
    .addCommand(unusedCommand())
    .addCommand(checkCommand())
}
