import { hash } from 'node:crypto'
import { type DocumentNode, print } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { planOf, type Supergraph } from '../planning/supergraph.ts'
import type { Link, RequestContext } from '../subgraph-client/link.ts'
import { readCacheHints } from './cache-hints.ts'
import { announcedChanges, dependenciesOf, mutationChanges } from './dependencies.ts'
import { type CachePolicy, cachePolicyOf } from './policy.ts'
import type { ResponseBytes } from './response-bytes.ts'
import { type CachedResult, type ResponseCache, toUncachedResult } from './response-cache.ts'
import { dependsOnViewer, type ViewerFields } from './viewer-fields.ts'

/** An answer that may be kept, by us and by others, or whatever else came of the question. */
export type CacheableResult =
  | { readonly bytes: ResponseBytes; readonly policy: CachePolicy; readonly ageSeconds: number }
  | { readonly outcome: ExecutionResult }

/** Answers a query whose answer may be kept. */
export type RunCacheable = (variables: Readonly<Record<string, unknown>>, passage: RequestContext) => Promise<CacheableResult>

/** What one graph keeps of its answers. */
export type OperationCache = {
  /** `run` of a query through the cache; null when its answer must not be kept. */
  readonly cacheQuery: (checked: CheckedOperation, run: RunOperation) => RunCacheable | null
  /** `run`, after which nothing is told any more that it may have changed. */
  readonly invalidateAfter: (checked: CheckedOperation, run: RunOperation) => RunOperation
  readonly close: () => void
}

/** Why a mutation that has ended may yet be carried out: it was given up. */
const GIVEN_UP = new Set<unknown>(['TIMEOUT', 'SUBGRAPH_UNAVAILABLE', 'UNAVAILABLE'])

/** Keeps answers in `cache`, and forgets them with every mutation and with what subgraphs announce. */
export function createOperationCache({
  supergraph,
  document,
  viewer,
  links,
  cache,
}: {
  readonly supergraph: Supergraph
  /** The supergraph as it is written. */
  readonly document: DocumentNode
  readonly viewer: ViewerFields
  readonly links: readonly Link[]
  readonly cache: ResponseCache
}): OperationCache {
  const hints = readCacheHints(document)
  const { api } = supergraph
  const silence = links.map(({ name, onChange }) => onChange?.((types) => cache.invalidate(announcedChanges(name, types, api))))

  return {
    cacheQuery(checked, run) {
      const policy = cachePolicyOf(checked, api, hints)
      if (!policy) return null
      const { ready, plan } = planOf(checked, supergraph)
      const isPrivate = policy.isPrivate || dependsOnViewer(plan, api, viewer)
      const dependencies = dependenciesOf(ready.document, plan, api)
      const keyFor = keysOf(checked)

      return async (variables, passage) => {
        const { credentials } = passage.caller
        const isAnonymous = Object.keys(credentials).length === 0
        const own = { maxAge: policy.maxAge, isPrivate: isPrivate || !isAnonymous }
        // Without credentials nobody knows who was told.
        if (isPrivate && isAnonymous) return answerOf(toUncachedResult(await run(variables, passage)), own)
        const question = { key: keyFor(variables, credentials), maxAge: policy.maxAge, dependencies }
        return answerOf(await cache.getOrExecute(question, passage, (shared) => run(variables, shared)), own)
      }
    },

    invalidateAfter(checked, run) {
      if (checked.operation.operation !== 'mutation') return run
      const { ready, plan } = planOf(checked, supergraph)
      const what = mutationChanges(ready.document, plan, api)
      return async (variables, passage) => {
        let isGivenUp = true
        try {
          const outcome = await run(variables, passage)
          isGivenUp = outcome.errors?.some(({ extensions }) => GIVEN_UP.has(extensions?.code)) ?? false
          return outcome
        } finally {
          cache.invalidate(what)
          if (isGivenUp || passage.signal.aborted) cache.suspendWrites(what)
        }
      }
    },

    close: () => {
      for (const silent of silence) silent?.()
    },
  }
}

const answerOf = (told: CachedResult, policy: CachePolicy): CacheableResult => ('bytes' in told ? { ...told, policy } : told)

/** What equal questions have in common: the document, the values of its variables in any order, and credentials if there are any. */
function keysOf({
  document,
  operation,
}: CheckedOperation): (variables: Readonly<Record<string, unknown>>, credentials: Caller['credentials']) => string {
  const text = hash('sha256', print(document), 'base64url')
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  return (variables, credentials) => {
    const values = names.map((name) => (Object.hasOwn(variables, name) ? [ordered(variables[name])] : []))
    return hash('sha256', JSON.stringify([text, values, ordered(credentials)]), 'base64url')
  }
}

/** The same value with the keys of all objects in order; with a dot, or numbers would come first and `__proto__` would be none. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [`.${key}`, ordered(inner)]),
  )
}
