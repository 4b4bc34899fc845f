import { createHash } from 'node:crypto'
import { bannedFromStore, unauthenticated } from '../../../platform/graphql/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { rememberVerified } from '../../../platform/http/verified-credentials.ts'
import { type AddressRateLimit, networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { AuthenticateUser } from '../../toolkit/user-authenticator.ts'
import { bearerIn, credentialsIn, staffCredentialsIn } from './credentials.ts'
import type { Access } from './grant.ts'
import type { AccessRepository } from './repository.ts'

/**
 * Authenticates credentials. Rejects invalid ones with UNAUTHENTICATED, and an address with too
 * many failures with RATE_LIMITED.
 */
export type AccessJudge = (caller: Caller) => Promise<Access>

/**
 * Milliseconds until the end of the ban of an address (IPv6: of a /64 network) from a store's REST
 * API; 0 without one. Never rejects.
 */
export type BanLookup = (address: string, storeCode: string) => number | Promise<number>

/**
 * For how long a judgement holds: an authtoken that is reset elsewhere is good for so much longer.
 */
const CACHE_MS = 1_000
const MAX_CACHED = 10_000

export const HOW_TO_SIGN_IN =
  'Expected the login and authtoken of a store, by HTTP Basic or as the headers X-LOGIN-KEY and X-AUTH-TOKEN; the access token of an app as "Authorization: Bearer"; or that of a user who works there, with the header X-STORE-CODE.'

/** The turns of a store, whoever asks for it: see `tenantOf`. */
export const storeTenant = (storeId: number): string => `store ${storeId}`

/** Why a policy refuses apps and roles of the staff. */
export const NOT_FOR_THESE =
  'Expected the login and authtoken of the store, or a role of its staff that may do this: it is not for apps.'

/** Authtokens, tokens and secrets are long and random: a fast hash keeps them. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * A judge that reads the database and caches its results for a second. `refusals` counts failures
 * per address; an address banned from the REST API of a store is banned from its graph.
 */
export function accessJudge(
  repository: AccessRepository,
  authenticateUser: AuthenticateUser,
  refusals: AddressRateLimit,
  now: () => Date,
  banEndsIn: BanLookup = () => 0,
): AccessJudge {
  const stored = new Map<string, { readonly access: Access; readonly until: number }>()

  return async (caller) => {
    const access = await judge(caller)
    const looked = banEndsIn(networkOf(caller.address), access.storeCode)
    const milliseconds = typeof looked === 'number' ? looked : await looked
    if (milliseconds > 0) throw bannedFromStore(access.storeCode, Math.max(1, Math.ceil(milliseconds / 1_000)))
    return access
  }

  async function judge(caller: Caller): Promise<Access> {
    const { key, find, wrong, ofStore } = presentedBy(caller)
    const known = stored.get(key)
    const at = now().getTime()
    if (known && known.until > at) return known.access
    stored.delete(key)

    const access = await find()
    if (!access) {
      await refusals(caller.address)
      throw unauthenticated(wrong)
    }
    rememberVerified(ofStore, storeTenant(access.storeId))
    const oldest = stored.keys().next()
    if (stored.size >= MAX_CACHED && !oldest.done) stored.delete(oldest.value)
    stored.set(key, { access, until: at + CACHE_MS })
    return access
  }

  /**
   * Credentials of a caller: the key of the cache, the lookup, the message for invalid ones, and
   * the header value that is a secret of the store; undefined for one of a user.
   */
  function presentedBy(caller: Caller) {
    const given = credentialsIn(caller)
    if (given) {
      const hash = hashOf(given.authtoken)
      return {
        key: `${given.login}\n${hash.toString('base64')}`,
        find: () => repository.byLogin(given.login, hash),
        wrong: 'The login or the authtoken is wrong, or has been reset.',
        ofStore: given.header,
      }
    }
    const staff = staffCredentialsIn(caller)
    if (staff) {
      return {
        key: `${staff.storeCode}\n${hashOf(staff.token).toString('base64')}\n${caller.connectedAt?.getTime() ?? ''}`,
        find: async () => {
          const user = await authenticateUser(caller)
          return user && repository.byUser(user.id, staff.storeCode)
        },
        wrong: 'This user does not work in a store with the code of X-STORE-CODE.',
        ofStore: undefined,
      }
    }
    const token = bearerIn(caller.credentials.authorization ?? '')
    if (token === null) throw unauthenticated(HOW_TO_SIGN_IN)
    const hash = hashOf(token)
    return {
      key: hash.toString('base64'),
      find: () => repository.byToken(hash, now()),
      wrong: 'The access token is unknown, has ended or was revoked.',
      ofStore: caller.credentials.authorization,
    }
  }
}
