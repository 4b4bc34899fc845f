import {
  ConsoleAdjustInventoryDocument,
  ConsoleSetInventoryLevelDocument,
  ConsoleUpdateProductDocument,
  ConsoleUpdateProductVariantDocument,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { whole } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, type RunPageOperation } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { onceField, selectInput, textInput } from './fields.ts'
import type { ConsoleRow } from './page.ts'
import type { ConsoleProduct, ProductPage } from './product-page.ts'
import { PRODUCTS } from './products.ts'
import { readForm } from './read-form.ts'

type Variant = ConsoleProduct['variants'][number]

const MAX_UNITS = 1_000_000_000

/** What can be done with a stock, by the words of its form. */
const STOCK_CHANGES = lookupTable({
  add: 'add units',
  remove: 'remove units',
  set: 'set to the counted units',
  unlimited: 'unlimited: never sold out',
})

/** What people read for a stock. */
export const stockOf = ({ stock, stockUnlimited }: Pick<ConsoleProduct, 'stock' | 'stockUnlimited'>): string =>
  stockUnlimited ? 'unlimited' : whole(stock)

/** The options of a variant in one line. */
export const variantName = ({ options, sku }: Pick<Variant, 'options' | 'sku'>): string =>
  options.map(({ name, value }) => `${name}: ${value}`).join(', ') || (sku ?? 'without options')

/** Units of a product and its variants by location, and the form that changes one of them. */
export function stockSection({ product: found, data: { locations }, path, form: formAt, visit, site }: ProductPage): Html {
  const { variants, inventoryLevels: levels } = found
  const stocks =
    variants.length === 0
      ? [{ ...found, number: null, label: found.name }]
      : variants.map((variant) => ({ ...variant, label: variantName(variant) }))
  const known = locations.filter(({ number, active }) => active || levels.some(({ locationNumber }) => locationNumber === number))
  const columns = levels.length === 0 ? [] : known
  const unitsAt = (variant: number | null, location: number) =>
    levels.find(({ variantNumber, locationNumber }) => variantNumber === variant && locationNumber === location)?.stock ?? 0
  const at = `${path}/stock`
  const form = formAt(at)
  return html`<section aria-labelledby="stock-of"><h2 id="stock-of">Stock</h2>
<div class="wide" tabindex="0" role="region" aria-label="Stock"><table class="compact"><thead><tr><th scope="col">${variants.length === 0 ? 'Product' : 'Variant'}</th>${columns.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}<th scope="col" class="number">Units</th></tr></thead>
<tbody>${stocks.map((each) => html`<tr><th scope="row">${each.label}</th>${columns.map(({ number }) => html`<td class="number">${whole(unitsAt(each.number, number))}</td>`)}<td class="number">${stockOf(each)}</td></tr>`)}</tbody></table></div>
${changeForm(
  at,
  visit,
  site,
  html`${onceField()}<div class="fields">
${variants.length > 0 && selectInput(form, { name: 'variant', label: 'Variant', stored: '', options: variants.map((variant) => [String(variant.number), variantName(variant)]) })}
${known.length > 0 && selectInput(form, { name: 'location', label: 'Location', stored: '', options: [...(levels.length === 0 ? [['', 'all: not per location'] as const] : []), ...known.map(({ number, name }) => [String(number), name] as const)] })}
${selectInput(form, { name: 'change', label: 'Change', stored: 'add', options: Object.entries(STOCK_CHANGES) })}
${textInput(form, { name: 'units', label: 'Units', stored: '', inputmode: 'numeric', maxLength: 10 })}</div>
<p><button class="secondary">Change the stock</button></p>`,
)}</section>`
}

export const productStockChanges = (product: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${PRODUCTS}/{number}/stock`,
    on: product,
    operations: [
      ConsoleAdjustInventoryDocument,
      ConsoleSetInventoryLevelDocument,
      ConsoleUpdateProductDocument,
      ConsoleUpdateProductVariantDocument,
    ],
    async make({ path: { number: productId }, field, run }) {
      const form = readForm(field)
      form.choice('change', STOCK_CHANGES, '')
      const isUnlimited = field('change') === 'unlimited'
      const min = field('change') === 'set' ? 0 : 1
      const units = isUnlimited ? 0 : form.count('units', 'a number of units', { min, max: MAX_UNITS })
      if (form.hasProblems()) return refusedFields(form.problems())
      const done = { at: `${PRODUCTS}/${productId}`, notice: 'stocked' }
      const about = { productId, variantId: form.optional('variant'), idempotencyKey: form.idempotencyKey() }
      const locationId = form.optional('location')
      if (field('change') === 'add' || field('change') === 'remove') {
        const delta = field('change') === 'add' ? units : -units
        return toChanged(
          dataOf(await run(ConsoleAdjustInventoryDocument, { input: { ...about, locationId, delta } })).result,
          done,
        )
      }
      if (isUnlimited || locationId === null)
        return toChanged(
          await setStock(about, isUnlimited ? { stockUnlimited: true } : { stock: units, stockUnlimited: false }, run),
          done,
        )
      const input = { ...about, locationId, stock: units, stockUnlimited: false }
      return toChanged(dataOf(await run(ConsoleSetInventoryLevelDocument, { input })).result, done)
    },
  }),
]

/** The stock of a product or variant, at all locations together. */
async function setStock(
  { productId, variantId }: { readonly productId: string; readonly variantId: string | null },
  input: { readonly stock?: number; readonly stockUnlimited: boolean },
  run: RunPageOperation,
) {
  if (variantId === null) return dataOf(await run(ConsoleUpdateProductDocument, { number: productId, input })).result
  return dataOf(await run(ConsoleUpdateProductVariantDocument, { number: variantId, product: productId, input })).result
}
