import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import { type CartDeps, calculateCartOf } from '../cart/calculate.ts'
import type { CartRepository } from '../cart/repository.ts'
import type { CustomerAccountRepository } from '../customer-account/repository.ts'
import { type PaymentDeps, runPaymentJobs } from '../payment/run.ts'
import type { UnitOfWork } from '../write.ts'
import { abandonCart, expireOrder } from './actions.ts'
import type { CheckoutTimes } from './variables.ts'

/** Interval between checks of carts and unpaid orders. Milliseconds. */
const INTERVAL_MS = 60_000
/** Few enough to delay no request. */
const MAX_BATCH_SIZE = 100
/** Age at which carts without changes are deleted. Milliseconds. */
const CART_AGE_MS = 30 * 24 * 3_600_000

export type CheckoutJobDeps = CartDeps & {
  readonly carts: CartRepository
  readonly customerAccounts: CustomerAccountRepository
  readonly times: CheckoutTimes
  readonly paymentDeps: PaymentDeps
  /** Runs a change of a store in a transaction. */
  readonly write: <Result extends { readonly __typename: string }>(
    storeId: number,
    change: (unit: UnitOfWork) => Promise<Result>,
  ) => Promise<unknown>
}

/** Frees the stock of unpaid orders, shows abandoned carts, and deletes old ones, until it is stopped. */
export const checkoutJobs = (deps: CheckoutJobDeps, log: Logger): PeriodicJob =>
  runPeriodically(
    INTERVAL_MS,
    (signal) => runCheckoutJobs(deps, signal),
    (error) => log.warn({ err: error }, 'carts and unpaid orders could not be looked through'),
  )

/** Does so once. Several processes may: each change looks again under a lock. */
export async function runCheckoutJobs(deps: CheckoutJobDeps, signal: AbortSignal): Promise<void> {
  // First: a payment whose notification was lost is not to expire.
  await runPaymentJobs(deps.paymentDeps, signal)
  const { carts, times, write, now } = deps
  for (const { storeId, orderId } of await carts.unpaid(now(), MAX_BATCH_SIZE)) {
    if (signal.aborted) return
    if (orderId !== null) await write(storeId, (unit) => expireOrder(unit, orderId))
  }
  const idleSince = new Date(now().getTime() - times.cartAbandonedMinutes * 60_000)
  for (const { storeId, id } of await carts.idle(idleSince, MAX_BATCH_SIZE)) {
    if (signal.aborted) return
    const fields = await deps.checkoutCustomFields.all(storeId)
    await write(storeId, (unit) =>
      abandonCart(
        unit,
        { cartId: id, idleSince, fields },
        async ({ contents }) => (await calculateCartOf(deps, storeId, contents, null)).lines,
      ),
    )
  }
  while (!signal.aborted && (await deps.customerAccounts.deleteExpired(now(), MAX_BATCH_SIZE)));
  const old = new Date(now().getTime() - CART_AGE_MS)
  while (!signal.aborted && (await carts.deleteBefore(old, MAX_BATCH_SIZE)) === MAX_BATCH_SIZE);
}
