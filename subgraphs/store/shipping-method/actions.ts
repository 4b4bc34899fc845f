import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import { given, required, type Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { MAX_SHIPPING_METHODS, type ShippingMethodFields, shippingMethodProblems, typeProblem } from './problems.ts'
import { shippingMethodRepository } from './repository.ts'
import type { ShippingTable } from './shipping-method.ts'
import type { Zone } from './zone.ts'

type TableInput = Omit<ShippingTable, 'locations'> & {
  readonly locations?: readonly { readonly [Key in keyof Zone]?: Zone[Key] | undefined }[] | null | undefined
}
type Input = {
  readonly [Key in Exclude<keyof ShippingMethodFields, 'tables'>]?: ShippingMethodFields[Key] | null | undefined
} & { readonly token?: string | null | undefined; readonly tables?: readonly TableInput[] | null | undefined }

export async function createShippingMethod(
  { query, storeId, now, secrets }: UnitOfWork,
  input: Input & Pick<ShippingMethodFields, 'type'>,
) {
  const fields: ShippingMethodFields = {
    type: input.type,
    name: input.name ?? '',
    enabled: input.enabled ?? true,
    freeShipping: input.freeShipping ?? false,
    freeShippingFrom: input.freeShippingFrom ?? null,
    fees: input.fees ?? [],
    callbackUrl: input.callbackUrl ?? null,
    fetchServicesUrl: input.fetchServicesUrl ?? null,
    fallbackPrice: input.fallbackPrice ?? null,
    state: input.state ?? null,
    city: input.city ?? null,
    postal: input.postal ?? null,
    tables: (input.tables ?? []).map(tableOf),
  }
  const wrongType = typeProblem(input.type)
  const problems = wrongType ? [wrongType] : shippingMethodProblems(fields, input.token)
  if (problems.length > 0) return validationError(problems)

  const methods = shippingMethodRepository(query)
  if ((await methods.count(storeId)) >= MAX_SHIPPING_METHODS) {
    return validationError([problem('input', `one of at most ${MAX_SHIPPING_METHODS} shipping methods of a store`, 'one more')])
  }
  const shippingMethod = await methods.insert(storeId, { ...fields, token: input.token, at: now, secrets })
  return { __typename: 'CreateShippingMethodSuccess' as const, shippingMethod }
}

export async function updateShippingMethod({ query, storeId, now, secrets }: UnitOfWork, id: string, input: Input & Versioned) {
  const methods = shippingMethodRepository(query)
  const before = await methods.lock(storeId, decodeId(id, 'ShippingMethod') ?? 0)
  if (!before) return notFoundError('shipping method', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const fields: ShippingMethodFields = {
    type: before.type,
    name: input.name ?? before.name,
    enabled: input.enabled ?? before.enabled,
    freeShipping: input.freeShipping ?? before.freeShipping,
    freeShippingFrom: given(input.freeShippingFrom, before.freeShippingFrom),
    fees: given(input.fees, before.fees) ?? [],
    callbackUrl: given(input.callbackUrl, before.callbackUrl),
    fetchServicesUrl: given(input.fetchServicesUrl, before.fetchServicesUrl),
    fallbackPrice: given(input.fallbackPrice, before.fallbackPrice),
    state: given(input.state, before.state),
    city: given(input.city, before.city),
    postal: given(input.postal, before.postal),
    tables: input.tables === undefined ? before.tables : (input.tables ?? []).map(tableOf),
  }
  const problems = [
    ...(input.type == null || input.type === before.type
      ? []
      : [problem('type', `${before.type}, as the type of a shipping method cannot change`, input.type)]),
    ...required(input, ['name', 'enabled', 'freeShipping']),
    ...shippingMethodProblems(fields, input.token),
  ]
  if (problems.length > 0) return validationError(problems)
  await methods.update(storeId, before.id, { ...fields, token: input.token, at: now, secrets })
  // Services belong to the URL that they were fetched from.
  if (fields.fetchServicesUrl === null) await methods.setServices(storeId, before.id, [])
  return { __typename: 'UpdateShippingMethodSuccess' as const, shippingMethod: before.id }
}

export async function deleteShippingMethod({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const methods = shippingMethodRepository(query)
  const before = await methods.lock(storeId, decodeId(id, 'ShippingMethod') ?? 0)
  if (!before) return notFoundError('shipping method', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await methods.delete(storeId, before.id)
  return { __typename: 'DeleteShippingMethodSuccess' as const, row: before.id }
}

/** Stored form: values from the lowest amount on, and every destination with all its parts. */
const tableOf = ({ basedOn, values, locations }: TableInput): ShippingTable => ({
  basedOn,
  values: values
    .map(({ amount, price }) => ({ amount, price }))
    .sort((one, other) => (amountOf(one.amount) < amountOf(other.amount) ? -1 : 1)),
  locations: (locations ?? []).map((location) => ({
    country: location.country ?? null,
    region: location.region ?? null,
    municipality: location.municipality ?? null,
    postalCodeRangeStart: location.postalCodeRangeStart ?? null,
    postalCodeRangeEnd: location.postalCodeRangeEnd ?? null,
  })),
})
