/**
 * Waiting, without a promise per field.
 *
 * What cannot be said at once is a Pending; what holds it, an object or a list, is a Join that counts them down. Where all goes well a value is put in its place in
 * the microtask that brings it. graphql-js chains promises instead and takes several microtasks from a field to its parent, which shows as soon as there are
 * errors: which of two comes first, and whether one is dropped because its parent became null before. So failures travel upwards at exactly its pace, and
 * so does, from the first failure of a run, everything else. The numbers of microtasks below are those of the promises that graphql-js makes.
 */
import { type GraphQLError, locatedError } from 'graphql'
import { pathToArray } from 'graphql/jsutils/Path.js'
import { addError, type Join, type OperationRun, type Pending } from './operation-run.ts'

/** Returned instead of a value that comes later. `run.pending` is then what it waits for. */
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

export const joinOf = (results: Record<string | number, unknown>, delay: typeof OBJECT_DELAY | typeof LIST_DELAY): Join => ({
  results,
  pending: pendingValue(),
  delay,
  waiting: 0,
  isSettled: false,
  thrown: undefined,
})

/** A value of an object passes its handler of errors, `Promise.all`, and the promise of the object. */
export const OBJECT_DELAY = 3
/** A list is what `Promise.all` gives. */
export const LIST_DELAY = 2

/** Puts what `run` waits for in its place of `join`. */
export function awaitIn(join: Join, run: OperationRun, key: string | number): void {
  const pending = run.pending as Pending
  pending.join = join
  pending.key = key
  join.results[key] = undefined
  join.waiting++
}

/** `join` fails with `error` when what it waits for has ended, well or not: graphql-js does not leave anything behind that it has begun. */
export function failAtEnd(run: OperationRun, join: Join, error: unknown): void {
  run.isExact = true
  join.thrown = { error }
  join.delay += 1
}

/** Waits for `promise`, then goes on with what it brings. Throws what its `then` throws. */
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
        return settlePending(run, pending, true, error)
      }
      if (completed === PENDING) follow(run, pending)
      else settlePending(run, pending, false, completed)
    },
    (error) => settlePending(run, pending, true, error),
  )
  run.pending = pending
  return PENDING
}

type Callback = (outcome: unknown) => void

/** What is not of the language but calls itself a promise may call back twice, or before it has returned. */
function listen(promise: PromiseLike<unknown>, onValue: Callback, onError: Callback): void {
  if (promise instanceof Promise) {
    promise.then(onValue, onError)
    return
  }
  let isCalled = false
  let isListening = false
  const once = (callback: Callback) => (outcome: unknown) => {
    if (isCalled) return
    isCalled = true
    if (isListening) callback(outcome)
    else later(1, () => callback(outcome))
  }
  promise.then(once(onValue), once(onError))
  isListening = true
}

/** What `run` waits for now takes the place of `place`, one microtask behind: so a promise follows another. */
function follow(run: OperationRun, place: Pending): void {
  const pending = run.pending as Pending
  pending.join = place.join
  pending.key = place.key
  pending.field = place.field
  pending.isNonNull = place.isNonNull
  pending.path = place.path
  pending.listener = place.listener
  pending.lag += place.lag + 1
}

/** Says that what `pending` waited for has come, or has failed. */
export function settlePending(run: OperationRun, pending: Pending, isFailed: boolean, outcome: unknown): void {
  if (isFailed) run.isExact = true
  if (pending.lag > 0 && run.isExact) later(pending.lag, () => deliver(run, pending, isFailed, outcome))
  else deliver(run, pending, isFailed, outcome)
}

function deliver(run: OperationRun, pending: Pending, isFailed: boolean, outcome: unknown): void {
  const { join, listener } = pending
  if (listener) {
    listener(isFailed, outcome)
  } else if (join && isFailed) {
    const [error, isNonNull] = located(outcome, pending)
    if (isNonNull) {
      end(run, join, true, error)
    } else {
      // The handler of errors is one microtask behind.
      later(1, () => addError(run, error as GraphQLError, pending.path))
      fill(run, join, pending.key, null)
    }
  } else if (join) {
    fill(run, join, pending.key, outcome)
  }
}

/** The error of a place, and whether its parent fails with it. Text is made of what was thrown, which may throw in turn. */
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

function end(run: OperationRun, join: Join, isFailed: boolean, outcome: unknown): void {
  if (join.isSettled) return
  join.isSettled = true
  const { pending, thrown } = join
  const fails = isFailed || thrown !== undefined
  const result = thrown ? thrown.error : outcome
  if (run.isExact) later(join.delay, () => settlePending(run, pending, fails, result))
  else settlePending(run, pending, fails, result)
}

/** Runs `then` after a number of microtasks, at least one. `queueMicrotask` of Node costs several times as much. */
export function later(microtasks: number, then: () => void): void {
  let tick = NOW
  for (let index = 1; index < microtasks; index++) tick = tick.then(nothing)
  tick.then(then)
}

const NOW: Promise<void> = Promise.resolve()
const nothing = (): void => {}
