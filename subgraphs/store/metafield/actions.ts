import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { Unit } from '../write.ts'
import {
  keptValue,
  type MetafieldInput,
  type MetafieldName,
  MOST_METAFIELDS,
  metafieldNameProblems,
  metafieldProblems,
} from './metafield.ts'
import type { Owner } from './owners.ts'
import { metafieldRepository } from './repository.ts'

/** What a change is about: `owner` is null for an id that is none; `ownerId` is what it was. */
type Given<Named> = { readonly ownerId: string; readonly owner: Owner | null; readonly metafields: readonly Named[] }

/** Sets metafields of a thing, those that are there anew. */
export async function setMetafields({ query, storeId, now }: Unit, { ownerId, owner, metafields }: Given<MetafieldInput>) {
  const problems = metafieldProblems(metafields)
  if (problems.length > 0) return validationError(problems)
  const repository = metafieldRepository(query)
  if (!owner || !(await repository.lockOwner(storeId, owner))) return notFoundError('thing with metafields', ownerId)
  const kept = metafields.map((each) => ({
    namespace: each.namespace,
    key: each.key,
    type: each.type,
    value: keptValue(each),
  }))
  await repository.set(storeId, owner, kept, now)
  const count = await repository.count(storeId, owner)
  if (count > MOST_METAFIELDS) {
    return validationError([problem('metafields', `so few that the thing has at most ${MOST_METAFIELDS}`, count)])
  }
  return { __typename: 'SetMetafieldsSuccess' as const, owner }
}

/** Deletes metafields of a thing; those that are not there are no mistake. */
export async function deleteMetafields({ query, storeId }: Unit, { ownerId, owner, metafields }: Given<MetafieldName>) {
  const problems = metafieldNameProblems(metafields)
  if (problems.length > 0) return validationError(problems)
  const repository = metafieldRepository(query)
  if (!owner || !(await repository.lockOwner(storeId, owner))) return notFoundError('thing with metafields', ownerId)
  await repository.delete(storeId, owner, metafields)
  return { __typename: 'DeleteMetafieldsSuccess' as const, owner }
}
