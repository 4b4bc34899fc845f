import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../../platform/secrets/cipher.ts'
import { hashOf } from '../access/access.ts'
import { OPERATOR } from '../audit-entry/audit-actor.ts'
import { auditEntryRepository } from '../audit-entry/repository.ts'
import { countryOf } from '../country/country.ts'
import { eraseByEmail } from '../customer/actions.ts'
import type { Files } from '../file/files.ts'
import type { MutationResult } from '../idempotency.ts'
import { oauthRepository } from '../oauth/repository.ts'
import { type Filling, fillStore } from '../sample/fill.ts'
import { staffMemberRepository } from '../staff-member/repository.ts'
import { type ListedStore, storeRepository } from '../store/repository.ts'
import { type ApiCredentials, newAuthtoken, paidByOperator, setUpStore } from '../store/set-up.ts'
import { nameProblem } from '../store/store.ts'
import type { Tables } from '../tables.ts'
import { rotateHooksToken } from '../webhook-subscription/actions.ts'
import { type UnitOfWork, write } from '../write.ts'

/** What an operator does with stores. */
export type Stores = {
  /**
   * Sets up a store, all of it or nothing; with a sample, filled with that. Throws an
   * `OperatorError` for a name or country that is not permitted.
   */
  readonly create: (store: {
    readonly name: string
    readonly country: string
    readonly isPaid: boolean
    readonly sample?: { readonly files: Pick<Files, 'keepOwn' | 'delete'>; readonly onProgress: Filling }
  }) => Promise<{ readonly code: string } & ApiCredentials>
  /** All of them, oldest first. */
  readonly list: () => Promise<readonly ListedStore[]>
  /** Replaces the authtoken of a store; null when there is none with this code. */
  readonly resetToken: (code: string) => Promise<ApiCredentials | null>
  /**
   * Sets the owner of a store to a user by an opaque id, or to none for null; false when there is
   * no store with this code.
   */
  readonly setOwner: (code: string, user: string | null) => Promise<boolean>
  /** Erases the person with this e-mail address, as a customer and in the orders of every store. */
  readonly erase: (email: string) => Promise<ErasedInStores>
  /**
   * Rotates the hooks token of a store; returns until when the previous one signs as well, null:
   * not at all. Throws an `OperatorError` when there is no such store.
   */
  readonly rotateHooksToken: (code: string, overlapHours: number) => Promise<Date | null>
  /**
   * Ends all sessions of authorizations, and pending requests; with `apps`, also all tokens of
   * apps. Returns their numbers.
   */
  readonly endSignIns: (options: {
    readonly apps: boolean
  }) => Promise<{ readonly consoleSessions: number; readonly signIns: number; readonly consents: number }>
  /**
   * Removes a user, by an opaque id, from stores: as their owner, from their staff, and invitations
   * of the address (null: of none). Returns the number of stores without an owner now.
   */
  readonly disown: (user: string, email: string | null) => Promise<number>
}

/** Result of an erasure in all stores. */
export type ErasedInStores = { readonly customers: number; readonly orders: number }

/**
 * Runs `work` on the stores of a migrated database. Without `secrets`, secrets are stored
 * unencrypted.
 */
export async function withStores<Result>(
  connection: Connection,
  work: (stores: Stores) => Promise<Result>,
  secrets: SecretCipher = PLAIN_SECRETS,
): Promise<Result> {
  const database = openDatabase<Tables>(connection, { schema: 'store', max: 1, onError: () => {} })
  const stores = storeRepository(database.query)
  /** A change by the operator. A server delivers its webhooks; subscribers get events from the feed. */
  const change = <Result extends MutationResult>(storeId: number, name: string, work: (unit: UnitOfWork) => Promise<Result>) =>
    write(
      database.query,
      { storeId, now: new Date(), announce: async () => {}, secrets, by: { actor: OPERATOR, requestId: null } },
      { name, input: null, key: null },
      work,
    )
  try {
    return await work({
      async create({ name, country, isPaid, sample }) {
        const wrong = nameProblem(name)
        if (wrong) throw new OperatorError(wrong.message.replace('"name"', '--name'))
        const known = countryOf(country)
        if (!known) throw new OperatorError(`Expected --country to be an ISO 3166-1 alpha-2 code such as PT, got "${country}".`)
        const at = new Date()
        const wanted = {
          name,
          country: known.code,
          theme: null,
          paidSince: isPaid ? paidByOperator(at) : null,
          createdBy: null,
          at,
        }
        return database.query.transaction().execute(async (query) => {
          const { storeId, ...made } = await setUpStore(query, wanted, secrets)
          if (sample) await fillStore({ query, storeId, now: at, secrets }, sample.files, sample.onProgress)
          return made
        })
      },
      list: stores.list,
      async resetToken(code) {
        const authtoken = newAuthtoken()
        const id = await stores.idOf(code)
        if (id === null) return null
        const reset = await change(id, 'store token reset', async ({ query, now }) => ({
          __typename: 'ResetSuccess' as const,
          login: await storeRepository(query).setToken(id, hashOf(authtoken), now),
        }))
        return 'login' in reset ? { login: reset.login, authtoken } : null
      },
      async setOwner(code, user) {
        const id = await stores.idOf(code)
        if (id === null) return false
        await change(id, 'store owner', async ({ query, now }) => {
          await storeRepository(query).setOwner(id, user, now)
          return { __typename: 'SetOwnerSuccess' as const }
        })
        return true
      },
      async rotateHooksToken(code, overlapHours) {
        const storeId = await stores.idOf(code)
        if (storeId === null)
          throw new OperatorError(`There is no store with the code "${code}"; \`atrium store list\` shows them.`)
        const now = new Date()
        const result = await change(storeId, 'secrets rotate hooks-token', (each) => rotateHooksToken(each, overlapHours))
        if (result.__typename !== 'RotateHooksTokenSuccess')
          throw new OperatorError(`The hooks token of "${code}" could not be rotated.`)
        return overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * 3_600_000)
      },
      endSignIns: ({ apps }) => oauthRepository(database.query).endAll({ apps, at: new Date() }),
      async disown(user, email) {
        await staffMemberRepository(database.query).forget(user, email)
        await auditEntryRepository(database.query).forgetUser(user)
        return stores.disown(user, new Date())
      },
      async erase(email) {
        const erased = { customers: 0, orders: 0 }
        for (const { id: storeId } of await stores.list()) {
          const gone = await change(storeId, 'user erase', (each) => eraseByEmail(each, email))
          if (gone.__typename !== 'EraseSuccess') continue
          erased.customers += gone.customers
          erased.orders += gone.orders
        }
        return erased
      },
    })
  } finally {
    await database.close()
  }
}
