import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'

/** The executable definitions of a document. */
export type DocumentIndex = {
  /** Operations in document order. */
  readonly operations: readonly OperationDefinitionNode[]
  /** Fragments by name; the last of duplicates, which validation rejects. */
  readonly fragments: Fragments
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

const NO_FRAGMENTS: Fragments = new Map()

const indexes = new WeakMap<DocumentNode, DocumentIndex>()

/** Index of a document, built once per object, because documents are never changed in place. */
export function documentIndex(document: DocumentNode): DocumentIndex {
  let index = indexes.get(document)
  if (!index) {
    index = buildIndex(document)
    indexes.set(document, index)
  }
  return index
}

function buildIndex({ definitions }: DocumentNode): DocumentIndex {
  const operations: OperationDefinitionNode[] = []
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  return { operations, fragments: fragments.size === 0 ? NO_FRAGMENTS : fragments }
}

/** The fragment of a spread or inline fragment; undefined for an unknown name. */
export const fragmentOf = (
  selection: Exclude<SelectionNode, { readonly kind: Kind.FIELD }>,
  fragments: Fragments,
): InlineFragmentNode | FragmentDefinitionNode | undefined =>
  selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
