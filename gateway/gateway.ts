import type { GraphQLFormattedError, GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Logger } from 'pino'
import { createClient, type GatewayClient } from './client.ts'
import { type Checked, type CheckedOperation, checkText, rememberingDocuments } from './documents.ts'
import { refusal } from './errors.ts'
import { guarded, type Machinery, planned, type Run } from './execution.ts'
import type { Budget } from './limits/budget.ts'
import { withCost, withCostFirst } from './limits/cost-report.ts'
import type { Limits } from './limits/limits.ts'
import { requestCheck } from './limits/request-check.ts'
import { weightsOf } from './limits/weights.ts'
import type { Link } from './link.ts'
import { maskedLink } from './masked-link.ts'
import { type PlanExecutor, stockExecutor } from './stock-executor.ts'
import { plannedSubscription, type Subscribe } from './subscription.ts'
import { readSupergraph } from './supergraph.ts'
import { viewerFields } from './viewer.ts'

/** An operation of a client that passed every check of its text, or the errors that refuse it. */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly operation: OperationTypeNode
      /** Runs it for one client. Refuses variables that are wrong or too costly; never rejects. */
      readonly run: Run
      /** Begins it for one client, with the same checks; null unless the operation is a subscription. Never rejects. */
      readonly subscribe: Subscribe | null
    }
  | {
      readonly kind: 'refused'
      readonly errors: readonly GraphQLFormattedError[]
      /** Which kind of operation was meant, where the text says so. */
      readonly operation?: OperationTypeNode
    }

/** The one graph, planned and ready. */
export type Gateway = {
  /** What clients see. */
  readonly schema: GraphQLSchema
  /** The way in for our own operations, which no limits apply to. */
  readonly client: GatewayClient
  /** The way in for every operation from outside: parsed, validated, limited and planned once per text and operation name. Never throws. */
  readonly admit: (text: string, operationName: string | undefined) => Admission
  readonly close: () => Promise<void>
}

/** Starts the graph over its links. Throws when the supergraph cannot be read, or names a subgraph that no link leads to. */
export async function startGateway({
  supergraphSdl,
  links,
  limits,
  budget = null,
  log,
}: {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  /** What a client may spend in a minute; null: as much as it likes. */
  readonly budget?: Budget | null
  readonly log: Logger
}): Promise<Gateway> {
  const supergraph = readSupergraph(supergraphSdl)
  const masked = links.map((link) => maskedLink(link, log))
  for (const name of supergraph.subgraphs) {
    if (!masked.some((link) => link.name === name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }

  let loading: Promise<PlanExecutor> | null = null
  const executor = () => (loading ??= stockExecutor(supergraph, masked, log))
  // Where everything is in this process, most plans are one fetch, and 30 MB wait for the first that is not.
  if (links.some(({ schema }) => !schema)) await executor()

  const machinery: Machinery = { supergraph, links: new Map(masked.map((link) => [link.name, link])), executor }
  const viewer = viewerFields(supergraphSdl)
  const rules = { schema: supergraph.api, weights: weightsOf(supergraphSdl, limits.weights), limits }

  return {
    schema: supergraph.api,
    client: createClient(machinery, log),
    admit: rememberingDocuments((text, operationName) => admission(checkText(text, operationName, rules))),
    close: async () => {},
  }

  function admission(outcome: Checked): Admission {
    if (outcome.kind === 'refused') return outcome
    const { checked, model } = outcome
    const { operation } = checked.operation
    const check = requestCheck(supergraph.api, checked.operation, model, limits, budget)
    try {
      return operation === 'subscription' ? subscribable(checked, check) : runnable(checked, check)
    } catch (error) {
      log.warn({ err: error }, 'an operation could not be planned')
      return { kind: 'refused', operation, errors: [UNPLANNED] }
    }
  }

  function runnable(checked: CheckedOperation, check: RequestCheck): Admission {
    const run = planned(checked, machinery)
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async (variables, passage) => {
        const { errors, cost } = await check(variables, passage)
        const outcome = errors.length > 0 ? { errors } : await guarded(passage, log, (bounded) => run(variables, bounded))
        return passage.wantsCost ? withCost(outcome, cost) : outcome
      },
      subscribe: null,
    }
  }

  function subscribable(checked: CheckedOperation, check: RequestCheck): Admission {
    const subscribe = plannedSubscription(checked, machinery, viewer, log)
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async () => ({ errors: [SUBSCRIPTION] }),
      subscribe: async (variables, passage) => {
        const { errors, cost } = await check(variables, passage)
        if (errors.length > 0) return { kind: 'refused', errors }
        const opened = await subscribe(variables, passage)
        if (opened.kind === 'refused' || !passage.wantsCost) return opened
        return { kind: 'open', source: withCostFirst(opened.source, cost) }
      },
    }
  }
}

type RequestCheck = ReturnType<typeof requestCheck>

const UNPLANNED = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected an operation that can be planned.')

/** The answer to a subscription that was sent where one answer is all that can be given. */
export const SUBSCRIPTION = refusal(
  'SUBSCRIPTIONS_NOT_SUPPORTED',
  'Expected a query or a mutation, got a subscription: send it over WebSocket (graphql-transport-ws) or with "accept: text/event-stream".',
)
