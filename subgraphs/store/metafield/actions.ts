import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { UnitOfWork } from '../write.ts'
import {
  MAX_METAFIELDS,
  type MetafieldInput,
  type MetafieldName,
  metafieldNameProblems,
  metafieldProblems,
  storedValue,
} from './metafield.ts'
import type { Owner } from './owners.ts'
import { metafieldRepository } from './repository.ts'

/** Owner of a change: `owner` is null for an invalid id; `ownerId` is the given one. */
type Given<Named> = { readonly ownerId: string; readonly owner: Owner | null; readonly metafields: readonly Named[] }

/** Sets metafields of an owner, and replaces existing ones. */
export async function setMetafields({ query, storeId, now }: UnitOfWork, { ownerId, owner, metafields }: Given<MetafieldInput>) {
  const problems = metafieldProblems(metafields)
  if (problems.length > 0) return validationError(problems)
  const repository = metafieldRepository(query)
  if (!owner || !(await repository.lockOwner(storeId, owner))) return notFoundError('owner of metafields', ownerId)
  const stored = metafields.map((each) => ({
    namespace: each.namespace,
    key: each.key,
    type: each.type,
    value: storedValue(each),
  }))
  await repository.set(storeId, owner, stored, now)
  const count = await repository.count(storeId, owner)
  if (count > MAX_METAFIELDS) {
    return validationError([problem('metafields', `so few that their owner has at most ${MAX_METAFIELDS}`, count)])
  }
  return { __typename: 'SetMetafieldsSuccess' as const, owner }
}

/** Deletes metafields of an owner; missing ones are no error. */
export async function deleteMetafields({ query, storeId }: UnitOfWork, { ownerId, owner, metafields }: Given<MetafieldName>) {
  const problems = metafieldNameProblems(metafields)
  if (problems.length > 0) return validationError(problems)
  const repository = metafieldRepository(query)
  if (!owner || !(await repository.lockOwner(storeId, owner))) return notFoundError('owner of metafields', ownerId)
  await repository.delete(storeId, owner, metafields)
  return { __typename: 'DeleteMetafieldsSuccess' as const, owner }
}
