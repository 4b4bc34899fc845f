import { Command } from 'commander'
import { type MigrationState, type MigrationStatus, migrate, migrationStatus } from '../platform/database/migrate.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { withDatabase } from './database.ts'
import { drillCommand } from './drill.ts'
import { partitionCommand } from './partition.ts'

/** Sentence for an operator by migration state. */
const MEANINGS: Readonly<Record<MigrationState, string>> = {
  applied: 'applied',
  pending: 'pending: apply it with npx atrium db migrate',
  unknown: 'unknown to this version: the database is newer than the program',
  changed: 'edited after it was applied',
  failed: 'failed: repair the database, then record the state with prisma migrate resolve',
}

type Output = { readonly json?: true }

/** `atrium db`: migrations, backup and restore. */
export function dbCommand(): Command {
  return new Command('db')
    .summary('migrations, backup, restore and its drill')
    .description('migrations and backups of the database')
    .addCommand(migrateCommand())
    .addCommand(statusCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(drillCommand())
    .addCommand(partitionCommand())
}

function migrateCommand(): Command {
  return new Command('migrate')
    .description('migrate the database to this version; changes nothing when it is up to date')
    .option('--json', 'print {"applied": [name], "unchanged": [name]} on standard output')
    .action(async ({ json }: Output) => {
      const report = await withDatabase(({ connection }) => migrate(connection))
      const lines = report.applied.map((name) => `Applied ${name}.`)
      console.log(json ? JSON.stringify(report, null, 2) : [...lines, 'The database is up to date.'].join('\n'))
    })
}

function statusCommand(): Command {
  return new Command('status')
    .description('show the migrations of the database; exits 1 when it does not match this version')
    .option('--json', 'print {"upToDate": boolean, "migrations": [{subgraph, name, state, appliedAt}]} on standard output')
    .action(async ({ json }: Output) => {
      const migrations = await withDatabase(({ connection }) => migrationStatus(connection))
      const upToDate = migrations.every(({ state }) => state === 'applied')
      console.log(json ? JSON.stringify({ upToDate, migrations }, null, 2) : table(migrations))
      if (!upToDate) process.exitCode = 1
    })
}

function table(migrations: readonly MigrationStatus[]): string {
  const names = migrations.map(({ subgraph, name }) => `${subgraph}/${name}`)
  const width = Math.max(...names.map(({ length }) => length))
  return migrations
    .map(
      ({ state, appliedAt }, index) =>
        `${names[index]?.padEnd(width)}  ${MEANINGS[state]}${appliedAt ? ` ${appliedAt.toISOString()}` : ''}`,
    )
    .join('\n')
}
