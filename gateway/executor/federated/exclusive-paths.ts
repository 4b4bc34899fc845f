import { Kind, type SelectionSetNode } from 'graphql'
import { documentIndex, fragmentOf } from '../../operations/document-index.ts'
import { ENTITIES, type PlannedFetch, pathText } from './planned-fetch.ts'

/**
 * Response paths that only one fetch of a trusted (local) subgraph writes, with one selection. Key:
 * response keys from the root, without list segments. Value: the keys of every object there, in
 * order; null when they depend on type or conditions.
 */
export type ExclusivePaths = ReadonlyMap<string, readonly string[] | null>

/** Converts a path as text (`pathText`) to a key of `ExclusivePaths`: removes `@`. */
export const withoutListSegments = (path: string): string => path.replaceAll(/\.?@/g, '')

/**
 * Finds the exclusive paths of a plan. Empty when the plan renames response keys or has type
 * conditions.
 */
export function exclusivePathsIn(fetches: readonly PlannedFetch[], isTrusted: (subgraph: string) => boolean): ExclusivePaths {
  const exclusive = new Map<string, readonly string[] | null>()
  if (fetches.some(({ node, path }) => node.outputRewrites || path.some(({ types }) => types))) return exclusive
  const visited = new Set<string>()
  for (const fetch of fetches) {
    for (const [path, keys] of writtenPaths(fetch)) {
      if (isTrusted(fetch.node.serviceName) && !visited.has(path)) exclusive.set(path, keys)
      else exclusive.delete(path)
      visited.add(path)
    }
  }
  return exclusive
}

type WrittenPath = readonly [path: string, keys: readonly string[] | null]

/** Paths that a fetch writes, once per selection. */
function writtenPaths({ node, document, path: fetchPath }: PlannedFetch): readonly WrittenPath[] {
  const written: WrittenPath[] = []
  const { operations, fragments } = documentIndex(document)
  const start = withoutListSegments(pathText(fetchPath))
  for (const { selectionSet } of operations) {
    if (!node.requires) collect(selectionSet, start)
    else for (const { field, inner } of compositeFields(selectionSet)) if (field === ENTITIES) collect(inner, start)
  }
  return written

  function collect(selectionSet: SelectionSetNode, path: string): void {
    // The root object is excluded: it exists before any fetch.
    if (path !== '') written.push([path, keysIn(selectionSet)])
    for (const { key, inner } of compositeFields(selectionSet)) collect(inner, path === '' ? key : `${path}.${key}`)
  }

  /** Fields with a selection set, including those in fragments. */
  function compositeFields({
    selections,
  }: SelectionSetNode): readonly { readonly field: string; readonly key: string; readonly inner: SelectionSetNode }[] {
    return selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) {
        const { name, alias, selectionSet: inner } = selection
        return inner ? [{ field: name.value, key: (alias ?? name).value, inner }] : []
      }
      const fragment = fragmentOf(selection, fragments)
      return fragment ? compositeFields(fragment.selectionSet) : []
    })
  }
}

/** Response keys of every object with this selection set; null when they vary. */
function keysIn({ selections }: SelectionSetNode): readonly string[] | null {
  const keys = new Set<string>()
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || selection.directives?.length) return null
    keys.add((selection.alias ?? selection.name).value)
  }
  return [...keys]
}
