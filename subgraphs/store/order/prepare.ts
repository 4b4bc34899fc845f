import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import type { Location } from '../location/location.ts'
import { storeRepository } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import type { Reading } from '../write.ts'
import { type AdditionalFieldInput, type WrittenField, writtenFields } from './additional-field.ts'
import { placeOf } from './address.ts'
import { type BuyerInput, type FoundBuyer, findBuyer } from './buyer.ts'
import { readCatalogue } from './catalogue-repository.ts'
import { type DraftLine, draftLines, type LineInput, rowsIn } from './draft.ts'
import { type BillingInformation, LONGEST_NOTE, type OrderTerms, type TrafficSource } from './order.ts'
import type { OrderToPrice } from './price-order.ts'
import type { QuotedShipping } from './quoted-shipping.ts'
import type { OrderStatus } from './states.ts'
import { pickupAddressOf, waysOf } from './ways.ts'

/** A new order, as a caller gives it. */
export type NewOrderInput = {
  readonly status?: OrderStatus | null | undefined
  readonly customer?: BuyerInput | null | undefined
  readonly lines: readonly LineInput[]
  readonly allowMissingProducts?: boolean | null | undefined
  readonly shippingMethodId?: string | null | undefined
  readonly shippingMethodName?: string | null | undefined
  readonly shippingPrice?: string | null | undefined
  readonly shippingServiceCode?: string | null | undefined
  readonly shippingRequired?: boolean | null | undefined
  readonly pickupLocationId?: string | null | undefined
  readonly paymentMethodId?: string | null | undefined
  readonly billingInformation?: { readonly [Field in keyof BillingInformation]?: string | null | undefined } | null | undefined
  readonly additionalInformation?: string | null | undefined
  readonly additionalFields?: readonly AdditionalFieldInput[] | null | undefined
  readonly applyPromotions?: boolean | null | undefined
  readonly couponCodes?: readonly string[] | null | undefined
  readonly locale?: string | null | undefined
}

/** What of an order does not depend on what it comes to. */
export type SettledTerms = Omit<
  OrderTerms,
  | 'subtotal'
  | 'tax'
  | 'shipping'
  | 'shippingTax'
  | 'discount'
  | 'shippingDiscount'
  | 'giftCardsDiscount'
  | 'total'
  | 'coupons'
  | 'promotions'
  | 'shippingTaxes'
  | 'customer'
>

/** An order that can be priced and written. */
export type PreparedOrder = {
  readonly lines: readonly DraftLine[]
  readonly buyer: FoundBuyer
  readonly terms: SettledTerms
  readonly toPrice: OrderToPrice
  readonly additionalFields: readonly WrittenField[]
}

const MOST_CODES = 20
const LONGEST = 200
const NOBODY: FoundBuyer = {
  row: null,
  snapshot: { email: null, phone: null, phonePrefix: null, ip: null, fullname: null },
  shippingAddress: null,
  billingAddress: null,
  categories: null,
}

/** Completes an input from what the store has, and writes nothing. About ten statements, whatever the number of lines, which do not wait for each other. */
export async function prepareOrder(
  reading: Reading,
  input: NewOrderInput,
  quoted: QuotedShipping | null,
): Promise<{ readonly failure: ReturnType<typeof validationError> | ReturnType<typeof notFoundError> } | PreparedOrder> {
  const { query, storeId } = reading
  const problems = orderProblems(input)
  if (problems.length > 0) return { failure: validationError(problems) }
  const stores = storeRepository(query)
  const locale = input.locale ?? null
  const languages = locale === null ? [] : await stores.languagesOf([storeId])
  if (locale !== null && !languages.some(({ code }) => code === locale)) {
    const known = languages.map(({ code }) => code).join(', ')
    return { failure: validationError([problem('locale', `a language of the store (${known})`, locale)]) }
  }
  const translated = locale === languages[0]?.code ? null : locale
  const [[store], catalogue, found, ways] = await Promise.all([
    stores.findByIds([storeId]),
    readCatalogue(query, storeId, rowsIn(input.lines), translated),
    input.customer ? findBuyer(reading, input.customer) : { buyer: NOBODY },
    waysOf(reading, input),
  ])
  if (!store) return { failure: notFoundError('store', String(storeId)) }
  const drafted = draftLines(input.lines, catalogue, input.allowMissingProducts === true)
  if ('failure' in drafted) return { failure: drafted.failure }
  const fields = writtenFields([], input.additionalFields ?? [])
  if ('failure' in fields) return { failure: fields.failure }
  if ('failure' in found) return { failure: found.failure }
  if ('failure' in ways) return { failure: ways.failure }
  if (quoted && 'problem' in quoted) return { failure: validationError([quoted.problem]) }

  const { lines } = drafted
  const { buyer } = found
  return {
    lines,
    buyer,
    additionalFields: fields.written,
    terms: settledTerms(store, input, { lines, buyer, ...ways, quoted }),
    toPrice: orderToPrice(store, input, { lines, buyer, ...ways, quoted }),
  }
}

type Found = {
  readonly lines: readonly DraftLine[]
  readonly buyer: FoundBuyer
  readonly quoted: QuotedShipping | null
  readonly pickup: Location | null
  readonly shippingMethod: { readonly id: number; readonly name: string } | null
  readonly paymentMethod: { readonly id: number; readonly name: string; readonly type: string } | null
}

function settledTerms(store: Store, input: NewOrderInput, found: Found): SettledTerms {
  const { lines, buyer, quoted, pickup, shippingMethod, paymentMethod } = found
  const quote = quoted && 'price' in quoted ? quoted : null
  const isSent = input.shippingRequired ?? lines.some(({ requiresShipping }) => requiresShipping)
  const { businessActivity = null, companyName = null, taxpayerType = null } = input.billingInformation ?? {}
  return {
    currency: store.currency,
    locale: input.locale ?? null,
    shippingRequired: isSent,
    shippingOption: pickup ? 'STORE_PICKUP' : isSent ? 'DELIVERY' : 'NO_SHIPPING',
    sameDayDelivery: false,
    shippingMethodNumber: shippingMethod?.id ?? null,
    shippingServiceNumber: quote?.serviceId ?? null,
    shippingMethodName: input.shippingMethodName ?? quote?.name ?? shippingMethod?.name ?? null,
    externalShippingRateId: quote?.rateId ?? null,
    externalShippingRateDescription: quote?.description ?? null,
    pickupLocationNumber: pickup?.id ?? null,
    paymentMethodNumber: paymentMethod?.id ?? null,
    paymentMethodName: paymentMethod?.name ?? null,
    paymentMethodType: paymentMethod?.type.toLowerCase() ?? null,
    shippingAddress: buyer.shippingAddress,
    billingAddress: buyer.billingAddress,
    pickupAddress: pickup && pickupAddressOf(pickup),
    billingInformation: input.billingInformation ? { businessActivity, companyName, taxpayerType } : null,
    source: FROM_API,
    additionalInformation: input.additionalInformation ?? null,
  }
}

const FROM_API: TrafficSource = {
  createdFrom: 'api',
  createdFromAppCode: null,
  sourceName: null,
  medium: null,
  campaign: null,
  referralUrl: null,
  referralCode: null,
  userAgent: null,
  firstPageVisited: null,
  firstPageVisitedAt: null,
  referralSource: null,
}

function orderToPrice(store: Store, input: NewOrderInput, { lines, buyer, quoted, pickup }: Found): OrderToPrice {
  const { shippingAddress, billingAddress } = buyer
  const price = input.shippingPrice ?? (quoted && 'price' in quoted ? textOf(quoted.price) : null)
  return {
    currency: store.currency,
    // What the store does not have is in no category, whatever may get that id later.
    lines: lines.map(({ productNumber, isKnown, price: unit, quantity, discount }) => ({
      productId: isKnown ? productNumber : null,
      price: unit,
      quantity,
      discount,
    })),
    shipping: price,
    shippingPlace: placeOf((pickup && pickupAddressOf(pickup)) ?? shippingAddress ?? billingAddress),
    billingPlace: placeOf(billingAddress ?? shippingAddress),
    customer: buyer.categories && { categories: buyer.categories },
    couponCodes: input.couponCodes ?? [],
    giftCards: '0',
    arePricesGiven: input.applyPromotions !== true,
  }
}

/** What is wrong with an input by itself, besides its lines, customer and fields. */
function orderProblems(input: NewOrderInput): readonly Problem[] {
  const { shippingMethodName, shippingPrice, shippingServiceCode, additionalInformation, applyPromotions, couponCodes } = input
  const codes = couponCodes ?? []
  return problemsIn([
    shippingMethodName == null ? null : textProblem('shippingMethodName', shippingMethodName, LONGEST),
    shippingPrice != null && amountOf(shippingPrice) < 0n ? problem('shippingPrice', '0 or more', shippingPrice) : null,
    shippingServiceCode == null ? null : textProblem('shippingServiceCode', shippingServiceCode, LONGEST),
    ...Object.entries(input.billingInformation ?? {}).map(([field, text]) =>
      text == null ? null : textProblem(`billingInformation.${field}`, text, LONGEST),
    ),
    additionalInformation == null ? null : textProblem('additionalInformation', additionalInformation, LONGEST_NOTE),
    codes.length > MOST_CODES ? problem('couponCodes', `at most ${MOST_CODES} codes`, codes.length) : null,
    codes.length > 0 && applyPromotions !== true
      ? problem('couponCodes', 'absent unless `applyPromotions` is true', codes[0])
      : null,
  ])
}
