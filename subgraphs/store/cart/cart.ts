import { emailProblem, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { MAX_CART_GIFT_CARDS, MAX_CODE_CHARACTERS } from '../gift-card/gift-card.ts'
import { decodeId } from '../ids.ts'
import { MAX_COUPON_CODES } from '../order/calculation/cart.ts'
import { type AddressInput, addressProblems } from '../order/customer/address.ts'
import { MAX_NOTE_LENGTH, MAX_UNITS } from '../order/order.ts'

/** A line of a cart. */
export type ShoppingCartLine = {
  /** Unique within the cart. */
  readonly id: string
  readonly productId: number
  readonly variantId: number | null
  readonly quantity: number
}

/** Contents and choices of a shopper, as they are stored. */
export type CartContents = {
  readonly lines: readonly ShoppingCartLine[]
  readonly note: string | null
  readonly attributes: readonly { readonly name: string; readonly value: string }[]
  readonly couponCodes: readonly string[]
  /** Rows of gift cards whose codes were entered, in the order in which they pay. */
  readonly giftCards: readonly number[]
  readonly email: string | null
  readonly phone: string | null
  readonly shippingAddress: AddressInput | null
  readonly billingAddress: AddressInput | null
  readonly shippingMethodId: number | null
  readonly shippingServiceCode: string | null
  readonly pickupLocationId: number | null
  readonly paymentMethodId: number | null
  readonly answers: readonly { readonly fieldId: number; readonly value: string }[]
  /** Language of the store; null: its own. */
  readonly language: string | null
  /** ISO 4217 code; null: that of the store. */
  readonly currency: string | null
}

/** A cart, OPEN until it is an order. */
export type ShoppingCart = {
  readonly id: number
  readonly storeId: number
  readonly status: 'OPEN' | 'ORDERED'
  readonly contents: CartContents
  /** Null: none yet. */
  readonly orderId: number | null
  /** Until when its order reserves stock without being paid; null: without end. */
  readonly payUntil: Date | null
  /** Order with status ABANDONED that shows it to the merchant; null: none. */
  readonly abandonedOrderId: number | null
  readonly updatedAt: Date
}

export const EMPTY_CART: CartContents = {
  lines: [],
  note: null,
  attributes: [],
  couponCodes: [],
  giftCards: [],
  email: null,
  phone: null,
  shippingAddress: null,
  billingAddress: null,
  shippingMethodId: null,
  shippingServiceCode: null,
  pickupLocationId: null,
  paymentMethodId: null,
  answers: [],
  language: null,
  currency: null,
}

/** A line as a shopper gives it. */
export type CartLineInput = {
  readonly productId: string
  readonly variantId?: string | null | undefined
  readonly quantity?: number | null | undefined
}

/** A change of a cart as a shopper gives it: undefined stays as it is, null clears. */
export type CartChange = {
  readonly addLines?: readonly CartLineInput[] | null | undefined
  readonly setLines?: readonly { readonly lineId: string; readonly quantity: number }[] | null | undefined
  readonly currency?: string | null | undefined
  readonly note?: string | null | undefined
  readonly attributes?: CartContents['attributes'] | null | undefined
  readonly couponCodes?: readonly string[] | null | undefined
  readonly addGiftCardCodes?: readonly string[] | null | undefined
  readonly removeGiftCardIds?: readonly string[] | null | undefined
  readonly email?: string | null | undefined
  readonly phone?: string | null | undefined
  readonly shippingAddress?: AddressInput | null | undefined
  readonly billingAddress?: AddressInput | null | undefined
  readonly shippingMethodId?: string | null | undefined
  readonly shippingServiceCode?: string | null | undefined
  readonly pickupLocationId?: string | null | undefined
  readonly paymentMethodId?: string | null | undefined
  readonly answers?: readonly { readonly fieldId: string; readonly value: string }[] | null | undefined
}

export const MAX_CART_LINES = 100
const MAX_ATTRIBUTES = 20
const MAX_ANSWERS = 100
const MAX_CODE_LENGTH = 100
const MAX_PHONE_LENGTH = 50
const MAX_SERVICE_CODE_LENGTH = 200

/** Invalid fields of a change by itself, in their order. */
export function cartProblems(change: CartChange): readonly Problem[] {
  const { addLines, setLines, note, attributes, couponCodes, email, phone, shippingServiceCode, answers } = change
  const { shippingAddress, billingAddress } = change
  return problemsIn([
    countProblem('addLines', addLines, MAX_CART_LINES),
    ...(addLines ?? []).flatMap((line, index) => lineProblems(line, `addLines.${index}`)),
    countProblem('setLines', setLines, MAX_CART_LINES),
    ...(setLines ?? []).map(({ quantity }, index) => quantityProblem(`setLines.${index}.quantity`, quantity, 0)),
    optionalText('note', note, MAX_NOTE_LENGTH),
    countProblem('attributes', attributes, MAX_ATTRIBUTES),
    ...(attributes ?? []).flatMap(({ name, value }, index) => [
      textProblem(`attributes.${index}.name`, name, 100),
      optionalText(`attributes.${index}.value`, value, 500),
    ]),
    countProblem('couponCodes', couponCodes, MAX_COUPON_CODES),
    ...(couponCodes ?? []).map((code, index) => textProblem(`couponCodes.${index}`, code, MAX_CODE_LENGTH)),
    countProblem('addGiftCardCodes', change.addGiftCardCodes, MAX_CART_GIFT_CARDS),
    ...(change.addGiftCardCodes ?? []).map((code, index) => textProblem(`addGiftCardCodes.${index}`, code, MAX_CODE_CHARACTERS)),
    countProblem('removeGiftCardIds', change.removeGiftCardIds, MAX_CART_GIFT_CARDS),
    email == null ? null : emailProblem('email', email.trim()),
    optionalText('phone', phone, MAX_PHONE_LENGTH),
    ...(shippingAddress ? addressProblems('shippingAddress', shippingAddress) : []),
    ...(billingAddress ? addressProblems('billingAddress', billingAddress) : []),
    idProblem('shippingMethodId', change.shippingMethodId, 'ShippingMethod'),
    optionalText('shippingServiceCode', shippingServiceCode, MAX_SERVICE_CODE_LENGTH),
    idProblem('pickupLocationId', change.pickupLocationId, 'Location'),
    idProblem('paymentMethodId', change.paymentMethodId, 'PaymentMethod'),
    countProblem('answers', answers, MAX_ANSWERS),
    ...(answers ?? []).flatMap(({ fieldId, value }, index) => [
      idProblem(`answers.${index}.fieldId`, fieldId, 'CheckoutCustomField'),
      optionalText(`answers.${index}.value`, value, 2_000),
    ]),
  ])
}

/** The contents after a change without problems, or its problems with these contents. */
export function changedCart(
  before: CartContents,
  change: CartChange,
  newLineId: () => string,
): { readonly contents: CartContents } | { readonly problem: Problem } {
  const lines = before.lines.map((line) => ({ ...line }))
  for (const [index, { lineId, quantity }] of (change.setLines ?? []).entries()) {
    const line = lines.find(({ id }) => id === lineId)
    if (!line) return { problem: problem(`setLines.${index}.lineId`, 'the id of a line of the cart', lineId) }
    line.quantity = quantity
  }
  for (const [index, input] of (change.addLines ?? []).entries()) {
    const productId = decodeId(input.productId, 'Product') ?? 0
    const variantId = input.variantId == null ? null : (decodeId(input.variantId, 'ProductVariant') ?? 0)
    const quantity = input.quantity ?? 1
    const same = lines.find((line) => line.productId === productId && line.variantId === variantId)
    if (same && same.quantity + quantity > MAX_UNITS)
      return { problem: problem(`addLines.${index}.quantity`, `at most ${MAX_UNITS - same.quantity} more`, quantity) }
    if (same) same.quantity += quantity
    else lines.push({ id: newLineId(), productId, variantId, quantity })
  }
  const left = lines.filter(({ quantity }) => quantity > 0)
  if (left.length > MAX_CART_LINES)
    return { problem: problem('addLines', `lines of a cart that has at most ${MAX_CART_LINES}`, left.length) }
  const given = <Key extends keyof CartContents>(key: Key, value: CartContents[Key] | undefined) =>
    value === undefined ? {} : { [key]: value }
  const row = (id: string | null | undefined, type: string) => (id == null ? id : decodeId(id, type))
  return {
    contents: {
      ...before,
      lines: left,
      ...given('currency', change.currency),
      ...given('note', blankless(change.note)),
      ...given('attributes', change.attributes === null ? [] : change.attributes),
      ...given('couponCodes', change.couponCodes === null ? [] : change.couponCodes),
      ...given('email', blankless(change.email?.trim() ?? change.email)),
      ...given('phone', blankless(change.phone)),
      ...given('shippingAddress', change.shippingAddress),
      ...given('billingAddress', change.billingAddress),
      ...given('shippingMethodId', row(change.shippingMethodId, 'ShippingMethod')),
      ...given('shippingServiceCode', blankless(change.shippingServiceCode)),
      ...given('pickupLocationId', row(change.pickupLocationId, 'Location')),
      ...given('paymentMethodId', row(change.paymentMethodId, 'PaymentMethod')),
      ...given(
        'answers',
        change.answers?.map(({ fieldId, value }) => ({ fieldId: decodeId(fieldId, 'CheckoutCustomField') ?? 0, value })) ??
          (change.answers === null ? [] : undefined),
      ),
    },
  }
}

/** The contents without what identifies a person: a link to them may be passed on. */
export const withoutPerson = (contents: CartContents): CartContents => ({
  ...EMPTY_CART,
  lines: contents.lines,
  couponCodes: contents.couponCodes,
  language: contents.language,
  currency: contents.currency,
})

const countProblem = (field: string, list: readonly unknown[] | null | undefined, max: number): Problem | null =>
  list && list.length > max ? problem(field, `at most ${max} entries`, list.length) : null

const lineProblems = ({ productId, variantId, quantity }: CartLineInput, at: string): readonly Problem[] =>
  problemsIn([
    idProblem(`${at}.productId`, productId, 'Product'),
    idProblem(`${at}.variantId`, variantId, 'ProductVariant'),
    quantity == null ? null : quantityProblem(`${at}.quantity`, quantity, 1),
  ])

const quantityProblem = (field: string, quantity: number, least: number): Problem | null =>
  quantity < least || quantity > MAX_UNITS ? problem(field, `${least} to ${MAX_UNITS}`, quantity) : null

const idProblem = (field: string, id: string | null | undefined, type: string): Problem | null =>
  id == null || decodeId(id, type) !== null ? null : problem(field, `the id of a ${type}`, id)

/** Blank texts clear: forms send them. */
const blankless = (text: string | null | undefined): string | null | undefined =>
  text === undefined ? undefined : text?.trim() ? text : null

const optionalText = (field: string, text: string | null | undefined, max: number): Problem | null =>
  text?.trim() ? textProblem(field, text, max) : null
