import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import { cartTokenHash } from '../cart/actions.ts'
import { orderInputOf } from '../cart/order-input.ts'
import { cartIn, currentCart, type StorefrontCart, shopAt } from '../cart/resolvers.ts'
import type { Context } from '../context.ts'
import { present } from '../ids.ts'
import { MAX_LOCATIONS } from '../location/actions.ts'
import { quoteOrder } from '../order/calculation/shipping.ts'
import { orderPlacement } from '../order/place-order.ts'
import { paymentInstructions } from '../payment/resolvers.ts'
import { runPayment } from '../payment/run.ts'
import { isOffered } from '../payment-method/payment-method.ts'
import { forAccount } from '../storefront/resolvers.ts'
import { conflictError } from '../write.ts'
import { completeCheckout } from './actions.ts'

const MAX_KEY_LENGTH = 100

export const checkoutResolvers = {
  Storefront: {
    checkoutFields: ({ store }, _, { checkoutCustomFields }) => checkoutCustomFields.all(store.id),
    paymentMethods: async ({ store }, _, { paymentMethods }) => (await paymentMethods.list(store.id)).filter(isOffered),
    pickupLocations: async ({ store }, _, { locations }) =>
      (await locations.list(store.id, MAX_LOCATIONS)).filter(({ active, pickupPoint }) => active && pickupPoint),
  },
  StorefrontCheckoutField: {
    id: ({ id }) => encodeId('CheckoutCustomField', String(id)),
    options: ({ selectOptions }) => [...selectOptions],
  },
  StorefrontPaymentMethod: { id: ({ id }) => encodeId('PaymentMethod', String(id)) },
  StorefrontPickupLocation: {
    id: ({ id }) => encodeId('Location', String(id)),
    address: ({ address: { address, streetNumber } }) => [address, streetNumber].filter((part) => part).join(' '),
    city: ({ address }) => address.city,
  },
  Mutation: {
    completeStorefrontCheckout: (_, { input }, context) => complete(context, input),
  },
  CompleteStorefrontCheckoutSuccess: {
    order: ({ storeId, order }, _, { shops }) => present(shops.orderById(storeId, order), 'order'),
    secret: async ({ storeId, order }, _, { loadOfStore }) =>
      (await present(loadOfStore(storeId).orderById.load(order), 'order')).token,
    paymentInstructions: ({ storeId, order }, _, context) => paymentInstructions(context, storeId, order),
    payUntil: ({ payUntil }) => (payUntil === null ? null : new Date(payUntil)),
  },
  StorefrontTotalChanged: { cart: (written, _, context) => currentCart(context, written) },
  StorefrontCheckoutIncomplete: { cart: (written, _, context) => currentCart(context, written) },
} satisfies Resolvers

type CheckoutInput = {
  readonly store: string
  readonly token: string
  readonly expectedTotal: string
  readonly idempotencyKey: string
  readonly accountToken?: string | null | undefined
}

async function complete(context: Context, { store, token, expectedTotal, idempotencyKey, accountToken }: CheckoutInput) {
  if (!/^[\x20-\x7e]{1,100}$/.test(idempotencyKey))
    throw badInput('input.idempotencyKey', `1 to ${MAX_KEY_LENGTH} printable ASCII characters`, idempotencyKey)
  if (expectedTotal.startsWith('-')) return validationError([problem('expectedTotal', '0 or more', expectedTotal)])
  const storefront = await shopAt(context, store)
  const tokenHash = cartTokenHash(token)
  if (!storefront || tokenHash === null) return notFoundError('cart', token)
  const ofShopper = await forAccount(context, storefront, accountToken ?? null)
  const found = await cartIn(context, ofShopper ?? storefront, token)
  if (!found) return notFoundError('cart', token)
  if (!ofShopper) return conflictError('The session of the account has ended: sign in again, or order without it.')
  const storeId = storefront.store.id
  const { cart } = found
  const { shopper } = ofShopper
  const at = { storeId, token, accountToken: accountToken ?? null }

  if (cart.orderId === null) {
    const incomplete = await problemsOf(found, at)
    if (incomplete) return incomplete
    const { totals } = await found.calculated()
    if (totals && amountOf(totals.total) !== amountOf(expectedTotal)) return totalChanged(expectedTotal, totals.total, at)
  }
  const fields = await context.checkoutCustomFields.all(storeId)
  const scope = { query: context.database, storeId, now: context.now() }
  const order = orderInputOf(cart.contents, cart.contents.lines, { status: 'PENDING_PAYMENT', fields, shopper })
  const quoted = cart.orderId === null ? await quoteOrder(context, scope, order) : null
  const place = orderPlacement(quoted)
  const { paymentMethodId } = cart.contents
  const gateway = paymentMethodId === null ? null : await context.payments.access(storeId, paymentMethodId, context.secrets)
  const gatewayMethodId = gateway === null ? null : paymentMethodId
  const { paymentMinutes, unpaidOrderMinutes } = context.checkoutTimes
  const minutes = gateway === null ? unpaidOrderMinutes : paymentMinutes
  const payUntil = new Date(context.now().getTime() + minutes * 60_000)
  // Keys of shoppers are apart from those of the merchant, and of other carts.
  const input = { idempotencyKey: `cart ${cart.id} ${idempotencyKey}`, expectedTotal }
  const written = await context.writeTo(storeId, 'completeStorefrontCheckout', input, (unit) =>
    completeCheckout(unit, {
      cart,
      tokenHash,
      expectedTotal,
      place,
      fields,
      gatewayMethodId,
      payUntil,
      mail: context.mail,
      mayConfirm: (email) => context.mailLimits.mayConfirmOrder(storeId, email),
      shopper,
    }),
  )
  switch (written.__typename) {
    case 'CompleteStorefrontCheckoutSuccess':
      // After the transaction: a request to a foreign server must not hold locks.
      for (const { id } of await context.payments.ofOrders(storeId, [written.order])) {
        await runPayment(context.paymentDeps, storeId, id)
      }
      context.forgetLoaded()
      return { ...written, storeId }
    case 'TotalChanged':
      return totalChanged(expectedTotal, written.total, at)
    case 'SoldOut': {
      const again = await cartIn(context, ofShopper, token)
      const incomplete = again && (await problemsOf(again, at))
      return incomplete ?? incompleteOf([{ code: 'INSUFFICIENT_STOCK', message: SOLD_OUT, lineId: null }], at)
    }
    default:
      return written
  }
}

const SOLD_OUT = 'Something in the cart was sold out in this moment: try again.'

type At = { readonly storeId: number; readonly token: string; readonly accountToken: string | null }
type Problems = Awaited<ReturnType<StorefrontCart['calculated']>>['problems']

async function problemsOf({ calculated }: StorefrontCart, at: At) {
  const { problems } = await calculated()
  return problems.length === 0 ? null : incompleteOf(problems, at)
}

const incompleteOf = (problems: Problems, at: At) => ({
  __typename: 'StorefrontCheckoutIncomplete' as const,
  message: problems[0]?.message ?? '',
  problems,
  ...at,
})

const totalChanged = (expected: string, total: string, at: At) => ({
  __typename: 'StorefrontTotalChanged' as const,
  message: `Expected a total of ${expected}, but it is ${total} now: show it to the shopper and try again.`,
  total,
  ...at,
})
