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

/**
 * Executes the fields of one object: the object, or PENDING. Throws when a non-null field is null.
 */
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

/** Reads a leaf property of the parent. Small, so that V8 inlines it into the loop above. */
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

/** Arguments for resolvers that do not read them, to avoid an allocation. */
const UNSEEN: Record<string, unknown> = Object.freeze({})

/**
 * Executes one field: its value, or PENDING. On error null, or throws the located error when the
 * field is non-null. `read`: the property's value when it was read already, because a getter must
 * run once.
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
      // `info` is undefined for resolvers with fewer than four parameters, which cannot read it.
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
          // `value` is a method of `source`, so it is called with `source` as `this`.
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

/** Stores the path of a pending value, for its error. */
function place(run: OperationRun, field: Field, to: Completion, path: Path): void {
  const pending = run.pending as Pending // PENDING means that it is set
  pending.field = field
  pending.isNonNull = to.isNonNull
  pending.path = path
}

/**
 * A function of its own, like all below that create closures: V8 allocates a closure's context on
 * each call of the enclosing function, and most values are not promises.
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
  // `path` is undefined for leaves only.
  const at = path as Path
  if (to.kind === 'object') return completeObject(run, field, to.type, selectionOf(run, field, to), at, info, value)
  if (to.kind === 'list') return completeList(run, field, to, at, info, value)
  return completeAbstract(run, field, to, at, info, value)
}

/** Whether `serialize` is known to return `value` unchanged. */
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
  // `Symbol.iterator` can be read from any object.
  if (typeof value !== 'object' || typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] !== 'function') {
    throw new GraphQLError(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.definition.name}".`,
    )
  }
  let join: Join | undefined
  let results: unknown[] = []
  if (Array.isArray(value) && value[Symbol.iterator] === ITERATOR_OF_ARRAYS) {
    // Faster than an iterator, which allocates per item, and a growing array, which is copied.
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
    // The check above shows that it is iterable.
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

/** Stores a list item; returns the join of the list's pending items. */
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

/** Completes an item of an object type without `isTypeOf`: the usual case, with fewer calls. */
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

/** Completes an object of a type with `isTypeOf`. */
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

/** Whether a value is an object and neither an Error nor a promise. */
const isBare = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Error) &&
  typeof (value as Partial<PromiseLike<unknown>>).then !== 'function' // any object may have one

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as Partial<PromiseLike<unknown>>).then === 'function' // any object may have one

/** The path of the field whose list contains this item. */
function fieldPath(path: Path): Path {
  let at = path
  while (at.typename === undefined && at.prev) at = at.prev
  return at
}
