import { hash } from 'node:crypto'
import { type DocumentNode, print } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { queryPlanOf, type Supergraph } from '../planning/supergraph.ts'
import type { Link, RequestContext } from '../subgraph-client/link.ts'
import { readCacheHints } from './cache-hints.ts'
import { announcedChanges, dependenciesOf, mutationChanges } from './dependencies.ts'
import { type CachePolicy, cachePolicyOf } from './policy.ts'
import type { ResponseBytes } from './response-bytes.ts'
import { type CachedResult, type ResponseCache, toUncachedResult } from './response-cache.ts'
import { dependsOnViewer, type ViewerFields } from './viewer-fields.ts'

/** A cacheable response with its policy, or any other result. */
export type CacheableResult =
  | { readonly bytes: ResponseBytes; readonly policy: CachePolicy; readonly ageSeconds: number }
  | { readonly result: ExecutionResult }

/** Runs a query whose response may be cached. */
export type RunCacheable = (variables: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<CacheableResult>

/** The response cache of one graph, applied to its operations. */
export type OperationCache = {
  /** Wraps `run` of a query with the cache; null when its responses must not be cached. */
  readonly cacheQuery: (checked: ValidatedOperation, run: RunOperation) => RunCacheable | null
  /**
   * Wraps `run` of a mutation so that it invalidates dependent responses; returns `run` for others.
   */
  readonly invalidateAfter: (checked: ValidatedOperation, run: RunOperation) => RunOperation
  readonly close: () => void
}

/** Caches nothing. */
export const NO_OPERATION_CACHE: OperationCache = {
  cacheQuery: () => null,
  invalidateAfter: (_, run) => run,
  close: () => {},
}

/** Error codes of mutations that may still complete in the subgraph. */
const MAY_STILL_RUN = new Set<unknown>(['TIMEOUT', 'SUBGRAPH_UNAVAILABLE', 'UNAVAILABLE'])

/** Caches responses in `cache`; mutations and announced changes of subgraphs invalidate them. */
export function createOperationCache({
  supergraph,
  document,
  viewer,
  links,
  cache,
  vary = [],
}: {
  readonly supergraph: Supergraph
  /** AST of the supergraph SDL. */
  readonly document: DocumentNode
  readonly viewer: ViewerFields
  readonly links: readonly Link[]
  readonly cache: ResponseCache
  /** Client headers that header rules read. */
  readonly vary?: CachePolicy['vary'] & {}
}): OperationCache {
  const hints = readCacheHints(document)
  const { api } = supergraph
  const unsubscribes = links.map(({ name, onChange }) =>
    onChange?.((types) => cache.invalidate(announcedChanges(name, types, api))),
  )

  return {
    cacheQuery(checked, run) {
      const policy = cachePolicyOf(checked, api, hints)
      if (!policy) return null
      const { ready, plan } = queryPlanOf(checked, supergraph)
      const isPrivate = policy.isPrivate || dependsOnViewer(plan, api, viewer)
      const dependencies = dependenciesOf(ready.document, plan, api)
      const keyFor = cacheKeyOf(checked)

      return async (variables, context) => {
        const { credentials, headers } = context.caller
        const isAnonymous = Object.keys(credentials).length === 0 && headers === undefined
        const effective = { maxAge: policy.maxAge, isPrivate: isPrivate || !isAnonymous, ...(vary.length > 0 && { vary }) }
        // Not cached: anonymous callers have no identity that a key could contain.
        if (isPrivate && isAnonymous) return withPolicy(toUncachedResult(await run(variables, context)), effective)
        const key = keyFor(variables, headers ? { credentials, headers } : credentials)
        // Not shared when subgraphs set response headers, which are for this caller.
        const isShareable = () => !context.responseHeaders?.size
        const request = { key, maxAge: policy.maxAge, dependencies, isShareable }
        return withPolicy(await cache.getOrExecute(request, context, (shared) => run(variables, shared)), effective)
      }
    },

    invalidateAfter(checked, run) {
      if (checked.operation.operation !== 'mutation') return run
      const { ready, plan } = queryPlanOf(checked, supergraph)
      const changes = mutationChanges(ready.document, plan, api)
      return async (variables, context) => {
        let mayStillRun = true
        try {
          const result = await run(variables, context)
          mayStillRun = result.errors?.some(({ extensions }) => MAY_STILL_RUN.has(extensions?.code)) ?? false
          return result
        } finally {
          cache.invalidate(changes)
          if (mayStillRun || context.signal.aborted) cache.suspendWrites(changes)
        }
      }
    },

    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe?.()
    },
  }
}

const withPolicy = (result: CachedResult, policy: CachePolicy): CacheableResult =>
  'bytes' in result ? { ...result, policy } : result

/** Parts of a caller in the cache key: credentials, and headers that rules forward. */
type SeenCaller = Caller['credentials'] | Pick<Caller, 'credentials' | 'headers'>

/** The cache key: a hash of the document, the values of its variables, and the caller. */
function cacheKeyOf({
  document,
  operation,
}: ValidatedOperation): (variables: Readonly<Record<string, unknown>>, caller: SeenCaller) => string {
  const text = hash('sha256', print(document), 'base64url')
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  return (variables, caller) => {
    const values = names.map((name) => (Object.hasOwn(variables, name) ? [withSortedKeys(variables[name])] : []))
    return hash('sha256', JSON.stringify([text, values, withSortedKeys(caller)]), 'base64url')
  }
}

/**
 * Copy with sorted keys, for a canonical JSON text. Keys get a dot in front: integer keys would
 * otherwise come first, and `__proto__` would set the prototype.
 */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [`.${key}`, withSortedKeys(inner)]),
  )
}
