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

/** What a change is about: `owner` is null for an id that is none; `ownerId` is what it was. */
type Given<Named> = { readonly ownerId: string; readonly owner: Owner | null; readonly metafields: readonly Named[] }

/** Sets metafields of a thing, those that are there anew. */
export async function setMetafields({ query, storeId, now }: UnitOfWork, { ownerId, owner, metafields }: Given<MetafieldInput>) {
  const problems = metafieldProblems(metafields)
  if (problems.length > 0) return validationError(problems)
  const repository = metafieldRepository(query)
  if (!owner || !(await repository.lockOwner(storeId, owner))) return notFoundError('thing with metafields', ownerId)
  const stored = metafields.map((each) => ({
    namespace: each.namespace,
    key: each.key,
    type: each.type,
    value: storedValue(each),
  }))
  await repository.set(storeId, owner, stored, now)
  const count = await repository.count(storeId, owner)
  if (count > MAX_METAFIELDS) {
    return validationError([problem('metafields', `so few that the thing has at most ${MAX_METAFIELDS}`, count)])
  }
  return { __typename: 'SetMetafieldsSuccess' as const, owner }
}

/** Deletes metafields of a thing; those that are not there are no mistake. */
export async function deleteMetafields({ query, storeId }: UnitOfWork, { ownerId, owner, metafields }: Given<MetafieldName>) {
  const problems = metafieldNameProblems(metafields)
  if (problems.length > 0) return validationError(problems)
  const repository = metafieldRepository(query)
  if (!owner || !(await repository.lockOwner(storeId, owner))) return notFoundError('thing with metafields', ownerId)
  await repository.delete(storeId, owner, metafields)
  return { __typename: 'DeleteMetafieldsSuccess' as const, owner }
}
