import type { ShopProductCardFragment, StorefrontAvailability } from '#generated/operations.ts'
import { money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { pathIn } from '../frame/site.ts'
import { isOurs, type ShopLinks } from './frame.ts'

/** What shoppers read of an availability; in stock needs no word in lists. */
export const AVAILABILITY_LABELS: Readonly<Record<StorefrontAvailability, string>> = {
  IN_STOCK: 'In stock',
  OUT_OF_STOCK: 'Out of stock',
  NOT_FOR_SALE: 'Not for sale at present',
}

/** Path of a product below that of its shop. */
export const productPath = (permalink: string): string => `/products/${encodeURIComponent(permalink)}`

/** A grid of products. The heading of each is one below `level`, which is that of the list. */
export const productGrid = (products: readonly ShopProductCardFragment[], currency: string, links: ShopLinks): Html =>
  html`<ul class="goods">${products.map((product) => card(product, currency, links))}</ul>`

const card = (product: ShopProductCardFragment, currency: string, { to, site }: ShopLinks): Html => {
  const [image] = product.images
  return html`<li><a class="goods-link" href="${to(productPath(product.permalink))}">${
    image && isOurs(image.url, site)
      ? html`<img src="${pathIn(image.url)}" alt="" width="240" height="240" loading="lazy">`
      : html`<span class="no-picture"></span>`
  }<span class="goods-name">${product.name}</span></a>
<p>${priceOf(product.price, currency, product.maximumPrice.amount)}</p>
${product.rating.count > 0 && html`<p class="quiet">${stars(product.rating)}</p>`}
${product.availability !== 'IN_STOCK' && html`<p class="quiet">${AVAILABILITY_LABELS[product.availability]}</p>`}</li>`
}

type Price = { readonly amount: string; readonly compareAt: string | null }

/** €12.50, and the former price; `from` where variants cost more. */
export const priceOf = ({ amount, compareAt }: Price, currency: string, highest = amount): Html =>
  html`${highest !== amount && 'from '}<strong class="price">${money(amount, currency)}</strong>${
    compareAt !== null && html` <s class="quiet"><span class="spoken">formerly </span>${money(compareAt, currency)}</s>`
  }`

/** ★★★★☆ 4.3 (12): the stars are for the eye alone. */
export function stars({ average, count }: { readonly average: number | null; readonly count: number }): Html {
  if (average === null) return html`No reviews yet`
  const full = Math.round(average)
  return html`<span class="stars" aria-hidden="true">${'★'.repeat(full)}${'☆'.repeat(5 - full)}</span> <span class="spoken">Rated </span>${average}<span class="spoken"> of 5 in </span> (${whole(count)}<span class="spoken"> ${count === 1 ? 'review' : 'reviews'}</span>)`
}
