import type { FastifyReply } from 'fastify'
import {
  ShopAccountCartPageDocument,
  type ShopCartFragment,
  ShopCartPageDocument,
  ShopCreateCartDocument,
  ShopUpdateCartDocument,
} from '#generated/operations.ts'
import type { FormProblems } from '../frame/fields.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import { CURRENCY_CODE, currencyCookieOf, isFormOf } from './cart-cookie.ts'
import { cartPage, quantityField } from './cart-page.ts'
import { linksOf } from './frame.ts'
import { PRODUCT_DOCUMENTS, productPage } from './product-pages.ts'
import { shopFor } from './shop-for.ts'
import { type CartVisit, foreignForm, type ShopResponder } from './visit.ts'

/** What the graph takes at most. */
const MAX_UNITS = 1_000_000
const MAX_CODE_LENGTH = 100
const MAX_CODES = 20
const NO_GIFT_CARD = 'No gift card with this code can pay here. Is it mistyped, expired or used up, or are there ten already?'

const CART_PAGE_DOCUMENTS = [ShopCartPageDocument, ShopAccountCartPageDocument] as const

/** Operations of `createCartForms`. */
export const CART_DOCUMENTS = [...CART_PAGE_DOCUMENTS, ShopCreateCartDocument, ...PRODUCT_DOCUMENTS, ShopUpdateCartDocument]

/** Answers null for a shop or product that does not exist. */
export function createCartForms({ site, cookie, show, redirect }: ShopResponder) {
  const currencyCookie = currencyCookieOf(site)
  return { showCart, addToCart, changeCart }

  function shopWithCart({ code, language, cart, run, session }: CartVisit) {
    return shopFor(run, session, CART_PAGE_DOCUMENTS, { code, language, token: cart ?? '' })
  }

  async function showCart(visit: CartVisit): Promise<FastifyReply | null> {
    const shop = await shopWithCart(visit)
    return shop && show(visit.reply, cartPage(shop, visit.cart, linksOf(shop, visit.language, site)))
  }

  async function addToCart(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, run, session } = visit
    const field = (name: string) => fieldOf(request, name)
    const listed = CURRENCY_CODE.test(field('currency')) ? field('currency') : null
    const visitor = listed === null ? session : { account: session?.account ?? null, currency: listed }
    const shop = await shopFor(run, visitor, PRODUCT_DOCUMENTS, { code, language, permalink: field('permalink') })
    if (!shop?.product) return null
    const listedIn = listed === shop.currency ? listed : null
    const { product } = shop
    const links = linksOf(shop, language, site)
    const refuse = (problems: FormProblems) =>
      show(reply, productPage(shop, product, { links, chosen: field('variant'), listedIn, refused: { problems, typed: field } }))
    const variant = product.variants.find(({ id }) => id === field('variant'))
    const quantity = quantityIn(field('quantity'), product.minimumQuantity ?? 1, product.maximumQuantity ?? MAX_UNITS)
    const problems = {
      ...(product.variants.length > 0 && !variant && { variant: 'Choose one of these.' }),
      ...(typeof quantity === 'string' && { quantity }),
    }
    if (typeof quantity === 'string' || Object.keys(problems).length > 0) return refuse(problems)
    const line = { productId: product.id, variantId: variant?.id ?? null, quantity }
    // The shop may sell no longer in the currency of the cookie.
    const currency = visitor?.currency === shop.currency ? shop.currency : null
    const added = await addLine({ ...visit, session: { account: null, currency } }, line, listedIn)
    // A price that was agreed to goes on to be shown: also on other pages.
    if (added === null && listedIn !== null) currencyCookie.keep(reply, code, listedIn)
    return added === null ? redirect(reply, links.to('/cart')) : refuse({ quantity: added })
  }

  /** Null when it is in the cart; otherwise why not. `listedIn`: the cart gets this currency, where it is given. */
  async function addLine(
    { code, language, cart, run, reply, session }: CartVisit,
    line: { readonly productId: string; readonly variantId: string | null; readonly quantity: number },
    listedIn: string | null,
  ): Promise<string | null> {
    if (cart !== null) {
      const input = { store: code, token: cart, addLines: [line], ...(listedIn !== null && { currency: listedIn }) }
      const { written } = dataOf(await run(ShopUpdateCartDocument, { input }))
      if (written.__typename === 'UpdateStorefrontCartSuccess') return null
      if (written.__typename === 'ValidationError') return 'The cart is full: change its lines.'
      // One that expired or was ordered: begin another.
    }
    const { written } = dataOf(
      await run(ShopCreateCartDocument, { input: { store: code, language, currency: session?.currency ?? null, lines: [line] } }),
    )
    if (written.__typename !== 'CreateStorefrontCartSuccess') return 'This cannot be added to the cart.'
    cookie.keep(reply, code, written.token)
    return null
  }

  async function changeCart(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, cart, run } = visit
    const shop = await shopWithCart(visit)
    if (shop === null) return null
    if (cart === null || !shop.cart || !isFormOf(cart, request)) return show(reply, foreignForm)
    const links = linksOf(shop, language, site)
    const field = (name: string) => fieldOf(request, name)
    const { problems, change, giftCard } = readCartForm(shop.cart, field)
    if (problems.size > 0)
      return show(reply, cartPage(shop, cart, links, { problems: Object.fromEntries(problems), typed: field }))
    const { written } = dataOf(await run(ShopUpdateCartDocument, { input: { store: code, token: cart, ...change } }))
    if (written.__typename === 'ValidationError') {
      const refused = Object.fromEntries(written.errors.map(({ message }) => ['coupon', message]))
      return show(reply, cartPage(shop, cart, links, { problems: refused, typed: field }))
    }
    const refusal = giftCard === '' ? null : await addGiftCard(visit, cart, giftCard)
    if (refusal === null) return redirect(reply, links.to('/cart'))
    const changed = await shopWithCart(visit)
    const refused = {
      problems: { 'gift-card': refusal.problem },
      typed: (name: string) => (name === 'gift-card' ? giftCard : ''),
    }
    return show(reply, { ...cartPage(changed ?? shop, cart, links, refused), status: refusal.status })
  }

  /** After all other changes, which a mistyped code must not prevent; null when it was added. */
  async function addGiftCard({ code, run }: CartVisit, token: string, giftCard: string) {
    const answer = await run(ShopUpdateCartDocument, { input: { store: code, token, addGiftCardCodes: [giftCard] } })
    if (answer.errors.some(({ extensions }) => extensions?.code === 'RATE_LIMITED'))
      return { problem: 'Too many codes were tried: wait a minute.', status: 429 }
    return dataOf(answer).written.__typename === 'ValidationError' ? { problem: NO_GIFT_CARD, status: 422 } : null
  }
}

/** What the form of a cart changes, and what is wrong with what was typed. */
function readCartForm({ lines, couponCodes }: ShopCartFragment, field: (name: string) => string) {
  const problems = new Map<string, string>()
  const removed = field('remove')
  const dropped = field('drop-gift-card')
  // A button that removes one thing sends the code fields too, with text that was not added yet.
  const isRemoval = removed !== '' || dropped !== '' || field('drop-coupon') !== ''
  const setLines = lines.flatMap(({ id, quantity: before }) => {
    if (removed !== '') return id === removed ? [{ lineId: id, quantity: 0 }] : []
    const typed = field(quantityField(id))
    if (typed === '') return []
    const quantity = quantityIn(typed, 0, MAX_UNITS)
    if (typeof quantity === 'string') problems.set(quantityField(id), quantity)
    return typeof quantity === 'string' || quantity === before ? [] : [{ lineId: id, quantity }]
  })
  const codeIn = (name: string): string => {
    const code = isRemoval ? '' : field(name).trim()
    if (code.length > MAX_CODE_LENGTH || /\p{Cc}/u.test(code))
      problems.set(name, `Enter a code of at most ${MAX_CODE_LENGTH} characters.`)
    return code
  }
  const [coupon, giftCard] = [codeIn('coupon'), codeIn('gift-card')]
  const codes = coupon !== '' && !couponCodes.includes(coupon) ? [...couponCodes, coupon] : couponCodes
  if (codes.length > MAX_CODES && !problems.has('coupon')) problems.set('coupon', `A cart takes at most ${MAX_CODES} codes.`)
  return {
    problems,
    giftCard,
    change: {
      setLines,
      couponCodes: codes.filter((each) => each !== field('drop-coupon')),
      ...(dropped !== '' && { removeGiftCardIds: [dropped] }),
    },
  }
}

/** A whole number within bounds; otherwise what is wrong with the text. */
function quantityIn(text: string, least: number, max: number): number | string {
  const value = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= max ? value : `Enter a whole number from ${least} to ${max}.`
}
