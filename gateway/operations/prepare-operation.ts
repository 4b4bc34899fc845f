import type { Logger } from 'pino'
import type { OperationGuard } from '../authorization/authorization.ts'
import { guardedSubscription } from '../authorization/guarded-subscription.ts'
import type { CacheableResult, createOperationCache, RunCacheable } from '../caching/caching.ts'
import type { ViewerFields } from '../caching/viewer-fields.ts'
import { type ExecutorDeps, outlivesClient, planOperation, runWithTimeout } from '../executor/executor.ts'
import { createVariants, NO_LABELS } from '../executor/override-variants.ts'
import { planDeferred } from '../executor/plan-deferred.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { HookStages } from '../hooks/hook-stages.ts'
import { withPlanStage } from '../hooks/operation-hooks.ts'
import { compileActualCost } from '../limits/actual-cost.ts'
import type { Budget } from '../limits/budget.ts'
import { type CostReport, withCost, withCostFirst } from '../limits/cost-report.ts'
import type { CostWeights } from '../limits/cost-weights.ts'
import type { Limits } from '../limits/limits.ts'
import { compileRequestCheck, type RequestCheck } from '../limits/request-limits.ts'
import { compileSubgraphCosts, type SubgraphCosts } from '../limits/subgraph-costs.ts'
import { type CheckSubgraphs, compileSubgraphCheck, hasSubgraphLimits } from '../limits/subgraph-limits.ts'
import { isRefusal, SUBSCRIPTION_BYTES, type SubscriptionSlots } from '../limits/subscription-slots.ts'
import { secondsSince } from '../observability/elapsed.ts'
import { countOperation } from '../observability/metrics.ts'
import type { SlowLog } from '../observability/slow-log.ts'
import type { Tracing } from '../observability/tracing.ts'
import { queryPlanOf } from '../planning/supergraph.ts'
import type { ShadowTraffic } from '../shadow/shadow-traffic.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { Subscribe } from '../subscriptions/subscribe.ts'
import { plannedSubscription } from '../subscriptions/subscription.ts'
import type { UsageCounter } from '../usage/usage-recorder.ts'
import type { ValidatedOperation, ValidationResult } from './document-cache.ts'
import { refusal } from './errors.ts'
import type { ExecutionResult } from './execution-result.ts'
import type { IncrementalPayloads, RunIncremental } from './incremental-result.ts'
import type { ExecutableOperation, PreparedOperation } from './prepared-operation.ts'
import { incrementalRun } from './run-incremental.ts'

/** Wraps an operation's execution with metrics, traces and the slow log. */
export type Observe = <Result>(
  operation: ValidatedOperation,
  run: (...request: Parameters<RunOperation>) => Promise<Result>,
  resultOf: (result: Result) => ExecutionResult,
  costOf: RequestCheck['cost'] | null,
  restOf?: (result: Result) => IncrementalPayloads | null,
) => (...request: Parameters<RunOperation>) => Promise<Result>

/** `slow` is innermost, so that metrics and span include its overhead. */
export const observer =
  ({
    metrics,
    tracing,
    slow,
    usage,
  }: Pick<ExecutorDeps, 'metrics'> & {
    readonly tracing: Tracing | null
    readonly slow: SlowLog | null
    readonly usage: UsageCounter | null
  }): Observe =>
  (operation, given, resultOf, costOf, restOf) => {
    const run = usage?.watchOperation(operation, given, resultOf) ?? given
    const timed = slow?.watchOperation(operation, run, resultOf, costOf) ?? run
    const measured = metrics ? countOperation(metrics, operation, timed, resultOf) : timed
    return tracing ? tracing.traceOperation(operation, measured, resultOf, restOf) : measured
  }

type Preparation = {
  readonly deps: ExecutorDeps
  readonly viewer: ViewerFields
  readonly caching: ReturnType<typeof createOperationCache>
  readonly limits: Limits
  readonly weights: CostWeights
  readonly budget: Budget | null
  readonly slots: SubscriptionSlots
  readonly introspection: boolean
  readonly observe: Observe
  readonly usage: UsageCounter | null
  readonly log: Logger
  readonly hooks: HookStages | null
  readonly tracing: Tracing | null
  /** Runs a sample of queries on a candidate supergraph; null for none. */
  readonly shadow: ShadowTraffic | null
}

type Compiled = Omit<ExecutableOperation, 'cost' | 'estimate'>

/** Plans and compiles validated operations; rejects those that cannot be planned. */
export function createOperationPreparation(preparation: Preparation): {
  /** `characters`: length of the document's text. Never throws. */
  readonly prepareOperation: (validation: ValidationResult, characters: number) => PreparedOperation
  /** Number of running subscriptions. */
  readonly subscriptions: () => number
} {
  const { deps, limits, budget, introspection, log, hooks } = preparation
  const compileSubscription = subscriptionCompiler(preparation)

  return { prepareOperation, subscriptions: compileSubscription.running }

  function prepareOperation(validation: ValidationResult, characters: number): PreparedOperation {
    if (validation.kind === 'rejected') return validation
    const { validated, model } = validation
    const { operation } = validated.operation
    const onOverLimit = overLimitReporter(preparation, validated)
    const labels = deps.overrides?.labelsIn(validated.document) ?? []
    const subgraphs = subgraphCheck(preparation, validated, labels)
    const options = { limits, budget, suggestions: introspection, onOverLimit, subgraphs }
    const limitCheck = compileRequestCheck(deps.supergraph.api, validated, model, options)
    const check = withPlanStage(hooks, limitCheck, validated, { supergraph: deps.supergraph, labels })
    const { cost, estimate } = check
    try {
      return operation === 'subscription'
        ? { ...compileSubscription.compile(validated, { ...check, labels }, characters), cost, estimate }
        : { ...compileSingleResult(preparation, validated, { ...check, labels }), cost, estimate }
    } catch (error) {
      log.warn({ err: error }, 'an operation could not be planned')
      return { kind: 'rejected', operation, errors: [UNPLANNABLE] }
    }
  }
}

/** Counts operations above their cost limit; in measure mode also logs them, since they run. */
function overLimitReporter({ deps, limits, log }: Preparation, { operation }: ValidatedOperation) {
  const { costMode: mode = 'enforce' } = limits
  return (cost: number, limit: number): void => {
    deps.metrics?.costLimitExceeded(mode)
    if (mode === 'measure')
      log.warn({ operation: operation.name?.value ?? null, cost, limit }, 'an operation costs more than its limit')
  }
}

/** Cost check per subgraph; null without subgraph limits. */
function subgraphCheck(
  { deps, limits, weights, log }: Preparation,
  validated: ValidatedOperation,
  labels: readonly string[],
): CheckSubgraphs | null {
  const { operation, isIntrospection } = validated
  if (isIntrospection || !hasSubgraphLimits(limits)) return null
  const { metrics, supergraph } = deps
  const compile = (active: ReadonlySet<string>): SubgraphCosts => {
    const storedPlan = active.size === 0 ? (validated.storedPlan ?? null) : null
    const { ready, plan } = queryPlanOf({ ...validated, storedPlan }, supergraph.withLabels(active))
    const costs = compileSubgraphCosts(supergraph.complete(), weights, plan)
    return (variables) => costs(ready.variablesOf(variables))
  }
  return compileSubgraphCheck(limits, compile, {
    labels,
    isConstant: (operation.variableDefinitions ?? []).length === 0,
    observer: {
      counted: (subgraph, points) => metrics?.subgraphCost(subgraph, points),
      overLimit(subgraph, cost, limit, mode) {
        metrics?.subgraphCostLimitExceeded(subgraph, mode)
        if (mode === 'measure')
          log.warn(
            { operation: operation.name?.value ?? null, subgraph, cost, limit },
            'an operation costs a subgraph more than its limit',
          )
      },
    },
  })
}

/** Compiles a query or mutation with one result per request. */
function compileSingleResult(
  { deps, caching, observe, log, limits, weights, shadow, hooks }: Preparation,
  validated: ValidatedOperation,
  { check, cost: costOf, labels }: RequestCheck & { readonly labels: readonly string[] },
): Compiled {
  const { metrics, supergraph } = deps
  const isMeasured = limits.costMode === 'measure' && metrics !== null
  let actualCost: ReturnType<typeof compileActualCost> | null = null
  const guard = deps.authorization?.guardOf(validated) ?? null
  const plannedRun = caching.invalidateAfter(validated, planOperation(validated, deps, { guard }))
  const timeoutOptions = { outlivesClient: outlivesClient(validated) }
  const bounded: RunOperation = (variables, context) =>
    runWithTimeout(context, log, (inner) => plannedRun(variables, inner), timeoutOptions)
  const execute = shadow?.watch(validated, supergraph.queriesWithSideEffects, bounded) ?? bounded
  // With `@override` labels there are several plans, but cacheability is computed from one.
  const answering = labels.length > 0 ? null : caching.cacheQuery(validated, execute)
  const run: RunOperation = async (variables, requestContext) => {
    const { errors, cost } = await check(variables, requestContext)
    const executed = errors.length > 0 ? { errors } : await execute(variables, requestContext)
    if (!cost || errors.length > 0 || !(isMeasured || requestContext.wantsCost)) {
      return requestContext.wantsCost ? withCost(executed, cost) : executed
    }
    actualCost ??= compileActualCost(supergraph.api, weights, validated.document, validated.operation)
    // Introspection costs nothing.
    const actual = validated.isIntrospection ? 0 : actualCost(executed.data)
    if (isMeasured) metrics.costMeasured(cost.requested, actual)
    return requestContext.wantsCost ? withCost(executed, { ...cost, actual }) : executed
  }
  const answer: RunCacheable = async (variables, context) => {
    // Not cached: a cost report is specific to the request, and a result with refused fields has
    // errors for this caller.
    if (!answering || context.wantsCost || (await guard?.check(context))) return { result: await run(variables, context) }
    const { errors } = await check(variables, context)
    return errors.length > 0 ? { result: { errors } } : answering(variables, context)
  }
  const incremental = compileIncremental({ deps, caching, log }, validated, guard, { run, plannedRun, check })
  const labelled = labelChooser(deps, { limits, hooks }, labels)
  return {
    kind: 'executable',
    operation: validated.operation.operation,
    run: observe(validated, labelled(run), (response) => response, costOf),
    answer: answering && observe(validated, answer, resultOfAnswer, costOf),
    runIncremental:
      incremental &&
      observe(
        validated,
        labelled(incremental),
        ({ initial }) => initial,
        costOf,
        ({ rest }) => rest,
      ),
    subscribe: null,
  }
}

/**
 * Chooses a request's active labels before its check when the check reads the plan, so that the
 * checked plan is the executed one.
 */
function labelChooser(
  { overrides }: ExecutorDeps,
  { limits, hooks }: Pick<Preparation, 'limits' | 'hooks'>,
  labels: readonly string[],
) {
  const readsPlan = hasSubgraphLimits(limits) || hooks?.has('plan') === true
  return <Result>(run: (...request: Parameters<RunOperation>) => Promise<Result>): typeof run => {
    if (!overrides || labels.length === 0 || !readsPlan) return run
    return async (variables, context) => run(variables, { ...context, activeLabels: await overrides.activeFor(labels, context) })
  }
}

/**
 * Compiles the incremental execution of an operation with `@defer`; null without it. A caller with
 * refused fields gets a complete result with their errors.
 */
function compileIncremental(
  { deps, caching, log }: Pick<Preparation, 'deps' | 'caching' | 'log'>,
  validated: ValidatedOperation,
  guard: OperationGuard | null,
  {
    run,
    plannedRun,
    check,
  }: { readonly run: RunOperation; readonly plannedRun: RunOperation; readonly check: RequestCheck['check'] },
): RunIncremental | null {
  const find = planDeferred(validated, deps)
  if (!find) return null
  const runDeferred = incrementalRun(find, plannedRun, { log, outlivesClient: outlivesClient(validated) })
  return async (variables, context) => {
    if (await guard?.check(context)) return { initial: await run(variables, context), rest: null }
    const { errors, cost } = await check(variables, context)
    if (errors.length > 0) return { initial: { errors }, rest: null }
    let rest: IncrementalPayloads | null = null
    const begin: RunOperation = async (...request) => {
      const result = await runDeferred(...request)
      rest = result.rest
      return result.initial
    }
    const initial = await caching.invalidateAfter(validated, begin)(variables, context)
    return { initial: context.wantsCost ? withCost(initial, cost) : initial, rest }
  }
}

/** Compiles subscriptions, and counts running ones. */
function subscriptionCompiler({ deps, viewer, slots, usage, log, hooks, tracing }: Preparation) {
  let running = 0

  return { compile, running: () => running }

  function compile(
    validated: ValidatedOperation,
    { check, labels }: Pick<RequestCheck, 'check'> & { readonly labels: readonly string[] },
    characters: number,
  ): Compiled {
    const { name, operation } = validated.operation
    const { overrides, supergraph } = deps
    const guard = deps.authorization?.guardOf(validated) ?? null
    const traceSource = tracing?.traceEvents(validated) ?? null
    // Variants share no event source, so that no subscriber gets an event by another's plan.
    const beginOf = createVariants(labels, (active) => {
      const storedPlan = active.size === 0 ? (validated.storedPlan ?? null) : null
      const variant = { ...deps, supergraph: supergraph.withLabels(active) }
      return guardedSubscription(guard, variant.supergraph.activeLabels, (allowed) =>
        plannedSubscription({ ...validated, storedPlan }, variant, viewer, {
          log,
          slots,
          characters,
          allowed,
          hooks,
          traceSource,
        }),
      )
    })
    beginOf(NO_LABELS)
    const count = deps.metrics?.operation(name?.value, operation)
    const countUse = usage?.operation(validated)
    return {
      kind: 'executable',
      operation,
      run: async () => ({ errors: [SUBSCRIPTIONS_NOT_SUPPORTED] }),
      answer: null,
      runIncremental: null,
      subscribe: tracing?.traceOperation(validated, subscribe, resultOfStart) ?? subscribe,
    }

    async function subscribe(...[variables, context]: Parameters<Subscribe>): ReturnType<Subscribe> {
      const startedAt = performance.now()
      const { opened, cost } = await open(variables, context)
      count?.(resultOfStart(opened), secondsSince(startedAt))
      countUse?.(context.caller.client, opened.kind === 'refused', performance.now() - startedAt)
      if (opened.kind === 'refused' || !context.wantsCost) return opened
      return { kind: 'open', source: withCostFirst(opened.source, cost) }
    }

    /** Takes the slot first, so that a client without one causes no further work. */
    async function open(
      variables: Parameters<Subscribe>[0],
      context: RequestContext,
    ): Promise<{ readonly opened: Awaited<ReturnType<Subscribe>>; readonly cost?: CostReport | undefined }> {
      const slot = slots.take(context.caller, SUBSCRIPTION_BYTES.each + (context.connectionBytes ?? 0))
      if (isRefusal(slot)) return { opened: { kind: 'refused', errors: [slot] } }
      // Chosen once, so that all events of a subscription come by one plan.
      const activeLabels = overrides && labels.length > 0 ? await overrides.activeFor(labels, context) : NO_LABELS
      const { errors, cost } = await check(variables, labels.length > 0 ? { ...context, activeLabels } : context)
      const opened =
        errors.length > 0
          ? { kind: 'refused' as const, errors }
          : await beginOf(activeLabels)(variables, context, () => {
              running--
              slot.release()
            })
      if (opened.kind === 'open') running++
      else slot.release()
      return { opened, cost }
    }
  }
}

/** Result counted in metrics for a started subscription or a cached response. */
const WITHOUT_ERRORS: ExecutionResult = { data: {} }
const resultOfStart = (opened: Awaited<ReturnType<Subscribe>>): ExecutionResult =>
  opened.kind === 'open' ? WITHOUT_ERRORS : opened
const resultOfAnswer = (answer: CacheableResult): ExecutionResult => ('bytes' in answer ? WITHOUT_ERRORS : answer.result)

const UNPLANNABLE = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected an operation that can be planned.')

/** Error for a subscription over a transport with a single response. */
export const SUBSCRIPTIONS_NOT_SUPPORTED = refusal(
  'SUBSCRIPTIONS_NOT_SUPPORTED',
  'Expected a query or a mutation, got a subscription: send it over WebSocket (graphql-transport-ws) or with "accept: text/event-stream".',
)
