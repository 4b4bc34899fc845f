import type { GraphQLError } from 'graphql'
import { executeField, executeFields } from './complete-value.ts'
import type { Listener, Pending } from './operation-run.ts'
import { addError, type OperationRun } from './operation-run.ts'
import { later, located, PENDING, pendingValue } from './pending.ts'
import type { Selection } from './selection.ts'

/** The fields of a query, or of an event, all at once. At once or PENDING. */
export function executeTogether(run: OperationRun, selection: Selection, source: unknown): unknown {
  const data = executeFields(run, selection, source, undefined)
  // The answer is made one microtask after its data.
  if (data === PENDING) (run.pending as Pending).lag = 1
  return data
}

/** The fields of a mutation, one after the other: the next is begun when the one before has ended. At once or PENDING. */
export function executeSerially(run: OperationRun, { fields }: Selection, source: unknown): unknown {
  const results: Record<string, unknown> = Object.create(null)
  // Few fields, and none beside another: graphql-js' own chain of promises.
  let done: Promise<void> | undefined
  for (const field of fields) {
    const begin = (): Promise<void> | undefined => {
      const completed = field.constant ?? executeField(run, field, source, undefined)
      if (completed !== PENDING) {
        results[field.key] = completed
        return undefined
      }
      return whenSettled(run).then((value) => {
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

function whenSettled(run: OperationRun): Promise<unknown> {
  const pending = run.pending as Pending
  return new Promise((resolve, reject) => {
    const listener: Listener = (isFailed, outcome) => {
      if (!isFailed) return resolve(outcome)
      later(1, () => {
        const [error, isNonNull] = located(outcome, pending)
        if (isNonNull) return reject(error)
        addError(run, error as GraphQLError, pending.path)
        resolve(null)
      })
    }
    pending.listener = listener
  })
}
