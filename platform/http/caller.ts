/**
 * Who asks, as the gateway passes it on: credentials unjudged, by allow-list. The subgraph that
 * owns a credential judges it.
 */
export type Caller = {
  /** Correlates log lines and errors of one request. */
  readonly requestId: string
  /** Client address as the outermost trusted hop saw it. */
  readonly address: string
  /** Lower-case header name to value; only the names of `CREDENTIAL_HEADERS`. */
  readonly credentials: Readonly<Partial<Record<CredentialHeader, string>>>
  /**
   * Headers of the client that rules of the gateway send on to subgraphs, by name in lower case.
   * Whoever differs in them is another caller. Absent: none.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Claims of the verified token, where rules read them. */
  readonly claims?: Readonly<Record<string, unknown>>
  /**
   * When a caller who stays connected (a WebSocket, an event stream) presented the credentials. A
   * short-lived token that was valid then goes on being good for as long as its session lives.
   * Absent for a caller who presents them with every request.
   */
  readonly connectedAt?: Date
  /**
   * Scopes that one operation of a facade has beside those of the credentials, for what its
   * published contract answers. Set by facades of this installation only, never from anything that
   * a client sent.
   */
  readonly grantedScopes?: readonly ScopeGrant[]
  /** The trace that the request belongs to, by W3C Trace Context; absent when nobody said. */
  readonly traceparent?: string
}

/** Scopes that hold for one operation if the credentials hold another. */
export type ScopeGrant = { readonly holding: string; readonly scopes: readonly string[] }

/** The only headers of a client that reach a subgraph. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-login-key', 'x-auth-token'] as const
export type CredentialHeader = (typeof CREDENTIAL_HEADERS)[number]
