import { Command } from 'commander'
import type { UsedOperation } from '../../composition/usage/usage-report.ts'
import { ANY_COORDINATE } from '../../gateway/usage/usage-recorder.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { textUpTo } from '../arguments.ts'
import { daysOption, gapOf, linesOf, operationJson, usageOf } from './report.ts'

type Options = { readonly client?: string; readonly days: number; readonly json?: true }

/** Schema coordinates: `Type`, `Type.field`, `Type.field(arg:)`, `Input.field`, `Enum.VALUE`. */
const COORDINATE = /^\w+(?:\.\w+(?:\(\w+:\))?)?$/

export function usageCommand(): Command {
  return new Command('usage')
    .description('list the clients and operations that use a coordinate of the schema, or all of them')
    .argument('[coordinate]', 'such as Product, Product.weight, Query.product(id:) or Status.SOLD')
    .option('--client <name>', 'only of this client', textUpTo(100))
    .addOption(daysOption())
    .option('--json', 'print {days, firstDay, operations} on standard output')
    .action(async (coordinate: string | undefined, { client, days, json }: Options) => {
      if (coordinate !== undefined && !COORDINATE.test(coordinate)) {
        throw new OperatorError(
          `Expected a coordinate such as Product.weight or Query.product(id:), got "${coordinate.slice(0, 100)}".`,
        )
      }
      const report = await usageOf(days)
      const operations = report.operations
        .filter((operation) => coordinate === undefined || uses(operation, coordinate))
        .map((operation) => ({ ...operation, uses: operation.uses.filter((use) => !client || use.clientName === client) }))
        .filter((operation) => operation.uses.length > 0)
      if (json) {
        const { firstDay } = report
        console.log(JSON.stringify({ days, firstDay, operations: operations.map(operationJson) }, null, 2))
        return
      }
      const nobody = `${coordinate === undefined ? 'No operation was requested' : `Nobody used ${coordinate}`} in ${days} days.`
      console.log([...gapOf(report), ...(operations.length === 0 ? [nobody] : linesOf(operations, ''))].join('\n'))
    })
}

/**
 * Using a field also counts as using its type. `Input.*` (a variable of that type) counts for every
 * field of the input.
 */
function uses({ coordinates }: UsedOperation, wanted: string): boolean {
  const isType = !wanted.includes('.')
  const whole = `${wanted.split('.', 1)[0]}.*`
  return coordinates.some(
    (each) => each === wanted || each === whole || each === ANY_COORDINATE || (isType && each.startsWith(`${wanted}.`)),
  )
}
