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
 * Plans a subscription: its field's subgraph tells of the events, and for each of them the
 * selection is resolved across the graph like that of a query. That is done once per event and
 * variables, for everybody who asked the same; where a field depends on who asks, once per caller.
 * Who asks the same shares the source of events as well. Anonymous callers share its opening. Who
 * presents credentials opens one of its own, so that each caller is judged and resumed as if it
 * were alone; once it has been delivered what it missed, it goes on with a source that is there
 * already. Callers with different credentials share one where its subscribers can be detached, are
 * judged one by one, and are told what anybody would be; all others where they are the same caller.
 * Throws when the planner does not support it.
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
    /** What is left of it for callers who may not read all; null: all. */
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
  /** What came of each event, by what may differ between those who are told of it. */
  const results = new WeakMap<object, Map<string, ExecutionResult | Promise<ExecutionResult>>>()
  /** Of anonymous callers, by variables; and of the others, by what they share. */
  const groups = new Map<string, Opening>()
  const shared = new Map<string, SubscriptionGroup>()
  const sourceBytes = link.schema ? SUBSCRIPTION_BYTES.source : SUBSCRIPTION_BYTES.remoteSource
  const documentBytes = SUBSCRIPTION_BYTES.document + characters * SUBSCRIPTION_BYTES.documentCharacter
  let sources = 0

  return async (given, context, onReleased, stillAllowed) => {
    // What the operation does not know would be kept with it, and make it differ from others.
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

  /** A function of its own: closures above would keep the passage. */
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
   * Joins those who are told the same, and gives `source` back, or makes it the one that is read
   * for those who come; null where something waits in it.
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
    // It takes in everybody who waited for it; one that is found open may end meanwhile.
    return running ? { kind: 'open', source: running } : joined(text, variables, requestContext, onReleased)
  }

  function openGroup(text: string, variables: Variables, request: RequestContext): Opening | GraphQLFormattedError {
    const bytes = reserve(text, request)
    if (typeof bytes !== 'number') return bytes
    // Nobody's in particular: whoever comes first may leave while others wait for it.
    const passage = { caller: anonymous(request.caller), signal: NEVER }
    const forget = () => {
      if (groups.get(text) === opening) groups.delete(text)
      releaseBytes(bytes)
    }
    const opened = open(text, variables, passage).then((begun): Begun<SubscriptionGroup> => {
      if (begun.kind === 'open') return { kind: 'open', source: subscriptionGroup(begun.source, forget) }
      forget()
      return begun
    })
    const opening: Opening = { opened }
    groups.set(text, opening)
    return opening
  }

  async function open(text: string, given: Variables, passage: RequestContext): Promise<Begun<EventPipeline>> {
    const opened = await withTimeout(BOUNDS.operationTimeoutMs, passage, (bounded) => begin(requestFor(given), bounded))
    if (opened.kind === 'refused') return { kind: 'refused', errors: opened.errors.map(formatted) }
    return { kind: 'open', source: pipeline(opened.source, text, given, passage.caller) }
  }

  function pipeline(source: EventSource, text: string, given: Variables, opener: Caller): EventPipeline {
    // What is shared must not be seen with the eyes of whoever came first; a field that needs to
    // know who asks and does not say so says no.
    const isForOne = isPersonal || source.isPersonal
    const caller = isForOne ? opener : anonymous(opener)
    const key = `${text}${isPersonal ? viewerKeyOf(caller) : ''}`
    const fault = (error: unknown) => formatted(source.maskError?.(error) ?? UNKNOWN)
    return { next: source.next, return: source.return, detach: source.detach, isPersonal: isForOne, outcome: result, fault }

    function result(event: unknown): ExecutionResult | Promise<ExecutionResult> {
      // What is no object cannot be told from an equal one.
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
      // The signal of one listener must not stop what others wait for.
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
 * Equal for callers who see the same: everything that a subgraph is told of a caller, but for the
 * ids of its request. Since when somebody is connected matters for tokens of users, which may have
 * ended since. Hashed, so that credentials lie nowhere.
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

/** What the field's subgraph is asked, and how an event becomes an outcome. */
function methodsOf(
  checked: ValidatedOperation,
  ready: PlannedDocument,
  { primary, rest }: SubscriptionNode,
  { supergraph, links }: ExecutorDeps,
  allowed: AllowedPart | null,
): {
  readonly requestFor: (given: Variables) => SubgraphRequest
  readonly answerTo: (ask: Ask, given: Variables, passage: RequestContext) => Promise<ExecutionResult>
} {
  if (!rest && !allowed && findDirectLink(checked, primary, supergraph, links)) {
    const { document, operation } = checked
    return {
      requestFor: (given) => ({ query: '', operationName: operation.name?.value, document, variables: given }),
      answerTo: (ask, _, passage) => ask(passage).then(toExecutionResult),
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
    answerTo: (ask, given, passage) => run(given, passage, () => ask(passage), allowed?.errorOf),
  }
}

/** Asks the field's own subgraph about the event that is being worked out. */
type Ask = (passage: RequestContext) => Promise<GraphQLResult>

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
