import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../../toolkit/validation.ts'
import { amountOf } from '../../amount.ts'
import { giftCardRepository } from '../../gift-card/repository.ts'
import type { Location } from '../../location/location.ts'
import { readCustomerPrices } from '../../price-list/customer-prices.ts'
import { withoutLists } from '../../price-list/rule.ts'
import { storeRepository } from '../../store/repository.ts'
import type { Store } from '../../store/store.ts'
import type { OrderCurrency } from '../../store-currency/exchange.ts'
import { storeCurrencyRepository } from '../../store-currency/repository.ts'
import { currencyIn } from '../../store-currency/store-currency.ts'
import { type AdditionalFieldInput, type WrittenField, writtenFields } from '../additional-field/additional-field.ts'
import { addressIn, destinationOf } from '../customer/address.ts'
import { type BuyerInput, type FoundBuyer, findBuyer } from '../customer/buyer.ts'
import { type BillingInformation, MAX_NOTE_LENGTH, type OrderTerms, type TrafficSource } from '../order.ts'
import type { OrderStatus } from '../status/states.ts'
import { type CalculationScope, type CartInput, MAX_COUPON_CODES } from './cart.ts'
import { readCatalogue } from './catalogue-repository.ts'
import { type DraftLine, draftLines, type LineInput, rowsIn } from './draft.ts'
import { findMethods, pickupAddressOf } from './methods.ts'

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
  readonly applyPriceLists?: boolean | null | undefined
  readonly applyPromotions?: boolean | null | undefined
  readonly couponCodes?: readonly string[] | null | undefined
  /** Rows of gift cards, in the order in which they pay. */
  readonly giftCards?: readonly number[]
  readonly locale?: string | null | undefined
  /** ISO 4217 code; absent: that of the store. */
  readonly currency?: string | null | undefined
  /** Where it comes from; absent: the API. */
  readonly createdFrom?: 'storefront' | 'draft_order'
  /** Off the order as a whole; absent: nothing. */
  readonly orderDiscount?: string | null | undefined
}

/** The terms of an order that do not depend on its totals. */
export type PreparedTerms = Omit<
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

/**
 * An order completed from the catalogue, the customer and the settings of its store: ready to be
 * quoted, calculated and written.
 */
export type PreparedOrder = {
  readonly store: Store
  readonly currency: OrderCurrency
  readonly lines: readonly DraftLine[]
  readonly buyer: FoundBuyer
  readonly terms: PreparedTerms
  readonly cart: CartInput
  /** Rows of gift cards that were entered, in the order in which they pay. */
  readonly giftCards: readonly number[]
  readonly additionalFields: readonly WrittenField[]
}

const MAX_TEXT_LENGTH = 200
const NO_BUYER: FoundBuyer = {
  row: null,
  snapshot: { email: null, phone: null, phonePrefix: null, ip: null, fullname: null },
  shippingAddress: null,
  billingAddress: null,
  categories: null,
}

/** Problems of an order, in place of a prepared one. */
export type PrepareFailure = { readonly failure: ReturnType<typeof validationError> | ReturnType<typeof notFoundError> }

/**
 * Completes an input from the rows of its store and writes nothing. About ten statements, whatever
 * the number of lines; they run concurrently. Shipping costs the given price, or nothing until a
 * quote is added (`withQuote`).
 */
export async function prepareOrder(reading: CalculationScope, input: NewOrderInput): Promise<PrepareFailure | PreparedOrder> {
  const { query, storeId } = reading
  const problems = orderProblems(input)
  if (problems.length > 0) return { failure: validationError(problems) }
  const stores = storeRepository(query)
  const locale = input.locale ?? null
  const languages = locale === null ? [] : await stores.languagesOf([storeId])
  if (locale !== null && !languages.some(({ code }) => code === locale)) {
    const offered = languages.map(({ code }) => code).join(', ')
    return { failure: validationError([problem('locale', `a language of the store (${offered})`, locale)]) }
  }
  const translated = locale === languages[0]?.code ? null : locale
  const giftCards = input.giftCards ?? []
  const [[store], currencies, catalogue, found, methods, cards] = await Promise.all([
    stores.findByIds([storeId]),
    input.currency == null ? [] : storeCurrencyRepository(query).all(storeId),
    readCatalogue(query, storeId, rowsIn(input.lines), translated),
    input.customer ? findBuyer(reading, input.customer) : { buyer: NO_BUYER },
    findMethods(reading, input),
    giftCardRepository(query).findByIds(storeId, giftCards),
  ])
  if (!store) return { failure: notFoundError('store', String(storeId)) }
  const currency = currencyIn(store.currency, currencies, input.currency)
  if ('problem' in currency) return { failure: validationError([currency.problem]) }
  const customerPrices =
    input.applyPriceLists === true && 'buyer' in found
      ? await readCustomerPrices(reading, currency, found.buyer.categories, [...catalogue.products.keys()])
      : withoutLists(currency)
  const drafted = draftLines(input.lines, catalogue, { allowMissing: input.allowMissingProducts === true, customerPrices })
  if ('failure' in drafted) return { failure: drafted.failure }
  const fields = writtenFields([], input.additionalFields ?? [])
  if ('failure' in fields) return { failure: fields.failure }
  if ('failure' in found) return { failure: found.failure }
  if ('failure' in methods) return { failure: methods.failure }

  const parts: OrderParts = { currency, lines: drafted.lines, buyer: found.buyer, ...methods }
  return {
    store,
    currency,
    lines: parts.lines,
    buyer: parts.buyer,
    additionalFields: fields.written,
    terms: preparedTerms(input, parts),
    cart: { ...cartInput(store, input, parts), giftCards: cards },
    giftCards,
  }
}

type OrderParts = {
  readonly currency: OrderCurrency
  readonly lines: readonly DraftLine[]
  readonly buyer: FoundBuyer
  readonly pickup: Location | null
  readonly shippingMethod: { readonly id: number; readonly name: string } | null
  readonly paymentMethod: { readonly id: number; readonly name: string; readonly type: string } | null
}

function preparedTerms(input: NewOrderInput, parts: OrderParts): PreparedTerms {
  const { lines, buyer, pickup, shippingMethod, paymentMethod, currency } = parts
  const isSent = input.shippingRequired ?? lines.some(({ requiresShipping }) => requiresShipping)
  const { businessActivity = null, companyName = null, taxpayerType = null } = input.billingInformation ?? {}
  return {
    currency: currency.code,
    currencyRate: currency.exchange?.rate ?? null,
    currencyRateBase: currency.exchange?.base ?? null,
    locale: input.locale ?? null,
    shippingRequired: isSent,
    shippingOption: pickup ? 'STORE_PICKUP' : isSent ? 'DELIVERY' : 'NO_SHIPPING',
    sameDayDelivery: false,
    shippingMethodNumber: shippingMethod?.id ?? null,
    shippingServiceNumber: null,
    shippingMethodName: input.shippingMethodName ?? shippingMethod?.name ?? null,
    externalShippingRateId: null,
    externalShippingRateDescription: null,
    pickupLocationNumber: pickup?.id ?? null,
    paymentMethodNumber: paymentMethod?.id ?? null,
    paymentMethodName: paymentMethod?.name ?? null,
    paymentMethodType: paymentMethod?.type.toLowerCase() ?? null,
    shippingAddress: buyer.shippingAddress,
    billingAddress: buyer.billingAddress,
    pickupAddress: pickup && pickupAddressOf(pickup),
    billingInformation: input.billingInformation ? { businessActivity, companyName, taxpayerType } : null,
    source: { ...FROM_API, ...(input.createdFrom && { createdFrom: input.createdFrom }) },
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

function cartInput(store: Store, input: NewOrderInput, { currency, lines, buyer, pickup }: OrderParts): CartInput {
  const { shippingAddress, billingAddress } = buyer
  // Shoppers see prices with the taxes of the shop's country until they give an address.
  const unknown = input.createdFrom === 'storefront' ? addressIn({ country: store.country }) : null
  return {
    currency: currency.code,
    exchange: currency.exchange,
    // A product that does not exist is in no category, whatever gets its id later.
    lines: lines.map(({ productNumber, isKnown, price: unit, quantity, discount }) => ({
      productId: isKnown ? productNumber : null,
      price: unit,
      quantity,
      discount,
    })),
    shipping: input.shippingPrice ?? null,
    ...(input.orderDiscount != null && { orderDiscount: input.orderDiscount }),
    shippingDestination: destinationOf((pickup && pickupAddressOf(pickup)) ?? shippingAddress ?? billingAddress ?? unknown),
    billingDestination: destinationOf(billingAddress ?? shippingAddress ?? unknown),
    customer: buyer.categories && { categories: buyer.categories },
    couponCodes: input.couponCodes ?? [],
    giftCards: [],
    arePricesGiven: input.applyPromotions !== true,
  }
}

/** Problems of the input alone, besides its lines, customer and additional fields. */
function orderProblems(input: NewOrderInput): readonly Problem[] {
  const { shippingMethodName, shippingPrice, shippingServiceCode, additionalInformation, applyPromotions, couponCodes } = input
  const codes = couponCodes ?? []
  return problemsIn([
    shippingMethodName == null ? null : textProblem('shippingMethodName', shippingMethodName, MAX_TEXT_LENGTH),
    shippingPrice != null && amountOf(shippingPrice) < 0n ? problem('shippingPrice', '0 or more', shippingPrice) : null,
    shippingServiceCode == null ? null : textProblem('shippingServiceCode', shippingServiceCode, MAX_TEXT_LENGTH),
    ...Object.entries(input.billingInformation ?? {}).map(([field, text]) =>
      text == null ? null : textProblem(`billingInformation.${field}`, text, MAX_TEXT_LENGTH),
    ),
    additionalInformation == null ? null : textProblem('additionalInformation', additionalInformation, MAX_NOTE_LENGTH),
    codes.length > MAX_COUPON_CODES ? problem('couponCodes', `at most ${MAX_COUPON_CODES} codes`, codes.length) : null,
    codes.length > 0 && applyPromotions !== true
      ? problem('couponCodes', 'absent unless `applyPromotions` is true', codes[0])
      : null,
  ])
}
