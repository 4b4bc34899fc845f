import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { documentIndex, fragmentOf } from '../../operations/document-index.ts'
import type { ResponsePath } from './flatten-path.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'

/**
 * The planner's path to the objects of a deferred part: response keys, and `... on Type` for type
 * conditions. Lists have no segment.
 */
export type QueryPath = readonly string[]

const ON_TYPE = '... on '

/** Calls `found` for each object at a query path with its response path. */
export function forEachAt(
  root: Data,
  path: QueryPath,
  isOf: TypeTest,
  keyOf: (key: string) => string,
  found: (object: Data, at: ResponsePath) => void,
): void {
  trace(root, 0, [])

  function trace(value: unknown, index: number, at: ResponsePath): void {
    if (Array.isArray(value)) {
      value.forEach((item, position) => {
        trace(item, index, [...at, position])
      })
      return
    }
    if (!isData(value)) return
    const step = path[index]
    if (step === undefined) found(value, at)
    else if (!step.startsWith(ON_TYPE)) trace(value[step], index + 1, [...at, keyOf(step)])
    else if (matches(value, step.slice(ON_TYPE.length))) trace(value, index + 1, at)
  }

  function matches({ __typename }: Data, type: string): boolean {
    return typeof __typename !== 'string' || isOf(__typename, type)
  }
}

/** Declared type at a query path. Throws for a path that is not in the document. */
export function typeAt(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  path: QueryPath,
): GraphQLCompositeType {
  const { fragments } = documentIndex(document)
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`Expected a schema with a ${operation.operation} type.`)
  let type: GraphQLCompositeType = root
  let selectionSets: readonly SelectionSetNode[] = [operation.selectionSet]
  for (const step of path) {
    if (step.startsWith(ON_TYPE)) {
      const condition = schema.getType(step.slice(ON_TYPE.length))
      if (isCompositeType(condition)) type = condition
      continue
    }
    const fields = selectionSets.flatMap((selectionSet) => fieldsIn(selectionSet, type, step))
    const [first] = fields
    if (!first) throw new Error(`Expected the document to have ${path.join('.')}.`)
    type = first.type
    selectionSets = fields.flatMap(({ below }) => below)
  }
  return type

  function fieldsIn(
    { selections }: SelectionSetNode,
    parent: GraphQLCompositeType,
    key: string,
  ): readonly { readonly type: GraphQLCompositeType; readonly below: readonly SelectionSetNode[] }[] {
    return selections.flatMap((selection) => {
      if (selection.kind !== Kind.FIELD) {
        const fragment = fragmentOf(selection, fragments)
        const condition = schema.getType(fragment?.typeCondition?.name.value ?? parent.name)
        return fragment && isCompositeType(condition) ? fieldsIn(fragment.selectionSet, condition, key) : []
      }
      const { name, alias, selectionSet } = selection
      if ((alias ?? name).value !== key || !selectionSet || !(isObjectType(parent) || isInterfaceType(parent))) return []
      const named = getNamedType(parent.getFields()[name.value]?.type)
      return isCompositeType(named) ? [{ type: named, below: [selectionSet] }] : []
    })
  }
}
