import type { GraphQLFormattedError, GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Logger } from 'pino'
import { type Answer, type Answering, cachingOf } from './caching/caching.ts'
import { type ResponseCache, responseCache } from './caching/response-cache.ts'
import { createClient, type GatewayClient } from './client.ts'
import { type Checked, type CheckedOperation, checkText, rememberingDocuments } from './documents.ts'
import { refusal } from './errors.ts'
import { guarded, type Machinery, planned, type Run } from './execution.ts'
import type { Limits } from './limits/limits.ts'
import { requestFaults } from './limits/request-faults.ts'
import { weightsOf } from './limits/weights.ts'
import type { Link } from './link.ts'
import { maskedLink } from './masked-link.ts'
import { counted, type Metrics, secondsSince } from './metrics.ts'
import { type Outcome, type PlanExecutor, stockExecutor } from './stock-executor.ts'
import { plannedSubscription, type Running, type Subscribe } from './subscription.ts'
import { readSupergraph } from './supergraph.ts'
import type { Tracing } from './tracing.ts'
import { viewerFields } from './viewer.ts'

/** An operation of a client that passed every check of its text, or the errors that refuse it. */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly operation: OperationTypeNode
      /** Runs it for one client. Refuses variables that are wrong or too costly; never rejects. */
      readonly run: Run
      /** The same for a query whose answer may be kept, and null for all others: the answer as bytes, with how long it may be told again. Never rejects. */
      readonly answer: Answering | null
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
  /** Subscriptions that run now. */
  readonly subscriptions: () => number
  /** Calls `tell` after the graph was replaced by another; one that cannot be replaced never does. */
  readonly onSwap: (tell: () => void) => void
  /** Answers that are kept. */
  readonly cache: Pick<ResponseCache, 'bytes' | 'entries'>
  readonly close: () => Promise<void>
}

/** Starts the graph over its links. Throws when the supergraph cannot be read, or names a subgraph that no link leads to. */
export async function startGateway({
  supergraphSdl,
  links,
  limits,
  log,
  metrics = null,
  tracing = null,
  responseCacheBytes = 0,
}: {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  readonly log: Logger
  readonly metrics?: Metrics | null
  readonly tracing?: Tracing | null
  /** Of answers that are kept; 0 keeps none. */
  readonly responseCacheBytes?: number
}): Promise<Gateway> {
  const supergraph = readSupergraph(supergraphSdl)
  const masked = links.map((link) => {
    const followed = tracing?.followed(link) ?? link
    return maskedLink(metrics?.measured(followed) ?? followed, log)
  })
  for (const name of supergraph.subgraphs) {
    if (!masked.some((link) => link.name === name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }

  let loading: Promise<PlanExecutor> | null = null
  const executor = () => (loading ??= stockExecutor(supergraph, masked, log))
  // Where everything is in this process, most plans are one fetch, and 30 MB wait for the first that is not.
  if (links.some(({ schema }) => !schema)) await executor()

  const machinery: Machinery = { supergraph, links: new Map(masked.map((link) => [link.name, link])), executor, metrics }
  const viewer = viewerFields(supergraphSdl)
  const cache = responseCache({ maxBytes: responseCacheBytes, ...(metrics && { count: metrics.kept }) })
  const caching = cachingOf({ supergraph, supergraphSdl, viewer, links, cache })
  const rules = { schema: supergraph.api, weights: weightsOf(supergraphSdl), limits }

  let [missed, subscriptions] = [0, 0]
  const remembered = rememberingDocuments((text, operationName) => {
    missed++
    return admission(checkText(text, operationName, rules))
  })

  return {
    schema: supergraph.api,
    client: createClient(machinery, log, (checked, run) =>
      observed(checked, caching.telling(checked, run), (outcome) => outcome),
    ),
    admit(text, operationName) {
      const misses = missed
      const outcome = remembered(text, operationName)
      metrics?.looked(missed === misses)
      if (outcome.kind === 'refused') metrics?.refused(outcome.operation)
      return outcome
    },
    subscriptions: () => subscriptions,
    onSwap: () => {},
    cache,
    close: async () => caching.close(),
  }

  function admission(outcome: Checked): Admission {
    if (outcome.kind === 'refused') return outcome
    const { checked, model } = outcome
    const { operation } = checked.operation
    const faultsOf = (variables: Variables) => requestFaults(supergraph.api, checked.operation, model, variables, limits)
    try {
      return operation === 'subscription' ? subscribable(checked, faultsOf) : runnable(checked, faultsOf)
    } catch (error) {
      log.warn({ err: error }, 'an operation could not be planned')
      return { kind: 'refused', operation, errors: [UNPLANNED] }
    }
  }

  function runnable(checked: CheckedOperation, faultsOf: FaultsOf): Admission {
    const plannedRun = caching.telling(checked, planned(checked, machinery))
    const begun: Run = (variables, passage) => guarded(passage, log, (bounded) => plannedRun(variables, bounded))
    const answering = caching.answering(checked, begun)
    const run: Run = async (variables, passage) => {
      const errors = faultsOf(variables)
      return errors.length > 0 ? { errors } : begun(variables, passage)
    }
    const answer: Answering = async (variables, passage) => {
      const errors = faultsOf(variables)
      return errors.length > 0 || !answering ? { outcome: { errors } } : answering(variables, passage)
    }
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: observed(checked, run, (outcome) => outcome),
      answer: answering && observed(checked, answer, outcomeIn),
      subscribe: null,
    }
  }

  /** `run`, counted and traced. */
  function observed<Result>(
    checked: CheckedOperation,
    run: (...asked: Parameters<Run>) => Promise<Result>,
    outcomeOf: (result: Result) => Outcome,
  ): (...asked: Parameters<Run>) => Promise<Result> {
    const counting = metrics ? counted(metrics, checked, run, outcomeOf) : run
    return tracing ? tracing.traced(checked, counting, outcomeOf) : counting
  }

  function subscribable(checked: CheckedOperation, faultsOf: FaultsOf): Admission {
    const subscribe = plannedSubscription(checked, machinery, viewer, log)
    const count = metrics?.operation(checked.operation.name?.value, checked.operation.operation)
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async () => ({ errors: [SUBSCRIPTION] }),
      answer: null,
      subscribe: async (variables, passage) => {
        const began = performance.now()
        const errors = faultsOf(variables)
        const opened = errors.length > 0 ? { kind: 'refused' as const, errors } : await subscribe(variables, passage)
        count?.(opened.kind === 'open' ? GOOD : opened, secondsSince(began))
        return opened.kind === 'open' ? { kind: 'open', source: whileRunning(opened.source) } : opened
      },
    }
  }

  function whileRunning(source: Running): Running {
    let isRunning = true
    subscriptions++
    return {
      ...source,
      return() {
        if (isRunning) subscriptions--
        isRunning = false
        source.return()
      },
    }
  }
}

type Variables = Readonly<Record<string, unknown>>
type FaultsOf = (variables: Variables) => readonly GraphQLFormattedError[]

/** What a subscription that runs counts as, and an answer that may be kept: it has no errors. */
const GOOD: Outcome = { data: {} }
const outcomeIn = (answer: Answer): Outcome => ('bytes' in answer ? GOOD : answer.outcome)

const UNPLANNED = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected an operation that can be planned.')

/** The answer to a subscription that was sent where one answer is all that can be given. */
export const SUBSCRIPTION = refusal(
  'SUBSCRIPTIONS_NOT_SUPPORTED',
  'Expected a query or a mutation, got a subscription: send it over WebSocket (graphql-transport-ws) or with "accept: text/event-stream".',
)
