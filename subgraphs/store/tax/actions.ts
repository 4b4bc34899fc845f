import { notFoundError, problem, problemsIn, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { given, required, type Versioned } from '../input.ts'
import { productCategoryRepository } from '../product-category/repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { taxRepository } from './repository.ts'
import { MAX_TAXES, placed, regionProblem, type TaxFields, type TaxSettings, taxProblems } from './tax.ts'

type Input = { readonly [Key in keyof TaxFields]?: TaxFields[Key] | null | undefined } & {
  readonly categoryId?: string | null | undefined
}

export async function createTax({ query, storeId, now }: UnitOfWork, input: Input) {
  const fields: TaxFields = placed({
    name: input.name ?? '',
    country: input.country ?? null,
    region: input.region ?? null,
    rate: input.rate ?? '0',
    fixed: input.fixed ?? false,
    shipping: input.shipping ?? false,
  })
  const problems = problemsIn([...taxProblems(fields, input.categoryId != null), regionProblem(fields)])
  if (problems.length > 0) return validationError(problems)

  const taxes = taxRepository(query)
  if ((await taxes.count(storeId)) >= MAX_TAXES) {
    return validationError([problem('input', `one of at most ${MAX_TAXES} taxes of a store`, 'one more')])
  }
  const categoryId = await categoryOf({ query, storeId }, input.categoryId)
  if (categoryId === 'missing') return notFoundError('category', String(input.categoryId))
  const tax = await taxes.insert(storeId, { ...fields, categoryId, at: now })
  return { __typename: 'CreateTaxSuccess' as const, tax }
}

export async function updateTax({ query, storeId, now }: UnitOfWork, id: string, input: Input & Versioned) {
  const taxes = taxRepository(query)
  const before = await taxes.lock(storeId, decodeId(id, 'Tax') ?? 0)
  if (!before) return notFoundError('tax', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const categoryId = input.categoryId === undefined ? before.categoryId : await categoryOf({ query, storeId }, input.categoryId)
  if (categoryId === 'missing') return notFoundError('category', String(input.categoryId))
  const fields: TaxFields = placed({
    name: input.name ?? before.name,
    country: given(input.country, before.country),
    region: given(input.region, before.region),
    rate: input.rate ?? before.rate,
    fixed: input.fixed ?? before.fixed,
    shipping: input.shipping ?? before.shipping,
  })
  const isMoved = input.country !== undefined || input.region !== undefined
  const problems = problemsIn([
    ...required(input, ['name', 'rate', 'fixed', 'shipping']),
    ...taxProblems(fields, categoryId !== null),
    isMoved ? regionProblem(fields) : null,
  ])
  if (problems.length > 0) return validationError(problems)
  await taxes.update(storeId, before.id, { ...fields, categoryId, at: now })
  return { __typename: 'UpdateTaxSuccess' as const, tax: before.id }
}

export async function deleteTax({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const taxes = taxRepository(query)
  const before = await taxes.lock(storeId, decodeId(id, 'Tax') ?? 0)
  if (!before) return notFoundError('tax', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await taxes.delete(storeId, before.id)
  return { __typename: 'DeleteTaxSuccess' as const, row: before.id }
}

type SettingsInput = Versioned & {
  readonly [Key in 'pricesIncludeTax' | 'taxedAddress']?: TaxSettings[Key] | null | undefined
}

export async function updateTaxSettings({ query, storeId }: UnitOfWork, input: SettingsInput) {
  const problems = required(input, ['pricesIncludeTax', 'taxedAddress'])
  if (problems.length > 0) return validationError(problems)
  const taxes = taxRepository(query)
  const before = await taxes.lockSettings(storeId)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  await taxes.updateSettings(storeId, {
    pricesIncludeTax: input.pricesIncludeTax ?? before.pricesIncludeTax,
    taxedAddress: input.taxedAddress ?? before.taxedAddress,
  })
  return { __typename: 'UpdateTaxSettingsSuccess' as const }
}

/** The row of the wanted category; null for none, `missing` when there is no such category. */
async function categoryOf(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  categoryId: string | null | undefined,
): Promise<number | null | 'missing'> {
  if (categoryId == null) return null
  const row = decodeId(categoryId, 'ProductCategory')
  const [found] = row === null ? [] : await productCategoryRepository(query).findByIds(storeId, [row])
  return found?.id ?? 'missing'
}
