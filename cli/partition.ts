import { Command, InvalidArgumentError } from 'commander'
import { cancelPartitioning, partitionTable } from '../platform/database/partitioning/partition-table.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { progressOn } from './progress.ts'

/**
 * Tables that can have partitions: those that grow with orders. Each is divided by the hash of its
 * store, which all queries name. Deleting entries of the audit log reads physical addresses of rows,
 * which are unique within a partition only: it is not among them.
 */
export const PARTITIONABLE_TABLES: readonly string[] = [
  'order',
  'order_line',
  'order_history',
  'order_additional_field',
  'payment',
  'ledger_entry',
]
export const PARTITION_COLUMN = 'store_id'
const SCHEMA = 'store'
const [DEFAULT_PARTITIONS, MAX_PARTITIONS] = [32, 256]
const [DEFAULT_LOCK_MS, MIN_LOCK_MS, MAX_LOCK_MS] = [200, 20, 1_000]

type Options = { readonly partitions: number; readonly maxLock: number; readonly cancel?: true; readonly json?: true }

/** `atrium db partition`: divides a table of the store by the hash of its store. */
export function partitionCommand(): Command {
  return new Command('partition')
    .description('divide a large table of the store into partitions by the hash of its store, while servers read and write')
    .argument('<table>', `one of ${PARTITIONABLE_TABLES.join(', ')}`)
    .option(
      '--partitions <number>',
      `number of partitions, 2 to ${MAX_PARTITIONS}`,
      wholeNumber(2, MAX_PARTITIONS),
      DEFAULT_PARTITIONS,
    )
    .option(
      '--max-lock <milliseconds>',
      'time for which others may wait for a lock',
      wholeNumber(MIN_LOCK_MS, MAX_LOCK_MS),
      DEFAULT_LOCK_MS,
    )
    .option('--cancel', 'remove what an unfinished conversion has made')
    .option('--json', 'print {table, rows, sum, partitions, lockedMs} on standard output')
    .addHelpText(
      'after',
      `
Needs free disk for a second copy of the table. Rows are copied in batches; writes are repeated by a trigger until count and sum of both are
compared and the names exchanged. Interrupted, the same command goes on. Do not migrate or upgrade meanwhile.`,
    )
    .action(async (name: string, { partitions, maxLock, cancel, json }: Options) => {
      if (!PARTITIONABLE_TABLES.includes(name))
        throw new OperatorError(`Expected one of ${PARTITIONABLE_TABLES.join(', ')} as table, not "${name}".`)
      const table = { schema: SCHEMA, name }
      const progress = progressOn(process.stderr)
      await interruptible('Interrupted: the same command goes on; --cancel removes what it has made.', async (signal) => {
        if (cancel) {
          const onWait = () => progress.show({ phase: 'waiting', done: 0, total: null })
          const removed = await withDatabase(({ connection }) =>
            cancelPartitioning(connection, table, { maxLockMs: maxLock, signal, onWait }),
          ).finally(progress.clear)
          return console.log(
            removed ? `Removed the unfinished conversion of ${name}.` : `There is no unfinished conversion of ${name}.`,
          )
        }
        const report = await withDatabase(({ connection }) =>
          partitionTable({
            ...{ connection, table, column: PARTITION_COLUMN, partitions, maxLockMs: maxLock, signal },
            progress: (phase, done, total) => progress.show({ phase, done, total }),
          }),
        ).finally(progress.clear)
        if (json) return console.log(JSON.stringify({ table: name, ...report }, null, 2))
        const rows = Number(report.rows).toLocaleString('en-US')
        console.log(`Divided ${name}: ${rows} rows in ${report.partitions} partitions, with the count and sum of before.`)
        console.log(`Locks lasted at most ${report.lockedMs} ms.`)
      })
    })
}

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
