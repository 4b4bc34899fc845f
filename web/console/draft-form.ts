import type { ConsoleDraftChoicesFragment, DraftOrderContentsInput, OrderEditLineInput } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import type { RunPageOperation } from '../frame/page.ts'
import { checkbox, selectInput, textArea, textInput } from './fields.ts'
import type { FormState } from './form-state.ts'
import type { FormReader } from './read-form.ts'
import { itemLinesOf, MAX_ITEM_LINES } from './transfer-new.ts'

type Contents = DraftOrderContentsInput
type Customer = NonNullable<Contents['customer']>

/** Of a draft with more lines, which a program made, the others stay as they are. */
const MAX_LINES = 100
const MAX_COUPONS = 20

/** Parts of the shipping address, and what people read for them. */
const ADDRESS_PARTS = [
  ['name', 'First name'],
  ['surname', 'Last name'],
  ['address', 'Street and number'],
  ['postal', 'Postal code'],
  ['city', 'City'],
  ['region', 'Region'],
  ['country', 'Country'],
] as const

export const EMPTY_DRAFT: Contents = { lines: [] }

/** What a line is called, for each line of the contents. */
export type LineName = (index: number) => string

/** The fields of a draft: its lines, customer, delivery, payment and discount. */
export function draftFields(form: FormState, stored: Contents, choices: ConsoleDraftChoicesFragment, nameOf: LineName): Html {
  const currency = stored.currency ?? choices.store.currency
  const codes = [...new Set([choices.store.currency, ...choices.storeCurrencies.map(({ code }) => code), currency])]
  return html`${stored.lines.slice(0, MAX_LINES).map((line, index) => lineFields(form, line, { index, name: nameOf(index) }))}
${textArea(form, { name: 'lines', label: 'Add products', stored: '', rows: 3, maxLength: 10_000, hint: `One a line: stock keeping unit (SKU), a space, units. At most ${MAX_ITEM_LINES}.` })}
<fieldset><legend>Add something that is not in the catalogue</legend><div class="fields">
${textInput(form, { name: 'customName', label: 'Name', stored: '' })}
${textInput(form, { name: 'customUnits', label: 'Units', stored: '1', inputmode: 'numeric', maxLength: 7 })}
${textInput(form, { name: 'customPrice', label: 'Price of a unit', stored: '', inputmode: 'decimal', maxLength: 15 })}</div></fieldset>
<fieldset><legend>Customer</legend><div class="fields">
${textInput(form, { name: 'email', label: 'E-mail address', stored: stored.customer?.email ?? '', type: 'email', maxLength: 254, hint: stored.customer?.id == null ? 'Empty: a guest.' : `Empty: customer ${stored.customer.id}.` })}
${textInput(form, { name: 'phone', label: 'Phone number', stored: stored.customer?.phone ?? '', type: 'tel', maxLength: 50 })}</div></fieldset>
<fieldset><legend>Shipping address</legend><div class="fields">${ADDRESS_PARTS.map(([part, label]) => textInput(form, { name: `shipping-${part}`, label, stored: stored.customer?.shippingAddress?.[part] ?? '', maxLength: 200 }))}</div></fieldset>
<fieldset><legend>Delivery and payment</legend><div class="fields">
${selectInput(form, { name: 'shippingMethodId', label: 'Shipping method', stored: textOf(stored.shippingMethodId), options: optionsWith(choices.shippingMethods, stored.shippingMethodId) })}
${textInput(form, { name: 'shippingPrice', label: 'Shipping price', stored: stored.shippingPrice ?? '', inputmode: 'decimal', maxLength: 15, hint: 'Empty: that of the method.' })}
${selectInput(form, { name: 'paymentMethodId', label: 'Payment method', stored: textOf(stored.paymentMethodId), options: optionsWith(choices.paymentMethods, stored.paymentMethodId) })}
${selectInput(form, { name: 'currency', label: 'Currency', stored: currency, options: codes.map((code) => [code, code] as const), hint: 'Of all amounts here.' })}</div></fieldset>
<fieldset><legend>Price</legend><div class="fields">
${textInput(form, { name: 'discount', label: 'Discount on the whole', stored: stored.discount ?? '', inputmode: 'decimal', maxLength: 15 })}
${textInput(form, { name: 'couponCodes', label: 'Coupon codes', stored: (stored.couponCodes ?? []).join(' '), maxLength: 2_000, hint: 'With spaces between, and with promotions.' })}</div>
${checkbox(form, { name: 'applyPriceLists', label: 'Prices by the price lists of the customer', stored: stored.applyPriceLists === true })}
${checkbox(form, { name: 'applyPromotions', label: 'Apply promotions', stored: stored.applyPromotions === true })}</fieldset>
${textArea(form, { name: 'additionalInformation', label: 'Note', stored: stored.additionalInformation ?? '', rows: 3, maxLength: 5_000 })}`
}

const lineFields = (
  form: FormState,
  line: OrderEditLineInput,
  { index, name }: { readonly index: number; readonly name: string },
): Html =>
  html`<fieldset><legend>${name}</legend><div class="fields">
${textInput(form, { name: `units-${index}`, label: 'Units', stored: String(line.quantity ?? 1), inputmode: 'numeric', maxLength: 7, isRequired: true, hint: '0 removes it.' })}
${textInput(form, { name: `price-${index}`, label: 'Price of a unit', stored: line.price ?? '', inputmode: 'decimal', maxLength: 15, ...(line.productId != null && { hint: 'Empty: that of the catalogue.' }) })}
${textInput(form, { name: `discount-${index}`, label: 'Discount on the line', stored: line.discount ?? '', inputmode: 'decimal', maxLength: 15 })}</div></fieldset>`

const textOf = (id: string | number | null | undefined): string => (id == null ? '' : String(id))

/** What is stored is among them, also where it is an id of another form or was deleted. */
function optionsWith(
  methods: readonly { readonly number: number; readonly name: string }[],
  stored: string | number | null | undefined,
): readonly (readonly [value: string, label: string])[] {
  const known = methods.map(({ number, name }) => [String(number), name] as const)
  const own = textOf(stored)
  const others = own === '' || known.some(([value]) => value === own) ? [] : [[own, 'as it is'] as const]
  return [['', 'none'], ...known, ...others]
}

/** Contents of a draft as the form says them, and the field of the form for a path of the contents. */
export type ReadDraft = { readonly contents: Contents; readonly fieldOf: (path: string) => string }

/** Reads the form. What it has no fields for stays as it is stored. */
export async function draftOfForm(
  form: FormReader,
  fieldNames: readonly string[],
  stored: Contents,
  run: RunPageOperation,
): Promise<ReadDraft> {
  const { lines, names } = await linesOfForm(form, fieldNames, stored, run)
  if (lines.length === 0) form.refuse('lines', 'Enter at least one product, or something that is not in the catalogue.')
  const couponCodes = form.text('couponCodes').split(/\s+/).filter(Boolean)
  if (couponCodes.length > MAX_COUPONS) form.refuse('couponCodes', `Enter at most ${MAX_COUPONS} coupon codes.`)
  const contents: Contents = {
    ...stored,
    lines,
    customer: customerOfForm(form, stored.customer),
    discount: form.decimal('discount'),
    shippingMethodId: form.optional('shippingMethodId'),
    shippingPrice: form.decimal('shippingPrice'),
    paymentMethodId: form.optional('paymentMethodId'),
    currency: form.optional('currency'),
    additionalInformation: form.lines('additionalInformation'),
    applyPriceLists: form.isChecked('applyPriceLists'),
    applyPromotions: form.isChecked('applyPromotions'),
    couponCodes,
  }
  // Another method has other services and another name.
  const isSameMethod = textOf(stored.shippingMethodId) === (contents.shippingMethodId ?? '')
  const chosen = isSameMethod ? contents : { ...contents, shippingServiceCode: null, shippingMethodName: null }
  return { contents: chosen, fieldOf: (path) => fieldOfPath(path, names) }
}

/** Lines of the form, each with the field that names it. */
async function linesOfForm(form: FormReader, fieldNames: readonly string[], stored: Contents, run: RunPageOperation) {
  const lines: OrderEditLineInput[] = []
  const names: ((part: string) => string)[] = []
  for (const [index, line] of stored.lines.entries()) {
    const isShown = fieldNames.includes(`units-${index}`)
    const quantity = isShown ? form.count(`units-${index}`, 'the units') : (line.quantity ?? 1)
    if (quantity === 0) continue
    const priced = { price: form.decimal(`price-${index}`), discount: form.decimal(`discount-${index}`) }
    lines.push(isShown ? { ...line, quantity, ...priced } : line)
    names.push((part) => `${part === 'price' || part === 'discount' ? part : 'units'}-${index}`)
  }
  for (const item of form.text('lines') === '' ? [] : await itemLinesOf(form, run)) {
    lines.push(item)
    names.push(() => 'lines')
  }
  const name = form.optional('customName')
  if (name !== null) {
    const price = form.amount('customPrice', 'the price of a unit')
    lines.push({ name, price, quantity: form.count('customUnits', 'the units', { min: 1 }) })
    names.push((part) => (part === 'price' ? 'customPrice' : part === 'quantity' ? 'customUnits' : 'customName'))
  } else if (form.optional('customPrice') !== null) form.refuse('customName', 'Enter the name.')
  return { lines, names }
}

/** The customer of the form. A stored customer stays until another e-mail address is entered. */
function customerOfForm(form: FormReader, stored: Contents['customer']): Contents['customer'] {
  const email = form.optional('email')
  const parts = Object.fromEntries(ADDRESS_PARTS.map(([part]) => [part, form.optional(`shipping-${part}`)]))
  const hasAddress = Object.values(parts).some((part) => part !== null)
  const isSame = email === (stored?.email ?? null)
  const base: Customer = isSame ? { ...stored } : {}
  const phone = form.optional('phone')
  const shippingAddress = hasAddress ? { ...(isSame && stored?.shippingAddress), ...parts } : null
  if (email === null && base.id == null && phone === null && shippingAddress === null) return null
  if (email === null && base.id == null) form.refuse('email', 'Enter the e-mail address of the customer.')
  return { ...base, email, phone, shippingAddress }
}

/** The field of the form for a field of the input: `contents.lines.0.price` is `price-0`. */
function fieldOfPath(path: string, names: readonly ((part: string) => string)[]): string {
  const [, line, part = ''] = /^contents\.lines\.(\d+)\.?(\w*)/.exec(path) ?? []
  if (line !== undefined) return names[Number(line)]?.(part) ?? 'lines'
  const own = path.replace(/^contents\./, '').replace(/^customer\./, '')
  return own.replace(/^shippingAddress\./, 'shipping-').replace(/^couponCodes\.\d+$/, 'couponCodes')
}
