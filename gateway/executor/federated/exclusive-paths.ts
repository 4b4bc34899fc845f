import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { ENTITIES, nameOf, type PlannedFetch } from './deduplicate-entities.ts'

/**
 * Places of an answer of which nobody but one fetch of a trusted subgraph speaks, and it at one place of its text only: by the keys that lead there from the root. With
 * the keys that each object there has, in their order; null where these depend on its type or on conditions.
 */
export type Owned = ReadonlyMap<string, readonly string[] | null>

/** The key of `Owned` for a way from the root, by its name (`nameOf`): without what stands for the items of lists. */
export const placeOf = (way: string): string => way.replaceAll(/\.?@/g, '')

/** None where keys are renamed after they were answered, or where a way of the plan goes on with objects of some types only. */
export function ownedIn(fetches: readonly PlannedFetch[], isTrusted: (subgraph: string) => boolean): Owned {
  const owned = new Map<string, readonly string[] | null>()
  if (fetches.some(({ node, way }) => node.outputRewrites || way.some(({ types }) => types))) return owned
  const met = new Set<string>()
  for (const fetch of fetches) {
    for (const [place, keys] of spokenOf(fetch)) {
      if (isTrusted(fetch.node.serviceName) && !met.has(place)) owned.set(place, keys)
      else owned.delete(place)
      met.add(place)
    }
  }
  return owned
}

/** Each place of which a fetch speaks, as often as it does. */
function spokenOf({ node, document, way }: PlannedFetch): readonly (readonly [place: string, keys: readonly string[] | null])[] {
  const spoken: (readonly [string, readonly string[] | null])[] = []
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const start = placeOf(nameOf(way))
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    if (!node.requires) speak(definition.selectionSet, start)
    else for (const { field, inside } of fieldsIn(definition.selectionSet)) if (field === ENTITIES) speak(inside, start)
  }
  return spoken

  function speak(selectionSet: SelectionSetNode, place: string): void {
    // The root is there before anything is answered.
    if (place !== '') spoken.push([place, keysIn(selectionSet)])
    for (const { key, inside } of fieldsIn(selectionSet)) speak(inside, place === '' ? key : `${place}.${key}`)
  }

  /** The fields that have something below them, those in fragments as well. */
  function fieldsIn({
    selections,
  }: SelectionSetNode): readonly { readonly field: string; readonly key: string; readonly inside: SelectionSetNode }[] {
    return selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) {
        const { name, alias, selectionSet: inside } = selection
        return inside ? [{ field: name.value, key: (alias ?? name).value, inside }] : []
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      return fragment ? fieldsIn(fragment.selectionSet) : []
    })
  }
}

/** The keys of every object that has this selected; null where some have others. */
function keysIn({ selections }: SelectionSetNode): readonly string[] | null {
  const keys = new Set<string>()
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || selection.directives?.length) return null
    keys.add((selection.alias ?? selection.name).value)
  }
  return [...keys]
}
