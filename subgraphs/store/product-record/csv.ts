import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { csvField } from '../../../platform/text/csv.ts'
import { type Problem, problem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, roundedProduct, textOf } from '../amount.ts'
import { type CellReader, cellReader, defined } from '../record-file/cells.ts'
import type { CsvRow } from '../record-file/file-reader.ts'
import type { RowError } from '../record-file/record.ts'
import type { WeightUnit } from '../store/store.ts'
import { identityKey, permalinkOf } from '../text-key.ts'
import {
  combinationKey,
  type OptionRecord,
  type ProductInput,
  type ProductRecord,
  permalinkOfHandle,
  type VariantRecord,
} from './product-record.ts'

/** The columns of Shopify's product CSV, in its order. */
const COLUMNS = [
  ...['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Product Category', 'Type', 'Tags', 'Published'],
  ...['Option1 Name', 'Option1 Value', 'Option2 Name', 'Option2 Value', 'Option3 Name', 'Option3 Value'],
  ...['Variant SKU', 'Variant Grams', 'Variant Inventory Tracker', 'Variant Inventory Qty', 'Variant Inventory Policy'],
  ...['Variant Fulfillment Service', 'Variant Price', 'Variant Compare At Price', 'Variant Requires Shipping'],
  ...['Variant Taxable', 'Variant Barcode', 'Image Src', 'Image Position', 'Image Alt Text', 'Gift Card', 'SEO Title'],
  ...['SEO Description', 'Google Shopping / Google Product Category', 'Variant Weight Unit', 'Cost per item', 'Status'],
] as const
type Column = (typeof COLUMNS)[number]

/** Options that the format has columns for. */
const OPTION_COLUMNS = [1, 2, 3] as const
/** How Shopify writes the only variant of a product without options. */
const ONLY_OPTION = { name: 'Title', value: 'Default Title' }

/** Grams of a unit of weight, in ten-thousandths as a divisor and factor: exact for both. */
const GRAMS: Readonly<Record<WeightUnit, { readonly grams: bigint; readonly per: bigint }>> = {
  KG: { grams: 1_000n, per: 1n },
  LB: { grams: 45_359_237n, per: 100_000n },
}

/** Columns by the fields of problems. */
const COLUMN_OF: Readonly<Record<string, Column>> = {
  permalink: 'Handle',
  name: 'Title',
  description: 'Body (HTML)',
  brand: 'Vendor',
  googleProductCategory: 'Google Shopping / Google Product Category',
  categories: 'Tags',
  pageTitle: 'SEO Title',
  metaDescription: 'SEO Description',
  sku: 'Variant SKU',
  weight: 'Variant Grams',
  stock: 'Variant Inventory Qty',
  price: 'Variant Price',
  compareAtPrice: 'Variant Compare At Price',
  costPerItem: 'Cost per item',
  barcode: 'Variant Barcode',
  images: 'Image Src',
  options: 'Option1 Value',
}

export const PRODUCT_CSV_HEADER = `${COLUMNS.join(',')}\r\n`

/** What rows of Shopify's CSV say about a product; only columns that the file has. */
export function productOfCsv(
  rows: readonly CsvRow[],
  weightUnit: WeightUnit,
):
  | { readonly input: ProductInput; readonly variantRows: ReadonlyMap<string, number> }
  | { readonly errors: readonly RowError[] } {
  const [first] = rows
  if (!first) throw new Error('Expected a product with a row.')
  const cells = cellReader<Column>(first)
  const { options, variants, variantRows, errors } = variantsOf(rows)
  const single = variants.length === 0 ? variantFields(cells) : {}
  const [of] = variants
  const images = imagesOf(rows)
  const given = defined({
    name: cells.text('Title') ?? undefined,
    description: cells.text('Body (HTML)'),
    brand: cells.text('Vendor'),
    googleProductCategory: cells.text('Google Shopping / Google Product Category') ?? cells.text('Product Category'),
    pageTitle: cells.text('SEO Title'),
    metaDescription: cells.text('SEO Description'),
    status: statusOf(cells),
    type: cells.flag('Gift Card') === true ? ('GIFT_CARD' as const) : undefined,
    shippingRequired: cells.flag('Variant Requires Shipping'),
    weight: cells.amount('Variant Grams', (grams) => inUnit(grams, weightUnit)) ?? undefined,
    categories: categoriesOf(cells),
    ...single,
    // Variants have their own; this is what lists show.
    ...(of?.price !== undefined && { price: of.price }),
    options: options.length > 0 ? options : undefined,
    variants: variants.length > 0 ? variants : undefined,
    images: first.cells.has('Image Src') ? images.images : undefined,
  })
  const input: ProductInput = { permalink: permalinkOfHandle(cells.text('Handle') ?? ''), ...given }
  const all = [...cells.errors, ...errors, ...images.errors]
  return all.length > 0 ? { errors: all } : { input, variantRows }
}

/** Errors of a product by rows and columns of its CSV. */
export const csvErrors = (
  problems: readonly Problem[],
  record: ProductRecord,
  { row, variantRows }: { readonly row: number; readonly variantRows: ReadonlyMap<string, number> },
): readonly RowError[] =>
  problems.map(({ field, message }) => {
    const [, index, own = field.split('.')[0] ?? ''] = /^variants\.(\d+)\.(\w+)/.exec(field) ?? []
    const variant = index === undefined ? undefined : record.variants[Number(index)]
    const column = ownValue(COLUMN_OF, own) ?? own
    return {
      row: (variant && variantRows.get(combinationKey(variant))) ?? row,
      column,
      message: message.replace(`"${field}"`, `"${column}"`),
    }
  })

type Fields = Partial<
  Pick<VariantRecord, 'price' | 'costPerItem' | 'compareAtPrice' | 'sku' | 'barcode' | 'stock' | 'stockUnlimited'>
>

/** What a row says about its variant. */
function variantFields(cells: CellReader<Column>): Fields {
  const tracker = cells.text('Variant Inventory Tracker')
  const sellsWithoutStock = cells.text('Variant Inventory Policy') === 'continue'
  const compared = cells.amount('Variant Compare At Price')
  return defined({
    price: cells.amount('Variant Price') ?? undefined,
    // Shopify writes 0 for none.
    compareAtPrice: compared === '0' ? null : compared,
    costPerItem: cells.amount('Cost per item'),
    sku: cells.text('Variant SKU'),
    barcode: cells.text('Variant Barcode'),
    stock: cells.whole('Variant Inventory Qty') ?? undefined,
    stockUnlimited: tracker === undefined ? (sellsWithoutStock ? true : undefined) : tracker === null || sellsWithoutStock,
  })
}

function variantsOf(rows: readonly CsvRow[]) {
  const [first] = rows
  const errors: RowError[] = []
  const names = OPTION_COLUMNS.map((index) => first?.cells.get(`Option${index} Name`)?.trim() ?? '')
  const options = new Map<string, { name: string; values: Map<string, string> }>()
  const variants: (Fields & { readonly options: VariantRecord['options'] })[] = []
  const variantRows = new Map<string, number>()
  for (const row of rows) {
    const values = OPTION_COLUMNS.map((index) => row.cells.get(`Option${index} Value`)?.trim() ?? '')
    if (values.every((value) => value === '')) continue
    if (names[0] === ONLY_OPTION.name && values[0] === ONLY_OPTION.value) continue
    const chosen = values.flatMap((value, index) => {
      if (value === '') return []
      const name = names[index] ?? ''
      if (name === '') {
        const column = `Option${index + 1} Name`
        const expected = problem(column, 'the name of the option in the first row of the product', '')
        errors.push({ row: row.row, column, message: expected.message })
      }
      const option = options.get(identityKey(name)) ?? { name, values: new Map<string, string>() }
      options.set(identityKey(name), option)
      if (!option.values.has(identityKey(value))) option.values.set(identityKey(value), value)
      return [{ name, value }]
    })
    const cells = cellReader<Column>(row)
    const variant = { ...variantFields(cells), options: chosen }
    errors.push(...cells.errors)
    variants.push(variant)
    variantRows.set(combinationKey(variant), row.row)
  }
  return {
    errors,
    variants,
    variantRows,
    options: [...options.values()].map(
      ({ name, values }): OptionRecord => ({
        name,
        optionType: 'OPTION',
        addonPrice: null,
        values: [...values.values()].map((value) => ({ name: value, custom: null })),
      }),
    ),
  }
}

function imagesOf(rows: readonly CsvRow[]) {
  const errors: RowError[] = []
  const found = rows.flatMap((row, index) => {
    const cells = cellReader<Column>(row)
    const url = cells.text('Image Src')
    if (url == null) return []
    const position = cells.whole('Image Position') ?? index + 1
    errors.push(...cells.errors)
    return [{ position, url, alt: cells.text('Image Alt Text') ?? null }]
  })
  const byUrl = new Map(found.toSorted((one, other) => one.position - other.position).map(({ url, alt }) => [url, { url, alt }]))
  return { errors, images: [...byUrl.values()] }
}

/** Archived and unpublished products are hidden; undefined: the file does not say. */
function statusOf(cells: CellReader<Column>): ProductRecord['status'] | undefined {
  const status = cells.word('Status', ['active', 'draft', 'archived'])
  const isPublished = cells.flag('Published')
  if (status === undefined && isPublished === undefined) return undefined
  return (status ?? 'active') !== 'active' || isPublished === false ? 'DISABLED' : 'AVAILABLE'
}

/** Type and tags are categories at the top, each once; undefined: the file has neither. */
function categoriesOf(cells: CellReader<Column>): ProductInput['categories'] | undefined {
  const [type, tags] = [cells.text('Type'), cells.text('Tags')]
  if (type === undefined && tags === undefined) return undefined
  const names = [type ?? '', ...(tags ?? '').split(',')].map((name) => name.trim()).filter((name) => name !== '')
  const byPermalink = new Map(names.map((name) => [permalinkOf(name), name]))
  return [...byPermalink].map(([permalink, name]) => [{ name, permalink }])
}

const inUnit = (grams: Amount, unit: WeightUnit): Amount => roundedProduct(grams, GRAMS[unit].per, GRAMS[unit].grams, 1n)
const inGrams = (weight: Amount, unit: WeightUnit): Amount => roundedProduct(weight, GRAMS[unit].grams, GRAMS[unit].per, 1n)

/** Rows of Shopify's CSV for a product: one for each variant, and further ones for more images. */
export function csvOfProduct(product: ProductRecord, weightUnit: WeightUnit): string {
  const { options, variants, images } = product
  const used = options.filter(({ name }) => variants.some((variant) => variant.options.some((each) => each.name === name)))
  const rows: Partial<Record<Column, string | number>>[] = (
    variants.length > 0 ? variants : [{ ...product, options: [ONLY_OPTION] }]
  ).map((variant) => ({ ...optionCells(used, variant), ...variantCells(variant, product, weightUnit) }))
  for (const [index, { url, alt }] of images.entries()) {
    const row = rows[index] ?? {}
    Object.assign(row, { 'Image Src': url, 'Image Position': index + 1, 'Image Alt Text': alt ?? '' })
    rows[index] = row
  }
  Object.assign(rows[0] ?? {}, productCells(product, variants.length > 0 ? used : [ONLY_OPTION]))
  return rows
    .map((row) => `${COLUMNS.map((column) => csvField({ ...row, Handle: product.permalink }[column] ?? '')).join(',')}\r\n`)
    .join('')
}

function productCells(product: ProductRecord, options: readonly { readonly name: string }[]) {
  const names = product.categories.flatMap((path) => path.at(-1)?.name ?? [])
  return {
    Title: product.name,
    'Body (HTML)': product.description ?? '',
    Vendor: product.brand ?? '',
    Type: names[0] ?? '',
    Tags: names.filter((name) => !name.includes(',')).join(', '),
    Published: product.status === 'DISABLED' ? 'FALSE' : 'TRUE',
    ...Object.fromEntries(OPTION_COLUMNS.map((index) => [`Option${index} Name`, options[index - 1]?.name ?? ''])),
    'Gift Card': product.type === 'GIFT_CARD' ? 'TRUE' : 'FALSE',
    'SEO Title': product.pageTitle ?? '',
    'SEO Description': product.metaDescription ?? '',
    'Google Shopping / Google Product Category': product.googleProductCategory ?? '',
    Status: product.status === 'DISABLED' ? 'draft' : 'active',
  }
}

const optionCells = (used: readonly OptionRecord[], variant: Pick<VariantRecord, 'options'>) =>
  Object.fromEntries(
    OPTION_COLUMNS.map((index) => {
      const name = used.length === 0 ? ONLY_OPTION.name : used[index - 1]?.name
      return [`Option${index} Value`, variant.options.find((each) => each.name === name)?.value ?? '']
    }),
  )

const variantCells = (
  variant: Pick<VariantRecord, 'sku' | 'barcode' | 'price' | 'compareAtPrice' | 'costPerItem' | 'stock' | 'stockUnlimited'>,
  product: ProductRecord,
  unit: WeightUnit,
) => ({
  'Variant SKU': variant.sku ?? '',
  'Variant Grams': textOf(inGrams(amountOf(product.weight), unit)),
  'Variant Inventory Tracker': variant.stockUnlimited ? '' : 'shopify',
  'Variant Inventory Qty': variant.stock,
  'Variant Inventory Policy': 'deny',
  'Variant Fulfillment Service': 'manual',
  'Variant Price': variant.price,
  'Variant Compare At Price': variant.compareAtPrice ?? '',
  'Variant Requires Shipping': product.shippingRequired ? 'TRUE' : 'FALSE',
  'Variant Taxable': 'TRUE',
  'Variant Barcode': variant.barcode ?? '',
  'Variant Weight Unit': unit.toLowerCase(),
  'Cost per item': variant.costPerItem ?? '',
})
