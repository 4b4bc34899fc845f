import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { StoreRecords } from '../subgraphs/store/operator/records.ts'
import { storedSecretsCipher, withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { printable } from './printable.ts'
import { progressOn } from './progress.ts'

const KINDS = { products: 'PRODUCTS', customers: 'CUSTOMERS', orders: 'ORDERS' } as const
const FORMATS = { csv: 'CSV', jsonl: 'JSON_LINES' } as const
type Kind = keyof typeof KINDS
type Format = keyof typeof FORMATS

type Import = {
  readonly kind: Kind
  readonly format?: Format
  readonly overwrite?: true
  readonly dryRun?: true
  readonly source?: string
  readonly takeStock?: true
  readonly sendEvents?: true
  readonly resume?: string
  readonly json?: true
}

const formatOption = () =>
  new Option('--format <format>', 'CSV with the columns of Shopify, or JSON lines; absent: by the name of the file').choices(
    Object.keys(FORMATS),
  )

/** `atrium store import`: products, customers or orders from a file. */
export function importRecordsCommand(): Command {
  return new Command('import')
    .description('import products, customers or orders from a file into a store; the server may be running')
    .argument('<code>', 'of the store, as `list` shows it')
    .argument('[file]', 'a file, or - for standard input')
    .addOption(new Option('--kind <kind>', 'what the file contains').choices(Object.keys(KINDS)).default('products'))
    .addOption(formatOption())
    .option('--overwrite', 'change objects that exist; absent: they are skipped')
    .option('--source <shop>', 'where orders come from: with their number there it identifies them (default: "import")')
    .option('--take-stock', 'orders that are to be fulfilled reserve their stock')
    .option('--send-events', 'webhooks and subscribers get the events of new orders')
    .option('--dry-run', 'check everything, and write nothing')
    .option('--resume <number>', 'go on with an import that was interrupted, instead of a file')
    .option('--json', 'print the import with its errors on standard output')
    .addHelpText('after', IMPORTED)
    .action(async (code: string, file: string | undefined, options: Import, command: Command) => {
      const { resume } = options
      if ((file === undefined) === (resume === undefined)) command.error('error: expected a file, - or --resume', { exitCode: 2 })
      if (resume !== undefined && !/^[1-9]\d{0,8}$/.test(resume))
        command.error('error: expected --resume with the number of an import', { exitCode: 2 })
      await runImport(code, file ?? null, options)
    })
}

const IMPORTED = `
Products are recognized by handle, customers by e-mail address, orders by source and number; nothing is deleted.
Images are recorded by their URLs. Orders are history: their sums are checked, and no e-mail is sent.
An import goes on where it was interrupted: with --resume, or by itself where a server runs.

Exit status: 0 also when some objects were left out; 1 when the file could not be read; 2 wrong usage; 130 interrupted.`

async function runImport(code: string, file: string | null, options: Import): Promise<void> {
  const { kind, overwrite, dryRun, source: shop, takeStock, sendEvents, resume, json } = options
  const progress = progressOn(process.stderr)
  let number = resume === undefined ? null : Number(resume)
  await interruptible('Interrupted: the import goes on with --resume and its number, or where a server runs.', async (signal) => {
    await withStoreRecords(code, async (records) => {
      if (file !== null) {
        const source = file === '-' ? process.stdin : await opened(file)
        number = await records.queue(source, {
          kind: KINDS[kind],
          format: FORMATS[formatOf(file, options)],
          overwrite: overwrite === true,
          isDryRun: dryRun === true,
          ...{ source: shop, takesStock: takeStock, sendsEvents: sendEvents },
          fileName: file === '-' ? null : basename(file).slice(-255),
        })
        console.error(`Import ${number}.`)
      }
      const about = await records.run(number ?? 0, signal, ({ bytesRead, byteCount }) =>
        progress.show({ phase: 'importing', done: bytesRead, total: byteCount }),
      )
      progress.clear()
      if (!about) throw new OperatorError(`There is no import with the number ${number} in this store.`)
      signal.throwIfAborted()
      const errors = await records.errors(about.id)
      if (json) console.log(JSON.stringify({ ...about, errors: errors.map(({ id: _, ...error }) => error) }, null, 2))
      else {
        for (const { row, column, message } of errors) console.log(printable(`row ${row}, ${column || 'whole row'}: ${message}`))
        const { created, updated, skipped, failed } = about
        const verb = about.isDryRun ? 'would be ' : ''
        console.log(`${created} ${verb}created, ${updated} ${verb}updated, ${skipped} skipped, ${failed} with errors.`)
      }
      if (about.status !== 'COMPLETED') {
        console.error(printable(about.failure ?? `The import is ${about.status}.`))
        process.exitCode = 1
      }
    })
  })
}

/** A file that can be opened; a stream alone would say that later, to nobody. */
async function opened(file: string): Promise<Readable> {
  try {
    return (await open(file)).createReadStream()
  } catch (error) {
    // Errors of file systems have a code.
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`Expected a file that can be read, got "${file}": ${code}.`, { cause: error })
  }
}

/** Options of `atrium store export` that choose a kind of objects. */
export const KIND_OPTION = new Option('--kind <kind>', 'only these objects, as CSV or JSON lines').choices(Object.keys(KINDS))
export const FORMAT_OPTION = formatOption()

/** Writes objects of a store to a file that does not exist yet, or to standard output for `-`. */
export async function exportRecords(code: string, file: string, kind: Kind, format: Format | undefined): Promise<void> {
  await withStoreRecords(code, async (records) => {
    const source = Readable.from(records.export(KINDS[kind], FORMATS[formatOf(file, { format })]))
    try {
      await pipeline(source, file === '-' ? process.stdout : createWriteStream(file, { flags: 'wx', mode: 0o600 }), {
        end: file !== '-',
      })
    } catch (error) {
      // Errors of file systems have a code.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new OperatorError(`Expected a file that does not exist yet, got "${file}".`, { cause: error })
      throw error
    }
  })
}

/** What an option says, or else the end of the name of the file; CSV for others. */
const formatOf = (file: string, { format }: { readonly format?: Format | undefined }): Format =>
  format ?? (/\.(jsonl|ndjson)$/i.test(file) ? 'jsonl' : 'csv')

async function withStoreRecords<Result>(code: string, work: (records: StoreRecords) => Promise<Result>): Promise<Result> {
  return withDatabase(async ({ connection }) => {
    await migrate(connection)
    const [{ withRecords }, { fileStorageOf }, { storeQuotas }] = await Promise.all([
      import('../subgraphs/store/operator/records.ts'),
      import('../subgraphs/store/file/configured.ts'),
      import('../subgraphs/store/quota/quota.ts'),
    ])
    const config = readConfig(variables, process.env)
    const { storage } = await fileStorageOf(config, {
      dataDir: config.DATA_DIR,
      publicUrl: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
    })
    try {
      const quotas = storeQuotas({
        products: config.STORE_PRODUCTS,
        productsPerDay: config.STORE_PRODUCTS_PER_DAY,
        fileBytes: config.STORE_FILE_MEGABYTES * 1_000_000,
        fileBytesPerDay: config.STORE_FILE_MEGABYTES_PER_DAY * 1_000_000,
      })
      const secrets = await storedSecretsCipher(connection)
      return await withRecords(connection, { code, quotas, publicUrl: storage.publicUrl, secrets }, work)
    } finally {
      await storage.close()
    }
  })
}
