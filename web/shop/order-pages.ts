import { type OrderStatus, type ShipmentStatus, ShopOrderPageDocument, type ShopOrderPageQuery } from '#generated/operations.ts'
import { fieldProblem, invalidField, NO_PROBLEMS } from '../frame/fields.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'
import { dataOf, foundIn, page, type RunPageOperation, type WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import type { RefusedForm } from './cart-page.ts'
import { frameOf, linksOf } from './frame.ts'

type Order = NonNullable<ShopOrderPageQuery['shopOrder']>

/**
 * What links of an order lead to: `/recover` that of a cart, `/checkout` that of an order as well.
 * Both show how it is now, also when it has gone on since.
 */
export const shopOrderPages = [
  page({
    on: '/shops/{code}/orders/{secret}/{step}',
    operations: [ShopOrderPageDocument],
    isSecret: true,
    answer: async ({ path: { code, secret, step }, run, site }) =>
      STEPS.includes(step) ? orderPage(code, secret, { run, site }) : null,
  }),
  page({
    on: '/shops/{code}/orders/{secret}',
    operations: [ShopOrderPageDocument],
    isSecret: true,
    answer: ({ path: { code, secret }, run, site }) => orderPage(code, secret, { run, site }),
  }),
]

/** What was wrong with a review of a product. */
export type RefusedReview = RefusedForm & { readonly productId: string }

/** The page of an order; with a review that was refused, beside its product. */
export async function orderPage(
  code: string,
  secret: string,
  { run, site, refused = null }: { readonly run: RunPageOperation; readonly site: Site; readonly refused?: RefusedReview | null },
): Promise<WebPage | null> {
  const answer = await run(ShopOrderPageDocument, { code, secret })
  const { storefront, shopOrder } = dataOf(answer)
  const order = foundIn(shopOrder, answer)
  if (order === null || storefront === null) return null
  const links = linksOf(storefront, null, site)
  return {
    title: titleOf(order),
    description: `${titleOf(order)} at ${order.shop.name}.`,
    frame: frameOf(storefront, links),
    ...(refused && { status: 422 }),
    body: html`${bodyOf(order, { recover: links.to(`/orders/${secret}/recover`), pay: links.to(`/orders/${secret}/pay`) }, site)}
${order.status === 'PAID' && reviewForms(order, links.to(`/orders/${secret}/review`), refused)}`,
  }
}

const STEPS: readonly string[] = ['recover', 'checkout']

const titleOf = ({ status, number }: Order): string => (status === 'ABANDONED' ? 'Your cart' : `Your order ${number}`)

/** How far it has come, for who buys. */
const SAID: Readonly<Record<OrderStatus, string>> = {
  ABANDONED: 'This cart has not been ordered yet.',
  CANCELED: 'This order was canceled.',
  PENDING_PAYMENT: 'Payment of this order is pending.',
  PAID: 'This order is paid.',
}
const GOODS: Readonly<Record<ShipmentStatus, string>> = {
  UNFULFILLED: 'at the shop',
  REQUESTED: 'carrier pickup requested',
  IN_TRANSIT: 'in transit',
  DELIVERED: 'delivered',
  FAILED: 'delivery failed',
  PICKUP_AVAILABLE: 'ready for pickup',
}

const RATINGS = { 5: 'Very good', 4: 'Good', 3: 'Fair', 2: 'Poor', 1: 'Very poor' } as const

/** A form for each product of a paid order that was not reviewed. */
function reviewForms({ lines }: Order, action: string, refused: RefusedReview | null): Html | false {
  const products = new Map(lines.flatMap((line) => (line.productId === null ? [] : [[line.productId, line] as const])))
  const open = [...products.values()].filter(({ isReviewed }) => !isReviewed)
  const isThanked = [...products.values()].some(({ isReviewed }) => isReviewed)
  return (
    products.size > 0 &&
    html`<section class="narrow" aria-labelledby="reviews"><h2 id="reviews">Reviews</h2>
${isThanked && html`<p class="alert" role="status">Thank you for your review. The shop reads it before others see it.</p>`}
${open.map(({ name, productId }, index) => {
  const own = refused?.productId === productId ? refused : null
  const problems = own?.problems ?? NO_PROBLEMS
  const [rating, text] = [`rating-${index}`, `text-${index}`]
  const rated = own?.typed('rating')
  return html`<details${own !== null && html` open`}><summary>Review ${name}</summary>
<form method="post" action="${action}" class="stacked"><input type="hidden" name="product" value="${productId}">
<div><label for="${rating}">Rating</label><select id="${rating}" name="rating" required${invalidField(rating, problems.rating)}><option value=""></option>${Object.entries(
    RATINGS,
  )
    .reverse()
    .map(
      ([value, label]) => html`<option value="${value}"${value === rated && html` selected`}>${value} of 5: ${label}</option>`,
    )}</select>${fieldProblem(rating, problems.rating)}</div>
<div><label for="${text}">Review <span class="quiet">(optional)</span></label><textarea id="${text}" name="text" rows="4" maxlength="5000"${invalidField(text, problems.text)}>${own?.typed('text') ?? ''}</textarea>${fieldProblem(text, problems.text)}</div>
<p class="actions"><button>Send review</button></p></form></details>`
})}</section>`
  )
}

/** What is left to do for who buys. */
const payment = (order: Order, payAddress: string): Html | false =>
  order.status === 'PAID' ? balance(order, payAddress) : unpaid(order, payAddress)

/** What a change of a paid order made due. */
const balance = ({ payment, balanceDue, currency }: Order, payAddress: string): Html | false =>
  Number(balanceDue) > 0 &&
  html`<div class="alert"><p>The order was changed after it was paid: ${money(balanceDue, currency)} are due.</p></div>
${payment?.redirectUrl != null && URL.canParse(payment.redirectUrl) && html`<p class="alert">${externalLink(payment.redirectUrl, html`Pay now at ${new URL(payment.redirectUrl).host}`)}</p>`}
${payment?.status === 'PENDING' && html`<p class="alert">The payment is being confirmed. Reload this page in a moment.</p>`}
${(payment?.status === 'AUTHORIZED' || payment?.status === 'FAILED') && html`<form method="post" action="${payAddress}"><p class="actions"><button>Pay ${money(balanceDue, currency)}</button></p></form>`}`

const unpaid = ({ status, payment, paymentInstructions }: Order, payAddress: string): Html | false =>
  status === 'PENDING_PAYMENT' &&
  html`${payment?.redirectUrl != null && URL.canParse(payment.redirectUrl) && html`<p class="alert">${externalLink(payment.redirectUrl, html`Pay now at ${new URL(payment.redirectUrl).host}`)}</p>`}
${
  payment?.status === 'FAILED' &&
  html`<div class="alert tone-bad"><p>The payment was refused. Pay again, such as with another card, or order again with another payment method.</p></div>
<form method="post" action="${payAddress}"><p class="actions"><button>Pay again</button></p></form>`
}
${payment?.status === 'PENDING' && html`<p class="alert">The payment is being confirmed. Reload this page in a moment.</p>`}
${paymentInstructions !== null && html`<p class="alert"><strong>How you pay:</strong> ${paymentInstructions}</p>`}`

const bodyOf = (
  order: Order,
  addresses: { readonly recover: string; readonly pay: string },
  site: Site,
): Html => html`<div class="narrow order"><h1>${titleOf(order)}</h1>
<p class="lead">${SAID[order.status]}</p>
${payment(order, addresses.pay)}
${order.status === 'ABANDONED' && html`<form method="post" action="${addresses.recover}"><p class="actions"><button>Put it into my cart again</button></p></form>`}
<dl class="facts-list"><dt>Shop</dt><dd><a href="${site.at(`/shops/${order.shop.code}`)}">${order.shop.name}</a></dd>
<dt>Since</dt><dd><time datetime="${order.createdAt}">${dayOf(order.createdAt)}</time></dd>
${order.status !== 'ABANDONED' && html`<dt>Goods</dt><dd>${GOODS[order.shipmentStatus]}</dd>`}
${order.trackingNumber !== null && html`<dt>Parcel</dt><dd>${[order.trackingCompany, order.trackingNumber].filter((each) => each).join(' ')}</dd>`}</dl>
${order.trackingUrl !== null && html`<p>${externalLink(order.trackingUrl, 'Track the parcel')}</p>`}
<div class="wide" tabindex="0" role="region" aria-label="Order lines"><table>
<caption>${counted(order.lines.length, 'item')}</caption>
<thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col">Total</th></tr></thead>
<tbody>${order.lines.map((line) => html`<tr><th scope="row">${line.name}</th><td>${line.quantity}</td><td>${money(line.total, order.currency)}</td></tr>`)}</tbody>
<tfoot><tr><th scope="row" colspan="2">Shipping</th><td>${money(order.shippingTotal, order.currency)}</td></tr>
${Number(order.giftCardsDiscount) > 0 && html`<tr><th scope="row" colspan="2">Gift cards</th><td>−${money(order.giftCardsDiscount, order.currency)}</td></tr>`}
<tr><th scope="row" colspan="2">Total</th><td><strong>${money(order.total, order.currency)}</strong></td></tr></tfoot></table></div>
<p class="quiet">Everybody with this link can see this page: keep it to look at the order again. To change the order, contact the shop.</p></div>`
