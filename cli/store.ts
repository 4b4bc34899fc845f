import { Command } from 'commander'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { Stores } from '../subgraphs/store/operator/stores.ts'
import { decodeId } from '../subgraphs/toolkit/ids.ts'
import { storedSecretsCipher, withDatabase } from './database.ts'
import { printable } from './printable.ts'
import { progressOn } from './progress.ts'
import { exportRecords, FORMAT_OPTION, importRecordsCommand, KIND_OPTION } from './store-records.ts'

type Sample = NonNullable<Parameters<Stores['create']>[0]['sample']>

/** `atrium store`: creates stores, and manages their credentials and owners. */
export function storeCommand(): Command {
  return new Command('store')
    .summary('stores and their credentials')
    .description('create stores and manage their credentials; the server may be running')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(ownerCommand())
    .addCommand(importRecordsCommand())
    .addCommand(exportCommand())
    .addCommand(new Command('token').description('authtokens of stores').addCommand(resetCommand()))
}

type Create = {
  readonly name: string
  readonly country: string
  readonly empty?: true
  readonly unpaid?: true
  readonly json?: true
}

function createCommand(): Command {
  return new Command('create')
    .description('create a store with sample data, and print its authtoken once')
    .requiredOption('--name <name>', 'name that customers see, 4 to 50 characters')
    .option('--country <code>', 'ISO 3166-1 alpha-2; determines the default currency, time zone and language', 'US')
    .option('--empty', 'without sample data')
    .option('--unpaid', 'without a paid subscription, which creating further stores over the API requires')
    .option('--json', 'print {code, login, authtoken} on standard output')
    .action(async ({ name, country, empty, unpaid, json }: Create) => {
      const input = { name, country, isPaid: !unpaid }
      const { code, login, authtoken } = await withStores((stores) =>
        empty ? stores.create(input) : withSample((sample) => stores.create({ ...input, sample })),
      )
      if (json) console.log(JSON.stringify({ code, login, authtoken }, null, 2))
      else console.log(`Created "${code}".\n\nlogin      ${login}\nauthtoken  ${authtoken}\n\n${KEEP_IT}`)
    })
}

function listCommand(): Command {
  return new Command('list')
    .description('list all stores, oldest first')
    .option('--json', 'print [{code, name, login, createdAt}] on standard output')
    .action(async ({ json }: { readonly json?: true }) => {
      const stores = await withStores((all) => all.list())
      if (json)
        console.log(
          JSON.stringify(
            stores.map(({ id: _, ...store }) => store),
            null,
            2,
          ),
        )
      else for (const { code, login, name } of stores) console.log(printable(`${code.padEnd(24)}  ${login}  ${name}`))
    })
}

function resetCommand(): Command {
  return new Command('reset')
    .description('reset the authtoken of a store; the old one becomes invalid within a second')
    .argument('<code>', 'of the store, as `list` shows it')
    .option('--json', 'print {code, login, authtoken} on standard output')
    .action(async (code: string, { json }: { readonly json?: true }) => {
      const credentials = await withStores((stores) => stores.resetToken(code))
      if (!credentials) throw new OperatorError(noStore(code))
      if (json) console.log(JSON.stringify({ code, ...credentials }, null, 2))
      else console.log(`login      ${credentials.login}\nauthtoken  ${credentials.authtoken}\n\n${KEEP_IT}`)
    })
}

type Owner = { readonly none?: true; readonly json?: true }

function ownerCommand(): Command {
  return new Command('owner')
    .description('make a user the owner of a store, replacing the current owner')
    .argument('<code>', 'of the store, as `list` shows it')
    .argument('[user-id]', 'of the user, as `atrium user list --json` shows it')
    .option('--none', 'remove the owner')
    .option('--json', 'print {code, owner} on standard output')
    .action(async (code: string, user: string | undefined, { none, json }: Owner, command: Command) => {
      if ((user === undefined) !== (none === true)) command.error('error: expected the id of a user, or --none', { exitCode: 2 })
      const owner = user ?? null
      if (owner !== null && !(await isUser(owner))) {
        throw new OperatorError(`There is no user with the id "${owner}"; \`atrium user list --json\` shows them.`)
      }
      if (!(await withStores((stores) => stores.setOwner(code, owner)))) throw new OperatorError(noStore(code))
      if (json) console.log(JSON.stringify({ code, owner }, null, 2))
      else console.log(owner === null ? `"${code}" has no owner.` : `"${code}" belongs to ${owner}.`)
    })
}

type Export = {
  readonly kind?: Parameters<typeof exportRecords>[2]
  readonly format?: Parameters<typeof exportRecords>[3]
  readonly json?: true
}

function exportCommand(): Command {
  return new Command('export')
    .description('export a store into one file, all of it or objects of a kind; the server may be running')
    .argument('<code>', 'of the store, as `list` shows it')
    .argument('<file>', 'a file that does not exist yet, such as shop.tar.gz; with --kind, also - for standard output')
    .addOption(KIND_OPTION)
    .addOption(FORMAT_OPTION)
    .option('--json', 'print {file, rows, files, bytes} on standard output; without --kind')
    .addHelpText('after', EXPORTED)
    .action(async (code: string, file: string, { kind, format, json }: Export) => {
      if (kind !== undefined) return exportRecords(code, file, kind, format)
      const store = (await withStores((stores) => stores.list())).find((each) => each.code === code)
      if (!store) throw new OperatorError(noStore(code))
      const [{ columnsOf, ownedRows, runExport }, { withStorage }] = [await import('./export.ts'), await import('./backup.ts')]
      await withStorage(({ storage, isLocal }) =>
        runExport({
          file,
          json,
          files: isLocal
            ? { keys: `SELECT key FROM store.file WHERE store_id = ${store.id} ORDER BY key FOR KEY SHARE`, open: storage.open }
            : null,
          selections: async (client) => [
            {
              name: 'store',
              query: `SELECT ${await columnsOf(client, 'store', 'store')} FROM store.store WHERE id = ${store.id}`,
            },
            ...(await ownedRows(client, 'store', 'store_id', String(store.id))),
          ],
        }),
      )
    })
}

const EXPORTED = `
A compressed tar archive: <table>/<piece>.jsonl has an object per row, by the names of columns (docs/operations/erasure.md); files/ has the stored files by \`key\` of the table
"file", unless they are in a bucket; SHA256SUMS has a checksum of each. Hashes of passwords and tokens, and webhook secrets, are not included.`

async function isUser(id: string): Promise<boolean> {
  const row = decodeId(id, 'User')
  if (row === null) return false
  const { withAccounts } = await import('../subgraphs/social/user/accounts.ts')
  return withDatabase(async ({ connection }) => {
    await migrate(connection)
    return withAccounts(connection, (accounts) => accounts.exists(row))
  })
}

const noStore = (code: string): string => `There is no store with the code "${code}"; \`atrium store list\` shows them.`

const KEEP_IT =
  'Store it now: it is saved as a hash and cannot be shown again. Send both with HTTP Basic, or as the headers X-LOGIN-KEY and X-AUTH-TOKEN.'

/** Runs `work` with file storage for sample data and a progress callback. */
async function withSample<Result>(work: (sample: Sample) => Promise<Result>): Promise<Result> {
  const { fileStorageOf } = await import('../subgraphs/store/file/configured.ts')
  const { storeFiles } = await import('../subgraphs/store/file/files.ts')
  const { fileSources } = await import('../subgraphs/store/file/source.ts')
  const config = readConfig(variables, process.env)
  // `publicUrl` is unused: the database stores file keys, not URLs.
  const { storage } = await fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl: '' })
  const files = storeFiles(storage, fileSources())
  const progress = progressOn(process.stderr)
  try {
    return await work({ files, onProgress: (done, total) => progress.show({ phase: 'filling', done, total }) })
  } finally {
    progress.clear()
    await files.close()
  }
}

async function withStores<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> {
  return withDatabase(async ({ connection }) => {
    await migrate(connection)
    // Imported on demand: most commands do not need the tables of countries.
    const { withStores: onStores } = await import('../subgraphs/store/operator/stores.ts')
    return onStores(connection, work, await storedSecretsCipher(connection))
  })
}
