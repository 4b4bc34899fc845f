import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../../platform/secrets/cipher.ts'
import { hashOf } from '../access/access.ts'
import { countryOf } from '../country/country.ts'
import { eraseByEmail } from '../customer/actions.ts'
import type { Files } from '../file/files.ts'
import { oauthRepository } from '../oauth/repository.ts'
import { type Filling, fillStore } from '../sample/fill.ts'
import { staffMemberRepository } from '../staff-member/repository.ts'
import { type ListedStore, storeRepository } from '../store/repository.ts'
import { type ApiCredentials, newAuthtoken, paidByOperator, setUpStore } from '../store/set-up.ts'
import { nameProblem } from '../store/store.ts'
import type { Tables } from '../tables.ts'
import { rotateHooksToken } from '../webhook-subscription/actions.ts'
import { write } from '../write.ts'

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
        const login = await stores.resetToken(code, hashOf(authtoken), new Date())
        return login === null ? null : { login, authtoken }
      },
      async setOwner(code, user) {
        const id = await stores.idOf(code)
        if (id !== null) await stores.setOwner(id, user, new Date())
        return id !== null
      },
      async rotateHooksToken(code, overlapHours) {
        const storeId = await stores.idOf(code)
        if (storeId === null)
          throw new OperatorError(`There is no store with the code "${code}"; \`atrium store list\` shows them.`)
        const now = new Date()
        const unit = { storeId, now, announce: async () => {}, secrets }
        const result = await write(database.query, unit, { name: 'rotateHooksToken', input: null, key: null }, (each) =>
          rotateHooksToken(each, overlapHours),
        )
        if (result.__typename !== 'RotateHooksTokenSuccess')
          throw new OperatorError(`The hooks token of "${code}" could not be rotated.`)
        return overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * 3_600_000)
      },
      endSignIns: ({ apps }) => oauthRepository(database.query).endAll({ apps }),
      async disown(user, email) {
        await staffMemberRepository(database.query).forget(user, email)
        return stores.disown(user, new Date())
      },
      async erase(email) {
        const erased = { customers: 0, orders: 0 }
        for (const { id: storeId } of await stores.list()) {
          // A server delivers the webhooks of the event; subscribers get it from the feed.
          const unit = { storeId, now: new Date(), announce: async () => {}, secrets }
          const gone = await write(database.query, unit, { name: 'erase', input: null, key: null }, (each) =>
            eraseByEmail(each, email),
          )
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
