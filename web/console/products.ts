import {
  ConsoleProductsDocument,
  type ConsoleProductsQuery,
  type ProductOrder,
  type ProductStatus,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf, money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ListLabels, type ListSelect, listForm, nextLinks, nothingFound, optionsOf, wordOf } from './list.ts'
import { consolePage } from './page.ts'

export const PRODUCTS = '/console/products'

/** What each status is called in addresses and on the page. */
export const PRODUCT_STATUSES: ListLabels<ProductStatus> = lookupTable({
  'on-sale': ['AVAILABLE', 'on sale'],
  'sold-out': ['NOT_AVAILABLE', 'not for sale'],
  hidden: ['DISABLED', 'hidden'],
})

type Product = ConsoleProductsQuery['products']['nodes'][number]

/** Words of addresses for orders of the list. */
const ORDERS_OF_LIST = lookupTable<ProductOrder>({ oldest: 'ID_ASC' })

export const products = consolePage({
  path: PRODUCTS,
  label: 'Products',
  needs: ['read_products'],
  operations: [ConsoleProductsDocument],
  parameters: {
    q: { kind: 'text', max: 200 },
    status: { kind: 'enum', values: Object.keys(PRODUCT_STATUSES) },
    category: { kind: 'text', max: 10 },
    stock: { kind: 'enum', values: ['low'] },
    sort: { kind: 'enum', values: Object.keys(ORDERS_OF_LIST) },
    after: { kind: 'text', max: 1_000 },
  },
  notices: { deleted: 'The product was deleted. Orders keep their lines.' },
  async body({ query, run, site }) {
    const { q, status, category, stock, sort, after } = query
    const chosen = status === null ? undefined : PRODUCT_STATUSES[status]
    const {
      store,
      productCategories,
      products: found,
    } = dataOf(
      await run(ConsoleProductsDocument, {
        search: q === null ? null : { query: q },
        filter: {
          ...(chosen && { status: [chosen[0]] }),
          ...(category !== null && { categoryIds: [category] }),
          ...(stock === 'low' && { lowStock: true }),
        },
        orderBy: (sort === null ? undefined : ORDERS_OF_LIST[sort]) ?? 'ID_DESC',
        after,
      }),
    )
    const { nodes: categories } = productCategories
    return html`<div class="heading"><h1>Products</h1><a class="button" href="${site.at(`${PRODUCTS}/new`)}">Add a product</a></div>
${listForm(PRODUCTS, query, choicesOf(categories), { label: 'Name, SKU, barcode, brand…', site })}
${found.totalCount === 0 ? nothingFound(query, 'products', html`<a href="${site.at(`${PRODUCTS}/new`)}">Add the first one</a>, or <a href="${site.at('/docs/store')}#try-it">import a catalogue over the API</a>.`) : html`<p role="status">${counted(found.totalCount, 'product')}, the ${sort === 'oldest' ? 'oldest' : 'newest'} first.</p>`}
${found.nodes.length > 0 && table(found.nodes, store.currency, site)}
${nextLinks(PRODUCTS, query, found.pageInfo, site)}`
  },
})

type Category = ConsoleProductsQuery['productCategories']['nodes'][number]

const choicesOf = (categories: readonly Category[]): readonly ListSelect[] => [
  { name: 'status', label: 'Status', any: 'any', options: optionsOf(PRODUCT_STATUSES) },
  ...(categories.length === 0
    ? []
    : [
        {
          name: 'category',
          label: 'Category',
          any: 'any',
          options: categories.map(({ number, name }) => [String(number), name] as const),
        },
      ]),
  { name: 'stock', label: 'Stock', any: 'any', options: [['low', 'low']] },
  { name: 'sort', label: 'Sort', any: 'newest first', options: [['oldest', 'oldest first']] },
]

/** Units of a product, or of its variants together. */
function unitsOf({ variants, ...own }: Product): string {
  const stocks = variants.length === 0 ? [own] : variants
  return stocks.some(({ stockUnlimited }) => stockUnlimited)
    ? 'unlimited'
    : whole(stocks.reduce((sum, { stock }) => sum + stock, 0))
}

const PRODUCT_TONES: Readonly<Record<ProductStatus, Tone>> = { AVAILABLE: 'good', NOT_AVAILABLE: 'doubt', DISABLED: 'none' }

/** The status of a product, in its colour. */
export const productChip = (status: ProductStatus): Html => chip(wordOf(status, PRODUCT_STATUSES), PRODUCT_TONES[status])

const table = (
  nodes: readonly Product[],
  currency: string,
  site: Site,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Products"><table class="stack">
<thead><tr><th scope="col">Number</th><th scope="col">Name</th><th scope="col">SKU</th><th scope="col">Status</th><th scope="col" class="number">Price</th><th scope="col" class="number">Stock</th><th scope="col">Changed</th></tr></thead>
<tbody>${nodes.map(
  (
    product,
  ) => html`<tr><td>${product.number}</td><th scope="row"><a href="${site.at(`${PRODUCTS}/${product.number}`)}">${product.name}</a></th><td>${product.sku}</td><td>${productChip(product.status)}</td>
<td class="number">${money(product.price, currency)}</td><td class="number" data-label="Stock">${unitsOf(product)}</td><td><time datetime="${product.updatedAt}">${dayOf(product.updatedAt)}</time></td></tr>`,
)}</tbody></table></div>`
