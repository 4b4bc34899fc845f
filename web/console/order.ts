import { ConsoleOrderDocument } from '#generated/operations.ts'
import { chip } from '../frame/chip.ts'
import { momentOf, money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import type { ConsoleChange } from './change.ts'
import { isRestId } from './list.ts'
import { cancellation, historySection, noteChanges, noteSection } from './order-notes.ts'
import type { ConsoleOrder, OrderPage } from './order-page.ts'
import { paymentChanges, paymentsSection } from './order-payments.ts'
import { returnChanges, returnsSection } from './order-returns.ts'
import { shipmentChanges, shipmentsSection } from './order-shipments.ts'
import { FULFILLMENT, ORDERS, orderChip } from './orders.ts'
import { consolePage } from './page.ts'
import { PRODUCTS } from './products.ts'

export const order = consolePage({
  path: `${ORDERS}/{number}`,
  label: 'Order',
  operations: [ConsoleOrderDocument],
  notices: {
    paid: 'The order is paid.',
    refunded: 'The refund was recorded.',
    requested: 'The request is with the gateway. Reload the page to see its result.',
    sent: 'The order is marked as sent.',
    shipped: 'The parcel was saved.',
    unsent: 'The parcel was deleted.',
    returned: 'The return was saved.',
    entered: 'The entry was added to the history.',
    saved: 'The note was saved.',
    canceled: 'The order was canceled.',
  },
  async body({ path: { number }, run, site, visit, form }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsoleOrderDocument, { number })
    const { order: queried, locations } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    const page: OrderPage = { order: found, locations, path: `${ORDERS}/${number}`, form, visit, site }
    return html`<p class="trail"><a href="${site.at(ORDERS)}">Orders</a></p>
<div class="heading"><h1>${found.status === 'ABANDONED' ? 'Cart' : 'Order'} ${found.number}</h1>${orderChip(found.status)} ${chip(FULFILLMENT[found.fulfillmentStatus], found.fulfillmentStatus === 'FULFILLED' ? 'good' : 'none')}</div>
${found.importedFrom !== null && html`<p class="quiet">Imported from ${found.importedFrom.source}, where its number is ${found.importedFrom.name}.</p>`}
<p class="facts"><strong>${money(found.total, found.currency)}</strong> <span>created ${moment(found.createdAt)}</span> ${found.completedAt !== null && html`<span>ordered ${moment(found.completedAt)}</span>`} ${pageLink(found.checkoutUrl ?? found.recoveryUrl)}</p>
<div class="with-aside"><div>${lines(found, site)}
${historySection(page)}</div>
<div class="aside">${paymentsSection(page)}
${shipmentsSection(page)}
${returnsSection(page)}
<section aria-labelledby="customer"><h2 id="customer">Customer</h2>${customer(found, site)}</section>
${noteSection(page)}
${cancellation(page)}</div></div>`
  },
})

export const orderChanges: readonly ConsoleChange[] = [
  ...paymentChanges(order),
  ...shipmentChanges(order),
  ...returnChanges(order),
  ...noteChanges(order),
]

const isZero = (amount: string): boolean => Number(amount) === 0

function lines(found: ConsoleOrder, site: Site): Html {
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
  return html`<div class="wide" tabindex="0" role="region" aria-label="Order lines"><table class="compact">
<thead><tr><th scope="col">Product</th><th scope="col" class="number">Quantity</th><th scope="col" class="number">Price</th><th scope="col" class="number">Total</th></tr></thead>
<tbody>${found.lines.map(
    ({ name, sku, quantity, price, total, product }) =>
      html`<tr><th scope="row">${product ? html`<a href="${site.at(`${PRODUCTS}/${product.number}`)}">${name}</a>` : name}${sku && html`<br><small>${sku}</small>`}</th><td class="number">${whole(quantity)}</td><td class="number">${money(price, currency)}</td><td class="number">${money(total, currency)}</td></tr>`,
  )}</tbody>
<tfoot>${sums
    .filter(([name, amount]) => name === 'Goods' || !isZero(amount))
    .map(
      ([name, amount, sign]) =>
        html`<tr><th scope="row" colspan="3">${name}</th><td class="number">${sign}${money(amount, currency)}</td></tr>`,
    )}
<tr><th scope="row" colspan="3">Total</th><td class="number"><strong>${money(found.total, currency)}</strong></td></tr>
${!isZero(found.refunded) && html`<tr><th scope="row" colspan="3">Refunded</th><td class="number">${money(found.refunded, currency)}</td></tr>`}</tfoot></table></div>
<p class="quiet">Totals of lines are with taxes and after discounts.</p>`
}

const pageLink = (url: string | null): Html | false => url !== null && html`<a href="${pathIn(url)}">Page of the customer</a>`

const moment = (time: string): Html => html`<time datetime="${time}">${momentOf(time)}</time>`

function customer({ customer: who, shippingAddress: to, shippingMethodName }: ConsoleOrder, site: Site): Html {
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
      : html`<dl class="facts-list"><dt>Name</dt><dd>${who.customer ? html`<a href="${site.at(`/console/customers/${who.customer.number}`)}">${who.fullname ?? 'unknown'}</a>` : (who.fullname ?? 'unknown')}</dd><dt>E-mail</dt><dd>${who.email ?? 'unknown'}</dd><dt>Phone</dt><dd>${who.phone ?? 'unknown'}</dd></dl>`
  }
<h3>Ships to</h3>${shippingMethodName !== null && html`<p>${shippingMethodName}</p>`}${rows.length === 0 ? html`<p>No address yet.</p>` : html`<address>${rows.map((row) => html`${row}<br>`)}</address>`}`
}
