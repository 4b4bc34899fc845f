import { ConsoleProductDocument, type ConsoleProductQuery } from '#generated/operations.ts'
import { dayOf, money, whole } from '../frame/figures.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { consolePage } from './page.ts'
import { PRODUCTS, productChip } from './products.ts'

type Product = NonNullable<ConsoleProductQuery['product']>
type Variant = Product['variants'][number]

export const product = consolePage({
  path: `${PRODUCTS}/{number}`,
  label: 'Product',
  operations: [ConsoleProductDocument],
  async body({ path, run, site }) {
    if (!/^\d{1,10}$/.test(path.number)) return null
    const answer = await run(ConsoleProductDocument, { number: path.number })
    const { product: queried, store } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    return html`<p class="trail"><a href="${site.at(PRODUCTS)}">Products</a></p>
<h1>${found.name}</h1>
<dl class="facts-list">${facts(found, store).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${found.variants.length > 0 && variantsOf(found.variants, store.currency)}
<p><a href="${site.at('/reference/store/Products')}">Change it over REST</a></p>`
  },
})

type Store = ConsoleProductQuery['store']

const facts = (found: Product, { currency, weightUnit }: Store): readonly (readonly [name: string, value: Content])[] => [
  ['Number', String(found.number)],
  ['Status', productChip(found.status)],
  ['Price', `${money(found.price, currency)}, without tax`],
  ['Discount', Number(found.discount) === 0 ? 'none' : money(found.discount, currency)],
  ['Stock', stockOf(found)],
  ['SKU', found.sku ?? 'none'],
  ['Barcode', found.barcode ?? 'none'],
  ['Brand', found.brand ?? 'none'],
  ['Weight', `${found.weight} ${weightUnit.toLowerCase()}`],
  ['Categories', found.categories.map(({ name }) => name).join(', ') || 'none'],
  ['Created', html`<time datetime="${found.createdAt}">${dayOf(found.createdAt)}</time>`],
  ['Changed', html`<time datetime="${found.updatedAt}">${dayOf(found.updatedAt)}</time>`],
]

const stockOf = ({ stock, stockUnlimited }: Pick<Product, 'stock' | 'stockUnlimited'>): string =>
  stockUnlimited ? 'unlimited' : whole(stock)

const variantsOf = (
  nodes: readonly Variant[],
  currency: string,
): Html => html`<section aria-labelledby="variants"><h2 id="variants">Variants</h2>
<div class="wide" tabindex="0" role="region" aria-labelledby="variants"><table>
<thead><tr><th scope="col">Options</th><th scope="col">SKU</th><th scope="col" class="number">Price</th><th scope="col" class="number">Stock</th></tr></thead>
<tbody>${nodes.map(
  (variant) =>
    html`<tr><th scope="row">${variant.options.map(({ name, value }) => `${name}: ${value}`).join(', ')}</th><td>${variant.sku}</td><td class="number">${money(variant.price, currency)}</td><td class="number">${stockOf(variant)}</td></tr>`,
)}</tbody></table></div></section>`
