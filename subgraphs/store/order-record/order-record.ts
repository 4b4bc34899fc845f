import { csvField } from '../../../platform/text/csv.ts'
import { amountOf, textOf } from '../amount.ts'
import type { BillingInformation, Order, OrderAddress, OrderLine } from '../order/order.ts'
import { ORDER_CSV_COLUMNS, type OrderColumn } from './columns.ts'
import type { StoredOrder } from './repository.ts'

type Cells = Partial<Record<OrderColumn, string | number>>

export const ORDER_CSV_HEADER = `${ORDER_CSV_COLUMNS.join(',')}\r\n`

/** An order as a line of JSON. The secret of the customer's links is not in it. */
export const jsonOfOrder = ({ order: { id, token: _, ...order }, lines, notes, paid, origin }: StoredOrder) => ({
  name: origin?.name ?? nameOf(id),
  externalId: origin ? origin.externalId : String(id),
  importedFrom: origin?.source ?? null,
  number: id,
  ...order,
  paid,
  lines: lines.map(({ id: number, orderId: _order, ...line }) => ({ number, ...line })),
  additionalFields: notes.map(({ label, value }) => ({ label, value })),
})

/** What people call an order that was placed here. */
export const nameOf = (id: number): string => `#${id}`

/**
 * Rows of Shopify's CSV for an order: one for each line. An imported order has the number and id of
 * its shop; which shop that is has no column.
 */
export function csvOfOrder(stored: StoredOrder): string {
  const { order, lines, origin } = stored
  const shared = { Name: origin?.name ?? nameOf(order.id), Email: order.customer?.email ?? '' }
  const rows: Cells[] = lines.map((line) => ({ ...shared, ...lineCells(order, line) }))
  const [first, ...others] = rows.length > 0 ? rows : [shared]
  return [{ ...first, ...orderCells(stored) }, ...others]
    .map((row: Cells) => `${ORDER_CSV_COLUMNS.map((column) => csvField(row[column] ?? '')).join(',')}\r\n`)
    .join('')
}

const lineCells = ({ shippingRequired, fulfillmentStatus }: Order, line: OrderLine): Cells => ({
  'Lineitem quantity': line.quantity,
  'Lineitem name': line.name,
  'Lineitem price': line.price,
  'Lineitem sku': line.sku ?? '',
  'Lineitem requires shipping': String(shippingRequired),
  'Lineitem taxable': String(line.taxes.length > 0 || amountOf(line.tax) > 0n),
  'Lineitem fulfillment status': fulfillmentStatus === 'FULFILLED' ? 'fulfilled' : 'pending',
  'Lineitem discount': line.discount,
})

function orderCells({ order, notes, balanceDue, origin }: StoredOrder): Cells {
  const { status, total, refunded, balanceRefunded, discount, shippingDiscount, giftCardsDiscount } = order
  return {
    'Financial Status': financialStatusOf(order, balanceDue),
    'Paid at': status === 'PAID' ? (order.completedAt?.toISOString() ?? '') : '',
    'Fulfillment Status': order.fulfillmentStatus === 'FULFILLED' ? 'fulfilled' : 'unfulfilled',
    Currency: order.currency,
    Subtotal: order.subtotal,
    Shipping: order.shipping,
    Taxes: textOf(amountOf(order.tax) + amountOf(order.shippingTax)),
    Total: total,
    'Discount Code': order.coupons.join(' '),
    // With what gift cards paid: there is no column of it, and the sums add up.
    'Discount Amount': textOf(amountOf(discount) + amountOf(shippingDiscount) + amountOf(giftCardsDiscount)),
    'Shipping Method': order.shippingMethodName ?? '',
    'Created at': order.createdAt.toISOString(),
    ...addressCells('Billing', order.billingAddress, order.customer?.phone ?? null),
    'Billing Company': companyOf(order.billingInformation),
    ...addressCells('Shipping', order.shippingAddress, order.customer?.phone ?? null),
    Notes: order.additionalInformation ?? '',
    'Note Attributes': notes.map(({ label, value }) => `${label}: ${value ?? ''}`).join('\n'),
    'Cancelled at': status === 'CANCELED' ? order.updatedAt.toISOString() : '',
    'Payment Method': order.paymentMethodName ?? '',
    'Payment Reference': order.paymentNotificationId ?? '',
    'Refunded Amount': textOf(amountOf(refunded) + amountOf(balanceRefunded)),
    'Outstanding Balance': balanceDue,
    Id: origin ? (origin.externalId ?? '') : order.id,
    Source: order.source?.createdFrom ?? '',
  }
}

const companyOf = (billing: BillingInformation | null): string => billing?.companyName ?? ''

function financialStatusOf({ status, total, refunded }: Order, balanceDue: string): string {
  if (status === 'PENDING_PAYMENT') return 'pending'
  if (status === 'CANCELED') return 'voided'
  if (balanceDue !== '0') return 'partially_paid'
  if (amountOf(refunded) === 0n) return 'paid'
  return amountOf(refunded) >= amountOf(total) ? 'refunded' : 'partially_refunded'
}

const addressCells = (kind: 'Billing' | 'Shipping', address: OrderAddress | null, phone: string | null): Cells =>
  address === null
    ? {}
    : {
        [`${kind} Name`]: [address.name, address.surname].filter((name) => name !== null).join(' '),
        [`${kind} Street`]: [address.address, address.streetNumber].filter((part) => part !== null).join(' '),
        [`${kind} Address1`]: [address.address, address.streetNumber].filter((part) => part !== null).join(' '),
        [`${kind} Address2`]: address.complement ?? '',
        [`${kind} City`]: address.city ?? address.municipality ?? '',
        [`${kind} Zip`]: address.postal ?? '',
        [`${kind} Province`]: address.regionCode ?? address.region ?? '',
        [`${kind} Country`]: address.countryCode ?? address.country ?? '',
        [`${kind} Phone`]: phone ?? '',
      }
