import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { hashOf } from '../access/access.ts'
import type { AppRepository, AppWithSecret } from '../app/repository.ts'
import { currentConsentChange } from './consent-change.ts'
import type { OauthRepository, StoredToken } from './repository.ts'
import { sealed, unsealed } from './seal.ts'

/** How often at most a process looks for what can be forgotten. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000

const TOKENS: LookupTable<StoredToken['kind']> = lookupTable({
  AuthorizationCode: 'code',
  AccessToken: 'access',
  RefreshToken: 'refresh',
})
const SIGN_INS: LookupTable<'session' | 'request'> = lookupTable({ Session: 'session', Interaction: 'request' })

type TokenOptions = {
  readonly oauth: OauthRepository
  /** Creates the error for a used code or token, or one of a revoked grant. */
  readonly isUsed: () => Error
  readonly now: () => Date
}

/** What the protocol keeps, by the names that its library has for it. */
export function adapterOf({ apps, ...options }: TokenOptions & { readonly apps: AppRepository }): AdapterFactory {
  const { oauth, now } = options
  const sweep = sweeper(oauth, now)

  return (name) => {
    const token = TOKENS[name]
    if (token) return tokenAdapter(token, name, options)
    const signIn = SIGN_INS[name]
    if (signIn) return signInAdapter(signIn, oauth, now, sweep)
    return name === 'Grant' ? grantAdapter(oauth, now) : clientAdapter(apps)
  }
}

/** Removes what has ended, now and then. */
function sweeper(oauth: OauthRepository, now: () => Date): () => Promise<void> {
  let sweptAt = 0
  return async () => {
    if (now().getTime() - sweptAt <= SWEEP_INTERVAL_MS) return
    sweptAt = now().getTime()
    await oauth.sweep(now())
  }
}

function tokenAdapter(kind: StoredToken['kind'], name: string, { oauth, isUsed, now }: TokenOptions): Adapter {
  return {
    ...NOTHING,
    async upsert(id, { jti: _, kind: __, grantId = '', scope, iat = 0, exp = 0, ...detail }) {
      const isAlive = await oauth.insertToken(hashOf(id), {
        kind,
        grantId,
        scopes: wordsIn(scope),
        detail,
        createdAt: new Date(iat * 1000),
        expiresAt: new Date(exp * 1000),
      })
      if (!isAlive) throw isUsed()
    },
    async find(id) {
      const found = await oauth.findToken(hashOf(id), kind)
      return (
        (found && {
          // The column holds what this adapter writes.
          ...(found.detail as AdapterPayload),
          jti: id,
          kind: name,
          grantId: found.grantId,
          scope: found.scopes.join(' '),
          iat: secondsOf(found.createdAt),
          exp: secondsOf(found.expiresAt),
          ...(found.consumedAt && { consumed: secondsOf(found.consumedAt) }),
        }) ??
        undefined
      )
    },
    async consume(id) {
      const hash = hashOf(id)
      if (await oauth.consumeToken(hash, now())) return
      // Concurrent use: one of the two clients is not the owner.
      const found = await oauth.findToken(hash, kind)
      if (found) await oauth.deleteGrant(found.grantId, now(), currentConsentChange())
      throw isUsed()
    },
    destroy: (id) => oauth.deleteToken(hashOf(id)),
    revokeByGrantId: (grantId) => oauth.deleteGrant(grantId, now(), currentConsentChange()),
  }
}

function signInAdapter(
  kind: 'session' | 'request',
  oauth: OauthRepository,
  now: () => Date,
  sweep: () => Promise<void>,
): Adapter {
  return {
    ...NOTHING,
    async upsert(id, payload, expiresIn = 0) {
      await sweep()
      const expiresAt = new Date(now().getTime() + expiresIn * 1000)
      await oauth.saveSignIn(hashOf(id), { kind, sealed: sealed(payload, id), expiresAt })
    },
    async find(id) {
      const found = await oauth.findSignIn(hashOf(id), kind)
      // Sealed by us.
      return found ? (unsealed(found, id) as AdapterPayload) : undefined
    },
    destroy: (id) => oauth.deleteSignIn(hashOf(id)),
  }
}

function grantAdapter(oauth: OauthRepository, now: () => Date): Adapter {
  return {
    ...NOTHING,
    upsert: (id, { accountId, clientId = '', openid, iat = 0 }: AdapterPayload & { openid?: { scope?: string } }) =>
      oauth.insertGrant(
        id,
        {
          storeId: Number(accountId),
          appCode: clientId,
          scopes: wordsIn(openid?.scope),
          createdAt: new Date(iat * 1000),
        },
        currentConsentChange(),
      ),
    async find(id) {
      const found = await oauth.findGrant(id)
      if (!found) return undefined
      const { storeId, appCode, scopes, createdAt } = found
      return {
        jti: id,
        kind: 'Grant',
        accountId: String(storeId),
        clientId: appCode,
        openid: { scope: scopes.join(' ') },
        iat: secondsOf(createdAt),
      }
    },
    destroy: (id) => oauth.deleteGrant(id, now(), currentConsentChange()),
  }
}

function clientAdapter(apps: AppRepository): Adapter {
  return {
    ...NOTHING,
    async find(code) {
      const app = await apps.byCode(code)
      return app ? metadataOf(app) : undefined
    },
  }
}

/** Methods of the library's adapter that its configuration never calls. */
const NOTHING: Adapter = {
  upsert: refused,
  find: refused,
  findByUid: refused,
  findByUserCode: refused,
  consume: refused,
  destroy: refused,
  revokeByGrantId: refused,
}

async function refused(): Promise<never> {
  throw new Error('Expected the protocol to be set up without what needs this.')
}

/** An app in the words of RFC 7591. Its secret is a hash, and compared as one. */
const metadataOf = ({ code, name, redirectUris, scopes, secretHash }: AppWithSecret): AdapterPayload => ({
  client_id: code,
  client_name: name,
  // Kinds of addresses are checked at registration; this is the kind that lets through all of
  // those.
  application_type: 'native',
  redirect_uris: redirectUris,
  response_types: ['code'],
  response_modes: ['query'],
  grant_types: ['authorization_code', 'refresh_token'],
  scope: scopes.join(' '),
  ...(secretHash
    ? { client_secret: secretHash.toString('base64url'), token_endpoint_auth_method: 'client_secret_post' }
    : { token_endpoint_auth_method: 'none' }),
})

const wordsIn = (scope = ''): readonly string[] => scope.split(' ').filter((word) => word !== '')

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
