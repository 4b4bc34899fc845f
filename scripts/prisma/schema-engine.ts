import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import type { Connection } from '../../platform/database/database.ts'
import type { PrismaFile } from './data-model.ts'

/**
 * Prisma's schema engine as WebAssembly, which needs no download: compares, introspects and applies
 * migrations. `schema` is the PostgreSQL schema that it works on.
 */
export async function openSchemaEngine(
  connection: Connection,
  schema: string,
  files: readonly PrismaFile[],
): Promise<SchemaEngine> {
  const { SchemaEngine } = await loadEngine()
  const ignoreLogs = (): void => {}
  const adapter = bindMigrationAwareSqlAdapterFactory(adapterFactory(connection, schema))
  return SchemaEngine.new({ datamodels: files.map(({ path, content }) => [path, content]) }, ignoreLogs, adapter)
}

/** SQL that turns the tables of `schema` into those of the data model; empty when they agree. */
export async function differenceBetween(connection: Connection, schema: string, files: readonly PrismaFile[]): Promise<string> {
  const engine = await openSchemaEngine(connection, schema, files)
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [...files], configDir: '.' },
      to: { tag: 'schemaDatamodel', files: [...files] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    })
    const sql = (stdout ?? '').trim()
    return sql === '-- This is an empty migration.' ? '' : sql
  } finally {
    engine.free()
  }
}

/** Module of the engine: its types name only the entry, which imports the WebAssembly file. */
type EngineModule = typeof import('@prisma/schema-engine-wasm') & { readonly __wbg_set_wasm: (exports: unknown) => void }

/** The part of WebAssembly that is needed; TypeScript has it among the types of browsers only. */
type WebAssemblyApi = {
  readonly instantiate: (
    bytes: Uint8Array,
    imports: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly instance: { readonly exports: { readonly __wbindgen_start: () => void } } }>
}

let loading: Promise<EngineModule> | undefined

/** Instantiates the engine by hand: importing a WebAssembly file is experimental in Node. */
function loadEngine(): Promise<EngineModule> {
  loading ??= (async () => {
    // The engine reports a panic through this global; without it the reason would be lost.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: {
        set_message: (message: string): void => {
          throw new Error(`Prisma's schema engine failed: ${message}`)
        },
      },
    })
    // The package has no types for this file, whose exports are those of the entry.
    const module = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as EngineModule
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
    const bytes = await readFile(entry.replace(/\.js$/, '_bg.wasm'))
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }
    const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': module })
    module.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
    return module
  })()
  return loading
}

/** OIDs of PostgreSQL's one-byte type "char", in which the catalog states kinds, and of text. */
const CHAR_OID = 18
const TEXT_OID = 25

/**
 * Prisma's adapter for pg, mended where version 7.10.0 fails: it refuses columns of type "char",
 * which the engine reads from the catalog, and it splits scripts wrongly.
 */
function adapterFactory(connection: Connection, schema: string): PrismaPg {
  const charColumns = new WeakMap<object, readonly number[]>()
  const pool = new pg.Pool({ ...connection, options: `-c search_path=${schema},public`, max: 2 })
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryArrayResult>
  Object.assign(pool, {
    query: async (...args: unknown[]) => {
      const result = await query(...args)
      const fields = result.fields ?? []
      if (result.rows)
        charColumns.set(
          result.rows,
          fields.flatMap(({ dataTypeID }, index) => (dataTypeID === CHAR_OID ? [index] : [])),
        )
      for (const field of fields) if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID
      return result
    },
  })
  const factory = new PrismaPg(pool, { schema, disposeExternalPool: true })
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (request) => {
      const result = await queryRaw(request)
      for (const index of charColumns.get(result.rows) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character
      return result
    }
    // The adapter's own splits at every semicolon, also within comments and functions.
    adapter.executeScript = async (script) => void (await pool.query(script))
    return adapter
  }
  return factory
}
