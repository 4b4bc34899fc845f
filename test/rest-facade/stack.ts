import type { AddressInfo } from 'node:net'
import pg from 'pg'
import pino from 'pino'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { serveDirectoryApi } from '../../rest-facade/directory/serve.ts'
import { serveSocialApi } from '../../rest-facade/social/serve.ts'
import { serveTrustApi } from '../../rest-facade/trust/serve.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../subgraphs/social/subgraph.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import { trustSubgraph } from '../../subgraphs/trust/subgraph.ts'
import { fixedSources } from '../subgraphs/trust/support/trust.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { temporaryFiles } from '../support/files.ts'
import { askRaw } from './ask.ts'
import { ROWS } from './sample.ts'

/**
 * The REST API over the real graph over a database that holds the sample, or what `fill` puts
 * there.
 */
export async function startStack(fill: (database: FreshDatabase) => Promise<unknown> = insertSample) {
  const database = await freshDatabase()
  await fill(database)
  const log = pino({ level: 'warn' })
  // Not where it listens: addresses in answers come from configuration. With a slash at the end, as
  // people write it.
  const publicUrl = 'https://directory.example/base'
  const directory = await directorySubgraph({ connection: database.connection, publicUrl, log })
  const social = await socialSubgraph({ connection: database.connection, log })
  const store = await storeSubgraph({ connection: database.connection, publicUrl, files: await temporaryFiles(), log })
  const trust = await trustSubgraph({ connection: database.connection, log, sources: fixedSources(() => new Date()) })
  const links = [directory, social, store, trust].map(createLocalLink)
  const gateway = await startGateway({ ...builtInSupergraph(), links, limits: { depth: 10, cost: 1000 }, log })
  const app = createHttpServer({ log })
  await serveDirectoryApi(app, gateway.client, { publicUrl: `${publicUrl}/` })
  await serveSocialApi(app, gateway.client, { publicUrl })
  await serveTrustApi(app, gateway.client, { publicUrl })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const tag = async () => (await askRaw(url, '/api/stats')).headers.etag

  return {
    url,
    gateway,
    publicUrl,
    /** Does what an import does that changed something, and resolves when answers show it. */
    change: async () => {
      const before = await tag()
      await withClient(database, async (client) => {
        await client.query(`
          WITH now AS (UPDATE directory.revision SET number = number + 1, changed_at = now() RETURNING number)
          UPDATE directory.item SET revision = now.number, updated_at = now() FROM now WHERE kind = 'SKILL'`)
        await client.query('NOTIFY directory_revision')
      })
      while ((await tag()) === before) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    close: async () => {
      await app.close()
      await gateway.close()
      await directory.close()
      await social.close()
      await store.close()
      await trust.close()
      await database.drop()
    },
  }
}

/** Puts the sample into an empty directory. */
export async function insertSample(database: FreshDatabase): Promise<void> {
  await withClient(database, async (client) => {
    await client.query(
      `INSERT INTO directory.item
         (kind, identity, key, name, description, category, tags, popularity, detail, provenance, created_at, updated_at, revision)
       SELECT kind, key, key, name, description, category, tags, popularity, detail, '[]', now(), now(), 1
       FROM jsonb_to_recordset($1) AS row
         (kind text, key text, name text, description text, category text, tags text[], popularity integer, detail jsonb)`,
      [JSON.stringify(ROWS)],
    )
    await client.query('UPDATE directory.revision SET number = 1, changed_at = now()')
  })
}

async function withClient(database: FreshDatabase, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...database.connection })
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}
