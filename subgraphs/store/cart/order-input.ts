import type { CheckoutCustomField } from '../checkout-custom-field/checkout-custom-field.ts'
import type { NewOrderInput } from '../order/calculation/prepare.ts'
import type { OrderStatus } from '../order/status/states.ts'
import type { Shopper } from '../storefront/shopper.ts'
import type { CartContents, ShoppingCartLine } from './cart.ts'

const AREAS = { CONTACT: 'contact', BILLING_SHIPPING: 'billing_shipping', OTHER: 'other' } as const

/**
 * The order that a cart would become with these lines. `fields` are the questions of the checkout;
 * without a `shopper` it is a guest's.
 */
export function orderInputOf(
  contents: CartContents,
  lines: readonly ShoppingCartLine[],
  {
    status,
    fields,
    shopper,
  }: { readonly status: OrderStatus; readonly fields: readonly CheckoutCustomField[]; readonly shopper: Shopper | null },
): NewOrderInput {
  const { email, phone, shippingAddress, billingAddress, shippingMethodId, pickupLocationId, paymentMethodId } = contents
  const isPickedUp = pickupLocationId !== null
  const answers = contents.answers.flatMap(({ fieldId, value }) => {
    const field = fields.find(({ id }) => id === fieldId)
    return field && value.trim() !== '' ? [{ label: field.label, value, area: AREAS[field.area] }] : []
  })
  return {
    status,
    createdFrom: 'storefront',
    lines: lines.map(({ productId, variantId, quantity }) => ({
      productId: String(productId),
      variantId: variantId === null ? null : String(variantId),
      quantity,
    })),
    customer: {
      email,
      // A phone number without a customer cannot be stored.
      phone: email === null ? null : phone,
      shippingAddress,
      billingAddress: billingAddress ?? shippingAddress,
      isGuest: true,
      categories: shopper?.categories ?? null,
    },
    shippingMethodId: isPickedUp || shippingMethodId === null ? null : String(shippingMethodId),
    shippingServiceCode: isPickedUp ? null : contents.shippingServiceCode,
    pickupLocationId: isPickedUp ? String(pickupLocationId) : null,
    paymentMethodId: paymentMethodId === null ? null : String(paymentMethodId),
    additionalInformation: contents.note,
    additionalFields: [...answers, ...contents.attributes.map(({ name, value }) => ({ label: name, value, area: 'other' }))],
    applyPriceLists: true,
    applyPromotions: true,
    couponCodes: contents.couponCodes,
    giftCards: contents.giftCards,
    locale: contents.language,
    currency: contents.currency,
  }
}
