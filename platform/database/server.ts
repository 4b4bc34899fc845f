import pg from 'pg'
import type { Logger } from 'pino'
import { lookupTable } from '../collections/lookup-table.ts'
import { OperatorError } from '../process/operator-error.ts'
import type { Connection } from './database.ts'
import { runningEmbedded, startEmbedded } from './embedded/embedded-server.ts'

/** The PostgreSQL server that this process uses. */
export type DatabaseServer = {
  readonly connection: Connection
  /** Whether this process started it: only then `stop` ends it. */
  readonly embedded: boolean
  /** Resolves when an embedded server exits; never for an external one. */
  readonly gone: Promise<void>
  readonly stop: () => Promise<void>
}

type Options = {
  /** URL of an external server; undefined: an embedded one in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly log: Logger
  /** Share the server that another process runs on `dataDir`: for commands. */
  readonly share?: boolean
}

/** After this time a server counts as unreachable. */
const CONNECT_TIMEOUT_MS = 10_000

/** Error codes explained for the operator who set the URL. */
const REASONS = lookupTable<string>({
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ECONNRESET: 'it closes the connection',
  ETIMEDOUT: 'it does not answer',
  ENOENT: 'the socket does not exist',
  EACCES: 'this user may not open the socket',
})

/**
 * Connects to or starts the server, and checks that it answers. Throws an `OperatorError` without
 * any password.
 */
export async function databaseServer({ databaseUrl, dataDir, log, share = false }: Options): Promise<DatabaseServer> {
  if (databaseUrl !== undefined) {
    const connection = { connectionString: databaseUrl }
    await assertReachable(
      connection,
      `The database of DATABASE_URL (${withoutPassword(databaseUrl)})`,
      'Correct DATABASE_URL, or unset it to use the embedded database.',
    )
    return externalServer(connection)
  }
  const shared = share ? await sharedServer(dataDir) : null
  if (shared) return shared
  try {
    return { ...(await startEmbedded({ dataDir, log })), embedded: true }
  } catch (error) {
    // The other process was still starting before.
    const late = share ? await sharedServer(dataDir) : null
    if (late) return late
    throw error
  }
}

async function sharedServer(dataDir: string): Promise<DatabaseServer | null> {
  const connection = runningEmbedded(dataDir)
  if (!connection) return null
  await assertReachable(
    connection,
    `The database of the copy that runs on ${dataDir}`,
    'Use the user that started that copy, or stop it.',
  )
  return externalServer(connection)
}

const externalServer = (connection: Connection): DatabaseServer => ({
  connection,
  embedded: false,
  gone: new Promise(() => {}),
  stop: async () => {},
})

async function assertReachable(connection: Connection, subject: string, advice: string): Promise<void> {
  const client = await connectClient(connection, subject, advice)
  await client.end()
}

/**
 * A dedicated connection, which the caller ends. Throws an `OperatorError` without any password.
 */
export async function connectClient(connection: Connection, subject: string, advice: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    throw new OperatorError(`${subject} cannot be used: ${reasonOf(error)}. ${advice}`)
  }
}

/** A host with several addresses fails per address: report the first. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return REASONS[code] ?? error.message.replace(/\.$/, '')
}

/** The URL for messages, without user, password and options. */
export function withoutPassword(databaseUrl: string): string {
  try {
    const { protocol, host, pathname, searchParams } = new URL(databaseUrl)
    return `${protocol}//${searchParams.get('host') ?? host}${pathname}`
  } catch {
    return 'not a URL'
  }
}
