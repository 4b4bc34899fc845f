import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../../toolkit/validation.ts'
import { amountOf, least, textOf } from '../../amount.ts'
import { decodeId } from '../../ids.ts'
import { type CustomerPrices, type ListPrice, type PricedItem, priceByLists } from '../../price-list/rule.ts'
import { MAX_LINES, MAX_UNITS, type OrderLineTerms } from '../order.ts'
import type { OrderCatalogue } from './catalogue-repository.ts'

/** Line of an order, as a caller gives it. */
export type LineInput = {
  /** Null or absent: a custom line, with a name and a price. */
  readonly productId?: string | null | undefined
  readonly variantId?: string | null | undefined
  readonly quantity?: number | null | undefined
  readonly price?: string | null | undefined
  readonly discount?: string | null | undefined
  readonly name?: string | null | undefined
  readonly sku?: string | null | undefined
  readonly weight?: string | null | undefined
}

/** A line before the calculation: given fields, and those of the catalogue otherwise. */
export type DraftLine = Omit<OrderLineTerms, 'subtotal' | 'tax' | 'total' | 'taxes'> & {
  readonly isKnown: boolean
  readonly requiresShipping: boolean
}

/** The rows that lines name; null for an invalid id. */
export const rowsIn = (lines: readonly LineInput[]) => ({
  products: lines
    .map(({ productId }) => (productId == null ? null : decodeId(productId, 'Product')))
    .filter((row) => row !== null),
  variants: lines
    .map(({ variantId }) => (variantId == null ? null : decodeId(variantId, 'ProductVariant')))
    .filter((row) => row !== null),
})

/** What lines of an order may be, and by which price lists they are priced. */
export type DraftRules = { readonly allowMissing: boolean; readonly customerPrices: CustomerPrices }

/** The lines of an order, completed from the catalogue; or their problems. */
export function draftLines(
  inputs: readonly LineInput[],
  catalogue: OrderCatalogue,
  { allowMissing, customerPrices }: DraftRules,
) {
  if (inputs.length < 1 || inputs.length > MAX_LINES) {
    return { failure: validationError([problem('lines', `1 to ${MAX_LINES} lines`, inputs.length)]) }
  }
  const problems: Problem[] = []
  const lines: DraftLine[] = []
  const units = unitsOf(inputs)
  // Without lists in the store's own currency, as most stores are, nothing is looked up.
  const priceOf = (input: LineInput, item: PricedItem): ListPrice | null =>
    customerPrices.lists.length === 0 && customerPrices.currency.exchange === null
      ? null
      : priceByLists(customerPrices, item, units.get(itemKey(input)) ?? 1)
  for (const [index, input] of inputs.entries()) {
    const drafted = draftLine(input, `lines.${index}`, catalogue, { allowMissing, priceOf })
    if ('missing' in drafted) return { failure: drafted.missing }
    if ('problems' in drafted) problems.push(...drafted.problems)
    else lines.push(drafted.line)
  }
  if (problems.length === 0) problems.push(...quantityProblems(lines, catalogue))
  return problems.length > 0 ? { failure: validationError(problems) } : { lines }
}

type Drafted =
  | { readonly line: DraftLine }
  | { readonly problems: readonly Problem[] }
  | { readonly missing: ReturnType<typeof notFoundError> }

/** Units of each item in all lines: splitting a line reaches no other price. */
function unitsOf(inputs: readonly LineInput[]): ReadonlyMap<string, number> {
  const units = new Map<string, number>()
  for (const input of inputs) units.set(itemKey(input), (units.get(itemKey(input)) ?? 0) + (input.quantity ?? 1))
  return units
}

const itemKey = ({ productId, variantId }: LineInput): string =>
  `${productId == null ? 0 : decodeId(productId, 'Product')} ${variantId == null ? 0 : decodeId(variantId, 'ProductVariant')}`

function draftLine(
  input: LineInput,
  at: string,
  catalogue: OrderCatalogue,
  {
    allowMissing,
    priceOf,
  }: { readonly allowMissing: boolean; readonly priceOf: (input: LineInput, item: PricedItem) => ListPrice | null },
): Drafted {
  const { productId } = input
  if (productId == null) return customLine(input, at)
  const productNumber = decodeId(productId, 'Product')
  if (productNumber === null) return { missing: notFoundError('product', productId) }
  const variantNumber = input.variantId == null ? null : decodeId(input.variantId, 'ProductVariant')
  if (input.variantId != null && variantNumber === null) return { missing: notFoundError('variant', input.variantId) }

  const product = catalogue.products.get(productNumber)
  const found = variantNumber === null ? undefined : catalogue.variants.get(variantNumber)
  const variant = found?.productId === productNumber ? found : undefined
  if (!product && !allowMissing) return { missing: notFoundError('product', productId) }
  if (input.variantId != null && !variant && !allowMissing) return { missing: notFoundError('variant', input.variantId) }

  const own = ownProblems(input, at)
  if (own.length > 0) return { problems: own }
  if (product && product.status !== 'AVAILABLE') {
    return {
      problems: [problem(`${at}.productId`, 'a product that is AVAILABLE', `${productId}, which is ${product.status}`)],
    }
  }
  if (product?.hasVariants && variantNumber === null) {
    return { problems: [problem(`${at}.variantId`, 'a variant of the product, because it has variants', null)] }
  }

  const quantity = input.quantity ?? 1
  const listed = variant?.price ?? product?.price ?? '0'
  const asListed = input.price == null && product ? product : null
  const byLists =
    asListed && priceOf(input, { productId: productNumber, variantId: variantNumber, price: listed, discount: asListed.discount })
  const price = input.price ?? byLists?.price ?? listed
  const value = amountOf(price) * BigInt(quantity)
  const off = asListed && !byLists ? least(amountOf(asListed.discount), amountOf(listed)) * BigInt(quantity) : 0n
  const discount = input.discount == null ? off : amountOf(input.discount)
  if (discount > value)
    return { problems: [problem(`${at}.discount`, `at most ${textOf(value)}, what the line costs`, input.discount)] }
  const name = product?.name ?? input.name ?? `Product ${productNumber}`
  return {
    line: {
      productNumber,
      variantNumber,
      sku: variant?.sku ?? product?.sku ?? input.sku ?? null,
      name: variant?.options ? `${name} (${variant.options})` : name,
      imageKey: variant?.imageKey ?? product?.imageKey ?? null,
      quantity,
      price,
      discount: textOf(discount),
      weight: variant?.weight ?? product?.weight ?? input.weight ?? '1',
      isKnown: product !== undefined && (variantNumber === null || variant !== undefined),
      requiresShipping: product?.requiresShipping ?? true,
    },
  }
}

/** A line that is of no product. */
function customLine(input: LineInput, at: string): Drafted {
  const { name, price, variantId, quantity, discount, sku, weight } = input
  const value = price == null || price.startsWith('-') ? 0n : amountOf(price) * BigInt(quantity ?? 1)
  const problems = [
    ...ownProblems(input, at),
    ...problemsIn([
      name == null ? problem(`${at}.name`, 'given, because the line has no product', null) : null,
      price == null ? problem(`${at}.price`, 'given, because the line has no product', null) : null,
      variantId == null ? null : problem(`${at}.variantId`, 'absent, because the line has no product', variantId),
      discount != null && amountOf(discount) > value
        ? problem(`${at}.discount`, `at most ${textOf(value)}, what the line costs`, discount)
        : null,
    ]),
  ]
  if (problems.length > 0 || name == null || price == null) return { problems }
  return {
    line: {
      ...{ productNumber: 0, variantNumber: null, sku: sku ?? null, name, imageKey: null, quantity: quantity ?? 1, price },
      ...{ discount: discount ?? '0', weight: weight ?? '0', isKnown: false, requiresShipping: false },
    },
  }
}

/** Problems of a line by itself. */
const ownProblems = ({ quantity, price, discount, name, sku, weight }: LineInput, at: string): readonly Problem[] =>
  problemsIn([
    quantity != null && (quantity < 1 || quantity > MAX_UNITS) ? problem(`${at}.quantity`, `1 to ${MAX_UNITS}`, quantity) : null,
    price?.startsWith('-') ? problem(`${at}.price`, '0 or more', price) : null,
    discount?.startsWith('-') ? problem(`${at}.discount`, '0 or more', discount) : null,
    name == null ? null : textProblem(`${at}.name`, name, 255),
    sku == null ? null : textProblem(`${at}.sku`, sku, 255),
    weight?.startsWith('-') ? problem(`${at}.weight`, '0 or more', weight) : null,
  ])

/** Problems of the total quantity of a product in all lines. */
function quantityProblems(lines: readonly DraftLine[], { products }: OrderCatalogue): readonly Problem[] {
  const wanted = Map.groupBy(lines, ({ productNumber }) => productNumber)
  return [...wanted].flatMap(([row, own]) => {
    const { minimumQuantity = null, maximumQuantity = null } = products.get(row) ?? {}
    const quantity = own.reduce((sum, line) => sum + line.quantity, 0)
    const field = `lines.${lines.findIndex(({ productNumber }) => productNumber === row)}.quantity`
    return problemsIn([
      minimumQuantity !== null && quantity < minimumQuantity
        ? problem(field, `at least ${minimumQuantity} of the product`, quantity)
        : null,
      maximumQuantity !== null && quantity > maximumQuantity
        ? problem(field, `at most ${maximumQuantity} of the product`, quantity)
        : null,
    ])
  })
}
