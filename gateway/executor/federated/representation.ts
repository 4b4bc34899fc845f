import type { QueryPlanFieldNode, QueryPlanSelectionNode } from '@apollo/query-planner'
import { identityBy } from './entity-identity.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'

/** How objects are told of to another subgraph so that it finds them; null for an object of which too little is known. */
export type Represent = (object: Data) => Told | null

/** What is told of the objects of one type. */
export type Told = {
  /** Null when a part of it is not known. */
  readonly representation: (object: Data) => Data | null
  /** Equal only for objects of this type that are told of in the same way; null where that is not known before they are. */
  readonly identity: (object: Data) => unknown
}

/** The keys by which the subgraph that is asked finds objects of a type, each as the names of its fields. */
export type KeysOf = (typename: string) => readonly (readonly string[])[]

/** Compiles what a fetch requires: fragments on types with keys and with fields that other subgraphs know. */
export function compileRepresentation(requires: readonly QueryPlanSelectionNode[], isOf: TypeTest, keysOf: KeysOf): Represent {
  const byType = new Map<string, Told | null>()
  return (object) => {
    const typename = object.__typename
    if (typeof typename !== 'string') return null
    let told = byType.get(typename)
    if (told === undefined) {
      told = compileTold(requires, typename, isOf, keysOf(typename))
      // Only types of the graph are remembered: a subgraph may answer any text.
      if (told) byType.set(typename, told)
    }
    return told
  }
}

/** Copies what is selected; false when a part of it is not known. */
type Fill = (from: Data, to: Data) => boolean

function compileTold(
  requires: readonly QueryPlanSelectionNode[],
  typename: string,
  isOf: TypeTest,
  known: ReturnType<KeysOf>,
): Told | null {
  const fields = fieldsFor(requires, typename, isOf)
  const keys = fields.map(({ alias, name }) => alias ?? name)
  if (!keys.includes('__typename')) return null
  // The planner sends what it requires of one type of an interface for the others, too, but without their keys.
  if (known.length > 0 && !known.some((fields) => fields.every((name) => keys.includes(name)))) return null
  const fills = fields.map((field, index) => compileField(keys[index] as string, field.selections, isOf))
  return {
    representation(object) {
      const representation: Data = {}
      for (let index = 0; index < fills.length; index++) if (!(fills[index] as Fill)(object, representation)) return null
      return representation
    },
    identity: fields.some(({ selections }) => selections) ? () => null : identityBy(keys.filter((key) => key !== '__typename')),
  }
}

/** The fields of those fragments that are on this type or on one that it belongs to; the others are for objects of other types. */
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

function compileField(key: string, selections: readonly QueryPlanSelectionNode[] | undefined, isOf: TypeTest): Fill {
  if (!selections) {
    return (from, to) => {
      const value = from[key]
      if (value === undefined) return false
      to[key] = value
      return true
    }
  }
  const inside = compileFill(selections, isOf)
  const part = (value: unknown, known: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => part(item, Array.isArray(known) ? known[index] : undefined))
    if (!isData(value)) return value
    const copy: Data = isData(known) ? known : {}
    return inside(value, copy) ? copy : null
  }
  return (from, to) => {
    const value = from[key]
    if (value === undefined) return false
    to[key] = part(value, to[key])
    return true
  }
}

/** The same for values inside, which need not say their type where all have the same fields. */
function compileFill(selections: readonly QueryPlanSelectionNode[], isOf: TypeTest): Fill {
  const fills = selections.map((selection): Fill => {
    if (selection.kind === 'Field') return compileField(selection.alias ?? selection.name, selection.selections, isOf)
    const { typeCondition } = selection
    const inside = compileFill(selection.selections, isOf)
    if (typeCondition === undefined) return inside
    return (from, to) => (typeof from.__typename === 'string' && isOf(from.__typename, typeCondition) ? inside(from, to) : true)
  })
  return (from, to) => {
    for (const fill of fills) if (!fill(from, to)) return false
    return true
  }
}
