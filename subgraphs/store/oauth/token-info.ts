import { hashOf } from '../access/access.ts'
import { bearerIn } from '../access/credentials.ts'
import type { OauthRepository } from './repository.ts'

/**
 * What `/oauth/token/info` answers. The shape is Doorkeeper's, which clients of the published API
 * know.
 */
export async function tokenInfo(
  {
    authorization,
    query,
    at,
  }: { readonly authorization: string | undefined; readonly query: URLSearchParams; readonly at: Date },
  oauth: Pick<OauthRepository, 'accessOf'>,
): Promise<{ readonly status: 200 | 401; readonly body: object }> {
  const token = bearerIn(authorization ?? '') ?? query.get('access_token')
  const found = token === null ? null : await oauth.accessOf(hashOf(token), at)
  if (!found) {
    return {
      status: 401,
      body: { error: 'invalid_token', error_description: 'The access token is unknown, has ended or was revoked.' },
    }
  }
  const { storeId, appCode, scopes, createdAt, expiresAt } = found
  return {
    status: 200,
    body: {
      resource_owner_id: storeId,
      scope: scopes,
      expires_in: Math.floor((expiresAt.getTime() - at.getTime()) / 1000),
      application: { uid: appCode },
      created_at: Math.floor(createdAt.getTime() / 1000),
    },
  }
}
