import { type Problem, validationError } from '../../../toolkit/validation.ts'
import { type Amount, amountOf, textOf } from '../../amount.ts'
import { decodeId } from '../../ids.ts'
import { type QuoteDeps, shippingQuotes } from '../../shipping-method/quotes.ts'
import type { ShippingMethodRepository } from '../../shipping-method/repository.ts'
import type { CalculationScope } from './cart.ts'
import { type NewOrderInput, type PreparedOrder, type PrepareFailure, prepareOrder } from './prepare.ts'

/** What the shipping method of an order charges, or why it cannot be used. */
export type ShippingQuote =
  | {
      readonly price: Amount
      readonly name: string
      readonly serviceId: number | null
      readonly rateId: string | null
      readonly description: string | null
    }
  | { readonly problem: Problem }

/** An order as it was prepared for its quote; `quote` is null where nothing is shipped. */
export type QuotedOrder = { readonly prepared: PreparedOrder | PrepareFailure; readonly quote: ShippingQuote | null }

/**
 * Prepares an order and gets the rate of its shipping method; null where the price is given or
 * nothing is shipped. External services have five seconds: not in a transaction.
 */
export async function quoteOrder(deps: QuoteDeps, reading: CalculationScope, input: NewOrderInput): Promise<QuotedOrder | null> {
  const { shippingMethodId, shippingPrice, shippingServiceCode } = input
  if (shippingMethodId == null || shippingPrice != null || input.shippingRequired === false) return null
  const prepared = await prepareOrder(reading, input)
  if ('failure' in prepared) return { prepared, quote: null }
  return { prepared, quote: await quoteShipping(deps, prepared, { shippingMethodId, shippingServiceCode }) }
}

async function quoteShipping(
  { shippingMethods, shippingServices, secrets }: QuoteDeps,
  { store, currency, lines, cart, terms }: PreparedOrder,
  {
    shippingMethodId,
    shippingServiceCode,
  }: { readonly shippingMethodId: string; readonly shippingServiceCode: string | null | undefined },
): Promise<ShippingQuote | null> {
  if (!lines.some(({ requiresShipping }) => requiresShipping)) return null
  const row = decodeId(shippingMethodId, 'ShippingMethod')
  const onlyThis: ShippingMethodRepository = {
    ...shippingMethods,
    list: async (of, enabled) => (await shippingMethods.list(of, enabled)).filter(({ id }) => id === row),
  }
  const quotes = await shippingQuotes({ shippingMethods: onlyThis, shippingServices, secrets }, store, {
    lines: lines.map(({ price, quantity, weight, requiresShipping, name, sku }) => ({
      price: amountOf(price),
      quantity,
      weight: amountOf(weight),
      requiresShipping,
      name,
      sku,
    })),
    destination: cart.shippingDestination,
    city: terms.shippingAddress?.city ?? null,
    distance: null,
    currency,
  })
  const quote = shippingServiceCode == null ? quotes[0] : quotes.find(({ serviceCode }) => serviceCode === shippingServiceCode)
  if (!quote) {
    return shippingServiceCode == null
      ? { problem: notShipping('shippingMethodId', 'method') }
      : { problem: notShipping('shippingServiceCode', 'service') }
  }
  const { price, name, service, rateId, description } = quote
  return { price, name, serviceId: service?.id ?? null, rateId, description }
}

const notShipping = (field: string, what: string): Problem => ({
  field,
  message: `${field}: this ${what} does not ship to the delivery address.`,
})

/**
 * A prepared order with the quoted shipping price; a failure stays one, and the problem of a quote
 * becomes one.
 */
export function withQuote(prepared: PreparedOrder | PrepareFailure, quote: ShippingQuote | null, input: NewOrderInput) {
  if ('failure' in prepared || quote === null) return prepared
  if ('problem' in quote) return { failure: validationError([quote.problem]) }
  const { price, name, serviceId, rateId, description } = quote
  return {
    ...prepared,
    terms: {
      ...prepared.terms,
      shippingServiceNumber: serviceId,
      shippingMethodName: input.shippingMethodName ?? name,
      externalShippingRateId: rateId,
      externalShippingRateDescription: description,
    },
    cart: { ...prepared.cart, shipping: textOf(price) },
  }
}
