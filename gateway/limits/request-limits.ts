import { type GraphQLFormattedError, type GraphQLSchema, Kind } from 'graphql'
import type { RateLimitResult } from '../../platform/rate-limit/token-buckets.ts'
import { conditionVariables } from '../executor/federated/conditions.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { refusal, withoutSuggestions } from '../operations/errors.ts'
import { type Coerce, compileCoercion } from '../operations/variables.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { misplacedFiles } from '../uploads/upload-types.ts'
import type { Budget } from './budget.ts'
import type { CostModel } from './cost-limit.ts'
import type { CostReport } from './cost-report.ts'
import { BOUNDS, type Limits } from './limits.ts'
import { isDeeperThan } from './nesting.ts'
import type { CheckSubgraphs } from './subgraph-limits.ts'

/** Maximum errors about variables in a response. */
const MAX_VARIABLE_ERRORS = 20

type Variables = Readonly<Record<string, unknown>>
type Errors = readonly GraphQLFormattedError[]

/** Errors of an operation with these variables; empty when it may run. */
export type RequestCheckResult = {
  readonly errors: Errors
  /** Absent when it was refused before its cost was computed. */
  readonly cost?: CostReport
}

/** Check of one operation per request. */
export type RequestCheck = {
  /**
   * Checks variables, page sizes and cost, and charges the client's budget. Cost is computed for
   * valid variables only. Never rejects.
   */
  readonly check: (variables: Variables, context: RequestContext) => RequestCheckResult | Promise<RequestCheckResult>
  /** Cost in points with these variables; 0 when they are invalid. Charges no budget. */
  readonly cost: (variables: Variables) => number
  /** Cost with these variables and its limit, or why they are refused. Charges no budget, and counts nowhere. */
  readonly estimate: (variables: Variables) => CostEstimate
}

/** What an operation would cost; `errors` when its variables are refused. */
export type CostEstimate =
  | { readonly kind: 'refused'; readonly errors: Errors }
  | { readonly kind: 'estimated'; readonly cost: Pick<CostReport, 'requested' | 'limit'> }

/** Checks of variables, each for values that passed the previous one. */
type Checks = {
  readonly coerce: Coerce
  /** Nullable variables used for `@skip` or `@include`, which must not be null. */
  readonly conditions: readonly string[]
  readonly model: CostModel
}

/**
 * Compiles the check of one operation. Without `suggestions` errors do not name similar fields of
 * the schema.
 */
export function compileRequestCheck(
  schema: GraphQLSchema,
  checked: ValidatedOperation,
  model: CostModel,
  {
    limits,
    budget,
    suggestions,
    onOverLimit = () => {},
    subgraphs = null,
  }: {
    readonly limits: Limits
    readonly budget: Budget | null
    readonly suggestions: boolean
    /** Called when an operation exceeds its cost limit, refused or not. */
    readonly onOverLimit?: (requested: number, limit: number) => void
    /** Cost check per subgraph; absent when no subgraph has a limit. */
    readonly subgraphs?: CheckSubgraphs | null
  },
): RequestCheck {
  // An operation above a whole minute's budget could never run.
  const limit = Math.min(limits.cost || Infinity, budget?.perMinute ?? Infinity)
  const reportedLimit = Number.isFinite(limit) ? limit : null
  const enforced = limits.costMode === 'measure' ? (budget?.perMinute ?? Infinity) : limit
  const coerce = compileCoercion(schema, checked.operation.variableDefinitions ?? [], { maxErrors: MAX_VARIABLE_ERRORS })
  const checks: Checks = { coerce, conditions: nullableConditions(checked), model }

  return {
    check: verdict,
    cost(variables) {
      const { coerced } = coercedIn(checks, variables)
      return coerced ? model.cost(coerced) : 0
    },
    estimate(variables) {
      const { coerced, errors } = coercedIn(checks, variables)
      if (!coerced) return { kind: 'refused', errors: shown(errors) }
      return { kind: 'estimated', cost: { requested: model.cost(coerced), limit: reportedLimit } }
    },
  }

  function shown(errors: Errors): Errors {
    return suggestions ? errors : errors.map(withoutSuggestions)
  }

  function verdict(
    variables: Variables,
    { caller, wantsCost = false, activeLabels, uploads }: RequestContext,
  ): RequestCheckResult | Promise<RequestCheckResult> {
    const misplaced = uploads ? misplacedFiles(schema, checked.operation.variableDefinitions ?? [], variables) : NONE
    if (misplaced.length > 0) return { errors: misplaced }
    const { coerced, errors } = coercedIn(checks, variables)
    if (!coerced) return { errors: shown(errors) }
    const requested = model.cost(coerced)
    const perSubgraph = subgraphs?.(coerced, activeLabels) ?? null
    const report = (level: RateLimitResult | null): CostReport => ({
      requested,
      limit: reportedLimit,
      ...(perSubgraph && { subgraphs: perSubgraph.report }),
      budget: level && { remaining: level.left, resetSeconds: level.fullInSeconds },
    })
    if (requested > limit) onOverLimit(requested, limit)
    if (requested > enforced || (perSubgraph !== null && perSubgraph.errors.length > 0)) {
      const ofWhole = requested > enforced ? [costRefusal(requested, enforced)] : NONE
      const tooDear = [...ofWhole, ...(perSubgraph?.errors ?? NONE)]
      return wantsCost && budget
        ? after(budget.spend(caller, 0), (level) => ({ errors: tooDear, cost: report(level) }))
        : { errors: tooDear, cost: report(null) }
    }
    if (!budget) return { errors: NONE, cost: report(null) }
    // Introspection has cost 0, but is charged 1 point.
    return after(budget.spend(caller, Math.max(1, requested)), (level) => ({
      errors: level.isGranted ? NONE : [budgetRefusal(report(level), budget.perMinute, level.waitSeconds)],
      cost: report(level),
    }))
  }
}

/** Coerces variables and checks page sizes; returns errors otherwise. */
function coercedIn(
  { coerce, conditions, model }: Checks,
  variables: Variables,
): { readonly coerced: Variables; readonly errors: Errors } | { readonly coerced: null; readonly errors: Errors } {
  const refused = (...errors: Errors) => ({ coerced: null, errors })
  if (isDeeperThan(variables, BOUNDS.variableDepth)) {
    return refused(refusal('BAD_USER_INPUT', `Expected variables nested at most ${BOUNDS.variableDepth} deep.`))
  }
  const { errors, coerced } = coerce(variables)
  if (errors) return refused(...errors.map(({ message }) => refusal('BAD_USER_INPUT', message)))
  if (conditions.some((name) => coerced[name] === null)) return refused(NULL_CONDITION)
  const page = model.pageFault(coerced)
  if (page) {
    // The gateway does not know what the field itself allows: that is in the answer of a smaller page.
    const message =
      page.value < 0
        ? `Expected "${page.argument}" to be 0 or more, got ${page.value}.`
        : `Expected "${page.argument}" to be at most ${BOUNDS.pageSize}, as for any field, got ${page.value}: this one may allow less.`
    return refused(refusal('PAGE_SIZE_OUT_OF_RANGE', message, { argument: page.argument }))
  }
  return { coerced, errors: NONE }
}

/**
 * Nullable variables with a default may be used in non-null positions. graphql-js reports null
 * there only when the condition is evaluated, which depends on the plan, so it is checked in
 * advance.
 */
function nullableConditions({ document, deferred = document, operation }: ValidatedOperation): readonly string[] {
  const inConditions = new Set([...conditionVariables(document), ...conditionVariables(deferred, ['defer'])])
  return (operation.variableDefinitions ?? [])
    .filter(({ type, variable }) => type.kind !== Kind.NON_NULL_TYPE && inConditions.has(variable.name.value))
    .map(({ variable }) => variable.name.value)
}

/** Same text as in graphql-js. */
const NULL_CONDITION = refusal('BAD_USER_INPUT', 'Argument "if" of non-null type "Boolean!" must not be null.')

const costRefusal = (cost: number, limit: number): GraphQLFormattedError =>
  refusal('COST_LIMIT_EXCEEDED', `Expected a cost of at most ${limit}, got ${cost}: ask for shorter pages or fewer fields.`, {
    cost,
    limit,
  })

function budgetRefusal({ requested, budget }: CostReport, perMinute: number, waitSeconds: number): GraphQLFormattedError {
  const message = `Expected at most ${perMinute} points of cost a minute, and ${budget?.remaining} are left where ${requested} are needed: try again in ${waitSeconds} seconds.`
  return refusal('RATE_LIMITED', message, { cost: requested, budget, retryAfterSeconds: waitSeconds })
}

const NONE: Errors = []

const after = <Value, Result>(value: Value | Promise<Value>, use: (value: Value) => Result): Result | Promise<Result> =>
  value instanceof Promise ? value.then(use) : use(value)
