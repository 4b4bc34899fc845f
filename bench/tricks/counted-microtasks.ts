/**
 * What it is worth that compiled operations count the values that resolve later, and on errors the
 * microtasks that graphql-js would take, where graphql-js chains promises
 * (gateway/executor/graphql/pending.ts).
 *
 *   node bench/tricks/counted-microtasks.ts [--rounds N (40)]
 *
 * Completes a list of objects whose fields are promises. Without the trick every field has a
 * promise with an error handler, every object `Promise.all` and its own promise, and the list
 * another `Promise.all`, as in graphql-js. Both keep the order of errors of graphql-js; the other
 * order, without promises and without counting, would change answers.
 */
import type { OperationRun } from '../../gateway/executor/graphql/operation-run.ts'
import {
  awaitIn,
  joinOf,
  LIST_DELAY_MICROTASKS,
  OBJECT_DELAY_MICROTASKS,
  whenResolved,
} from '../../gateway/executor/graphql/pending.ts'
import { compare } from './turns.ts'

type Fields = Readonly<Record<string, Promise<string>>>

const identity = (value: unknown): unknown => value

function counted(objects: readonly Fields[]): Promise<unknown> {
  const run: Pick<OperationRun, 'pending' | 'isExact' | 'errors' | 'nulled'> = {
    pending: undefined,
    isExact: false,
    errors: [],
    nulled: null,
  }
  // Nothing else of a run is read where no field fails.
  const whole = run as OperationRun
  const list = joinOf([] as unknown as Record<number, unknown>, LIST_DELAY_MICROTASKS)
  for (const [index, fields] of objects.entries()) {
    const join = joinOf({}, OBJECT_DELAY_MICROTASKS)
    for (const key of Object.keys(fields)) {
      whenResolved(whole, fields[key] as Promise<string>, identity)
      awaitIn(join, whole, key)
    }
    whole.pending = join.pending
    awaitIn(list, whole, index)
  }
  return new Promise((resolve, reject) => {
    const listener = (isFailed: boolean, result: unknown): void => (isFailed ? reject(result) : resolve(result))
    list.pending.listener = listener
  })
}

function chained(objects: readonly Fields[]): Promise<unknown> {
  const fail = (error: unknown): never => {
    throw error
  }
  return Promise.all(
    objects.map((fields) => {
      const keys = Object.keys(fields)
      const values = keys.map((key) => (fields[key] as Promise<string>).then(identity).then(undefined, fail))
      return Promise.all(values).then((all) => {
        const result: Record<string, unknown> = {}
        for (const [index, key] of keys.entries()) result[key] = all[index]
        return result
      })
    }),
  )
}

const objectsOf = (count: number, keys: readonly string[]): readonly Fields[] =>
  Array.from({ length: count }, () => Object.fromEntries(keys.map((key) => [key, Promise.resolve(key)])))

for (const [count, keys] of [
  [1, ['title']],
  [20, ['title', 'author', 'publisher']],
  [100, ['title']],
] as const) {
  const objects = objectsOf(count, keys)
  if (JSON.stringify(await counted(objects)) !== JSON.stringify(await chained(objects)))
    throw new Error('Expected the same answer both ways.')
  await compare(
    `counted or chained, ${count} objects of ${keys.length} promises`,
    () => counted(objects),
    () => chained(objects),
  )
}
