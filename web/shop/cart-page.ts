import type { ShopCartContentsFragment, ShopCartFragment } from '#generated/operations.ts'
import { type FormProblems, invalid, problemOf, problemSummary } from '../frame/fields.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { pathIn } from '../frame/site.ts'
import { CART_FORM_TOKEN, formTokenOf } from './cart-cookie.ts'
import { currencyForm, frameOf, isOurs, type ShopLinks } from './frame.ts'
import { productPath } from './product-card.ts'

type Shop = ShopCartContentsFragment
type Line = ShopCartFragment['lines'][number]

/** Problems that are solved in the cart; the others are those of the checkout. */
const CART_PROBLEMS: readonly string[] = ['NOT_FOR_SALE', 'INSUFFICIENT_STOCK', 'QUANTITY', 'COUPON', 'GIFT_CARD', 'INVALID']

/** What a form about a cart begins with. */
export const formToken = (token: string): Html =>
  html`<input type="hidden" name="${CART_FORM_TOKEN}" value="${formTokenOf(token)}">`

/** Name of the field with the quantity of a line. */
export const quantityField = (lineId: string): string => `q.${lineId}`

/** A form that was refused: what was typed, and what is wrong with it. */
export type RefusedForm = { readonly problems: FormProblems; readonly typed: (field: string) => string }

/** The cart of a visitor; `cart` is null for who has none. */
export const cartPage = (shop: Shop, token: string | null, links: ShopLinks, refused: RefusedForm | null = null): WebPage => ({
  title: 'Cart',
  description: `Your cart at ${shop.name}.`,
  frame: frameOf(shop, links),
  ...(refused && { status: 422 }),
  body: html`<h1>Cart</h1>
${
  shop.cart && token !== null && shop.cart.lines.length > 0
    ? cartBody(shop, shop.cart, token, { links, refused })
    : html`<p class="lead">Your cart is empty.</p><p><a class="button" href="${links.to('/search')}">Look around</a></p>`
}`,
})

function cartBody(
  shop: Shop,
  cart: ShopCartFragment,
  token: string,
  { links, refused }: { readonly links: ShopLinks; readonly refused: RefusedForm | null },
): Html {
  const problems = refused?.problems ?? {}
  const general = cart.problems.filter(({ code, lineId }) => lineId === null && CART_PROBLEMS.includes(code))
  return html`${problemSummary(problems)}
${general.length > 0 && html`<div class="alert tone-bad" role="alert">${general.map(({ message }) => html`<p>${message}</p>`)}</div>`}
${!shop.currencies.includes(cart.currency) && currencyForm(shop, links)}
<div class="checkout-layout">
<form method="post" action="${links.to('/cart')}" class="cart-form">${formToken(token)}<button class="spoken" name="do" value="update" tabindex="-1" aria-hidden="true">Update cart</button>
<ul class="cart-lines">${cart.lines.map((line) => lineOf(line, cart, { links, refused }))}</ul>
<div class="cart-actions"><button class="secondary" name="do" value="update">Update cart</button></div>
<div class="coupon"><label for="coupon">Coupon code</label>
<div class="ask"><input type="text" id="coupon" name="coupon" value="${refused?.typed('coupon') ?? ''}" maxlength="100" autocomplete="off" autocapitalize="characters" spellcheck="false"${invalid('coupon', problems)}><button class="secondary" name="do" value="coupon">Apply<span class="spoken"> coupon</span></button></div>${problemOf('coupon', problems)}
${cart.couponCodes.length > 0 && html`<ul class="coupons">${cart.couponCodes.map((code) => html`<li><code>${code}</code> <button class="plain" name="drop-coupon" value="${code}">Remove<span class="spoken"> coupon ${code}</span></button></li>`)}</ul>`}</div>
${giftCardsOf(cart, refused)}
</form>
<aside class="summary" aria-labelledby="summary"><h2 id="summary">Summary</h2>
${totalsOf(cart)}
<p><a class="button" href="${links.to('/checkout')}">Go to checkout</a></p>
<p><a href="${links.to('/search')}">Continue shopping</a></p></aside>
</div>`
}

/** Cards that pay, without their codes, and a field for one more. */
const giftCardsOf = ({ giftCards, currency: ofCart }: ShopCartFragment, refused: RefusedForm | null): Html => {
  const problems = refused?.problems ?? {}
  return html`<div class="coupon"><label for="gift-card">Gift card</label>
<div class="ask"><input type="text" id="gift-card" name="gift-card" value="${refused?.typed('gift-card') ?? ''}" maxlength="100" autocomplete="off" autocapitalize="characters" spellcheck="false"${invalid('gift-card', problems)}><button class="secondary" name="do" value="gift-card">Apply<span class="spoken"> gift card</span></button></div>${problemOf('gift-card', problems)}
${
  giftCards.length > 0 &&
  html`<ul class="coupons">${giftCards.map(
    ({ id, lastFour, balance, currency, applied, expiresAt }) =>
      html`<li><span><code>…${lastFour}</code> <span class="quiet">${applied !== null && html`pays ${money(applied, ofCart)}, `}has ${money(balance, currency)}${expiresAt !== null && html`, until ${dayOf(expiresAt)}`}</span></span> <button class="plain" name="drop-gift-card" value="${id}">Remove<span class="spoken"> gift card that ends in ${lastFour}</span></button></li>`,
  )}</ul>`
}</div>`
}

const lineOf = (
  line: Line,
  cart: ShopCartFragment,
  { links, refused }: { readonly links: ShopLinks; readonly refused: RefusedForm | null },
): Html => {
  const name = quantityField(line.id)
  const label = line.name ?? line.product?.name ?? 'A product that is gone'
  const typed = refused?.typed(name)
  const messages = cart.problems.filter(({ lineId }) => lineId === line.id).map(({ message }) => message)
  const problems = { ...(messages.length > 0 && { [name]: messages.join(' ') }), ...refused?.problems }
  const image = line.product?.images[0]?.url
  return html`<li>${image !== undefined && isOurs(image, links.site) ? html`<img src="${pathIn(image)}" alt="" width="96" height="96">` : html`<span class="no-picture"></span>`}
<div><p class="goods-name">${line.product ? html`<a href="${links.to(productPath(line.product.permalink))}">${label}</a>` : label}</p>
<div class="cart-row"><label for="${name}">Quantity<span class="spoken"> of ${label}</span></label>
<input type="number" id="${name}" name="${name}" value="${typed ? typed : line.quantity}" min="0" max="1000000" inputmode="numeric"${invalid(name, problems)}>
<button class="plain" name="remove" value="${line.id}">Remove<span class="spoken"> ${label}</span></button></div>${problemOf(name, problems)}</div>
<p class="price">${line.total !== null && money(line.total, cart.currency)}</p></li>`
}

/** The amounts of a cart; they add up. Shipping costs nothing until a delivery was chosen. */
export const totalsOf = ({ totals, lines }: Pick<ShopCartFragment, 'totals' | 'lines'>, isDeliveryChosen = false): Html =>
  totals === null
    ? html`<p class="quiet">${counted(lines.length, 'item')}</p>`
    : html`<dl class="totals"><dt>Goods</dt><dd>${money(totals.subtotal, totals.currency)}</dd>
${Number(totals.discount) > 0 && html`<dt>Discount${totals.promotions.length > 0 && html` <span class="quiet">${totals.promotions.join(', ')}</span>`}</dt><dd>−${money(totals.discount, totals.currency)}</dd>`}
<dt>Taxes</dt><dd>${money(totals.tax, totals.currency)}</dd>
${totals.shippingRequired && html`<dt>Shipping</dt><dd>${Number(totals.shippingTotal) > 0 ? money(totals.shippingTotal, totals.currency) : html`<span class="quiet">${isDeliveryChosen ? 'free' : 'at checkout'}</span>`}</dd>`}
${Number(totals.giftCards) > 0 && html`<dt>Gift cards</dt><dd>−${money(totals.giftCards, totals.currency)}</dd>`}
<dt class="grand">${Number(totals.giftCards) > 0 ? 'To pay' : 'Total'}</dt><dd class="grand">${money(totals.total, totals.currency)}</dd></dl>`
