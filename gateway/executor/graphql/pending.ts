/**
 * Asynchronous completion without a promise per field.
 *
 * A value that resolves later is a Pending; the object or list that contains it is a Join, which
 * counts its pending values down. Without errors a value is stored in the microtask that resolves
 * it. graphql-js chains promises and takes several microtasks from a field to its parent, which is
 * visible with errors: in their order, and in which are dropped because a parent became null
 * before. So errors propagate after exactly as many microtasks as in graphql-js, and from the
 * first error of a run all values do. The numbers below are those of graphql-js' promises.
 */
import { type GraphQLError, locatedError } from 'graphql'
import { pathToArray } from 'graphql/jsutils/Path.js'
import { addError, type Join, type OperationRun, type Pending } from './operation-run.ts'

/** Return value of functions whose result resolves later; the pending value is in `run.pending`. */
export const PENDING = Symbol('pending')

export const pendingValue = (): Pending => ({
  join: undefined,
  key: '',
  field: undefined,
  isNonNull: false,
  path: undefined,
  lag: 0,
  listener: undefined,
})

export const joinOf = (
  results: Record<string | number, unknown>,
  delay: typeof OBJECT_DELAY_MICROTASKS | typeof LIST_DELAY_MICROTASKS,
): Join => ({
  results,
  pending: pendingValue(),
  delay,
  waiting: 0,
  isCompleted: false,
  thrown: undefined,
})

/** Microtasks in graphql-js: the field's error handler, `Promise.all`, and the object's promise. */
export const OBJECT_DELAY_MICROTASKS = 3
/** Microtasks in graphql-js: `Promise.all`, and the list's promise. */
export const LIST_DELAY_MICROTASKS = 2

/** Adds `run.pending` to `join` under a key. */
export function awaitIn(join: Join, run: OperationRun, key: string | number): void {
  // PENDING means that `run.pending` is set.
  const pending = run.pending as Pending
  pending.join = join
  pending.key = key
  join.results[key] = undefined
  join.waiting++
}

/** Fails `join` after all started fields have completed, as graphql-js does. */
export function failAtEnd(run: OperationRun, join: Join, error: unknown): void {
  run.isExact = true
  join.thrown = { error }
  join.delay += 1
}

/** Completes the value of `promise` with `proceed`. Throws what `promise.then` throws. */
export function whenResolved(
  run: OperationRun,
  promise: PromiseLike<unknown>,
  proceed: (value: unknown) => unknown,
): typeof PENDING {
  const pending = pendingValue()
  listen(
    promise,
    (value) => {
      let completed: unknown
      try {
        completed = proceed(value)
      } catch (error) {
        return completePending(run, pending, true, error)
      }
      if (completed === PENDING) follow(run, pending)
      else completePending(run, pending, false, completed)
    },
    (error) => completePending(run, pending, true, error),
  )
  run.pending = pending
  return PENDING
}

type Callback = (value: unknown) => void

/** Like `then`, but safe for thenables that call back twice or synchronously. */
function listen(promise: PromiseLike<unknown>, onValue: Callback, onError: Callback): void {
  if (promise instanceof Promise) {
    promise.then(onValue, onError)
    return
  }
  let isCalled = false
  let isListening = false
  const once = (callback: Callback) => (value: unknown) => {
    if (isCalled) return
    isCalled = true
    if (isListening) callback(value)
    else later(1, () => callback(value))
  }
  promise.then(once(onValue), once(onError))
  isListening = true
}

/**
 * Makes `run.pending` take the place of `outer` one microtask later, as when a promise adopts
 * another.
 */
function follow(run: OperationRun, outer: Pending): void {
  // PENDING means that `run.pending` is set.
  const pending = run.pending as Pending
  pending.join = outer.join
  pending.key = outer.key
  pending.field = outer.field
  pending.isNonNull = outer.isNonNull
  pending.path = outer.path
  pending.listener = outer.listener
  pending.lag += outer.lag + 1
}

/** Completes a pending value, or fails it. */
export function completePending(run: OperationRun, pending: Pending, isFailed: boolean, value: unknown): void {
  if (isFailed) run.isExact = true
  if (pending.lag > 0 && run.isExact) later(pending.lag, () => deliver(run, pending, isFailed, value))
  else deliver(run, pending, isFailed, value)
}

function deliver(run: OperationRun, pending: Pending, isFailed: boolean, value: unknown): void {
  const { join, listener } = pending
  if (listener) {
    listener(isFailed, value)
  } else if (join && isFailed) {
    const [error, isNonNull] = located(value, pending)
    if (isNonNull) {
      end(run, join, true, error)
    } else {
      // The error handler of graphql-js runs one microtask later.
      later(1, () => addError(run, error as GraphQLError, pending.path))
      fill(run, join, pending.key, null)
    }
  } else if (join) {
    fill(run, join, pending.key, value)
  }
}

/** A located error, and whether it also nulls the parent. Converting the thrown value may throw. */
export function located(error: unknown, { field, path, isNonNull }: Pending): readonly [error: unknown, isNonNull: boolean] {
  try {
    return [locatedError(error, field?.nodes, pathToArray(path)), isNonNull]
  } catch (other) {
    return [other, true]
  }
}

function fill(run: OperationRun, join: Join, key: string | number, value: unknown): void {
  join.results[key] = value
  if (--join.waiting === 0) end(run, join, false, join.results)
}

function end(run: OperationRun, join: Join, isFailed: boolean, value: unknown): void {
  if (join.isCompleted) return
  join.isCompleted = true
  const { pending, thrown } = join
  const fails = isFailed || thrown !== undefined
  const result = thrown ? thrown.error : value
  if (run.isExact) later(join.delay, () => completePending(run, pending, fails, result))
  else completePending(run, pending, fails, result)
}

/**
 * Runs `then` after a number of microtasks, at least 1. A promise is several times faster than
 * Node's `queueMicrotask`.
 */
export function later(microtasks: number, then: () => void): void {
  let tick = NOW
  for (let index = 1; index < microtasks; index++) tick = tick.then(nothing)
  void tick.then(then)
}

const NOW: Promise<void> = Promise.resolve()
const nothing = (): void => {}
