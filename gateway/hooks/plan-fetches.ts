import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner'
import type { PlanCall } from './hooks.ts'

/** Fetches of a plan in order, for hooks. */
export const fetchesOf = ({ node }: QueryPlan): PlanCall['fetches'] => (node ? fetchesBelow(node) : [])

function fetchesBelow(node: PlanNode | SubscriptionNode): PlanCall['fetches'] {
  switch (node.kind) {
    case 'Fetch':
      return [{ subgraph: node.serviceName, query: node.operation, isEntityFetch: node.requires !== undefined }]
    case 'Flatten':
      return fetchesBelow(node.node)
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap(fetchesBelow)
    case 'Condition':
      return [node.ifClause, node.elseClause].flatMap((each) => (each ? fetchesBelow(each) : []))
    case 'Defer':
      return [node.primary, ...node.deferred].flatMap((each) => (each.node ? fetchesBelow(each.node) : []))
    case 'Subscription':
      return [node.primary, ...(node.rest ? [node.rest] : [])].flatMap(fetchesBelow)
  }
}
