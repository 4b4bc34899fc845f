import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, print, stripIgnoredCharacters, visit } from 'graphql'
import { ENTITIES } from './planned-fetch.ts'

/**
 * A document of several `_entities` selections: number `n` has alias `_n`, variable
 * `representations_n`, and fragments with suffix `_n`.
 */
export type JoinedDocument = { readonly query: string; readonly document: DocumentNode }

/** Name of the representations of selection `index`; no client variable has it. */
export const representationsOf = (index: number): string => `representations_${index}`

/**
 * Joins the `_entities` selections of several fetches into one document. `separate`: variables of
 * which each has its own; they get its suffix.
 */
export function joinEntityDocuments(
  documents: readonly DocumentNode[],
  separate: ReadonlySet<string> = new Set(),
): JoinedDocument {
  const copies = documents.map((document, index) => copyOf(document, separate, index))
  const operations = copies.flatMap(({ definitions }) =>
    definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION),
  )
  const [first] = operations
  if (!first) throw new Error('Expected a fetch with an operation.')
  const variables = new Map(
    operations.flatMap(({ variableDefinitions = [] }) =>
      variableDefinitions.map((each) => [each.variable.name.value, each] as const),
    ),
  )
  const joined: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        ...first,
        variableDefinitions: [...variables.values()],
        selectionSet: { ...first.selectionSet, selections: operations.flatMap(({ selectionSet }) => selectionSet.selections) },
      },
      ...copies.flatMap(({ definitions }) => definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)),
    ],
  }
  return { query: stripIgnoredCharacters(print(joined)), document: joined }
}

/**
 * Result of one selection of `count`, as if it had been fetched alone. Errors of none go to the
 * first.
 */
export function resultOfAlias(index: number, { data, errors = [] }: ExecutionResult, count: number): ExecutionResult {
  const alias = `_${index}`
  const isOfOther = (key: unknown) => typeof key === 'string' && /^_\d+$/.test(key) && Number(key.slice(1)) < count
  const own = errors.flatMap((error) => {
    const key = error.path?.[0]
    if (key === alias) return [movedError(error, [ENTITIES, ...(error.path ?? []).slice(1)])]
    return index === 0 && !isOfOther(key) ? [movedError(error, undefined)] : []
  })
  return { data: data ? { [ENTITIES]: data[alias] } : null, errors: own }
}

const movedError = ({ message, extensions }: GraphQLError, path: GraphQLError['path']): GraphQLError =>
  new GraphQLError(message, { path, extensions })

function copyOf(document: DocumentNode, separate: ReadonlySet<string>, index: number): DocumentNode {
  const suffixed = <Node extends { readonly name: { readonly value: string } }>(node: Node): Node => ({
    ...node,
    name: { ...node.name, value: `${node.name.value}_${index}` },
  })
  return visit(document, {
    Variable: (node) => (separate.has(node.name.value) || node.name.value === 'representations' ? suffixed(node) : undefined),
    FragmentSpread: (node) => suffixed(node),
    FragmentDefinition: { leave: (node) => suffixed(node) },
    Field: (node) => (node.name.value === ENTITIES ? { ...node, alias: { kind: Kind.NAME, value: `_${index}` } } : undefined),
  })
}
