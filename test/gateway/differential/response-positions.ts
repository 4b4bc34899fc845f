import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql'
import type { Case } from './small-graph.ts'

/**
 * Where in an answer a field of an object stands: the steps to it, the type of the object that has
 * it, and its name in the schema.
 */
export type Place = { readonly path: readonly (string | number)[]; readonly type: string; readonly field: string }

/** What an operation is asked by to know the type of every object in its answer. */
const TYPE_KEY = 'typeOfThis'

/** The same operation, which also says the type of every object. */
export const typed = (query: string): string =>
  print(
    visit(parse(query, { noLocation: true }), {
      SelectionSet: {
        leave: (node, _key, parent) => {
          const isRoot = parent && 'kind' in parent && parent.kind === Kind.OPERATION_DEFINITION
          if (isRoot) return undefined
          const type = {
            kind: Kind.FIELD,
            alias: { kind: Kind.NAME, value: TYPE_KEY },
            name: { kind: Kind.NAME, value: '__typename' },
          } as const
          return { ...node, selections: [...node.selections, type] }
        },
      },
    }),
  )

/**
 * Every place of `data`, which is the answer to `typed(query)` without faults; where nobody knows
 * the type of an object, and it was asked without, it counts as one of the declared type.
 */
export function placesOf({ query, operationName }: Case, schema: GraphQLSchema, data: unknown): readonly Place[] {
  const document = parse(query, { noLocation: true })
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const operation = getOperationAST(document, operationName)
  if (!operation) throw new Error('Expected an operation.')
  const places: Place[] = []
  walk(data, operation.selectionSet, schema.getRootType(operation.operation)?.name ?? '', [])
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()]

  function walk(value: unknown, selectionSet: SelectionSetNode, type: string, path: readonly (string | number)[]): void {
    if (Array.isArray(value)) {
      value.forEach((element, index) => void walk(element, selectionSet, type, [...path, index]))
      return
    }
    if (typeof value !== 'object' || value === null) return
    const own = Reflect.get(value, TYPE_KEY) ?? type
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        if (!Object.hasOwn(value, key)) continue
        places.push({ path: [...path, key], type: own, field: selection.name.value })
        const below = declared(own, selection.name.value)
        if (selection.selectionSet) walk(Reflect.get(value, key), selection.selectionSet, below, [...path, key])
        continue
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      if (fragment && isOf(own, fragment.typeCondition?.name.value)) walk(value, fragment.selectionSet, own, path)
    }
  }

  function declared(name: string, field: string): string {
    const type = schema.getType(name)
    const hasFields = isObjectType(type) || isInterfaceType(type)
    return (hasFields && getNamedType(type.getFields()[field]?.type)?.name) || ''
  }

  function isOf(name: string, condition: string | undefined): boolean {
    if (condition === undefined || condition === name) return true
    const [type, wanted] = [schema.getType(name), schema.getType(condition)]
    return isAbstractType(wanted) && isObjectType(type) && schema.isSubType(wanted, type)
  }
}
