import type { DocumentNode, ExecutionResult } from 'graphql'
import { createSourceEventStream, execute, parse } from 'graphql'
import type { Subgraph } from '../subgraphs/runtime/subgraph.ts'
import { boundedCache } from './bounded-cache.ts'
import type { Link, Passage, Source } from './link.ts'

/** Plans repeat the same few fetches; what arrives here is the planner's text, not a client's. */
const DOCUMENTS = { maxEntries: 500, maxCharacters: 500_000 }

/**
 * The way to a subgraph in this process: its schema, executed by graphql-js, without any JSON between.
 * All fetches of one client operation share one context of the subgraph, so that its loaders batch over the whole plan.
 */
export function localLink(subgraph: Subgraph): Link {
  const documents = boundedCache<DocumentNode>(DOCUMENTS)
  const contexts = new WeakMap<Passage, object>()

  const parsed = (query: string): DocumentNode => {
    const known = documents.get(query)
    if (known) return known
    const document = parse(query, { noLocation: true })
    documents.set(query, document)
    return document
  }

  const contextOf = (passage: Passage): object => {
    const known = contexts.get(passage)
    if (known) return known
    const context = subgraph.context(passage.caller)
    contexts.set(passage, context)
    return context
  }

  return {
    name: subgraph.name,
    schema: subgraph.schema,
    ...(subgraph.onChange && { onChange: subgraph.onChange }),
    async execute({ query, variables, operationName, document }, passage) {
      passage.signal.throwIfAborted()
      const answer = execute({
        schema: subgraph.schema,
        document: document ?? parsed(query),
        contextValue: contextOf(passage),
        variableValues: variables,
        operationName,
      })
      return answer instanceof Promise ? untilAborted(answer, passage.signal) : answer
    },
    async subscribe({ query, variables, operationName, document }, passage) {
      passage.signal.throwIfAborted()
      const operation = {
        schema: subgraph.schema,
        document: document ?? parsed(query),
        variableValues: variables,
        operationName,
      }
      const opening = createSourceEventStream({ ...operation, contextValue: contextOf(passage) })
      const opened = await untilAborted(opening, passage.signal).catch((error: unknown) => {
        // Whoever waited is gone: what begins after all must end.
        opening.then(release, () => {})
        throw error
      })
      if (!isStream(opened)) return { kind: 'refused', errors: opened.errors ?? [] }
      const answer = async (event: unknown, each: Passage) => {
        each.signal.throwIfAborted()
        const answered = execute({ ...operation, rootValue: event, contextValue: contextOf(each) })
        return answered instanceof Promise ? untilAborted(answered, each.signal) : answered
      }
      return { kind: 'open', source: { ...eventsOf(opened), isPersonal: false, answer } }
    },
  }
}

/** graphql-js cannot be stopped: the operation goes on without us, and nobody waits for it. */
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
