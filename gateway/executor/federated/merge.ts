import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql'
import { documentIndex, fragmentOf } from '../../operations/document-index.ts'
import { type Data, isData, type TypeTest, typeNameIn } from './response-data.ts'

/** Selected keys of a fetch with the keys selected below each; null for a leaf. */
export type SelectedFields = readonly { readonly key: string; readonly below: SelectedFields | null }[]

/** Keys selected below a key; null for a leaf or an unselected key. */
export const selectedBelow = (selected: SelectedFields, key: string): SelectedFields | null =>
  selected.find((each) => each.key === key)?.below ?? null

/**
 * Fields selected by a fetch's operation, merged over all types. `renamed`: keys after output
 * rewrites, by keys in the document.
 */
export function selectedFields(document: DocumentNode, renamed: ReadonlyMap<string, string>): SelectedFields {
  const {
    operations: [operation],
    fragments,
  } = documentIndex(document)
  if (!operation) throw new Error('Expected a fetch with an operation.')
  return fromTree(treeOf(operation.selectionSet, new Map()))

  function treeOf({ selections }: SelectionSetNode, tree: Tree): Tree {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const documentKey = (selection.alias ?? selection.name).value
        const key = renamed.get(documentKey) ?? documentKey
        const { selectionSet } = selection
        tree.set(key, selectionSet ? treeOf(selectionSet, tree.get(key) ?? new Map()) : null)
        continue
      }
      const fragment = fragmentOf(selection, fragments)
      if (fragment) treeOf(fragment.selectionSet, tree)
    }
    return tree
  }
}

type Tree = Map<string, Tree | null>

const fromTree = (tree: Tree): SelectedFields => [...tree].map(([key, below]) => ({ key, below: below && fromTree(below) }))

/**
 * Merges a fetch's response into the response data. Copies selected keys only, so a subgraph cannot
 * add others; objects of `source` may become part of `target`. Lists merge item by item at equal
 * length. Null never replaces an object: projection decides whether its missing fields may be null.
 * An interface name never replaces the name of a type that implements it, because a subgraph with
 * an interface object knows only the interface.
 */
export function merge(target: Data, source: Data, selected: SelectedFields, isOf: TypeTest): void {
  // Indexed loops: iterators caused most of this function's garbage.
  for (let index = 0; index < selected.length; index++) {
    const { key, below } = selected[index] as SelectedFields[number] // below the length
    const incoming = source[key]
    if (incoming === undefined) continue
    const existing = target[key]
    if (below !== null && typeof existing === 'object' && existing !== null) {
      if (incoming !== null) target[key] = mergeValue(existing, incoming, below, isOf)
    } else if (key !== '__typename' || typeof existing !== 'string' || !isOf(existing, typeNameIn(source))) {
      target[key] = incoming
    }
  }
}

function mergeValue(existing: unknown, incoming: unknown, below: SelectedFields, isOf: TypeTest): unknown {
  if (isData(existing) && isData(incoming)) {
    merge(existing, incoming, below, isOf)
    return existing
  }
  if (!Array.isArray(existing) || !Array.isArray(incoming) || existing.length !== incoming.length) return incoming
  for (let index = 0; index < existing.length; index++) {
    const [one, other] = [existing[index], incoming[index]]
    if (typeof one !== 'object' || one === null) existing[index] = other
    else if (other !== null) existing[index] = mergeValue(one, other, below, isOf)
  }
  return existing
}

/** Copies the selected part of a value: a merge into the copy leaves `value` unchanged. */
export function copySelected(value: unknown, selected: SelectedFields): unknown {
  if (Array.isArray(value)) return value.map((item) => copySelected(item, selected))
  return isData(value) ? copyObject(value, selected) : value
}

/** Copies the selected part of an object. */
export function copyObject(value: Data, selected: SelectedFields): Data {
  const copy: Data = {}
  for (const { key, below } of selected) {
    const part = value[key]
    if (part !== undefined) copy[key] = below ? copySelected(part, below) : part
  }
  return copy
}
