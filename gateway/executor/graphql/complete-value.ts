import { defaultTypeResolver, GraphQLError, type GraphQLObjectType, type GraphQLResolveInfo, locatedError } from 'graphql'
import { inspect } from 'graphql/jsutils/inspect.js'
import { type Path, pathToArray } from 'graphql/jsutils/Path.js'
import type { Join, Pending } from './operation-run.ts'
import { addError, infoOf, type OperationRun, pathTo } from './operation-run.ts'
import { awaitIn, failAtEnd, joinOf, LIST_DELAY_MICROTASKS, OBJECT_DELAY_MICROTASKS, PENDING, whenResolved } from './pending.ts'
import { runtimeType } from './runtime-type.ts'
import type { Completion, CompletionOf, Field, Selection } from './selection.ts'
import { subselectionOf } from './selection-plan.ts'

type Info = GraphQLResolveInfo | undefined

/** The fields of one object, at once or PENDING. Throws when one that must not be null is. */
export function executeFields(
  run: OperationRun,
  { fields, ResponseObject }: Selection,
  source: unknown,
  path: Path | undefined,
): unknown {
  const results = new ResponseObject()
  const parent = typeof source === 'object' ? (source as Record<string, unknown> | null) : null // as graphql-js reads any object
  let join: Join | undefined
  try {
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] as Field
      const { constant, property } = field
      const completed =
        constant ??
        (property && parent ? readProperty(run, field, property, parent, path) : executeField(run, field, source, path))
      if (completed === PENDING) {
        join ??= joinOf(results, OBJECT_DELAY_MICROTASKS)
        awaitIn(join, run, field.key)
      } else {
        results[field.key] = completed
      }
    }
  } catch (error) {
    if (!join) throw error
    failAtEnd(run, join, error)
  }
  if (!join) return results
  run.pending = join.pending
  return PENDING
}

/** A leaf that is a property of its parent. Small, so that V8 inlines it into the loop above. */
function readProperty(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'leaf'>,
  parent: Readonly<Record<string, unknown>>,
  parentPath: Path | undefined,
): unknown {
  let value: unknown
  try {
    value = parent[field.definition.name]
  } catch (error) {
    return failed(run, field, to, pathTo(parentPath, field), error)
  }
  return isPlain(to, value) ? value : executeField(run, field, parent, parentPath, { value })
}

/** For resolvers that see no arguments. */
const UNSEEN: Record<string, unknown> = Object.freeze({})

/**
 * One field, at once or PENDING. Null when it fails and is nullable; throws its located error when
 * not. `read` is the property of the parent, read already: a getter runs once.
 */
export function executeField(
  run: OperationRun,
  field: Field,
  source: unknown,
  parentPath: Path | undefined,
  read?: { readonly value: unknown },
): unknown {
  const { to } = field
  let path: Path | undefined
  try {
    let info: Info
    let value: unknown
    if (field.resolve) {
      if (field.seesInfo) {
        path = pathTo(parentPath, field)
        info = infoOf(run, field, path)
      }
      const values = field.argumentsOf ? field.argumentsOf(run.variableValues) : field.seesArguments ? {} : UNSEEN
      run.signal?.throwIfAborted()
      // What does not see it is not given it.
      value = field.resolve(source, values, run.contextValue, info as GraphQLResolveInfo)
      if (to.kind === 'leaf' && isPlain(to, value)) return value
    } else {
      const values = field.argumentsOf?.(run.variableValues)
      const { name } = field.definition
      if ((typeof source === 'object' && source !== null) || typeof source === 'function') {
        value = read ? read.value : (source as Record<string, unknown>)[name] // as graphql-js reads any object
        if (typeof value === 'function') {
          path = pathTo(parentPath, field)
          info = infoOf(run, field, path)
          run.signal?.throwIfAborted()
          // A method, called on its object.
          value = (source as Record<string, (...all: unknown[]) => unknown>)[name]?.(values ?? {}, run.contextValue, info)
        }
      }
      if (to.kind === 'leaf' && isPlain(to, value)) return value
    }
    if (to.kind !== 'leaf') {
      path ??= pathTo(parentPath, field)
      if (field.typeNeedsInfo) info ??= infoOf(run, field, path)
    }
    const completed = isPromise(value)
      ? completeLater(run, field, to, path, info, value)
      : complete(run, field, to, path, info, value)
    if (completed === PENDING) place(run, field, to, path ?? pathTo(parentPath, field))
    return completed
  } catch (error) {
    return failed(run, field, to, path ?? pathTo(parentPath, field), error)
  }
}

function failed(run: OperationRun, field: Field, to: Completion, path: Path, thrown: unknown): null {
  const error = locatedError(thrown, field.nodes, pathToArray(path))
  if (to.isNonNull) throw error
  addError(run, error, path)
  return null
}

/** Notes the path of what `run` waits for, in case it fails. */
function place(run: OperationRun, field: Field, to: Completion, path: Path): void {
  const pending = run.pending as Pending // PENDING means that it is set
  pending.field = field
  pending.isNonNull = to.isNonNull
  pending.path = path
}

/**
 * A function of its own, as all below that make a closure: V8 allocates the context of a closure
 * with each call of its function, and most values are no promises.
 */
function completeLater(
  run: OperationRun,
  field: Field,
  to: Completion,
  path: Path | undefined,
  info: Info,
  value: PromiseLike<unknown>,
): typeof PENDING {
  return whenResolved(run, value, (resolved) => complete(run, field, to, path, info, resolved))
}

function complete(run: OperationRun, field: Field, to: Completion, path: Path | undefined, info: Info, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (!to.isNonNull) return null
    throw new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.definition.name}.`)
  }
  if (typeof value === 'object' && value instanceof Error) throw value
  if (to.kind === 'leaf') return isPlain(to, value) ? value : completeLeaf(run, to, value)
  // Only leaves go without a path.
  const at = path as Path
  if (to.kind === 'object') return completeObject(run, field, to.type, selectionOf(run, field, to), at, info, value)
  if (to.kind === 'list') return completeList(run, field, to, at, info, value)
  return completeAbstract(run, field, to, at, info, value)
}

/** Whether `serialize` is known to return `value` itself. */
function isPlain({ primitive, isInteger }: CompletionOf<'leaf'>, value: unknown): boolean {
  if (typeof value !== primitive) return false
  return primitive !== 'number' || (isInteger ? ((value as number) | 0) === value : Number.isFinite(value)) // see `primitive`
}

function completeLeaf(run: OperationRun, { type }: CompletionOf<'leaf'>, value: unknown): unknown {
  const serialized: unknown = type.serialize(value)
  if (serialized === null || serialized === undefined) {
    throw new Error(
      `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
    )
  }
  return isPromise(serialized) ? whenResolved(run, serialized, (resolved) => resolved) : serialized
}

function completeList(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'list'>,
  path: Path,
  info: Info,
  value: unknown,
): unknown {
  // Any value may be asked for its iterator.
  if (typeof value !== 'object' || typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] !== 'function') {
    throw new GraphQLError(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.definition.name}".`,
    )
  }
  let join: Join | undefined
  let results: unknown[] = []
  if (Array.isArray(value) && value[Symbol.iterator] === ITERATOR_OF_ARRAYS) {
    // An iterator allocates per item, and a growing list copies itself.
    results = new Array(value.length)
    const bare = to.item.kind === 'object' && !to.item.type.isTypeOf ? to.item : null
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      const completed =
        bare && isBare(item)
          ? completeBareItem(run, field, bare, path, item, index)
          : completeItem(run, field, to.item, path, info, item, index)
      join = putItem(run, completed, index, results, join)
    }
  } else {
    let index = 0
    // Checked above.
    for (const item of value as Iterable<unknown>) {
      join = putItem(run, completeItem(run, field, to.item, path, info, item, index), index, results, join)
      index++
    }
  }
  if (!join) return results
  run.pending = join.pending
  return PENDING
}

const ITERATOR_OF_ARRAYS = Array.prototype[Symbol.iterator]

/** Puts an item into its list. Returns what the list waits for. */
function putItem(
  run: OperationRun,
  completed: unknown,
  index: number,
  results: unknown[],
  join: Join | undefined,
): Join | undefined {
  if (completed !== PENDING) {
    results[index] = completed
    return join
  }
  join ??= joinOf(results as unknown as Record<number, unknown>, LIST_DELAY_MICROTASKS) // an array is one
  awaitIn(join, run, index)
  return join
}

function completeItem(
  run: OperationRun,
  field: Field,
  to: Completion,
  listPath: Path,
  info: Info,
  item: unknown,
  index: number,
): unknown {
  if (to.kind === 'leaf' && isPlain(to, item)) return item
  const path: Path = { prev: listPath, key: index, typename: undefined }
  try {
    const completed = isPromise(item)
      ? completeLater(run, field, to, path, info, item)
      : complete(run, field, to, path, info, item)
    if (completed === PENDING) place(run, field, to, path)
    return completed
  } catch (error) {
    return failed(run, field, to, path, error)
  }
}

/** An item of an object type without `isTypeOf`, as most are: no calls between. */
function completeBareItem(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'object'>,
  listPath: Path,
  item: unknown,
  index: number,
): unknown {
  const path: Path = { prev: listPath, key: index, typename: undefined }
  try {
    const completed = executeFields(run, selectionOf(run, field, to), item, path)
    if (completed === PENDING) place(run, field, to, path)
    return completed
  } catch (error) {
    return failed(run, field, to, path, error)
  }
}

function completeObject(
  run: OperationRun,
  field: Field,
  type: GraphQLObjectType,
  selection: Selection,
  path: Path,
  info: Info,
  value: unknown,
): unknown {
  return type.isTypeOf
    ? completeTested(run, field, type, selection, path, info, value)
    : executeFields(run, selection, value, path)
}

/** An object of a type that says itself whether it is one. */
function completeTested(
  run: OperationRun,
  field: Field,
  type: GraphQLObjectType,
  selection: Selection,
  path: Path,
  info: Info,
  value: unknown,
): unknown {
  const isOfType = type.isTypeOf?.(value, run.contextValue, info ?? infoOf(run, field, fieldPath(path)))
  const proceed = (decided: unknown): unknown => {
    if (decided) return executeFields(run, selection, value, path)
    throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes: field.nodes })
  }
  return isPromise(isOfType) ? whenResolved(run, isOfType, proceed) : proceed(isOfType)
}

function completeAbstract(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'abstract'>,
  path: Path,
  info: Info,
  value: unknown,
): unknown {
  const { resolveType } = to.type
  const named = resolveType ? undefined : (value as { readonly __typename?: unknown }).__typename // an object
  const name: unknown =
    typeof named === 'string' && typeof value === 'object'
      ? named
      : (resolveType ?? defaultTypeResolver)(value, run.contextValue, info ?? infoOf(run, field, fieldPath(path)), to.type)
  return isPromise(name)
    ? completeNamedLater(run, field, to, path, info, value, name)
    : completeNamed(run, field, to, path, info, value, name)
}

function completeNamed(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'abstract'>,
  path: Path,
  info: Info,
  value: unknown,
  name: unknown,
): unknown {
  const selection = runtimeSelectionOf(run, field, to, name, value)
  return completeObject(run, field, selection.type, selection, path, info, value)
}

function completeNamedLater(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'abstract'>,
  path: Path,
  info: Info,
  value: unknown,
  name: PromiseLike<unknown>,
): typeof PENDING {
  return whenResolved(run, name, (decided) => completeNamed(run, field, to, path, info, value, decided))
}

function selectionOf(run: OperationRun, field: Field, to: CompletionOf<'object'>): Selection {
  to.selection ??= subselectionOf(run.operation, to.type, field.nodes, run.variableValues)
  return to.selection
}

function runtimeSelectionOf(
  run: OperationRun,
  field: Field,
  to: CompletionOf<'abstract'>,
  name: unknown,
  value: unknown,
): Selection {
  const known = typeof name === 'string' ? to.selections.get(name) : undefined
  if (known) return known
  const type = runtimeType(run, field, to, name, value)
  const selection = subselectionOf(run.operation, type, field.nodes, run.variableValues)
  to.selections.set(type.name, selection)
  return selection
}

/** Whether it is an object, and neither an error nor a promise. */
const isBare = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Error) &&
  typeof (value as Partial<PromiseLike<unknown>>).then !== 'function' // any object may have one

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as Partial<PromiseLike<unknown>>).then === 'function' // any object may have one

/** The path of the field that an item is of. */
function fieldPath(path: Path): Path {
  let at = path
  while (at.typename === undefined && at.prev) at = at.prev
  return at
}
