import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { chownLike } from './binaries.ts'
import { type EmbeddedServer, startEmbedded } from './embedded.ts'

/** What a primary needs beside the settings of a server that nobody replicates. */
const REPLICATED: Readonly<Record<string, string>> = {
  wal_level: 'replica',
  max_wal_senders: '4',
  // A replica that was away this long is made anew.
  wal_keep_size: '256MB',
  // Two copies of each subgraph, with their pools.
  max_connections: '300',
}

/** Two embedded servers on this machine: what is written to the first, the second has a moment later. */
export type DatabasePair = {
  readonly primary: EmbeddedServer
  readonly replica: EmbeddedServer
  readonly stop: () => Promise<void>
}

/**
 * Starts a primary on `<dataDir>/primary` and a streaming replica of it on `<dataDir>/replica`, which is made anew each time: a copy of the files of the
 * primary, taken while it stands still.
 */
export async function startPair({ dataDir, log }: { readonly dataDir: string; readonly log: Logger }): Promise<DatabasePair> {
  const [first, second] = [join(dataDir, 'primary'), join(dataDir, 'replica')]
  mkdirSync(dataDir, { recursive: true })
  await (await startEmbedded({ dataDir: first, log, settings: REPLICATED })).stop()

  rmSync(second, { recursive: true, force: true })
  mkdirSync(second)
  cpSync(join(first, 'postgres'), join(second, 'postgres'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  writeFileSync(join(second, 'postgres/standby.signal'), '')
  chownLike(join(first, 'postgres'), join(second, 'postgres'))

  const primary = await startEmbedded({ dataDir: first, log, settings: REPLICATED })
  try {
    const socket = new URL(primary.connection.connectionString).searchParams.get('host')
    const settings = { ...REPLICATED, primary_conninfo: `host=${socket} port=5432 user=postgres` }
    const replica = await startEmbedded({ dataDir: second, log, settings })
    return {
      primary,
      replica,
      // The primary waits for a replica that is still connected.
      stop: async () => {
        await replica.stop()
        await primary.stop()
      },
    }
  } catch (error) {
    await primary.stop()
    throw error
  }
}
