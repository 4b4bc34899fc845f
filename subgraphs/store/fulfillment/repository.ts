import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { addressOf } from '../order/customer/address.ts'
import type { ShipmentStatus } from '../order/status/states.ts'
import type { Tables } from '../tables.ts'
import type {
  Fulfillment,
  FulfillmentFields,
  FulfillmentHistoryEntry,
  FulfillmentTerms,
  FulfillmentType,
  Package,
} from './fulfillment.ts'

const COLUMNS = [
  'fulfillment.id',
  'order_id as orderNumber',
  'location_id as locationId',
  'type',
  'service_type as serviceType',
  'shipment_status as shipmentStatus',
  'tracking_number as trackingNumber',
  'tracking_company as trackingCompany',
  'tracking_url as trackingUrl',
  'external_id as externalId',
  'message',
  'observations',
  'receiver_email as receiverEmail',
  'phone',
  'phone_prefix as phonePrefix',
  'send_email as sendEmail',
  'expected_arrival_from as expectedArrivalFrom',
  'expected_arrival_to as expectedArrivalTo',
  'address',
  'packages',
  'label_file_id as labelFileId',
  'file.key as labelKey',
  'file.filename as labelName',
  'fulfillment.created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/** A row as it is read: what the database does not judge is not judged yet. */
type Row = Omit<Fulfillment, 'type' | 'address' | 'packages'> & {
  readonly type: string
  readonly address: unknown
  readonly packages: unknown
}

export type FulfillmentRepository = ReturnType<typeof fulfillmentRepository>

/** Fulfillments and their histories in the database; every call is about one store. */
export const fulfillmentRepository = (database: Kysely<Tables>) => {
  const fulfillments = (storeId: number) =>
    database
      .selectFrom('fulfillment')
      .leftJoin('file', (join) => join.onRef('file.store_id', '=', 'fulfillment.store_id').onRef('file.id', '=', 'label_file_id'))
      .select(COLUMNS)
      .where('fulfillment.store_id', '=', storeId)

  return {
    /** In any order, without those that do not exist. */
    findByIds: async (storeId: number, ids: readonly number[]): Promise<Fulfillment[]> =>
      (await fulfillments(storeId).where('fulfillment.id', 'in', ids).execute()).map(fulfillmentOf),

    /** Oldest first, one more than requested; null: wherever the goods are. */
    async list(
      storeId: number,
      where: readonly ShipmentStatus[] | null,
      { size, after, offset }: KeysetRange,
    ): Promise<Fulfillment[]> {
      let query = fulfillments(storeId).where('fulfillment.id', '>', after === null ? 0 : Number(after[0]))
      if (where) query = query.where(isAt(where))
      return (
        await query
          .orderBy('fulfillment.id')
          .limit(size + 1)
          .offset(offset)
          .execute()
      ).map(fulfillmentOf)
    },

    async count(storeId: number, where: readonly ShipmentStatus[] | null): Promise<number> {
      let query = database.selectFrom('fulfillment').where('store_id', '=', storeId)
      if (where) query = query.where(isAt(where))
      const { count } = await query.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Of these orders, oldest first. */
    ofOrders: async (storeId: number, orderIds: readonly number[]): Promise<Fulfillment[]> =>
      (await fulfillments(storeId).where('order_id', 'in', orderIds).orderBy('fulfillment.id').execute()).map(fulfillmentOf),

    async countOf(storeId: number, orderId: number): Promise<number> {
      const { count } = await database
        .selectFrom('fulfillment')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('store_id', '=', storeId)
        .where('order_id', '=', orderId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** The order that it is of; null for none, and where there is no such fulfillment. */
    async orderOf(storeId: number, id: number): Promise<number | null> {
      const found = await database
        .selectFrom('fulfillment')
        .select('order_id')
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .executeTakeFirst()
      return found?.order_id ?? null
    },

    /** Locks the row until the transaction ends; null when there is none. */
    async lock(storeId: number, id: number): Promise<Fulfillment | null> {
      const found = await fulfillments(storeId).where('fulfillment.id', '=', id).forUpdate('fulfillment').executeTakeFirst()
      return found ? fulfillmentOf(found) : null
    },

    /** The newest of a locked order until the transaction ends; null when it has none. */
    async lockNewest(storeId: number, orderId: number): Promise<Fulfillment | null> {
      const found = await fulfillments(storeId)
        .where('order_id', '=', orderId)
        .orderBy('fulfillment.id', 'desc')
        .limit(1)
        .forUpdate('fulfillment')
        .executeTakeFirst()
      return found ? fulfillmentOf(found) : null
    },

    async insert(storeId: number, terms: FulfillmentTerms & FulfillmentFields, at: Date): Promise<number> {
      const { id } = await database
        .insertInto('fulfillment')
        .values({
          ...columnsOf(terms),
          store_id: storeId,
          order_id: terms.orderNumber,
          location_id: terms.locationId,
          receiver_email: terms.receiverEmail,
          phone: terms.phone,
          phone_prefix: terms.phonePrefix,
          address: terms.address === null ? null : JSON.stringify(terms.address),
          packages: JSON.stringify(terms.packages),
          created_at: at,
          updated_at: at,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async update(storeId: number, id: number, fields: FulfillmentFields & { readonly labelFileId: number | null }, at: Date) {
      await database
        .updateTable('fulfillment')
        .set((set) => ({
          ...columnsOf(fields),
          label_file_id: fields.labelFileId,
          updated_at: at,
          version: set('version', '+', 1),
        }))
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    /**
     * Gives a fulfillment the label that was drawn of this version; false when it has changed
     * since, or has one.
     */
    async setLabel(storeId: number, { id, version }: Pick<Fulfillment, 'id' | 'version'>, file: number): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('fulfillment')
        .set({ label_file_id: file })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .where('version', '=', version)
        .where('label_file_id', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    async delete(storeId: number, id: number): Promise<void> {
      await database.deleteFrom('fulfillment').where('store_id', '=', storeId).where('id', '=', id).execute()
    },

    /** Of these fulfillments, oldest first, one more of each than requested. */
    async historyOf(
      storeId: number,
      ids: readonly number[],
      { size, after, offset }: KeysetRange,
    ): Promise<readonly FulfillmentHistoryEntry[]> {
      const { rows } = await sql<FulfillmentHistoryEntry>`
        SELECT entry.id, requested.id AS "fulfillmentId", entry.shipment_status AS "shipmentStatus", entry.message, entry.created_at AS "createdAt"
        FROM unnest(${ids}::integer[]) AS requested (id)
        CROSS JOIN LATERAL (
          SELECT id, shipment_status, message, created_at FROM fulfillment_history
          WHERE store_id = ${storeId} AND fulfillment_id = requested.id AND id > ${after === null ? 0 : Number(after[0])}
          ORDER BY id LIMIT ${size + 1} OFFSET ${offset}
        ) AS entry
        ORDER BY entry.id`.execute(database)
      return rows
    },

    historyCountOf: (
      storeId: number,
      ids: readonly number[],
    ): Promise<{ readonly fulfillmentId: number; readonly count: string }[]> =>
      database
        .selectFrom('fulfillment_history')
        .select(({ fn }) => ['fulfillment_id as fulfillmentId', fn.countAll<string>().as('count')])
        .where('store_id', '=', storeId)
        .where('fulfillment_id', 'in', ids)
        .groupBy('fulfillment_id')
        .execute(),

    async note(
      storeId: number,
      { fulfillmentId, shipmentStatus, message }: Omit<FulfillmentHistoryEntry, 'id' | 'createdAt'>,
      at: Date,
    ): Promise<void> {
      await database
        .insertInto('fulfillment_history')
        .values({
          store_id: storeId,
          fulfillment_id: fulfillmentId,
          shipment_status: shipmentStatus,
          message,
          created_at: at,
        })
        .execute()
    },
  }
}

const isAt = (where: readonly ShipmentStatus[]) => sql<boolean>`shipment_status = ANY(${where}::text[])`

const columnsOf = (fields: FulfillmentFields) => ({
  type: fields.type,
  service_type: fields.serviceType,
  shipment_status: fields.shipmentStatus,
  tracking_number: fields.trackingNumber,
  tracking_company: fields.trackingCompany,
  tracking_url: fields.trackingUrl,
  external_id: fields.externalId,
  message: fields.message,
  observations: fields.observations,
  send_email: fields.sendEmail,
  expected_arrival_from: fields.expectedArrivalFrom,
  expected_arrival_to: fields.expectedArrivalTo,
})

/** Types and packages are written by us only, complete. */
const fulfillmentOf = (row: Row): Fulfillment => ({
  ...row,
  // The column holds what this noun writes.
  type: row.type as FulfillmentType,
  address: addressOf(row.address),
  // The column holds what this noun writes.
  packages: row.packages as readonly Package[],
})
