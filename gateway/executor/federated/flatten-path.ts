import { type Identity, type Tables, tableOf, tables } from './entity-identity.ts'
import { type Data, isData, typeNameIn } from './response-data.ts'

/** One step of a way through an answer: to what stands under a key, or to every item of a list; then on only with objects of certain types. */
export type Step = { readonly key: string | null; readonly types: ReadonlySet<string> | null }

/**
 * Reads the path of a plan's Flatten node: keys, and `@` for the items of a list, each with the types that it goes on with, as in `@|[Book,Film]`.
 * An empty key stays where it is: the planner begins with one when it may have to name types of the root.
 */
export function stepsOf(path: readonly (string | number)[]): readonly Step[] {
  return path.flatMap((element) => {
    const [key = '', ...conditions] = String(element).split('|')
    const types = conditions.length > 0 ? new Set(conditions.flatMap((names) => names.slice(1, -1).split(','))) : null
    return key === '' ? [] : [{ key: key === '@' ? null : key, types }]
  })
}

/** The objects that a way leads to, in order. */
export function objectsAt(starts: readonly Data[], steps: readonly Step[]): readonly Data[] {
  const found: Data[] = []
  for (const start of starts) walk(start, steps, 0, found)
  return found
}

function walk(value: unknown, steps: readonly Step[], at: number, found: Data[]): void {
  const step = steps[at]
  if (!step) {
    if (isData(value)) found.push(value)
    return
  }
  const { key, types } = step
  if (key !== null) {
    if (isData(value) && isOn(value[key], types)) walk(value[key], steps, at + 1, found)
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isOn(value[index], types)) walk(value[index], steps, at + 1, found)
  }
}

/** The objects that are left of those that were met, in order, and the first of each identity by types. */
type Met = { readonly left: Data[]; readonly firsts: Tables<string, Data> }

/**
 * Makes one object of all that a way leads to which are equal: everywhere stands the first of them. Gives the objects that are left, in order. One whose type or
 * identity is not known stays by itself. The way has a step at least, and none that goes on with some types only.
 */
export function unite(starts: readonly Data[], steps: readonly Step[], identity: Identity): readonly Data[] {
  const met: Met = { left: [], firsts: tables() }
  for (const start of starts) uniteIn(start, steps, 0, identity, met)
  return met.left
}

function uniteIn(value: unknown, steps: readonly Step[], at: number, identity: Identity, met: Met): void {
  const { key } = steps[at] as Step
  const isLast = at === steps.length - 1
  if (key !== null) {
    if (!isData(value)) return
    const next = value[key]
    if (!isLast) {
      uniteIn(next, steps, at + 1, identity, met)
    } else if (isData(next)) {
      const first = firstOf(next, identity, met)
      if (first !== next) value[key] = first
    }
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (!isLast) uniteIn(item, steps, at + 1, identity, met)
      else if (isData(item)) value[index] = firstOf(item, identity, met)
    }
  }
}

function firstOf(object: Data, identity: Identity, met: Met): Data {
  const typename = object.__typename
  const own = typeof typename === 'string' ? identity(object) : null
  if (own !== null) {
    const firstBy = tableOf(met.firsts, typename as string)
    const first = firstBy.get(own)
    if (first) return first
    firstBy.set(own, object)
  }
  met.left.push(object)
  return object
}

/** Whether a way goes on with what it met. */
const isOn = (value: unknown, types: Step['types']): boolean =>
  typeof value === 'object' && value !== null && (types === null || types.has(typeNameIn(value as Data)))

export type ResponsePath = readonly (string | number)[]

/** Where the objects stand that a way from the root leads to; one object may stand at several places. Needed for errors only. */
export function pathsTo(root: Data, steps: readonly Step[]): ReadonlyMap<Data, readonly ResponsePath[]> {
  const paths = new Map<Data, ResponsePath[]>()
  trace(root, 0, [])
  return paths

  function trace(value: unknown, at: number, path: ResponsePath): void {
    if (typeof value !== 'object' || value === null) return
    const step = steps[at]
    if (!step) {
      if (!isData(value)) return
      const known = paths.get(value)
      if (known) known.push(path)
      else paths.set(value, [path])
      return
    }
    const { key, types } = step
    const goOn = (next: unknown, element: string | number): void => {
      if (isOn(next, types)) trace(next, at + 1, [...path, element])
    }
    if (key !== null) goOn((value as Data)[key], key)
    else if (Array.isArray(value)) value.forEach(goOn)
  }
}
