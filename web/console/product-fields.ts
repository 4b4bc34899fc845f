import type { ConsoleProductFormQuery, ConsoleProductQuery, ProductStatus } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import { checkbox, selectInput, textArea, textInput } from './fields.ts'
import type { FormState } from './form-state.ts'
import { optionsOf, wordFor } from './list.ts'
import { PRODUCT_STATUSES } from './products.ts'
import type { FormReader } from './read-form.ts'

type Product = NonNullable<ConsoleProductQuery['product']>
type Store = Pick<ConsoleProductFormQuery['store'], 'currency' | 'weightUnit'>
type Categories = ConsoleProductFormQuery['productCategories']

/** Values that forms of a product begin with. */
export type ProductValues = Pick<
  Product,
  | 'name'
  | 'description'
  | 'pageTitle'
  | 'metaDescription'
  | 'permalink'
  | 'status'
  | 'sku'
  | 'barcode'
  | 'brand'
  | 'price'
  | 'compareAtPrice'
  | 'discount'
  | 'costPerItem'
  | 'weight'
  | 'stockThreshold'
  | 'stockNotification'
  | 'shippingRequired'
  | 'categories'
>

export const EMPTY_PRODUCT: ProductValues = {
  name: '',
  description: null,
  pageTitle: null,
  metaDescription: null,
  permalink: '',
  status: 'AVAILABLE',
  sku: null,
  barcode: null,
  brand: null,
  price: '',
  compareAtPrice: null,
  discount: '0',
  costPerItem: null,
  weight: '1',
  stockThreshold: 0,
  stockNotification: false,
  shippingRequired: true,
  categories: [],
}

const MAX_DESCRIPTION_CHARACTERS = 100_000

/** More categories than a page has are for a program: the form leaves them as they are. */
const hasFields = ({ nodes, pageInfo }: Categories): boolean => nodes.length > 0 && !pageInfo.hasNextPage

/** Fields of a product, in the order in which an owner thinks of them. */
export const productFields = (
  form: FormState,
  stored: ProductValues,
  {
    store,
    categories,
    hasVariants,
    isNew = false,
  }: {
    readonly store: Store
    readonly categories: Categories
    /** Its variants have stocks of their own. */
    readonly hasVariants: boolean
    /** The stock of one that exists has a form of its own. */
    readonly isNew?: boolean
  },
): Html => html`${textInput(form, { name: 'name', label: 'Name', stored: stored.name, isRequired: true })}
${textArea(form, { name: 'description', label: 'Description', stored: stored.description ?? '', rows: 6, maxLength: MAX_DESCRIPTION_CHARACTERS, hint: 'Text or HTML. Scripts and styles are not shown in the shop.' })}
${selectInput(form, { name: 'status', label: 'Status', stored: wordFor(stored.status, PRODUCT_STATUSES), options: optionsOf(PRODUCT_STATUSES), hint: 'Hidden products keep their data and their orders: an archive.' })}
<fieldset><legend>Price in ${store.currency}, without tax</legend><div class="fields">
${textInput(form, { name: 'price', label: 'Price', stored: stored.price, inputmode: 'decimal', maxLength: 15, isRequired: true })}
${textInput(form, { name: 'compareAtPrice', label: 'Compare-at price', stored: stored.compareAtPrice ?? '', inputmode: 'decimal', maxLength: 15, hint: 'Earlier, higher price; shown crossed out.' })}
${textInput(form, { name: 'discount', label: 'Discount per unit', stored: Number(stored.discount) === 0 ? '' : stored.discount, inputmode: 'decimal', maxLength: 15 })}
${textInput(form, { name: 'costPerItem', label: 'Cost per unit', stored: stored.costPerItem ?? '', inputmode: 'decimal', maxLength: 15, hint: 'Shoppers do not see it.' })}</div></fieldset>
<fieldset><legend>Identification and shipping</legend><div class="fields">
${textInput(form, { name: 'sku', label: 'SKU', stored: stored.sku ?? '' })}
${textInput(form, { name: 'barcode', label: 'Barcode', stored: stored.barcode ?? '', hint: 'GTIN or another code.' })}
${textInput(form, { name: 'brand', label: 'Brand', stored: stored.brand ?? '' })}
${textInput(form, { name: 'weight', label: `Weight in ${store.weightUnit.toLowerCase()}`, stored: stored.weight, inputmode: 'decimal', maxLength: 15, isRequired: true })}</div>
${checkbox(form, { name: 'shippingRequired', label: 'Needs shipping', stored: stored.shippingRequired })}</fieldset>
${
  !hasVariants &&
  html`<fieldset><legend>${isNew ? 'Stock' : 'Low stock'}</legend><input type="hidden" name="hasLowStock" value="yes">
${isNew && html`<div class="fields">${textInput(form, { name: 'stock', label: 'Units in stock', stored: '', inputmode: 'numeric', maxLength: 10, hint: 'Empty: unlimited. Variants are added afterwards, and have stock of their own.' })}</div>`}${lowStockFields(form, stored)}</fieldset>`
}
${hasFields(categories) && html`<fieldset><legend>Categories</legend><div class="choices-list">${categories.nodes.map(({ number, name }) => checkbox(form, { name: `category-${number}`, label: name, stored: stored.categories.some((each) => each.number === number) }))}</div></fieldset>`}
<details${(form.wasRefused || stored.pageTitle || stored.metaDescription) && html` open`}><summary>Search engines</summary><div class="stacked">
${textInput(form, { name: 'pageTitle', label: 'Title of its page', stored: stored.pageTitle ?? '', hint: 'Empty: the name.' })}
${textArea(form, { name: 'metaDescription', label: 'Description for search engines', stored: stored.metaDescription ?? '', rows: 2, maxLength: 1_000 })}
${textInput(form, { name: 'permalink', label: 'Address of its page', stored: stored.permalink, hint: 'The last part of the URL. Empty: made from the name.' })}</div></details>`

/** Values of such a form as the graph takes them. */
export const productInput = (form: FormReader, categories: Categories) => ({
  name: form.text('name'),
  description: form.lines('description'),
  status: form.choice<readonly [ProductStatus, string]>('status', PRODUCT_STATUSES, ['DISABLED', ''])[0],
  price: form.amount('price', 'a price; 0 for a free product'),
  compareAtPrice: form.decimal('compareAtPrice'),
  discount: form.decimal('discount'),
  costPerItem: form.decimal('costPerItem'),
  sku: form.optional('sku'),
  barcode: form.optional('barcode'),
  brand: form.optional('brand'),
  weight: form.amount('weight', 'a weight; 0 for none'),
  shippingRequired: form.isChecked('shippingRequired'),
  ...(form.isChecked('hasLowStock') && lowStockOf(form)),
  pageTitle: form.optional('pageTitle'),
  metaDescription: form.lines('metaDescription'),
  permalink: form.optional('permalink'),
  ...(hasFields(categories) && {
    categoryIds: categories.nodes.map(({ number }) => String(number)).filter((number) => form.isChecked(`category-${number}`)),
  }),
})

/** When a stock counts as low. */
export const lowStockFields = (
  form: FormState,
  { stockNotification, stockThreshold }: Pick<ProductValues, 'stockNotification' | 'stockThreshold'>,
): Html => html`${checkbox(form, { name: 'stockNotification', label: 'Report low stock', stored: stockNotification })}
<div class="fields">${textInput(form, { name: 'stockThreshold', label: 'Stock is low at', stored: String(stockThreshold), inputmode: 'numeric', maxLength: 10, isRequired: true, hint: 'Units, or fewer.' })}</div>`

export const lowStockOf = (form: FormReader) => ({
  stockNotification: form.isChecked('stockNotification'),
  stockThreshold: form.count('stockThreshold', 'a number of units'),
})
