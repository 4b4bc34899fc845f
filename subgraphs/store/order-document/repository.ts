import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { DocumentFields, OrderDocument, OrderDocumentType } from './order-document.ts'

const COLUMNS = [
  'id',
  'order_id as orderNumber',
  'document_type as documentType',
  'external_id as externalId',
  'public_id as publicId',
  'url',
  'app_code as appCode',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/** The numbers of the REST API, which are stored as well. */
const TYPES: readonly OrderDocumentType[] = ['CREDIT_NOTE', 'INVOICE']

export type OrderDocumentRepository = ReturnType<typeof orderDocumentRepository>

/** Documents of orders in the database; every call is about one store. */
export const orderDocumentRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<OrderDocument[]> =>
    whole(documents(database, storeId).where('id', 'in', ids)),

  /** Oldest first, one more than requested. */
  list: (storeId: number, { size, after, offset }: KeysetRange): Promise<OrderDocument[]> =>
    whole(
      documents(database, storeId)
        .where('id', '>', after === null ? 0 : Number(after[0]))
        .orderBy('id')
        .limit(size + 1)
        .offset(offset),
    ),

  async count(storeId: number): Promise<number> {
    const { count } = await documents(database, storeId)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Of these orders, oldest first. */
  ofOrders: (storeId: number, orderIds: readonly number[]): Promise<OrderDocument[]> =>
    whole(documents(database, storeId).where('order_id', 'in', orderIds).orderBy('id')),

  /**
   * Locks the document of an order with this public id until the transaction ends; null when there
   * is none.
   */
  async lock(storeId: number, orderId: number, publicId: string): Promise<OrderDocument | null> {
    if (!/^\d+$/.test(publicId)) return null
    const [found] = await whole(
      documents(database, storeId).where('order_id', '=', orderId).where('public_id', '=', publicId).forUpdate(),
    )
    return found ?? null
  },

  /** The new row; null when another document has the address. */
  async insert(
    storeId: number,
    document: DocumentFields & Pick<OrderDocument, 'orderNumber' | 'publicId' | 'appCode'>,
    at: Date,
  ): Promise<number | null> {
    const made = await database
      .insertInto('order_document')
      .values({
        ...rowOf(document),
        store_id: storeId,
        order_id: document.orderNumber,
        public_id: document.publicId,
        app_code: document.appCode,
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.columns(['store_id', 'public_id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return made?.id ?? null
  },

  /** Throws a unique violation when another document has the address. */
  async update(storeId: number, id: number, document: DocumentFields & Pick<OrderDocument, 'publicId'>, at: Date): Promise<void> {
    await database
      .updateTable('order_document')
      .set((set) => ({ ...rowOf(document), public_id: document.publicId, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('order_document').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

type DocumentQuery = SelectQueryBuilder<Tables, 'order_document', object>

const documents = (database: Kysely<Tables>, storeId: number): DocumentQuery =>
  database.selectFrom('order_document').where('store_id', '=', storeId)

const whole = async (query: DocumentQuery): Promise<OrderDocument[]> =>
  (await query.select(COLUMNS).execute()).map((row) => ({ ...row, documentType: TYPES[row.documentType] ?? 'INVOICE' }))

const rowOf = ({ documentType, externalId, url }: DocumentFields) => ({
  document_type: TYPES.indexOf(documentType),
  external_id: externalId,
  url,
})
