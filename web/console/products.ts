import { ConsoleProductsDocument, type ConsoleProductsQuery, type ProductStatus } from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf, money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ListLabels, listForm, nextLinks, nothingFound, wordOf } from './list.ts'
import { consolePage } from './page.ts'

export const PRODUCTS = '/console/products'

/** What each status is called in addresses and on the page. */
export const PRODUCT_STATUSES: ListLabels<ProductStatus> = lookupTable({
  'on-sale': ['AVAILABLE', 'on sale'],
  'sold-out': ['NOT_AVAILABLE', 'not for sale'],
  hidden: ['DISABLED', 'hidden'],
})

type Product = ConsoleProductsQuery['products']['nodes'][number]

export const products = consolePage({
  path: PRODUCTS,
  label: 'Products',
  operations: [ConsoleProductsDocument],
  parameters: {
    q: { kind: 'text', max: 200 },
    status: { kind: 'enum', values: Object.keys(PRODUCT_STATUSES) },
    after: { kind: 'text', max: 1_000 },
  },
  async body({ query, run, site }) {
    const { q, status, after } = query
    const chosen = status === null ? undefined : PRODUCT_STATUSES[status]
    const { store, products: found } = dataOf(
      await run(ConsoleProductsDocument, {
        search: q === null ? null : { query: q },
        filter: chosen ? { status: [chosen[0]] } : null,
        after,
      }),
    )
    return html`<h1>Products</h1>
${listForm(PRODUCTS, query, PRODUCT_STATUSES, { label: 'Name, SKU, barcode, brand…', site })}
${found.totalCount === 0 ? nothingFound(query, 'products', html`<a href="${site.at('/docs/store')}#try-it">Add the first one over the API</a>.`) : html`<p role="status">${counted(found.totalCount, 'product')}, the newest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, store.currency, site)}
${nextLinks(PRODUCTS, query, found.pageInfo, site)}`
  },
})

const PRODUCT_TONES: Readonly<Record<ProductStatus, Tone>> = { AVAILABLE: 'good', NOT_AVAILABLE: 'doubt', DISABLED: 'none' }

/** The status of a product, in its colour. */
export const productChip = (status: ProductStatus): Html => chip(wordOf(status, PRODUCT_STATUSES), PRODUCT_TONES[status])

const table = (
  nodes: readonly Product[],
  currency: string,
  site: Site,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Products"><table>
<thead><tr><th scope="col">Number</th><th scope="col">Name</th><th scope="col">SKU</th><th scope="col">Status</th><th scope="col">Price</th><th scope="col">Stock</th><th scope="col">Changed</th></tr></thead>
<tbody>${nodes.map(
  (
    product,
  ) => html`<tr><td>${product.number}</td><th scope="row"><a href="${site.at(`${PRODUCTS}/${product.number}`)}">${product.name}</a></th><td>${product.sku}</td><td>${productChip(product.status)}</td>
<td>${money(product.price, currency)}</td><td>${product.stockUnlimited ? 'unlimited' : whole(product.stock)}</td><td><time datetime="${product.updatedAt}">${dayOf(product.updatedAt)}</time></td></tr>`,
)}</tbody></table></div>`
