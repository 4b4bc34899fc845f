import { type Kysely, sql } from 'kysely'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import { countRows, storeRows } from '../row-repository.ts'
import { HOOKS_TOKEN, SHIPPING_TOKEN } from '../stored-secrets.ts'
import type { Tables } from '../tables.ts'
import type { ShippingMethodFields } from './problems.ts'
import type { ShippingFee, ShippingMethod, ShippingService, ShippingTable } from './shipping-method.ts'

const COLUMNS = [
  'id',
  'type',
  'name',
  'enabled',
  'free_shipping as freeShipping',
  'free_shipping_from as freeShippingFrom',
  'callback_url as callbackUrl',
  'fetch_services_url as fetchServicesUrl',
  'fallback_price as fallbackPrice',
  'state',
  'city',
  'postal',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
  sql<readonly ShippingFee[]>`fees`.as('fees'),
  sql<readonly ShippingTable[]>`tables`.as('tables'),
  sql<boolean>`token IS NOT NULL`.as('hasToken'),
] as const

const SERVICES = [
  'id',
  'shipping_method_id as shippingMethodId',
  'service_code as serviceCode',
  'service_name as serviceName',
  'original_service_name as originalServiceName',
  'enabled',
] as const

type Written = ShippingMethodFields & {
  readonly token: string | null | undefined
  readonly at: Date
  /** What the token is encrypted with. */
  readonly secrets: SecretCipher
}

/** A service, as its provider returns it. */
export type CalledService = { readonly code: string; readonly name: string }

export type ShippingMethodRepository = ReturnType<typeof shippingMethodRepository>

/**
 * Shipping methods, and services of external ones, in the database; every call is about one store.
 */
export const shippingMethodRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'shipping_method', database.selectFrom('shipping_method').select(COLUMNS)),

  /** Oldest first; `enabled` null: all. */
  list(storeId: number, enabled: boolean | null): Promise<ShippingMethod[]> {
    const query = database.selectFrom('shipping_method').select(COLUMNS).where('store_id', '=', storeId).orderBy('id')
    return (enabled === null ? query : query.where('enabled', '=', enabled)).execute()
  },

  count: (storeId: number): Promise<number> => countRows(database, 'shipping_method', storeId),

  async insert(storeId: number, written: Written): Promise<number> {
    const { id } = await database
      .insertInto('shipping_method')
      .values({ store_id: storeId, type: written.type, created_at: written.at, ...columnsOf(written) })
      .returning('id')
      .executeTakeFirstOrThrow()
    const secrets = secretsOf(storeId, id, written)
    if (Object.keys(secrets).length > 0) {
      await database.updateTable('shipping_method').set(secrets).where('store_id', '=', storeId).where('id', '=', id).execute()
    }
    return id
  },

  async update(storeId: number, id: number, written: Written): Promise<void> {
    await database
      .updateTable('shipping_method')
      .set((set) => ({ ...columnsOf(written), ...secretsOf(storeId, id, written), version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /**
   * What signs requests to the services of these methods: their own token, or else the store's
   * token of webhooks.
   */
  async tokens(storeId: number, ids: readonly number[], secrets: SecretCipher): Promise<ReadonlyMap<number, string>> {
    const rows = await database
      .selectFrom('shipping_method')
      .innerJoin('store', 'store.id', 'shipping_method.store_id')
      .select(['shipping_method.id', 'shipping_method.token', 'store.hooks_token as hooksToken'])
      .where('shipping_method.store_id', '=', storeId)
      .where('shipping_method.id', 'in', ids)
      .execute()
    return new Map(
      rows.map(({ id, token, hooksToken }) => [
        id,
        token === null
          ? secrets.decrypt(secretLocation(HOOKS_TOKEN, storeId), hooksToken)
          : secrets.decrypt(secretLocation(SHIPPING_TOKEN, storeId, id), token),
      ]),
    )
  },

  /** Services of these methods, by their codes. */
  servicesOf: (storeId: number, methodIds: readonly number[]): Promise<ShippingService[]> =>
    database
      .selectFrom('shipping_service')
      .select(SERVICES)
      .where('store_id', '=', storeId)
      .where('shipping_method_id', 'in', methodIds)
      .orderBy(sql`service_code COLLATE "C"`)
      .execute(),

  /**
   * Sets the services of a method to those of its provider; those that stay keep their ids, and
   * whether they are enabled.
   */
  async setServices(storeId: number, methodId: number, delivered: readonly CalledService[]): Promise<void> {
    const [codes, names] = [delivered.map(({ code }) => code), delivered.map(({ name }) => name)]
    await sql`
      WITH gone AS (
        DELETE FROM shipping_service
        WHERE store_id = ${storeId} AND shipping_method_id = ${methodId} AND service_code <> ALL (${codes}::text[])
      )
      INSERT INTO shipping_service (store_id, shipping_method_id, service_code, service_name, original_service_name)
      SELECT method.store_id, method.id, told.code, told.name, told.name
      FROM unnest(${codes}::text[], ${names}::text[]) AS told (code, name)
      JOIN shipping_method method ON method.store_id = ${storeId} AND method.id = ${methodId}
      ON CONFLICT (store_id, shipping_method_id, service_code)
        DO UPDATE SET service_name = excluded.service_name, original_service_name = excluded.original_service_name`.execute(
      database,
    )
  },
})

const columnsOf = ({ name, enabled, state, city, postal, at, ...written }: Written) => ({
  name,
  enabled,
  state,
  city,
  postal,
  free_shipping: written.freeShipping,
  free_shipping_from: written.freeShippingFrom,
  fees: JSON.stringify(written.fees),
  callback_url: written.callbackUrl,
  fetch_services_url: written.fetchServicesUrl,
  fallback_price: written.fallbackPrice,
  tables: JSON.stringify(written.tables),
  updated_at: at,
})

/** The encrypted column of this row; none for an unchanged one. */
const secretsOf = (storeId: number, id: number, { token, secrets }: Written) =>
  token === undefined
    ? {}
    : { token: token === null ? null : secrets.encrypt(secretLocation(SHIPPING_TOKEN, storeId, id), token) }
