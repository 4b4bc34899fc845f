import { GetSessionUserDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../../gateway/client.ts'

type Client = Pick<GatewayClient, 'prepare' | 'run'>

/** Callers wait for the answer with a request of their own. */
const TIMEOUT_MS = 5_000

/**
 * Creates the check whether the session of a user's token is open: true, or false where it has
 * ended; rejects when the graph fails. Creating it rejects where the graph does not have the
 * operation.
 */
export async function sessionCheck(client: Client): Promise<(token: string) => Promise<boolean>> {
  const roleOf = await roleLookup(client)
  return async (token) => (await roleOf(token)) !== null
}

/** Creates the look-up of the role of a user by a token; null where its session has ended. Rejects as above. */
export async function roleLookup(client: Client): Promise<(token: string) => Promise<string | null>> {
  await client.prepare(GetSessionUserDocument)
  return async (token) => {
    const caller = { requestId: 'session', address: '127.0.0.1', credentials: { authorization: `Bearer ${token}` } }
    const { data, errors } = await client.run(GetSessionUserDocument, {}, caller, AbortSignal.timeout(TIMEOUT_MS))
    if (data?.me) return data.me.role
    if (errors.every(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) return null
    throw new Error('Expected the social subgraph to answer whether a session is open.')
  }
}
