import { type Problem, problem } from '../../toolkit/validation.ts'
import {
  MOST_OPTIONS,
  MOST_VALUES,
  makesVariants,
  optionProblems,
  type ProductOption,
  type ProductOptionValue,
  type VariantOptionType,
  valueProblems,
} from '../product-option/product-option.ts'
import { productOptionRepository } from '../product-option/repository.ts'
import { identityKey } from '../text-key.ts'
import type { Unit } from '../write.ts'

/** The value of one option by names, as a caller gives it. */
export type VariantOptionInput = {
  readonly name: string
  readonly optionType?: VariantOptionType | null | undefined
  readonly value: string
  readonly custom?: string | null | undefined
  readonly optionPosition?: number | null | undefined
  readonly valuePosition?: number | null | undefined
}

/** Finds the values that names mean, and makes those that do not exist. */
export type ValuesByName = (
  wanted: readonly VariantOptionInput[],
  at: string,
) => Promise<{ readonly problems: readonly Problem[] } | { readonly valueIds: readonly number[] }>

/** The options of one locked product, read once for any number of its variants. */
export async function valuesByName({ query, storeId }: Unit, productId: number): Promise<ValuesByName> {
  const repository = productOptionRepository(query)
  const options = [...(await repository.ofProducts(storeId, [productId]))]
  const values =
    options.length === 0
      ? []
      : [
          ...(await repository.valuesOf(
            storeId,
            options.map(({ id }) => id),
          )),
        ]

  return async (wanted, at) => {
    const valueIds: number[] = []
    const seen = new Set<string>()
    for (const [index, input] of wanted.entries()) {
      const where = `${at}options.${index}.`
      if (seen.has(identityKey(input.name)))
        return { problems: [problem(`${where}name`, 'an option that is not named twice', input.name)] }
      seen.add(identityKey(input.name))
      const option = await optionFor(input, where)
      if ('problems' in option) return option
      const value = await valueFor(input, option, where)
      if ('problems' in value) return value
      valueIds.push(value.id)
    }
    return { valueIds }
  }

  async function optionFor(
    input: VariantOptionInput,
    at: string,
  ): Promise<ProductOption | { readonly problems: readonly Problem[] }> {
    const known = options.find(({ name }) => identityKey(name) === identityKey(input.name))
    const optionType = known?.optionType ?? input.optionType ?? 'OPTION'
    if (!makesVariants(optionType))
      return { problems: [problem(`${at}optionType`, 'OPTION or COLOR: no other makes variants', optionType)] }
    if (known) return known
    const made = {
      productId,
      name: input.name,
      position: input.optionPosition ?? options.length + 1,
      optionType,
      addonPrice: null,
    }
    const problems = optionProblems(made, at)
    if (problems.length > 0) return { problems }
    if (options.length >= MOST_OPTIONS)
      return { problems: [problem(`${at}name`, `one of at most ${MOST_OPTIONS} options`, input.name)] }
    const option = { ...made, id: await repository.insert(storeId, made) }
    options.push(option)
    return option
  }

  async function valueFor(
    input: VariantOptionInput,
    { id: optionId, optionType }: ProductOption,
    at: string,
  ): Promise<ProductOptionValue | { readonly problems: readonly Problem[] }> {
    const siblings = values.filter((value) => value.optionId === optionId)
    const known = siblings.find(({ name }) => identityKey(name) === identityKey(input.value))
    if (known) return known
    const made = {
      productId,
      optionId,
      name: input.value,
      custom: input.custom?.trim() ? input.custom : null,
      position: input.valuePosition ?? siblings.length + 1,
    }
    // The field of the value's name is called value here.
    const problems = valueProblems(made, optionType, at).map((each) =>
      each.field === `${at}name` ? { field: `${at}value`, message: each.message.replace(`${at}name`, `${at}value`) } : each,
    )
    if (problems.length > 0) return { problems }
    if (siblings.length >= MOST_VALUES)
      return { problems: [problem(`${at}value`, `one of at most ${MOST_VALUES} values`, input.value)] }
    const value = { ...made, id: await repository.insertValue(storeId, made) }
    values.push(value)
    return value
  }
}
