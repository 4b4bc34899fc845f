import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { amountOf, ONE, textOf } from '../amount.ts'
import { countryOf } from '../country/country.ts'
import { isSameRegion, regionNamed, regionsOf } from '../country/region.ts'
import { isSameCode, type OrderDestination } from '../destination.ts'
import { converted, type ExchangeRate } from '../store-currency/exchange.ts'

export type Tax = {
  readonly id: number
  readonly name: string
  /** ISO 3166-1 alpha-2; null: everywhere. */
  readonly country: string | null
  /** Code of a region of that country; null: all of it. */
  readonly region: string | null
  /** Charged for products of this category only; null: for all products. */
  readonly categoryId: number | null
  /** A percentage of the price, or money per unit. */
  readonly rate: string
  readonly fixed: boolean
  /** Charged on shipping, and on no product. */
  readonly shipping: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields to write of a tax. */
export type TaxFields = Pick<Tax, 'name' | 'country' | 'region' | 'rate' | 'fixed' | 'shipping'>

/** What a tax is judged by. */
export type TaxRule = Pick<Tax, 'country' | 'region' | 'categoryId' | 'shipping'>

/** How prices and taxes of a store belong together. */
export type TaxSettings = {
  readonly pricesIncludeTax: boolean
  /** Address by which taxes are calculated. */
  readonly taxedAddress: 'SHIPPING' | 'BILLING'
  readonly version: number
}

/**
 * What a store with more would be slow to work an order out by; none that is known has a hundred.
 */
export const MAX_TAXES = 1_000
const MAX_REGION_LENGTH = 20
/** Percent. Taxes above the price exist, on tobacco and spirits. */
const MAX_PERCENT = 1_000n * ONE

/**
 * Problems of a tax, in the order of its fields. `hasCategory`: it is for one category of products.
 */
export function taxProblems(
  { name, country, region, rate, fixed, shipping }: TaxFields,
  hasCategory: boolean,
): readonly Problem[] {
  const amount = amountOf(rate)
  return problemsIn([
    textProblem('name', name, 200),
    country === null || countryOf(country)?.code === country
      ? null
      : problem('country', 'an ISO 3166-1 alpha-2 code such as "PT"', country),
    region === null ? null : textProblem('region', region, MAX_REGION_LENGTH),
    region !== null && country === null ? problem('region', 'absent where no country is given', region) : null,
    hasCategory && shipping ? problem('categoryId', 'absent for a tax on shipping', 'a category') : null,
    amount < 0n || (!fixed && amount > MAX_PERCENT) ? problem('rate', fixed ? '0 or more' : '0 to 1000 percent', rate) : null,
  ])
}

/**
 * Country and region of a tax, the region by the code that addresses have. One that the country does not
 * list stays as it was given.
 */
export function placed<Where extends Pick<TaxFields, 'country' | 'region'>>(fields: Where): Where {
  const country = fields.country === null ? null : countryOf(fields.country)
  const region = country && fields.region !== null ? regionNamed(country, fields.region) : null
  return region ? { ...fields, region: region.code } : fields
}

/**
 * The problem of a region that its country, which has a list, does not contain: no address would
 * match it.
 */
export function regionProblem({ country: code, region }: Pick<TaxFields, 'country' | 'region'>): Problem | null {
  const country = code === null ? null : countryOf(code)
  const [example] = country ? regionsOf(country) : []
  if (region === null || !country || !example || regionNamed(country, region)) return null
  return problem('region', `a region of ${country.name}, such as "${example.code}" (${example.name})`, region)
}

/**
 * The taxes on a product that goes to, or is billed to, a destination. `categories`: those of the
 * product, and all above them. A tax for all categories comes on top of one for a category, as
 * merchants set up a general and a special tax. In the order given.
 */
export const taxesOnProduct = <T extends TaxRule>(
  taxes: readonly T[],
  categories: ReadonlySet<number>,
  destination: OrderDestination,
): readonly T[] =>
  taxes.filter((tax) => !tax.shipping && (tax.categoryId === null || categories.has(tax.categoryId)) && isDueIn(tax, destination))

/** The taxes on sending something to a destination. */
export const taxesOnShipping = <T extends TaxRule>(taxes: readonly T[], destination: OrderDestination): readonly T[] =>
  taxes.filter((tax) => tax.shipping && isDueIn(tax, destination))

/** Where the destination is not known, only taxes without a country are due. */
const isDueIn = ({ country, region }: TaxRule, destination: OrderDestination): boolean =>
  (country === null || isSameCode(country, destination.country)) &&
  (region === null || isSameRegion(destination.country, region, destination.region))

/** Taxes whose fixed amounts are in the currency of an order: converted, or as `agreed`, by tax. */
export const taxesIn = (
  taxes: readonly Tax[],
  exchange: ExchangeRate | null,
  agreed: ReadonlyMap<number, string> = new Map(),
): readonly Tax[] =>
  exchange === null && agreed.size === 0
    ? taxes
    : taxes.map((tax) =>
        tax.fixed ? { ...tax, rate: agreed.get(tax.id) ?? textOf(converted(amountOf(tax.rate), exchange)) } : tax,
      )
