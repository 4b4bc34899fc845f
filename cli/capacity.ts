import { Command } from 'commander'
import { wholeNumber } from './arguments.ts'
import { type CapacityPlan, planCapacity } from './capacity/capacity.ts'
import { FIGURES } from './capacity/measurements.ts'

type Options = {
  readonly requests: number
  readonly sockets: number
  readonly cross: number
  readonly cores: number
  readonly json?: true
}

/** PostgreSQL's processes cost memory and locks from here on; its default allows 100. */
const MAX_DIRECT_CONNECTIONS = 200

/** `atrium capacity`: reckons machines for a load from stored measurements. */
export function capacityCommand(): Command {
  const million = wholeNumber(0, 10_000_000)
  return new Command('capacity')
    .summary('reckon machines and cost drivers for a load')
    .description('reckon machines and cost drivers for a load, from measurements of this version; needs no database')
    .requiredOption('--requests <number>', 'requests per second at the peak', million)
    .option('--sockets <number>', 'open WebSockets and event streams', million, 0)
    .option(
      '--cross <percent>',
      'requests across subgraphs, in percent; the others need the directory only',
      wholeNumber(0, 100),
      10,
    )
    .option('--cores <number>', 'cores of a machine', wholeNumber(1, 1_024), 8)
    .option('--json', 'print {plan, figures: {name: {value, meaning, basis, source}}} on standard output')
    .action(({ requests, sockets, cross, cores, json }: Options) => {
      const plan = planCapacity({ requestsPerSecond: requests, sockets, crossPercent: cross, coresPerMachine: cores })
      console.log(json ? JSON.stringify({ plan, figures: FIGURES }, null, 2) : textOf(plan, cores))
    })
}

function textOf(plan: CapacityPlan, cores: number): string {
  const parts = plan.parts.map(
    ({ part, cores: needed, copies, driver, cpuPercent }) =>
      `  ${part.padEnd(10)} ${String(copies).padStart(4)} copies, ${count(needed)} cores, ${cpuPercent} % of the CPU; decided by ${driver}`,
  )
  const pooler = plan.databaseConnections > MAX_DIRECT_CONNECTIONS ? ': use a pooler' : ''
  const alone = plan.oneProcessCores <= 1 ? 'One process is enough for the requests' : 'One process is not enough'
  const figures = Object.values(FIGURES).map(
    ({ value, meaning, basis, source }) => `  ${basis.padEnd(10)} ${String(value).padStart(6)}  ${meaning} (${source})`,
  )
  return [
    'Reckoned, at 60 % load:',
    `  ${alone}: it would use ${count(plan.oneProcessCores)} cores, of which it has one.`,
    ...parts,
    `  machines   ${String(plan.machines).padStart(4)} of ${cores} cores for these, without PostgreSQL and Redis`,
    `  database   ${String(plan.databaseConnections).padStart(4)} connections${pooler}`,
    `  redis      ${String(plan.redisServers).padStart(4)}`,
    `  streams    ${count(plan.streamGigabytes)} GB in gateways and as much in subgraphs, when all sockets subscribe with credentials`,
    '',
    'From these figures:',
    ...figures,
    '',
    'Writes are bounded by one primary, which no figure here describes: docs/scaling.md.',
  ].join('\n')
}

const count = (value: number): string => value.toLocaleString('en-US')
