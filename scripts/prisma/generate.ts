/**
 * Writes what follows from the data models in `prisma/`: table types for kysely
 * (`subgraphs/<name>/tables.ts`, `platform/events/tables.ts`) and pages (`docs/data-model/`).
 *
 *   npm run db:generate
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATA_MODELS, prismaFiles } from './data-model.ts'
import { databaseRules, dataModelPage } from './data-model-page.ts'
import { generateTableTypes } from './table-types.ts'
import { withMigratedDatabase } from './temporary-database.ts'

const ROOT = join(import.meta.dirname, '../..')

for (const file of generateTableTypes(ROOT)) console.log(`Wrote ${file}.`)
mkdirSync(join(ROOT, 'docs/data-model'), { recursive: true })
await withMigratedDatabase(async (connection) => {
  for (const subgraph of DATA_MODELS) {
    const page = await dataModelPage(subgraph, prismaFiles(subgraph), await databaseRules(connection, subgraph))
    writeFileSync(join(ROOT, `docs/data-model/${subgraph}.md`), page)
    console.log(`Wrote docs/data-model/${subgraph}.md.`)
  }
})
