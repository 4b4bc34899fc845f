import { ConsoleCreateProductDocument, ConsoleProductFormDocument } from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { changeForm } from '../frame/form-token.ts'
import { html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { onceField } from './fields.ts'
import { consolePage } from './page.ts'
import { EMPTY_PRODUCT, productFields, productInput } from './product-fields.ts'
import { PRODUCTS } from './products.ts'
import { readForm } from './read-form.ts'

const PATH = `${PRODUCTS}/new`

export const newProduct = consolePage({
  path: PATH,
  label: 'New product',
  operations: [ConsoleProductFormDocument],
  async body({ run, site, visit, form: formAt }) {
    const { store, productCategories: categories } = dataOf(await run(ConsoleProductFormDocument, {}))
    const form = formAt(PATH)
    return html`<p class="trail"><a href="${site.at(PRODUCTS)}">Products</a></p>
<h1>New product</h1>
<div class="edit edit-long">${changeForm(
      PATH,
      visit,
      site,
      html`${onceField()}${productFields(form, EMPTY_PRODUCT, { store, categories, hasVariants: false, isNew: true })}
<p><button>Add the product</button></p>`,
    )}</div>`
  },
})

export const newProductChange = consoleChange({
  path: PATH,
  on: newProduct,
  operations: [ConsoleCreateProductDocument, ConsoleProductFormDocument],
  async make({ field, run }) {
    const form = readForm(field)
    const { productCategories } = dataOf(await run(ConsoleProductFormDocument, {}))
    const [values, stock] = [productInput(form, productCategories), form.whole('stock')]
    if (form.hasProblems()) return refusedFields(form.problems())
    const input = {
      ...values,
      ...(stock === null ? { stockUnlimited: true } : { stock }),
      idempotencyKey: form.idempotencyKey(),
    }
    const { result } = dataOf(await run(ConsoleCreateProductDocument, { input }))
    const number = result.__typename === 'CreateProductSuccess' ? result.product.number : ''
    return toChanged(result, { at: `${PRODUCTS}/${number}`, notice: 'created' })
  },
})
