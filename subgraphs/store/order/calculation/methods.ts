import { notFoundError, problem, validationError } from '../../../toolkit/validation.ts'
import { countryOf } from '../../country/country.ts'
import { decodeId } from '../../ids.ts'
import type { Location } from '../../location/location.ts'
import { locationRepository } from '../../location/repository.ts'
import { paymentMethodRepository } from '../../payment-method/repository.ts'
import { shippingMethodRepository } from '../../shipping-method/repository.ts'
import type { StoreQuery } from '../../write.ts'
import { addressOf, regionIn } from '../customer/address.ts'
import type { OrderAddress } from '../order.ts'

/** The shipping method, payment method and pickup location that an order names, by their ids. */
export type MethodsInput = {
  readonly shippingMethodId?: string | null | undefined
  readonly paymentMethodId?: string | null | undefined
  readonly pickupLocationId?: string | null | undefined
}

/**
 * Finds the shipping method, payment method and pickup location of an order; null for those it does
 * not name.
 */
export async function findMethods({ query, storeId }: StoreQuery, input: MethodsInput) {
  const { shippingMethodId, paymentMethodId, pickupLocationId } = input
  const one = async <Row>(
    id: string | null | undefined,
    type: string,
    find: (rows: readonly number[]) => Promise<readonly Row[]>,
  ) => (id == null ? null : ((await find([decodeId(id, type) ?? 0]))[0] ?? 'missing'))
  const [shippingMethod, paymentMethod, pickup] = await Promise.all([
    one(shippingMethodId, 'ShippingMethod', (rows) => shippingMethodRepository(query).findByIds(storeId, rows)),
    one(paymentMethodId, 'PaymentMethod', (rows) => paymentMethodRepository(query).findByIds(storeId, rows)),
    one(pickupLocationId, 'Location', (rows) => locationRepository(query).findByIds(storeId, rows)),
  ])
  if (shippingMethod === 'missing') return { failure: notFoundError('shipping method', shippingMethodId ?? '') }
  if (paymentMethod === 'missing') return { failure: notFoundError('payment method', paymentMethodId ?? '') }
  if (pickup === 'missing') return { failure: notFoundError('location', pickupLocationId ?? '') }
  if (pickup && !(pickup.active && pickup.pickupPoint)) {
    return {
      failure: validationError([problem('pickupLocationId', 'an active location that hands over orders', pickupLocationId)]),
    }
  }
  return { shippingMethod, paymentMethod, pickup }
}

/** The address of a pickup location as an order stores it. */
export function pickupAddressOf({ name, address }: Location): OrderAddress | null {
  const { streetNumber, country, ...parts } = address
  const isNumber = streetNumber !== null && /^\d{1,10}$/.test(streetNumber)
  return addressOf({
    ...parts,
    address: isNumber || streetNumber === null ? parts.address : `${parts.address} ${streetNumber}`,
    streetNumber: isNumber ? streetNumber : null,
    country,
    countryCode: country,
    pickupPlaceName: name,
    ...regionIn(countryOf(country), parts),
  })
}
