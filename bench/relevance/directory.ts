import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { graphql } from 'graphql'
import pg from 'pg'
import pino from 'pino'
import type { Connection } from '../../platform/database/database.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { databaseServer } from '../../platform/database/server.ts'
import { importPaths } from '../../subgraphs/directory/import/import.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'

const log = pino({ level: 'warn' }, pino.destination(2))

/** Runs an operation of the directory subgraph; rejects with its first error. */
export type RunOperation = (source: string, variables: Readonly<Record<string, unknown>>) => Promise<unknown>

/**
 * Makes a migrated database of its own, on the server of DATABASE_URL or on an embedded one, and
 * removes both after `work`.
 */
export async function withDatabase<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-relevance-'))
  const server = await databaseServer({ databaseUrl: process.env.DATABASE_URL, dataDir, log })
  const name = `atrium_relevance_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client(server.connection)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  try {
    const connection = ofDatabase(server.connection, name)
    await migrate(connection)
    return await work(connection)
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function ofDatabase(connection: Connection, database: string): Connection {
  if (!('connectionString' in connection)) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}

/** Imports a folder into a database of its own. */
export const withDirectory = <Result>(folder: string, work: (run: RunOperation) => Promise<Result>): Promise<Result> =>
  withDatabase(async (connection) => {
    await importPaths([folder], { connection, log, signal: new AbortController().signal })
    const subgraph = await directorySubgraph({ connection, publicUrl: 'http://localhost', log })
    const contextValue = subgraph.context({ requestId: 'bench', address: '127.0.0.1', credentials: {} })
    try {
      return await work(async (source, variableValues) => {
        const { data, errors } = await graphql({ schema: subgraph.schema, source, variableValues, contextValue })
        if (errors) throw errors[0]
        return data
      })
    } finally {
      await subgraph.close()
    }
  })
