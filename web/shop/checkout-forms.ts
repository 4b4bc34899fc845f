import type { FastifyReply } from 'fastify'
import { ShopAccountSessionDocument, ShopCompleteCheckoutDocument, ShopUpdateCartDocument } from '#generated/operations.ts'
import { type FormProblems, textProblems } from '../frame/fields.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import type { TokenCookie } from './cart-cookie.ts'
import { ADDRESS_FIELDS, answerField, type CheckoutShop } from './checkout-page.ts'
import { CHECKOUT_PAGE_DOCUMENTS, createCheckoutSteps, type SentForm } from './checkout-steps.ts'
import { linksOf } from './frame.ts'
import { type CartVisit, foreignForm, type ShopResponder } from './visit.ts'

/** Operations of `createCheckoutForms`. */
export const CHECKOUT_DOCUMENTS = [
  ShopAccountSessionDocument,
  ...CHECKOUT_PAGE_DOCUMENTS,
  ShopUpdateCartDocument,
  ShopCompleteCheckoutDocument,
]

const MAX_NOTE_LENGTH = 1_000
const MAX_ANSWER_LENGTH = 500

/** Required fields of addresses, as a sentence names them. */
const REQUIRED = {
  name: 'your first name',
  surname: 'your last name',
  address: 'street and house number',
  city: 'your city',
  country: 'a country',
} as const

const IS_EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u

/** Answers null for a shop that does not exist. */
export function createCheckoutForms(responder: ShopResponder, account: TokenCookie) {
  const { shopOf, showCheckout, showStep, sent, change, next, refuse, sessionOf } = createCheckoutSteps(responder, account)
  const { site, cookie, show, redirect } = responder
  return {
    showCheckout,
    sendAddress: (visit: CartVisit) => sent(visit, saveAddress),
    sendDelivery: (visit: CartVisit) => sent(visit, saveDelivery),
    sendOrder: (visit: CartVisit) => sent(visit, placeOrder),
  }

  async function saveAddress(form: SentForm): Promise<FastifyReply> {
    const { visit, shop, token } = form
    const field = (name: string) => fieldOf(visit.request, name)
    const email = field('email').trim()
    const shipping = addressIn('', field)
    const billing = addressIn('billing-', field)
    const hasBilling = Object.values(billing).some((value) => value.trim() !== '')
    const problems = {
      ...(email.length > 254 || !IS_EMAIL.test(email) ? { email: 'Enter an e-mail address such as ana@example.org.' } : {}),
      ...textProblems({ phone: field('phone') }, {}, 50),
      ...textProblems(shipping, REQUIRED),
      ...(hasBilling ? textProblems(prefixed(billing), prefixed(REQUIRED)) : {}),
    }
    if (Object.keys(problems).length > 0) return showStep(visit, shop, { step: 'address', token, problems })
    const written = await change(form, {
      email,
      phone: field('phone') || null,
      shippingAddress: shipping,
      billingAddress: hasBilling ? billing : null,
    })
    const names = (path: string) => path.replace(/^shippingAddress\./, '').replace(/^billingAddress\./, 'billing-')
    return next(form, written, { step: 'address', names })
  }

  async function saveDelivery(form: SentForm): Promise<FastifyReply> {
    const { visit, shop, token } = form
    const [, kind, id, service] = /^(rate|pickup) (\S{1,200}) ?(.{0,200})$/.exec(fieldOf(visit.request, 'delivery')) ?? []
    const problems = { delivery: 'Choose how you get it.' }
    if (id === undefined) return showStep(visit, shop, { step: 'delivery', token, problems })
    const written = await change(
      form,
      kind === 'pickup'
        ? { pickupLocationId: id, shippingMethodId: null, shippingServiceCode: null }
        : { pickupLocationId: null, shippingMethodId: id, shippingServiceCode: service || null },
    )
    if (written.__typename === 'ValidationError') return showStep(visit, shop, { step: 'delivery', token, problems })
    const changed = await shopOf(visit, false)
    return changed?.cart?.problems.some(({ code }) => code === 'SHIPPING_METHOD')
      ? showStep(visit, changed, { step: 'delivery', token, problems })
      : next(form, written, { step: 'delivery', names: () => 'delivery' })
  }

  async function placeOrder(form: SentForm): Promise<FastifyReply> {
    const { visit, shop, cart, token } = form
    const { code, run, reply, language } = visit
    const field = (name: string) => fieldOf(visit.request, name)
    const problems = {
      ...textProblems({ note: field('note') }, {}, MAX_NOTE_LENGTH),
      ...answerProblems(shop, field),
      ...paymentProblems(shop, cart, field),
    }
    if (Object.keys(problems).length > 0) return showStep(visit, shop, { step: 'payment', token, problems })
    const written = await change(form, {
      note: field('note') || null,
      ...(field('payment') !== '' && { paymentMethodId: field('payment') }),
      answers: shop.checkoutFields
        .map(({ id }) => ({ fieldId: id, value: field(answerField(id)) }))
        .filter(({ value }) => value !== ''),
    })
    if (written.__typename !== 'UpdateStorefrontCartSuccess')
      return next(form, written, { step: 'payment', names: (path) => (path === 'note' ? 'note' : '') })
    const [expectedTotal, idempotencyKey] = [field('expected'), field('key')]
    if (!/^\d{1,12}(?:\.\d{1,4})?$/.test(expectedTotal) || !/^[\w-]{1,100}$/.test(idempotencyKey))
      return refuse(form, 'Check the order once more.')
    const session = await sessionOf(visit)
    // Only the account that the form named: it may have been opened by a link of somebody else.
    const accountToken = session !== null && field('account') === session.email ? session.token : null
    // A refusal shows the total of who orders: a guest's is without the price lists of the account.
    const guest = visit.session && { ...visit.session, account: null }
    const shown = accountToken === null ? { ...form, visit: { ...visit, session: guest } } : form
    const result = dataOf(
      await run(ShopCompleteCheckoutDocument, { input: { store: code, token, expectedTotal, idempotencyKey, accountToken } }),
    )
    switch (result.written.__typename) {
      case 'CompleteStorefrontCheckoutSuccess':
        cookie.forget(reply, code)
        return redirect(reply, linksOf(shop, language, site).to(`/orders/${result.written.secret}`))
      case 'StorefrontTotalChanged':
        return refuse(shown, 'The total has changed in the meantime: look at it once more before you order.')
      case 'StorefrontCheckoutIncomplete':
        return refuse(shown, 'Something is missing or not in stock any more.')
      case 'NotFoundError':
        return show(reply, foreignForm)
      default:
        return refuse(shown, 'The cart was changed in the meantime: look at it once more before you order.')
    }
  }
}

const addressIn = (prefix: string, field: (name: string) => string): Record<string, string> =>
  Object.fromEntries(ADDRESS_FIELDS.map((name) => [name, field(`${prefix}${name}`)]))

const prefixed = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`billing-${name}`, value]))

const answerProblems = ({ checkoutFields }: CheckoutShop, field: (name: string) => string): FormProblems =>
  Object.fromEntries(
    checkoutFields.flatMap(({ id, label, type, required, options }): [string, string][] => {
      const name = answerField(id)
      const value = field(name)
      if (required && type === 'CHECKBOX' && value !== 'true') return [[name, 'Tick this to order.']]
      if (required && value.trim() === '') return [[name, `Answer “${label}”.`]]
      if (type === 'SELECT' && value !== '' && !options.includes(value)) return [[name, 'Choose one of these.']]
      return Object.entries(textProblems({ [name]: value }, {}, MAX_ANSWER_LENGTH))
    }),
  )

/** Nothing is to be paid for an order that is free. */
function paymentProblems(
  { paymentMethods }: CheckoutShop,
  { totals }: SentForm['cart'],
  field: (name: string) => string,
): FormProblems {
  const chosen = field('payment')
  const isDue = totals !== null && Number(totals.total) > 0
  const isKnown = paymentMethods.some(({ id }) => id === chosen)
  return isKnown || (!isDue && chosen === '') ? {} : { payment: 'Choose how you pay.' }
}
