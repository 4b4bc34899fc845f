import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { given, required, type Versioned } from '../input.ts'
import { storeRepository } from '../store/repository.ts'
import { conflictError, staleVersion, type UnitOfWork } from '../write.ts'
import { storeCurrencyRepository } from './repository.ts'
import { MAX_STORE_CURRENCIES, type StoreCurrencyFields, storeCurrencyProblems } from './store-currency.ts'

type Input = { readonly [Field in Exclude<keyof StoreCurrencyFields, 'code'>]?: StoreCurrencyFields[Field] | null | undefined }

const success = (storeCurrency: number) => ({ __typename: 'StoreCurrencySuccess' as const, storeCurrency })

/** Lets shoppers buy in a currency. */
export async function createStoreCurrency(
  { query, storeId, now }: UnitOfWork,
  { code, ...input }: Input & { readonly code: string; readonly rate: string },
) {
  // Locked: the currency of the store does not change meanwhile, and currencies are counted one by one.
  const store = await storeRepository(query).lock(storeId)
  const fields = fieldsOf(input, {
    ...{ code, rate: input.rate, rateBase: '1' },
    ...{ roundingStep: null, roundingEnding: '0', roundingDirection: 'NEAREST' },
  })
  const problems = storeCurrencyProblems(fields, store.currency)
  if (problems.length > 0) return validationError(problems)
  const currencies = storeCurrencyRepository(query)
  if ((await currencies.count(storeId)) >= MAX_STORE_CURRENCIES)
    return conflictError(`Expected at most ${MAX_STORE_CURRENCIES} currencies beside that of the store: delete one first.`)
  const id = await currencies.insert(storeId, fields, now)
  return id === null ? validationError([problem('code', 'a currency that the store does not have yet', code)]) : success(id)
}

/** Changes a rate or its rounding; absent fields stay as they are. */
export async function updateStoreCurrency(unit: UnitOfWork, id: string, input: Input & Versioned) {
  const { query, storeId, now } = unit
  const found = await lockCurrency(unit, id, input)
  if ('failure' in found) return found.failure
  const missing = required(input, ['rate', 'rateBase', 'roundingDirection'])
  if (missing.length > 0) return validationError(missing)
  const fields = fieldsOf(input, found.currency)
  const problems = storeCurrencyProblems(fields, '')
  if (problems.length > 0) return validationError(problems)
  await storeCurrencyRepository(query).update(storeId, found.currency.id, fields, now)
  return success(found.currency.id)
}

/** Ends sales in a currency that no price list is in. */
export async function deleteStoreCurrency(unit: UnitOfWork, id: string, versioned: Versioned) {
  const { query, storeId } = unit
  const found = await lockCurrency(unit, id, versioned)
  if ('failure' in found) return found.failure
  const { id: row, code } = found.currency
  const currencies = storeCurrencyRepository(query)
  if (await currencies.hasPriceLists(storeId, code))
    return conflictError(`Expected no price list in ${code}: delete these lists first.`)
  await currencies.delete(storeId, row)
  return { __typename: 'DeleteStoreCurrencySuccess' as const, row }
}

/** A currency, locked, with the version that is expected. */
async function lockCurrency({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const currency = await storeCurrencyRepository(query).lock(storeId, decodeId(id, 'StoreCurrency') ?? 0)
  if (!currency) return { failure: notFoundError('currency', id) }
  const stale = staleVersion(expectedVersion, currency.version)
  return stale ? { failure: stale } : { currency }
}

/** The fields to write: those of the input over the current ones. */
const fieldsOf = (input: Input, before: StoreCurrencyFields): StoreCurrencyFields => ({
  code: before.code,
  rate: input.rate ?? before.rate,
  rateBase: input.rateBase ?? before.rateBase,
  roundingStep: given(input.roundingStep, before.roundingStep),
  roundingEnding: given(input.roundingEnding, before.roundingEnding) ?? '0',
  roundingDirection: input.roundingDirection ?? before.roundingDirection,
})
