import { Command } from 'commander'
import { unusedCoordinates } from '../../composition/usage/unused.ts'
import { daysOption, gapOf, usageOf } from './report.ts'
import { currentSchema } from './schema-files.ts'

type Options = { readonly current?: string; readonly days: number; readonly json?: true }

export function unusedCommand(): Command {
  return new Command('unused')
    .description('list fields, arguments and enum values that no operation used')
    .option('--current <file>', 'the schema or supergraph that is served; by default the one of this version')
    .addOption(daysOption())
    .option('--json', 'print {days, firstDay, unused} on standard output')
    .action(async ({ current, days, json }: Options) => {
      const schema = currentSchema(current)
      const report = await usageOf(days)
      const unused = unusedCoordinates(schema, report.operations)
      const { firstDay } = report
      if (json) console.log(JSON.stringify({ days, firstDay, unused }, null, 2))
      else
        console.log([...gapOf(report), ...(unused.length === 0 ? [`Everything was used in ${days} days.`] : unused)].join('\n'))
    })
}
