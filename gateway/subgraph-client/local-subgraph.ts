import type { DocumentNode, ExecutionResult } from 'graphql'
import { createSourceEventStream, getOperationAST, parse } from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { withCancellation, withTenant } from '../../platform/database/operation-context.ts'
import type { DetachableIterator } from '../../platform/events/subscriber.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { tenantOf } from '../../platform/http/caller.ts'
import { type CompiledOperation, compileOperation } from '../executor/graphql/compile-operation.ts'
import { withFiles } from '../uploads/file-upload.ts'
import type { EventSource, Link, RequestContext, SubgraphRequest } from './link.ts'

/** Cache of compiled texts. They are the planner's, which repeat; client texts never get here. */
const DOCUMENTS = { maxEntries: 500, maxCharacters: 500_000 }

/** A compiled operation. */
type Prepared = { readonly document: DocumentNode; readonly run: CompiledOperation; readonly isMutation: boolean }

/**
 * Link to a local subgraph: compiled operations on its schema, without JSON. All fetches of an
 * operation share one subgraph context, so that data loaders batch across the plan.
 */
export function createLocalLink(subgraph: Subgraph): Link {
  const texts = boundedCache<Prepared>(DOCUMENTS)
  /** Compiled operations by document and operation name; released with the document. */
  const documents = new WeakMap<DocumentNode, Map<string | undefined, Prepared>>()

  const prepared = (document: DocumentNode, operationName: string | undefined): Prepared => ({
    document,
    run: compileOperation(subgraph.schema, document, operationName),
    isMutation: getOperationAST(document, operationName)?.operation === 'mutation',
  })

  const preparedText = (query: string, operationName: string | undefined): Prepared => {
    const key = operationName === undefined ? query : `${operationName}\0${query}`
    const cached = texts.get(key)
    if (cached) return cached
    const made = prepared(parse(query, { noLocation: true }), operationName)
    texts.set(key, made)
    return made
  }

  const preparedDocument = (document: DocumentNode, operationName: string | undefined): Prepared => {
    const byName = documents.get(document) ?? new Map<string | undefined, Prepared>()
    if (byName.size === 0) documents.set(document, byName)
    const cached = byName.get(operationName)
    if (cached) return cached
    const made = prepared(document, operationName)
    // Upper bound: further names are unknown operations.
    if (byName.size <= document.definitions.length) byName.set(operationName, made)
    return made
  }

  const operationOf = ({ query, operationName, document }: SubgraphRequest): Prepared =>
    document ? preparedDocument(document, operationName) : preparedText(query, operationName)

  const subgraphContextOf = (context: RequestContext): object => {
    // Stored in the context, because weak references to short-lived objects are expensive in V8.
    context.perLink ??= new Map()
    const cached = context.perLink.get(subgraph)
    if (cached) return cached
    const created = subgraph.context(context.caller)
    context.perLink.set(subgraph, created)
    return created
  }

  /** Runs a mutation, records the replication position of its writes, then returns its result. */
  const mutate = async (run: () => ReturnType<CompiledOperation>, { caller }: RequestContext): Promise<ExecutionResult> => {
    const result = await withTenant(tenantOf(caller), run)
    await subgraph.recordWrite?.(caller)
    return result
  }

  return {
    name: subgraph.name,
    schema: subgraph.schema,
    ...(subgraph.onChange && { onChange: subgraph.onChange }),
    async execute(request, context) {
      const { signal } = context
      signal.throwIfAborted()
      const { run, isMutation } = operationOf(request)
      const { variables } = request
      const variableValues = context.uploads ? withFiles(variables, (file) => file.forResolver()) : variables
      const input = { contextValue: subgraphContextOf(context), variableValues }
      // No signal: a client that disconnects must not stop a mutation between two of its writes.
      if (isMutation) {
        const changing = mutate(() => run(input), context)
        return untilAborted(changing, signal)
      }
      const mayReadReplica = subgraph.mayReadReplica ? await subgraph.mayReadReplica(context.caller) : false
      const options = { mayReadReplica, tenant: tenantOf(context.caller) }
      const running = withCancellation(signal, () => run({ ...input, signal }), options)
      return running instanceof Promise ? untilAborted(running, signal) : running
    },
    async subscribe(request, context) {
      context.signal.throwIfAborted()
      const { document, run } = operationOf(request)
      const { operationName, variables: variableValues } = request
      const operation = { schema: subgraph.schema, document, variableValues, operationName }
      const opening = createSourceEventStream({ ...operation, contextValue: subgraphContextOf(context) })
      const opened = await untilAborted(opening, context.signal).catch((error: unknown) => {
        // The client has disconnected: closes a stream that still opens.
        opening.then(release, () => {})
        throw error
      })
      if (!isStream(opened)) return { kind: 'refused', errors: opened.errors ?? [] }
      return { kind: 'open', source: { ...eventsOf(opened), isPersonal: false, resolve: resolveWith(run, variableValues) } }
    },
  }

  /** Outside the closure, which would keep the opening request in memory. */
  function resolveWith(run: CompiledOperation, variableValues: SubgraphRequest['variables']): EventSource['resolve'] {
    return async (event, each) => {
      each.signal.throwIfAborted()
      const { signal } = each
      const resolving = () => run({ rootValue: event, contextValue: subgraphContextOf(each), variableValues, signal })
      const running = withCancellation(signal, resolving, { tenant: tenantOf(each.caller) })
      return running instanceof Promise ? untilAborted(running, each.signal) : running
    }
  }
}

/** Rejects on abort. Running resolvers continue; only their SQL statements are cancelled. */
function untilAborted<Result>(running: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const isStream = (opened: AsyncIterable<unknown> | ExecutionResult): opened is AsyncIterable<unknown> =>
  Symbol.asyncIterator in opened

function release(opened: AsyncIterable<unknown> | ExecutionResult): void {
  if (isStream(opened)) eventsOf(opened).return()
}

function eventsOf(stream: AsyncIterable<unknown>): Pick<EventSource, 'next' | 'return' | 'detach'> {
  const iterator: AsyncIterator<unknown> & Pick<DetachableIterator<unknown>, 'detach'> = stream[Symbol.asyncIterator]()
  let isReleased = false
  return {
    next: () => iterator.next(),
    detach: iterator.detach && (() => iterator.detach?.() ?? null),
    return() {
      if (isReleased) return
      isReleased = true
      // Errors of `return` are ignored: the source has ended anyway.
      iterator.return?.().catch(() => {})
    },
  }
}
