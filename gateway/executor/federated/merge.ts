import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql'
import { type Data, isData, type TypeTest, typeNameIn } from './response-data.ts'

/** What one fetch selects: each key with what is selected below it, null for a leaf. */
export type Selected = readonly { readonly key: string; readonly below: Selected | null }[]

/** The keys that the only operation of a fetch asks for, whatever the types are they are asked of; `renamed` are the names that some get in the answer. */
export function selectedIn(document: DocumentNode, renamed: ReadonlyMap<string, string>): Selected {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('Expected a fetch with an operation.')
  const fragments = fragmentsOf(document)
  return listed(treeOf(operation.selectionSet, new Map()))

  function treeOf({ selections }: SelectionSetNode, tree: Tree): Tree {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const asked = (selection.alias ?? selection.name).value
        const key = renamed.get(asked) ?? asked
        const { selectionSet } = selection
        tree.set(key, selectionSet ? treeOf(selectionSet, tree.get(key) ?? new Map()) : null)
        continue
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      if (fragment) treeOf(fragment.selectionSet, tree)
    }
    return tree
  }
}

type Tree = Map<string, Tree | null>
type Fragments = ReadonlyMap<string, { readonly selectionSet: SelectionSetNode }>

const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  )

const listed = (tree: Tree): Selected => [...tree].map(([key, below]) => ({ key, below: below && listed(below) }))

/**
 * Puts what a fetch answered into what is known. Only what was selected, so that a subgraph cannot add anything else; `source` may become part of `target`.
 * Lists are merged where they are equally long. An object is never replaced by null: one subgraph that has nothing to say about a value does not unsay what
 * another said, and whether the parts that are missing may be null is decided when the answer is shaped. Nor is the name of a type replaced by that of an
 * interface which it has: a subgraph with an interface object knows no more than that.
 */
export function merge(target: Data, source: Data, selected: Selected, isOf: TypeTest): void {
  // Iterators over many short lists would be most of the garbage that is made here.
  for (let index = 0; index < selected.length; index++) {
    const { key, below } = selected[index] as Selected[number]
    const incoming = source[key]
    if (incoming === undefined) continue
    const existing = target[key]
    if (below !== null && typeof existing === 'object' && existing !== null) {
      if (incoming !== null) target[key] = merged(existing, incoming, below, isOf)
    } else if (key !== '__typename' || typeof existing !== 'string' || !isOf(existing, typeNameIn(source))) target[key] = incoming
  }
}

function merged(existing: unknown, incoming: unknown, below: Selected, isOf: TypeTest): unknown {
  if (isData(existing) && isData(incoming)) {
    merge(existing, incoming, below, isOf)
    return existing
  }
  if (!Array.isArray(existing) || !Array.isArray(incoming) || existing.length !== incoming.length) return incoming
  for (let index = 0; index < existing.length; index++) {
    const [one, other] = [existing[index], incoming[index]]
    if (typeof one !== 'object' || one === null) existing[index] = other
    else if (other !== null) existing[index] = merged(one, other, below, isOf)
  }
  return existing
}

/** As much of a value as was selected, with objects and lists of its own, so that what is merged into it is not merged into `value`. */
export function copied(value: unknown, selected: Selected): unknown {
  if (Array.isArray(value)) return value.map((item) => copied(item, selected))
  if (!isData(value)) return value
  const copy: Data = {}
  for (const { key, below } of selected) {
    const part = value[key]
    if (part !== undefined) copy[key] = below ? copied(part, below) : part
  }
  return copy
}
