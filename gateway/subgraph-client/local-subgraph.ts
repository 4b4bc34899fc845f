import type { DocumentNode, ExecutionResult } from 'graphql'
import { createSourceEventStream, getOperationAST, parse } from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { withCancellation } from '../../platform/database/cancellation.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { type CompiledOperation, compileOperation } from '../executor/graphql/compile-operation.ts'
import type { Link, LinkRequest, Passage, Source } from './link.ts'

/** Plans repeat the same few fetches; what arrives here is the planner's text, not a client's. */
const DOCUMENTS = { maxEntries: 500, maxCharacters: 500_000 }

/** An operation, ready to run. */
type Prepared = { readonly document: DocumentNode; readonly run: CompiledOperation; readonly isMutation: boolean }

/**
 * The way to a subgraph in this process: its schema, executed by compiled operations, without any JSON between.
 * All fetches of one client operation share one context of the subgraph, so that its loaders batch over the whole plan.
 */
export function localLink(subgraph: Subgraph): Link {
  const texts = boundedCache<Prepared>(DOCUMENTS)
  /** Documents of the caller's, as long as the caller has them. */
  const documents = new WeakMap<DocumentNode, Map<string | undefined, Prepared>>()

  const prepared = (document: DocumentNode, operationName: string | undefined): Prepared => ({
    document,
    run: compileOperation(subgraph.schema, document, operationName),
    isMutation: getOperationAST(document, operationName)?.operation === 'mutation',
  })

  const preparedText = (query: string, operationName: string | undefined): Prepared => {
    const key = operationName === undefined ? query : `${operationName}\0${query}`
    const known = texts.get(key)
    if (known) return known
    const made = prepared(parse(query, { noLocation: true }), operationName)
    texts.set(key, made)
    return made
  }

  const preparedDocument = (document: DocumentNode, operationName: string | undefined): Prepared => {
    const byName = documents.get(document) ?? new Map<string | undefined, Prepared>()
    if (byName.size === 0) documents.set(document, byName)
    const known = byName.get(operationName)
    if (known) return known
    const made = prepared(document, operationName)
    // More names than that are names that nothing in it has.
    if (byName.size <= document.definitions.length) byName.set(operationName, made)
    return made
  }

  const operationOf = ({ query, operationName, document }: LinkRequest): Prepared =>
    document ? preparedDocument(document, operationName) : preparedText(query, operationName)

  const contextOf = (passage: Passage): object => {
    // Held by the passage itself: V8 makes much of weak references to what lives as shortly.
    passage.contexts ??= new Map()
    const known = passage.contexts.get(subgraph)
    if (known) return known
    const context = subgraph.context(passage.caller)
    passage.contexts.set(subgraph, context)
    return context
  }

  /** The answer to a mutation, once what it wrote is known to have been written. */
  const noted = async (answer: ReturnType<CompiledOperation>, { caller }: Passage): Promise<ExecutionResult> => {
    const result = await answer
    await subgraph.recordWrite?.(caller)
    return result
  }

  return {
    name: subgraph.name,
    schema: subgraph.schema,
    ...(subgraph.onChange && { onChange: subgraph.onChange }),
    async execute(request, passage) {
      const { signal } = passage
      signal.throwIfAborted()
      const { run, isMutation } = operationOf(request)
      const asked = { contextValue: contextOf(passage), variableValues: request.variables }
      // A client that leaves must not leave half of a mutation behind.
      if (isMutation) return untilAborted(noted(run(asked), passage), signal)
      const mayReadReplica = subgraph.mayReadReplica && (await subgraph.mayReadReplica(passage.caller))
      const answer = withCancellation(signal, () => run({ ...asked, signal }), mayReadReplica)
      return answer instanceof Promise ? untilAborted(answer, signal) : answer
    },
    async subscribe(request, passage) {
      passage.signal.throwIfAborted()
      const { document, run } = operationOf(request)
      const { operationName, variables: variableValues } = request
      const operation = { schema: subgraph.schema, document, variableValues, operationName }
      const opening = createSourceEventStream({ ...operation, contextValue: contextOf(passage) })
      const opened = await untilAborted(opening, passage.signal).catch((error: unknown) => {
        // Whoever waited is gone: what begins after all must end.
        opening.then(release, () => {})
        throw error
      })
      if (!isStream(opened)) return { kind: 'refused', errors: opened.errors ?? [] }
      return { kind: 'open', source: { ...eventsOf(opened), isPersonal: false, answer: answerWith(run, variableValues) } }
    },
  }

  /** What is said about events. A function of its own, whose closure keeps nothing of how the subscription began. */
  function answerWith(run: CompiledOperation, variableValues: LinkRequest['variables']): Source['answer'] {
    return async (event, each) => {
      each.signal.throwIfAborted()
      const { signal } = each
      const answered = withCancellation(signal, () =>
        run({ rootValue: event, contextValue: contextOf(each), variableValues, signal }),
      )
      return answered instanceof Promise ? untilAborted(answered, each.signal) : answered
    }
  }
}

/** What resolvers have begun cannot be stopped but for its SQL statements: it goes on without us, and nobody waits for it. */
function untilAborted<Result>(answer: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const isStream = (opened: AsyncIterable<unknown> | ExecutionResult): opened is AsyncIterable<unknown> =>
  Symbol.asyncIterator in opened

function release(opened: AsyncIterable<unknown> | ExecutionResult): void {
  if (isStream(opened)) eventsOf(opened).return()
}

function eventsOf(stream: AsyncIterable<unknown>): Pick<Source, 'next' | 'return'> {
  const iterator = stream[Symbol.asyncIterator]()
  let isReleased = false
  return {
    next: () => iterator.next(),
    return() {
      if (isReleased) return
      isReleased = true
      // A source that fails while it ends has ended.
      iterator.return?.().catch(() => {})
    },
  }
}
