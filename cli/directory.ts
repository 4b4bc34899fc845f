import { join } from 'node:path'
import { Command } from 'commander'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { openDatabase } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { catalogueStore, MIN_ITEMS } from '../subgraphs/directory/catalogue-file/catalogue-store.ts'
import type { PreparedCatalogue } from '../subgraphs/directory/catalogue-file/prepare.ts'
import type { ProbeReport } from '../subgraphs/directory/probe/probe.ts'
import type { Tables } from '../subgraphs/directory/tables.ts'
import { withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'

/** `atrium directory`: probes remote servers of the directory. */
export function directoryCommand(): Command {
  return new Command('directory')
    .summary('ask servers what they offer, prepare starts')
    .description('ask remote servers of the directory what they offer, prepare starts; the server may be running')
    .addCommand(probeCommand())
    .addCommand(prepareCommand())
}

function prepareCommand(): Command {
  return new Command('prepare')
    .description('write the file that the next start of this version reads, before an upgrade or after an import')
    .option('--json', 'print {status, items, revision} on standard output')
    .addHelpText(
      'after',
      `
Migrates the database, and writes DATA_DIR/directory/catalogue-…: run it as the user of the server. A file may be
copied to other machines with the same database, version, Node and processor.

Exit status: 0 when a start finds the file or, below ${MIN_ITEMS.toLocaleString('en')} items, needs none; 1 otherwise.`,
    )
    .action(async ({ json }: { readonly json?: true }) => {
      await interruptible('Interrupted: no file was written.', async (signal) => {
        const prepared = await prepare(signal)
        console.log(json ? JSON.stringify(prepared, null, 2) : PREPARED[prepared.status](prepared.items.toLocaleString('en')))
        if (prepared.status === 'unwritten') process.exitCode = 1
      })
    })
}

const PREPARED: Readonly<Record<PreparedCatalogue['status'], (items: string) => string>> = {
  written: (items) => `The file was written: ${items} items.`,
  current: (items) => `The file is there, with all ${items} items.`,
  unwritten: () => 'The file was not written: another process is writing it, or the log above says why.',
  small: (items) => `${items} items: a start needs no file.`,
}

const prepare = (signal: AbortSignal): Promise<PreparedCatalogue> =>
  withDatabase(async ({ connection }, log) => {
    await migrate(connection)
    // Imported on demand, as what probes servers is.
    const { prepareCatalogue } = await import('../subgraphs/directory/catalogue-file/prepare.ts')
    const { itemRepository } = await import('../subgraphs/directory/item/repository.ts')
    const { safeNames } = await import('../subgraphs/directory/server-features/findings.ts')
    const { DATA_DIR } = readConfig(variables, process.env)
    const stored = catalogueStore(join(DATA_DIR, 'directory'), log)
    signal.addEventListener('abort', () => void stored.close(), { once: true })
    const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
    const database = openDatabase<Tables>(connection, { schema: 'directory', max: 1, onError })
    try {
      const items = itemRepository(database.query, safeNames)
      return await prepareCatalogue({ items, stored, minItems: MIN_ITEMS, signal })
    } finally {
      await database.close()
    }
  })

function probeCommand(): Command {
  return new Command('probe')
    .description('ask a remote MCP server for its tools, prompts and resources, and store them')
    .argument('<owner/repo>', 'key of the server, as in the address of its page')
    .option('--json', 'print {key, address, status, reason, tools, prompts, resources, changes} on standard output')
    .addHelpText(
      'after',
      `
Connects to a public https address only, without credentials. Lists, and never calls: at most 20 seconds and 4 MB.
Differences to the probe before are stored and shown on the page of the server.

Exit status: 0 when the server answered; 1 otherwise.`,
    )
    .action(async (key: string, { json }: { readonly json?: true }) => {
      await interruptible('Interrupted: nothing was stored.', async (signal) => {
        const report = await probe(key, signal)
        if (report.kind === 'unknown') throw new OperatorError(`The directory has no MCP server "${key}".`)
        if (report.kind === 'local')
          throw new OperatorError(`"${key}" has no known remote address: only remote servers are asked.`)
        console.log(json ? JSON.stringify(asJson(report), null, 2) : asText(report))
        if (report.result.status !== 'ANSWERED') process.exitCode = 1
      })
    })
}

const probe = (key: string, signal: AbortSignal): Promise<ProbeReport> =>
  withDatabase(async ({ connection }, log) => {
    await migrate(connection)
    // Imported on demand: most commands do not need the MCP library.
    const { prober } = await import('../subgraphs/directory/probe/client.ts')
    const { probeRepository } = await import('../subgraphs/directory/probe/repository.ts')
    const { probeByKey } = await import('../subgraphs/directory/probe/probe.ts')
    const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
    const database = openDatabase<Tables>(connection, { schema: 'directory', max: 1, onError })
    const client = prober()
    try {
      return await probeByKey(key, { probes: probeRepository(database.query), prober: client, now: () => new Date(), signal })
    } finally {
      await client.close()
      await database.close()
    }
  })

type Probed = Extract<ProbeReport, { readonly kind: 'probed' }>

function asJson({ key, address, result, changes }: Probed) {
  const features = result.status === 'ANSWERED' ? result.features : null
  return {
    key,
    address,
    status: result.status.toLowerCase(),
    reason: result.status === 'ANSWERED' ? null : result.reason,
    tools: features?.tools.map(({ name }) => name) ?? null,
    prompts: features?.prompts.map(({ name }) => name) ?? null,
    resources: features?.resources.map(({ uri }) => uri) ?? null,
    changes,
  }
}

function asText({ key, address, result, changes, isFirst }: Probed): string {
  if (result.status !== 'ANSWERED') return `${key} at ${address}: ${result.status.toLowerCase()}: ${result.reason}`
  const { tools, prompts, resources, isTruncated } = result.features
  const counts = `${tools.length} tools, ${prompts.length} prompts, ${resources.length} resources${isTruncated ? ', and more' : ''}`
  const lines = changes.map(
    ({ change, feature, name, field }) =>
      `  ${change.toLowerCase()} ${feature.toLowerCase()} ${name}${field === null ? '' : `: ${field}`}`,
  )
  const differences = isFirst ? ['first answer'] : lines.length === 0 ? ['no change'] : [`${lines.length} changes:`, ...lines]
  return [`${key} at ${address}: ${counts}`, ...tools.map(({ name }) => `  ${name}`), ...differences].join('\n')
}
