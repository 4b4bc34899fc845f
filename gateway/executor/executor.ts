import type { FetchNode, QueryPlan } from '@apollo/query-planner'
import {
  ExecutableDefinitionsRule,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
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
import { BOUNDS } from '../limits/limits.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import { fault } from '../operations/errors.ts'
import type { Outcome } from '../operations/execution-result.ts'
import { withinTime } from '../operations/timeout.ts'
import type { KnownPlan } from '../planning/plan-store.ts'
import { planOf, type Supergraph } from '../planning/supergraph.ts'
import type { Link, Passage } from '../subgraph-client/link.ts'
import { conditionsOf } from './federated/conditions.ts'
import { compilePlan, type RunPlan, shapesOf } from './federated/plan.ts'
import type { PlannedDocument } from './federated/planned-document.ts'
import { compileOperation } from './graphql/compile-operation.ts'

/** An operation that is ready to run, as often as it is asked for. Never rejects. */
export type Run = (variables: Readonly<Record<string, unknown>>, passage: Passage) => Promise<Outcome>

/** What running operations takes. */
export type Machinery = {
  readonly supergraph: Supergraph
  readonly links: ReadonlyMap<string, Link>
  readonly metrics: Metrics | null
  /** Enforces the authorization directives of the supergraph; null when it has none. */
  readonly authorization: Authorization | null
}

/** Whether an operation that has begun goes on without its client: nobody may leave half of a mutation behind, in one subgraph or between two. */
export const outlivesClient = ({ operation }: CheckedOperation): boolean => operation.operation === 'mutation'

/** Runs within the time that an operation has; a fault of ours ends as an error without detail. */
export async function guarded(
  passage: Passage,
  log: Logger,
  run: (bounded: Passage) => Promise<Outcome>,
  options: Parameters<typeof withinTime>[3] = {},
): Promise<Outcome> {
  try {
    return await withinTime(BOUNDS.milliseconds, passage, run, options)
  } catch (error) {
    log.error({ err: error, requestId: passage.caller.requestId }, 'an operation failed')
    return { data: null, errors: [fault(passage.caller.requestId)] }
  }
}

/**
 * Plans an operation and chooses the shortest way to run it. Throws when the planner does not support it.
 * Introspection is answered from the schema. A plan of one fetch from a subgraph in this process is the operation itself, asked there. Every other plan is
 * compiled.
 */
export function planned(
  checked: CheckedOperation,
  machinery: Machinery,
  { guard = machinery.authorization?.guardOf(checked) ?? null, mutations = 'partly' }: GuardOptions = {},
): Run {
  const whole = plannedWhole(checked, machinery)
  return guard ? guardedRun(checked, machinery, { whole, guard, mutations }) : whole
}

type GuardOptions = {
  /** The guard of the operation, where it is known already. */
  readonly guard?: OperationGuard | null
  /**
   * What happens to a mutation of which the caller may not read all. `partly`: it is carried out, as in Apollo Router, and what
   * may not be read is null. `refused`: nothing is carried out, for facades that answer all or nothing.
   */
  readonly mutations?: 'partly' | 'refused'
}

/** `whole` for callers who may read all of it; for others a plan of what they may read, with an error for each part that they may not. */
function guardedRun(
  checked: CheckedOperation,
  { supergraph, links, metrics }: Machinery,
  { whole, guard, mutations }: { readonly whole: Run } & Required<GuardOptions> & { readonly guard: OperationGuard },
): Run {
  const isMutation = checked.operation.operation === 'mutation'
  return async (variables, passage) => {
    const refused = await guard.check(passage)
    if (!refused) return whole(variables, passage)
    const { refusals, errorOf } = refused
    if (isMutation && mutations === 'refused' && refusals.parts.length > 0) return { data: null, errors: errorsOf(refused) }
    const run = guard.remember('plan', refusals.key, () => compileAllowed(guard.ready, refusals, supergraph, links))
    metrics?.executed('compiled')
    return run(variables, passage, null, errorOf)
  }
}

/** An error for each part of an operation that was refused before it began, below the root field that it belongs to. */
export const errorsOf = ({ refusals, errorOf }: Refused): readonly GraphQLFormattedError[] => {
  const errors = new Map<string, GraphQLFormattedError>()
  for (const { rootKey, part } of refusals.parts) {
    const error = { ...errorOf(part), ...(rootKey !== '' && { path: [rootKey] }) }
    errors.set(JSON.stringify(error), error)
  }
  return [...errors.values()]
}

/** What is left of an operation, planned; its answer has the shape of the whole one, with null where something is refused. */
function compileAllowed(
  ready: PlannedDocument,
  refusals: Refused['refusals'],
  supergraph: Supergraph,
  links: ReadonlyMap<string, Link>,
): RunPlan {
  const plan = refusals.allowed ? supergraph.plan(refusals.allowed) : NOTHING_TO_FETCH
  return compilePlan(ready, plan, supergraph, links, refusals)
}

const NOTHING_TO_FETCH: QueryPlan = { kind: 'QueryPlan' }

function plannedWhole(checked: CheckedOperation, { supergraph, links, metrics }: Machinery): Run {
  if (checked.isIntrospection) {
    const introspect = compileOperation(supergraph.api, checked.document, checked.operation.name?.value)
    return async (variableValues) => {
      metrics?.executed('introspection')
      return introspected(await introspect({ contextValue: undefined, variableValues }))
    }
  }

  const { ready, plan } = planOf(checked, supergraph)
  const direct = directLink(checked, singleFetch(plan), supergraph, links)
  if (direct) {
    const { document, operation } = checked
    const request = { query: '', operationName: operation.name?.value, document }
    const emptied = emptyAnswers(ready, supergraph)
    return async (variables, passage) => {
      metrics?.executed('direct')
      const answer = await direct.execute({ ...request, variables }, passage)
      return outcomeOf(isUnanswered(answer) ? { ...answer, data: emptied(variables) } : answer)
    }
  }

  const run = compilePlan(ready, plan, supergraph, links)
  return (variables, passage) => {
    metrics?.executed('compiled')
    return run(variables, passage)
  }
}

/** What may be wrong with a document whatever the schema. */
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

/** Of a document that is valid somewhere, what may be wrong elsewhere; the rest says nothing of a schema, and takes as long. */
const SCHEMA_RULES = specifiedRules.filter((rule) => !DOCUMENT_RULES.has(rule))

/**
 * The subgraph that answers the whole operation, when its answer needs no shaping: it conforms to its schema, the operation means the same
 * there, and nothing of that schema is kept from clients.
 */
export function directLink(
  { document, operation, known }: CheckedOperation,
  fetch: FetchNode | null,
  { api, hidesSomething }: Supergraph,
  links: ReadonlyMap<string, Link>,
): Link | null {
  if (!fetch || fetch.requires || fetch.outputRewrites || fetch.contextRewrites) return null
  const link = links.get(fetch.serviceName)
  if (!link?.schema || hidesSomething) return null
  const [root, ownRoot] = [api, link.schema].map((schema) => schema.getRootType(operation.operation)?.name)
  if (root !== ownRoot || asksForSchema(document)) return null
  return (known?.isDirect ?? validate(link.schema, document, SCHEMA_RULES).length === 0) ? link : null
}

/** What there is to know about an operation that was planned for the first time. */
export function knownOf(checked: CheckedOperation, { supergraph, links }: Machinery): KnownPlan {
  const { plan } = planOf(checked, supergraph)
  const fetch = singleFetch(plan)
  const isHere = fetch !== null && links.get(fetch.serviceName)?.schema !== undefined
  return { plan, isDirect: isHere ? directLink(checked, fetch, supergraph, links) !== null : null }
}

const singleFetch = ({ node }: QueryPlan): FetchNode | null => (node?.kind === 'Fetch' ? node : null)

/** Whether any `__schema` or `__type` is asked: the schema of a subgraph is not the schema of the graph. */
function asksForSchema(document: CheckedOperation['document']): boolean {
  let found = false
  visit(document, {
    Field({ name }) {
      if (name.value === '__schema' || name.value === '__type') found = true
    },
  })
  return found
}

/** Whether a subgraph said nothing of any field: it could not be asked, or refused to be. */
const isUnanswered = ({ data, errors = [] }: ExecutionResult): boolean =>
  !data && errors.length > 0 && errors.every(({ path }) => !path)

/** The answer of a subgraph that said nothing: its fields are null where they may be. Compiled when it is needed. */
function emptyAnswers(ready: PlannedDocument, supergraph: Supergraph) {
  const shapeFor = shapesOf(ready, supergraph, conditionsOf(ready.document, ready.operation))
  return (given: Readonly<Record<string, unknown>>) => {
    const variables = ready.variablesOf(given)
    // Why they are null is told already.
    return shapeFor(variables)({}, variables, () => {}, false)
  }
}

/** A subgraph's answer as a client sees it. */
export const outcomeOf = ({ data, errors }: ExecutionResult): Outcome => ({
  ...(data !== undefined && { data }),
  ...(errors && errors.length > 0 && { errors: errors.map((error) => formatted(error)) }),
})

/** The schema answers whatever is asked as it should be. */
const introspected = ({ data, errors = [] }: ExecutionResult): Outcome =>
  outcomeOf({
    ...(data !== undefined && { data }),
    errors: errors.map(({ message, path }) => new GraphQLError(message, { path, extensions: { code: 'BAD_USER_INPUT' } })),
  })

const formatted = ({ message, path, extensions }: NonNullable<ExecutionResult['errors']>[number]) => ({
  message,
  ...(path && { path }),
  extensions,
})
