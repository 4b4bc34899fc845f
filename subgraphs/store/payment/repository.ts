import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import { type GatewayType, isGateway } from '../payment-method/payment-method.ts'
import { PAYMENT_KEY, PAYMENT_SECRET } from '../stored-secrets.ts'
import type { Tables } from '../tables.ts'
import type { Payment, PaymentOperation } from './payment.ts'

const COLUMNS = [
  'id',
  'store_id as storeId',
  'order_id as orderId',
  'payment_method_id as paymentMethodId',
  'currency',
  'amount',
  'status',
  'reference',
  'redirect_url as redirectUrl',
  'authorized',
  'captured',
  'voided',
  'refunded',
  'refunds_failed as refundsFailed',
  'refunds_booked as refundsBooked',
  'refunds_entered as refundsEntered',
  'created_at as createdAt',
] as const
const OPERATION = ['id', 'store_id as storeId', 'payment_id as paymentId', 'kind', 'amount', 'key'] as const

/** What a gateway is reached by. */
export type GatewayAccess = {
  readonly type: GatewayType
  /** Where an external gateway is; empty for Stripe. */
  readonly url: string
  /** What identifies the merchant: for Stripe, the API key. */
  readonly key: string
  /** What signs: for Stripe, signing secrets of its webhooks, separated by commas. */
  readonly secret: string
}

export type PaymentRepository = ReturnType<typeof paymentRepository>

/** Payments and their pending operations in the database. */
export const paymentRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<Payment[]> =>
    database.selectFrom('payment').select(COLUMNS).where('store_id', '=', storeId).where('id', '=', anyOf(ids)).execute(),

  /** Oldest first. */
  ofOrders: (storeId: number, orderIds: readonly number[]): Promise<Payment[]> =>
    database
      .selectFrom('payment')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('order_id', '=', anyOf(orderIds))
      .orderBy('id')
      .execute(),

  async byReference(storeId: number, paymentMethodId: number, reference: string): Promise<Payment | null> {
    const found = await database
      .selectFrom('payment')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('payment_method_id', '=', paymentMethodId)
      .where('reference', '=', reference)
      .executeTakeFirst()
    return found ?? null
  },

  /** The row until the transaction ends. Lock its order first. */
  async lock(storeId: number, id: number): Promise<Payment | null> {
    const found = await database
      .selectFrom('payment')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    return found ?? null
  },

  async insert(
    storeId: number,
    payment: Pick<Payment, 'orderId' | 'paymentMethodId' | 'currency' | 'amount'>,
    at: Date,
  ): Promise<number> {
    const { id } = await database
      .insertInto('payment')
      .values({
        store_id: storeId,
        order_id: payment.orderId,
        payment_method_id: payment.paymentMethodId,
        currency: payment.currency,
        amount: payment.amount,
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, payment: Payment, at: Date): Promise<void> {
    const { id, status, reference, redirectUrl, authorized, captured, voided, refunded } = payment
    const { refundsFailed, refundsBooked, refundsEntered } = payment
    await database
      .updateTable('payment')
      .set({
        ...{ status, reference, redirect_url: redirectUrl, authorized, captured, voided, refunded },
        ...{ refunds_failed: refundsFailed, refunds_booked: refundsBooked, refunds_entered: refundsEntered },
        updated_at: at,
      })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Stores a request to the gateway, which is sent after the transaction. */
  async insertOperation(
    storeId: number,
    { paymentId, kind, amount }: Pick<PaymentOperation, 'paymentId' | 'kind' | 'amount'>,
    at: Date,
  ): Promise<void> {
    await database
      .insertInto('payment_operation')
      .values({ store_id: storeId, payment_id: paymentId, kind, amount, key: randomUUID(), created_at: at, updated_at: at })
      .execute()
  },

  /** What the gateway has not answered yet, oldest first. */
  pendingOperations: (storeId: number, paymentId: number): Promise<PaymentOperation[]> =>
    database
      .selectFrom('payment_operation')
      .select(OPERATION)
      .where('store_id', '=', storeId)
      .where('payment_id', '=', paymentId)
      .where('status', '=', 'PENDING')
      .orderBy('id')
      .execute(),

  /**
   * What gateways are being asked to capture of an order by other payments than this one, as exact
   * decimal text.
   */
  async pendingCaptures(storeId: number, orderId: number, exceptPaymentId: number): Promise<string> {
    const { amount } = await database
      .selectFrom('payment_operation')
      .innerJoin('payment', (join) =>
        join
          .onRef('payment.store_id', '=', 'payment_operation.store_id')
          .onRef('payment.id', '=', 'payment_operation.payment_id'),
      )
      .select(sql<string>`coalesce(sum(payment_operation.amount), 0)`.as('amount'))
      .where('payment.store_id', '=', storeId)
      .where('payment.order_id', '=', orderId)
      .where('payment.id', '<>', exceptPaymentId)
      .where('payment_operation.kind', '=', 'CAPTURE')
      .where('payment_operation.status', '=', 'PENDING')
      .executeTakeFirstOrThrow()
    return amount
  },

  async closeOperation(storeId: number, id: number, status: 'DONE' | 'FAILED', message: string | null, at: Date): Promise<void> {
    await database
      .updateTable('payment_operation')
      .set({ status, message, updated_at: at })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .where('status', '=', 'PENDING')
      .execute()
  },

  /** Payments to query at the gateway: with an operation, or without a final state. */
  unsettled: (before: Date, max: number): Promise<Pick<Payment, 'storeId' | 'id'>[]> =>
    database
      .selectFrom('payment')
      .select(['store_id as storeId', 'id'])
      .where('updated_at', '<', before)
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('status', 'in', ['PENDING', 'REQUIRES_ACTION']),
          exists(
            selectFrom('payment_operation')
              .select('payment_operation.id')
              .whereRef('payment_operation.store_id', '=', 'payment.store_id')
              .whereRef('payment_operation.payment_id', '=', 'payment.id')
              .where('payment_operation.status', '=', 'PENDING'),
          ),
        ]),
      )
      .orderBy('updated_at')
      .limit(max)
      .execute(),

  /** Moves a payment without news behind others. */
  async postpone(storeId: number, id: number, at: Date): Promise<void> {
    await database.updateTable('payment').set({ updated_at: at }).where('store_id', '=', storeId).where('id', '=', id).execute()
  },

  /** Access to the gateway of a payment method; null: it has none, or lacks credentials. */
  async access(storeId: number, paymentMethodId: number, secrets: SecretCipher): Promise<GatewayAccess | null> {
    const found = await database
      .selectFrom('payment_method')
      .select(['type', 'payment_method_url as url', 'key', 'secret'])
      .where('store_id', '=', storeId)
      .where('id', '=', paymentMethodId)
      .executeTakeFirst()
    const { type, url } = found ?? {}
    if (type === undefined || !isGateway(type) || !found?.key || !found.secret) return null
    if (type === 'EXTERNAL_PAYMENT_GATEWAY' && !url) return null
    return {
      type,
      url: url ?? '',
      key: secrets.decrypt(secretLocation(PAYMENT_KEY, storeId, paymentMethodId), found.key),
      secret: secrets.decrypt(secretLocation(PAYMENT_SECRET, storeId, paymentMethodId), found.secret),
    }
  },
})
