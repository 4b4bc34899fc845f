import type { GraphQLFormattedError, GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Logger } from 'pino'
import type { Asked } from './asked.ts'
import { createClient, type GatewayClient } from './client.ts'
import { type Checked, type CheckedOperation, checkText, rememberingDocuments } from './documents.ts'
import { refusal } from './errors.ts'
import { guarded, type Machinery, planned, type Run } from './execution.ts'
import type { Budget } from './limits/budget.ts'
import { withCost, withCostFirst } from './limits/cost-report.ts'
import type { Limits } from './limits/limits.ts'
import { type RequestCheck, requestCheck } from './limits/request-check.ts'
import { weightsOf } from './limits/weights.ts'
import type { Link } from './link.ts'
import type { Persisted } from './manifest.ts'
import { maskedLink } from './masked-link.ts'
import { persistedDocuments } from './persisted.ts'
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
      /** What it counts against the limit with these variables, in points; 0 where they are wrong, which `run` says. */
      readonly cost: RequestCheck['cost']
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
  /** The same for what a client asks by text or by the identifier of a persisted document; the doors take this one. */
  readonly admitAsked: (asked: Asked) => Admission
  readonly limits: Limits
  readonly close: () => Promise<void>
}

/**
 * Starts the graph over its links. Throws when the supergraph cannot be read, or names a subgraph that no link leads to, and when a trusted document cannot be
 * run. `introspection` is for documents of clients: a trusted one may always ask for the schema.
 */
export async function startGateway({
  supergraphSdl,
  links,
  limits,
  budget = null,
  log,
  introspection = true,
  persisted = { trusted: [], isOnly: false },
}: {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  /** What a client may spend in a minute; null: as much as it likes. */
  readonly budget?: Budget | null
  readonly log: Logger
  readonly introspection?: boolean
  readonly persisted?: Persisted
}): Promise<Gateway> {
  const supergraph = readSupergraph(supergraphSdl)
  const masked = links.map((link) => maskedLink(link, log))
  for (const name of supergraph.subgraphs) {
    if (!masked.some((link) => link.name === name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }

  const machinery: Machinery = { supergraph, links: new Map(masked.map((link) => [link.name, link])) }
  const viewer = viewerFields(supergraphSdl)
  const rules = { schema: supergraph.api, weights: weightsOf(supergraphSdl, limits.weights), limits, introspection }
  const admit = rememberingDocuments((text, operationName) => admission(checkText(text, operationName, rules)))
  const admitTrusted = (text: string, operationName: string | undefined) =>
    admission(checkText(text, operationName, { ...rules, introspection: true }))

  return {
    schema: supergraph.api,
    client: createClient(machinery, log),
    admit,
    admitAsked: persistedDocuments(persisted, admit, admitTrusted),
    limits,
    close: async () => {},
  }

  function admission(outcome: Checked): Admission {
    if (outcome.kind === 'refused') return outcome
    const { checked, model } = outcome
    const { operation } = checked.operation
    const check = requestCheck(supergraph.api, checked.operation, model, { limits, budget, suggestions: introspection })
    const { cost } = check
    try {
      return { cost, ...(operation === 'subscription' ? subscribable(checked, check) : runnable(checked, check)) }
    } catch (error) {
      log.warn({ err: error }, 'an operation could not be planned')
      return { kind: 'refused', operation, errors: [UNPLANNED] }
    }
  }

  function runnable(checked: CheckedOperation, { verdict }: RequestCheck): Omit<Admitted, 'cost'> {
    const run = planned(checked, machinery)
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async (variables, passage) => {
        const { errors, cost } = await verdict(variables, passage)
        const outcome = errors.length > 0 ? { errors } : await guarded(passage, log, (bounded) => run(variables, bounded))
        return passage.wantsCost ? withCost(outcome, cost) : outcome
      },
      subscribe: null,
    }
  }

  function subscribable(checked: CheckedOperation, { verdict }: RequestCheck): Omit<Admitted, 'cost'> {
    const subscribe = plannedSubscription(checked, machinery, viewer, log)
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async () => ({ errors: [SUBSCRIPTION] }),
      subscribe: async (variables, passage) => {
        const { errors, cost } = await verdict(variables, passage)
        if (errors.length > 0) return { kind: 'refused', errors }
        const opened = await subscribe(variables, passage)
        if (opened.kind === 'refused' || !passage.wantsCost) return opened
        return { kind: 'open', source: withCostFirst(opened.source, cost) }
      },
    }
  }
}

type Admitted = Extract<Admission, { kind: 'admitted' }>

const UNPLANNED = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected an operation that can be planned.')

/** The answer to a subscription that was sent where one answer is all that can be given. */
export const SUBSCRIPTION = refusal(
  'SUBSCRIPTIONS_NOT_SUPPORTED',
  'Expected a query or a mutation, got a subscription: send it over WebSocket (graphql-transport-ws) or with "accept: text/event-stream".',
)
