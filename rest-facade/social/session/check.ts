import { GetSessionUserDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../../gateway/client.ts'

/** As long as a program that waits for an answer should have to. */
const TIMEOUT_MILLISECONDS = 5_000

/**
 * Asks the social graph whether the session of a user's token goes on: true, or false where it has ended. Rejects when the graph does not say. The operation is prepared
 * first, which rejects where the graph cannot answer it.
 */
export async function sessionCheck(client: GatewayClient): Promise<(token: string) => Promise<boolean>> {
  await client.prepare(GetSessionUserDocument)
  return async (token) => {
    const caller = { requestId: 'session', address: '127.0.0.1', credentials: { authorization: `Bearer ${token}` } }
    const { data, errors } = await client.run(GetSessionUserDocument, {}, caller, AbortSignal.timeout(TIMEOUT_MILLISECONDS))
    if (data?.me) return true
    if (errors.every(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) return false
    throw new Error('Expected the social subgraph to say whether a session goes on.')
  }
}
