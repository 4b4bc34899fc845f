import type { Logger } from 'pino'
import { Fault } from '../../../platform/outbound/fault.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { amountOf, textOf } from '../amount.ts'
import { notificationPath } from '../payment-method/payment-method.ts'
import type { UnitOfWork, write } from '../write.ts'
import { applyPayment, refusePayment } from './actions.ts'
import { type PaymentGateways, PaymentRefused } from './gateway.ts'
import type { GatewayPayment, Payment, PaymentOperation } from './payment.ts'
import type { GatewayAccess, PaymentRepository } from './repository.ts'

/** Dependencies of requests to gateways. */
export type PaymentDeps = {
  readonly payments: PaymentRepository
  readonly gateways: PaymentGateways
  readonly secrets: SecretCipher
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: Logger
  /** Code of a store, and the secret of the link of an order. */
  readonly linkOf: (storeId: number, orderId: number) => Promise<{ readonly code: string; readonly secret: string } | null>
  /** Runs a change of a store in a transaction. */
  readonly writeStore: <Result extends { readonly __typename: string }>(
    storeId: number,
    change: (unit: UnitOfWork) => Promise<Result>,
  ) => ReturnType<typeof write<Result>>
}

/** Each answer can lead to one more question: authorize, capture, refund. */
const MAX_STEPS = 6

/**
 * Sends the pending operations of a payment to its gateway, outside of transactions. May run
 * concurrently: the gateway does each operation once, and answers are merged. Never rejects because
 * of a gateway; `runPaymentJobs` retries the rest.
 */
export async function runPayment(deps: PaymentDeps, storeId: number, paymentId: number): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [operation] = await deps.payments.pendingOperations(storeId, paymentId)
    if (!operation || !(await runOperation(deps, operation))) return
  }
}

/** Queries the state of a payment, and continues it. */
export async function refreshPayment(deps: PaymentDeps, storeId: number, paymentId: number): Promise<void> {
  const [payment] = await deps.payments.findByIds(storeId, [paymentId])
  const gateway = payment && (await deps.payments.access(storeId, payment.paymentMethodId, deps.secrets))
  if (!payment || !gateway) return
  const { reference } = payment
  if (reference !== null) {
    const said = await answered(deps, () => deps.gateways.of(gateway).find(gateway, reference))
    if (said && !(said instanceof PaymentRefused))
      await deps.writeStore(storeId, (unit) => applyPayment(unit, paymentId, said, null))
  }
  await runPayment(deps, storeId, paymentId)
}

/** Payments that are worth a question, most overdue first, and how long the last one was ago. */
const MAX_PAYMENTS = 100
const MIN_AGE_MS = 30_000

/** Queries every payment without a final state: notifications get lost. */
export async function runPaymentJobs(deps: PaymentDeps, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.now().getTime() - MIN_AGE_MS)
  for (const { storeId, id } of await deps.payments.unsettled(before, MAX_PAYMENTS)) {
    if (signal.aborted) return
    await deps.payments.postpone(storeId, id, deps.now())
    await refreshPayment(deps, storeId, id)
  }
}

/** Whether the operation has ended, so that the next one may be sent. */
async function runOperation(deps: PaymentDeps, operation: PaymentOperation): Promise<boolean> {
  const { storeId, paymentId } = operation
  const [payment] = await deps.payments.findByIds(storeId, [paymentId])
  const gateway = payment && (await deps.payments.access(storeId, payment.paymentMethodId, deps.secrets))
  if (!payment || !gateway) {
    await deps.writeStore(storeId, (unit) => refusePayment(unit, operation, 'The payment method has no gateway any more.'))
    return true
  }
  const said = await answered(deps, () => requestOperation(deps, gateway, payment, operation))
  if (said === null) return false
  if (said instanceof PaymentRefused) await deps.writeStore(storeId, (unit) => refusePayment(unit, operation, said.message))
  else await deps.writeStore(storeId, (unit) => applyPayment(unit, paymentId, said, operation))
  return true
}

async function requestOperation(
  deps: PaymentDeps,
  gateway: GatewayAccess,
  payment: Payment,
  operation: PaymentOperation,
): Promise<GatewayPayment> {
  const { publicUrl } = deps
  const gateways = deps.gateways.of(gateway)
  const { key, kind } = operation
  // Without zeros at its end, as the graph has amounts.
  const amount = textOf(amountOf(operation.amount))
  if (kind === 'AUTHORIZE') {
    const { storeId, orderId, paymentMethodId, currency, createdAt } = payment
    const link = await deps.linkOf(storeId, orderId)
    if (!link) throw new PaymentRefused('The order does not exist any more.')
    return gateways.authorize(gateway, key, {
      amount,
      currency,
      order: String(orderId),
      returnUrl: `${publicUrl}/shops/${link.code}/orders/${link.secret}`,
      notificationUrl: `${publicUrl}${notificationPath(storeId, paymentMethodId)}`,
      createdAt,
    })
  }
  if (payment.reference === null) throw new Fault('unavailable', 'the payment has no reference yet')
  if (kind === 'CAPTURE') return gateways.capture(gateway, key, payment.reference, amount)
  if (kind === 'VOID') return gateways.voidOpen(gateway, key, payment.reference, amount)
  return gateways.refund(gateway, key, payment.reference, amount)
}

/** Null: no answer that can be read. */
async function answered(
  { log }: PaymentDeps,
  request: () => Promise<GatewayPayment>,
): Promise<GatewayPayment | PaymentRefused | null> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof PaymentRefused) return error
    if (!(error instanceof Fault)) throw error
    log.warn({ reason: error.message }, 'a payment gateway did not answer')
    return null
  }
}
