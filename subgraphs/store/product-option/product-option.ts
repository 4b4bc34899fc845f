import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

/** What makes variants. */
export type VariantOptionType = 'OPTION' | 'COLOR'
export type ProductOptionType = VariantOptionType | 'INPUT' | 'TEXT' | 'FILE' | 'CHECKLIST'

/** Something to choose about a product. */
export type ProductOption = {
  readonly id: number
  readonly productId: number
  readonly name: string
  readonly position: number
  readonly optionType: ProductOptionType
  readonly addonPrice: string | null
}

/** Value of an option. */
export type ProductOptionValue = {
  readonly id: number
  readonly productId: number
  readonly optionId: number
  readonly name: string
  readonly custom: string | null
  readonly position: number
}

/** Names of options and values, in characters. */
export const MAX_NAME_LENGTH = 100
/** What lists of a product promise to hold. */
export const MAX_OPTIONS = 100
export const MAX_VALUES = 250

export const makesVariants = (type: ProductOptionType): type is VariantOptionType => type === 'OPTION' || type === 'COLOR'

/** Problems of an option after a change. */
export const optionProblems = (
  { name, position, optionType, addonPrice }: Omit<ProductOption, 'id' | 'productId'>,
  at = '',
): readonly Problem[] =>
  problemsIn([
    textProblem(`${at}name`, name, MAX_NAME_LENGTH),
    position < 1 || position > MAX_OPTIONS ? problem(`${at}position`, `1 to ${MAX_OPTIONS}`, position) : null,
    addonPrice?.startsWith('-') ? problem(`${at}addonPrice`, '0 or more', addonPrice) : null,
    addonPrice !== null && optionType !== 'CHECKLIST'
      ? problem(`${at}addonPrice`, `absent of an option that is no CHECKLIST`, addonPrice)
      : null,
  ])

/** Problems of a value of such an option after a change. */
export const valueProblems = (
  { name, position, custom }: Omit<ProductOptionValue, 'id' | 'productId' | 'optionId'>,
  optionType: ProductOptionType,
  at = '',
): readonly Problem[] =>
  problemsIn([
    textProblem(`${at}name`, name, MAX_NAME_LENGTH),
    position < 1 || position > MAX_VALUES ? problem(`${at}position`, `1 to ${MAX_VALUES}`, position) : null,
    custom !== null && optionType !== 'COLOR' ? problem(`${at}custom`, 'absent of an option that is no COLOR', custom) : null,
    custom !== null && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(custom) ? problem(`${at}custom`, '#rgb or #rrggbb', custom) : null,
  ])
