import { type OrderStatus, type ShipmentStatus, ShopOrderPageDocument, type ShopOrderPageQuery } from '#generated/operations.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'
import { dataOf, foundIn, page, type RunPageOperation, type WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
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
      STEPS.includes(step) ? orderPage(code, secret, run, site) : null,
  }),
  page({
    on: '/shops/{code}/orders/{secret}',
    operations: [ShopOrderPageDocument],
    isSecret: true,
    answer: ({ path: { code, secret }, run, site }) => orderPage(code, secret, run, site),
  }),
]

async function orderPage(code: string, secret: string, run: RunPageOperation, site: Site): Promise<WebPage | null> {
  const answer = await run(ShopOrderPageDocument, { code, secret })
  const { storefront, shopOrder } = dataOf(answer)
  const order = foundIn(shopOrder, answer)
  if (order === null || storefront === null) return null
  const links = linksOf(storefront, null, site)
  return {
    title: titleOf(order),
    description: `${titleOf(order)} at ${order.shop.name}.`,
    frame: frameOf(storefront, links),
    body: bodyOf(order, links.to(`/orders/${secret}/recover`), site),
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

/** What is left to do for who buys. */
const payment = ({ status, payment, paymentInstructions }: Order): Html | false =>
  status === 'PENDING_PAYMENT' &&
  html`${payment?.redirectUrl != null && URL.canParse(payment.redirectUrl) && html`<p class="alert">${externalLink(payment.redirectUrl, html`Pay now at ${new URL(payment.redirectUrl).host}`)}</p>`}
${payment?.status === 'FAILED' && html`<p class="alert tone-bad">The payment was refused. Order again with another payment method.</p>`}
${payment?.status === 'PENDING' && html`<p class="alert">The payment is being confirmed. Reload this page in a moment.</p>`}
${paymentInstructions !== null && html`<p class="alert"><strong>How you pay:</strong> ${paymentInstructions}</p>`}`

const bodyOf = (
  order: Order,
  recoverAddress: string,
  site: Site,
): Html => html`<div class="narrow order"><h1>${titleOf(order)}</h1>
<p class="lead">${SAID[order.status]}</p>
${payment(order)}
${order.status === 'ABANDONED' && html`<form method="post" action="${recoverAddress}"><p class="actions"><button>Put it into my cart again</button></p></form>`}
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
