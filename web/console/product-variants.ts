import {
  ConsoleCreateProductVariantDocument,
  ConsoleDeleteProductVariantDocument,
  ConsoleUpdateProductVariantDocument,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { money } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { onceField, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import type { ConsoleRow } from './page.ts'
import { lowStockFields, lowStockOf } from './product-fields.ts'
import type { ConsoleProduct, ProductPage } from './product-page.ts'
import { stockOf, variantName } from './product-stock.ts'
import { PRODUCTS } from './products.ts'
import { type FormReader, readForm } from './read-form.ts'

type Variant = ConsoleProduct['variants'][number]

const MAX_OPTIONS = 3
const NAMES_OF_FIRST_OPTIONS = ['Size', 'Colour']

/** Variants of a product; the one of the address, or a refused one, with its form. */
export function variantsSection(page: ProductPage, chosen: string | null): Html {
  const { product: found, data, path, form, site } = page
  const { variants } = found
  const open = variants.find(({ number }) => form(`${path}/variants/${number}`).wasRefused || String(number) === chosen)
  return html`<section aria-labelledby="variants"><h2 id="variants">Variants</h2>
${
  variants.length === 0
    ? html`<p>None: the product is sold as it is. Variants are its sizes or colours.</p>`
    : html`<div class="wide" tabindex="0" role="region" aria-labelledby="variants"><table class="compact">
<thead><tr><th scope="col">Options</th><th scope="col">SKU</th><th scope="col" class="number">Price</th><th scope="col" class="number">Stock</th></tr></thead>
<tbody>${variants.map(
        (variant) =>
          html`<tr><th scope="row"><a href="${site.at(path)}?variant=${variant.number}#edit-variant">${variantName(variant)}</a></th><td>${variant.sku}</td><td class="number">${money(variant.price, data.store.currency)}</td><td class="number">${stockOf(variant)}</td></tr>`,
      )}</tbody></table></div>`
}
${open && editing(page, open)}
${adding(page)}</section>`
}

function editing({ path, form: formAt, visit, site }: ProductPage, variant: Variant): Html {
  const at = `${path}/variants/${variant.number}`
  return html`<h3 id="edit-variant">${variantName(variant)}</h3>
${changeForm(at, visit, site, html`${versionField(variant.version)}<div class="fields">${valueFields(formAt(at), variant)}</div>${lowStockFields(formAt(at), variant)}<p><button class="secondary">Save the variant</button></p>`)}
<details class="confirm"><summary>Delete the variant…</summary>${changeForm(at, visit, site, html`<input type="hidden" name="do" value="delete"><p>Orders keep their lines.</p><p><button class="danger">Delete ${variantName(variant)}</button></p>`)}</details>`
}

function adding({ product: { variants, price }, path, form: formAt, visit, site }: ProductPage): Html {
  const at = `${path}/variants`
  const form = formAt(at)
  const known = variants[0]?.options.map(({ name }) => name) ?? NAMES_OF_FIRST_OPTIONS
  return html`<details${form.wasRefused && html` open`}><summary>Add a variant</summary>${changeForm(
    at,
    visit,
    site,
    html`${onceField()}<div class="fields">${known.slice(0, MAX_OPTIONS).map(
      (
        name,
        index,
      ) => html`${textInput(form, { name: `name-${index}`, label: `Option ${index + 1}`, stored: name, maxLength: 100 })}
${textInput(form, { name: `value-${index}`, label: `Value ${index + 1}`, stored: '', maxLength: 100, hint: index === 0 ? 'Such as XL; empty: none.' : undefined })}`,
    )}
${valueFields(form, { price, compareAtPrice: null, sku: null, barcode: null })}
${textInput(form, { name: 'stock', label: 'Units in stock', stored: '', inputmode: 'numeric', maxLength: 10, hint: 'Empty: unlimited.' })}</div>
<p><button class="secondary">Add the variant</button></p>`,
  )}</details>`
}

const valueFields = (
  form: FormState,
  { price, compareAtPrice, sku, barcode }: Pick<Variant, 'price' | 'compareAtPrice' | 'sku' | 'barcode'>,
): Html => html`${textInput(form, { name: 'price', label: 'Price', stored: price, inputmode: 'decimal', maxLength: 15, isRequired: true })}
${textInput(form, { name: 'compareAtPrice', label: 'Compare-at price', stored: compareAtPrice ?? '', inputmode: 'decimal', maxLength: 15 })}
${textInput(form, { name: 'sku', label: 'SKU', stored: sku ?? '' })}
${textInput(form, { name: 'barcode', label: 'Barcode', stored: barcode ?? '' })}`

const valuesOf = (form: FormReader) => ({
  price: form.amount('price', 'a price; 0 for a free variant'),
  compareAtPrice: form.decimal('compareAtPrice'),
  sku: form.optional('sku'),
  barcode: form.optional('barcode'),
})

export const productVariantChanges = (product: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${PRODUCTS}/{number}/variants`,
    on: product,
    operations: [ConsoleCreateProductVariantDocument],
    async make({ path: { number: productId }, field, run }) {
      const form = readForm(field)
      const [values, stock] = [valuesOf(form), form.whole('stock')]
      if (form.hasProblems()) return refusedFields(form.problems())
      const options = Array.from({ length: MAX_OPTIONS }, (_, index) => ({
        name: form.text(`name-${index}`),
        value: form.text(`value-${index}`),
      })).filter(({ name, value }) => name !== '' && value !== '')
      const input = {
        productId,
        ...values,
        options,
        ...(stock === null ? { stockUnlimited: true } : { stock }),
        idempotencyKey: form.idempotencyKey(),
      }
      const { result } = dataOf(await run(ConsoleCreateProductVariantDocument, { input }))
      return toChanged(result, { at: `${PRODUCTS}/${productId}`, notice: 'varied' })
    },
  }),
  consoleChange({
    path: `${PRODUCTS}/{number}/variants/{variant}`,
    on: product,
    operations: [ConsoleUpdateProductVariantDocument, ConsoleDeleteProductVariantDocument],
    async make({ path: { number: productId, variant }, field, run }) {
      const done = { at: `${PRODUCTS}/${productId}`, notice: 'varied' }
      const about = { number: variant, product: productId }
      if (field('do') === 'delete') return toChanged(dataOf(await run(ConsoleDeleteProductVariantDocument, about)).result, done)
      const form = readForm(field)
      const input = { ...valuesOf(form), ...lowStockOf(form), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      return toChanged(dataOf(await run(ConsoleUpdateProductVariantDocument, { ...about, input })).result, done)
    },
  }),
]
