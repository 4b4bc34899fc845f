import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { graphql } from 'graphql'
import pg from 'pg'
import pino from 'pino'
import { migrate } from '../../platform/database/migrate.ts'
import { databaseServer } from '../../platform/database/server.ts'
import { importPaths } from '../../subgraphs/directory/import/import.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'

/** Runs an operation of the directory subgraph; rejects with its first error. */
export type RunOperation = (source: string, variables: Readonly<Record<string, unknown>>) => Promise<unknown>

/**
 * Imports a folder into a database of its own, on the server of DATABASE_URL or on an embedded one,
 * and removes both after `work`.
 */
export async function withDirectory<Result>(folder: string, work: (run: RunOperation) => Promise<Result>): Promise<Result> {
  const log = pino({ level: 'warn' }, pino.destination(2))
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-relevance-'))
  const server = await databaseServer({ databaseUrl: process.env.DATABASE_URL, dataDir, log })
  const name = `atrium_relevance_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client(server.connection)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  try {
    const url = new URL('connectionString' in server.connection ? server.connection.connectionString : '')
    url.pathname = `/${name}`
    const connection = { connectionString: url.href }
    await migrate(connection)
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
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
