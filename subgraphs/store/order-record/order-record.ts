import { csvField } from '../../../platform/text/csv.ts'
import { amountOf, textOf } from '../amount.ts'
import type { Order, OrderAddress, OrderLine } from '../order/order.ts'
import type { Note, StoredOrder } from './repository.ts'

/** The columns of Shopify's order CSV, in its order. */
const COLUMNS = [
  ...['Name', 'Email', 'Financial Status', 'Paid at', 'Fulfillment Status', 'Fulfilled at', 'Accepts Marketing', 'Currency'],
  ...['Subtotal', 'Shipping', 'Taxes', 'Total', 'Discount Code', 'Discount Amount', 'Shipping Method', 'Created at'],
  ...['Lineitem quantity', 'Lineitem name', 'Lineitem price', 'Lineitem compare at price', 'Lineitem sku'],
  ...['Lineitem requires shipping', 'Lineitem taxable', 'Lineitem fulfillment status'],
  ...['Billing Name', 'Billing Street', 'Billing Address1', 'Billing Address2', 'Billing Company', 'Billing City'],
  ...['Billing Zip', 'Billing Province', 'Billing Country', 'Billing Phone'],
  ...['Shipping Name', 'Shipping Street', 'Shipping Address1', 'Shipping Address2', 'Shipping Company', 'Shipping City'],
  ...['Shipping Zip', 'Shipping Province', 'Shipping Country', 'Shipping Phone'],
  ...['Notes', 'Note Attributes', 'Cancelled at', 'Payment Method', 'Payment Reference', 'Refunded Amount', 'Vendor'],
  ...['Outstanding Balance', 'Employee', 'Location', 'Device ID', 'Id', 'Tags', 'Risk Level', 'Source', 'Lineitem discount'],
] as const
type Column = (typeof COLUMNS)[number]
type Cells = Partial<Record<Column, string | number>>

export const ORDER_CSV_HEADER = `${COLUMNS.join(',')}\r\n`

/** An order as a line of JSON. The secret of the customer's links is not in it. */
export const jsonOfOrder = ({ order: { id, token: _, ...order }, lines, notes }: StoredOrder) => ({
  number: id,
  ...order,
  lines: lines.map(({ id: number, orderId: _order, ...line }) => ({ number, ...line })),
  additionalFields: notes.map(({ label, value }) => ({ label, value })),
})

/** Rows of Shopify's CSV for an order: one for each line. */
export function csvOfOrder({ order, lines, notes, balanceDue }: StoredOrder): string {
  const shared = { Name: `#${order.id}`, Email: order.customer?.email ?? '' }
  const rows: Cells[] = lines.map((line) => ({ ...shared, ...lineCells(order, line) }))
  const [first, ...others] = rows.length > 0 ? rows : [shared]
  return [{ ...first, ...orderCells(order, notes, balanceDue) }, ...others]
    .map((row: Cells) => `${COLUMNS.map((column) => csvField(row[column] ?? '')).join(',')}\r\n`)
    .join('')
}

const lineCells = ({ shippingRequired, fulfillmentStatus }: Order, line: OrderLine): Cells => ({
  'Lineitem quantity': line.quantity,
  'Lineitem name': line.name,
  'Lineitem price': line.price,
  'Lineitem sku': line.sku ?? '',
  'Lineitem requires shipping': String(shippingRequired),
  'Lineitem taxable': String(line.taxes.length > 0),
  'Lineitem fulfillment status': fulfillmentStatus === 'FULFILLED' ? 'fulfilled' : 'pending',
  'Lineitem discount': line.discount,
})

function orderCells(order: Order, notes: readonly Note[], balanceDue: string): Cells {
  const { status, total, refunded, balanceRefunded } = order
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
    'Discount Amount': textOf(amountOf(order.discount) + amountOf(order.shippingDiscount)),
    'Shipping Method': order.shippingMethodName ?? '',
    'Created at': order.createdAt.toISOString(),
    ...addressCells('Billing', order.billingAddress, order.customer?.phone ?? null),
    ...addressCells('Shipping', order.shippingAddress, order.customer?.phone ?? null),
    Notes: order.additionalInformation ?? '',
    'Note Attributes': notes.map(({ label, value }) => `${label}: ${value ?? ''}`).join('\n'),
    'Cancelled at': status === 'CANCELED' ? order.updatedAt.toISOString() : '',
    'Payment Method': order.paymentMethodName ?? '',
    'Payment Reference': order.paymentNotificationId ?? '',
    'Refunded Amount': textOf(amountOf(refunded) + amountOf(balanceRefunded)),
    'Outstanding Balance': balanceDue,
    Id: order.id,
    Source: order.source?.createdFrom ?? '',
  }
}

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
