import { ShopFeedDocument, type ShopFeedQuery } from '#generated/operations.ts'
import { type FileRow, XML, XML_HEAD } from '../frame/file.ts'
import { type Html, html, textOf } from '../frame/html.ts'
import { dataOf, foundIn, type RunPageOperation } from '../frame/page.ts'
import type { ShopLinks } from './frame.ts'
import { plainText } from './rich-text.ts'
import { isOfOtherCurrency } from './shop-for.ts'

/**
 * Products in one feed, the newest ones: each of the graph's pages takes milliseconds. Larger shops
 * have a feed per collection.
 */
const MAX_PRODUCTS = 1_000
/** Each variant is an item, and a product may have 500. */
const MAX_ITEMS = 5_000
/** Lengths and numbers of Google's product data specification. */
const MAX_TITLE_LENGTH = 150
const MAX_BRAND_LENGTH = 70
const MAX_MORE_IMAGES = 10
/** The specification takes 5,000: variants repeat the description. */
const MAX_DESCRIPTION_LENGTH = 1_000

type Shop = NonNullable<ShopFeedQuery['storefront']>
type Product = Shop['products']['nodes'][number]
type Variant = Product['variants'][number]

/** What a feed is about. */
type Wanted = {
  readonly code: string
  /** Permalink; null: the whole shop. */
  readonly collection: string | null
  /** BCP 47 tag; null: the first language of the shop. */
  readonly language: string | null
  /** ISO 4217 code; null: that of the store. */
  readonly currency: string | null
}

/** Products for search engines and price comparisons: RSS 2.0 with Google's names. */
export const shopFeedFiles: readonly FileRow[] = ['/shops/{code}', '/shops/{code}/collections/{permalink}'].flatMap((about) => [
  row(`${about}/feed.xml`, () => ({ language: null, currency: null })),
  row(`${about}/feed/{file}`, ({ file = '' }) => feedIn(file)),
])

type Edition = Pick<Wanted, 'language' | 'currency'>

/** `pt.xml`, `JPY.xml` or `pt-JPY.xml`: tags of languages do not end in three capitals (RFC 5646 §2.1.1). */
function feedIn(file: string): Edition | null {
  const [name, alone, language = null, currency] = /^(?:([A-Z]{3})|([\w-]{2,35}?)(?:-([A-Z]{3}))?)\.xml$/.exec(file) ?? []
  return name === undefined ? null : { language, currency: alone ?? currency ?? null }
}

/** `editionOf` gives null for what is no name of a feed. */
function row(path: string, editionOf: (path: Readonly<Record<string, string>>) => Edition | null): FileRow {
  return {
    path,
    contentType: XML,
    operations: [ShopFeedDocument],
    async text({ path, run }) {
      const { code = '', permalink: collection = null } = path
      const edition = editionOf(path)
      return edition && feedOf({ code, collection, ...edition }, run)
    },
  }
}

/** Where the feed of a page is, for programs that look for one. */
export const feedLink = (links: ShopLinks, about = '') => {
  const path = links.path(`${about}/feed${links.language === null ? '' : `/${links.language}`}.xml`).split('?', 1)[0] ?? ''
  return { type: 'application/rss+xml', path, title: 'Products' }
}

async function feedOf(wanted: Wanted, run: RunPageOperation): Promise<string | null> {
  const first = await shopFrom(null, wanted, run)
  if (first === null || (wanted.collection !== null && !first.collection)) return null
  const items: Html[] = []
  let { nodes, pageInfo } = first.products
  for (let count = nodes.length; ; count += nodes.length) {
    items.push(...nodes.flatMap((product) => itemsOf(product, first, wanted)))
    if (!pageInfo.hasNextPage || count >= MAX_PRODUCTS || items.length >= MAX_ITEMS) break
    const next = await shopFrom(pageInfo.endCursor, wanted, run)
    // A part of a shop that has just gone would be read as all of it.
    if (next === null) return null
    ;({ nodes, pageInfo } = next.products)
  }
  const { name, url, collection } = first
  const link = collection ? `${url}/collections/${encodeURIComponent(collection.permalink)}` : url
  return (
    XML_HEAD +
    textOf(html`<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
<title>${xmlText(collection ? `${name}: ${collection.name}` : name)}</title>
<link>${addressOf(link, first, wanted)}</link>
<description>${xmlText(`Products of ${name}.`)}</description>
${items.slice(0, MAX_ITEMS)}</channel></rss>
`)
  )
}

async function shopFrom(after: string | null, { code, collection, language, currency }: Wanted, run: RunPageOperation) {
  const answer = await run(ShopFeedDocument, {
    code,
    language,
    currency,
    permalink: collection ?? '',
    isCollection: collection !== null,
    filter: { collection },
    after,
  })
  return isOfOtherCurrency(answer, { currency }) ? null : foundIn(dataOf(answer).storefront, answer)
}

/** Products that are shown and not sold have none. */
function itemsOf(product: Product, shop: Shop, edition: Edition): readonly Html[] {
  if (product.availability === 'NOT_FOR_SALE') return []
  if (product.variants.length === 0) return [itemOf(product, null, shop, edition)]
  return product.variants.map((variant) => itemOf(product, variant, shop, edition))
}

function itemOf(product: Product, variant: Variant | null, shop: Shop, edition: Edition): Html {
  const { price, availability, barcode, id } = variant ?? product
  const title = [product.name, ...(variant?.options.map(({ value }) => value) ?? [])].join(' – ')
  const url = addressOf(product.url, shop, edition, variant ? { variant: variant.id } : {})
  const images = [...(variant?.image ? [variant.image] : []), ...product.images].map((image) => image.url)
  const [image, ...more] = new Set(images)
  const amount = (value: string) => `${withMinorUnits(value, shop.currency)} ${shop.currency}`
  const description = plainText(product.description ?? '', MAX_DESCRIPTION_LENGTH) || product.name
  return html`<item>
<g:id>${id}</g:id>
<title>${shortened(title, MAX_TITLE_LENGTH)}</title>
<description>${xmlText(description)}</description>
<link>${url}</link>
${image !== undefined && html`<g:image_link>${image}</g:image_link>\n`}${more.slice(0, MAX_MORE_IMAGES).map((each) => html`<g:additional_image_link>${each}</g:additional_image_link>\n`)}<g:availability>${availability === 'IN_STOCK' ? 'in_stock' : 'out_of_stock'}</g:availability>
<g:price>${amount(price.compareAt ?? price.amount)}</g:price>
${price.compareAt !== null && html`<g:sale_price>${amount(price.amount)}</g:sale_price>\n`}${product.brand !== null && html`<g:brand>${shortened(product.brand, MAX_BRAND_LENGTH)}</g:brand>\n`}${isGtin(barcode) && html`<g:gtin>${barcode}</g:gtin>\n`}${product.brand === null && !isGtin(barcode) && html`<g:identifier_exists>no</g:identifier_exists>\n`}${variant && html`<g:item_group_id>${product.id}</g:item_group_id>\n`}${product.googleProductCategory !== null && html`<g:google_product_category>${xmlText(product.googleProductCategory)}</g:google_product_category>\n`}${product.collections.slice(0, 1).map(({ name, parent }) => html`<g:product_type>${xmlText([parent?.name, name].filter((each) => each !== undefined).join(' > '))}</g:product_type>\n`)}</item>
`
}

/**
 * An address of the shop, with the language where it is not the first one, and with the currency of
 * the feed: search engines compare its prices with those of the page.
 */
function addressOf(
  url: string,
  { languages }: Shop,
  { language, currency }: Edition,
  query: Readonly<Record<string, string>> = {},
): string {
  const parameters = new URLSearchParams(query)
  if (language !== null && language !== languages[0]) parameters.set('language', language)
  if (currency !== null) parameters.set('currency', currency)
  return parameters.size === 0 ? url : `${url}?${parameters}`
}

/** The decimals of the currency at least: 12.3 EUR is 12.30, and 12 JPY are 12. */
function withMinorUnits(amount: string, currency: string): string {
  const { minimumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const [whole = '0', decimals = ''] = amount.split('.')
  const padded = decimals.padEnd(minimumFractionDigits, '0')
  return padded === '' ? whole : `${whole}.${padded}`
}

const shortened = (text: string, max: number): string => xmlText(text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** Without what XML 1.0 (§2.2) has no way to write: control characters and halves of pairs. */
const xmlText = (text: string): string => text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '')

/**
 * True for 8, 12, 13 or 14 digits whose last one is the check digit of the others (GS1 General
 * Specifications 7.9): wrong ones are refused by those who read feeds.
 */
function isGtin(code: string | null): boolean {
  if (code === null || !/^(?:\d{8}|\d{12,14})$/.test(code)) return false
  const sum = [...code.slice(0, -1)]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10 === Number(code.at(-1))
}
