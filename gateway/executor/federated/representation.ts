import type { QueryPlanFieldNode, QueryPlanSelectionNode } from '@apollo/query-planner'
import { identityByKeys } from './entity-identity.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'

/** Finds how to represent an entity for another subgraph; null when it lacks a type or key. */
export type RepresentEntity = (object: Data) => EntityRepresentation | null

/** Builds representations for the objects of one type. */
export type EntityRepresentation = {
  /** The representation; null when a required field is missing. */
  readonly representation: (object: Data) => Data | null
  /**
   * Equal for objects of this type with equal representations only; null: compare the
   * representations.
   */
  readonly identity: (object: Data) => unknown
}

/** `@key`s of a type in the fetch's subgraph, each as a list of field names. */
export type KeyFieldsOf = (typename: string) => readonly (readonly string[])[]

/** Compiles the `requires` of a fetch: inline fragments with keys and required fields. */
export function compileRepresentation(
  requires: readonly QueryPlanSelectionNode[],
  isOf: TypeTest,
  keyFieldsOf: KeyFieldsOf,
): RepresentEntity {
  const byType = new Map<string, EntityRepresentation | null>()
  return (object) => {
    const typename = object.__typename
    if (typeof typename !== 'string') return null
    let entity = byType.get(typename)
    if (entity === undefined) {
      entity = compileEntity(requires, typename, isOf, keyFieldsOf(typename))
      // Memoized for types of the graph only: a subgraph may return any string as `__typename`.
      if (entity) byType.set(typename, entity)
    }
    return entity
  }
}

/** Copies the selected fields; false when one is missing. */
type Fill = (from: Data, to: Data) => boolean

function compileEntity(
  requires: readonly QueryPlanSelectionNode[],
  typename: string,
  isOf: TypeTest,
  entityKeys: ReturnType<KeyFieldsOf>,
): EntityRepresentation | null {
  const fields = fieldsFor(requires, typename, isOf)
  const names = fields.map(({ name }) => name)
  if (!names.includes('__typename')) return null
  // The planner also requires fields from the other implementations of an interface, but without
  // their keys.
  if (entityKeys.length > 0 && !entityKeys.some((fields) => fields.every((name) => names.includes(name)))) return null
  const fills = fields.map((field) => compileField(field, isOf))
  return {
    representation(object) {
      const representation: Data = {}
      for (let index = 0; index < fills.length; index++) {
        const fill = fills[index] as Fill // below the length
        if (!fill(object, representation)) return null
      }
      return representation
    },
    identity: fields.some(({ selections }) => selections)
      ? () => null
      : identityByKeys(fields.map(keyOf).filter((key) => key !== '__typename')),
  }
}

/** The fields of the fragments that apply to a type. */
const fieldsFor = (
  selections: readonly QueryPlanSelectionNode[],
  typename: string,
  isOf: TypeTest,
): readonly QueryPlanFieldNode[] =>
  selections.flatMap((selection) => {
    if (selection.kind === 'Field') return [selection]
    const { typeCondition } = selection
    return typeCondition === undefined || isOf(typename, typeCondition) ? fieldsFor(selection.selections, typename, isOf) : []
  })

/** Response key of a required field: an alias that depends on its arguments. */
const keyOf = ({ alias, name }: QueryPlanFieldNode): string => alias ?? name

function compileField(field: QueryPlanFieldNode, isOf: TypeTest): Fill {
  const { name, selections } = field
  const key = keyOf(field)
  if (!selections) {
    return (from, to) => {
      const value = from[key]
      if (value === undefined) return false
      to[name] = value
      return true
    }
  }
  const fillInner = compileFill(selections, isOf)
  const part = (value: unknown, existing: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map((item, index) => part(item, Array.isArray(existing) ? existing[index] : undefined))
    }
    if (!isData(value)) return value
    const copy: Data = isData(existing) ? existing : {}
    return fillInner(value, copy) ? copy : null
  }
  return (from, to) => {
    const value = from[key]
    if (value === undefined) return false
    to[name] = part(value, to[name])
    return true
  }
}

/** Compiles nested objects, which lack `__typename` when all types have the same fields. */
function compileFill(selections: readonly QueryPlanSelectionNode[], isOf: TypeTest): Fill {
  const fills = selections.map((selection): Fill => {
    if (selection.kind === 'Field') return compileField(selection, isOf)
    const { typeCondition } = selection
    const fillInner = compileFill(selection.selections, isOf)
    if (typeCondition === undefined) return fillInner
    return (from, to) =>
      typeof from.__typename === 'string' && isOf(from.__typename, typeCondition) ? fillInner(from, to) : true
  })
  return (from, to) => {
    for (const fill of fills) if (!fill(from, to)) return false
    return true
  }
}
