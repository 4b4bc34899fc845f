import type { QueryPlan, SubscriptionNode } from '@apollo/query-planner'
import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../subgraphs/runtime/caller.ts'
import type { CheckedOperation } from './documents.ts'
import { identified } from './errors.ts'
import { directLink, guarded, type Machinery, outcomeOf, withoutReserved } from './execution.ts'
import { BOUNDS } from './limits/limits.ts'
import type { LinkRequest, Opened, Passage, SourceEvent } from './link.ts'
import { EVENT, type Outcome } from './stock-executor.ts'
import { withinTime } from './time.ts'
import { dependsOnViewer, type ViewerFields } from './viewer.ts'

type Variables = Readonly<Record<string, unknown>>

/**
 * Begins a subscription for one client; the signal of `passage` counts until it has begun. Never rejects. The outcomes of one event are one object for all
 * clients that are told the same.
 */
export type Subscribe = (variables: Variables, passage: Passage) => Promise<Opened<Outcome, GraphQLFormattedError>>

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
): Subscribe {
  const { supergraph, links } = machinery
  const { renamed, variablesOf } = withoutReserved(checked)
  const plan = supergraph.plan(renamed.document)
  const node = subscriptionNode(plan)
  const link = links.get(node.primary.serviceName)
  const begin = link?.subscribe
  if (!begin) throw new Error(`Subgraph "${node.primary.serviceName}" has no subscriptions.`)

  const isPersonal = dependsOnViewer(plan, supergraph.api, viewer)
  const { requestFor, answerTo } = waysOf(checked, node, machinery)
  /** What came of each event, by what may differ between those who are told of it. */
  const outcomes = new WeakMap<object, Map<string, Promise<Outcome>>>()

  return async (given, passage) => {
    const { caller } = passage
    const variables = variablesOf(given)
    const opened = await withinTime(BOUNDS.milliseconds, passage, (bounded) => begin(requestFor(given, variables), bounded))
    if (opened.kind === 'refused') return { kind: 'refused', errors: opened.errors.map(formatted) }
    const { events } = opened
    const key = `${JSON.stringify(given)}${isPersonal ? JSON.stringify([caller.credentials, caller.connectedAt]) : ''}`
    return { kind: 'open', events: { return: events.return, next: () => events.next().then(resolved) } }

    async function resolved(result: IteratorResult<SourceEvent, unknown>): Promise<IteratorResult<Outcome, unknown>> {
      if (result.done) return result
      const { identity } = result.value
      const known = outcomes.get(identity) ?? new Map<string, Promise<Outcome>>()
      if (known.size === 0) outcomes.set(identity, known)
      const outcome = known.get(key) ?? outcomeOfEvent(result.value)
      known.set(key, outcome)
      return { done: false, value: await outcome }
    }

    function outcomeOfEvent(event: SourceEvent): Promise<Outcome> {
      // What is shared must not be seen with the eyes of whoever came first; a field that needs to know who asks and does not say so says no.
      const asker = isPersonal || event.isPersonal ? caller : anonymous(caller)
      // The signal of one listener must not stop what others wait for.
      return guarded({ caller: asker, signal: NEVER }, log, (bounded) => answerTo(event, given, variables, bounded)).then(
        (outcome) => withId(outcome, caller.requestId),
      )
    }
  }
}

const NEVER = new AbortController().signal

function subscriptionNode({ node }: QueryPlan): SubscriptionNode {
  if (node?.kind !== 'Subscription') throw new Error(`Expected the plan of a subscription, got ${node?.kind ?? 'none'}.`)
  return node
}

/** What the field's subgraph is asked, and how an event becomes an outcome: `given` variables are the client's, `variables` the plan's. */
function waysOf(
  checked: CheckedOperation,
  node: SubscriptionNode,
  machinery: Machinery,
): {
  readonly requestFor: (given: Variables, variables: Variables) => LinkRequest
  readonly answerTo: (event: SourceEvent, given: Variables, variables: Variables, passage: Passage) => Promise<Outcome>
} {
  const { primary, rest } = node
  const { supergraph, links, executor } = machinery
  if (!rest && directLink(checked, primary, supergraph, links)) {
    const { document, operation } = checked
    return {
      requestFor: (given) => ({ query: '', operationName: operation.name?.value, document, variables: given }),
      answerTo: (event, _, __, passage) => event.answer(passage).then(outcomeOf),
    }
  }

  const happened = { ...primary, serviceName: EVENT, operationKind: 'query' as QueryOperation }
  const perEvent: QueryPlan = {
    kind: 'QueryPlan',
    node: rest ? { kind: 'Sequence', nodes: [happened, rest] } : happened,
  }
  const { renamed } = withoutReserved(checked)
  return {
    requestFor: (_, variables) => ({
      query: primary.operation,
      operationName: primary.operationName,
      variables: pick(variables, primary.variableUsages ?? []),
    }),
    answerTo: async (event, _, variables, passage) =>
      (await executor())(renamed, perEvent, variables, passage, () => event.answer(passage)),
  }
}

type QueryOperation = SubscriptionNode['primary']['operationKind']

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
