import { forbidden } from '../../../platform/graphql/errors.ts'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { Access } from '../access/access.ts'
import { appOfStoreItself } from '../app/store-itself.ts'
import { appInstallationRepository } from '../app-installation/repository.ts'
import { rowOf } from '../ids.ts'
import { storeRepository } from '../store/repository.ts'
import { staleVersion, type Unit } from '../write.ts'
import { scriptTagRepository } from './repository.ts'
import { MOST_SCRIPT_TAGS, type ScriptTag, type ScriptTagChange, type ScriptTagFields, scriptTagProblems } from './script-tag.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }
type Author = Access['app']

/** Puts a script into pages, for an app or for the store itself. */
export async function createScriptTag(unit: Unit, author: Author, fields: ScriptTagFields) {
  const { query, storeId, now } = unit
  const problems = scriptTagProblems(fields)
  if (problems.length > 0) return validationError(problems)
  // Counting and adding must not be done by two at once.
  await storeRepository(query).lock(storeId)
  const scriptTags = scriptTagRepository(query)
  const count = await scriptTags.count(storeId, null)
  if (count >= MOST_SCRIPT_TAGS)
    return validationError([problem('url', `that of one of at most ${MOST_SCRIPT_TAGS} scripts of the store`, count + 1)])

  const installations = appInstallationRepository(query)
  const appId = author?.id ?? (await appOfStoreItself(unit))
  if (author === null) await installations.install(storeId, appId, now)
  // Its token is good for another second.
  else if (!(await installations.lock(storeId, appId))) throw forbidden('The store has uninstalled this app.')
  return {
    __typename: 'CreateScriptTagSuccess' as const,
    scriptTag: await scriptTags.insert(storeId, appId, fields, now),
  }
}

/** Changes what the input has. Throws FORBIDDEN for an app whose script it is not. */
export async function updateScriptTag(
  { query, storeId, now }: Unit,
  author: Author,
  id: string,
  input: ScriptTagChange & Versioned,
) {
  const scriptTags = scriptTagRepository(query)
  const before = await scriptTags.lock(storeId, rowOf(id, 'ScriptTag') ?? 0)
  if (!before) return notFoundError('script', id)
  allow(author, before, 'change')
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  const { url = before.url, template = before.template, element = before.element } = input
  const problems = scriptTagProblems({ url, template, element })
  if (problems.length > 0 || url === null || template === null || element === null) return validationError(problems)
  await scriptTags.update(storeId, before.id, { url, template, element }, now)
  return { __typename: 'UpdateScriptTagSuccess' as const, scriptTag: before.id }
}

/** Takes a script out of the pages. Throws FORBIDDEN for an app whose script it is not. */
export async function deleteScriptTag({ query, storeId }: Unit, author: Author, id: string, { expectedVersion }: Versioned) {
  const scriptTags = scriptTagRepository(query)
  const before = await scriptTags.lock(storeId, rowOf(id, 'ScriptTag') ?? 0)
  if (!before) return notFoundError('script', id)
  allow(author, before, 'delete')
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await scriptTags.delete(storeId, before.id)
  return { __typename: 'DeleteScriptTagSuccess' as const, row: before.id }
}

function allow(author: Author, { appId }: ScriptTag, what: string): void {
  if (author !== null && author.id !== appId) throw forbidden(`Not authorized to ${what} this script: it is that of another app.`)
}
