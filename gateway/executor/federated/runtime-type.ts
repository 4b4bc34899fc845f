import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { type Fragments, fragmentOf } from '../../operations/document-index.ts'

/**
 * Type of a response object; an interface when its subgraph knows only that (`@interfaceObject`).
 */
export type RuntimeType = GraphQLObjectType | GraphQLInterfaceType

/** Whether a selection is included, by `@skip` and `@include`. */
export type IsIncluded = (node: { readonly directives?: FieldNode['directives'] }) => boolean

/** Type of an object by its `__typename`; null when it is not a possible type of `declared`. */
export function runtimeTypeOf(schema: GraphQLSchema, declared: GraphQLCompositeType, typename: unknown): RuntimeType | null {
  if (typename === undefined) return isObjectType(declared) || isInterfaceType(declared) ? declared : null
  const type = typeof typename === 'string' ? schema.getType(typename) : null
  if (!isObjectType(type) && !isInterfaceType(type)) return null
  return type === declared || (isAbstractType(declared) && schema.isSubType(declared, type)) ? type : null
}

/** The fields of an object of `type` by response key, in the order of the operation. */
export function fieldsOfType(
  type: RuntimeType,
  selectionSets: readonly SelectionSetNode[],
  schema: GraphQLSchema,
  fragments: Fragments,
  isIncluded: IsIncluded,
): ReadonlyMap<string, readonly FieldNode[]> {
  const groups = new Map<string, FieldNode[]>()
  const visited = new Set<string>()
  for (const selectionSet of selectionSets) collect(selectionSet)
  return groups

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const group = groups.get(key)
        if (group) group.push(selection)
        else groups.set(key, [selection])
        continue
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue
        visited.add(selection.name.value)
      }
      const fragment = fragmentOf(selection, fragments)
      if (fragment && appliesTo(fragment.typeCondition?.name.value)) collect(fragment.selectionSet)
    }
  }

  function appliesTo(condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true
    const conditionType = schema.getType(condition)
    return isAbstractType(conditionType) && schema.isSubType(conditionType, type)
  }
}
