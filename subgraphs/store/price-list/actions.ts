import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { customerCategoryRepository } from '../customer-category/repository.ts'
import { decodeId } from '../ids.ts'
import { given, required, type Versioned } from '../input.ts'
import { storeRepository } from '../store/repository.ts'
import { storeCurrencyRepository } from '../store-currency/repository.ts'
import { conflictError, staleVersion, type UnitOfWork } from '../write.ts'
import {
  MAX_PRICE_LISTS,
  MAX_PRICES,
  MAX_QUANTITY_BREAKS,
  type PriceInput,
  type PriceItemInput,
  type PriceListFields,
  priceListProblems,
  removedItems,
  unknownItems,
  writtenPrices,
} from './price-list.ts'
import { priceListRepository } from './repository.ts'

type Input = {
  readonly [Field in Exclude<keyof PriceListFields, 'customerCategoryId'>]?: PriceListFields[Field] | null | undefined
} & {
  readonly customerCategoryId?: string | null | undefined
}

const NEW: PriceListFields = {
  name: '',
  active: true,
  customerCategoryId: null,
  currency: null,
  priority: 0,
  startsAt: null,
  endsAt: null,
  adjustmentPercent: null,
  roundingStep: null,
  roundingEnding: '0',
  roundingDirection: 'NEAREST',
}

const success = (priceList: number) => ({ __typename: 'PriceListSuccess' as const, priceList })

/** Creates a list without fixed prices. */
export async function createPriceList(unit: UnitOfWork, input: Input) {
  const { query, storeId, now } = unit
  const fields = fieldsOf(input, NEW, await currencyOf(unit))
  const refusal = await refusalOf(unit, fields, input)
  if (refusal) return refusal
  const lists = priceListRepository(query)
  await lists.lockLists(storeId)
  if ((await lists.count(storeId)) >= MAX_PRICE_LISTS)
    return conflictError(`Expected at most ${MAX_PRICE_LISTS} price lists in a store: delete one first.`)
  return success(await lists.insert(storeId, fields, now))
}

/** Changes a list; absent fields stay as they are. */
export async function updatePriceList(unit: UnitOfWork, id: string, input: Input & Versioned) {
  const { query, storeId, now } = unit
  const found = await lockList(unit, id, input)
  if ('failure' in found) return found.failure
  const problems = required(input, ['name', 'active', 'priority', 'roundingDirection'])
  if (problems.length > 0) return validationError(problems)
  const fields = fieldsOf(input, found.list, await currencyOf(unit))
  const refusal = await refusalOf(unit, fields, input)
  if (refusal) return refusal
  if (fields.currency !== found.list.currency) {
    const [{ count } = { count: 0 }] = await priceListRepository(query).countPrices(storeId, [found.list.id], null)
    if (count > 0) return validationError([problem('currency', 'unchanged: the list has fixed prices', input.currency)])
  }
  await priceListRepository(query).update(storeId, found.list.id, fields, now)
  return success(found.list.id)
}

/** Deletes a list with its fixed prices. */
export async function deletePriceList(unit: UnitOfWork, id: string, versioned: Versioned) {
  const found = await lockList(unit, id, versioned)
  if ('failure' in found) return found.failure
  await priceListRepository(unit.query).delete(unit.storeId, found.list.id)
  return { __typename: 'DeletePriceListSuccess' as const, row: found.list.id }
}

/** Sets fixed prices of a list: all of them, or none. */
export async function setPriceListPrices(
  unit: UnitOfWork,
  id: string,
  input: Versioned & { readonly prices: readonly PriceInput[] },
) {
  const { query, storeId, now } = unit
  const found = await lockList(unit, id, input)
  if ('failure' in found) return found.failure
  const written = writtenPrices(input.prices, found.list.currency ?? (await currencyOf(unit)))
  if ('problems' in written) return validationError(written.problems)
  const { prices } = written
  const lists = priceListRepository(query)
  const unknown = unknownItems(input.prices, prices, await lists.keepItems(storeId, prices))
  if (unknown.length > 0) return validationError(unknown)
  await lists.setPrices(storeId, found.list.id, prices)
  // What is too much is rolled back.
  const [{ count } = { count: 0 }] = await lists.countPrices(storeId, [found.list.id], null)
  if (count > MAX_PRICES) return validationError([problem('prices', `of a list with at most ${MAX_PRICES}`, count)])
  const breaks = await lists.maxBreaks(
    storeId,
    found.list.id,
    prices.map(({ productId }) => productId),
  )
  if (breaks > MAX_QUANTITY_BREAKS)
    return validationError([problem('prices', `at most ${MAX_QUANTITY_BREAKS} of one item`, breaks)])
  await lists.touch(storeId, found.list.id, now)
  return success(found.list.id)
}

/** Removes fixed prices of a list. */
export async function removePriceListPrices(
  unit: UnitOfWork,
  id: string,
  input: Versioned & { readonly items: readonly PriceItemInput[] },
) {
  const { query, storeId, now } = unit
  const found = await lockList(unit, id, input)
  if ('failure' in found) return found.failure
  const removed = removedItems(input.items)
  if ('problems' in removed) return validationError(removed.problems)
  const lists = priceListRepository(query)
  const count = await lists.removePrices(storeId, found.list.id, removed.items)
  if (count > 0) await lists.touch(storeId, found.list.id, now)
  return success(found.list.id)
}

/** A list, locked, with the version that is expected. */
async function lockList({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const list = await priceListRepository(query).lock(storeId, decodeId(id, 'PriceList') ?? 0)
  if (!list) return { failure: notFoundError('price list', id) }
  const stale = staleVersion(expectedVersion, list.version)
  return stale ? { failure: stale } : { list }
}

async function currencyOf({ query, storeId }: UnitOfWork): Promise<string> {
  const [store] = await storeRepository(query).findByIds([storeId])
  if (!store) throw new Error('Expected the store of the transaction.')
  return store.currency
}

/** Why fields cannot be written; null when they can. */
async function refusalOf(unit: UnitOfWork, fields: PriceListFields, input: Input) {
  const isOffered =
    fields.currency === null || (await storeCurrencyRepository(unit.query).lockCode(unit.storeId, fields.currency))
  if (!isOffered) return validationError([problem('currency', 'that of the store, or one of `storeCurrencies`', fields.currency)])
  const problems = priceListProblems(fields, fields.currency ?? (await currencyOf(unit)))
  if (problems.length > 0) return validationError(problems)
  if (input.customerCategoryId == null) return null
  const categories = customerCategoryRepository(unit.query)
  const category = await categories.lockShared(unit.storeId, fields.customerCategoryId ?? 0)
  return category ? null : notFoundError('customer category', input.customerCategoryId)
}

/** The fields to write: those of the input over the current ones. */
function fieldsOf(input: Input, before: PriceListFields, ofStore: string): PriceListFields {
  const { customerCategoryId: category, currency } = input
  return {
    name: input.name ?? before.name,
    active: input.active ?? before.active,
    customerCategoryId:
      category === undefined
        ? before.customerCategoryId
        : category === null
          ? null
          : (decodeId(category, 'CustomerCategory') ?? 0),
    currency: currency === undefined ? before.currency : currency === ofStore ? null : currency,
    priority: input.priority ?? before.priority,
    startsAt: given(input.startsAt, before.startsAt),
    endsAt: given(input.endsAt, before.endsAt),
    adjustmentPercent: given(input.adjustmentPercent, before.adjustmentPercent),
    roundingStep: given(input.roundingStep, before.roundingStep),
    roundingEnding: given(input.roundingEnding, before.roundingEnding) ?? '0',
    roundingDirection: input.roundingDirection ?? before.roundingDirection,
  }
}
