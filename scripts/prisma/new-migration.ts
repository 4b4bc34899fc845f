/**
 * Writes a migration from a change of a data model: what the database of all migrations lacks.
 *
 *   npm run db:new <subgraph> <name>
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_MODELS, PRISMA_FOLDER, prismaFiles } from './data-model.ts'
import { differenceBetween } from './schema-engine.ts'
import { withMigratedDatabase } from './temporary-database.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [given = '', name = ''] = positionals
const subgraph = DATA_MODELS.find((each) => each === given)
if (!subgraph || !/^[a-z][a-z0-9_]{0,60}$/.test(name)) {
  console.error(`Usage: npm run db:new <${DATA_MODELS.join('|')}> <name>, the name in lower case with underscores.`)
  process.exit(2)
}

const sql = await withMigratedDatabase((connection) => differenceBetween(connection, subgraph, prismaFiles(subgraph)))
if (sql === '') {
  console.error(`The migrations of ${subgraph} already make what prisma/${subgraph} says: change its schema first.`)
  process.exit(1)
}

const migrations = join(PRISMA_FOLDER, subgraph, 'migrations')
const last =
  readdirSync(migrations)
    .filter((folder) => /^\d{14}_/.test(folder))
    .sort()
    .at(-1)
    ?.slice(0, 14) ?? ''
const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
// Migrations run in the order of their names: a new one is the last.
const time = now > last ? now : String(BigInt(last) + 1n)
const folder = join(migrations, `${time}_${name}`)
mkdirSync(folder)
writeFileSync(join(folder, 'migration.sql'), `${sql}\n`)
console.log(`Wrote prisma/${subgraph}/migrations/${time}_${name}/migration.sql:\n\n${sql}\n`)
console.log('Read it, add what Prisma cannot state (checks, triggers, data), then run npm run db:generate.')
