import { notFoundError, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import type { Actor } from '../access/actor.ts'
import { amountOf, textOf } from '../amount.ts'
import { MAX_CATEGORIES } from '../customer/customer.ts'
import { customerCategoryRepository } from '../customer-category/repository.ts'
import { fulfillmentRepository } from '../fulfillment/repository.ts'
import { returnGiftCards } from '../gift-card/redeem.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { insufficientStock } from '../inventory/actions.ts'
import { lockStock, releaseStock, reserveStock } from '../inventory/stock.ts'
import { calculateCart } from '../order/calculation/calculate.ts'
import { readCatalogue } from '../order/calculation/catalogue-repository.ts'
import { type DraftLine, draftLines, type LineInput, rowsIn } from '../order/calculation/draft.ts'
import { calculatedTerms } from '../order/calculation/terms.ts'
import { addressIn, destinationOf } from '../order/customer/address.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import { exchangeOf, MAX_LINES, type Order, type OrderLine } from '../order/order.ts'
import { searchKey } from '../order/place-order.ts'
import { orderRepository } from '../order/repository.ts'
import { isHolding, isLineFulfilled } from '../order/status/states.ts'
import { settleFreeOrder } from '../order/status/status-change.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import { orderRefundRepository } from '../order-refund/repository.ts'
import { paymentRepository } from '../payment/repository.ts'
import { readCustomerPrices } from '../price-list/customer-prices.ts'
import { withoutLists } from '../price-list/rule.ts'
import { storeRepository } from '../store/repository.ts'
import { PLAIN_ROUNDING } from '../store-currency/exchange.ts'
import { storeCurrencyRepository } from '../store-currency/repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { changedLines, editRefused, fixedTaxesOf, type QuantityInput, shippingPriceOf, withQuantity } from './order-edit.ts'

const MAX_REASON_LENGTH = 2_000

/** An edit, as a caller gives it. */
export type OrderEdit = {
  readonly addLines?: readonly LineInput[] | null | undefined
  readonly setQuantities?: readonly QuantityInput[] | null | undefined
  readonly shippingPrice?: string | null | undefined
  readonly applyPriceLists?: boolean | null | undefined
  readonly reason?: string | null | undefined
}

/** Changes the lines of a placed order. */
export async function editOrder(unit: UnitOfWork, id: string, input: OrderEdit & Versioned, actor: Actor) {
  const { query, storeId } = unit
  const { reason, shippingPrice, addLines, setQuantities } = input
  const problems = problemsIn([
    reason?.trim() ? textProblem('reason', reason, MAX_REASON_LENGTH) : null,
    shippingPrice?.startsWith('-') ? problem('shippingPrice', '0 or more', shippingPrice) : null,
    (addLines ?? []).length + (setQuantities ?? []).length === 0 && shippingPrice == null
      ? problem('addLines', 'given, or else `setQuantities` or `shippingPrice`', null)
      : null,
    (setQuantities ?? []).length > MAX_LINES
      ? problem('setQuantities', `at most ${MAX_LINES} lines`, setQuantities?.length)
      : null,
  ])
  if (problems.length > 0) return validationError(problems)
  const order = await orderRepository(query).lock(storeId, decodeId(id, 'Order') ?? 0)
  if (!order) return notFoundError('order', id)
  const stale = staleVersion(input.expectedVersion, order.version)
  if (stale) return stale
  const edited = await applyEdit(unit, order, input, actor)
  if ('failure' in edited) return edited.failure
  const after = await orderRepository(query).lock(storeId, order.id)
  const unsettled = after && (await settleFreeOrder(unit, after))
  return unsettled ?? { __typename: 'EditOrderSuccess' as const, order: order.id }
}

/**
 * Edits a locked order: the calculation, its lines, stock, gift cards and history. Returns its new
 * total, or why nothing was changed.
 */
export async function applyEdit(unit: UnitOfWork, order: Order, edit: OrderEdit, actor: Actor) {
  const { query, storeId, emit } = unit
  const refusal = await refusalOf(unit, order)
  if (refusal) return { failure: refusal }
  const lineRepository = orderLineRepository(query)
  const lines = await lineRepository.ofOrders(storeId, [order.id])
  const fulfillments = await fulfillmentRepository(query).ofOrders(storeId, [order.id])
  const handedOver = fulfillments.map(({ createdAt }) => createdAt)
  const changed = changedLines(lines, edit.setQuantities ?? [], await boundsOf(unit, order, handedOver))
  if ('problems' in changed) return { failure: validationError(changed.problems) }
  if ('refused' in changed) return { failure: changed.refused }
  const added = await newLines(unit, order, edit.addLines ?? [], edit.applyPriceLists === true)
  if ('failure' in added) return { failure: added.failure }
  const remaining = lines.filter(({ id }) => changed.quantities.get(id) !== 0)
  const count = remaining.length + added.lines.length
  if (count < 1 || count > MAX_LINES)
    return {
      failure: validationError([
        problem(count < 1 ? 'setQuantities' : 'addLines', `such that 1 to ${MAX_LINES} lines are left`, count),
      ]),
    }

  const drafts = [
    ...remaining.map((line) => withQuantity(line, changed.quantities.get(line.id) ?? line.quantity, order.currency)),
    ...added.lines,
  ]
  const hasRate = await isConvertible(unit, order)
  const fixedTaxes = hasRate ? new Map<number, string>() : fixedTaxesOf(lines, order)
  const shipping = edit.shippingPrice ?? shippingPriceOf(order)
  const terms = await recalculated(unit, order, drafts, { shipping, fixedTaxes })
  if ('failure' in terms) return { failure: terms.failure }
  const { amounts } = terms
  const unknown = hasRate ? undefined : [...fixedTaxesOf(terms.lines, terms)].find(([tax]) => !fixedTaxes.has(tax))
  if (unknown) {
    const message = `Expected an order with a rate to the currency of the store: tax ${unknown[0]} is an amount in it, but the order is in ${order.currency}.`
    return { failure: editRefused('NO_EXCHANGE_RATE', message) }
  }
  const refunds = await orderRefundRepository(query).ofOrders(storeId, [order.id])
  const toCards = refunds.reduce((sum, { toGiftCards }) => sum + amountOf(toGiftCards), 0n)
  if (amountOf(amounts.total) < amountOf(order.refunded) || amountOf(amounts.giftCardsDiscount) < toCards) {
    const message = `Expected the order to cost at least what was paid back of it: ${order.refunded}, and ${textOf(toCards)} to gift cards.`
    return { failure: editRefused('TOTAL_REFUNDED', message) }
  }

  const lessByCards = amountOf(order.giftCardsDiscount) - amountOf(amounts.giftCardsDiscount)
  if (lessByCards > 0n) await returnGiftCards(unit, order.id, lessByCards)
  // Before the order is fulfilled, they are fulfilled with it.
  const addedAt = order.fulfillmentStatus === 'FULFILLED' ? laterThan(handedOver, unit.now) : null
  const rows = await lineRepository.insertAdded(storeId, order.id, terms.lines.slice(remaining.length), addedAt)
  const shortages = await moveStock(unit, order, { lines, quantities: changed.quantities, added: added.lines, rows })
  if (shortages.length > 0) return { failure: insufficientStock(shortages) }
  await lineRepository.rewrite(
    storeId,
    remaining.map(({ id }, index) => ({ id, terms: terms.lines[index] ?? NEVER })),
  )
  const removed = lines.filter(({ id }) => changed.quantities.get(id) === 0).map(({ id }) => id)
  await lineRepository.delete(storeId, removed)
  const [origin] = await orderRepository(query).originsOf(storeId, [order.id])
  await orderRepository(query).reprice(
    storeId,
    order.id,
    { amounts, shippingTaxes: terms.shippingTaxes, searchKey: searchKey(order, terms.lines, origin?.name) },
    unit.now,
  )
  await note(unit, order, { edit, lines, quantities: changed.quantities, added: added.lines, total: amounts.total, actor })
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
  return { total: amounts.total }
}

/**
 * The time of a line that is added now: behind every fulfillment so far. One may have been committed
 * after `now` was read, while the edit waited for the lock of the order.
 */
const laterThan = (times: readonly Date[], now: Date): Date =>
  new Date(Math.max(now.getTime(), ...times.map((time) => time.getTime() + 1)))

/** Never taken: there are as many calculated lines as drafts. */
const NEVER: never = undefined as never

/** Why an order cannot be edited at all; null: it can. */
async function refusalOf({ query, storeId }: UnitOfWork, order: Order) {
  if (!isHolding(order.status))
    return editRefused('STATUS', `Expected an order that is PENDING_PAYMENT or PAID, but it is ${order.status}.`)
  if (order.status === 'PAID') return null
  const payments = await paymentRepository(query).ofOrders(storeId, [order.id])
  return payments.some(({ status }) => status !== 'FAILED')
    ? editRefused(
        'PAYMENT_PENDING',
        'Expected an order without a payment under way: edit it once it is paid, or the payment failed.',
      )
    : null
}

async function boundsOf({ query, storeId }: UnitOfWork, order: Order, handedOver: readonly Date[]) {
  const [refunded, returned] = await Promise.all([
    orderRefundRepository(query).unitsOf(storeId, order.id),
    orderLineRepository(query).unitsInReturns(storeId, [order.id]),
  ])
  const gone = new Map(refunded)
  // The refund of a return is among the refunded units.
  for (const { lineNumber, unrefunded } of returned) gone.set(lineNumber, (gone.get(lineNumber) ?? 0) + Number(unrefunded))
  return { gone, isFulfilled: (line: Pick<OrderLine, 'addedAt'>) => isLineFulfilled(order, line, handedOver) }
}

/**
 * Whether amounts of the store are known in the currency of an order. They are not in that of an
 * import, or of before the store changed its currency.
 */
async function isConvertible({ query, storeId }: UnitOfWork, order: Order): Promise<boolean> {
  if (exchangeOf(order) !== null) return true
  const [store] = await storeRepository(query).findByIds([storeId])
  return order.currency === store?.currency
}

/** Lines to add, completed from the catalogue and, if they apply, the price lists of the customer. */
async function newLines(unit: UnitOfWork, order: Order, inputs: readonly LineInput[], areListsApplied: boolean) {
  if (inputs.length === 0) return { lines: [] }
  const { query, storeId } = unit
  const exchange = exchangeOf(order)
  const sold = exchange === null ? null : await storeCurrencyRepository(query).byCode(storeId, order.currency)
  const unpriced = inputs.findIndex(({ productId, price }) => productId != null && price == null)
  if (unpriced >= 0 && !(await isConvertible(unit, order)))
    return {
      failure: validationError([
        problem(`addLines.${unpriced}.price`, `given in ${order.currency}, in which the catalogue has no prices`, null),
      ]),
    }
  const catalogue = await readCatalogue(query, storeId, rowsIn(inputs), null)
  // Prices end as those of the shop; without an ending, once it sells in the currency no longer.
  const currency = { code: order.currency, exchange, rounding: sold ?? PLAIN_ROUNDING }
  const customerPrices = areListsApplied
    ? await readCustomerPrices(unit, currency, await categoriesOf(unit, order), [...catalogue.products.keys()])
    : withoutLists(currency)
  const drafted = draftLines(inputs, catalogue, { allowMissing: false, customerPrices })
  if (!('failure' in drafted)) return drafted
  const { failure } = drafted
  if (failure.__typename !== 'ValidationError') return { failure }
  const renamed = failure.errors.map(({ field, message }) => ({
    field: field.replace(/^lines/, 'addLines'),
    message: message.replace('"lines', '"addLines'),
  }))
  return { failure: validationError(renamed) }
}

/** Categories of the customer of an order now; null: a guest. */
async function categoriesOf({ query, storeId }: UnitOfWork, { customer }: Order): Promise<ReadonlySet<number> | null> {
  if (customer?.number == null) return null
  const memberships = await customerCategoryRepository(query).categoriesOf(storeId, [customer.number], MAX_CATEGORIES)
  return new Set(memberships.map(({ categoryId }) => categoryId))
}

/** The calculation of placed orders, with the discounts that were agreed. */
async function recalculated(
  unit: UnitOfWork,
  order: Order,
  drafts: readonly DraftLine[],
  { shipping, fixedTaxes }: { readonly shipping: string; readonly fixedTaxes: ReadonlyMap<number, string> },
) {
  const unknown = await unknownAddress(unit, order)
  const result = await calculateCart(unit, {
    currency: order.currency,
    exchange: exchangeOf(order),
    lines: drafts.map(({ productNumber, price, quantity, discount }) => ({
      productId: productNumber === 0 ? null : productNumber,
      ...{ price, quantity, discount },
    })),
    shipping,
    shippingDestination: destinationOf(order.pickupAddress ?? order.shippingAddress ?? order.billingAddress ?? unknown),
    billingDestination: destinationOf(order.billingAddress ?? order.shippingAddress ?? unknown),
    customer: null,
    couponCodes: [],
    giftCards: [],
    arePricesGiven: true,
    agreed: { shippingDiscount: order.shippingDiscount, giftCards: order.giftCardsDiscount, fixedTaxes },
  })
  if (result.kind === 'too-large')
    return { failure: validationError([problem('addLines', 'of a price with at most 10 digits before the point', 'more')]) }
  return calculatedTerms(drafts, result, { names: new Map(), pricesIncludeTax: result.pricesIncludeTax })
}

/** What taxes an order without an address: of the storefront, its country, as when it was placed. */
async function unknownAddress({ query, storeId }: UnitOfWork, { source }: Order) {
  if (source?.createdFrom !== 'storefront') return null
  const [store] = await storeRepository(query).findByIds([storeId])
  return store ? addressIn({ country: store.country }) : null
}

/** Releases units that left the order, and reserves those that came. */
async function moveStock(
  unit: UnitOfWork,
  order: Order,
  {
    lines,
    quantities,
    added,
    rows,
  }: {
    readonly lines: readonly OrderLine[]
    readonly quantities: ReadonlyMap<number, number>
    readonly added: readonly DraftLine[]
    readonly rows: readonly number[]
  },
) {
  const differences = lines.map((line) => ({ line, more: (quantities.get(line.id) ?? line.quantity) - line.quantity }))
  await lockStock(
    unit,
    [...lines, ...added].flatMap(({ productNumber }) => (productNumber === 0 ? [] : productNumber)),
  )
  await releaseStock(
    unit,
    differences.flatMap(({ line, more }) => (more < 0 ? [{ orderLineId: line.id, quantity: -more }] : [])),
  )
  const wanted = [
    ...differences.flatMap(({ line, more }) => (more > 0 ? [{ line, quantity: more, orderLineId: line.id }] : [])),
    ...added.map((line, index) => ({ line, quantity: line.quantity, orderLineId: rows[index] ?? 0 })),
  ].flatMap(({ line: { productNumber, variantNumber }, quantity, orderLineId }) =>
    productNumber === 0
      ? []
      : [
          {
            ...{ productId: productNumber, variantId: variantNumber, quantity, orderLineId },
            preferredLocationId: order.pickupLocationNumber,
          },
        ],
  )
  const stock = await lockStock(
    unit,
    wanted.map(({ productId }) => productId),
  )
  return reserveStock(unit, stock, wanted)
}

/** Notes who changed what, from what. */
async function note(
  { query, storeId, now }: UnitOfWork,
  order: Order,
  {
    edit,
    lines,
    quantities,
    added,
    total,
    actor,
  }: {
    readonly edit: OrderEdit
    readonly lines: readonly OrderLine[]
    readonly quantities: ReadonlyMap<number, number>
    readonly added: readonly DraftLine[]
    readonly total: string
    readonly actor: Actor
  },
): Promise<void> {
  const reason = edit.reason?.trim() ? edit.reason : null
  const changed = lines.flatMap(({ id, name, quantity }) => {
    const after = quantities.get(id) ?? quantity
    return after === quantity ? [] : [{ line: id, name, before: quantity, after }]
  })
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: `The order was edited by ${actor}: its total went from ${textOf(amountOf(order.total))} to ${total} ${order.currency}${reason === null ? '.' : `: ${reason}`}`,
    log: {
      ...{ event: 'edit', by: actor, changed },
      added: added.map(({ name, quantity, price, discount }) => ({ name, quantity, price, discount })),
      before: { total: textOf(amountOf(order.total)), shipping: textOf(amountOf(order.shipping)) },
      after: { total, ...(edit.shippingPrice != null && { shippingPrice: edit.shippingPrice }) },
      ...(reason !== null && { reason }),
    },
    at: now,
  })
}
