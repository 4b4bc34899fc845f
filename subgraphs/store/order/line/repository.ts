import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../../platform/database/any-of.ts'
import { prepared } from '../../../../platform/database/prepared-statements.ts'
import type { Tables } from '../../tables.ts'
import type { WrittenField } from '../additional-field/additional-field.ts'
import type { OrderAdditionalField, OrderLine, OrderLineTerms, OrderTax } from '../order.ts'

const LINE = [
  'id',
  'order_id as orderId',
  'product_id as productNumber',
  'variant_id as variantNumber',
  'sku',
  'name',
  'image_url as imageKey',
  'qty as quantity',
  'price',
  'discount',
  'weight',
  'subtotal',
  'tax',
  'total',
  'taxes',
  'added_at as addedAt',
] as const

export type OrderLineRepository = ReturnType<typeof orderLineRepository>

/** Lines of orders and their additional fields in the database; every call is about one store. */
export const orderLineRepository = (database: Kysely<Tables>) => ({
  /** Of these orders, in the order in which they were given. */
  ofOrders: async (storeId: number, orderIds: readonly number[]): Promise<OrderLine[]> =>
    (await LINES(database, storeId, orderIds)).map((row) => ({
      ...row,
      // Both are written by us only, complete.
      productNumber: row.productNumber ?? 0,
      // The column holds what this noun writes.
      taxes: row.taxes as readonly OrderTax[],
    })),

  /** The rows of the new lines, in their order. */
  insert: (storeId: number, orderId: number, lines: readonly OrderLineTerms[]): Promise<readonly number[]> =>
    insertLines(database, storeId, orderId, lines, { firstPosition: 1, addedAt: null }),

  /** The same of lines that an edit adds behind the others. */
  async insertAdded(
    storeId: number,
    orderId: number,
    lines: readonly OrderLineTerms[],
    addedAt: Date | null,
  ): Promise<readonly number[]> {
    if (lines.length === 0) return []
    const { last } = await database
      .selectFrom('order_line')
      .select(({ fn }) => fn.max('position').as('last'))
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .executeTakeFirstOrThrow()
    return insertLines(database, storeId, orderId, lines, { firstPosition: (last ?? 0) + 1, addedAt })
  },

  /** Writes what lines of an edited order come to. */
  async rewrite(storeId: number, lines: readonly { readonly id: number; readonly terms: OrderLineTerms }[]): Promise<void> {
    const column = (value: (terms: OrderLineTerms) => string | number) => lines.map(({ terms }) => value(terms))
    await sql`
      UPDATE order_line AS line SET qty = part.qty, discount = part.discount, subtotal = part.subtotal, tax = part.tax, total = part.total, taxes = part.taxes
      FROM unnest(${lines.map(({ id }) => id)}::integer[], ${column(({ quantity }) => quantity)}::integer[],
        ${column(({ discount }) => discount)}::numeric[], ${column(({ subtotal }) => subtotal)}::numeric[], ${column(({ tax }) => tax)}::numeric[],
        ${column(({ total }) => total)}::numeric[], ${column(({ taxes }) => JSON.stringify(taxes))}::jsonb[])
        AS part (id, qty, discount, subtotal, tax, total, taxes)
      WHERE line.store_id = ${storeId} AND line.id = part.id`.execute(database)
  },

  async delete(storeId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    await database.deleteFrom('order_line').where('store_id', '=', storeId).where('id', '=', anyOf(ids)).execute()
  },

  /**
   * Units in returns of orders that were not declined or canceled, by the order's and the line's row;
   * `unrefunded` are those of returns without a refund.
   */
  unitsInReturns: (
    storeId: number,
    orderIds: readonly number[],
  ): Promise<
    { readonly orderId: number; readonly lineNumber: number; readonly quantity: string; readonly unrefunded: string }[]
  > =>
    database
      .selectFrom('order_return_line as line')
      .innerJoin('order_return as return', (join) =>
        join.onRef('return.store_id', '=', 'line.store_id').onRef('return.id', '=', 'line.return_id'),
      )
      .select(['return.order_id as orderId', 'line.order_line_id as lineNumber'])
      .select(sql<string>`sum(coalesce(line.received, line.quantity))`.as('quantity'))
      .select(
        sql<string>`coalesce(sum(coalesce(line.received, line.quantity)) FILTER (WHERE return.refund_id IS NULL), 0)`.as(
          'unrefunded',
        ),
      )
      .where('return.store_id', '=', storeId)
      .where('return.order_id', '=', anyOf(orderIds))
      .where('return.status', 'not in', ['DECLINED', 'CANCELED'])
      .groupBy(['return.order_id', 'line.order_line_id'])
      .execute(),

  /** Of these orders, oldest first. */
  fieldsOf: (storeId: number, orderIds: readonly number[]): Promise<OrderAdditionalField[]> =>
    FIELDS(database, storeId, orderIds),

  /** Changes the fields that have an id, and adds the others. */
  async writeFields(storeId: number, orderId: number, fields: readonly WrittenField[]): Promise<void> {
    const added = fields.filter(({ id }) => id === null)
    const changed = fields.filter(({ id }) => id !== null)
    if (added.length > 0) {
      await database
        .insertInto('order_additional_field')
        .values(added.map(({ label, value, area }) => ({ store_id: storeId, order_id: orderId, label, value, area })))
        .execute()
    }
    if (changed.length > 0) {
      await sql`
        UPDATE order_additional_field AS field SET label = part.label, value = part.value, area = part.area
        FROM unnest(${changed.map(({ id }) => id)}::integer[], ${changed.map(({ label }) => label)}::text[],
          ${changed.map(({ value }) => value)}::text[], ${changed.map(({ area }) => area)}::text[]) AS part (id, label, value, area)
        WHERE field.store_id = ${storeId} AND field.order_id = ${orderId} AND field.id = part.id`.execute(database)
    }
  },
})

async function insertLines(
  database: Kysely<Tables>,
  storeId: number,
  orderId: number,
  lines: readonly OrderLineTerms[],
  { firstPosition, addedAt }: { readonly firstPosition: number; readonly addedAt: Date | null },
): Promise<readonly number[]> {
  const rows = await database
    .insertInto('order_line')
    .values(
      lines.map((line, index) => ({
        store_id: storeId,
        order_id: orderId,
        position: firstPosition + index,
        added_at: addedAt,
        // No product: a custom line.
        product_id: line.productNumber === 0 ? null : line.productNumber,
        variant_id: line.variantNumber,
        sku: line.sku,
        name: line.name,
        image_url: line.imageKey,
        qty: line.quantity,
        price: line.price,
        discount: line.discount,
        weight: line.weight,
        subtotal: line.subtotal,
        tax: line.tax,
        total: line.total,
        taxes: JSON.stringify(line.taxes),
      })),
    )
    .returning(['id', 'position'])
    .execute()
  return rows.toSorted((one, other) => one.position - other.position).map(({ id }) => id)
}

const LINES = prepared((database: Kysely<Tables>, storeId: number, orderIds: readonly number[]) =>
  database
    .selectFrom('order_line')
    .select(LINE)
    .where('store_id', '=', storeId)
    .where('order_id', '=', anyOf(orderIds))
    .orderBy('order_id')
    .orderBy('position')
    .compile(),
)

const FIELDS = prepared((database: Kysely<Tables>, storeId: number, orderIds: readonly number[]) =>
  database
    .selectFrom('order_additional_field')
    .select(['id', 'order_id as orderId', 'label', 'value', 'area'])
    .where('store_id', '=', storeId)
    .where('order_id', '=', anyOf(orderIds))
    .orderBy('id')
    .compile(),
)
