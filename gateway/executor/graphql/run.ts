import type { GraphQLError, GraphQLResolveInfo } from 'graphql'
import type { Path } from 'graphql/jsutils/Path.js'
import type { Pending } from './pending.ts'
import type { Field, Operation } from './selection-plan.ts'

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
