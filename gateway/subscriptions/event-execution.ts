import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner'
import type { ExecutionResult as GraphQLResult } from 'graphql'
import type { AllowedPart } from '../authorization/guarded-subscription.ts'
import { type ExecutorDeps, findDirectLink, toExecutionResult } from '../executor/executor.ts'
import { compilePlan, EVENT_SOURCE } from '../executor/federated/plan.ts'
import type { PlannedDocument } from '../executor/federated/planned-document.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { RequestContext, SubgraphRequest } from '../subgraph-client/link.ts'

type Variables = Readonly<Record<string, unknown>>

/** Resolves the current event in the subgraph that emitted it. */
type Ask = (context: RequestContext) => Promise<GraphQLResult>

/** Resolves the operation's selection for one event, across subgraphs. */
export type ExecuteEvent = (ask: Ask, given: Variables, context: RequestContext) => Promise<ExecutionResult>

/** The subgraph's subscription request, and the execution of its events. */
export function eventExecution(
  checked: ValidatedOperation,
  ready: PlannedDocument,
  { primary, rest }: SubscriptionNode,
  { supergraph, links }: ExecutorDeps,
  allowed: AllowedPart | null,
): {
  readonly requestFor: (given: Variables) => SubgraphRequest
  readonly executeEvent: ExecuteEvent
} {
  if (!rest && !allowed && findDirectLink(checked, primary, supergraph, links)) {
    const { document, operation } = checked
    return {
      requestFor: (given) => ({ query: '', operationName: operation.name?.value, document, variables: given }),
      executeEvent: (ask, _, context) => ask(context).then(toExecutionResult),
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
    executeEvent: (ask, given, context) => run(given, context, () => ask(context), allowed?.errorOf),
  }
}

export function subscriptionNode({ node }: QueryPlan): SubscriptionNode {
  if (node?.kind !== 'Subscription') throw new Error(`Expected the plan of a subscription, got ${node?.kind ?? 'none'}.`)
  return node
}

/** Selects variables by name; absent ones stay absent. */
export const pick = (variables: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : [])))
