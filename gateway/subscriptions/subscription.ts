import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner'
import { GraphQLError, type GraphQLFormattedError, type ExecutionResult as GraphQLResult } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../../platform/http/caller.ts'
import { type AllowedPart, rechecked } from '../authorization/guarded-subscription.ts'
import { dependsOnViewer, type ViewerFields } from '../caching/viewer-fields.ts'
import { type ExecutorDeps, findDirectLink, runWithTimeout, toExecutionResult } from '../executor/executor.ts'
import { compilePlan, EVENT_SOURCE } from '../executor/federated/plan.ts'
import type { PlannedDocument } from '../executor/federated/planned-document.ts'
import { BOUNDS } from '../limits/limits.ts'
import { isAnonymous, SUBSCRIPTION_BYTES, type SubscriptionSlots } from '../limits/subscription-slots.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import { identified } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { withinTime } from '../operations/timeout.ts'
import { planOf } from '../planning/supergraph.ts'
import type { EventSource, RequestContext, SubgraphRequest } from '../subgraph-client/link.ts'
import type { Begin, Begun, EventPipeline, Recipient, Running } from './subscribe.ts'
import { type SubscriptionGroup, subscriptionGroup } from './subscription-group.ts'

type Variables = Readonly<Record<string, unknown>>

/** A group that opens or is open. */
type Opening = { readonly opened: Promise<Begun<SubscriptionGroup>> }

/**
 * Plans a subscription: its field's subgraph tells of the events, and for each of them the selection is resolved across the graph like that of a query.
 * That is done once per event and variables, for everybody who asked the same; where a field depends on who asks, once per caller.
 * Anonymous callers who ask the same share the source of events as well. Who presents credentials has one of its own: they are judged when it begins and before
 * each event, and it is resumed where it was left.
 * Throws when the planner does not support it.
 */
export function plannedSubscription(
  checked: CheckedOperation,
  machinery: ExecutorDeps,
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
  const { supergraph, links } = machinery
  const { ready, plan } = allowed?.refusals.allowed
    ? { ready: allowed.ready, plan: supergraph.plan(allowed.refusals.allowed) }
    : planOf(checked, supergraph)
  const node = subscriptionNode(plan)
  const link = links.get(node.primary.serviceName)
  if (!link?.subscribe) throw new Error(`Subgraph "${node.primary.serviceName}" has no subscriptions.`)
  const begin = link.subscribe

  const isPersonal = dependsOnViewer(plan, supergraph.api, viewer)
  const { requestFor, answerTo } = waysOf(checked, ready, node, machinery, allowed)
  const names = (checked.operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  /** What came of each event, by what may differ between those who are told of it. */
  const outcomes = new WeakMap<object, Map<string, ExecutionResult | Promise<ExecutionResult>>>()
  const groups = new Map<string, Opening>()
  const sourceBytes = link.schema ? SUBSCRIPTION_BYTES.source : SUBSCRIPTION_BYTES.remoteSource
  const documentBytes = SUBSCRIPTION_BYTES.document + characters * SUBSCRIPTION_BYTES.documentCharacter
  let sources = 0

  return async (given, passage, onReleased, stillAllowed) => {
    // What the operation does not know would be kept with it, and make it differ from others.
    const variables = pick(given, names)
    const text = JSON.stringify(variables)
    if (isAnonymous(passage.caller)) return joined(text, variables, passage, onReleased)

    const bytes = reserve(text, passage)
    if (typeof bytes !== 'number') return { kind: 'refused', errors: [bytes] }
    const released = () => {
      releaseBytes(bytes)
      onReleased()
    }
    const opened = await open(text, variables, passage)
    if (opened.kind === 'open') {
      const source = stillAllowed ? rechecked(opened.source, stillAllowed) : opened.source
      return { kind: 'open', source: new OwnSubscription(source, released) }
    }
    releaseBytes(bytes)
    return opened
  }

  /** The bytes that a source of its own is counted with, or why there is no room for one. The text is counted with the first. */
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
    passage: RequestContext,
    onReleased: () => void,
  ): Promise<Begun<Running>> {
    const opening = groups.get(text) ?? openGroup(text, variables, passage)
    if (!('opened' in opening)) return { kind: 'refused', errors: [opening] }
    const opened = await opening.opened
    if (opened.kind === 'refused') return opened
    const running = opened.source.join(onReleased)
    // It takes in everybody who waited for it; one that is found open may end meanwhile.
    return running ? { kind: 'open', source: running } : joined(text, variables, passage, onReleased)
  }

  function openGroup(text: string, variables: Variables, asking: RequestContext): Opening | GraphQLFormattedError {
    const bytes = reserve(text, asking)
    if (typeof bytes !== 'number') return bytes
    // Nobody's in particular: whoever comes first may leave while others wait for it.
    const passage = { caller: anonymous(asking.caller), signal: NEVER }
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
    const opened = await withinTime(BOUNDS.milliseconds, passage, (bounded) => begin(requestFor(given), bounded))
    if (opened.kind === 'refused') return { kind: 'refused', errors: opened.errors.map(formatted) }
    return { kind: 'open', source: pipeline(opened.source, text, given, passage.caller) }
  }

  function pipeline(source: EventSource, text: string, given: Variables, caller: Caller): EventPipeline {
    const key = `${text}${isPersonal ? JSON.stringify([caller.credentials, caller.connectedAt]) : ''}`
    const fault = (error: unknown) => formatted(source.maskError?.(error) ?? UNKNOWN)
    return { next: source.next, return: source.return, outcome, fault }

    function outcome(event: unknown): ExecutionResult | Promise<ExecutionResult> {
      // What is no object cannot be told from an equal one.
      if (typeof event !== 'object' || event === null) return workedOut(event)
      const known = outcomes.get(event) ?? new Map<string, ExecutionResult | Promise<ExecutionResult>>()
      if (known.size === 0) outcomes.set(event, known)
      const told = known.get(key)
      if (told) return told
      const working = workedOut(event)
      known.set(key, working)
      void working.then((done) => known.set(key, done))
      return working
    }

    async function workedOut(event: unknown): Promise<ExecutionResult> {
      // What is shared must not be seen with the eyes of whoever came first; a field that needs to know who asks and does not say so says no.
      const asker = isPersonal || source.isPersonal ? caller : anonymous(caller)
      // The signal of one listener must not stop what others wait for.
      const shared = { caller: asker, signal: NEVER }
      const answered = await runWithTimeout(shared, log, (bounded) =>
        answerTo((each) => source.resolve(event, each), given, bounded),
      )
      return withId(answered, caller.requestId)
    }
  }
}

/** A subscription with a source of its own, which is asked for the next event when the last was taken. */
class OwnSubscription implements Running {
  readonly #source: EventPipeline
  readonly #onReleased: () => void
  #recipient: Recipient | null = null
  #isReleased = false

  constructor(source: EventPipeline, onReleased: () => void) {
    this.#source = source
    this.#onReleased = onReleased
  }

  follow(recipient: Recipient): void {
    this.#recipient = recipient
    this.#ask()
  }

  return(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#recipient = null
    this.#source.return()
    this.#onReleased()
  }

  // Written with callbacks: an event to a thousand clients runs through here a thousand times.
  readonly #ask = (): void => {
    if (!this.#isReleased) void this.#source.next().then(this.#take, this.#fail)
  }

  readonly #take = (result: IteratorResult<unknown, unknown>): void => {
    if (this.#isReleased) return
    if (result.done) {
      this.#recipient?.end(null)
      return
    }
    const outcome = this.#source.outcome(result.value)
    if (outcome instanceof Promise) void outcome.then(this.#tell)
    else this.#tell(outcome)
  }

  readonly #tell = (outcome: ExecutionResult): void => {
    this.#recipient?.tell(outcome, this.#ask)
  }

  readonly #fail = (error: unknown): void => this.#recipient?.end([this.#source.fault(error)])
}

const UNKNOWN = new GraphQLError('The subscription ended unexpectedly.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } })
const NEVER = new AbortController().signal

function subscriptionNode({ node }: QueryPlan): SubscriptionNode {
  if (node?.kind !== 'Subscription') throw new Error(`Expected the plan of a subscription, got ${node?.kind ?? 'none'}.`)
  return node
}

/** What the field's subgraph is asked, and how an event becomes an outcome. */
function waysOf(
  checked: CheckedOperation,
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

const withId = (outcome: ExecutionResult, requestId: string): ExecutionResult =>
  outcome.errors ? { ...outcome, errors: outcome.errors.map((error) => identified(error, requestId)) } : outcome

/** Without locations: they belong to the fetch, whose text is not the client's. */
const formatted = ({ message, path, extensions }: GraphQLError): GraphQLFormattedError => ({
  message,
  ...(path && { path }),
  extensions,
})
