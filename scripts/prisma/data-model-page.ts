import pg from 'pg'
import type { Connection } from '../../platform/database/database.ts'
import { type DataModel, modelsOf, type PrismaFile, type PrismaModel } from './data-model.ts'

/**
 * A rule of the database that Prisma's language cannot state, as PostgreSQL prints it. `table` is
 * without its schema.
 */
export type DatabaseRule = { readonly table: string; readonly kind: string; readonly definition: string }

/** Page `docs/data-model/<subgraph>.md`: an ER diagram, and the rules that only the database has. */
export async function dataModelPage(
  subgraph: DataModel,
  files: readonly PrismaFile[],
  rules: readonly DatabaseRule[],
): Promise<string> {
  const models = await modelsOf(files)
  return `# Data model: ${subgraph}

<!-- Written by npm run db:generate from prisma/${subgraph} and a migrated database: do not edit. -->

Tables of the PostgreSQL schema \`${subgraph}\`. Columns, types and meanings: [prisma/${subgraph}](../../prisma/${subgraph}).

\`\`\`mermaid
erDiagram
${models.map(entity).join('\n')}
${models.flatMap(relationships).join('\n')}
\`\`\`

## What Prisma's language cannot state

${rulesTable(rules)}
`
}

/** Columns of keys only: the diagram shows what refers to what. */
function entity({ name, fields, primaryKey }: PrismaModel): string {
  const keys = primaryKey?.fields ?? fields.filter(({ isId }) => isId).map((field) => field.name)
  const references = fields.flatMap(({ relationFromFields }) => relationFromFields ?? [])
  const columns = fields.filter((field) => keys.includes(field.name) || references.includes(field.name))
  const lines = columns.map((field) => {
    const marks = [keys.includes(field.name) ? 'PK' : '', references.includes(field.name) ? 'FK' : ''].filter(Boolean)
    return `    ${field.type} ${field.name} ${marks.join(', ')}`
  })
  return `  ${name} {\n${lines.join('\n')}\n  }`
}

/** One line per foreign key: `Parent ||--o{ Child : column`. */
function relationships(model: PrismaModel, _index: number, models: readonly PrismaModel[]): string[] {
  return model.fields
    .filter(({ relationFromFields }) => (relationFromFields?.length ?? 0) > 0)
    .map((field) => {
      const other = models.find(({ name }) => name === field.type)
      const isBack = ({ relationName, name }: (typeof model.fields)[number]): boolean =>
        relationName === field.relationName && (other !== model || name !== field.name)
      const back = other?.fields.find(isBack)
      const parent = field.isRequired ? '||' : '|o'
      const child = back?.isList === false ? 'o|' : 'o{'
      return `  ${field.type} ${parent}--${child} ${model.name} : ${field.relationFromFields?.at(-1)}`
    })
}

function rulesTable(rules: readonly DatabaseRule[]): string {
  if (rules.length === 0) return 'Nothing.'
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  return [
    '| table | kind | definition |',
    '|---|---|---|',
    ...rules.map(({ table, kind, definition }) => `| ${table} | ${kind} | \`${cell(definition)}\` |`),
  ].join('\n')
}

/** Rules of the schema that a data model cannot state, by table. */
export async function databaseRules(connection: Connection, schema: string): Promise<readonly DatabaseRule[]> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    // Definitions name objects of other schemas only: the same text on every server.
    await client.query(`SELECT set_config('search_path', $1, false)`, [`${schema}, public`])
    const { rows } = await client.query<DatabaseRule>(RULES, [schema])
    return rows
  } finally {
    await client.end()
  }
}

/**
 * Checks, deferrable constraints, SET NULL of some columns, generated columns, triggers, and
 * indexes with an expression, a collation, an INCLUDE or an operator class.
 */
const RULES = `
  WITH tables AS (
    SELECT class.oid, class.relname AS name FROM pg_class AS class
    JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
    WHERE namespace.nspname = $1 AND class.relkind = 'r' AND class.relname <> '_prisma_migrations'
  )
  SELECT name AS "table", kind, definition FROM (
    SELECT name, 'check' AS kind, pg_get_constraintdef(rule.oid) AS definition
    FROM tables JOIN pg_constraint AS rule ON conrelid = tables.oid WHERE contype = 'c'
    UNION ALL
    SELECT name, 'deferrable', pg_get_constraintdef(rule.oid)
    FROM tables JOIN pg_constraint AS rule ON conrelid = tables.oid WHERE condeferrable
    UNION ALL
    SELECT name, 'foreign key', pg_get_constraintdef(rule.oid)
    FROM tables JOIN pg_constraint AS rule ON conrelid = tables.oid WHERE contype = 'f' AND confdelsetcols IS NOT NULL
    UNION ALL
    SELECT name, 'generated column', attname || ' = ' || pg_get_expr(adbin, adrelid)
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attgenerated <> ''
    JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT name, 'collation', attname || ' COLLATE ' || quote_ident(collname)
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0
    JOIN pg_collation ON pg_collation.oid = attcollation WHERE collname <> 'default'
    UNION ALL
    SELECT name, 'trigger', pg_get_triggerdef(tgfoid_trigger.oid)
    FROM tables JOIN pg_trigger AS tgfoid_trigger ON tgrelid = tables.oid WHERE NOT tgisinternal
    UNION ALL
    SELECT name, 'index', pg_get_indexdef(indexrelid)
    FROM tables JOIN pg_index ON indrelid = tables.oid
    WHERE indexprs IS NOT NULL OR indpred IS NOT NULL OR indnatts > indnkeyatts
       OR pg_get_indexdef(indexrelid) ~ ' COLLATE |_ops'
  ) AS rules
  ORDER BY name COLLATE "C", kind COLLATE "C", definition COLLATE "C"`
