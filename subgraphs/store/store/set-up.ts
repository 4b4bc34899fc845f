import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import { hashOf } from '../access/access.ts'
import { defaultsOf } from '../country/country.ts'
import { HOOKS_TOKEN } from '../stored-secrets.ts'
import type { Tables } from '../tables.ts'
import { permalinkOf } from '../text-key.ts'
import { storeRepository } from './repository.ts'
import { DAY_MS } from './store.ts'

/** A login and its authtoken, which is not returned again: it is stored as a hash. */
export type ApiCredentials = { readonly login: string; readonly authtoken: string }

/** 32 characters each, as clients of the REST API expect; 192 random bits of secret. */
export const newAuthtoken = (): string => randomBytes(24).toString('base64url')
/** Signs webhooks: 128 random bits. */
export const newHooksToken = (): string => randomBytes(16).toString('hex')
const newLogin = (): string => randomBytes(16).toString('hex')

/**
 * Creates a store with the defaults of its country. Run it in a transaction; the code is made from
 * the name unless one is wanted.
 */
export async function setUpStore(
  query: Kysely<Tables>,
  wanted: {
    readonly name: string
    readonly code?: string
    readonly country: string
    readonly theme: string | null
    readonly paidSince: Date | null
    readonly createdBy: number | null
    readonly at: Date
  },
  secrets: SecretCipher,
): Promise<{ readonly storeId: number; readonly code: string } & ApiCredentials> {
  const stores = storeRepository(query)
  const code = await stores.freeCode(wanted.code ?? (permalinkOf(wanted.name).replace(/[^a-z0-9-]/g, '') || 'store'))
  const defaults = defaultsOf(wanted.country)
  if (!defaults) throw new Error(`Expected a country of ISO 3166-1, got "${wanted.country}".`)
  const credentials = { login: newLogin(), authtoken: newAuthtoken() }
  const storeId = await stores.insert({
    ...wanted,
    ...defaults,
    code,
    hooksToken: (storeId) => secrets.encrypt(secretLocation(HOOKS_TOKEN, storeId), newHooksToken()),
    login: credentials.login,
    tokenHash: hashOf(credentials.authtoken),
  })
  return { storeId, code, ...credentials }
}

/** Since when a store of the operator's counts as paid: long enough for everything. */
export const paidByOperator = (now: Date): Date => new Date(now.getTime() - DAY_MS)
