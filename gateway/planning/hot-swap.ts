import type { Logger } from 'pino'
import type { Gateway } from '../gateway.ts'
import type { IncrementalResult, RunIncremental } from '../operations/incremental-result.ts'
import type { ExecutableOperation, PreparedOperation } from '../operations/prepared-operation.ts'

/** A gateway and the resources that end with it. */
export type Graph = {
  readonly gateway: Gateway
  /** Called once, after the last of its operations. */
  readonly release: () => Promise<unknown>
}

/** A gateway whose graph can be replaced while it serves. */
export type HotSwappableGateway = Gateway & {
  /**
   * New operations run on `next`; running ones finish on the graph they started on, which is then
   * released.
   */
  readonly swap: (next: Graph) => void
}

/** A graph with its running operations. */
type Generation = Graph & {
  running: number
  isCurrent: boolean
  isReleased: boolean
  /** Prepared operations of its gateway, with counting of what runs. */
  readonly counted: WeakMap<PreparedOperation, PreparedOperation>
}

type Prepare = (gateway: Gateway) => PreparedOperation

/**
 * Serves `first` until another graph is swapped in. Facades keep the client of the graph they
 * started with.
 */
export function hotSwappableGateway(first: Graph, log: Logger): HotSwappableGateway {
  const listeners = new Set<() => void>()
  const generations = new Set<Generation>()
  const releasing = new Set<Promise<unknown>>()
  let current = createGeneration(first)

  return {
    get schema() {
      return current.gateway.schema
    },
    get client() {
      return current.gateway.client
    },
    get cache() {
      return current.gateway.cache
    },
    get limits() {
      return current.gateway.limits
    },
    get slots() {
      return current.gateway.slots
    },
    prepareText: (text, operationName) => prepare((gateway) => gateway.prepareText(text, operationName)),
    prepare: (params) => prepare((gateway) => gateway.prepare(params)),
    circuits: () => current.gateway.circuits(),
    subscriptions: () => [...generations].reduce((sum, { gateway }) => sum + gateway.subscriptions(), 0),
    onSwap: (listener) => void listeners.add(listener),
    swap(next) {
      const previous = current
      current = createGeneration(next)
      previous.isCurrent = false
      releaseWhenIdle(previous)
      for (const listener of listeners) listener()
    },
    async close() {
      for (const generation of generations) release(generation)
      await Promise.all(releasing)
    },
  }

  function createGeneration(graph: Graph): Generation {
    const generation: Generation = { ...graph, running: 0, isCurrent: true, isReleased: false, counted: new WeakMap() }
    generations.add(generation)
    return generation
  }

  function releaseWhenIdle(generation: Generation): void {
    if (!generation.isCurrent && generation.running === 0) release(generation)
  }

  function release(generation: Generation): void {
    if (generation.isReleased) return
    generation.isReleased = true
    generations.delete(generation)
    const ending = generation.gateway
      .close()
      .then(generation.release)
      .catch((error: unknown) => log.error({ err: error }, 'a replaced graph could not be released'))
      .finally(() => releasing.delete(ending))
    releasing.add(ending)
  }

  function prepare(prepareIn: Prepare): PreparedOperation {
    const generation = current
    const prepared = prepareIn(generation.gateway)
    if (prepared.kind === 'rejected') return prepared
    const cached = generation.counted.get(prepared)
    if (cached) return cached
    const operation = counted(generation, prepared, () => prepare(prepareIn))
    generation.counted.set(prepared, operation)
    return operation
  }

  /**
   * `prepared`, whose graph is not released while it runs. Where the graph was released between
   * preparation and execution, `prepareAgain` prepares it on the current one.
   */
  function counted(
    generation: Generation,
    prepared: ExecutableOperation,
    prepareAgain: () => PreparedOperation,
  ): ExecutableOperation {
    const { run, answer, runIncremental, subscribe } = prepared

    return {
      ...prepared,
      run: (variables, context) =>
        count(
          () => run(variables, context),
          async (again) => (again.kind === 'executable' ? again.run(variables, context) : { errors: again.errors }),
        ),
      answer:
        answer &&
        ((variables, requestContext) =>
          count(
            () => answer(variables, requestContext),
            async (again) => {
              if (again.kind === 'rejected') return { result: { errors: again.errors } }
              return again.answer?.(variables, requestContext) ?? { result: await again.run(variables, requestContext) }
            },
          )),
      runIncremental: runIncremental && ((variables, context) => countIncremental(runIncremental, variables, context)),
      subscribe:
        subscribe &&
        (async (variables, context) => {
          if (generation.isReleased) {
            const again = prepareAgain()
            if (again.kind === 'rejected') return { kind: 'refused', errors: again.errors }
            return (await again.subscribe?.(variables, context)) ?? { kind: 'refused', errors: [] }
          }
          generation.running++
          const opened = await subscribe(variables, context)
          if (opened.kind === 'refused') {
            onEnd()
            return opened
          }
          const { source } = opened
          let isOver = false
          const end = () => {
            source.return()
            if (!isOver) onEnd()
            isOver = true
          }
          return { kind: 'open', source: { follow: (recipient) => source.follow(recipient), return: end } }
        }),
    }

    /** Counts until the last payload. */
    async function countIncremental(
      execute: RunIncremental,
      ...[variables, context]: Parameters<RunIncremental>
    ): Promise<IncrementalResult> {
      if (generation.isReleased) {
        const again = prepareAgain()
        if (again.kind === 'rejected') return { initial: { errors: again.errors }, rest: null }
        return (await again.runIncremental?.(variables, context)) ?? { initial: await again.run(variables, context), rest: null }
      }
      generation.running++
      const { initial, rest } = await execute(variables, context)
      if (!rest) {
        onEnd()
        return { initial, rest }
      }
      let isOver = false
      const next = async () => {
        const payload = await rest.next()
        if (!payload && !isOver) {
          isOver = true
          onEnd()
        }
        return payload
      }
      return { initial, rest: { next } }
    }

    async function count<Result>(
      execute: () => Promise<Result>,
      executeAgain: (prepared: PreparedOperation) => Promise<Result>,
    ): Promise<Result> {
      if (generation.isReleased) return executeAgain(prepareAgain())
      generation.running++
      try {
        return await execute()
      } finally {
        onEnd()
      }
    }

    function onEnd(): void {
      generation.running--
      releaseWhenIdle(generation)
    }
  }
}
