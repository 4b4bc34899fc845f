import { ConsoleOrderDocument, type ConsoleOrderQuery, type ShipmentStatus } from '#generated/operations.ts'
import { momentOf, money, whole } from '../frame/figures.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { FULFILLMENT, ORDERS, orderChip } from './orders.ts'
import { consolePage } from './page.ts'
import { PRODUCTS } from './products.ts'

type Order = NonNullable<ConsoleOrderQuery['order']>

export const order = consolePage({
  path: `${ORDERS}/{number}`,
  label: 'Order',
  operations: [ConsoleOrderDocument],
  async body({ path, run, site }) {
    if (!/^\d{1,10}$/.test(path.number)) return null
    const answer = await run(ConsoleOrderDocument, { number: path.number })
    const found = foundIn(dataOf(answer).order, answer)
    if (found === null) return null
    return html`<p class="trail"><a href="${site.at(ORDERS)}">Orders</a></p>
<h1>${found.status === 'ABANDONED' ? 'Cart' : 'Order'} ${found.number}</h1>
${lines(found, site)}
<div class="halves">
<section aria-labelledby="facts"><h2 id="facts">Status</h2><dl class="facts-list">${facts(found).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>
<section aria-labelledby="customer"><h2 id="customer">Customer</h2>${customer(found)}</section>
</div>`
  },
})

const SHIPMENT: Readonly<Record<ShipmentStatus, string>> = {
  UNFULFILLED: 'not sent',
  REQUESTED: 'carrier pickup requested',
  IN_TRANSIT: 'in transit',
  DELIVERED: 'delivered',
  FAILED: 'delivery failed',
  PICKUP_AVAILABLE: 'ready for pickup',
}

const isZero = (amount: string): boolean => Number(amount) === 0

function lines(found: Order, site: Site): Html {
  const { currency } = found
  const sums: readonly (readonly [name: string, amount: string, sign: string])[] = [
    ['Goods', found.subtotal, ''],
    ['Tax', found.tax, ''],
    ['Discount', found.discount, '−'],
    ['Shipping', found.shipping, ''],
    ['Tax on shipping', found.shippingTax, ''],
    ['Discount on shipping', found.shippingDiscount, '−'],
    ['Gift cards', found.giftCardsDiscount, '−'],
  ]
  return html`<div class="wide" tabindex="0" role="region" aria-label="Order lines"><table>
<thead><tr><th scope="col">Product</th><th scope="col">SKU</th><th scope="col" class="number">Quantity</th><th scope="col" class="number">Price</th><th scope="col" class="number">Total</th></tr></thead>
<tbody>${found.lines.map(
    ({ name, sku, quantity, price, total, product }) =>
      html`<tr><th scope="row">${product ? html`<a href="${site.at(`${PRODUCTS}/${product.number}`)}">${name}</a>` : name}</th><td>${sku}</td><td class="number">${whole(quantity)}</td><td class="number">${money(price, currency)}</td><td class="number">${money(total, currency)}</td></tr>`,
  )}</tbody>
<tfoot>${sums
    .filter(([name, amount]) => name === 'Goods' || !isZero(amount))
    .map(
      ([name, amount, sign]) =>
        html`<tr><th scope="row" colspan="4">${name}</th><td class="number">${sign}${money(amount, currency)}</td></tr>`,
    )}
<tr><th scope="row" colspan="4">Total</th><td class="number"><strong>${money(found.total, currency)}</strong></td></tr>
${!isZero(found.refunded) && html`<tr><th scope="row" colspan="4">Refunded</th><td class="number">${money(found.refunded, currency)}</td></tr>`}</tfoot></table></div>
<p class="quiet">Totals of lines are with taxes and after discounts.</p>`
}

const facts = (found: Order): readonly (readonly [name: string, value: Content])[] => [
  ['Status', orderChip(found.status)],
  ['Delivery', `${FULFILLMENT[found.fulfillmentStatus]}, ${SHIPMENT[found.shipmentStatus]}`],
  ['Parcel', [found.trackingCompany, found.trackingNumber].filter((each) => each).join(' ') || 'no tracking number'],
  ['Shipping', found.shippingMethodName ?? 'no method chosen'],
  ['Payment', found.paymentMethodName ?? 'no method chosen'],
  ['Created', moment(found.createdAt)],
  ['Ordered', found.completedAt === null ? 'not yet' : moment(found.completedAt)],
  ['Page of the customer', pageLink(found.checkoutUrl ?? found.recoveryUrl)],
  ['Note', found.additionalInformation ?? 'none'],
]

const pageLink = (url: string | null): Content =>
  url === null ? 'none: nothing is due' : html`<a href="${pathIn(url)}">open</a>`

const moment = (time: string): Html => html`<time datetime="${time}">${momentOf(time)}</time>`

function customer({ customer: who, shippingAddress: to }: Order): Html {
  const address = to && [
    [to.name, to.surname],
    [to.address, to.complement],
    [to.postal, to.city],
    [to.region, to.country],
  ]
  const rows = address?.map((words) => words.filter((word) => word).join(' ')).filter((row) => row !== '') ?? []
  return html`${
    who === null
      ? html`<p>A guest.</p>`
      : html`<dl class="facts-list"><dt>Name</dt><dd>${who.fullname ?? 'unknown'}</dd><dt>E-mail</dt><dd>${who.email ?? 'unknown'}</dd><dt>Phone</dt><dd>${who.phone ?? 'unknown'}</dd></dl>`
  }
<h3>Ships to</h3>${rows.length === 0 ? html`<p>No address yet.</p>` : html`<address>${rows.map((row) => html`${row}<br>`)}</address>`}`
}
