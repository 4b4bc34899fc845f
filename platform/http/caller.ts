import { networkOf } from '../rate-limit/address-rate-limit.ts'
import { verifiedTenantOf } from './verified-credentials.ts'

/**
 * The caller, as the gateway forwards it: credentials unverified, by allow-list. The subgraph that
 * owns a credential verifies it.
 */
export type Caller = {
  /** Correlates log lines and errors of one request. */
  readonly requestId: string
  /** Client address as the outermost trusted hop saw it. */
  readonly address: string
  /** Lower-case header name to value; only the names of `CREDENTIAL_HEADERS`. */
  readonly credentials: Readonly<Partial<Record<CredentialHeader, string>>>
  /**
   * Headers of the client that rules of the gateway forward to subgraphs, by name in lower case.
   * Callers with different ones are different. Absent: none.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Claims of the verified token, where rules read them. */
  readonly claims?: Readonly<Record<string, unknown>>
  /**
   * When a connected caller (a WebSocket, an event stream) presented the credentials. A short-lived
   * token that was valid then stays valid as long as its session. Absent for a caller who presents
   * them with every request.
   */
  readonly connectedAt?: Date
  /**
   * Scopes that one operation of a facade has beside those of the credentials, for what its
   * published contract answers. Set by facades of this installation only, never from anything that
   * a client sent.
   */
  readonly grantedScopes?: readonly ScopeGrant[]
  /** The trace of the request, by W3C Trace Context; absent without one. */
  readonly traceparent?: string
  /** The program that calls, as it names itself; absent where it does not. Decides nothing. */
  readonly client?: ClientIdentity
}

/** Name and version of a client program, unverified. An empty text: not stated. */
export type ClientIdentity = { readonly name: string; readonly version: string }

/** Scopes that hold for one operation if the credentials hold another. */
export type ScopeGrant = { readonly holding: string; readonly scopes: readonly string[] }

/** The only headers of a client that reach a subgraph. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-login-key', 'x-auth-token', 'x-store-code'] as const
export type CredentialHeader = (typeof CREDENTIAL_HEADERS)[number]

/**
 * The first credential that this process knows to be verified, and whose it is; null for callers
 * without one, and for credentials that somebody may have made up.
 */
export function verifiedCredentialIn(
  credentials: Caller['credentials'],
): { readonly name: CredentialHeader; readonly tenant: string } | null {
  for (const name of SECRET_HEADERS) {
    const tenant = verifiedTenantOf(credentials[name])
    if (tenant !== undefined) return { name, tenant }
  }
  return null
}

/** The credentials that nobody else can state. */
const SECRET_HEADERS = ['x-auth-token', 'x-api-key', 'authorization'] as const satisfies readonly CredentialHeader[]

/**
 * Whom a request is for: the owner of a verified credential, or else the network of its address: a
 * single host has 2^64 of IPv6. Requests of different tenants take turns where many wait.
 */
export const tenantOf = ({ credentials, address }: Pick<Caller, 'credentials' | 'address'>): string =>
  verifiedCredentialIn(credentials)?.tenant ?? networkOf(address)
