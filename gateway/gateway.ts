import { type GraphQLFormattedError, type GraphQLSchema, type OperationTypeNode, parse } from 'graphql'
import type { Logger } from 'pino'
import type { CircuitState } from '../platform/outbound/circuit-breaker.ts'
import { authorizationOf, type FindGrants, NO_GRANTS } from './authorization/authorization.ts'
import { guardedSubscription } from './authorization/guarded-subscription.ts'
import { type CacheableResult, createOperationCache, type RunCacheable } from './caching/caching.ts'
import { type ResponseCache, responseCache } from './caching/response-cache.ts'
import { viewerFields } from './caching/viewer-fields.ts'
import { createClient, type GatewayClient } from './client.ts'
import { type ExecutorDeps, outlivesClient, planOperation, runWithTimeout } from './executor/executor.ts'
import type { RunOperation } from './executor/run-operation.ts'
import type { Budget } from './limits/budget.ts'
import { type CostReport, withCost, withCostFirst } from './limits/cost-report.ts'
import { weightsOf } from './limits/cost-weights.ts'
import type { Limits } from './limits/limits.ts'
import { type RequestCheck, requestCheck } from './limits/request-limits.ts'
import { isRefusal, SUBSCRIPTION_BYTES, type SubscriptionSlots, subscriptionSlots } from './limits/subscription-slots.ts'
import { countOperation, type Metrics, secondsSince } from './observability/metrics.ts'
import { createSlowLog } from './observability/slow-log.ts'
import type { Tracing } from './observability/tracing.ts'
import { type Checked, type CheckedOperation, checkText, rememberingDocuments } from './operations/document-cache.ts'
import { refusal } from './operations/errors.ts'
import type { ExecutionResult } from './operations/execution-result.ts'
import { persistedDocuments } from './operations/persisted-documents.ts'
import type { SharedDocuments } from './operations/redis-documents.ts'
import type { Persisted } from './operations/trusted-documents.ts'
import { type KeptPlans, NO_PLANS } from './planning/plan-store.ts'
import { readSupergraph } from './planning/supergraph.ts'
import { maskErrors } from './subgraph-client/error-masking.ts'
import type { Link, RequestContext } from './subgraph-client/link.ts'
import type { Subscribe } from './subscriptions/subscribe.ts'
import { plannedSubscription } from './subscriptions/subscription.ts'
import type { Asked } from './transports/request-params.ts'

/** An operation of a client that passed every check of its text, or the errors that refuse it. */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly operation: OperationTypeNode
      /** Runs it for one client. Refuses variables that are wrong or too costly; never rejects. */
      readonly run: RunOperation
      /** The same for a query whose answer may be kept, and null for all others: the answer as bytes, with how long it may be told again. Never rejects. */
      readonly answer: RunCacheable | null
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
  /** Subscriptions that run now. */
  readonly subscriptions: () => number
  /** The places that they take. */
  readonly slots: Pick<SubscriptionSlots, 'memory'>
  /** Calls `tell` after the graph was replaced by another; one that cannot be replaced never does. */
  readonly onSwap: (tell: () => void) => void
  /** Answers that are kept. */
  readonly cache: Pick<ResponseCache, 'bytes' | 'entries'>
  /** Subgraphs that are not asked while they do not answer, and whether they are. */
  readonly circuits: () => readonly { readonly name: string; readonly state: CircuitState }[]
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
  slots = subscriptionSlots(),
  log,
  metrics = null,
  tracing = null,
  slowMilliseconds = 0,
  responseCacheBytes = 0,
  introspection = true,
  persisted = { trusted: [], isOnly: false },
  documents = null,
  plans = NO_PLANS,
  grantsOver = () => () => NO_GRANTS,
}: {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  /** What a client may spend in a minute; null: as much as it likes. */
  readonly budget?: Budget | null
  /** Places for subscriptions, of the whole process; by default those of this gateway alone, with the limits of an Atrium that nobody has configured. */
  readonly slots?: SubscriptionSlots
  readonly log: Logger
  readonly metrics?: Metrics | null
  readonly tracing?: Tracing | null
  /** Operations that take so long or longer are logged; 0 logs none. */
  readonly slowMilliseconds?: number
  /** Of answers that are kept; 0 keeps none. */
  readonly responseCacheBytes?: number
  readonly introspection?: boolean
  readonly persisted?: Persisted
  /** Shares texts that clients register with other gateways; null: with none. */
  readonly documents?: SharedDocuments | null
  /** Of operations of facades, for this supergraph. */
  readonly plans?: KeptPlans
  /** Makes, over the links of the graph, what finds out what callers hold; absent: nobody holds anything, so guarded fields are refused. */
  readonly grantsOver?: (links: ReadonlyMap<string, Link>) => FindGrants
}): Promise<Gateway> {
  const document = parse(supergraphSdl, { noLocation: true })
  const supergraph = readSupergraph(document, { isKnown: !plans.isEmpty })
  const slow = slowMilliseconds > 0 ? createSlowLog(slowMilliseconds, log) : null
  const masked = links.map((link) => {
    const timed = slow?.timeLink(link) ?? link
    const followed = tracing?.traceLink(timed) ?? timed
    return maskErrors(metrics?.measureLink(followed) ?? followed, log)
  })
  for (const name of supergraph.subgraphs) {
    if (!masked.some((link) => link.name === name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }

  const linksByName = new Map(masked.map((link) => [link.name, link]))
  const authorization = authorizationOf(document, supergraph, grantsOver(linksByName))
  const machinery: ExecutorDeps = { supergraph, links: linksByName, metrics, authorization }
  const viewer = viewerFields(document)
  const cache = responseCache({ maxBytes: responseCacheBytes, ...(metrics && { count: metrics.responseCacheLookup }) })
  const caching = createOperationCache({ supergraph, document, viewer, links, cache })
  const rules = { schema: supergraph.api, weights: weightsOf(document, limits.weights), limits, introspection }

  let [missed, subscriptions] = [0, 0]
  const remembered = rememberingDocuments((text, operationName) => {
    missed++
    return admission(checkText(text, operationName, rules), text.length)
  })
  const known = (text: string, operationName: string | undefined) => {
    const misses = missed
    const outcome = remembered(text, operationName)
    metrics?.planCacheLookup(missed === misses)
    return outcome
  }
  const trusted = (text: string, operationName: string | undefined) =>
    admission(checkText(text, operationName, { ...rules, introspection: true }), text.length)
  const asked = persistedDocuments(persisted, known, trusted, documents)

  return {
    schema: supergraph.api,
    client: createClient(
      machinery,
      log,
      (checked, run) => observed(checked, caching.invalidateAfter(checked, run), (outcome) => outcome, null),
      plans,
    ),
    admit: (text, operationName) => noted(known(text, operationName)),
    admitAsked: (given) => noted(asked.admit(given)),
    limits,
    subscriptions: () => subscriptions,
    slots,
    onSwap: () => {},
    cache,
    circuits: () => links.flatMap(({ name, circuitState }) => (circuitState ? [{ name, state: circuitState() }] : [])),
    close: async () => {
      asked.close()
      caching.close()
    },
  }

  function noted(admission: Admission): Admission {
    if (admission.kind === 'refused') metrics?.operationRefused(admission.operation)
    return admission
  }

  function admission(outcome: Checked, characters: number): Admission {
    if (outcome.kind === 'refused') return outcome
    const { checked, model } = outcome
    const { operation } = checked.operation
    const check = requestCheck(supergraph.api, checked, model, { limits, budget, suggestions: introspection })
    const { cost } = check
    try {
      return { cost, ...(operation === 'subscription' ? subscribable(checked, check, characters) : runnable(checked, check)) }
    } catch (error) {
      log.warn({ err: error }, 'an operation could not be planned')
      return { kind: 'refused', operation, errors: [UNPLANNED] }
    }
  }

  function runnable(checked: CheckedOperation, { verdict, cost: costOf }: RequestCheck): Omit<Admitted, 'cost'> {
    const guard = authorization?.guardOf(checked) ?? null
    const plannedRun = caching.invalidateAfter(checked, planOperation(checked, machinery, { guard }))
    const ends = { outlivesClient: outlivesClient(checked) }
    const begun: RunOperation = (variables, passage) =>
      runWithTimeout(passage, log, (bounded) => plannedRun(variables, bounded), ends)
    const answering = caching.cacheQuery(checked, begun)
    const run: RunOperation = async (variables, passage) => {
      const { errors, cost } = await verdict(variables, passage)
      const outcome = errors.length > 0 ? { errors } : await begun(variables, passage)
      return passage.wantsCost ? withCost(outcome, cost) : outcome
    }
    const answer: RunCacheable = async (variables, passage) => {
      // What stands beside the data then is about this client and this moment.
      // An answer with refused parts is this caller's own, and has errors.
      if (!answering || passage.wantsCost || (await guard?.check(passage))) return { result: await run(variables, passage) }
      const { errors } = await verdict(variables, passage)
      return errors.length > 0 ? { result: { errors } } : answering(variables, passage)
    }
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: observed(checked, run, (outcome) => outcome, costOf),
      answer: answering && observed(checked, answer, outcomeIn, costOf),
      subscribe: null,
    }
  }

  /** `run`, counted, traced, and logged where it is slow. */
  function observed<Result>(
    checked: CheckedOperation,
    run: (...asked: Parameters<RunOperation>) => Promise<Result>,
    outcomeOf: (result: Result) => ExecutionResult,
    costOf: RequestCheck['cost'] | null,
  ): (...asked: Parameters<RunOperation>) => Promise<Result> {
    const watched = slow?.watchOperation(checked, run, outcomeOf, costOf) ?? run
    const counting = metrics ? countOperation(metrics, checked, watched, outcomeOf) : watched
    return tracing ? tracing.traceOperation(checked, counting, outcomeOf) : counting
  }

  /** `characters` is the length of its text. */
  function subscribable(checked: CheckedOperation, { verdict }: RequestCheck, characters: number): Omit<Admitted, 'cost'> {
    const guard = authorization?.guardOf(checked) ?? null
    const options = { log, slots, characters }
    const begin = guardedSubscription(guard, (allowed) =>
      plannedSubscription(checked, machinery, viewer, { ...options, allowed }),
    )
    const count = metrics?.operation(checked.operation.name?.value, checked.operation.operation)
    return {
      kind: 'admitted',
      operation: checked.operation.operation,
      run: async () => ({ errors: [SUBSCRIPTION] }),
      answer: null,
      subscribe: async (variables, passage) => {
        const began = performance.now()
        const { opened, cost } = await opening(variables, passage)
        count?.(opened.kind === 'open' ? GOOD : opened, secondsSince(began))
        if (opened.kind === 'refused' || !passage.wantsCost) return opened
        return { kind: 'open', source: withCostFirst(opened.source, cost) }
      },
    }

    /** Its place is taken first: who has none costs nothing more. */
    async function opening(
      variables: Parameters<Subscribe>[0],
      passage: RequestContext,
    ): Promise<{ readonly opened: Awaited<ReturnType<Subscribe>>; readonly cost?: CostReport | undefined }> {
      const slot = slots.take(passage.caller, SUBSCRIPTION_BYTES.each + (passage.connectionBytes ?? 0))
      if (isRefusal(slot)) return { opened: { kind: 'refused', errors: [slot] } }
      const { errors, cost } = await verdict(variables, passage)
      const opened =
        errors.length > 0
          ? { kind: 'refused' as const, errors }
          : await begin(variables, passage, () => {
              subscriptions--
              slot.release()
            })
      if (opened.kind === 'open') subscriptions++
      else slot.release()
      return { opened, cost }
    }
  }
}

type Admitted = Extract<Admission, { kind: 'admitted' }>

/** What a subscription that runs counts as, and an answer that may be kept: it has no errors. */
const GOOD: ExecutionResult = { data: {} }
const outcomeIn = (answer: CacheableResult): ExecutionResult => ('bytes' in answer ? GOOD : answer.result)

const UNPLANNED = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected an operation that can be planned.')

/** The answer to a subscription that was sent where one answer is all that can be given. */
export const SUBSCRIPTION = refusal(
  'SUBSCRIPTIONS_NOT_SUPPORTED',
  'Expected a query or a mutation, got a subscription: send it over WebSocket (graphql-transport-ws) or with "accept: text/event-stream".',
)
