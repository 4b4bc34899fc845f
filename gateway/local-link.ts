import type { DocumentNode, ExecutionResult } from 'graphql'
import { execute, parse } from 'graphql'
import type { Subgraph } from '../subgraphs/runtime/subgraph.ts'
import { boundedCache } from './bounded-cache.ts'
import type { Link, Passage } from './link.ts'

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
  }
}

/** graphql-js cannot be stopped: the operation goes on without us, and nobody waits for it. */
function untilAborted(answer: Promise<ExecutionResult>, signal: AbortSignal): Promise<ExecutionResult> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
