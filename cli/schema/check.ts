import { Command, Option } from 'commander'
import { checkSchema, type JudgedChange, type SchemaCheck } from '../../composition/usage/schema-check.ts'
import type { UsageReport } from '../../composition/usage/usage-report.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { textUpTo, wholeNumber } from '../arguments.ts'
import { counted, daysOption, gapOf, linesOf, operationJson, operationName, usageOf } from './report.ts'
import { currentSchema, schemaIn, schemaWithSubgraph } from './schema-files.ts'

type Options = {
  readonly schema: string
  readonly current?: string
  readonly subgraph?: string
  readonly subgraphs?: string
  readonly days: number
  readonly minRequests: number
  readonly json?: true
}

/** Upper bound of `--min-requests`. */
const MAX_MIN_REQUESTS = 1_000_000_000

export function checkCommand(): Command {
  return new Command('check')
    .description('tell which clients and operations a new schema would break')
    .requiredOption('--schema <file>', 'the proposed schema, supergraph, or subgraph: a file, or a folder of .graphql files')
    .option('--subgraph <name>', 'the file is this subgraph; it is composed with the others', textUpTo(100))
    .option('--subgraphs <folder>', 'where the others are, a file or folder each; by default those of this version')
    .option('--current <file>', 'the schema or supergraph that is served; by default the one of this version')
    .addOption(daysOption())
    .addOption(
      new Option('--min-requests <number>', 'operations with fewer requests count as unused')
        .default(1)
        .argParser(wholeNumber(1, MAX_MIN_REQUESTS)),
    )
    .option('--json', 'print {days, firstDay, isSafe, changes, invalid, dangerous} on standard output')
    .addHelpText(
      'after',
      `
Exit status:
  0    safe: nothing breaks that was used in these days
  1    something breaks, or nothing is recorded that could say
  2    wrong usage, a file that cannot be read, or subgraphs that do not compose`,
    )
    .action(async (options: Options) => {
      try {
        await check(options)
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        console.error(error.message)
        process.exitCode = 2
      }
    })
}

async function check({ schema, current, subgraph, subgraphs, days, minRequests, json }: Options): Promise<void> {
  if (subgraphs !== undefined && subgraph === undefined) throw new OperatorError('Expected --subgraph with --subgraphs.')
  const served = currentSchema(current)
  const proposed = subgraph === undefined ? schemaIn(schema) : schemaWithSubgraph(schema, subgraph, subgraphs)
  const report = await usageOf(days)
  const result = checkSchema(served, proposed, report, { minRequests })
  console.log(json ? JSON.stringify(jsonOf(result, report), null, 2) : textOf(result, report))
  if (!result.isSafe) process.exitCode = 1
}

const jsonOf = ({ changes, invalid, dangerous, isSafe }: SchemaCheck, { days, firstDay }: UsageReport) => ({
  days,
  firstDay,
  isSafe,
  changes: changes.map((change) => ({ ...change, operations: change.operations.map(operationJson) })),
  invalid: invalid.map(({ operation, messages }) => ({ ...operationJson(operation), messages })),
  dangerous,
})

function textOf({ changes, invalid, dangerous, isSafe }: SchemaCheck, report: UsageReport): string {
  const breaking = changes.filter(({ verdict }) => verdict !== 'safe').length
  const lines = [
    ...(changes.length > 0 ? gapOf(report) : []),
    ...changes.flatMap((change) => changeLines(change, report)),
    ...invalid.flatMap(({ operation, messages }) => [
      `Would be invalid: ${operationName(operation)}`,
      ...messages.map((message) => `  ${message}`),
      ...linesOf([operation], '  '),
    ]),
    ...dangerous.map((description) => `Dangerous: ${description}`),
    isSafe
      ? `Safe: ${changes.length === 0 ? 'no change breaks clients' : `${counted(changes.length, 'breaking change')}, none of which is used`}.`
      : `Not safe: ${breaking} of ${counted(changes.length, 'breaking change')}, ${counted(invalid.length, 'operation')} would be invalid.`,
  ]
  return lines.join('\n')
}

function changeLines({ description, verdict, operations }: JudgedChange, { days }: UsageReport): readonly string[] {
  if (verdict === 'safe') return [description, `  safe: nobody used it in ${days} days`]
  if (verdict === 'unknown') return [description, '  unknown: nothing is recorded that could say who uses it']
  return [description, ...linesOf(operations, '  breaks: ')]
}
