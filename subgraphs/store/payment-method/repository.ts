import { type Kysely, sql } from 'kysely'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { type StoredSecret, secretLocation } from '../../../platform/secrets/stored.ts'
import { countRows, storeRows } from '../row-repository.ts'
import { PAYMENT_KEY, PAYMENT_SECRET } from '../stored-secrets.ts'
import type { Tables } from '../tables.ts'
import {
  isTestKey,
  type PaymentCredentials,
  type PaymentMethod,
  type PaymentMethodFields,
  type PaymentMethodType,
} from './payment-method.ts'

const COLUMNS = [
  'id',
  'name',
  'description',
  'payment_method_url as paymentMethodUrl',
  'show_review as showReview',
  'use_new_version as useNewVersion',
  'enabled',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
  'test_mode as testMode',
  sql<PaymentMethodType>`type`.as('type'),
  sql<boolean>`key IS NOT NULL AND secret IS NOT NULL`.as('hasCredentials'),
] as const

/** `secrets`: what key and secret are encrypted with. */
type Written = PaymentMethodFields & PaymentCredentials & { readonly at: Date; readonly secrets: SecretCipher }

export type PaymentMethodRepository = ReturnType<typeof paymentMethodRepository>

/** Payment methods in the database; every call is about one store. */
export const paymentMethodRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'payment_method', database.selectFrom('payment_method').select(COLUMNS)),

  /** All, oldest first. */
  list: (storeId: number): Promise<PaymentMethod[]> =>
    database.selectFrom('payment_method').select(COLUMNS).where('store_id', '=', storeId).orderBy('id').execute(),

  count: (storeId: number): Promise<number> => countRows(database, 'payment_method', storeId),

  async insert(storeId: number, type: PaymentMethodType, written: Written): Promise<number> {
    const { id } = await database
      .insertInto('payment_method')
      .values({ store_id: storeId, type, created_at: written.at, ...columnsOf(written) })
      .returning('id')
      .executeTakeFirstOrThrow()
    const secrets = secretsOf(storeId, { id, type }, written)
    if (Object.keys(secrets).length > 0) {
      await database.updateTable('payment_method').set(secrets).where('store_id', '=', storeId).where('id', '=', id).execute()
    }
    return id
  },

  async update(storeId: number, { id, type }: Pick<PaymentMethod, 'id' | 'type'>, written: Written): Promise<void> {
    await database
      .updateTable('payment_method')
      .set((set) => ({ ...columnsOf(written), ...secretsOf(storeId, { id, type }, written), version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },
})

const columnsOf = ({ name, description, enabled, at, ...written }: Written) => ({
  name,
  description,
  enabled,
  payment_method_url: written.paymentMethodUrl,
  show_review: written.showReview,
  use_new_version: written.useNewVersion,
  updated_at: at,
})

/** The encrypted columns of this row and what is known of them; none for unchanged ones. */
function secretsOf(storeId: number, { id, type }: Pick<PaymentMethod, 'id' | 'type'>, { key, secret, secrets }: Written) {
  const encrypted = (stored: StoredSecret, text: string | null) =>
    text === null ? null : secrets.encrypt(secretLocation(stored, storeId, id), text)
  return {
    ...(key !== undefined && { key: encrypted(PAYMENT_KEY, key), test_mode: isTestKey(type, key) }),
    ...(secret !== undefined && { secret: encrypted(PAYMENT_SECRET, secret) }),
  }
}
