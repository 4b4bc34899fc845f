import type { FetchNode, QueryPlan } from '@apollo/query-planner'
import {
  ExecutableDefinitionsRule,
  GraphQLError,
  type ExecutionResult as GraphQLResult,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  specifiedRules,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  type ValidationRule,
  validate,
  visit,
} from 'graphql'
import type { Logger } from 'pino'
import type { Authorization, OperationGuard, Refused } from '../authorization/authorization.ts'
import { refusalErrors } from '../authorization/refusal-errors.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { fault } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { withTimeout } from '../operations/timeout.ts'
import type { OverrideLabels } from '../planning/override-labels.ts'
import type { StoredPlan } from '../planning/plan-store.ts'
import { queryPlanOf, type Supergraph } from '../planning/supergraph.ts'
import type { Link, RequestContext } from '../subgraph-client/link.ts'
import { compileConditions } from './federated/conditions.ts'
import { compilePlan, createProjectionFor, type RunPlan } from './federated/plan.ts'
import type { PlannedDocument } from './federated/planned-document.ts'
import { compileOperation } from './graphql/compile-operation.ts'
import { runOverridden } from './override-variants.ts'
import type { RunOperation } from './run-operation.ts'

/** Dependencies of the executor. */
export type ExecutorDeps = {
  readonly supergraph: Supergraph
  readonly links: ReadonlyMap<string, Link>
  readonly metrics: Metrics | null
  /** Enforces the authorization directives of the supergraph; null when it has none. */
  readonly authorization: Authorization | null
  /** Active labels of `@override`; null or absent when the supergraph has no labels. */
  readonly overrides?: OverrideLabels | null
}

/** Mutations continue after the client disconnects, so that they never stop between two writes. */
export const outlivesClient = ({ operation }: ValidatedOperation): boolean => operation.operation === 'mutation'

/** Runs `run` within the operation timeout. Logs and masks unexpected exceptions. */
export async function runWithTimeout(
  context: RequestContext,
  log: Logger,
  run: (bounded: RequestContext) => Promise<ExecutionResult>,
  options: Parameters<typeof withTimeout>[3] = {},
): Promise<ExecutionResult> {
  try {
    return await withTimeout(context.uploads?.remainingMs() ?? BOUNDS.operationTimeoutMs, context, run, options)
  } catch (error) {
    log.error({ err: error, requestId: context.caller.requestId }, 'an operation failed')
    return { data: null, errors: [fault(context.caller.requestId)] }
  }
}

/**
 * Plans an operation and chooses its executor: the schema for introspection, one local subgraph
 * for a plan with a single fetch from it, a compiled plan for everything else. Throws when the
 * planner does not support the operation.
 */
export function planOperation(
  checked: ValidatedOperation,
  deps: ExecutorDeps,
  { guard = deps.authorization?.guardOf(checked) ?? null, mutations = 'partial' }: GuardOptions = {},
): RunOperation {
  const { overrides, supergraph } = deps
  const labels = overrides?.labelsIn(checked.document) ?? []
  if (!overrides || labels.length === 0) return planVariant(checked, deps, { guard, mutations })
  return runOverridden(overrides, labels, (active) => {
    const storedPlan = active.size === 0 ? (checked.storedPlan ?? null) : null
    return planVariant({ ...checked, storedPlan }, { ...deps, supergraph: supergraph.withLabels(active) }, { guard, mutations })
  })
}

function planVariant(
  checked: ValidatedOperation,
  deps: ExecutorDeps,
  { guard, mutations }: Required<GuardOptions>,
): RunOperation {
  const unguarded = planUnguarded(checked, deps)
  return guard ? planGuarded(checked, deps, { unguarded, guard, mutations }) : unguarded
}

type GuardOptions = {
  /** The operation's guard, when the caller has created it already. */
  readonly guard?: OperationGuard | null
  /**
   * How to run a mutation with refused fields. `partial`: runs, as in Apollo Router, and refused
   * fields are null. `refused`: does not run, for facades whose responses are complete or an error.
   */
  readonly mutations?: 'partial' | 'refused'
}

/**
 * Runs `unguarded` for callers who may read every field; for others, a plan of the fields they may
 * read, with an error for each refused one.
 */
function planGuarded(
  checked: ValidatedOperation,
  { supergraph, links, metrics }: ExecutorDeps,
  {
    unguarded,
    guard,
    mutations,
  }: { readonly unguarded: RunOperation } & Required<GuardOptions> & { readonly guard: OperationGuard },
): RunOperation {
  const isMutation = checked.operation.operation === 'mutation'
  return async (variables, context) => {
    const refused = await guard.check(context)
    if (!refused) return unguarded(variables, context)
    const { refusals, errorOf } = refused
    if (isMutation && mutations === 'refused' && refusals.parts.length > 0) return { data: null, errors: refusalErrors(refused) }
    const run = guard.remember('plan', `${supergraph.activeLabels}${refusals.key}`, () =>
      compileAllowed(guard.ready, refusals, supergraph, links),
    )
    metrics?.executed('compiled')
    return run(variables, context, null, errorOf)
  }
}

/** Compiles the allowed part of an operation. Refused fields of the result are null. */
function compileAllowed(
  ready: PlannedDocument,
  refusals: Refused['refusals'],
  supergraph: Supergraph,
  links: ReadonlyMap<string, Link>,
): RunPlan {
  const plan = refusals.allowed ? supergraph.plan(refusals.allowed) : EMPTY_PLAN
  return compilePlan(ready, plan, supergraph, links, refusals)
}

const EMPTY_PLAN: QueryPlan = { kind: 'QueryPlan' }

function planUnguarded(checked: ValidatedOperation, { supergraph, links, metrics }: ExecutorDeps): RunOperation {
  if (checked.isIntrospection) {
    const introspect = compileOperation(supergraph.api, checked.document, checked.operation.name?.value)
    return async (variableValues) => {
      metrics?.executed('introspection')
      return fromIntrospection(await introspect({ contextValue: undefined, variableValues }))
    }
  }

  const { ready, plan } = queryPlanOf(checked, supergraph)
  const planNode = singleFetch(plan)
  const direct = findDirectLink(checked, planNode, supergraph, links)
  if (direct && planNode) {
    const { document, operation } = checked
    const request = { query: '', operationName: operation.name?.value, document, planNodes: [planNode] }
    const nullData = compileNullData(ready, supergraph)
    return async (variables, context) => {
      metrics?.executed('direct')
      context.planTrace?.begin(planNode)
      const result = await direct.execute({ ...request, variables }, context)
      return toExecutionResult(isRequestError(result) ? { ...result, data: nullData(variables) } : result)
    }
  }

  const run = compilePlan(ready, plan, supergraph, links)
  return (variables, context) => {
    metrics?.executed('compiled')
    return run(variables, context)
  }
}

/** Validation rules that need no schema. */
const DOCUMENT_RULES = new Set<ValidationRule>([
  ExecutableDefinitionsRule,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
])

/**
 * Rules that a document valid for the API schema may still violate for a subgraph's schema.
 * Skipping the others halves validation time.
 */
const SCHEMA_RULES = specifiedRules.filter((rule) => !DOCUMENT_RULES.has(rule))

/**
 * The local subgraph that can execute the whole operation without projection: the operation must be
 * valid for its schema, and the API schema must hide nothing. Null when there is none.
 */
export function findDirectLink(
  { document, operation, storedPlan: known }: ValidatedOperation,
  fetch: FetchNode | null,
  { api, hasInaccessibleElements: hidesSomething }: Supergraph,
  links: ReadonlyMap<string, Link>,
): Link | null {
  if (!fetch || fetch.requires || fetch.outputRewrites || fetch.contextRewrites) return null
  const link = links.get(fetch.serviceName)
  if (!link?.schema || hidesSomething) return null
  const [root, ownRoot] = [api, link.schema].map((schema) => schema.getRootType(operation.operation)?.name)
  if (root !== ownRoot || selectsSchema(document)) return null
  return (known?.isDirect ?? validate(link.schema, document, SCHEMA_RULES).length === 0) ? link : null
}

/** The plan of an operation in the form of the plan store. */
export function createStoredPlan(checked: ValidatedOperation, { supergraph, links }: ExecutorDeps): StoredPlan {
  const { plan } = queryPlanOf(checked, supergraph)
  const fetch = singleFetch(plan)
  const isLocal = fetch !== null && links.get(fetch.serviceName)?.schema !== undefined
  return { plan, isDirect: isLocal ? findDirectLink(checked, fetch, supergraph, links) !== null : null }
}

const singleFetch = ({ node }: QueryPlan): FetchNode | null => (node?.kind === 'Fetch' ? node : null)

/**
 * Whether `__schema` or `__type` is selected, which a subgraph would resolve from its own schema.
 */
function selectsSchema(document: ValidatedOperation['document']): boolean {
  let found = false
  visit(document, {
    Field({ name }) {
      if (name.value === '__schema' || name.value === '__type') found = true
    },
  })
  return found
}

/**
 * Whether execution did not start (request error, GraphQL §7.1.2): no data, and no error has a
 * path.
 */
const isRequestError = ({ data, errors = [] }: GraphQLResult): boolean =>
  !data && errors.length > 0 && errors.every(({ path }) => !path)

/** Result data of a failed fetch: null for nullable root fields. Compiled on first use. */
function compileNullData(ready: PlannedDocument, supergraph: Supergraph) {
  const projectionFor = createProjectionFor(ready, supergraph, compileConditions(ready.document, ready.operation))
  return (clientVariables: Readonly<Record<string, unknown>>) => {
    const variables = ready.variablesOf(clientVariables)
    // Errors are ignored: the fetch has reported its own.
    return projectionFor(variables)({}, variables, () => {}, false)
  }
}

/** Converts a subgraph's result to a client's result. */
export const toExecutionResult = ({ data, errors }: GraphQLResult): ExecutionResult => ({
  ...(data !== undefined && { data }),
  ...(errors && errors.length > 0 && { errors: errors.map((error) => formatError(error)) }),
})

/** Introspection never fails by itself, so an error is about the client's variables. */
const fromIntrospection = ({ data, errors = [] }: GraphQLResult): ExecutionResult =>
  toExecutionResult({
    ...(data !== undefined && { data }),
    errors: errors.map(({ message, path }) => new GraphQLError(message, { path, extensions: { code: 'BAD_USER_INPUT' } })),
  })

const formatError = ({ message, path, extensions }: GraphQLError) => ({
  message,
  ...(path && { path }),
  extensions,
})
