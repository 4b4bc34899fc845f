import type { ShopListContentsFragment, StorefrontProductFilter } from '#generated/operations.ts'
import { whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { QueryValues } from './frame.ts'

export type Facets = ShopListContentsFragment['products']['facets']

/** What was chosen in a list, as its address has it. */
export type ChosenFacets = {
  readonly brand: readonly string[]
  /** Option and value: `Size:XL`. */
  readonly option: readonly string[]
  readonly rating: number
  readonly available: boolean | null
}

/** Values that are shown at once; the others can be searched for. */
const MAX_SHOWN = 12

/** The filter of the graph; null for an option that is none. */
export function filterOf({ brand, option, rating, available }: ChosenFacets, collection: string | null): StorefrontProductFilter {
  const pairs = option.map((each) => ({ name: each.split(':', 1)[0] ?? '', value: each.slice(each.indexOf(':') + 1) }))
  const options = [...Map.groupBy(pairs, ({ name }) => name)].map(([name, own]) => ({
    name,
    values: own.map(({ value }) => value),
  }))
  return {
    collection,
    ...(brand.length > 0 && { brands: brand }),
    ...(options.length > 0 && { options }),
    ...(rating > 0 && { ratingMin: rating }),
    ...(available && { available: true }),
  }
}

/** The same as parameters of an address. */
export const chosenQuery = ({ brand, option, rating, available }: ChosenFacets): QueryValues => ({
  brand,
  option,
  rating: rating > 0 && String(rating),
  available: available === true && 'true',
})

export const isAnyChosen = ({ brand, option, rating, available }: ChosenFacets): boolean =>
  brand.length > 0 || option.length > 0 || rating > 0 || available === true

type Value = { readonly label: string; readonly count: number; readonly isChosen: boolean; readonly next: ChosenFacets }

/** Links that choose a value, or that take it back. */
export function facetLists(facets: Facets, chosen: ChosenFacets, addressOf: (next: ChosenFacets) => string): Html {
  const { brands, options, ratings, availableCount } = facets
  const stars = [4, 3].flatMap((least): Value[] => {
    const count = ratings.filter(({ value }) => Number(value) >= least).reduce((sum, each) => sum + each.count, 0)
    const isChosen = chosen.rating === least
    return count > 0 || isChosen
      ? [{ label: `${least} stars and more`, count, isChosen, next: { ...chosen, rating: isChosen ? 0 : least } }]
      : []
  })
  return html`${list(
    'Availability',
    availableCount > 0 || chosen.available
      ? [
          {
            label: 'In stock',
            count: availableCount,
            isChosen: chosen.available === true,
            next: { ...chosen, available: chosen.available ? null : true },
          },
        ]
      : [],
    addressOf,
  )}
${list(
  'Brand',
  withChosen(brands, chosen.brand).map(({ value, label, count }) => ({
    label,
    count,
    isChosen: chosen.brand.includes(value),
    next: { ...chosen, brand: toggled(chosen.brand, value) },
  })),
  addressOf,
)}
${options
  .filter(
    ({ values }) => values.length > 1 || values.some(({ value }) => chosen.option.some((each) => each.endsWith(`:${value}`))),
  )
  .map(({ name, values }) =>
    list(
      name,
      values.map(({ value, label, count }) => ({
        label,
        count,
        isChosen: chosen.option.includes(`${name}:${value}`),
        next: { ...chosen, option: toggled(chosen.option, `${name}:${value}`) },
      })),
      addressOf,
    ),
  )}
${list('Rating', stars, addressOf)}`
}

/** A chosen value that nothing has any more can still be taken back. */
const withChosen = (values: Facets['brands'], chosen: readonly string[]): Facets['brands'] => [
  ...chosen.filter((value) => !values.some((each) => each.value === value)).map((value) => ({ value, label: value, count: 0 })),
  ...values,
]

const toggled = (values: readonly string[], value: string): readonly string[] =>
  values.includes(value) ? values.filter((each) => each !== value) : [...values, value]

const list = (name: string, values: readonly Value[], addressOf: (next: ChosenFacets) => string): Html | false =>
  values.length > 0 &&
  html`<section><h3>${name}</h3><ul>${[
    ...values.filter(({ isChosen }) => isChosen),
    ...values.filter(({ isChosen }) => !isChosen),
  ]
    .slice(0, MAX_SHOWN)
    .map(
      ({ label, count, isChosen, next }) =>
        html`<li><a href="${addressOf(next)}" rel="nofollow"${isChosen && html` aria-current="true"`}>${isChosen && html`<span aria-hidden="true">✓ </span>`}${label} <span class="count">${whole(count)}</span></a></li>`,
    )}</ul></section>`
