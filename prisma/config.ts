import { join } from 'node:path'
import { defineConfig, type PrismaConfig } from 'prisma/config'

/**
 * Configuration of Prisma's CLI for one subgraph, whose tables are in the PostgreSQL schema of that
 * name; the database is DATABASE_URL's. `generate` and `validate` need none.
 */
export function configOf(subgraph: string): PrismaConfig {
  const folder = join(import.meta.dirname, subgraph)
  const { DATABASE_URL } = process.env
  const datasource = DATABASE_URL ? { datasource: { url: withSchema(DATABASE_URL, subgraph) } } : {}
  return defineConfig({ schema: folder, migrations: { path: join(folder, 'migrations') }, ...datasource })
}

/** Prisma reads the schema of its tables from the URL. */
function withSchema(url: string, schema: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}schema=${schema}`
}
