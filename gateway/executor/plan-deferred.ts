import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { deferVariantsOf } from '../operations/defer-directive.ts'
import { labelDeferredFragments } from '../operations/deferred-fragments.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { documentIndex } from '../operations/document-index.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { ExecutorDeps } from './executor.ts'
import { compileDeferredPlan, deferNodeOf, type RunDeferredPlan } from './federated/deferred-plan.ts'
import { plannedDocument } from './federated/planned-document.ts'

type Variables = Readonly<Record<string, unknown>>

/**
 * Plan cache of one operation, by active `@defer` and active labels; evicted plans are built again.
 */
const DEFERRED_PLANS = { maxEntries: 16, maxCharacters: 16_000 }

/**
 * Finds the plan for an operation with these variables; null when no `@defer` is active, so that
 * the response is complete at once.
 */
export type FindDeferredPlan = (variables: Variables, context: RequestContext) => Promise<RunDeferredPlan | null>

/** Plans an operation with `@defer`; null for an operation without. */
export function planDeferred(
  { deferred, operation, isIntrospection }: ValidatedOperation,
  { supergraph, links, overrides }: ExecutorDeps,
): FindDeferredPlan | null {
  if (!deferred || isIntrospection) return null
  const variants = deferVariantsOf(deferred, operation)
  const labels = overrides?.labelsIn(deferred) ?? []
  const plans = boundedCache<{ readonly run: RunDeferredPlan | null }>(DEFERRED_PLANS)

  return async (variables, context) => {
    const key = variants.keyOf(variables)
    if (key === null) return null
    const active =
      overrides && labels.length > 0 ? (context.activeLabels ?? (await overrides.activeFor(labels, context))) : NO_LABELS
    const fullKey = `${key} ${labels.filter((label) => active.has(label)).join(' ')}`
    const known = plans.get(fullKey)
    if (known) return known.run
    const run = compile(variables, active)
    plans.set(fullKey, { run })
    return run
  }

  function compile(variables: Variables, active: ReadonlySet<string>): RunDeferredPlan | null {
    const plain = variants.documentFor(variables)
    const { document, labels: clientLabels } = labelDeferredFragments(plain, documentIndex(plain).operations[0] ?? operation)
    const own = documentIndex(document).operations[0] ?? operation
    const graph = supergraph.withLabels(active)
    const planned = plannedDocument(document, own, graph.fieldSets.names)
    const node = deferNodeOf(graph.plan(planned.document))
    return node && compileDeferredPlan(planned, node, clientLabels, graph, links)
  }
}

const NO_LABELS: ReadonlySet<string> = new Set()
