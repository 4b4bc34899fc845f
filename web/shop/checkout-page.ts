import type { ShopAddressFragment, ShopCheckoutContentsFragment } from '#generated/operations.ts'
import { type FormProblems, invalid, NO_PROBLEMS, problemOf, problemSummary, type TextField, textField } from '../frame/fields.ts'
import { money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { formToken, totalsOf } from './cart-page.ts'
import { frameOf, type ShopLinks } from './frame.ts'

export type CheckoutShop = ShopCheckoutContentsFragment
type Cart = NonNullable<CheckoutShop['cart']>

/** Steps of a checkout, in their order. */
export const CHECKOUT_STEPS = ['address', 'delivery', 'payment'] as const
export type CheckoutStep = (typeof CHECKOUT_STEPS)[number]

const STEP_LABELS: Readonly<Record<CheckoutStep, string>> = { address: 'Address', delivery: 'Delivery', payment: 'Payment' }

/** Fields of addresses by their names in the graph, in the order of the form. */
export const ADDRESS_FIELDS = [
  'name',
  'surname',
  'address',
  'complement',
  'postal',
  'city',
  'region',
  'country',
  'taxid',
] as const

type Typed = (field: string) => string

/** The step that a cart has come to: the first one with something missing. */
export function stepOf({ problems, email, shippingAddress, totals }: Cart): CheckoutStep {
  const codes = problems.map(({ code }) => code)
  if (email === null || shippingAddress?.country == null || codes.includes('EMAIL') || codes.includes('SHIPPING_ADDRESS'))
    return 'address'
  return totals?.shippingRequired && codes.includes('SHIPPING_METHOD') ? 'delivery' : 'payment'
}

export type CheckoutView = {
  readonly step: CheckoutStep
  readonly token: string
  readonly links: ShopLinks
  /** Same in every attempt to order, so that a form that was sent twice orders once. */
  readonly key: string
  readonly problems?: FormProblems
  readonly typed?: Typed | null
  /** Address of the account that the order will belong to; null: who orders is a guest. */
  readonly accountEmail: string | null
}

/** One step of a checkout, with what was said before and the amounts beside it. */
export function checkoutPage(shop: CheckoutShop, cart: Cart, view: CheckoutView): WebPage {
  const { step, links, problems = NO_PROBLEMS } = view
  const blocking = cart.problems.filter(({ code }) =>
    ['EMPTY', 'NOT_FOR_SALE', 'INSUFFICIENT_STOCK', 'QUANTITY', 'COUPON', 'GIFT_CARD', 'INVALID'].includes(code),
  )
  return {
    title: `Checkout: ${STEP_LABELS[step].toLowerCase()}`,
    description: `Checkout at ${shop.name}.`,
    frame: frameOf(shop, links),
    ...(Object.keys(problems).length > 0 && { status: 422 }),
    body: html`<h1>Checkout</h1>
${stepLinks(cart, step, links)}
${problemSummary(problems)}
${blocking.length > 0 && html`<div class="alert tone-bad" role="alert">${blocking.map(({ message }) => html`<p>${message}</p>`)}<p><a href="${links.to('/cart')}">Change the cart</a></p></div>`}
<div class="checkout-layout"><div>${BODIES[step](shop, cart, view)}</div>
<aside class="summary" aria-labelledby="summary"><h2 id="summary">Your order</h2>
<ul class="brief">${cart.lines.map(({ name, product, quantity, total }) => html`<li><span>${quantity} × ${name ?? product?.name ?? 'gone'}</span> <span>${total !== null && money(total, cart.currency)}</span></li>`)}</ul>
${totalsOf(cart, cart.shippingMethodId !== null || cart.pickupLocationId !== null)}
<p><a href="${links.to('/cart')}">Change the cart</a></p></aside></div>`,
  }
}

/** Steps that are done can be gone back to. */
function stepLinks(cart: Cart, here: CheckoutStep, { to }: ShopLinks): Html {
  const isShipped = cart.totals?.shippingRequired !== false
  const steps: readonly CheckoutStep[] = CHECKOUT_STEPS.filter((step) => isShipped || step !== 'delivery')
  const reached = steps.indexOf(stepOf(cart))
  return html`<nav class="steps" aria-label="Steps of the checkout"><ol>${steps.map(
    (step, index) =>
      html`<li${step === here && html` aria-current="step"`}>${index <= reached && step !== here ? html`<a href="${to('/checkout', { step })}">${STEP_LABELS[step]}</a>` : STEP_LABELS[step]}</li>`,
  )}</ol></nav>`
}

const BODIES: Readonly<Record<CheckoutStep, (shop: CheckoutShop, cart: Cart, view: CheckoutView) => Html>> = {
  address: addressForm,
  delivery: deliveryForm,
  payment: paymentForm,
}

function addressForm(shop: CheckoutShop, cart: Cart, { links, token, problems = NO_PROBLEMS, typed }: CheckoutView): Html {
  const value = (field: string, known: string | null | undefined) => typed?.(field) ?? known ?? ''
  const billing = cart.billingAddress
  const isBillingOpen =
    billing !== null ||
    Object.keys(problems).some((field) => field.startsWith('billing-')) ||
    (typed?.('billing-address') ?? '') !== ''
  return html`<form method="post" action="${links.to('/checkout/address')}" class="stacked">${formToken(token)}
<h2>Who orders</h2>
${textField({ name: 'email', label: 'E-mail address', type: 'email', value: value('email', cart.email), autocomplete: 'email', required: true, maxLength: 254 }, problems)}
${textField({ name: 'phone', label: 'Phone number', type: 'tel', value: value('phone', cart.phone), autocomplete: 'tel', maxLength: 50, hint: 'For questions of the carrier.' }, problems)}
<h2>${cart.totals?.shippingRequired === false ? 'Your address' : 'Where it goes'}</h2>
${addressFields(shop, cart.shippingAddress, { prefix: '', isRequired: true }, value, problems)}
<details${isBillingOpen && html` open`}><summary>Send the invoice to another address</summary><div class="stacked">
${addressFields(shop, billing, { prefix: 'billing-', isRequired: false }, value, problems)}</div></details>
<p class="actions"><button>Continue</button></p></form>`
}

/** Fields of an address, which is `known` so far. */
export function addressFields(
  { countries, country }: Pick<CheckoutShop, 'countries' | 'country'>,
  known: ShopAddressFragment | null,
  { prefix, isRequired }: { readonly prefix: string; readonly isRequired: boolean },
  value: (field: string, known: string | null | undefined) => string,
  problems: FormProblems,
): Html {
  const section = prefix === '' ? 'shipping' : 'billing'
  const field = (name: (typeof ADDRESS_FIELDS)[number], label: string, autocomplete: string, required: boolean): TextField => ({
    name: `${prefix}${name}`,
    label,
    value: value(`${prefix}${name}`, known?.[name]),
    autocomplete: `${section} ${autocomplete}`,
    required: required && isRequired,
  })
  const chosen = value(`${prefix}country`, known?.country) || (isRequired ? country : '')
  const id = `${prefix}country`
  return html`<div class="fields">${textField(field('name', 'First name', 'given-name', true), problems)}${textField(field('surname', 'Last name', 'family-name', true), problems)}</div>
${textField(field('address', 'Street and house number', 'address-line1', true), problems)}
${textField(field('complement', 'Floor, flat or company', 'address-line2', false), problems)}
<div class="fields">${textField(field('postal', 'Postal code', 'postal-code', false), problems)}${textField(field('city', 'City', 'address-level2', true), problems)}</div>
<div class="fields">${textField(field('region', 'Region or state', 'address-level1', false), problems)}
<div><label for="${id}">Country</label><select id="${id}" name="${id}" autocomplete="${section} country"${invalid(id, problems)}>${!isRequired && html`<option value=""></option>`}${countries.map(({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>`)}</select>${problemOf(id, problems)}</div></div>
${prefix !== '' && textField(field('taxid', 'Tax number', 'off', false), problems)}`
}

/** The value of a rate or a pickup location in the form. */
export const rateValue = (methodId: string, serviceCode: string | null): string => `rate ${methodId} ${serviceCode ?? ''}`
export const pickupValue = (locationId: string): string => `pickup ${locationId}`

function deliveryForm(
  { pickupLocations }: CheckoutShop,
  cart: Cart,
  { links, token, problems = NO_PROBLEMS, typed }: CheckoutView,
): Html {
  const { shippingMethodId, shippingServiceCode, pickupLocationId, currency } = cart
  const rates = cart.shippingRates ?? []
  const known =
    pickupLocationId !== null
      ? pickupValue(pickupLocationId)
      : shippingMethodId !== null
        ? rateValue(shippingMethodId, shippingServiceCode)
        : null
  const [first] = rates
  const chosen = typed?.('delivery') || (known ?? (first ? rateValue(first.shippingMethodId, first.serviceCode) : null))
  const radio = (value: string, text: Html) =>
    html`<label class="choice"><input type="radio" name="delivery" value="${value}"${value === chosen && html` checked`} required> <span>${text}</span></label>`
  if (rates.length === 0 && pickupLocations.length === 0)
    return html`<h2 id="delivery">How it gets there</h2><p class="alert tone-bad">Nothing is shipped to this address. <a href="${links.to('/checkout', { step: 'address' })}">Change the address</a></p>`
  return html`<form method="post" action="${links.to('/checkout/delivery')}" class="stacked">${formToken(token)}
<fieldset id="delivery"${invalid('delivery', problems)}><legend><h2>How it gets there</h2></legend>
${rates.map((rate) => radio(rateValue(rate.shippingMethodId, rate.serviceCode), html`${rate.name} <strong>${Number(rate.price) === 0 ? 'free' : money(rate.price, currency)}</strong>${rate.description !== null && html`<br><span class="quiet">${rate.description}</span>`}`))}
${pickupLocations.map(({ id, name, address, city }) => radio(pickupValue(id), html`Collect at ${name} <strong>free</strong><br><span class="quiet">${[address, city].filter((each) => each).join(', ')}</span>`))}
</fieldset>${problemOf('delivery', problems)}
<p class="quiet">Prices are before taxes.</p>
<p class="actions"><button>Continue</button></p></form>`
}

/** Name of the field with the answer to a question of the checkout. */
export const answerField = (fieldId: string): string => `answer.${fieldId}`

function paymentForm(
  shop: CheckoutShop,
  cart: Cart,
  { links, token, key, problems = NO_PROBLEMS, typed, accountEmail }: CheckoutView,
): Html {
  const { totals } = cart
  const isDue = totals !== null && Number(totals.total) > 0
  const chosen =
    typed?.('payment') || (cart.paymentMethodId ?? (shop.paymentMethods.length === 1 ? shop.paymentMethods[0]?.id : null))
  return html`<form method="post" action="${links.to('/checkout/order')}" class="stacked">${formToken(token)}
<input type="hidden" name="key" value="${key}"><input type="hidden" name="expected" value="${totals?.total ?? ''}">
${addressSummary(cart, links)}
${accountEmail !== null && accountChoice(accountEmail, typed)}
${
  isDue &&
  (shop.paymentMethods.length === 0
    ? html`<p class="alert tone-bad">This shop takes no payments at present.</p>`
    : html`<fieldset id="payment"${invalid('payment', problems)}><legend><h2>How you pay</h2></legend>
${shop.paymentMethods.map(({ id, name, description }) => html`<label class="choice"><input type="radio" name="payment" value="${id}"${id === chosen && html` checked`} required> <span>${name}${description !== null && html`<br><span class="quiet">${description}</span>`}</span></label>`)}
</fieldset>${problemOf('payment', problems)}`)
}
${shop.checkoutFields.map((field) => question(field, typed, problems))}
<div><label for="note">Note to the shop <span class="quiet">(optional)</span></label><textarea id="note" name="note" rows="2" maxlength="1000"${invalid('note', problems)}>${typed?.('note') ?? cart.note ?? ''}</textarea>${problemOf('note', problems)}</div>
<p class="actions"><button>${totals === null ? 'Place order' : html`Place order and pay ${money(totals.total, totals.currency)}`}</button></p>
<p class="quiet">With this button you place an order with an obligation to pay.</p></form>`
}

/** Whose account gets the order: whoever can open it sees the order, so that it is said and can be refused. */
function accountChoice(email: string, typed: Typed | null | undefined): Html {
  const isGuest = typed?.('account') === ''
  return html`<fieldset><legend><h2>Ordering as ${email}</h2></legend>
<label class="choice"><input type="radio" name="account" value="${email}"${!isGuest && html` checked`}> <span>Keep the order in the account ${email}</span></label>
<label class="choice"><input type="radio" name="account" value=""${isGuest && html` checked`}> <span>Order as a guest<br><span class="quiet">Choose this if ${email} is not you. You sign out on the page of the account.</span></span></label>
</fieldset>`
}

const addressSummary = ({ shippingAddress, email }: Cart, { to }: ShopLinks): Html | false =>
  shippingAddress !== null &&
  html`<p>${[
    [shippingAddress.name, shippingAddress.surname],
    [shippingAddress.address],
    [shippingAddress.postal, shippingAddress.city],
    [shippingAddress.country],
  ]
    .map((line) => line.filter((part) => part).join(' '))
    .filter((line) => line !== '')
    .join(', ')} · ${email} <a href="${to('/checkout', { step: 'address' })}">Change</a></p>`

function question(
  { id, label, type, required, options }: CheckoutShop['checkoutFields'][number],
  typed: Typed | null | undefined,
  problems: FormProblems,
): Html {
  const name = answerField(id)
  const value = typed?.(name) ?? ''
  const isRequired = required && html` required`
  if (type === 'CHECKBOX')
    return html`<div><label class="choice"><input type="checkbox" id="${name}" name="${name}" value="true"${value === 'true' && html` checked`}${isRequired}${invalid(name, problems)}> <span>${label}</span></label>${problemOf(name, problems)}</div>`
  if (type === 'SELECT')
    return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"${isRequired}${invalid(name, problems)}><option value=""></option>${options.map((option) => html`<option value="${option}"${option === value && html` selected`}>${option}</option>`)}</select>${problemOf(name, problems)}</div>`
  return textField({ name, label, value, autocomplete: 'off', required, maxLength: 500 }, problems)
}
