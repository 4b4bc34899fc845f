import type { GraphQLError, GraphQLResolveInfo } from 'graphql'
import type { Path } from 'graphql/jsutils/Path.js'
import type { Field, Operation } from './selection.ts'

/** State of one execution of an operation. */
export type OperationRun = {
  readonly operation: Operation
  readonly rootValue: unknown
  readonly contextValue: unknown
  readonly variableValues: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
  /** Errors in the same order as graphql-js. */
  readonly errors: GraphQLError[]
  /** Paths that are null because of an error (undefined: the root); null without errors. */
  nulled: Set<Path | undefined> | null
  /** Second result of a function that returned PENDING; the caller reads it immediately. */
  pending: Pending | undefined
  /**
   * Whether values must be delivered in the microtask of graphql-js, after the first error; see
   * pending.ts.
   */
  isExact: boolean
}

/** A response value that resolves later. */
export type Pending = {
  /** The object or list that contains the value, and its key there. */
  join: Join | undefined
  key: string | number
  field: Field | undefined
  isNonNull: boolean
  path: Path | undefined
  /** Microtasks by which graphql-js would complete it after its promise. */
  lag: number
  /** Called instead of storing the value in a join. */
  listener: Listener | undefined
}

/**
 * Receives the value or the error. Assign it through a variable: V8 allocates a function literal
 * that is assigned to a property in old space, and what it reaches, here the whole response and its
 * rows, then lives until a major collection.
 */
export type Listener = (isFailed: boolean, result: unknown) => void

/** An object or a list with pending values. */
export type Join = {
  readonly results: Record<string | number, unknown>
  readonly pending: Pending
  /** Microtasks between its last value and its own completion. */
  delay: number
  waiting: number
  isCompleted: boolean
  /** A synchronous error, held until all started values have completed. */
  thrown: { readonly error: unknown } | undefined
}

/** Adds an error, unless its path or a parent is null already (GraphQL specification, 6.4.4). */
export function addError(run: OperationRun, error: GraphQLError, path: Path | undefined): void {
  run.nulled ??= new Set()
  const { nulled } = run
  if (nulled.has(undefined)) return
  for (let at = path; at !== undefined; at = at.prev) if (nulled.has(at)) return
  nulled.add(path)
  run.errors.push(error)
}

export const pathTo = (prev: Path | undefined, { key, parentType }: Field): Path => ({ prev, key, typename: parentType.name })

/** A plain object with own properties, because resolvers spread and forward it. */
export const infoOf = (
  { operation, rootValue, variableValues }: OperationRun,
  { definition, nodes, parentType }: Field,
  path: Path,
) =>
  ({
    fieldName: definition.name,
    fieldNodes: nodes,
    returnType: definition.type,
    parentType,
    path,
    schema: operation.schema,
    fragments: operation.fragments,
    rootValue,
    operation: operation.node,
    variableValues,
  }) satisfies GraphQLResolveInfo
