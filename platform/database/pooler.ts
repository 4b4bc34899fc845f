import { OperatorError } from '../process/operator-error.ts'
import type { Connection } from './database.ts'
import { connectClient, withoutPassword } from './server.ts'

/** Where the URL of a pooler has the name of the subgraph, also as programs write URLs. */
const SUBGRAPH = '{subgraph}'
const WRITTEN_SUBGRAPH = /\{subgraph\}|%7Bsubgraph%7D/gi

/**
 * The connection of a subgraph through a pooler in transaction mode. Such a pooler drops what a
 * client asks of its session, so it must set `search_path` itself. Rejects with an `OperatorError`
 * when it cannot be reached or leads to another schema: tables would be looked for in the wrong one.
 */
export async function poolerConnection(url: string, subgraph: string): Promise<Connection> {
  const connection = { connectionString: url.replaceAll(WRITTEN_SUBGRAPH, subgraph) }
  const subject = `The pooler of DATABASE_POOLER_URL (${withoutPassword(connection.connectionString)})`
  const client = await connectClient(connection, subject, 'Correct DATABASE_POOLER_URL, or unset it to do without a pooler.')
  try {
    const { rows } = await client.query<{ schema: string | null }>('SELECT current_schema() AS schema')
    const schema = rows[0]?.schema ?? 'none'
    if (schema === subgraph) return connection
    throw new OperatorError(
      `${subject} leads to the schema ${schema}, and the ${subgraph} subgraph needs ${subgraph}. In pgbouncer, give each subgraph a database with connect_query = 'SET search_path = ${subgraph}, public', and put ${SUBGRAPH} into the name of the database in DATABASE_POOLER_URL; elsewhere, give each a role with ALTER ROLE … SET search_path.`,
    )
  } finally {
    await client.end()
  }
}
