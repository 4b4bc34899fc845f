import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { recountAfterLocation } from '../inventory/stock.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { changedLocation, type LocationChange, locationProblems, NEW_LOCATION } from './location.ts'
import { locationRepository } from './repository.ts'

/** What `Query.locations` promises to hold. */
export const MAX_LOCATIONS = 500

type Versioned = { readonly expectedVersion?: number | null | undefined }

/** Creates a location; the first of a store is its main one. */
export async function createLocation({ query, storeId, now }: UnitOfWork, input: LocationChange) {
  const wanted = changedLocation(NEW_LOCATION, withoutNulls(input))
  const problems = locationProblems(wanted)
  if (problems.length > 0) return validationError(problems)
  const locations = locationRepository(query)
  await locations.lock(storeId)
  const others = await locations.list(storeId, MAX_LOCATIONS)
  if (others.length >= MAX_LOCATIONS) {
    return validationError([problem('name', `one of at most ${MAX_LOCATIONS} locations`, wanted.name)])
  }
  const isFirst = others.length === 0
  if (isFirst && input.main === false) {
    return validationError([problem('main', 'true or absent: the first location of a store is its main one', false)])
  }
  const main = wanted.main || isFirst
  if (main && !wanted.active) return validationError([problem('active', 'true of the main location', false)])
  if (main) await locations.demote(storeId, now)
  const location = await locations.insert(storeId, { ...wanted, main }, now)
  return { __typename: 'CreateLocationSuccess' as const, location }
}

/** Changes what the input has. */
export async function updateLocation({ query, storeId, now }: UnitOfWork, id: string, input: LocationChange & Versioned) {
  const locations = locationRepository(query)
  await locations.lock(storeId)
  const [before] = await locations.findByIds(storeId, [decodeId(id, 'Location') ?? 0])
  if (!before) return notFoundError('location', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const { id: row, createdAt, updatedAt, version, ...fields } = before
  const wanted = changedLocation(fields, input)
  const problems = [
    ...locationProblems(wanted),
    ...(before.main && wanted.main === false ? [problem('main', 'true: make another location the main one instead', false)] : []),
    ...(wanted.main && wanted.active === false ? [problem('active', 'true of the main location', false)] : []),
  ]
  if (problems.length > 0) return validationError(problems)
  if (wanted.main && !before.main) await locations.demote(storeId, now)
  await locations.update(storeId, row, wanted, now)
  return { __typename: 'UpdateLocationSuccess' as const, location: row }
}

/** Deletes a location with its stock. */
export async function deleteLocation(unit: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const { query, storeId } = unit
  const locations = locationRepository(query)
  await locations.lock(storeId)
  const [before] = await locations.findByIds(storeId, [decodeId(id, 'Location') ?? 0])
  if (!before) return notFoundError('location', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  const others = (await locations.list(storeId, 2)).filter((each) => each.id !== before.id)
  if (before.main && others.length > 0) {
    return validationError([problem('id', 'a location that is not the main one: make another the main one first', before.name)])
  }
  if (await locations.hasFulfillments(storeId, before.id)) {
    return validationError([
      problem('id', 'a location that no fulfillment left from: set `active` to false instead', before.name),
    ])
  }
  if (await locations.hasOpenTransfers(storeId, before.id)) {
    return validationError([problem('id', 'a location without open transfers: receive or cancel them first', before.name)])
  }
  const products = await recountAfterLocation(unit, before.id)
  await locations.delete(storeId, before.id)
  await products.recount()
  return { __typename: 'DeleteLocationSuccess' as const, row: before.id }
}

/** Of a location to be created, null is the same as absent. */
const withoutNulls = (input: LocationChange): LocationChange =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
