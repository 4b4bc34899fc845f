import {
  ShopAccountProductPageDocument,
  type ShopProductContentsFragment,
  ShopProductPageDocument,
} from '#generated/operations.ts'
import { type FormProblems, invalid, NO_PROBLEMS, problemOf, problemSummary } from '../frame/fields.ts'
import { dayOf, money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { page, type WebPage } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { shopSessionOf } from './cart-cookie.ts'
import type { RefusedForm } from './cart-page.ts'
import { breadcrumbs, frameOf, isOurs, linksOf, type ShopLinks, trail } from './frame.ts'
import { LANGUAGE } from './front-pages.ts'
import { AVAILABILITY_LABELS, priceOf, productGrid, productPath, stars } from './product-card.ts'
import { plainText, richText } from './rich-text.ts'
import { shopFor } from './shop-for.ts'

type Shop = ShopProductContentsFragment
type Product = NonNullable<Shop['product']>
type Variant = Product['variants'][number]

/** Variants that are shown beside each other; more are in a list to choose from. */
const MAX_BUTTONS = 12
const MAX_THUMBNAILS = 12

/** Operations that read a product. */
export const PRODUCT_DOCUMENTS = [ShopProductPageDocument, ShopAccountProductPageDocument] as const

export const shopProductPages = [
  page({
    on: '/shops/{code}/products/{permalink}',
    operations: PRODUCT_DOCUMENTS,
    sessionOf: shopSessionOf,
    parameters: {
      language: LANGUAGE,
      image: { kind: 'integer', min: 1, max: 250, default: 1 },
      variant: { kind: 'text', max: 100 },
      currency: { kind: 'text', max: 3 },
    },
    async answer({ path, query, run, site, session }) {
      const { language, currency } = query
      const visitor = currency === null ? session : { account: session?.account ?? null, currency }
      const shop = await shopFor(run, visitor, PRODUCT_DOCUMENTS, { ...path, language })
      if (!shop?.product) return null
      const links = linksOf(shop, language, site)
      const listedIn = currency === shop.currency ? currency : null
      return productPage(shop, shop.product, { links, shown: query.image, chosen: query.variant, listedIn })
    },
  }),
]

type View = {
  readonly links: ShopLinks
  /** Number of the picture that is large, from 1. */
  readonly shown?: number
  /** Id of the variant that is chosen before anything was. */
  readonly chosen: string | null
  /** Currency of the address, such as one of a product feed; null or absent: that of the visitor. */
  readonly listedIn?: string | null
  readonly refused?: RefusedForm
}

/** The page of a product; with a form that was refused, it has no address of its own. */
export function productPage(shop: Shop, product: Product, view: View): WebPage {
  const { links, refused } = view
  const { site } = links
  const here = links.path(productPath(product.permalink))
  const steps = stepsOf(shop, product)
  const own = { name: product.name, path: productPath(product.permalink) }
  const description = product.seo.description ?? (plainText(product.description ?? '', 160) || product.name)
  return {
    title: product.seo.title,
    description,
    ...(refused ? { status: 422 } : { canonical: here }),
    picture: picturesOf(product, site)[0],
    frame: frameOf(shop, links),
    structured: [
      structuredProduct(shop, product, `${site.publicUrl}${here}`, description),
      breadcrumbs(
        [...steps, own].map(({ name, path }) => ({ name, path: links.path(path) })),
        site,
      ),
    ],
    body: html`${trail(
      steps.map(({ name, path }) => ({ name, href: links.to(path) })),
      product.name,
    )}
${productBody(shop, product, view)}`,
  }
}

const picturesOf = ({ images }: Product, site: Site): readonly string[] =>
  images.map(({ url }) => url).filter((url) => isOurs(url, site))

/** From the shop over a collection of the product to it. */
function stepsOf(shop: Shop, { collections }: Product) {
  const [collection] = collections
  const levels = collection ? [collection.parent, collection].filter((each) => each != null) : []
  return [
    { name: shop.name, path: '' },
    ...levels.map(({ name, permalink }) => ({ name, path: `/collections/${encodeURIComponent(permalink)}` })),
  ]
}

const productBody = (shop: Shop, product: Product, view: View): Html => html`<article class="product">
<div class="gallery">${gallery(product, view)}</div>
<div>
<h1>${product.name}</h1>
${product.brand !== null && html`<p class="quiet">by <a href="${view.links.to('/search', { brand: product.brand })}">${product.brand}</a></p>`}
${product.rating.count > 0 && html`<p><a href="#reviews">${stars(product.rating)}</a></p>`}
<p class="lead">${priceOf(product.price, shop.currency, product.maximumPrice.amount)}</p>
${quantityPrices(shop, product)}
${buyForm(shop, product, view)}
${product.description !== null && html`<div class="description">${richText(product.description)}</div>`}
${product.sku !== null && html`<p class="quiet">Article number ${product.sku}</p>`}
</div>
</article>
${reviews(product)}
${product.related.length > 0 && html`<section aria-labelledby="related"><h2 id="related">Goes with it</h2>${productGrid(product.related, shop.currency, view.links)}</section>`}`

function gallery(product: Product, { shown = 1, listedIn = null, links: { to, site } }: View): Html {
  const { name, permalink } = product
  const pictures = picturesOf(product, site)
  const large = pictures[shown - 1] ?? pictures[0]
  if (large === undefined) return html`<span class="no-picture"></span>`
  return html`<img src="${pathIn(large)}" alt="${name}" width="600" height="600">
${
  pictures.length > 1 &&
  html`<ul class="thumbnails">${pictures.slice(0, MAX_THUMBNAILS).map((url, index) => html`<li><a href="${to(productPath(permalink), { image: String(index + 1), currency: listedIn })}"${url === large && html` aria-current="true"`}><img src="${pathIn(url)}" alt="Picture ${index + 1} of ${pictures.length}" width="80" height="80" loading="lazy"></a></li>`)}</ul>`
}`
}

/**
 * Prices of more units, of the product or of each of its variants that has some; those that all
 * variants have, once.
 */
function quantityPrices({ currency }: Shop, { quantityPrices: own, variants }: Product): Html | false {
  const [first] = variants
  const isShared = new Set(variants.map(({ quantityPrices: prices }) => JSON.stringify(prices))).size === 1
  const ofVariants = variants.map(({ options, quantityPrices: prices }) => ({
    of: `${options.map(({ value }) => value).join(', ')}: `,
    prices,
  }))
  const rows = [
    { of: '', prices: own },
    ...(first && isShared ? [{ of: '', prices: first.quantityPrices }] : ofVariants),
  ].flatMap(({ of, prices }) => prices.map(({ minimumQuantity, price }) => ({ of, minimumQuantity, amount: price.amount })))
  return (
    rows.length > 0 &&
    html`<ul class="quiet">${rows.map(({ of, minimumQuantity, amount }) => html`<li>${of}from ${whole(minimumQuantity)} on, ${money(amount, currency)} each</li>`)}</ul>`
  )
}

/** Works from a page that caches keep: it holds nothing of who looks at it. */
function buyForm({ currency }: Shop, product: Product, { chosen, listedIn = null, refused, links }: View): Html {
  const { availability, variants, minimumQuantity, maximumQuantity } = product
  const problems = refused?.problems ?? NO_PROBLEMS
  if (availability !== 'IN_STOCK') return html`<p class="alert"><strong>${AVAILABILITY_LABELS[availability]}</strong></p>`
  const least = minimumQuantity ?? 1
  return html`<form method="post" action="${links.to('/cart/add')}" class="buy">${problemSummary(problems)}
<input type="hidden" name="permalink" value="${product.permalink}">${listedIn !== null && html`<input type="hidden" name="currency" value="${listedIn}">`}
${variants.length > 0 && variantChoice(variants, { chosen, currency, problems })}${problemOf('variant', problems)}
<div class="buy-row"><div><label for="quantity">Quantity</label><input type="number" id="quantity" name="quantity" value="${refused?.typed('quantity') ?? least}" min="${least}" max="${maximumQuantity ?? 1_000_000}" inputmode="numeric" required${invalid('quantity', problems)}></div>
<button>Add to cart</button></div>${problemOf('quantity', problems)}
<p class="quiet">${AVAILABILITY_LABELS[availability]}.${product.shippingRequired ? '' : ' Nothing is shipped.'}</p>
</form>`
}

function variantChoice(
  variants: readonly Variant[],
  { chosen, currency, problems }: { readonly chosen: string | null; readonly currency: string; readonly problems: FormProblems },
): Html {
  const label = variants[0]?.options.map(({ name }) => name).join(', ') || 'Variant'
  const isSold = ({ availability }: Variant) => availability === 'IN_STOCK'
  const first = variants.find((variant) => variant.id === chosen && isSold(variant)) ?? variants.find(isSold)
  const prices = new Set(variants.map(({ price }) => price.amount))
  const text = ({ options, price, availability }: Variant): Html =>
    html`${options.map(({ value }) => value).join(', ')}${prices.size > 1 && html` <span class="quiet">${priceOf({ ...price, compareAt: null }, currency)}</span>`}${availability !== 'IN_STOCK' && html` <span class="quiet">${AVAILABILITY_LABELS[availability].toLowerCase()}</span>`}`
  if (variants.length > MAX_BUTTONS)
    return html`<div><label for="variant">${label}</label><select id="variant" name="variant"${invalid('variant', problems)}>${variants.map((variant) => html`<option value="${variant.id}"${variant === first && html` selected`}${!isSold(variant) && html` disabled`}>${variant.options.map(({ value }) => value).join(', ')}${!isSold(variant) && ', out of stock'}</option>`)}</select></div>`
  return html`<fieldset class="variants" id="variant"${invalid('variant', problems)}><legend>${label}</legend>${variants.map((variant) => html`<label><input type="radio" name="variant" value="${variant.id}"${variant === first && html` checked`}${!isSold(variant) && html` disabled`} required> ${text(variant)}</label>`)}</fieldset>`
}

const reviews = ({ reviews: written, rating }: Product): Html | false =>
  rating.count > 0 &&
  html`<section aria-labelledby="reviews" class="narrow"><h2 id="reviews">Reviews</h2>
<p>${stars(rating)}</p>
${written.map((review) => html`<article class="review"><p><strong>${review.rating} of 5</strong> <span class="quiet"><time datetime="${review.createdAt}">${dayOf(review.createdAt)}</time>${review.verified && ' · bought here'}</span></p>${review.text !== null && html`<p>${review.text}</p>`}</article>`)}</section>`

const AVAILABILITY_URLS = {
  IN_STOCK: 'https://schema.org/InStock',
  OUT_OF_STOCK: 'https://schema.org/OutOfStock',
  NOT_FOR_SALE: 'https://schema.org/Discontinued',
} as const

function structuredProduct({ name: seller, currency }: Shop, product: Product, url: string, description: string): object {
  const { price, maximumPrice, availability, rating, variants } = product
  const common = {
    priceCurrency: currency,
    availability: AVAILABILITY_URLS[availability],
    url,
    seller: { '@type': 'Organization', name: seller },
  }
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: product.name,
    description,
    url,
    ...(product.images.length > 0 && { image: product.images.map((image) => image.url) }),
    ...(product.sku !== null && { sku: product.sku }),
    ...(product.brand !== null && { brand: { '@type': 'Brand', name: product.brand } }),
    offers:
      variants.length > 1
        ? {
            '@type': 'AggregateOffer',
            lowPrice: price.amount,
            highPrice: maximumPrice.amount,
            offerCount: variants.length,
            ...common,
          }
        : { '@type': 'Offer', price: price.amount, ...common },
    ...(rating.count > 0 && {
      aggregateRating: { '@type': 'AggregateRating', ratingValue: rating.average, reviewCount: rating.count },
    }),
  }
}
