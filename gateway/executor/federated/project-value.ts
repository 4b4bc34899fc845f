import { GraphQLID, type GraphQLNamedType, isEnumType } from 'graphql'
import type { RefusedPart } from '../../authorization/refused-part.ts'
import type { GatewayCode } from '../../operations/errors.ts'
import type { ResponseObjectClass } from '../response-object.ts'
import type { ResponsePath } from './flatten-path.ts'
import { isNestedTooDeep } from './nesting-limit.ts'
import { type Data, isData } from './response-data.ts'
import { CHECKS, enumTest } from './scalar-checks.ts'

export type OperationVariables = Readonly<Record<string, unknown>>

/** Reports a refused part at one of its response paths. */
export type Refuse = (part: RefusedPart, path: ResponsePath) => void

/** Reports an invalid value, or another error by `code`. Called once per null that it causes. */
export type ReportError = (message: string, path: ResponsePath, code?: GatewayCode) => void

/** State of one projection. */
export type ProjectionRun = {
  /** Path of the current value: the first `depth` elements. */
  readonly path: (string | number)[]
  readonly report: ReportError
  readonly refuse: Refuse
  readonly variables: OperationVariables
  readonly canReuse: boolean
  /** Number of shared objects that enclose the current value. */
  sharedDepth: number
  /** Faults inside shared objects. */
  readonly faults: Fault[]
  /** Results by shared object. */
  projected: Map<Data, SharedResult> | null
}

/** An invalid value or a refused part. */
type Fault = { readonly reason: string | RefusedPart; readonly path: ResponsePath }

/**
 * Result of a shared object. `depth`: length of its first response path, which prefixes the paths
 * of `faults`.
 */
type SharedResult = {
  readonly selection: ProjectedSelection
  readonly value: unknown
  readonly depth: number
  readonly faults: readonly Fault[]
}

/**
 * Completes a value for the client. `null`: a legitimate null, an error only where the type forbids
 * it. `undefined`: the error was reported already.
 */
export type Complete = (value: unknown, run: ProjectionRun, depth: number) => unknown

export type ProjectedField = {
  /** Key in the response data. */
  readonly from: string
  /** Key in the client's document. */
  readonly key: string
  readonly isNullable: boolean
  readonly complete: Complete
  /** Whether a valid value of the subgraph needs no completion. */
  readonly isSimple: boolean
  /** Schema coordinate `Type.field`, for messages. */
  readonly name: string
}

/** The selection on objects of one type. */
export type ProjectedSelection = {
  readonly fields: readonly ProjectedField[]
  readonly ResponseObject: ResponseObjectClass
  /**
   * Fields to complete in place at an exclusive path, whose objects have exactly the selected keys;
   * null: a new object must be created.
   */
  readonly incomplete: readonly ProjectedField[] | null
}

export function completeObject(
  { fields, ResponseObject, incomplete }: ProjectedSelection,
  from: Data,
  run: ProjectionRun,
  depth: number,
): unknown {
  const isReused = incomplete !== null && run.canReuse
  const result = isReused ? from : new ResponseObject()
  const pending = isReused ? incomplete : fields
  for (let index = 0; index < pending.length; index++) {
    const field = pending[index] as ProjectedField // below the length
    run.path[depth] = field.key
    const value = from[field.from]
    let completed = field.complete(value === undefined ? null : value, run, depth + 1)
    if (completed === null || completed === undefined) {
      if (!field.isNullable) {
        if (completed === null) invalid(`Cannot return null for non-nullable field ${field.name}.`, run, depth + 1)
        return undefined
      }
      completed = null
    }
    result[field.key] = completed
  }
  return result
}

/**
 * Completes objects of a composite type `declared` with the selection of their runtime type.
 * `selectionFor` returns null for an invalid `__typename`. `refusalOf` finds refused types; null
 * when none are refused.
 */
export function completeByType(
  declared: string,
  complete: typeof completeObject,
  refusalOf: ((type: string) => RefusedPart | null) | null,
  selectionFor: (typename: unknown) => ProjectedSelection | null,
): Complete {
  // One-entry cache, because most lists have items of one type.
  let last: { readonly typename: unknown; readonly selection: ProjectedSelection } | null = null
  return (value, run, depth) => {
    if (value === null) return null
    if (!isData(value)) return invalid(`Expected an object of type "${declared}".`, run, depth)
    const typename = value.__typename
    const part = refusalOf && typeof typename === 'string' ? refusalOf(typename) : null
    if (part) return refuseAt(part, run, depth)
    if (last !== null && last.typename === typename) return complete(last.selection, value, run, depth)
    const selection = selectionFor(typename)
    if (!selection) return invalid(`Expected an object of type "${declared}", got one of another.`, run, depth)
    last = { typename, selection }
    return complete(selection, value, run, depth)
  }
}

/** Completes an object at a shared path once; reports its faults at each response path. */
export function completeShared(selection: ProjectedSelection, from: Data, run: ProjectionRun, depth: number): unknown {
  const earlier = run.projected?.get(from)
  if (earlier?.selection === selection) {
    for (const { reason, path } of earlier.faults) {
      reportFault(reason, [...run.path.slice(0, depth), ...path.slice(earlier.depth)], run)
    }
    return earlier.value
  }
  const before = run.faults.length
  run.sharedDepth++
  const value = completeObject(selection, from, run, depth)
  run.sharedDepth--
  run.projected ??= new Map()
  const faults = run.faults.length === before ? NO_FAULTS : run.faults.slice(before)
  run.projected.set(from, { selection, value, depth, faults })
  return value
}

const NO_FAULTS: readonly Fault[] = []

export const completeList =
  (complete: Complete, isNullable: boolean, name: string, isExclusive: boolean): Complete =>
  (value, run, depth) => {
    if (value === null) return null
    if (!Array.isArray(value)) return invalid(`Expected a list for field ${name}.`, run, depth)
    const items: unknown[] = isExclusive && run.canReuse ? value : new Array(value.length)
    for (let index = 0; index < value.length; index++) {
      run.path[depth] = index
      const item = value[index]
      let completed = complete(item === undefined ? null : item, run, depth + 1)
      if (completed === null || completed === undefined) {
        if (!isNullable) {
          if (completed === null) invalid(`Cannot return null for non-nullable field ${name}.`, run, depth + 1)
          return undefined
        }
        completed = null
      }
      items[index] = completed
    }
    return items
  }

export function completeLeaf(type: GraphQLNamedType): Complete {
  if (type.name === GraphQLID.name) return completeId
  const message = `Expected a value of type "${type.name}".`
  const isValid = isEnumType(type) ? enumTest(type.getValues().map(({ name }) => name)) : CHECKS.get(type.name)
  if (!isValid) return (value, run, depth) => (isNestedTooDeep(value) ? invalid(TOO_DEEP, run, depth) : value)
  return (value, run, depth) => (value === null || isValid(value) ? value : invalid(message, run, depth))
}

const TOO_DEEP = 'Expected a value that is nested less deeply.'

/** Serializes integer IDs as strings (GraphQL §3.5.5). */
const completeId: Complete = (value, run, depth) => {
  if (typeof value === 'string' || value === null) return value
  return Number.isInteger(value) ? String(value) : invalid(`Expected a value of type "${GraphQLID.name}".`, run, depth)
}

export function invalid(message: string, run: ProjectionRun, depth: number): undefined {
  reportFault(message, run.path.slice(0, depth), run)
  return undefined
}

export function refuseAt(part: RefusedPart, run: ProjectionRun, depth: number): undefined {
  reportFault(part, run.path.slice(0, depth), run)
  return undefined
}

function reportFault(reason: Fault['reason'], path: ResponsePath, run: ProjectionRun): void {
  if (run.sharedDepth > 0) run.faults.push({ reason, path })
  if (typeof reason === 'string') run.report(reason, path)
  else run.refuse(reason, path)
}
