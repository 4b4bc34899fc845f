import { forbidden, unauthenticated } from '../../platform/graphql/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { userTokenIn } from '../../platform/http/user-token.ts'

/**
 * Role of the user with this token, as the social subgraph has it; null for a token that is not
 * valid now. Rejects when the role cannot be read.
 */
export type RoleLookup = (token: string) => Promise<string | null>

/** Somebody waits for the answer. */
const ROLE_TIMEOUT_MS = 5_000

/** Asks the installation at this URL, for processes with no other way to. */
export const remoteRoleLookup =
  (url: string): RoleLookup =>
  async (token) => {
    const answer = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ me { role } }"}',
      signal: AbortSignal.timeout(ROLE_TIMEOUT_MS),
    })
    // Answered by the social subgraph to a document of ours.
    const { data, errors = [] } = (await answer.json()) as RoleAnswer
    if (data?.me) return data.me.role
    if (errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) return null
    throw new Error('Expected the installation to answer which role a user has.')
  }

type RoleAnswer = {
  readonly data?: { readonly me: { readonly role: string } | null } | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

/** Rejects with UNAUTHENTICATED without a signed-in user, and with FORBIDDEN unless an administrator. */
export async function requireAdministrator(caller: Caller, roleOf: RoleLookup): Promise<void> {
  const token = userTokenIn(caller)
  if (token === null) throw unauthenticated()
  const role = await roleOf(token)
  if (role === null) throw unauthenticated('Expected a token that is valid now: sign in again, or use refreshSession.')
  if (role !== 'ADMIN') throw forbidden('Expected a signed-in administrator.')
}
