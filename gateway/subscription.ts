import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner'
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../subgraphs/runtime/caller.ts'
import type { AllowedPart } from './authorization/guarded-subscription.ts'
import { compilePlan, EVENT } from './compiled-plan/plan.ts'
import type { PlannedDocument } from './compiled-plan/planned-document.ts'
import type { CheckedOperation } from './documents.ts'
import { identified } from './errors.ts'
import { directLink, guarded, type Machinery, outcomeOf } from './execution.ts'
import { BOUNDS } from './limits/limits.ts'
import type { Events, LinkRequest, Opened, Passage } from './link.ts'
import type { Outcome } from './outcome.ts'
import { planOf } from './supergraph.ts'
import { withinTime } from './time.ts'
import { dependsOnViewer, type ViewerFields } from './viewer.ts'

type Variables = Readonly<Record<string, unknown>>

/** A subscription of one client that runs. */
export type Running = Events & {
  /** What the client is told of an event: one object for all clients that are told the same. At once where somebody was told already; never rejects. */
  readonly outcome: (event: unknown) => Outcome | Promise<Outcome>
  /** What the client may see of why `next` rejected. */
  readonly fault: (error: unknown) => GraphQLFormattedError
}

/** Begins a subscription for one client; the signal of `passage` counts until it has begun. Never rejects. */
export type Subscribe = (variables: Variables, passage: Passage) => Promise<Opened<Running, GraphQLFormattedError>>

/**
 * Plans a subscription: its field's subgraph tells of the events, and for each of them the selection is resolved across the graph like that of a query.
 * That is done once per event and variables, for everybody who asked the same; where a field depends on who asks, once per caller.
 * Throws when the planner does not support it.
 */
export function plannedSubscription(
  checked: CheckedOperation,
  machinery: Machinery,
  viewer: ViewerFields,
  log: Logger,
  allowed: AllowedPart | null = null,
): Subscribe {
  const { supergraph, links } = machinery
  const { ready, plan } = allowed?.refusals.allowed
    ? { ready: allowed.ready, plan: supergraph.plan(allowed.refusals.allowed) }
    : planOf(checked, supergraph)
  const node = subscriptionNode(plan)
  const link = links.get(node.primary.serviceName)
  const begin = link?.subscribe
  if (!begin) throw new Error(`Subgraph "${node.primary.serviceName}" has no subscriptions.`)

  const isPersonal = dependsOnViewer(plan, supergraph.api, viewer)
  const { requestFor, answerTo } = waysOf(checked, ready, node, machinery, allowed)
  /** What came of each event, by what may differ between those who are told of it. */
  const outcomes = new WeakMap<object, Map<string, Outcome | Promise<Outcome>>>()

  return async (given, passage) => {
    const { caller } = passage
    const opened = await withinTime(BOUNDS.milliseconds, passage, (bounded) => begin(requestFor(given), bounded))
    if (opened.kind === 'refused') return { kind: 'refused', errors: opened.errors.map(formatted) }
    const { source } = opened
    const key = `${JSON.stringify(given)}${isPersonal ? JSON.stringify([caller.credentials, caller.connectedAt]) : ''}`
    const fault = (error: unknown) => identified(formatted(source.fault?.(error) ?? UNKNOWN), caller.requestId)
    return { kind: 'open', source: { next: source.next, return: source.return, outcome, fault } }

    function outcome(event: unknown): Outcome | Promise<Outcome> {
      // What is no object cannot be told from an equal one.
      if (typeof event !== 'object' || event === null) return workedOut(event)
      const known = outcomes.get(event) ?? new Map<string, Outcome | Promise<Outcome>>()
      if (known.size === 0) outcomes.set(event, known)
      const told = known.get(key)
      if (told) return told
      const working = workedOut(event)
      known.set(key, working)
      void working.then((done) => known.set(key, done))
      return working
    }

    async function workedOut(event: unknown): Promise<Outcome> {
      // What is shared must not be seen with the eyes of whoever came first; a field that needs to know who asks and does not say so says no.
      const asker = isPersonal || source.isPersonal ? caller : anonymous(caller)
      // The signal of one listener must not stop what others wait for.
      const shared = { caller: asker, signal: NEVER }
      const answered = await guarded(shared, log, (bounded) => answerTo((each) => source.answer(event, each), given, bounded))
      return withId(answered, caller.requestId)
    }
  }
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
  { supergraph, links }: Machinery,
  allowed: AllowedPart | null,
): {
  readonly requestFor: (given: Variables) => LinkRequest
  readonly answerTo: (ask: Ask, given: Variables, passage: Passage) => Promise<Outcome>
} {
  if (!rest && !allowed && directLink(checked, primary, supergraph, links)) {
    const { document, operation } = checked
    return {
      requestFor: (given) => ({ query: '', operationName: operation.name?.value, document, variables: given }),
      answerTo: (ask, _, passage) => ask(passage).then(outcomeOf),
    }
  }

  const happened = { ...primary, serviceName: EVENT }
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
type Ask = (passage: Passage) => Promise<ExecutionResult>

/** A fetch must not send values that the client did not. */
const pick = (variables: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : [])))

const anonymous = ({ requestId, address }: Caller): Caller => ({ requestId, address, credentials: {} })

const withId = (outcome: Outcome, requestId: string): Outcome =>
  outcome.errors ? { ...outcome, errors: outcome.errors.map((error) => identified(error, requestId)) } : outcome

/** Without locations: they belong to the fetch, whose text is not the client's. */
const formatted = ({ message, path, extensions }: GraphQLError): GraphQLFormattedError => ({
  message,
  ...(path && { path }),
  extensions,
})
