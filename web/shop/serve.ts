import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ShopRecoverCartDocument, ShopRetryPaymentDocument, ShopReviewDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { textProblems } from '../frame/fields.ts'
import { acceptForms, fieldOf, isSameOrigin } from '../frame/form.ts'
import { dataOf, OperationFailed } from '../frame/page.ts'
import { refused, unacceptable, unavailable } from '../frame/refusals.ts'
import { type CreateNotFoundPage, pathOf, pathWithoutQuery } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { createAccountChanges } from './account-changes.ts'
import { ACCOUNT_DOCUMENTS, createAccountForms } from './account-forms.ts'
import { ACCOUNT_ORDER_DOCUMENTS, createAccountOrderForms } from './account-order-forms.ts'
import { accountCookieOf, cartCookieOf } from './cart-cookie.ts'
import { CART_DOCUMENTS, createCartForms } from './cart-forms.ts'
import { CHECKOUT_DOCUMENTS, createCheckoutForms } from './checkout-forms.ts'
import { CURRENCY_DOCUMENTS, createCurrencyForm } from './currency-form.ts'
import { orderPage } from './order-pages.ts'
import { type CartVisit, foreignForm, shopResponder } from './visit.ts'

/** A note of the longest length in the widest encoding, and two addresses. */
const MAX_FORM_BYTES = 40_000

/** What the graph takes of a review. */
const MAX_REVIEW_LENGTH = 5_000

const DOCUMENTS = [
  ...ACCOUNT_DOCUMENTS,
  ...ACCOUNT_ORDER_DOCUMENTS,
  ...CART_DOCUMENTS,
  ...CHECKOUT_DOCUMENTS,
  ...CURRENCY_DOCUMENTS,
  ShopRecoverCartDocument,
  ShopRetryPaymentDocument,
  ShopReviewDocument,
]

type Handle = (visit: CartVisit) => Promise<FastifyReply | null>

/**
 * Serves what depends on the visitor of a shop: cart and checkout. They work without a script.
 * Nobody keeps these pages, and forms are taken from pages of ours only: a browser says where a form
 * comes from, and forms about a cart hold a token that is made of its secret.
 */
export async function serveShops(
  app: FastifyInstance,
  client: GatewayClient,
  { site, lost }: { readonly site: Site; readonly lost: CreateNotFoundPage },
): Promise<void> {
  for (const document of DOCUMENTS) await client.prepare(document)
  const responder = shopResponder(client, site, cartCookieOf(site))
  const { visitOf, show, redirect, cookie } = responder
  const { showCart, addToCart, changeCart } = createCartForms(responder)
  const shopper = accountCookieOf(site)
  const { showCheckout, sendAddress, sendDelivery, sendOrder } = createCheckoutForms(responder, shopper)

  await app.register(async (scope) => {
    compressResponses(scope)
    acceptForms(scope, MAX_FORM_BYTES)
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof ServiceOverloadedError) return show(reply, unavailable(503))
      if (error instanceof OperationFailed) return show(reply, refused(error.errors, site, pathWithoutQuery(request)))
      // Fastify's errors have a `statusCode`.
      const { statusCode = 500 } = error as { readonly statusCode?: number }
      if (statusCode < 500) return show(reply, unacceptable(statusCode))
      request.log.error({ err: error }, 'a page of a shop failed')
      return show(reply, unavailable(500))
    })
    const read = (path: string, handle: Handle, isSecret = false) =>
      scope.get(`/shops/:code${path}`, { config: { hasSecretPath: isSecret } }, handled(handle))
    const send = (path: string, handle: Handle, isSecret = false) =>
      scope.post(`/shops/:code${path}`, { config: { hasSecretPath: isSecret } }, handled(ofOurs(handle)))
    read('/cart', showCart)
    read('/checkout', showCheckout)
    serveAccount(
      {
        ...createAccountForms(responder, shopper),
        ...createAccountChanges(responder, shopper),
        ...createAccountOrderForms(responder, shopper),
      },
      { read, send },
    )
    send('/cart', changeCart)
    send('/currency', createCurrencyForm(responder))
    send('/cart/add', addToCart)
    send('/checkout/address', sendAddress)
    send('/checkout/delivery', sendDelivery)
    send('/checkout/order', sendOrder)
    send('/orders/:secret/recover', recoverCart, true)
    send('/orders/:secret/review', sendReview, true)
    send('/orders/:secret/pay', payAgain, true)
  })

  function handled(handle: Handle) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const visit = visitOf(request, reply)
      // A reply is a promise of undefined, once it is sent: only null is a page that there is not.
      return (await handle(visit)) === null ? show(reply, await lost(pathOf(request), visit.run)) : reply
    }
  }

  function ofOurs(handle: Handle): Handle {
    return async (visit) => (isSameOrigin(visit.request) ? handle(visit) : show(visit.reply, foreignForm))
  }

  /** A review of a product of an order, by who has the link of the order. */
  async function sendReview({ request, reply, code, run }: CartVisit): Promise<FastifyReply | null> {
    // Parameters of a path are texts.
    const { secret = '' } = request.params as Readonly<Record<string, string>>
    const typed = (name: string) => fieldOf(request, name)
    const rating = /^[1-5]$/.test(typed('rating')) ? Number(typed('rating')) : null
    const problems: Record<string, string> = {
      ...(rating === null && { rating: 'Choose a rating.' }),
      ...textProblems({ text: typed('text') }, {}, MAX_REVIEW_LENGTH),
    }
    if (rating !== null && Object.keys(problems).length === 0) {
      const input = { store: code, secret, productId: typed('product'), rating, text: typed('text') || null }
      const { written } = dataOf(await run(ShopReviewDocument, { input }))
      if (written.__typename === 'NotFoundError') return null
      if (written.__typename === 'ValidationError') problems.text = written.errors[0]?.message ?? ''
      else return redirect(reply, site.at(`/shops/${code}/orders/${secret}`))
    }
    const page = await orderPage(code, secret, { run, site, refused: { problems, typed, productId: typed('product') } })
    return page && show(reply, page)
  }

  /** Another payment after one that failed; the page of the order says what became of it. */
  async function payAgain({ request, reply, code, run }: CartVisit): Promise<FastifyReply | null> {
    // Parameters of a path are texts.
    const { secret = '' } = request.params as Readonly<Record<string, string>>
    const { written } = dataOf(await run(ShopRetryPaymentDocument, { input: { store: code, secret } }))
    return written.__typename === 'NotFoundError' ? null : redirect(reply, site.at(`/shops/${code}/orders/${secret}`))
  }

  /** The button of a recovery link: what was in the abandoned cart is in a new one. */
  async function recoverCart({ request, reply, code, run }: CartVisit): Promise<FastifyReply | null> {
    // Parameters of a path are texts.
    const { secret = '' } = request.params as Readonly<Record<string, string>>
    const { written } = dataOf(await run(ShopRecoverCartDocument, { code, secret }))
    if (written.__typename !== 'RecoverStorefrontCartSuccess') return show(reply, foreignForm)
    cookie.keep(reply, code, written.token)
    return redirect(reply, site.at(`/shops/${code}/cart`))
  }
}

type Serve = (path: string, handle: Handle, isSecret?: boolean) => unknown

/** Pages and forms of customer accounts. */
function serveAccount(
  account: ReturnType<typeof createAccountForms> &
    ReturnType<typeof createAccountChanges> &
    ReturnType<typeof createAccountOrderForms>,
  { read, send }: { readonly read: Serve; readonly send: Serve },
): void {
  read('/account', account.showAccount)
  read('/account/data', account.sendData)
  read('/account/orders/:number', account.showOrder)
  send('/account/orders/:number', account.sendReturn)
  read('/account/link/:link', account.showLink, true)
  send('/account/link/:link', account.sendLink, true)
  send('/account/sign-in', account.sendSignIn)
  send('/account/request', account.sendRequest)
  send('/account/sign-out', account.sendSignOut)
  send('/account/password', account.sendPassword)
  send('/account/addresses', account.sendAddresses)
  send('/account/erase', account.sendErase)
}
