import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import { finding } from '../text-key.ts'
import { ORDER_COLUMNS, type OrderRow, orderOf } from './columns.ts'
import type { Order, OrderAmounts, OrderOrigin, OrderTax, OrderTerms } from './order.ts'
import type { FulfillmentStatus, OrderStatus, ShipmentStatus } from './status/states.ts'

/** Which orders of a store, as the database understands it; absent means all. */
export type OrderSelection = {
  readonly status?: readonly OrderStatus[]
  readonly fulfillmentStatus?: readonly FulfillmentStatus[]
  readonly shipmentStatus?: readonly ShipmentStatus[]
  readonly createdSince?: Date
  readonly createdBefore?: Date
  readonly updatedSince?: Date
  readonly afterId?: number
  readonly customerId?: number
  readonly productId?: number
  /** Each has to be found. */
  readonly words?: readonly string[]
}

/** What of an order is changed after it was written; undefined stays unchanged. */
export type OrderChange = {
  readonly [Field in keyof typeof COLUMN_OF]?: Order[Field] | undefined
}

const COLUMN_OF = {
  status: 'status',
  completedAt: 'completed_at',
  fulfillmentStatus: 'fulfillment_status',
  shipmentStatus: 'shipment_status',
  trackingNumber: 'tracking_number',
  trackingCompany: 'tracking_company',
  trackingUrl: 'tracking_url',
  additionalInformation: 'additional_information',
  paymentInformation: 'payment_information',
  paymentNotificationId: 'payment_notification_id',
  refunded: 'refunded',
  balanceRefunded: 'balance_refunded',
} as const

export type OrderRepository = ReturnType<typeof orderRepository>

/** Orders in the database; every call is about one store. */
export const orderRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: async (storeId: number, ids: readonly number[]): Promise<Order[]> =>
    (await BY_IDS(database, storeId, ids)).map(orderOf),

  /** One more than requested. */
  list(storeId: number, which: OrderSelection, { size, after, offset }: KeysetRange, isNewestFirst: boolean): Promise<Order[]> {
    let query = selected(database, storeId, which)
    if (after) query = query.where('order.id', isNewestFirst ? '<' : '>', Number(after[0]))
    return whole(
      query
        .orderBy('order.id', isNewestFirst ? 'desc' : 'asc')
        .limit(size + 1)
        .offset(offset),
    )
  },

  async count(storeId: number, which: OrderSelection): Promise<number> {
    const { count } = await selected(database, storeId, which)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /**
   * Ids of the orders of customers, oldest first, one more of each than requested; `status` null:
   * in any state.
   */
  async idsOfCustomers(
    storeId: number,
    customerIds: readonly number[],
    status: readonly OrderStatus[] | null,
    { size, after, offset }: KeysetRange,
  ): Promise<readonly { readonly customerId: number; readonly id: number }[]> {
    const inState = status === null ? sql`` : sql`AND status = ANY (${status}::text[])`
    const { rows } = await sql<{ readonly customerId: number; readonly id: number }>`
      SELECT requested.id AS "customerId", found.id
      FROM unnest(${customerIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT id FROM "order"
        WHERE store_id = ${storeId} AND customer_id = requested.id AND id > ${after === null ? 0 : Number(after[0])} ${inState}
        ORDER BY id LIMIT ${size + 1} OFFSET ${offset}
      ) AS found
      ORDER BY found.id`.execute(database)
    return rows
  },

  countOfCustomers(
    storeId: number,
    customerIds: readonly number[],
    status: readonly OrderStatus[] | null,
  ): Promise<{ readonly customerId: number; readonly count: string }[]> {
    const query = database
      .selectFrom('order')
      .select(({ fn }) => [sql<number>`customer_id`.as('customerId'), fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('customer_id', 'in', customerIds)
      .groupBy('customer_id')
    return (status === null ? query : query.where(isOneOf('status', status))).execute()
  },

  /** The rows until the transaction ends, by id, without those that do not exist. */
  lockAll: (storeId: number, ids: readonly number[]): Promise<Order[]> =>
    whole(
      database.selectFrom('order').where('store_id', '=', storeId).where('id', '=', anyOf(ids)).orderBy('id').forNoKeyUpdate(),
    ),

  /** Locks the row until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<Order | null> {
    const [found] = await this.lockAll(storeId, [id])
    return found ?? null
  },

  /** Whether the order was placed with the account. */
  async isOfAccount(storeId: number, id: number, accountId: number): Promise<boolean> {
    const found = await database
      .selectFrom('order')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .where('customer_account_id', '=', accountId)
      .executeTakeFirst()
    return found !== undefined
  },

  /** The account that placed the order, unless it was erased in the meantime. */
  async setCustomerAccount(storeId: number, id: number, accountId: number): Promise<void> {
    await database
      .updateTable('order')
      .set({ customer_account_id: accountId })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('customer_account')
            .select('customer_account.id')
            .where('customer_account.store_id', '=', storeId)
            .where('customer_account.id', '=', accountId)
            // So that it is not erased before this commits.
            .forKeyShare(),
        ),
      )
      .execute()
  },

  /** Where these orders were imported from; none for those that were placed here. */
  originsOf: (storeId: number, ids: readonly number[]): Promise<OrderOrigin[]> =>
    database
      .selectFrom('imported_order')
      .select(['order_id as orderId', 'source', 'name', 'external_id as externalId'])
      .where('store_id', '=', storeId)
      .where('order_id', '=', anyOf(ids))
      .execute(),

  /** The abandoned cart that the order was created from. */
  async setRecoveredFrom(storeId: number, id: number, abandonedId: number): Promise<void> {
    await database
      .updateTable('order')
      .set({ recovered_from: abandonedId })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async insert(
    storeId: number,
    terms: OrderTerms,
    {
      status,
      token,
      searchKey,
      completedAt,
      at,
    }: {
      readonly status: OrderStatus
      readonly token: string
      readonly searchKey: string
      readonly completedAt: Date | null
      readonly at: Date
    },
  ): Promise<number> {
    const { customer, ...order } = terms
    const { number: customerId = null, ...snapshot } = customer ?? {}
    const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
    const { id } = await database
      .insertInto('order')
      .values({
        store_id: storeId,
        status,
        token,
        search_key: searchKey,
        completed_at: completedAt,
        created_at: at,
        updated_at: at,
        currency: order.currency,
        currency_rate: order.currencyRate,
        currency_rate_base: order.currencyRateBase,
        locale: order.locale,
        ...amountColumns(order),
        shipping_required: order.shippingRequired,
        shipping_option: order.shippingOption,
        same_day_delivery: order.sameDayDelivery,
        shipping_method_id: order.shippingMethodNumber,
        shipping_service_id: order.shippingServiceNumber,
        shipping_method_name: order.shippingMethodName,
        external_shipping_rate_id: order.externalShippingRateId,
        external_shipping_rate_description: order.externalShippingRateDescription,
        pickup_location_id: order.pickupLocationNumber,
        payment_method_id: order.paymentMethodNumber,
        payment_method_name: order.paymentMethodName,
        payment_method_type: order.paymentMethodType,
        additional_information: order.additionalInformation,
        customer_id: customerId,
        customer: JSON.stringify(snapshot),
        shipping_address: json(order.shippingAddress),
        billing_address: json(order.billingAddress),
        pickup_address: json(order.pickupAddress),
        billing_information: json(order.billingInformation),
        source: json(order.source),
        coupons: [...order.coupons],
        promotions: JSON.stringify(order.promotions),
        shipping_taxes: JSON.stringify(order.shippingTaxes),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  /** Writes what an edited order comes to. */
  async reprice(
    storeId: number,
    id: number,
    {
      amounts,
      shippingTaxes,
      searchKey,
    }: { readonly amounts: OrderAmounts; readonly shippingTaxes: readonly OrderTax[]; readonly searchKey: string },
    at: Date,
  ): Promise<void> {
    await database
      .updateTable('order')
      .set((set) => ({
        ...amountColumns(amounts),
        ...{
          shipping_taxes: JSON.stringify(shippingTaxes),
          search_key: searchKey,
          updated_at: at,
          version: set('version', '+', 1),
        },
      }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async update(storeId: number, id: number, change: OrderChange, at: Date): Promise<void> {
    const row = Object.fromEntries(
      Object.entries(change).flatMap(([field, value]) =>
        // Keys of an OrderChange.
        value === undefined ? [] : [[COLUMN_OF[field as keyof OrderChange], value]],
      ),
    )
    await database
      .updateTable('order')
      .set((set) => ({ ...row, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },
})

const amountColumns = (amounts: OrderAmounts) => ({
  subtotal: amounts.subtotal,
  tax: amounts.tax,
  shipping: amounts.shipping,
  shipping_tax: amounts.shippingTax,
  discount: amounts.discount,
  shipping_discount: amounts.shippingDiscount,
  gift_cards_discount: amounts.giftCardsDiscount,
  total: amounts.total,
})

/** Clients may give an empty list, for which SQL has no `IN`: no order matches. */
const isOneOf = (column: string, states: readonly string[]) => sql<boolean>`${sql.ref(column)} = ANY (${states}::text[])`

type OrderQuery = SelectQueryBuilder<Tables, 'order', object>

const rowsOf = (query: OrderQuery) => query.select(ORDER_COLUMNS).$castTo<OrderRow>()
const whole = async (query: OrderQuery): Promise<Order[]> => (await rowsOf(query).execute()).map(orderOf)

const BY_IDS = prepared((database: Kysely<Tables>, storeId: number, ids: readonly number[]) =>
  rowsOf(database.selectFrom('order').where('store_id', '=', storeId).where('id', '=', anyOf(ids))).compile(),
)

function selected(database: Kysely<Tables>, storeId: number, which: OrderSelection): OrderQuery {
  const { status, fulfillmentStatus, shipmentStatus, createdSince, createdBefore, updatedSince } = which
  const { afterId, customerId, productId, words } = which
  let query: OrderQuery = database.selectFrom('order').where('order.store_id', '=', storeId)
  if (status) query = query.where(isOneOf('status', status))
  if (fulfillmentStatus) query = query.where(isOneOf('fulfillment_status', fulfillmentStatus))
  if (shipmentStatus) query = query.where(isOneOf('shipment_status', shipmentStatus))
  if (createdSince !== undefined) {
    query = query.where('created_at', '>=', createdSince).where('order.id', '>', lastBefore(storeId, createdSince))
  }
  if (createdBefore !== undefined) {
    query = query.where('created_at', '<', createdBefore).where('order.id', '<', firstFrom(storeId, createdBefore))
  }
  if (updatedSince !== undefined) query = query.where('updated_at', '>=', updatedSince)
  if (afterId !== undefined) query = query.where('order.id', '>', afterId)
  if (customerId !== undefined) query = query.where('customer_id', '=', customerId)
  if (productId !== undefined) {
    query = query.where(
      sql<boolean>`"order".id IN (SELECT order_id FROM order_line WHERE store_id = ${storeId} AND product_id = ${productId})`,
    )
  }
  for (const word of words ?? []) {
    const number = /^#?(\d{1,9})$/.exec(word)?.[1] ?? null
    const { pattern, text } = finding(word)
    const isThere = text === null ? sql`` : sql`AND strpos(search_key, ${text}) > 0`
    const isFound = sql<boolean>`(search_key LIKE ${pattern} ${isThere})`
    query = query.where(number === null ? isFound : sql<boolean>`(${isFound} OR "order".id = ${Number(number)})`)
  }
  return query
}

/**
 * How far times may lag behind ids: an order is written within seconds of its time, by a clock that
 * is at most hours off. Within these bounds lists by id need not go through all orders in front of
 * a time, nor behind it. Milliseconds.
 */
const LAG_MS = 24 * 60 * 60 * 1000
/**
 * Orders that are read in search of one that was not imported: ids of imported ones say nothing
 * about their times. Without one, all are gone through.
 */
const MAX_SKIPPED = 1_000

const wasPlaced = sql`NOT EXISTS (
  SELECT 1 FROM imported_order AS imported WHERE imported.store_id = near.store_id AND imported.order_id = near.id)`

const lastBefore = (storeId: number, time: Date) => sql<number>`coalesce((
  SELECT id FROM (
    SELECT store_id, id FROM "order" WHERE store_id = ${storeId} AND created_at < ${new Date(time.getTime() - LAG_MS)}
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_SKIPPED}
  ) AS near WHERE ${wasPlaced} LIMIT 1), 0)`

/** Ids of imported orders are above those of orders that were placed later, too. */
const firstFrom = (storeId: number, time: Date) => sql<number>`greatest(coalesce((
  SELECT id FROM (
    SELECT store_id, id FROM "order" WHERE store_id = ${storeId} AND created_at >= ${new Date(time.getTime() + LAG_MS)}
    ORDER BY created_at, id LIMIT ${MAX_SKIPPED}
  ) AS near WHERE ${wasPlaced} LIMIT 1), 2147483647), (
  SELECT max(order_id) + 1 FROM imported_order WHERE store_id = ${storeId} AND created_at < ${time}))`
