import {
  ConsoleDeleteProductDocument,
  ConsoleProductDocument,
  ConsoleProductFormDocument,
  ConsoleUpdateProductDocument,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { dayOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { versionField } from './fields.ts'
import { isRestId } from './list.ts'
import { consolePage } from './page.ts'
import { productFields, productInput } from './product-fields.ts'
import { imagesSection, productImageChanges } from './product-images.ts'
import type { ProductPage } from './product-page.ts'
import { productStockChanges, stockSection } from './product-stock.ts'
import { productVariantChanges, variantsSection } from './product-variants.ts'
import { PRODUCTS, productChip } from './products.ts'
import { readForm } from './read-form.ts'

export const product = consolePage({
  path: `${PRODUCTS}/{number}`,
  label: 'Product',
  operations: [ConsoleProductDocument],
  parameters: { variant: { kind: 'text', max: 10 } },
  notices: {
    created: 'The product was added.',
    saved: 'The product was saved.',
    stocked: 'The stock was changed.',
    pictured: 'The images were changed.',
    varied: 'The variants were changed.',
  },
  async body({ path: { number }, query: { variant }, run, site, visit, form }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsoleProductDocument, { number })
    const data = dataOf(answer)
    const found = foundIn(data.product, answer)
    if (found === null) return null
    const page: ProductPage = { product: found, data, path: `${PRODUCTS}/${number}`, form, visit, site }
    return html`<p class="trail"><a href="${site.at(PRODUCTS)}">Products</a></p>
<div class="heading"><h1>${found.name}</h1>${productChip(found.status)}</div>
<p class="facts"><span>Number ${found.number}</span> <span>added <time datetime="${found.createdAt}">${dayOf(found.createdAt)}</time></span> <span>changed <time datetime="${found.updatedAt}">${dayOf(found.updatedAt)}</time></span>${found.status !== 'DISABLED' && html` <a href="${site.at(`/shops/${data.store.code}/products/${found.permalink}`)}">View in the shop</a>`}</p>
<div class="with-aside"><section aria-labelledby="details"><h2 id="details">Details</h2>${details(page)}</section>
<div class="aside">${imagesSection(page)}
${stockSection(page)}
${variantsSection(page, variant)}
${deletion(page)}</div></div>`
  },
})

const details = ({ product: found, data: { store, productCategories }, path, form, visit, site }: ProductPage): Html =>
  html`<div class="edit edit-long">${changeForm(
    path,
    visit,
    site,
    html`${versionField(found.version)}${productFields(form(path), found, { store, categories: productCategories, hasVariants: found.variants.length > 0 })}
<p><button>Save</button></p>`,
  )}</div>`

const deletion = ({ product: found, path, visit, site }: ProductPage): Html =>
  html`<details class="confirm"><summary>Delete the product…</summary>${changeForm(
    `${path}/delete`,
    visit,
    site,
    html`${versionField(found.version)}<p>The product is deleted with its variants, images and files. Orders keep their lines. To keep it without selling it, set its status to hidden.</p><p><button class="danger">Delete this product</button></p>`,
  )}</details>`

export const productChanges = [
  consoleChange({
    path: `${PRODUCTS}/{number}`,
    on: product,
    operations: [ConsoleUpdateProductDocument, ConsoleProductFormDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const { productCategories } = dataOf(await run(ConsoleProductFormDocument, {}))
      const input = { ...productInput(form, productCategories), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleUpdateProductDocument, { number, input }))
      return toChanged(result, { at: `${PRODUCTS}/${number}`, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${PRODUCTS}/{number}/delete`,
    on: product,
    operations: [ConsoleDeleteProductDocument],
    async make({ path: { number }, field, run }) {
      const { result } = dataOf(await run(ConsoleDeleteProductDocument, { number, version: readForm(field).version() }))
      return toChanged(result, { at: PRODUCTS, notice: 'deleted' })
    },
  }),
  ...productImageChanges(product),
  ...productStockChanges(product),
  ...productVariantChanges(product),
]
