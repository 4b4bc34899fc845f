import type { Logger } from 'pino'
import type { AllowedPart } from '../authorization/guarded-subscription.ts'
import { dependsOnViewer, type ViewerFields } from '../caching/viewer-fields.ts'
import type { ExecutorDeps } from '../executor/executor.ts'
import type { HookStages } from '../hooks/hook-stages.ts'
import { runEventStage } from '../hooks/operation-hooks.ts'
import { BOUNDS } from '../limits/limits.ts'
import { isAnonymous, type SubscriptionSlots } from '../limits/subscription-slots.ts'
import type { TraceEventSource } from '../observability/tracing.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { withTimeout } from '../operations/timeout.ts'
import { queryPlanOf } from '../planning/supergraph.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { createAnonymousGroups } from './anonymous-groups.ts'
import { eventExecution, pick, subscriptionNode } from './event-execution.ts'
import { createEventPipelines, formatError } from './event-pipeline.ts'
import { createSharedSources } from './shared-sources.ts'
import { createSourceMemory } from './source-memory.ts'
import type { Begin, Begun, EventPipeline } from './subscribe.ts'
import { viewerKeyOf } from './viewer-key.ts'

type Variables = Readonly<Record<string, unknown>>

/**
 * Plans a subscription. The field's subgraph emits events; for each event the selection is resolved
 * across subgraphs like a query, once per event and variables, or once per caller for
 * viewer-dependent fields. Equal subscriptions share event sources: anonymous callers from the
 * start; a caller with credentials opens its own, for authorization and missed events, and then
 * joins an open one. Callers with different credentials share a source when subscribers can be
 * detached, are authorized individually, and no field is viewer-dependent. Throws when the planner
 * does not support the operation.
 */
export function plannedSubscription(
  checked: ValidatedOperation,
  deps: ExecutorDeps,
  viewer: ViewerFields,
  {
    log,
    slots,
    characters,
    allowed = null,
    hooks = null,
    traceSource = null,
  }: {
    readonly log: Logger
    readonly slots: SubscriptionSlots
    readonly characters: number
    /** The allowed part, for callers with refused fields; null: the whole operation. */
    readonly allowed?: AllowedPart | null
    readonly hooks?: HookStages | null
    /** Spans of events; null for none. */
    readonly traceSource?: TraceEventSource | null
  },
): Begin {
  const { supergraph, links } = deps
  const { ready, plan } = allowed?.refusals.allowed
    ? { ready: allowed.ready, plan: supergraph.plan(allowed.refusals.allowed) }
    : queryPlanOf(checked, supergraph)
  const node = subscriptionNode(plan)
  const link = links.get(node.primary.serviceName)
  if (!link?.subscribe) throw new Error(`Subgraph "${node.primary.serviceName}" has no subscriptions.`)
  const begin = link.subscribe

  const { requestFor, executeEvent } = eventExecution(checked, ready, node, deps, allowed)
  const hasEventHooks = hooks?.has('subscriptionEvent') ?? false
  const isPersonal = dependsOnViewer(plan, supergraph.api, viewer) || hasEventHooks || hooks?.changesFetches === true
  const afterEvent = hooks && hasEventHooks ? runEventStage.bind(null, hooks) : null
  const pipeline = createEventPipelines({ executeEvent, isPersonal, log, afterEvent, traceSource })
  const memory = createSourceMemory(slots, { characters, isRemote: !link.schema })
  const joinAnonymous = createAnonymousGroups(open, memory)
  const share = createSharedSources(memory)
  const names = (checked.operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)

  return async (given, context, onReleased, stillAllowed) => {
    // Undeclared variables are dropped: they would waste memory and prevent sharing.
    const variables = pick(given, names)
    const text = JSON.stringify(variables)
    const isAlone = context.traceEvent !== undefined
    if (isAnonymous(context.caller) && !isAlone) return joinAnonymous(text, variables, context, onReleased)

    const bytes = memory.reserve(text, context)
    if (typeof bytes !== 'number') return { kind: 'refused', errors: [bytes] }
    const opened = await open(text, variables, context)
    if (opened.kind === 'open') {
      const own = { source: opened.source, bytes, text, stillAllowed, isAlone, viewerKey: viewerKeyOf(context.caller) }
      // In a separate function, because a closure here would keep the request context in memory.
      return { kind: 'open', source: share(own, onReleased) }
    }
    memory.release(bytes)
    return opened
  }

  async function open(text: string, given: Variables, context: RequestContext): Promise<Begun<EventPipeline>> {
    const opened = await withTimeout(BOUNDS.operationTimeoutMs, context, (bounded) => begin(requestFor(given), bounded))
    if (opened.kind === 'refused') return { kind: 'refused', errors: opened.errors.map(formatError) }
    return { kind: 'open', source: pipeline(opened.source, text, given, context) }
  }
}
