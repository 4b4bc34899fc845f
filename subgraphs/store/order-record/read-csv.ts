import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { emailProblem, type Problem, problem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, LARGEST, lineAmount, minorUnitOf, textOf } from '../amount.ts'
import { isCurrency } from '../country/country.ts'
import { addressIn, addressOf, addressProblems } from '../order/customer/address.ts'
import { MAX_ADDITIONAL_FIELDS, MAX_LINES, MAX_NOTE_LENGTH, MAX_UNITS, type OrderTax } from '../order/order.ts'
import { isHolding } from '../order/status/states.ts'
import { type CellReader, cellReader } from '../record-file/cells.ts'
import type { CsvRow } from '../record-file/file-reader.ts'
import type { RowError } from '../record-file/record.ts'
import type { OrderColumn } from './columns.ts'
import {
  EARLIEST_ORDER,
  type ImportedLine,
  type ImportedOrder,
  MAX_IMPORTED_COUPONS,
  MAX_LINE_NAME_LENGTH,
  MAX_ORDER_NAME_LENGTH,
} from './imported-order.ts'
import { type OrderSums, orderSums, type SumFault } from './sums.ts'

/** Characters of a cell that has no bound of its own. */
const MAX_TEXT_LENGTH = 200
/** Characters of an additional field: its label and its value. */
const [MAX_LABEL_LENGTH, MAX_VALUE_LENGTH] = [200, 2_000]

/** Columns of the sums that can be wrong. */
const COLUMN_OF_SUM: Readonly<Record<SumFault['sum'], OrderColumn>> = {
  unit: 'Currency',
  lines: 'Lineitem price',
  lineDiscount: 'Lineitem discount',
  subtotal: 'Subtotal',
  shipping: 'Shipping',
  taxes: 'Taxes',
  discount: 'Discount Amount',
  total: 'Total',
}

/** Cells of rows, with their errors. */
function readerOf(row: CsvRow, now: Date) {
  const cells: CellReader<OrderColumn> = cellReader<OrderColumn>(row)
  const wrong = (column: OrderColumn, expectation: string, got: unknown) => {
    cells.errors.push({ row: row.row, column, message: problem(column, expectation, got).message })
    return null
  }
  return {
    ...cells,
    row: row.row,
    wrong,
    /** As it is, also with white space around it; null where it is blank. */
    exact(column: OrderColumn, max = MAX_TEXT_LENGTH): string | null {
      const cell = row.cells.get(column) ?? ''
      if (cell.trim() === '') return null
      return cell.length <= max ? cell : wrong(column, `at most ${max} characters`, cell)
    },
    /** Whole minor units; 0 where it is blank. */
    money(column: OrderColumn, unit: Amount): Amount {
      const amount = amountOf(cells.amount(column) ?? '0')
      if (amount % unit !== 0n) wrong(column, `whole steps of ${textOf(unit)}`, textOf(amount))
      return amount
    },
    time(column: OrderColumn): Date | null {
      const cell = cells.text(column)
      if (cell == null) return null
      const time = timeOf(cell)
      if (time === null) return wrong(column, 'a time such as 2026-11-20 09:00:00 +0100', cell)
      return time >= EARLIEST_ORDER && time <= now ? time : wrong(column, 'a time from 1990 until now', cell)
    },
  }
}
type Reader = ReturnType<typeof readerOf>

/** A time as Shopify or this store writes it; null for other texts and for days that do not exist. */
function timeOf(text: string): Date | null {
  const [, day = '', clock = '', places = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,3})? ?(Z|UTC|[+-]\d\d:?\d\d)$/.exec(text) ?? []
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return null
  const time = new Date(`${day}T${clock}${places}${zone === 'UTC' ? 'Z' : zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(time.getTime()) ? null : time
}

/** What rows of Shopify's CSV say about an order, or what is wrong in them. */
export function orderOfCsv(
  rows: readonly CsvRow[],
  now: Date,
): { readonly order: ImportedOrder } | { readonly errors: readonly RowError[] } {
  const [first] = rows
  if (!first) throw new Error('Expected an order with a row.')
  const head = readerOf(first, now)
  const currency = head.text('Currency') ?? ''
  if (!isCurrency(currency)) head.wrong('Currency', 'an ISO 4217 code such as "EUR"', currency)
  const unit = minorUnitOf(currency)
  const { lines, errors } = linesOf(rows, now, unit)
  const stated = {
    subtotal: head.text('Subtotal') == null ? null : head.money('Subtotal', unit),
    ...{ shipping: head.money('Shipping', unit), taxes: head.money('Taxes', unit) },
    ...{ discount: head.money('Discount Amount', unit), total: head.money('Total', unit) },
  }
  if (head.text('Total') == null) head.wrong('Total', 'the total of the order', '')
  const times = timesOf(head)
  const parts = { ...contactOf(head), ...textsOf(head), money: paymentsOf(head, stated.total, times.cancelledAt !== null, unit) }
  const found = [...head.errors, ...errors]
  if (found.length > 0 || parts.money === null) return { errors: found }
  const taxable = lines.map(({ isTaxable }) => isTaxable ?? stated.taxes > 0n)
  const sums = orderSums({
    ...{ ...stated, unit },
    lines: lines.map(({ amount, discount }, index) => ({ amount, discount, isTaxable: taxable[index] ?? false })),
  })
  if ('sum' in sums) {
    head.wrong(COLUMN_OF_SUM[sums.sum], sums.expectation, textOf(sums.got))
    return { errors: head.errors }
  }
  const order = { currency, ...times, ...parts, money: parts.money, total: textOf(stated.total) }
  return { order: assembled(order, { lines, taxable, sums }) }
}

type Line = {
  readonly name: string
  readonly sku: string | null
  readonly price: Amount
  readonly quantity: number
  readonly amount: Amount
  readonly discount: Amount | null
  readonly isTaxable: boolean | null
  readonly requiresShipping: boolean | null
  /** Whether the file says that its units were sent, or are in stock again. */
  readonly isDone: boolean
}

/** The lines of the rows that have one: others are continued by what is no line, such as a second payment. */
function linesOf(rows: readonly CsvRow[], now: Date, unit: Amount) {
  const errors: RowError[] = []
  const lines: Line[] = []
  for (const row of rows) {
    const cells = readerOf(row, now)
    const name = cells.exact('Lineitem name', MAX_LINE_NAME_LENGTH)
    if (name !== null) lines.push(lineOf(cells, name, unit))
    else if (cells.text('Lineitem quantity') || cells.text('Lineitem price'))
      cells.wrong('Lineitem name', `1 to ${MAX_LINE_NAME_LENGTH} characters`, '')
    errors.push(...cells.errors)
  }
  const units = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const row = rows[0]?.row ?? 0
  const wrong = (expectation: string, got: number) =>
    errors.push({ row, column: 'Lineitem quantity', message: problem('Lineitem quantity', expectation, got).message })
  if (lines.length > MAX_LINES) wrong(`of at most ${MAX_LINES} lines`, lines.length)
  if (units > MAX_UNITS) wrong(`of at most ${MAX_UNITS} units together`, units)
  return { lines, errors }
}

function lineOf(cells: Reader, name: string, unit: Amount): Line {
  const quantity = cells.whole('Lineitem quantity') ?? 0
  if (quantity < 1) cells.wrong('Lineitem quantity', `1 to ${MAX_UNITS}`, cells.text('Lineitem quantity') ?? '')
  if (cells.text('Lineitem price') == null) cells.wrong('Lineitem price', 'the price of a unit', '')
  const price = amountOf(cells.amount('Lineitem price') ?? '0')
  return {
    ...{ name, price, quantity, amount: lineAmount({ price, quantity }, unit) },
    sku: cells.exact('Lineitem sku'),
    discount: cells.text('Lineitem discount') == null ? null : cells.money('Lineitem discount', unit),
    isTaxable: cells.flag('Lineitem taxable') ?? null,
    requiresShipping: cells.flag('Lineitem requires shipping') ?? null,
    isDone: ['fulfilled', 'restocked'].includes(cells.text('Lineitem fulfillment status')?.toLowerCase() ?? ''),
  }
}

function timesOf(head: Reader) {
  const createdAt = head.time('Created at')
  if (head.text('Created at') == null) head.wrong('Created at', 'the time of the order', '')
  return { createdAt: createdAt ?? EARLIEST_ORDER, paidAt: head.time('Paid at'), cancelledAt: head.time('Cancelled at') }
}

/** Buyer and addresses. */
function contactOf(head: Reader) {
  const email = head.text('Email') ?? null
  const problems: Problem[] = []
  const emailFault = email === null ? null : emailProblem('Email', email)
  if (emailFault) problems.push(emailFault)
  const address = (kind: 'Billing' | 'Shipping') => {
    const street = head.exact(`${kind} Address1`) ?? head.exact(`${kind} Street`)
    const input = {
      ...{ name: head.exact(`${kind} Name`), address: street, complement: head.exact(`${kind} Address2`) },
      // Shopify marks codes of digits as text.
      ...{ city: head.exact(`${kind} City`), postal: head.exact(`${kind} Zip`)?.replace(/^'(?=\d)/, '') ?? null },
      ...{ region: head.exact(`${kind} Province`), country: head.exact(`${kind} Country`) },
    }
    for (const { message } of addressProblems(kind, input).filter(({ field }) => field === `${kind}.country`))
      problems.push({ field: `${kind} Country`, message: message.replace(`${kind}.country`, `${kind} Country`) })
    return addressOf(addressIn(input))
  }
  const [billingAddress, shippingAddress] = [address('Billing'), address('Shipping')]
  const phone = head.exact('Billing Phone', 50) ?? head.exact('Shipping Phone', 50)
  for (const { field, message } of problems) head.errors.push({ row: head.row, column: field, message })
  return { email, phone, billingAddress, shippingAddress, company: head.exact('Billing Company') }
}

/** What is read as it is. */
function textsOf(head: Reader) {
  const coupons = head.exact('Discount Code', 1_000)?.trim().split(/,?\s+/) ?? []
  if (coupons.length > MAX_IMPORTED_COUPONS) head.wrong('Discount Code', `at most ${MAX_IMPORTED_COUPONS} codes`, coupons.length)
  const name = head.exact('Name', MAX_ORDER_NAME_LENGTH)?.trim() ?? null
  if (head.text('Name') == null) head.wrong('Name', 'the number of an order', '')
  return {
    ...{ coupons, name: name ?? '', externalId: head.exact('Id', MAX_ORDER_NAME_LENGTH) },
    ...{ paymentMethodName: head.exact('Payment Method'), paymentNotificationId: head.exact('Payment Reference') },
    ...{ shippingMethodName: head.exact('Shipping Method'), createdFrom: head.exact('Source') },
    additionalInformation: head.exact('Notes', MAX_NOTE_LENGTH),
    additionalFields: fieldsOf(head),
    fulfillment: head.word('Fulfillment Status', FULFILLMENTS) ?? 'unfulfilled',
  }
}

/** Lines of "label: value"; a line without a label continues the value above. */
function fieldsOf(head: Reader): ImportedOrder['additionalFields'] {
  const column = 'Note Attributes'
  const text = head.exact(column, MAX_ADDITIONAL_FIELDS * (MAX_LABEL_LENGTH + MAX_VALUE_LENGTH))
  const fields: { label: string; value: string }[] = []
  for (const line of text?.split('\n') ?? []) {
    const at = line.indexOf(': ')
    const last = fields.at(-1)
    if (at > 0) fields.push({ label: line.slice(0, at), value: line.slice(at + 2) })
    else if (last) last.value += `\n${line}`
    else if (line.trim() !== '') fields.push({ label: line.trim(), value: '' })
  }
  if (fields.length > MAX_ADDITIONAL_FIELDS) head.wrong(column, `at most ${MAX_ADDITIONAL_FIELDS} fields`, fields.length)
  const long = fields.find(({ label, value }) => label.length > MAX_LABEL_LENGTH || value.length > MAX_VALUE_LENGTH)
  if (long)
    head.wrong(column, `labels of at most ${MAX_LABEL_LENGTH} characters and values of at most ${MAX_VALUE_LENGTH}`, long.label)
  return fields.map(({ label, value }) => ({ label, value: value === '' ? null : value }))
}

/** Where goods are: of `partial` the lines say which, and `restocked` ones are not sent any more. */
const FULFILLMENTS = ['fulfilled', 'unfulfilled', 'partial', 'restocked', 'scheduled', 'on_hold'] as const

/** How words of Shopify map onto the status of an order. */
const STATUSES: Readonly<Record<string, ImportedOrder['status']>> = {
  pending: 'PENDING_PAYMENT',
  authorized: 'PENDING_PAYMENT',
  unpaid: 'PENDING_PAYMENT',
  expired: 'PENDING_PAYMENT',
  paid: 'PAID',
  partially_paid: 'PAID',
  partially_refunded: 'PAID',
  refunded: 'PAID',
  voided: 'CANCELED',
}

type Money = Pick<ImportedOrder, 'status' | 'paid' | 'refunded' | 'balanceRefunded'>

/**
 * Status, payments and refunds by what the file states; null with an error. What was paid back
 * beyond the refunds of the stated status was paid because edits lowered the total.
 */
function paymentsOf(head: Reader, total: Amount, isCanceled: boolean, unit: Amount): Money | null {
  const word = head.text('Financial Status')?.toLowerCase() ?? ''
  const stated = ownValue(STATUSES, word)
  if (!stated) return head.wrong('Financial Status', `one of ${Object.keys(STATUSES).join(', ')}`, word)
  const back = head.money('Refunded Amount', unit)
  const due = head.money('Outstanding Balance', unit)
  const money = (status: Money['status'], paid: Amount, refunded: Amount): Money | null => {
    // What was paid beside what was paid back has its bound as the total.
    if (paid > LARGEST) return head.wrong('Refunded Amount', `at most ${textOf(LARGEST - (paid - back))}`, textOf(back))
    return { status, paid: textOf(paid), refunded: textOf(refunded), balanceRefunded: textOf(back - refunded) }
  }
  const within = back < total ? back : total
  if (stated !== 'PAID') {
    if (isCanceled || stated === 'CANCELED') return money('CANCELED', back, within)
    if (back > 0n) return head.wrong('Refunded Amount', `0, because the order is ${word}`, textOf(back))
    if (due > 0n && due !== total)
      return head.wrong('Outstanding Balance', `${textOf(total)}, the total, because the order is ${word}`, textOf(due))
    return money('PENDING_PAYMENT', 0n, 0n)
  }
  const status = isCanceled ? 'CANCELED' : 'PAID'
  if (word === 'partially_paid') {
    if (due > total || due === 0n) return head.wrong('Outstanding Balance', `above 0 and at most ${textOf(total)}`, textOf(due))
    const refunded = back < total - due ? back : total - due
    return money(status, total - due + back - refunded, refunded)
  }
  if (word === 'paid') {
    if (due > 0n) return head.wrong('Outstanding Balance', '0, because the order is paid', textOf(due))
    return money(status, total + back, 0n)
  }
  if (word === 'refunded') {
    if (back < total)
      return head.wrong('Refunded Amount', `at least ${textOf(total)}, the total, because the order is refunded`, textOf(back))
    return money(status, back, total)
  }
  if (back === 0n || total < unit)
    return head.wrong(
      'Refunded Amount',
      `above 0 and below ${textOf(total)}, because the order is partially_refunded`,
      textOf(back),
    )
  const refunded = back < total ? back : total - unit
  return money(status, total + back - refunded, refunded)
}

type Read = ReturnType<typeof timesOf> &
  ReturnType<typeof contactOf> &
  ReturnType<typeof textsOf> & { readonly currency: string; readonly total: string; readonly money: Money }

function assembled(
  read: Read,
  { lines, taxable, sums }: { readonly lines: readonly Line[]; readonly taxable: readonly boolean[]; readonly sums: OrderSums },
): ImportedOrder {
  const { createdAt, paidAt, cancelledAt, email, phone, billingAddress, shippingAddress, company, createdFrom } = read
  const shippingRequired = lines.length === 0 || lines.some(({ requiresShipping }) => requiresShipping !== false)
  const fulfilled =
    read.fulfillment === 'fulfilled'
      ? ({ fulfillmentStatus: 'FULFILLED', shipmentStatus: 'DELIVERED' } as const)
      : ({ fulfillmentStatus: 'UNFULFILLED', shipmentStatus: 'UNFULFILLED' } as const)
  const { status, refunded } = read.money
  const isRefunded = amountOf(refunded) > 0n && refunded === read.total
  const isOpen = isHolding(status) && !isRefunded && !['fulfilled', 'restocked'].includes(read.fulfillment)
  const completedAt = paidAt ?? createdAt
  return {
    ...{ name: read.name, externalId: read.externalId, source: null, ...fulfilled, ...read.money },
    terms: {
      ...{
        currency: read.currency,
        currencyRate: null,
        currencyRateBase: null,
        locale: null,
        total: read.total,
        ...amountsOf(sums),
      },
      ...{ shippingRequired, shippingOption: shippingRequired ? 'DELIVERY' : 'NO_SHIPPING', sameDayDelivery: false },
      ...{ shippingMethodNumber: null, shippingServiceNumber: null, shippingMethodName: read.shippingMethodName },
      ...{ externalShippingRateId: null, externalShippingRateDescription: null, pickupLocationNumber: null },
      ...{ paymentMethodNumber: null, paymentMethodName: read.paymentMethodName },
      paymentMethodType: read.paymentMethodName === null ? null : 'manual',
      ...{ coupons: read.coupons, promotions: [], shippingTaxes: shippingTaxesOf(sums) },
      ...{ shippingAddress, billingAddress, pickupAddress: null },
      billingInformation: company === null ? null : { companyName: company, businessActivity: null, taxpayerType: null },
      source: createdFrom === null ? null : { ...NO_SOURCE, createdFrom },
      additionalInformation: read.additionalInformation,
    },
    customer:
      email === null
        ? null
        : { email, phone, phonePrefix: null, ip: null, fullname: billingAddress?.name ?? shippingAddress?.name ?? email },
    lines: lines.map((line, index) =>
      importedLine(line, taxable[index] ?? false, { sums, index, isOpen: isOpen && !line.isDone }),
    ),
    additionalFields: read.additionalFields,
    paymentInformation: null,
    paymentNotificationId: read.paymentNotificationId,
    ...{ trackingNumber: null, trackingCompany: null, trackingUrl: null },
    ...{ createdAt, completedAt, updatedAt: cancelledAt ?? completedAt },
  }
}

const NO_SOURCE = {
  ...{ createdFrom: null, createdFromAppCode: null, sourceName: null, medium: null, campaign: null, referralUrl: null },
  ...{ referralCode: null, userAgent: null, firstPageVisited: null, firstPageVisitedAt: null, referralSource: null },
}

const amountsOf = (sums: OrderSums) => ({
  ...{ subtotal: textOf(sums.subtotal), tax: textOf(sums.tax), discount: textOf(sums.discount) },
  ...{ shipping: textOf(sums.shipping), shippingTax: textOf(sums.shippingTax) },
  ...{ shippingDiscount: textOf(sums.shippingDiscount), giftCardsDiscount: textOf(sums.giftCardsDiscount) },
})

/** A tax of which the file says the amount only. */
const taxOf = (amount: Amount, includedInPrice: boolean): OrderTax => ({
  ...{ number: 0, name: 'Tax', country: null, region: null, rate: '0', fixed: true, includedInPrice, amount: textOf(amount) },
})

const shippingTaxesOf = ({ shippingTax, includesTax }: OrderSums): readonly OrderTax[] =>
  shippingTax === 0n ? [] : [taxOf(shippingTax, includesTax)]

function importedLine(
  { name, sku, price, quantity }: Line,
  isTaxable: boolean,
  { sums, index, isOpen }: { readonly sums: OrderSums; readonly index: number; readonly isOpen: boolean },
): ImportedLine {
  const { subtotal, tax, discount, total } = sums.lines[index] ?? { subtotal: 0n, tax: 0n, discount: 0n, total: 0n }
  return {
    ...{ name, sku, price: textOf(price), quantity, weight: '0' },
    ...{ subtotal: textOf(subtotal), tax: textOf(tax), discount: textOf(discount), total: textOf(total) },
    taxes: isTaxable ? [taxOf(tax, sums.includesTax)] : [],
    isOpen,
  }
}
