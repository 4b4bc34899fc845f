import type { GraphQLError, GraphQLResolveInfo } from 'graphql'
import type { Path } from 'graphql/jsutils/Path.js'
import type { Field, Operation } from './selection.ts'

/** One run of an operation. */
export type OperationRun = {
  readonly operation: Operation
  readonly rootValue: unknown
  readonly contextValue: unknown
  readonly variableValues: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
  /** In the order in which they happened. */
  readonly errors: GraphQLError[]
  /** Where an error made the answer null; the root is undefined. Null while there is none. */
  nulled: Set<Path | undefined> | null
  /** What the function that returned PENDING last is waiting for; its caller takes it at once. */
  pending: Pending | undefined
  /** Whether an error happened whose place among others depends on when exactly things end; see pending.ts. */
  isExact: boolean
}

/** A place in the answer whose value comes later. */
export type Pending = {
  /** What it is part of, and where in there. */
  join: Join | undefined
  key: string | number
  field: Field | undefined
  isNonNull: boolean
  path: Path | undefined
  /** Microtasks from the settling of what it waits for. */
  lag: number
  /** Who hears of it when there is no join. */
  listener: Listener | undefined
}

/**
 * Hears of what was waited for. Named before it is put into its Pending: V8 takes a function that is written where it is assigned to a property for one that stays, and
 * makes it among old objects. Whatever it reaches, here the whole answer and the rows behind it, then lives until those are collected.
 */
export type Listener = (isFailed: boolean, outcome: unknown) => void

/** An object or a list that is complete but for what is pending in it. */
export type Join = {
  readonly results: Record<string | number, unknown>
  readonly pending: Pending
  /** Microtasks from the last value in it to its own. */
  delay: number
  waiting: number
  isSettled: boolean
  /** An error that came at once, and is held until all that had begun has ended. */
  thrown: { readonly error: unknown } | undefined
}

/** Records an error at `path`, unless that place or one above it is null already: nobody sees what happens there. */
export function addError(run: OperationRun, error: GraphQLError, path: Path | undefined): void {
  run.nulled ??= new Set()
  const { nulled } = run
  if (nulled.has(undefined)) return
  for (let at = path; at !== undefined; at = at.prev) if (nulled.has(at)) return
  nulled.add(path)
  run.errors.push(error)
}

export const pathTo = (prev: Path | undefined, { key, parentType }: Field): Path => ({ prev, key, typename: parentType.name })

/** A plain object with everything in it: resolvers spread it and hand it on. */
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
