import { hash } from 'node:crypto'
import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner'
import { GraphQLError, type GraphQLFormattedError, type ExecutionResult as GraphQLResult } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../../platform/http/caller.ts'
import { userTokenIn } from '../../platform/http/user-token.ts'
import { type AllowedPart, rechecked } from '../authorization/guarded-subscription.ts'
import { dependsOnViewer, type ViewerFields } from '../caching/viewer-fields.ts'
import { type ExecutorDeps, findDirectLink, runWithTimeout, toExecutionResult } from '../executor/executor.ts'
import { compilePlan, EVENT_SOURCE } from '../executor/federated/plan.ts'
import type { PlannedDocument } from '../executor/federated/planned-document.ts'
import { BOUNDS } from '../limits/limits.ts'
import { isAnonymous, SUBSCRIPTION_BYTES, type SubscriptionSlots } from '../limits/subscription-slots.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { withTimeout } from '../operations/timeout.ts'
import { queryPlanOf } from '../planning/supergraph.ts'
import type { EventSource, RequestContext, SubgraphRequest } from '../subgraph-client/link.ts'
import { OwnSubscription } from './own-subscription.ts'
import type { Begin, Begun, EventPipeline, Running, StillAllowed } from './subscribe.ts'
import { type SubscriptionGroup, subscriptionGroup } from './subscription-group.ts'

type Variables = Readonly<Record<string, unknown>>

/** A group that opens or is open. */
type Opening = { readonly opened: Promise<Begun<SubscriptionGroup>> }

/**
 * Plans a subscription: the subgraph of its field sends the events, and for each event the
 * selection is resolved across the graph like that of a query: once per event and variables for all
 * subscribers, or once per caller where a field depends on the viewer. Equal subscriptions share
 * the source of events as well. Anonymous callers share its opening. A caller with credentials
 * opens its own, so that it is authorized and resumed for itself; once its missed events are
 * delivered, it joins an open source. Callers with different credentials share a source where
 * subscribers can be detached, are authorized individually, and no field depends on the viewer;
 * otherwise only sources of the same caller are shared. Throws when the planner does not support
 * it.
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
  }: {
    readonly log: Logger
    readonly slots: SubscriptionSlots
    readonly characters: number
    /** The allowed part for callers without every requirement; null: all of it. */
    readonly allowed?: AllowedPart | null
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

  const isPersonal = dependsOnViewer(plan, supergraph.api, viewer)
  const { requestFor, answerTo } = methodsOf(checked, ready, node, deps, allowed)
  const names = (checked.operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  /** The result of each event, by variables and viewer. */
  const results = new WeakMap<object, Map<string, ExecutionResult | Promise<ExecutionResult>>>()
  /** Groups of anonymous callers by variables, and those of other callers by what they share. */
  const groups = new Map<string, Opening>()
  const shared = new Map<string, SubscriptionGroup>()
  const sourceBytes = link.schema ? SUBSCRIPTION_BYTES.source : SUBSCRIPTION_BYTES.remoteSource
  const documentBytes = SUBSCRIPTION_BYTES.document + characters * SUBSCRIPTION_BYTES.documentCharacter
  let sources = 0

  return async (given, context, onReleased, stillAllowed) => {
    // Variables that the operation does not declare would waste memory and prevent sharing.
    const variables = pick(given, names)
    const text = JSON.stringify(variables)
    if (isAnonymous(context.caller)) return joined(text, variables, context, onReleased)

    const bytes = reserve(text, context)
    if (typeof bytes !== 'number') return { kind: 'refused', errors: [bytes] }
    const opened = await open(text, variables, context)
    if (opened.kind === 'open') {
      const own = { source: opened.source, bytes, text, stillAllowed, viewerKey: viewerKeyOf(context.caller) }
      return { kind: 'open', source: sharing(own, onReleased) }
    }
    releaseBytes(bytes)
    return opened
  }

  /** A function of its own: a closure above would keep the request context. */
  function sharing(own: OwnSource, onReleased: () => void): Running {
    const shared = share(own, onReleased)
    if (shared) return shared
    const { source, stillAllowed } = own
    const released = () => {
      releaseBytes(own.bytes)
      onReleased()
    }
    return new OwnSubscription(stillAllowed ? rechecked(source, stillAllowed) : source, () => share(own, onReleased), released)
  }

  /**
   * Joins an open group and closes `source`, or makes `source` that of a new group; null while
   * events wait in it.
   */
  function share({ source, bytes, text, stillAllowed, viewerKey }: OwnSource, onReleased: () => void): Running | null {
    const detached = source.detach ? source.detach() : undefined
    if (detached === null) return null
    const judged = detached && { subscriber: detached.subscriber, stillAllowed }
    // A source that judges by itself judges one caller.
    const isForOne = !detached || source.isPersonal
    const key = JSON.stringify([text, detached?.topic ?? null, isForOne ? viewerKey : null])
    const joined = shared.get(key)?.join(onReleased, judged)
    if (joined) {
      source.return()
      releaseBytes(bytes)
      return joined
    }
    const read = !detached && stillAllowed ? rechecked(source, stillAllowed) : source
    const group = subscriptionGroup(read, () => {
      if (shared.get(key) === group) shared.delete(key)
      releaseBytes(bytes)
    })
    shared.set(key, group)
    return group.join(onReleased, judged)
  }

  /**
   * The bytes that a source of its own is counted with, or why there is no room for one. The text
   * is counted with the first.
   */
  function reserve(text: string, { onSourceOpening: onOpening }: RequestContext): number | GraphQLFormattedError {
    const busy = onOpening?.()
    if (busy) return busy
    const bytes = sourceBytes + text.length * SUBSCRIPTION_BYTES.variableCharacter
    const full = slots.reserve(bytes + (sources === 0 ? documentBytes : 0))
    if (full) return full
    sources++
    return bytes
  }

  function releaseBytes(bytes: number): void {
    sources--
    slots.releaseBytes(bytes + (sources === 0 ? documentBytes : 0))
  }

  async function joined(
    text: string,
    variables: Variables,
    requestContext: RequestContext,
    onReleased: () => void,
  ): Promise<Begun<Running>> {
    const opening = groups.get(text) ?? openGroup(text, variables, requestContext)
    if (!('opened' in opening)) return { kind: 'refused', errors: [opening] }
    const opened = await opening.opened
    if (opened.kind === 'refused') return opened
    const running = opened.source.join(onReleased)
    // Every waiting caller may join; a group that was open may have ended meanwhile.
    return running ? { kind: 'open', source: running } : joined(text, variables, requestContext, onReleased)
  }

  function openGroup(text: string, variables: Variables, request: RequestContext): Opening | GraphQLFormattedError {
    const bytes = reserve(text, request)
    if (typeof bytes !== 'number') return bytes
    // Without the signal of the first caller: it may leave while others wait for the source.
    const context = { caller: anonymous(request.caller), signal: NEVER }
    const forget = () => {
      if (groups.get(text) === opening) groups.delete(text)
      releaseBytes(bytes)
    }
    const opened = open(text, variables, context).then((begun): Begun<SubscriptionGroup> => {
      if (begun.kind === 'open') return { kind: 'open', source: subscriptionGroup(begun.source, forget) }
      forget()
      return begun
    })
    const opening: Opening = { opened }
    groups.set(text, opening)
    return opening
  }

  async function open(text: string, given: Variables, context: RequestContext): Promise<Begun<EventPipeline>> {
    const opened = await withTimeout(BOUNDS.operationTimeoutMs, context, (bounded) => begin(requestFor(given), bounded))
    if (opened.kind === 'refused') return { kind: 'refused', errors: opened.errors.map(formatted) }
    return { kind: 'open', source: pipeline(opened.source, text, given, context.caller) }
  }

  function pipeline(source: EventSource, text: string, given: Variables, opener: Caller): EventPipeline {
    // A shared result must not depend on the first caller: it is executed anonymously, so a
    // viewer-dependent field that is not declared as such refuses.
    const isForOne = isPersonal || source.isPersonal
    const caller = isForOne ? opener : anonymous(opener)
    const key = `${text}${isPersonal ? viewerKeyOf(caller) : ''}`
    const fault = (error: unknown) => formatted(source.maskError?.(error) ?? UNKNOWN)
    return { next: source.next, return: source.return, detach: source.detach, isPersonal: isForOne, execute: result, fault }

    function result(event: unknown): ExecutionResult | Promise<ExecutionResult> {
      // Results are keyed by object identity, which a primitive does not have.
      if (typeof event !== 'object' || event === null) return workedOut(event)
      const known = results.get(event) ?? new Map<string, ExecutionResult | Promise<ExecutionResult>>()
      if (known.size === 0) results.set(event, known)
      const delivered = known.get(key)
      if (delivered) return delivered
      const working = workedOut(event)
      known.set(key, working)
      void working.then((done) => known.set(key, done))
      return working
    }

    async function workedOut(event: unknown): Promise<ExecutionResult> {
      // The signal of one subscriber must not stop the execution for the others.
      const answered = await runWithTimeout({ caller, signal: NEVER }, log, (bounded) =>
        answerTo((each) => source.resolve(event, each), given, bounded),
      )
      return withId(answered, caller.requestId)
    }
  }
}

/** What one caller opened. */
type OwnSource = {
  readonly source: EventPipeline
  readonly bytes: number
  readonly text: string
  readonly stillAllowed: StillAllowed | undefined
  readonly viewerKey: string
}

/**
 * Equal for callers who see the same: everything that subgraphs get of a caller, request ids aside.
 * The time of connection matters for user tokens, which may have been revoked since. Hashed, so
 * that credentials are never stored.
 */
const viewerKeyOf = (caller: Caller): string => {
  const { credentials, address, grantedScopes = [], connectedAt } = caller
  const seen = [credentials, address, grantedScopes, userTokenIn(caller) === null ? null : connectedAt]
  return hash('sha256', JSON.stringify(seen), 'base64url')
}

const UNKNOWN = new GraphQLError('The subscription ended unexpectedly.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } })
const NEVER = new AbortController().signal

function subscriptionNode({ node }: QueryPlan): SubscriptionNode {
  if (node?.kind !== 'Subscription') throw new Error(`Expected the plan of a subscription, got ${node?.kind ?? 'none'}.`)
  return node
}

/** The request to the subgraph of the field, and the execution of an event. */
function methodsOf(
  checked: ValidatedOperation,
  ready: PlannedDocument,
  { primary, rest }: SubscriptionNode,
  { supergraph, links }: ExecutorDeps,
  allowed: AllowedPart | null,
): {
  readonly requestFor: (given: Variables) => SubgraphRequest
  readonly answerTo: (ask: Ask, given: Variables, context: RequestContext) => Promise<ExecutionResult>
} {
  if (!rest && !allowed && findDirectLink(checked, primary, supergraph, links)) {
    const { document, operation } = checked
    return {
      requestFor: (given) => ({ query: '', operationName: operation.name?.value, document, variables: given }),
      answerTo: (ask, _, context) => ask(context).then(toExecutionResult),
    }
  }

  const happened = { ...primary, serviceName: EVENT_SOURCE }
  const node: PlanNode = rest ? { kind: 'Sequence', nodes: [happened, rest] } : happened
  const run = compilePlan(ready, { kind: 'QueryPlan', node }, supergraph, links, allowed?.refusals)
  return {
    requestFor: (given) => ({
      query: primary.operation,
      operationName: primary.operationName,
      variables: pick(ready.variablesOf(given), primary.variableUsages ?? []),
    }),
    answerTo: (ask, given, context) => run(given, context, () => ask(context), allowed?.errorOf),
  }
}

/** Resolves the event that is being executed in the field's own subgraph. */
type Ask = (context: RequestContext) => Promise<GraphQLResult>

/** A fetch must not send values that the client did not. */
const pick = (variables: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : [])))

const anonymous = ({ requestId, address }: Caller): Caller => ({ requestId, address, credentials: {} })

const withId = (executed: ExecutionResult, requestId: string): ExecutionResult =>
  executed.errors ? { ...executed, errors: executed.errors.map((error) => withRequestId(error, requestId)) } : executed

/** Without locations: they belong to the fetch, whose text is not the client's. */
const formatted = ({ message, path, extensions }: GraphQLError): GraphQLFormattedError => ({
  message,
  ...(path && { path }),
  extensions,
})
