import type { GraphQLFormattedError, GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Logger } from 'pino'
import { createClient, type GatewayClient } from './client.ts'
import { type Checked, checkText, rememberingDocuments } from './documents.ts'
import { fault, refusal } from './errors.ts'
import { type Machinery, planned, type Run } from './execution.ts'
import { BOUNDS, type Limits } from './limits/limits.ts'
import { requestFaults } from './limits/request-faults.ts'
import { weightsOf } from './limits/weights.ts'
import type { Link, Passage } from './link.ts'
import { maskedLink } from './masked-link.ts'
import { type Outcome, type PlanExecutor, stockExecutor } from './stock-executor.ts'
import { readSupergraph } from './supergraph.ts'
import { withinTime } from './time.ts'

/** An operation of a client that passed every check of its text, or the errors that refuse it. */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly operation: OperationTypeNode
      /** Runs it for one client. Refuses variables that are wrong or too costly; never rejects. */
      readonly run: Run
    }
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLFormattedError[] }

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
  log,
}: {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  readonly log: Logger
}): Promise<Gateway> {
  const supergraph = readSupergraph(supergraphSdl)
  const masked = links.map((link) => maskedLink(link, log))
  for (const name of supergraph.subgraphs) {
    if (!masked.some((link) => link.name === name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }

  let loading: Promise<PlanExecutor> | null = null
  const executor = () => (loading ??= stockExecutor(supergraph, masked, log))
  // Loaded at start where a client's first question could need it.
  if (supergraph.subgraphs.length > 1 || links.some(({ schema }) => !schema)) await executor()

  const machinery: Machinery = { supergraph, links: new Map(masked.map((link) => [link.name, link])), executor }
  const rules = { schema: supergraph.api, weights: weightsOf(supergraphSdl), limits }

  return {
    schema: supergraph.api,
    client: createClient(machinery, log),
    admit: rememberingDocuments((text, operationName) => admission(checkText(text, operationName, rules))),
    close: async () => {},
  }

  function admission(outcome: Checked): Admission {
    if (outcome.kind === 'refused') return outcome
    const { checked, model } = outcome
    let run: Run
    try {
      run = planned(checked, machinery)
    } catch (error) {
      log.warn({ err: error }, 'an operation could not be planned')
      return { kind: 'refused', errors: [refusal('GRAPHQL_VALIDATION_FAILED', 'Expected an operation that can be planned.')] }
    }
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async (variables, passage) => {
        const errors = requestFaults(supergraph.api, checked.operation, model, variables, limits)
        return errors.length > 0 ? { errors } : guarded(run, variables, passage, log)
      },
    }
  }
}

/** Runs within the time that an operation has; a fault of ours ends as an error without detail. */
async function guarded(run: Run, variables: Readonly<Record<string, unknown>>, passage: Passage, log: Logger): Promise<Outcome> {
  try {
    return await withinTime(BOUNDS.milliseconds, passage, (bounded) => run(variables, bounded))
  } catch (error) {
    log.error({ err: error, requestId: passage.caller.requestId }, 'an operation failed')
    return { data: null, errors: [fault(passage.caller.requestId)] }
  }
}
