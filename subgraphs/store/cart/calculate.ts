import { amountOf } from '../amount.ts'
import type { CheckoutCustomField } from '../checkout-custom-field/checkout-custom-field.ts'
import type { CheckoutCustomFieldRepository } from '../checkout-custom-field/repository.ts'
import { type GiftCard, refusalOf } from '../gift-card/gift-card.ts'
import type { GiftCardRepository } from '../gift-card/repository.ts'
import { type OrderCatalogue, readCatalogue } from '../order/calculation/catalogue-repository.ts'
import { previewOrder } from '../order/calculation/preview.ts'
import { quoteOrder } from '../order/calculation/shipping.ts'
import { addressIn } from '../order/customer/address.ts'
import { isOffered } from '../payment-method/payment-method.ts'
import type { PaymentMethodRepository } from '../payment-method/repository.ts'
import type { QuoteDeps } from '../shipping-method/quotes.ts'
import type { Shopper } from '../storefront/shopper.ts'
import type { StoreQuery } from '../write.ts'
import type { CartContents, ShoppingCartLine } from './cart.ts'
import { orderInputOf } from './order-input.ts'

/** What keeps a cart from being ordered; `lineId` is null when it is about no single line. */
export type CartProblem = { readonly code: CartProblemCode; readonly message: string; readonly lineId: string | null }

export type CartProblemCode =
  | 'EMPTY'
  | 'NOT_FOR_SALE'
  | 'INSUFFICIENT_STOCK'
  | 'QUANTITY'
  | 'COUPON'
  | 'GIFT_CARD'
  | 'EMAIL'
  | 'SHIPPING_ADDRESS'
  | 'SHIPPING_METHOD'
  | 'PAYMENT_METHOD'
  | 'CHECKOUT_FIELD'
  | 'INVALID'

/** The order that `Query.calculateOrder` would answer for a cart. */
export type CartTotals = Extract<Awaited<ReturnType<typeof previewOrder>>, { readonly __typename: 'CalculatedOrder' }>

/** What a cart would be as an order now. */
export type CartCalculation = {
  /** Lines that can be bought, in the order of `totals.lines`. */
  readonly lines: readonly ShoppingCartLine[]
  /** Null without such lines, or when they make no valid order. */
  readonly totals: CartTotals | null
  /** In the order of the checkout; empty: it can be ordered. */
  readonly problems: readonly CartProblem[]
}

export type CartDeps = QuoteDeps & {
  readonly database: StoreQuery['query']
  readonly giftCards: GiftCardRepository
  readonly checkoutCustomFields: CheckoutCustomFieldRepository
  readonly paymentMethods: PaymentMethodRepository
  readonly now: () => Date
}

/**
 * Calculates a cart as an order of a signed-in shopper, or of a guest for null, and lists the
 * problems that keep it from being one. Writes nothing. External shipping services have five seconds.
 */
export async function calculateCartOf(
  deps: CartDeps,
  storeId: number,
  contents: CartContents,
  shopper: Shopper | null,
): Promise<CartCalculation> {
  const scope = { query: deps.database, storeId, now: deps.now() }
  const rows = {
    products: contents.lines.map(({ productId }) => productId),
    variants: contents.lines.flatMap(({ variantId }) => variantId ?? []),
  }
  const [catalogue, fields, methods, giftCards] = await Promise.all([
    readCatalogue(deps.database, storeId, rows, null),
    deps.checkoutCustomFields.all(storeId),
    deps.paymentMethods.list(storeId),
    deps.giftCards.findByIds(storeId, contents.giftCards),
  ])
  const lines = contents.lines.filter((line) => isForSale(catalogue, line))
  const gone = contents.lines
    .filter((line) => !lines.includes(line))
    .map(({ id }) => said('NOT_FOR_SALE', 'This product or variant is not for sale any more: remove the line.', id))
  const faults = [...gone, ...quantityProblems(catalogue, lines)]
  if (lines.length === 0)
    return { lines, totals: null, problems: [said('EMPTY', 'The cart has nothing that can be bought.'), ...faults] }
  if (faults.some(({ code }) => code === 'QUANTITY')) return { lines, totals: null, problems: faults }

  const payable =
    contents.paymentMethodId === null || methods.some((method) => isOffered(method) && method.id === contents.paymentMethodId)
  const known = payable ? contents : { ...contents, paymentMethodId: null }
  const calculate = async (of: CartContents) => {
    const input = orderInputOf(of, lines, { status: 'PENDING_PAYMENT', fields, shopper })
    return previewOrder(scope, input, await quoteOrder(deps, scope, input))
  }
  let result = await calculate(known)
  const later: CartProblem[] = []
  if (result.__typename !== 'CalculatedOrder' && (known.shippingMethodId !== null || known.pickupLocationId !== null)) {
    later.push(said('SHIPPING_METHOD', result.message))
    result = await calculate({ ...known, shippingMethodId: null, shippingServiceCode: null, pickupLocationId: null })
  }
  if (result.__typename !== 'CalculatedOrder')
    return { lines, totals: null, problems: [...faults, said('INVALID', result.message)] }
  return {
    lines,
    totals: result,
    problems: [
      ...faults,
      ...stockProblems(result, lines),
      ...couponProblems(result),
      ...giftCardProblems(giftCards, { currency: result.currency, now: scope.now }),
      ...missingOf(known, result, fields),
      ...later,
    ],
  }
}

const said = (code: CartProblemCode, message: string, lineId: string | null = null): CartProblem => ({ code, message, lineId })

function isForSale({ products, variants }: OrderCatalogue, { productId, variantId }: ShoppingCartLine): boolean {
  const product = products.get(productId)
  if (product?.status !== 'AVAILABLE') return false
  return variantId === null ? !product.hasVariants : variants.get(variantId)?.productId === productId
}

/** Limits of a product count over all of its lines. */
const quantityProblems = ({ products }: OrderCatalogue, lines: readonly ShoppingCartLine[]): readonly CartProblem[] =>
  [...Map.groupBy(lines, ({ productId }) => productId)].flatMap(([productId, own]) => {
    const { minimumQuantity, maximumQuantity } = products.get(productId) ?? {}
    const quantity = own.reduce((sum, line) => sum + line.quantity, 0)
    const id = own[0]?.id ?? null
    if (minimumQuantity != null && quantity < minimumQuantity)
      return [said('QUANTITY', `Expected at least ${minimumQuantity} of the product, got ${quantity}.`, id)]
    if (maximumQuantity != null && quantity > maximumQuantity)
      return [said('QUANTITY', `Expected at most ${maximumQuantity} of the product, got ${quantity}.`, id)]
    return []
  })

/** Without how many there are: the stock of a shop is not public. */
const stockProblems = ({ shortages }: CartTotals, lines: readonly ShoppingCartLine[]): readonly CartProblem[] =>
  shortages.map(({ productNumber, variantNumber, available }) => {
    const line = lines.find(({ productId, variantId }) => productId === productNumber && variantId === variantNumber)
    const message = available === 0 ? 'This is out of stock.' : 'There is not so much of this in stock: take less.'
    return said('INSUFFICIENT_STOCK', message, line?.id ?? null)
  })

const couponProblems = ({ refusedCoupons }: CartTotals): readonly CartProblem[] =>
  refusedCoupons.map(({ code, reason }) => said('COUPON', `The coupon code ${JSON.stringify(code)} has no effect: ${reason}.`))

/** Cards that pay nothing any more; which ones they are, their last characters say. */
const giftCardProblems = (
  giftCards: readonly GiftCard[],
  order: { readonly currency: string; readonly now: Date },
): readonly CartProblem[] =>
  giftCards.flatMap((card) => {
    const refusal = refusalOf(card, order)
    return refusal === null ? [] : [said('GIFT_CARD', `The gift card that ends in ${card.lastFour} ${refusal}: remove it.`)]
  })

/** What the checkout still needs. */
function missingOf(contents: CartContents, totals: CartTotals, fields: readonly CheckoutCustomField[]): readonly CartProblem[] {
  const { email, shippingAddress, shippingMethodId, pickupLocationId, paymentMethodId, answers } = contents
  const isSent = totals.shippingRequired && pickupLocationId === null
  const country = shippingAddress === null ? null : addressIn(shippingAddress).countryCode
  return [
    ...(email === null ? [said('EMAIL', 'Expected an e-mail address.')] : []),
    ...(isSent && country === null ? [said('SHIPPING_ADDRESS', 'Expected a shipping address with a country.')] : []),
    ...(isSent && shippingMethodId === null ? [said('SHIPPING_METHOD', 'Expected a shipping method or a pickup location.')] : []),
    ...fields
      .filter(({ id, type, required }) => {
        const value = answers.find(({ fieldId }) => fieldId === id)?.value.trim() ?? ''
        return required && (type === 'CHECKBOX' ? value !== 'true' : value === '')
      })
      .map(({ label, type }) =>
        said('CHECKOUT_FIELD', `Expected ${type === 'CHECKBOX' ? 'consent' : 'an answer'} to ${JSON.stringify(label)}.`),
      ),
    ...fields
      .filter(({ id, type, selectOptions }) => {
        const value = answers.find(({ fieldId }) => fieldId === id)?.value.trim() ?? ''
        return type === 'SELECT' && value !== '' && !selectOptions.includes(value)
      })
      .map(({ label }) => said('CHECKOUT_FIELD', `Expected one of the options of ${JSON.stringify(label)}.`)),
    ...(amountOf(totals.total) > 0n && paymentMethodId === null ? [said('PAYMENT_METHOD', 'Expected a payment method.')] : []),
  ]
}
