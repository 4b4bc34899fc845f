import { type Data, isData, typeNameIn } from './response-data.ts'

/**
 * Segment of a flatten path: a key, or every item of a list when `key` is null. `types`: type
 * condition of the objects; null for none.
 */
export type PathSegment = { readonly key: string | null; readonly types: ReadonlySet<string> | null }

/**
 * Parses the path of a Flatten node: keys, and `@` for list items, with optional type conditions
 * such as `@|[Book,Film]`. Empty keys are dropped: the planner starts with one when the root has
 * type conditions.
 */
export function parseFlattenPath(path: readonly (string | number)[]): readonly PathSegment[] {
  return path.flatMap((element) => {
    const [key = '', ...conditions] = String(element).split('|')
    const types = conditions.length > 0 ? new Set(conditions.flatMap((names) => names.slice(1, -1).split(','))) : null
    return key === '' ? [] : [{ key: key === '@' ? null : key, types }]
  })
}

/** The objects at a flatten path, in order. */
export function objectsAt(starts: readonly Data[], segments: readonly PathSegment[]): readonly Data[] {
  const found: Data[] = []
  for (const start of starts) collectObjects(start, segments, 0, found)
  return found
}

function collectObjects(value: unknown, segments: readonly PathSegment[], at: number, found: Data[]): void {
  const segment = segments[at]
  if (!segment) {
    if (isData(value)) found.push(value)
    return
  }
  const { key, types } = segment
  if (key !== null) {
    if (isData(value) && matchesTypes(value[key], types)) collectObjects(value[key], segments, at + 1, found)
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (matchesTypes(value[index], types)) collectObjects(value[index], segments, at + 1, found)
    }
  }
}

/** Whether a value matches a segment's type condition. */
const matchesTypes = (value: unknown, types: PathSegment['types']): boolean =>
  // Lists have no `__typename`, but the planner puts no type condition on them.
  typeof value === 'object' && value !== null && (types === null || types.has(typeNameIn(value as Data)))

export type ResponsePath = readonly (string | number)[]

/**
 * Response paths of each object at a flatten path; an object may have several. Used for errors
 * only.
 */
export function responsePathsOf(root: Data, segments: readonly PathSegment[]): ReadonlyMap<Data, readonly ResponsePath[]> {
  const paths = new Map<Data, ResponsePath[]>()
  trace(root, 0, [])
  return paths

  function trace(value: unknown, at: number, path: ResponsePath): void {
    if (typeof value !== 'object' || value === null) return
    const segment = segments[at]
    if (!segment) {
      if (!isData(value)) return
      const existing = paths.get(value)
      if (existing) existing.push(path)
      else paths.set(value, [path])
      return
    }
    const { key, types } = segment
    const traceNext = (next: unknown, element: string | number): void => {
      if (matchesTypes(next, types)) trace(next, at + 1, [...path, element])
    }
    // `value` may be a list, whose string keys are undefined, which ends the recursion.
    if (key !== null) traceNext((value as Data)[key], key)
    else if (Array.isArray(value)) value.forEach(traceNext)
  }
}
