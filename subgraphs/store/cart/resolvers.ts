import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import type { Context } from '../context.ts'
import { MAX_CART_GIFT_CARDS } from '../gift-card/gift-card.ts'
import { present } from '../ids.ts'
import { prepareOrder } from '../order/calculation/prepare.ts'
import { addressIn } from '../order/customer/address.ts'
import { shippingQuotes } from '../shipping-method/quotes.ts'
import { ownCurrency } from '../store-currency/exchange.ts'
import { currencyIn } from '../store-currency/store-currency.ts'
import { forAccount, storefrontOf, withCurrency } from '../storefront/resolvers.ts'
import { isStoreCode, type Storefront } from '../storefront/storefront.ts'
import { cartTokenHash, createCart, newCartToken, recoverCart, updateCart } from './actions.ts'
import { type CartCalculation, calculateCartOf } from './calculate.ts'
import type { ShoppingCart } from './cart.ts'
import { orderInputOf } from './order-input.ts'

/** A cart with its shop; it is calculated once, at first use. */
export type StorefrontCart = {
  readonly storefront: Storefront
  readonly cart: ShoppingCart
  readonly calculated: () => Promise<CartCalculation>
}

export const cartResolvers = {
  Storefront: {
    cart: (storefront, { token }, context) => cartIn(context, storefront, token),
  },
  Mutation: {
    createStorefrontCart: async (_, { input: { store, accountToken, ...input } }, context) => {
      await context.limitCarts(context.caller.address)
      const storefront = await shopAt(context, store)
      if (!storefront) return notFoundError('shop', store)
      const token = newCartToken()
      return inShop(
        storefront,
        await context.writeTo(storefront.store.id, 'createStorefrontCart', {}, (unit) => createCart(unit, token, input)),
        accountToken,
      )
    },
    updateStorefrontCart: async (_, { input: { store, token, accountToken, ...change } }, context) => {
      const storefront = await shopAt(context, store)
      if (!storefront || cartTokenHash(token) === null) return notFoundError('cart', token)
      const codes = Math.min(change.addGiftCardCodes?.length ?? 0, MAX_CART_GIFT_CARDS)
      if (codes > 0)
        await context.limitGiftCardCodes(context.caller.address, { scope: String(storefront.store.id), count: codes })
      return inShop(
        storefront,
        await context.writeTo(storefront.store.id, 'updateStorefrontCart', {}, (unit) => updateCart(unit, token, change)),
        accountToken,
      )
    },
    recoverStorefrontCart: async (_, { store, secret }, context) => {
      await context.limitCarts(context.caller.address)
      const storefront = await shopAt(context, store)
      if (!storefront) return notFoundError('shop', store)
      const token = newCartToken()
      return inShop(
        storefront,
        await context.writeTo(storefront.store.id, 'recoverStorefrontCart', {}, (unit) => recoverCart(unit, token, secret)),
      )
    },
  },
  CreateStorefrontCartSuccess: { cart: (written, _, context) => currentCart(context, written) },
  UpdateStorefrontCartSuccess: { cart: (written, _, context) => currentCart(context, written) },
  RecoverStorefrontCartSuccess: { cart: (written, _, context) => currentCart(context, written) },
  StorefrontCart: {
    currency: ({ storefront, cart }) => cart.contents.currency ?? storefront.store.currency,
    lines: ({ storefront, cart, calculated }) => cart.contents.lines.map((line) => ({ storefront, line, calculated })),
    note: ({ cart }) => cart.contents.note,
    attributes: ({ cart }) => [...cart.contents.attributes],
    couponCodes: ({ cart }) => [...cart.contents.couponCodes],
    email: ({ cart }) => cart.contents.email,
    phone: ({ cart }) => cart.contents.phone,
    shippingAddress: ({ cart }) => shownAddress(cart.contents.shippingAddress),
    billingAddress: ({ cart }) => shownAddress(cart.contents.billingAddress),
    shippingMethodId: ({ cart }) => idOf('ShippingMethod', cart.contents.shippingMethodId),
    shippingServiceCode: ({ cart }) => cart.contents.shippingServiceCode,
    pickupLocationId: ({ cart }) => idOf('Location', cart.contents.pickupLocationId),
    paymentMethodId: ({ cart }) => idOf('PaymentMethod', cart.contents.paymentMethodId),
    totals: async ({ calculated }) => (await calculated()).totals,
    problems: async ({ cart, calculated }) => (cart.status === 'OPEN' ? [...(await calculated()).problems] : []),
    shippingRates: (of, _, context) => ratesOf(context, of),
    order: ({ cart }, _, { shops }) => (cart.orderId === null ? null : shops.orderById(cart.storeId, cart.orderId)),
    updatedAt: ({ cart }) => cart.updatedAt,
  },
  StorefrontCartLine: {
    id: ({ line }) => line.id,
    product: async ({ storefront, line }) => {
      const product = await storefront.load.productById.load(line.productId)
      return product && product.status !== 'DISABLED' ? { storefront, product } : null
    },
    variantId: ({ line }) => idOf('ProductVariant', line.variantId),
    name: async (of) => (await lineTotals(of))?.name ?? null,
    quantity: ({ line }) => line.quantity,
    total: async (of) => (await lineTotals(of))?.total ?? null,
  },
  StorefrontCartTotals: {
    shippingTotal: ({ shipping, shippingTax, shippingDiscount }) =>
      textOf(amountOf(shipping) + amountOf(shippingTax) - amountOf(shippingDiscount)),
    promotions: ({ promotions }) => promotions.map(({ name }) => name),
  },
} satisfies Resolvers

/** The shop with this code, in its default language; null when there is none. */
export async function shopAt(context: Context, code: string): Promise<Storefront | null> {
  const storeId = isStoreCode(code) ? await context.storefronts.storeWithCode(code) : null
  return storeId === null ? null : storefrontOf(context, storeId)
}

/** The cart that a token opens; null when there is none. */
export async function cartIn(context: Context, storefront: Storefront, token: string): Promise<StorefrontCart | null> {
  const hash = cartTokenHash(token)
  const cart = hash === null ? null : await context.carts.byToken(storefront.store.id, hash)
  if (!cart) return null
  const currency = cart.contents.currency ?? storefront.store.currency
  // One whose currency the shop has no longer shows its products in that of the store.
  const others = await storefront.load.storeCurrencies()
  const chosen = currencyIn(storefront.store.currency, others, currency)
  const shown = 'problem' in chosen ? ownCurrency(storefront.store.currency) : chosen
  let calculation: Promise<CartCalculation> | null = null
  const calculated = () => (calculation ??= calculateCartOf(context, storefront.store.id, cart.contents, storefront.shopper))
  return {
    storefront: shown.code === storefront.currency.code ? storefront : withCurrency(context, storefront, shown),
    cart,
    calculated,
  }
}

/** A result with its shop, and the session at whose prices its cart is shown; absent: everybody's. */
const inShop = <Result extends { readonly __typename: string }>(
  { store }: Storefront,
  result: Result,
  accountToken?: string | null,
) => ({ ...result, storeId: store.id, accountToken: accountToken ?? null })

/** The cart of a result, as it is now; at the prices of everybody where the session has ended. */
export async function currentCart(
  context: Context,
  { storeId, token, accountToken }: { readonly storeId: number; readonly token: string; readonly accountToken: string | null },
) {
  const storefront = await present(storefrontOf(context, storeId), 'shop')
  return present(cartIn(context, (await forAccount(context, storefront, accountToken)) ?? storefront, token), 'cart')
}

const idOf = (type: string, row: number | null): string | null => (row === null ? null : encodeId(type, String(row)))

/** An address as its shopper sees it; null for none. */
export function shownAddress(input: ShoppingCart['contents']['shippingAddress']) {
  if (input === null) return null
  const { name, surname, taxid, address, complement, city, postal, municipality, region, countryCode } = addressIn(input)
  return { name, surname, taxid, address, complement, city, postal, municipality, region, country: countryCode }
}

async function lineTotals({
  line,
  calculated,
}: {
  readonly line: { readonly id: string }
  readonly calculated: StorefrontCart['calculated']
}) {
  const { lines, totals } = await calculated()
  return totals?.lines[lines.findIndex(({ id }) => id === line.id)]
}

async function ratesOf(context: Context, { storefront, cart, calculated }: StorefrontCart) {
  const { contents } = cart
  const { lines } = await calculated()
  if (contents.shippingAddress === null || lines.length === 0) return []
  const scope = { query: context.database, storeId: storefront.store.id, now: context.now() }
  const input = orderInputOf({ ...contents, shippingMethodId: null, pickupLocationId: null, paymentMethodId: null }, lines, {
    status: 'PENDING_PAYMENT',
    fields: [],
    shopper: storefront.shopper,
  })
  const prepared = await prepareOrder(scope, input)
  if ('failure' in prepared) return []
  const quotes = await shippingQuotes(context, storefront.store, {
    lines: prepared.lines.map(({ price, quantity, weight, requiresShipping, name, sku }) => ({
      price: amountOf(price),
      quantity,
      weight: amountOf(weight),
      requiresShipping,
      name,
      sku,
    })),
    destination: prepared.cart.shippingDestination,
    city: prepared.terms.shippingAddress?.city ?? null,
    distance: null,
    currency: prepared.currency,
  })
  return quotes.map(({ shippingMethod, serviceCode, name, description, price }) => ({
    shippingMethodId: encodeId('ShippingMethod', String(shippingMethod)),
    serviceCode,
    name,
    description,
    price: textOf(price),
  }))
}
