import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { DATA_MODELS, PRISMA_FOLDER, prismaFiles } from '../../scripts/prisma/data-model.ts'
import { databaseRules, dataModelPage } from '../../scripts/prisma/data-model-page.ts'
import { differenceBetween } from '../../scripts/prisma/schema-engine.ts'
import { generateTableTypes } from '../../scripts/prisma/table-types.ts'
import { freshDatabase } from '../support/database.ts'

const ROOT = join(import.meta.dirname, '../..')

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function migratedDatabase() {
  const { connection, drop } = await freshDatabase()
  cleanups.push(drop)
  return connection
}

async function execute(connection: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(sql)
  await client.end()
}

describe.each(DATA_MODELS)('the data model of %s', (subgraph) => {
  test('is what its migrations make', async () => {
    expect(await differenceBetween(await migratedDatabase(), subgraph, prismaFiles(subgraph))).toBe('')
  })

  test('is documented with its diagram and with every rule that only the database has', async () => {
    const rules = await databaseRules(await migratedDatabase(), subgraph)
    const page = readFileSync(join(ROOT, `docs/data-model/${subgraph}.md`), 'utf8')
    expect(await dataModelPage(subgraph, prismaFiles(subgraph), rules)).toBe(page)
  })

  test('says what every model is', () => {
    const models = prismaFiles(subgraph).flatMap(({ content }) => [...content.matchAll(/(.*)\nmodel (\w+) \{/g)])
    expect(models.length).toBeGreaterThan(2)
    expect(models.filter(([, before = '']) => !before.startsWith('/// ')).map(([, , name]) => name)).toEqual([])
  })
})

test('a column, an index or a table that the data model lacks is a difference', async () => {
  const connection = await migratedDatabase()
  await execute(
    connection,
    `ALTER TABLE social.post ADD COLUMN mood text; CREATE INDEX post_title ON social.post (title);
     CREATE TABLE social.extra (id int PRIMARY KEY)`,
  )
  const sql = await differenceBetween(connection, 'social', prismaFiles('social'))
  expect(sql).toContain('DROP COLUMN "mood"')
  expect(sql).toContain('DROP INDEX "post_title"')
  expect(sql).toContain('DROP TABLE "extra"')
})

test('the committed table types are those that the data models generate', { timeout: 120_000 }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'atrium-table-types-'))
  cleanups.push(() => rmSync(copy, { recursive: true }))
  cpSync(PRISMA_FOLDER, join(copy, 'prisma'), { recursive: true, filter: (path) => !/migrations|seed/.test(path) })
  for (const file of ['biome.json', 'package.json']) cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const folder of ['platform/events', 'composition/usage', ...DATA_MODELS.map((name) => `subgraphs/${name}`)])
    mkdirSync(join(copy, folder), { recursive: true })
  for (const file of generateTableTypes(copy))
    expect(readFileSync(join(copy, file), 'utf8'), file).toBe(readFileSync(join(ROOT, file), 'utf8'))
})

test.each(['social', 'store', 'trust'])('the outbox of %s is the one of prisma/outbox', (subgraph) => {
  const read = (name: string): string => readFileSync(join(PRISMA_FOLDER, name, 'outbox.prisma'), 'utf8')
  expect(read(subgraph)).toBe(read('outbox'))
})
