import {
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { type Fragments, fragmentOf } from '../operations/document-index.ts'

/** Copies the selected fields of an event's value, by its declared type. */
export type SelectOfEvent = (
  value: unknown,
  selectionSet: SelectionSetNode | undefined,
  typeName: string,
  fragments: Fragments,
) => unknown

/**
 * Selects fields of broker events, by the types of the supergraph. Missing fields stay absent; the
 * projection of the response validates values.
 */
export function eventSelection(schema: GraphQLSchema): SelectOfEvent {
  return select

  /** Copies, because data of other subgraphs is merged into the value. */
  function select(value: unknown, selectionSet: SelectionSetNode | undefined, typeName: string, fragments: Fragments): unknown {
    if (!selectionSet) return value
    if (Array.isArray(value)) return value.map((item) => select(item, selectionSet, typeName, fragments))
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = {}
    fill(copy, value, selectionSet, runtimeTypeOf(value, typeName), fragments)
    return copy
  }

  function fill(
    copy: Record<string, unknown>,
    value: object,
    { selections }: SelectionSetNode,
    typeName: string,
    fragments: Fragments,
  ): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const fragment = fragmentOf(selection, fragments)
        const condition = fragment?.typeCondition?.name.value
        if (fragment && (condition === undefined || isOf(typeName, condition))) {
          fill(copy, value, fragment.selectionSet, typeName, fragments)
        }
        continue
      }
      const key = (selection.alias ?? selection.name).value
      if (selection.name.value === '__typename') copy[key] = typeName
      else if (Object.hasOwn(value, selection.name.value)) {
        const inner: unknown = Reflect.get(value, selection.name.value)
        copy[key] = select(inner, selection.selectionSet, fieldTypeOf(typeName, selection.name.value), fragments)
      }
    }
  }

  /** Events of an abstract type have `__typename`. */
  function runtimeTypeOf(value: object, typeName: string): string {
    const said: unknown = Object.hasOwn(value, '__typename') ? Reflect.get(value, '__typename') : undefined
    return isAbstractType(schema.getType(typeName)) && typeof said === 'string' ? said : typeName
  }

  function isOf(typeName: string, condition: string): boolean {
    const [type, abstract] = [schema.getType(typeName), schema.getType(condition)]
    return typeName === condition || (isObjectType(type) && isAbstractType(abstract) && schema.isSubType(abstract, type))
  }

  function fieldTypeOf(typeName: string, field: string): string {
    const type = schema.getType(typeName)
    const found = isObjectType(type) || isInterfaceType(type) ? type.getFields()[field] : undefined
    return found ? getNamedType(found.type).name : ''
  }
}
