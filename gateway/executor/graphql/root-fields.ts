import type { GraphQLError } from 'graphql'
import { executeField, executeFields } from './complete-value.ts'
import type { Listener, Pending } from './operation-run.ts'
import { addError, type OperationRun } from './operation-run.ts'
import { later, located, PENDING, pendingValue } from './pending.ts'
import type { Selection } from './selection.ts'

/** Executes root fields of a query or an event concurrently: the data, or PENDING. */
export function executeTogether(run: OperationRun, selection: Selection, source: unknown): unknown {
  const data = executeFields(run, selection, source, undefined)
  // graphql-js creates the result one microtask after the data.
  if (data === PENDING) (run.pending as Pending).lag = 1
  return data
}

/** Executes root fields of a mutation serially: the data, or PENDING. */
export function executeSerially(run: OperationRun, { fields }: Selection, source: unknown): unknown {
  const results: Record<string, unknown> = Object.create(null)
  // A promise chain as in graphql-js; fast enough, because mutations have few root fields.
  let done: Promise<void> | undefined
  for (const field of fields) {
    const begin = (): Promise<void> | undefined => {
      const completed = field.constant ?? executeField(run, field, source, undefined)
      if (completed !== PENDING) {
        results[field.key] = completed
        return undefined
      }
      return whenCompleted(run).then((value) => {
        results[field.key] = value
      })
    }
    done = done ? done.then(begin) : begin()
  }
  if (!done) return results

  const whole = pendingValue()
  done.then(
    () => whole.listener?.(false, results),
    (error: unknown) => whole.listener?.(true, error),
  )
  run.pending = whole
  return PENDING
}

function whenCompleted(run: OperationRun): Promise<unknown> {
  // PENDING means that `run.pending` is set.
  const pending = run.pending as Pending
  return new Promise((resolve, reject) => {
    const listener: Listener = (isFailed, value) => {
      if (!isFailed) return resolve(value)
      later(1, () => {
        const [error, isNonNull] = located(value, pending)
        if (isNonNull) return reject(error)
        // Fields throw located errors (`GraphQLError`) only.
        addError(run, error as GraphQLError, pending.path)
        resolve(null)
      })
    }
    pending.listener = listener
  })
}
