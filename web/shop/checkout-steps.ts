import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import {
  ShopAccountCheckoutPageDocument,
  ShopAccountSessionDocument,
  ShopCheckoutPageDocument,
  ShopUpdateCartDocument,
  type ShopUpdateCartMutation,
  type UpdateStorefrontCartInput,
} from '#generated/operations.ts'
import type { FormProblems } from '../frame/fields.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import { isFormOf, type TokenCookie } from './cart-cookie.ts'
import { CHECKOUT_STEPS, type CheckoutShop, type CheckoutStep, checkoutPage, stepOf } from './checkout-page.ts'
import { linksOf } from './frame.ts'
import { shopFor } from './shop-for.ts'
import { type CartVisit, foreignForm, type ShopResponder } from './visit.ts'

/** Operations that read a checkout. */
export const CHECKOUT_PAGE_DOCUMENTS = [ShopCheckoutPageDocument, ShopAccountCheckoutPageDocument] as const

type Cart = NonNullable<CheckoutShop['cart']>
type Change = Omit<UpdateStorefrontCartInput, 'store' | 'token'>

/** A form that was sent: by whom, with what. */
export type SentForm = { readonly visit: CartVisit; readonly shop: CheckoutShop; readonly cart: Cart; readonly token: string }

/** Reads, shows and changes the cart of a checkout. Answers null for a shop that does not exist. */
export function createCheckoutSteps({ site, show, redirect }: ShopResponder, account: TokenCookie) {
  return { shopOf, showCheckout, showStep, sent, change, next, refuse, sessionOf }

  function shopOf({ code, language, cart, run, session }: CartVisit, withRates: boolean): Promise<CheckoutShop | null> {
    return shopFor(run, session, CHECKOUT_PAGE_DOCUMENTS, { code, language, token: cart ?? '', withRates })
  }

  async function showCheckout(visit: CartVisit): Promise<FastifyReply | null> {
    const { reply, cart: token, language, request } = visit
    const shop = await shopOf(visit, false)
    if (shop === null) return null
    const links = linksOf(shop, language, site)
    if (token === null || !shop.cart || shop.cart.lines.length === 0) return redirect(reply, links.to('/cart'))
    const reached = stepOf(shop.cart)
    // Fastify has parsed the query; a repeated parameter is a list, which is no step.
    const { step: wanted } = request.query as { readonly step?: unknown }
    const step =
      CHECKOUT_STEPS.find((each) => each === wanted && CHECKOUT_STEPS.indexOf(each) <= CHECKOUT_STEPS.indexOf(reached)) ?? reached
    return showStep(visit, shop, { step, token })
  }

  /** Rates may cost a request to a carrier: only the step that shows them reads them. */
  async function showStep(
    visit: CartVisit,
    shop: CheckoutShop,
    { step, token, problems = {} }: { readonly step: CheckoutStep; readonly token: string; readonly problems?: FormProblems },
  ): Promise<FastifyReply> {
    const current = step === 'delivery' ? ((await shopOf(visit, true)) ?? shop) : shop
    if (!current.cart) return show(visit.reply, foreignForm)
    const typed = Object.keys(problems).length > 0 ? (name: string) => fieldOf(visit.request, name) : null
    const links = linksOf(shop, visit.language, site)
    const accountEmail = step === 'payment' ? ((await sessionOf(visit))?.email ?? null) : null
    const view = { step, token, links, key: randomUUID(), problems, typed, accountEmail }
    return show(visit.reply, checkoutPage(current, current.cart, view))
  }

  /** The session of the visitor's account; null: none is open, so that who orders is a guest. */
  async function sessionOf({
    request,
    code,
    run,
  }: CartVisit): Promise<{ readonly token: string; readonly email: string } | null> {
    const token = account.read(request)
    if (token === null) return null
    const { storefront } = dataOf(await run(ShopAccountSessionDocument, { code, token }))
    return storefront?.customerAccount ? { token, email: storefront.customerAccount.email } : null
  }

  async function sent(visit: CartVisit, handle: (sent: SentForm) => Promise<FastifyReply>): Promise<FastifyReply | null> {
    const shop = await shopOf(visit, false)
    if (shop === null) return null
    const { cart: token, request, reply } = visit
    if (token === null || !shop.cart || !isFormOf(token, request)) return show(reply, foreignForm)
    return handle({ visit, shop, cart: shop.cart, token })
  }

  async function change({ visit: { code, run }, token }: SentForm, input: Change): Promise<ShopUpdateCartMutation['written']> {
    return dataOf(await run(ShopUpdateCartDocument, { input: { store: code, token, ...input } })).written
  }

  /** After a change: to the next step, or the same one with what is wrong. */
  async function next(
    { visit, shop, token }: SentForm,
    written: ShopUpdateCartMutation['written'],
    { step, names }: { readonly step: CheckoutStep; readonly names: (field: string) => string },
  ): Promise<FastifyReply> {
    if (written.__typename === 'UpdateStorefrontCartSuccess')
      return redirect(visit.reply, linksOf(shop, visit.language, site).to('/checkout'))
    if (written.__typename !== 'ValidationError') return show(visit.reply, foreignForm)
    const problems = Object.fromEntries(written.errors.map(({ field, message }) => [names(field), message]))
    return showStep(visit, shop, { step, token, problems })
  }

  /** The checkout as it is now, with a reason why nothing was ordered. */
  async function refuse({ visit, token }: SentForm, reason: string): Promise<FastifyReply> {
    const shop = await shopOf(visit, false)
    if (!shop?.cart) return show(visit.reply, foreignForm)
    return showStep(visit, shop, { step: stepOf(shop.cart), token, problems: { '': reason } })
  }
}
