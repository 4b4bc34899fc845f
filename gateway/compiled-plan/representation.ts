import type { QueryPlanSelectionNode } from '@apollo/query-planner'
import { type Data, isData, type TypeTest } from './data.ts'

/** What another subgraph is told of an object so that it finds it; null when too little is known. */
export type Represent = (object: Data) => Data | null

/** Compiles what a fetch requires: fragments on types with keys and with fields that other subgraphs know. */
export function compileRepresentation(requires: readonly QueryPlanSelectionNode[], isOf: TypeTest): Represent {
  const fill = compileFill(requires, isOf)
  return (object) => {
    const representation: Data = {}
    return fill(object, representation) && representation.__typename !== undefined ? representation : null
  }
}

/** Copies what is selected; false when a part of it is not known. */
type Fill = (from: Data, to: Data) => boolean

function compileFill(selections: readonly QueryPlanSelectionNode[], isOf: TypeTest): Fill {
  const fills = selections.map((selection): Fill => {
    if (selection.kind === 'Field') return compileField(selection.alias ?? selection.name, selection.selections, isOf)
    const { typeCondition } = selection
    const inside = compileFill(selection.selections, isOf)
    if (typeCondition === undefined) return inside
    // Those that are of another type are told by another fragment, or not at all.
    return (from, to) => (typeof from.__typename === 'string' && isOf(from.__typename, typeCondition) ? inside(from, to) : true)
  })
  const [only] = fills
  if (fills.length === 1 && only) return only
  return (from, to) => {
    for (const fill of fills) if (!fill(from, to)) return false
    return true
  }
}

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

/** A text that is equal for equal representations of one fetch, whose keys have one order, and only for those. */
export function identityOf(representation: Data): string {
  let text = ''
  for (const key in representation) {
    const value = representation[key]
    text += typeof value === 'string' ? `${key}${value.length}:${value}` : `${key}=${JSON.stringify(value)},`
  }
  return text
}
