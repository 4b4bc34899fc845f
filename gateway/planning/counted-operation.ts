import type { IncrementalResult, RunIncremental } from '../operations/incremental-result.ts'
import type { ExecutableOperation, PreparedOperation } from '../operations/prepared-operation.ts'
import type { Subscribe } from '../subscriptions/subscribe.ts'
import type { Generation, GraphGenerations } from './graph-generations.ts'

/** The graph that an operation was prepared on, and how to prepare it again on the current one. */
type OperationTarget = {
  readonly generation: Generation
  readonly generations: GraphGenerations
  readonly prepareAgain: () => PreparedOperation
}

/**
 * Counts running operations, so that their graph is not released. When it was released between
 * preparation and execution, the operation is prepared again on the current graph.
 */
export function countedOperation(prepared: ExecutableOperation, target: OperationTarget): ExecutableOperation {
  const { run, answer, runIncremental, subscribe } = prepared
  return {
    ...prepared,
    run: (variables, context) =>
      count(
        target,
        () => run(variables, context),
        async (again) => (again.kind === 'executable' ? again.run(variables, context) : { errors: again.errors }),
      ),
    answer:
      answer &&
      ((variables, context) =>
        count(
          target,
          () => answer(variables, context),
          async (again) => {
            if (again.kind === 'rejected') return { result: { errors: again.errors } }
            return again.answer?.(variables, context) ?? { result: await again.run(variables, context) }
          },
        )),
    runIncremental: runIncremental && countedIncremental(runIncremental, target),
    subscribe: subscribe && countedSubscribe(subscribe, target),
  }
}

async function count<Result>(
  { generation, generations, prepareAgain }: OperationTarget,
  execute: () => Promise<Result>,
  executeAgain: (prepared: PreparedOperation) => Promise<Result>,
): Promise<Result> {
  if (generation.isReleased) return executeAgain(prepareAgain())
  generations.operationBegan(generation)
  try {
    return await execute()
  } finally {
    generations.operationEnded(generation)
  }
}

/** Counts an incremental result until its last payload. */
function countedIncremental(runIncremental: RunIncremental, target: OperationTarget): RunIncremental {
  const { generation, generations, prepareAgain } = target
  return async (variables, context): Promise<IncrementalResult> => {
    if (generation.isReleased) {
      const again = prepareAgain()
      if (again.kind === 'rejected') return { initial: { errors: again.errors }, rest: null }
      return (await again.runIncremental?.(variables, context)) ?? { initial: await again.run(variables, context), rest: null }
    }
    generations.operationBegan(generation)
    const { initial, rest } = await runIncremental(variables, context)
    if (!rest) {
      generations.operationEnded(generation)
      return { initial, rest }
    }
    let isOver = false
    const next = async () => {
      const payload = await rest.next()
      if (!payload && !isOver) {
        isOver = true
        generations.operationEnded(generation)
      }
      return payload
    }
    return { initial, rest: { ...rest, next } }
  }
}

/** Counts a subscription until its source ends. */
function countedSubscribe(subscribe: Subscribe, { generation, generations, prepareAgain }: OperationTarget): Subscribe {
  return async (variables, context) => {
    if (generation.isReleased) {
      const again = prepareAgain()
      if (again.kind === 'rejected') return { kind: 'refused', errors: again.errors }
      return (await again.subscribe?.(variables, context)) ?? { kind: 'refused', errors: [] }
    }
    generations.operationBegan(generation)
    const opened = await subscribe(variables, context)
    if (opened.kind === 'refused') {
      generations.operationEnded(generation)
      return opened
    }
    const { source } = opened
    let isOver = false
    const end = () => {
      source.return()
      if (!isOver) generations.operationEnded(generation)
      isOver = true
    }
    return { kind: 'open', source: { follow: (recipient) => source.follow(recipient), return: end } }
  }
}
