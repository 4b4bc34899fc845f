import { z } from 'zod'
import { emailProblem, problem } from '../../toolkit/validation.ts'
import { amountOf, minorUnitOf, sumOf, textOf } from '../amount.ts'
import { countryOf, isCurrency } from '../country/country.ts'
import { urlProblem } from '../input.ts'
import { addressOf } from '../order/customer/address.ts'
import { MAX_ADDITIONAL_FIELDS, MAX_LINES, MAX_NOTE_LENGTH, MAX_UNITS } from '../order/order.ts'
import { isHolding } from '../order/status/states.ts'
import type { RowError } from '../record-file/record.ts'
import {
  decimal,
  degrees,
  flag,
  instant,
  list,
  parseRecord,
  strictObject,
  text,
  whole,
  word,
} from '../record-file/record-schema.ts'
import {
  EARLIEST_ORDER,
  type ImportedOrder,
  MAX_IMPORTED_COUPONS,
  MAX_LINE_NAME_LENGTH,
  MAX_ORDER_NAME_LENGTH,
  MAX_SOURCE_LENGTH,
} from './imported-order.ts'

const short = () => text(200).nullable().default(null)
/** Ids, versions and rates of the store that wrote the file: of no use in another one. */
const ignored = () => z.unknown().optional()

const PLACE = {
  ...{ name: short(), surname: short(), taxid: short(), address: short(), streetNumber: short(), complement: short() },
  ...{ city: short(), postal: short(), neighbourhood: short(), municipality: short(), region: short(), regionCode: short() },
  ...{ country: short(), countryCode: short(), pickupPlaceName: short() },
  ...{ latitude: degrees(90).nullable().default(null), longitude: degrees(180).nullable().default(null) },
}
/** The number of a house is a decimal where buyers give it; locations have texts. */
const ADDRESS = strictObject({ ...PLACE, streetNumber: decimal().nullable().default(null) }).nullable()

const TAX = strictObject({
  ...{ number: whole(), name: text(200), country: short(), region: short(), rate: decimal(), fixed: flag() },
  ...{ includedInPrice: flag(), amount: decimal() },
})

const LINE = strictObject({
  ...{ number: ignored(), productNumber: ignored(), variantNumber: ignored(), imageKey: ignored(), addedAt: ignored() },
  ...{ sku: short(), name: text(MAX_LINE_NAME_LENGTH), quantity: whole(), price: decimal(), discount: decimal() },
  ...{ weight: decimal(), subtotal: decimal(), tax: decimal(), total: decimal(), taxes: list(TAX, 100) },
})

const SOURCE = strictObject({
  ...{ createdFrom: short(), createdFromAppCode: short(), sourceName: short(), medium: short(), campaign: short() },
  ...{ referralUrl: text(2_000).nullable(), referralCode: short(), userAgent: text(2_000).nullable() },
  ...{ firstPageVisited: text(2_000).nullable(), firstPageVisitedAt: short(), referralSource: short() },
}).nullable()

/** An order in a line of JSON. */
const ORDER_SCHEMA = strictObject({
  ...{ name: text(MAX_ORDER_NAME_LENGTH), externalId: text(MAX_ORDER_NAME_LENGTH).nullable() },
  importedFrom: text(MAX_SOURCE_LENGTH).nullable().default(null),
  ...{ number: ignored(), version: ignored(), recoveredFromNumber: ignored(), shippingBranch: ignored() },
  ...{ shippingMethodNumber: ignored(), shippingServiceNumber: ignored(), pickupLocationNumber: ignored() },
  ...{ paymentMethodNumber: ignored(), currencyRate: ignored(), currencyRateBase: ignored() },
  status: word(['CANCELED', 'PENDING_PAYMENT', 'PAID']),
  fulfillmentStatus: word(['UNFULFILLED', 'FULFILLED']),
  shipmentStatus: word(['UNFULFILLED', 'REQUESTED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'PICKUP_AVAILABLE']),
  ...{ currency: text(3), locale: text(35).nullable(), subtotal: decimal(), tax: decimal(), shipping: decimal() },
  ...{ shippingTax: decimal(), discount: decimal(), shippingDiscount: decimal(), giftCardsDiscount: decimal() },
  ...{ total: decimal(), refunded: decimal(), balanceRefunded: decimal(), paid: decimal() },
  ...{ shippingRequired: flag(), shippingOption: word(['DELIVERY', 'STORE_PICKUP', 'NO_SHIPPING']) },
  ...{ sameDayDelivery: flag(), shippingMethodName: short(), paymentMethodName: short(), paymentMethodType: short() },
  ...{ paymentInformation: text(2_000).nullable(), paymentNotificationId: short() },
  ...{ externalShippingRateId: short(), externalShippingRateDescription: short() },
  additionalInformation: text(MAX_NOTE_LENGTH).nullable(),
  customer: strictObject({
    ...{ number: ignored(), email: text(254), phone: short(), phonePrefix: short(), ip: short(), fullname: short() },
  }).nullable(),
  ...{ shippingAddress: ADDRESS, billingAddress: ADDRESS, pickupAddress: strictObject(PLACE).nullable() },
  billingInformation: strictObject({ businessActivity: short(), companyName: short(), taxpayerType: short() }).nullable(),
  source: SOURCE,
  coupons: list(text(200), MAX_IMPORTED_COUPONS),
  promotions: list(strictObject({ number: whole(), name: text(200), amount: decimal() }), 100),
  shippingTaxes: list(TAX, 100),
  ...{ trackingNumber: short(), trackingCompany: short(), trackingUrl: text(2_000).nullable() },
  ...{ createdAt: instant(), completedAt: instant().nullable(), updatedAt: instant() },
  lines: list(LINE, MAX_LINES),
  additionalFields: list(strictObject({ label: text(200), value: text(2_000).nullable() }), MAX_ADDITIONAL_FIELDS),
})
type Parsed = z.infer<typeof ORDER_SCHEMA>

/** The order in a line of JSON, or what is wrong with it. */
export function orderOfJson(
  value: unknown,
  row: number,
  now: Date,
): { readonly order: ImportedOrder } | { readonly errors: readonly RowError[] } {
  const parsed = parseRecord(ORDER_SCHEMA, value, row)
  if ('errors' in parsed) return parsed
  const order = parsed.value
  const problems = [...problemsOf(order, now), ...sumProblems(order)]
  if (problems.length > 0) return { errors: problems.map(({ field, message }) => ({ row, column: field, message })) }
  const { name, externalId, status, fulfillmentStatus, shipmentStatus, customer, lines, additionalFields } = order
  return {
    order: {
      ...{
        name: name.trim(),
        externalId,
        source: order.importedFrom?.trim() ?? null,
        status,
        fulfillmentStatus,
        shipmentStatus,
        additionalFields,
      },
      terms: termsOf(order),
      customer: customer && {
        ...{ email: customer.email.trim(), phone: customer.phone, phonePrefix: customer.phonePrefix },
        ...{ ip: customer.ip, fullname: customer.fullname },
      },
      lines: lines.map(({ sku, name: title, quantity, price, discount, weight, subtotal, tax, total, taxes }) => ({
        ...{ sku, name: title, quantity, price, discount, weight, subtotal, tax, total, taxes },
        isOpen: isToBeFulfilled(order),
      })),
      ...{ paid: order.paid, refunded: order.refunded, balanceRefunded: order.balanceRefunded },
      ...{ paymentInformation: order.paymentInformation, paymentNotificationId: order.paymentNotificationId },
      ...{ trackingNumber: order.trackingNumber, trackingCompany: order.trackingCompany, trackingUrl: order.trackingUrl },
      ...{ createdAt: new Date(order.createdAt), completedAt: new Date(order.completedAt ?? order.createdAt) },
      updatedAt: new Date(order.updatedAt),
    },
  }
}

/** Units of an order that was refunded in full are not sent any more. */
const isToBeFulfilled = ({ status, fulfillmentStatus, refunded, total }: Parsed): boolean =>
  isHolding(status) && fulfillmentStatus === 'UNFULFILLED' && (amountOf(refunded) === 0n || amountOf(refunded) < amountOf(total))

const termsOf = (order: Parsed): ImportedOrder['terms'] => ({
  // Its rate was of the shop that it comes from.
  ...{ currencyRate: null, currencyRateBase: null },
  ...{ currency: order.currency, locale: order.locale, subtotal: order.subtotal, tax: order.tax, total: order.total },
  ...{ shipping: order.shipping, shippingTax: order.shippingTax, discount: order.discount },
  ...{ shippingDiscount: order.shippingDiscount, giftCardsDiscount: order.giftCardsDiscount },
  ...{ shippingRequired: order.shippingRequired, shippingOption: order.shippingOption, sameDayDelivery: order.sameDayDelivery },
  ...{ shippingMethodNumber: null, shippingServiceNumber: null, shippingMethodName: order.shippingMethodName },
  externalShippingRateId: order.externalShippingRateId,
  externalShippingRateDescription: order.externalShippingRateDescription,
  ...{ pickupLocationNumber: null, paymentMethodNumber: null, paymentMethodName: order.paymentMethodName },
  ...{ paymentMethodType: order.paymentMethodType, coupons: order.coupons, promotions: order.promotions },
  ...{ shippingTaxes: order.shippingTaxes, shippingAddress: addressOf(order.shippingAddress) },
  ...{ billingAddress: addressOf(order.billingAddress), pickupAddress: addressOf(order.pickupAddress) },
  ...{ billingInformation: order.billingInformation, source: order.source },
  additionalInformation: order.additionalInformation,
})

type Found = { readonly field: string; readonly message: string }

function problemsOf(order: Parsed, now: Date): readonly Found[] {
  const found: Found[] = []
  if (!isCurrency(order.currency)) found.push(problem('currency', 'an ISO 4217 code such as "EUR"', order.currency))
  const email = order.customer && emailProblem('customer.email', order.customer.email.trim())
  if (email) found.push(email)
  // Shoppers and apps follow it.
  const link = order.trackingUrl === null ? null : urlProblem('trackingUrl', order.trackingUrl)
  if (link) found.push(link)
  for (const field of ['billingAddress', 'shippingAddress', 'pickupAddress'] as const) {
    const code = order[field]?.countryCode ?? null
    if (code !== null && countryOf(code)?.code !== code)
      found.push(problem(`${field}.countryCode`, 'an ISO 3166-1 alpha-2 code such as "PT"', code))
  }
  for (const field of ['createdAt', 'completedAt', 'updatedAt'] as const) {
    const time = order[field]
    if (time !== null && (new Date(time) > now || new Date(time) < EARLIEST_ORDER))
      found.push(problem(field, 'a time from 1990 until now', time))
  }
  const units = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  if (units > MAX_UNITS) found.push(problem('lines', `at most ${MAX_UNITS} units together`, units))
  for (const [index, { quantity }] of order.lines.entries())
    if (quantity < 1) found.push(problem(`lines.${index}.quantity`, `1 to ${MAX_UNITS}`, quantity))
  if ((order.fulfillmentStatus === 'FULFILLED') !== (order.shipmentStatus !== 'UNFULFILLED'))
    found.push(problem('shipmentStatus', 'UNFULFILLED of an order that is, and else another', order.shipmentStatus))
  return found.slice(0, MAX_FOUND)
}

/** Problems of one order that are named: nobody reads more. */
const MAX_FOUND = 10

/** Problems of sums that do not add up. */
function sumProblems(order: Parsed): readonly Found[] {
  const amount = (
    field: 'subtotal' | 'tax' | 'shipping' | 'shippingTax' | 'discount' | 'shippingDiscount' | 'giftCardsDiscount',
  ) => amountOf(order[field])
  const found: Found[] = []
  const expect = (field: string, expected: bigint, got: string) => {
    if (expected !== amountOf(got)) found.push(problem(field, textOf(expected), got))
  }
  for (const field of ['subtotal', 'tax', 'discount'] as const)
    expect(field, sumOf(order.lines.map((line) => amountOf(line[field]))), order[field])
  for (const [index, { subtotal, tax, discount, total }] of order.lines.entries())
    expect(`lines.${index}.total`, amountOf(subtotal) + amountOf(tax) - amountOf(discount), total)
  for (const [index, { tax, taxes }] of order.lines.entries())
    expect(`lines.${index}.tax`, sumOf(taxes.map(({ amount: listed }) => amountOf(listed))), tax)
  expect('shippingTax', sumOf(order.shippingTaxes.map((tax) => amountOf(tax.amount))), order.shippingTax)
  const charged = amount('subtotal') + amount('tax') + amount('shipping') + amount('shippingTax')
  expect('total', charged - amount('discount') - amount('shippingDiscount') - amount('giftCardsDiscount'), order.total)
  const unit = minorUnitOf(order.currency)
  for (const field of ['total', 'paid', 'refunded', 'balanceRefunded'] as const)
    if (amountOf(order[field]) % unit !== 0n) found.push(problem(field, `whole steps of ${textOf(unit)}`, order[field]))
  if (amountOf(order.refunded) > amountOf(order.total)) found.push(problem('refunded', `at most ${order.total}`, order.refunded))
  if (amountOf(order.refunded) + amountOf(order.balanceRefunded) > amountOf(order.paid))
    found.push(problem('paid', 'at least what was paid back', order.paid))
  if (order.status === 'PENDING_PAYMENT' && amountOf(order.paid) !== 0n)
    found.push(problem('paid', '0 of an order that is PENDING_PAYMENT', order.paid))
  return found.slice(0, MAX_FOUND)
}
