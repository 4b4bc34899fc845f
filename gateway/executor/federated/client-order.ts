import type { FetchNode } from '@apollo/query-planner'
import {
  type FieldNode,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  stripIgnoredCharacters,
} from 'graphql'
import { documentIndex } from '../../operations/document-index.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import type { PlannedDocument } from './planned-document.ts'
import { fieldsOfType, type RuntimeType } from './runtime-type.ts'

/**
 * A fetch of a whole query that selects fields in the order of the client, so that its response can
 * be the answer: the planner puts `__typename` first and fields of fragments elsewhere. Selections
 * on several types stay as they are. Returns `node` when nothing is to be moved.
 */
export function inClientOrder(
  node: FetchNode,
  { document, operation }: PlannedDocument,
  { api }: Pick<Supergraph, 'api'>,
): FetchNode {
  const { fragments } = documentIndex(document)
  const root = api.getQueryType()
  if (!root || operation.operation !== 'query') return node
  let isMoved = false
  const fetched = parse(node.operation, { noLocation: true })
  const definitions = fetched.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? ordered(definition, root, [operation.selectionSet]) : definition,
  )
  return isMoved ? { ...node, operation: stripIgnoredCharacters(print({ ...fetched, definitions })) } : node

  function ordered<Parent extends FieldNode | OperationDefinitionNode>(
    parent: Parent,
    type: RuntimeType,
    selectionSets: readonly SelectionSetNode[],
  ): Parent {
    const given = parent.selectionSet?.selections ?? []
    if (!given.every(isField)) return parent
    const groups = fieldsOfType(type, selectionSets, api, fragments, () => true)
    const places = new Map([...groups.keys()].map((key, index) => [key, index]))
    const placeOf = (field: FieldNode): number => places.get(keyOf(field)) ?? -1
    const selections = given
      .map((field) => {
        const inner = getNamedType(type.getFields()[field.name.value]?.type)
        const below = groups.get(keyOf(field))?.flatMap(({ selectionSet }) => selectionSet ?? [])
        return isObjectType(inner) && below ? ordered(field, inner, below) : field
      })
      .toSorted((one, other) => placeOf(one) - placeOf(other))
    if (selections.some((field, index) => keyOf(field) !== keyOf(given[index]))) isMoved = true
    return { ...parent, selectionSet: { kind: Kind.SELECTION_SET, selections } }
  }
}

const isField = (node: SelectionNode): node is FieldNode => node.kind === Kind.FIELD

const keyOf = (field: FieldNode | undefined): string => (field?.alias ?? field?.name)?.value ?? ''
