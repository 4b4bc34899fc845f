import { notFoundError, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { required, type Versioned } from '../input.ts'
import { conflictError, staleVersion, type UnitOfWork } from '../write.ts'
import { searchSynonymRepository } from './repository.ts'
import { MAX_SYNONYMS, synonymProblems, writtenTerms } from './search-synonym.ts'

type Input = { readonly terms?: readonly string[] | null | undefined; readonly targets?: readonly string[] | null | undefined }

const success = (searchSynonym: number) => ({ __typename: 'SearchSynonymSuccess' as const, searchSynonym })

/** Creates synonyms. */
export async function createSearchSynonym(
  { query, storeId, now }: UnitOfWork,
  { terms, targets = [] }: { readonly terms: readonly string[]; readonly targets?: readonly string[] },
) {
  const written = { terms: writtenTerms(terms), targets: writtenTerms(targets) }
  const problems = synonymProblems(written)
  if (problems.length > 0) return validationError(problems)
  const synonyms = searchSynonymRepository(query)
  await synonyms.lockSynonyms(storeId)
  if ((await synonyms.count(storeId)) >= MAX_SYNONYMS)
    return conflictError(`Expected at most ${MAX_SYNONYMS} synonyms in a store: delete some first.`)
  return success(await synonyms.insert(storeId, written, now))
}

/** Changes synonyms; absent fields stay as they are. */
export async function updateSearchSynonym(unit: UnitOfWork, id: string, input: Input & Versioned) {
  const { query, storeId, now } = unit
  const found = await lockSynonym(unit, id, input)
  if ('failure' in found) return found.failure
  const { synonym } = found
  const missing = required(input, ['terms', 'targets'])
  if (missing.length > 0) return validationError(missing)
  const written = { terms: writtenTerms(input.terms ?? synonym.terms), targets: writtenTerms(input.targets ?? synonym.targets) }
  const problems = synonymProblems(written)
  if (problems.length > 0) return validationError(problems)
  await searchSynonymRepository(query).update(storeId, synonym.id, written, now)
  return success(synonym.id)
}

/** Deletes synonyms. */
export async function deleteSearchSynonym(unit: UnitOfWork, id: string, versioned: Versioned) {
  const found = await lockSynonym(unit, id, versioned)
  if ('failure' in found) return found.failure
  await searchSynonymRepository(unit.query).delete(unit.storeId, found.synonym.id)
  return { __typename: 'DeleteSearchSynonymSuccess' as const, row: found.synonym.id }
}

/** Synonyms, locked, with the version that is expected. */
async function lockSynonym({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const synonym = await searchSynonymRepository(query).lock(storeId, decodeId(id, 'SearchSynonym') ?? 0)
  if (!synonym) return { failure: notFoundError('synonyms', id) }
  const stale = staleVersion(expectedVersion, synonym.version)
  return stale ? { failure: stale } : { synonym }
}
