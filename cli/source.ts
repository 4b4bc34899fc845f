import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { openDatabase } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { constantCase, lowerCase } from '../platform/text/case.ts'
import type { SourceRepository } from '../subgraphs/directory/source/repository.ts'
import type { RunReport } from '../subgraphs/directory/source/run.ts'
import { healthOf, lagSecondsOf, SOURCE_KINDS, type Source } from '../subgraphs/directory/source/source.ts'
import type { Tables } from '../subgraphs/directory/tables.ts'
import { sourceNetworkOf } from '../subgraphs/directory/variables.ts'
import { withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { printable } from './printable.ts'

/** `atrium source`: what the directory is kept up to date from. */
export function sourceCommand(): Command {
  return new Command('source')
    .summary('registries that the directory is kept up to date from')
    .description('keep the directory up to date from registries, marketplaces and repositories; the server may be running')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(runCommand())
    .addCommand(enableCommand('enable', true))
    .addCommand(enableCommand('disable', false))
    .addCommand(removeCommand())
}

/** `mcp-registry` for MCP_REGISTRY. */
const kindWord = (kind: Source['kind']): string => kind.toLowerCase().replaceAll('_', '-')
const nameArgument = (): Argument => new Argument('<name>', 'name of the source')
const JSON_OF_SOURCE = 'print the source as JSON on standard output'

type Add = {
  readonly kind: string
  readonly every: number
  readonly repository?: string
  readonly disabled?: true
  readonly json?: true
}

function addCommand(): Command {
  return new Command('add')
    .description('add a source; the server runs it within seconds')
    .argument('<name>', '1 to 60 letters a to z, digits and "-"')
    .argument('<address>', 'https address of a registry, of a repository, of an archive (.tar.gz) or of a file')
    .addOption(new Option('--kind <kind>', 'what it is').choices(SOURCE_KINDS.map(kindWord)).makeOptionMandatory())
    .addOption(new Option('--every <minutes>', 'time between two runs: 5 to 43200').default(360).argParser(minutesIn))
    .option('--repository <owner/name>', 'repository whose files these are, where the address does not say so')
    .option('--disabled', 'run it by hand only')
    .option('--json', JSON_OF_SOURCE)
    .action(async (name: string, address: string, { kind, every, repository, disabled, json }: Add) => {
      const settings = {
        name,
        // One of SOURCE_KINDS: the option has no other choice.
        kind: constantCase(kind) as Source['kind'],
        address,
        repository: repository ?? null,
        intervalMinutes: every,
        enabled: disabled !== true,
      }
      const { createSource } = await import('../subgraphs/directory/source/actions.ts')
      const result = await withSources((sources) => createSource(settings, { sources, now: new Date() }))
      if ('faults' in result) throw new OperatorError(result.faults.map(({ message }) => message).join('\n'))
      print([result.source], json)
    })
}

function minutesIn(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of minutes.')
  return Number(text)
}

function listCommand(): Command {
  return new Command('list')
    .description('list the sources by name, with how they are')
    .option('--json', 'print the sources as a JSON list on standard output')
    .action(async ({ json }: { readonly json?: true }) => {
      const sources = await withSources((all) => all.list())
      if (json) console.log(JSON.stringify(sources.map(asJson), null, 2))
      else if (sources.length === 0) console.error('There is no source yet: npx atrium source add.')
      else print(sources)
    })
}

function runCommand(): Command {
  return new Command('run')
    .description('run a source now, in this process')
    .addArgument(nameArgument())
    .option('--accept-drop', 'remove however much is gone')
    .option('--json', JSON_OF_SOURCE)
    .addHelpText('after', '\nExit status: 0 when the run succeeded; 1 when it failed, or the server runs it at the moment.')
    .action(async (name: string, { acceptDrop, json }: { readonly acceptDrop?: true; readonly json?: true }) => {
      await interruptible('Interrupted: what was read stays, and the next run goes on.', async (signal) => {
        const report = await run(name, acceptDrop === true, signal)
        if (report.kind === 'gone') throw unknown(name)
        if (report.kind === 'busy') throw new OperatorError(`The source "${name}" is being run at the moment.`)
        print([report.source], json)
        if (report.kind === 'failed') process.exitCode = 1
      })
    })
}

function enableCommand(name: 'enable' | 'disable', enabled: boolean): Command {
  return new Command(name)
    .description(enabled ? 'run a source by itself again, at once' : 'run a source by hand only; what was read of it stays')
    .addArgument(nameArgument())
    .option('--json', JSON_OF_SOURCE)
    .action(async (source: string, { json }: { readonly json?: true }) => {
      const changed = await withSources(async (sources) =>
        sources.change((await sourceNamed(source, sources)).id, { enabled }, new Date()),
      )
      if (changed === null) throw unknown(source)
      print([changed], json)
    })
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove a source; what was read of it stays as it is')
    .addArgument(nameArgument())
    .option('--with-items', 'remove what was read of it as well')
    .option('--json', 'print {name, removed} on standard output: items that left the directory')
    .action(async (name: string, { withItems, json }: { readonly withItems?: true; readonly json?: true }) => {
      const { removeWithItems } = await import('../subgraphs/directory/source/removal.ts')
      const removed = await withSources(async (sources, { connection, log }) => {
        const source = await sourceNamed(name, sources)
        if (withItems) return removeWithItems(source, { connection, log, now: new Date() })
        await sources.remove(source.id)
        return 0
      })
      if (json) console.log(JSON.stringify({ name, removed }, null, 2))
      else console.log(`Removed the source ${name}${withItems ? `, and ${removed} items with it` : ''}.`)
    })
}

type Surroundings = {
  readonly connection: Parameters<typeof openDatabase>[0]
  readonly log: Parameters<Parameters<typeof withDatabase>[0]>[1]
}

const withSources = <Result>(work: (sources: SourceRepository, surroundings: Surroundings) => Promise<Result>): Promise<Result> =>
  withDatabase(async ({ connection }, log) => {
    await migrate(connection)
    const { sourceRepository } = await import('../subgraphs/directory/source/repository.ts')
    const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
    const database = openDatabase<Tables>(connection, { schema: 'directory', max: 1, onError })
    try {
      return await work(sourceRepository(database.query), { connection, log })
    } finally {
      await database.close()
    }
  })

async function sourceNamed(name: string, sources: SourceRepository): Promise<Source> {
  const source = await sources.byName(name)
  if (source === null) throw unknown(name)
  return source
}

const unknown = (name: string): OperatorError => new OperatorError(`There is no source "${name}": see npx atrium source list.`)

const run = (name: string, acceptsDrop: boolean, signal: AbortSignal): Promise<RunReport> =>
  withSources(async (sources, { connection, log }) => {
    const [{ runSource }, { sourceHttp }] = await Promise.all([
      import('../subgraphs/directory/source/run.ts'),
      import('../subgraphs/directory/source/network.ts'),
    ])
    const network = sourceNetworkOf(readConfig(variables, process.env))
    const http = sourceHttp(network)
    try {
      const { id } = await sourceNamed(name, sources)
      if (acceptsDrop) await sources.acceptDrop(id)
      const { requestsPerHour } = network
      return await runSource(id, { connection, sources, http, requestsPerHour, now: () => new Date(), signal, log })
    } finally {
      await http.close()
    }
  })

const asJson = (source: Source) => {
  const now = new Date()
  const { name, kind, address, repository, intervalMinutes, enabled, problem, lastError, counts } = source
  const { lastAttemptAt, lastSuccessAt, lastCompleteAt, nextRunAt } = source
  return {
    name,
    kind: kindWord(kind),
    address,
    repository,
    intervalMinutes,
    enabled,
    health: lowerCase(healthOf(source, now)),
    problem: problem && lowerCase(problem),
    lastError,
    lagSeconds: lagSecondsOf(source, now),
    lastAttemptAt,
    lastSuccessAt,
    lastCompleteAt,
    nextRunAt,
    counts,
  }
}

function print(sources: readonly Source[], json?: true): void {
  if (json) {
    const [source] = sources
    console.log(JSON.stringify(source && asJson(source), null, 2))
    return
  }
  for (const source of sources) {
    const { name, kind, health, address, problem, lastError, lagSeconds, counts } = asJson(source)
    const age = lagSeconds === null ? 'never read' : `read ${Math.round(lagSeconds / 60)} min ago`
    const did = counts
      ? `: ${counts.added} added, ${counts.updated} updated, ${counts.removed} removed, ${counts.rejected} rejected`
      : ''
    console.log(printable(`${name}  ${health}  ${kind}  ${address}  ${age}${did}`))
    if (problem) console.log(printable(`  ${problem}: ${lastError ?? ''}`))
  }
}
