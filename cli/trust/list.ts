import { text as textOf } from 'node:stream/consumers'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { variables } from '../../config.ts'
import { readConfig } from '../../platform/config/config.ts'
import { dnsClient } from '../../platform/outbound/dns-client.ts'
import { systemServers } from '../../platform/outbound/dns-servers.ts'
import { httpClient } from '../../platform/outbound/http-client.ts'
import { safeNetwork } from '../../platform/outbound/safe-connect.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { LIST_FILE_FORMATS, type ListFileFormat } from '../../subgraphs/trust/operator-list/list-file.ts'
import {
  LIST_SCOPES,
  type ListEntryInput,
  type ListScope,
  type NewListEntry,
  OPERATOR_LISTS,
  type OperatorList,
  type OperatorListEntry,
} from '../../subgraphs/trust/operator-list/operator-list.ts'
import { printable } from '../printable.ts'
import { readSource } from '../read-source.ts'
import type { WithTrust } from './with-trust.ts'

type Trust = Parameters<Parameters<WithTrust>[0]>[0]

/** Author of added entries, for `createdBy`. */
const PROGRAM = 'atrium'
/** Upper bound of a file, which is read into memory. */
const MAX_FILE_BYTES = 20_000_000
const DOWNLOAD_TIMEOUT_MS = 60_000
/** Invalid entries listed in an error. */
const MAX_SHOWN_FAULTS = 10
/** Entries per page of an export. */
const EXPORT_PAGE_ENTRIES = 1_000

const listArgument = () => new Argument('<list>', 'which list').choices(OPERATOR_LISTS)
const scopeOption = () =>
  new Option('--scope <scope>', 'what entries cover; by the form of the target when absent').choices(LIST_SCOPES)
const expiresOption = () => new Option('--expires <time>', 'end of the entries, such as 2027-01-31T00:00:00Z').argParser(instant)

type EntryOptions = { readonly reason: string; readonly scope?: ListScope; readonly expires?: Date }

/** `atrium trust list`: the operator's block, allow and brand lists, which apply to all keys. */
export function listCommand(withTrust: WithTrust): Command {
  return new Command('list')
    .description(
      'change block, allow and brand lists, which apply to all keys; a server that runs sees changes within two seconds',
    )
    .addCommand(addCommand(withTrust))
    .addCommand(removeCommand(withTrust))
    .addCommand(importCommand(withTrust))
    .addCommand(exportCommand(withTrust))
    .addCommand(statusCommand(withTrust))
}

function addCommand(withTrust: WithTrust): Command {
  return new Command('add')
    .description('add a name, an address or a URL to a list')
    .addArgument(listArgument())
    .argument('<target>', 'a host name, an address, a URL, or a URL that ends with a slash for all below')
    .requiredOption('--reason <text>', 'reason for people')
    .addOption(scopeOption())
    .addOption(expiresOption())
    .action(async (list: OperatorList, target: string, { reason, scope, expires }: EntryOptions) => {
      const input = { target, reason, scope: scope ?? null, expiresAt: expires ?? null }
      const [entry] = (await withTrust((trust) => add(list, [{ location: '', input }], false, trust))).entries
      console.log(entry ? printable(`${entry.list} ${entry.scope} ${entry.target}`) : '')
    })
}

function removeCommand(withTrust: WithTrust): Command {
  return new Command('remove')
    .description('remove a target from a list')
    .addArgument(listArgument())
    .argument('<target>', 'as it was added')
    .addOption(scopeOption())
    .action(async (list: OperatorList, target: string, { scope }: { readonly scope?: ListScope }) => {
      const removed = await withTrust(async ({ engine, operatorLists, now }) => {
        const { validateListEntry } = await import('../../subgraphs/trust/operator-list/operator-list.ts')
        const input = { target, reason: 'remove', scope: scope ?? null, expiresAt: null }
        const read = validateListEntry(list, input, now(), engine)
        if ('faults' in read) throw new OperatorError(read.faults.map(({ message }) => message).join(' '))
        return operatorLists.removeTarget(list, read.entry)
      })
      if (!removed) throw new OperatorError(`The ${list} list does not have "${target}".`)
      console.log(printable(`Removed ${removed.scope} ${removed.target}.`))
    })
}

function importCommand(withTrust: WithTrust): Command {
  return new Command('import')
    .description('add the entries of a file: lines, a hosts file, CSV, JSON, STIX 2.1 or MISP; all or none')
    .addArgument(listArgument())
    .argument('<source>', 'a file, - for standard input, or an https URL')
    .requiredOption('--reason <text>', 'reason for people, of entries without one')
    .addOption(scopeOption())
    .addOption(expiresOption())
    .option('--skip-invalid', 'add the valid entries when some are invalid')
    .action(
      async (
        list: OperatorList,
        source: string,
        { reason, scope, expires, skipInvalid }: EntryOptions & { skipInvalid?: true },
      ) => {
        const text = await load(source)
        const { readListFile } = await import('../../subgraphs/trust/operator-list/list-file.ts')
        const entries = readListFile(text, { reason, scope: scope ?? null, expiresAt: expires ?? null })
        if (entries === null || entries.length === 0) throw new OperatorError(`There are no entries in "${source}".`)
        const { added, replaced, invalid } = await withTrust((trust) => add(list, entries, skipInvalid === true, trust))
        console.log(`Added ${added}, replaced ${replaced}, left out ${invalid}.`)
      },
    )
}

function exportCommand(withTrust: WithTrust): Command {
  return new Command('export')
    .description('print the entries of a list, newest first, as a file that import reads')
    .addArgument(listArgument())
    .addOption(new Option('--format <format>', 'form of the file').choices(LIST_FILE_FORMATS).default('csv'))
    .action(async (list: OperatorList, { format }: { readonly format: ListFileFormat }) => {
      const { writeListFile } = await import('../../subgraphs/trust/operator-list/list-file.ts')
      const entries = await withTrust(({ operatorLists }) => readAll(list, operatorLists))
      process.stdout.write(writeListFile(entries, format))
    })
}

function statusCommand(withTrust: WithTrust): Command {
  return new Command('status')
    .description('show entries, hits and the last change of each list')
    .option('--json', 'print [{list, entries, expired, hits, lastHitAt, changedAt}] on standard output')
    .action(async ({ json }: { readonly json?: true }) => {
      const lists = await withTrust(({ operatorLists, now }) => operatorLists.status(now()))
      if (json) console.log(JSON.stringify(lists, null, 2))
      else
        for (const { list, entries, hits, lastHitAt, changedAt } of lists)
          console.log(
            `${list.padEnd(6)}  ${String(entries).padStart(6)} entries  ${String(hits).padStart(8)} hits, last ${shown(lastHitAt)}  changed ${shown(changedAt)}`,
          )
    })
}

/** Adds entries to a list. Throws when one is invalid, unless `skipsInvalid`. */
async function add(
  list: OperatorList,
  read: readonly { readonly location: string; readonly input: ListEntryInput | null }[],
  skipsInvalid: boolean,
  { engine, operatorLists, now }: Trust,
): Promise<{
  readonly added: number
  readonly replaced: number
  readonly invalid: number
  readonly entries: readonly OperatorListEntry[]
}> {
  const { MAX_LIST_ENTRIES, validateListEntry } = await import('../../subgraphs/trust/operator-list/operator-list.ts')
  if (read.length > MAX_LIST_ENTRIES) throw new OperatorError(`Expected at most ${MAX_LIST_ENTRIES} entries, got ${read.length}.`)
  const at = now()
  const valid: NewListEntry[] = []
  const faults: string[] = []
  for (const { location, input } of read) {
    const checked = input === null ? null : validateListEntry(list, input, at, engine)
    if (checked && 'entry' in checked) valid.push(checked.entry)
    else {
      const message = checked ? checked.faults.map((fault) => fault.message).join(' ') : 'Expected a name, an address or a URL.'
      // Made printable, because the message quotes the file, which may be untrusted.
      faults.push(printable(location === '' ? message : `${location}: ${message}`))
    }
  }
  if (faults.length > 0 && (!skipsInvalid || valid.length === 0)) {
    const more = faults.length > MAX_SHOWN_FAULTS ? `\nand ${faults.length - MAX_SHOWN_FAULTS} more` : ''
    throw new OperatorError(faults.slice(0, MAX_SHOWN_FAULTS).join('\n') + more)
  }
  const result = await operatorLists.add(list, valid, { by: PROGRAM, at })
  if (result.kind === 'too-many') throw new OperatorError(`Expected at most ${result.max} entries in the lists.`)
  return { ...result, invalid: faults.length }
}

async function readAll(list: OperatorList, lists: Trust['operatorLists']): Promise<OperatorListEntry[]> {
  const all: OperatorListEntry[] = []
  for (let after: readonly [string] | null = null; ; ) {
    const page: OperatorListEntry[] = await lists.page(list, { size: EXPORT_PAGE_ENTRIES, after, offset: 0 })
    all.push(...page.slice(0, EXPORT_PAGE_ENTRIES))
    const last = page[EXPORT_PAGE_ENTRIES - 1]
    if (page.length <= EXPORT_PAGE_ENTRIES || !last) return all
    after = [last.id]
  }
}

const load = (source: string): Promise<string> =>
  /^https:\/\//i.test(source) ? download(source) : readSource(source, MAX_FILE_BYTES)

/** Downloads a file from a public address only, with the same protection as feeds. */
async function download(url: string): Promise<string> {
  const config = readConfig(variables, process.env)
  const network = safeNetwork({ resolvers: config.TRUST_DNS_SERVERS ?? systemServers() })
  const client = httpClient(network, dnsClient(network), { userAgent: 'atrium-trust' })
  try {
    const { status, body } = await client.get(url, {
      signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
      accept: 'text/plain, text/csv, application/json, */*;q=0.1',
      maxBytes: MAX_FILE_BYTES,
    })
    if (status === 200) return await textOf(body)
    body.destroy()
    throw new OperatorError(`"${url}" answered ${status}.`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`"${url}" cannot be downloaded: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await client.close()
  }
}

function instant(text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('Expected a time such as 2027-01-31T00:00:00Z.')
}

const shown = (time: Date | null): string => time?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never'
