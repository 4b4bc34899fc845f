import { SCOPES } from '../access/scopes.ts'

/** Fields of RFC 8414 for the endpoints of this server. */
const STORED_FIELDS: readonly string[] = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
]

/** The metadata of the library without OpenID Connect. */
export const authorizationServerMetadata = (all: object, publicUrl: string): object => ({
  ...Object.fromEntries(Object.entries(all).filter(([name]) => STORED_FIELDS.includes(name))),
  scopes_supported: SCOPES,
  response_modes_supported: ['query'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  service_documentation: `${publicUrl}/reference/store`,
})

/** RFC 9728: the authorization server of the resource at `path`. */
export const protectedResourceMetadata = (path: string, publicUrl: string): object => ({
  resource: `${publicUrl}${path}`,
  resource_name: 'Atrium store',
  authorization_servers: [publicUrl],
  bearer_methods_supported: ['header'],
  scopes_supported: SCOPES,
})
