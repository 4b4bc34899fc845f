import type { IncomingHttpHeaders } from 'node:http'
import { type GraphQLFormattedError, print } from 'graphql'
import { pickCredentials } from '../../platform/http/request-caller.ts'
import { createVariants, NO_LABELS } from '../executor/override-variants.ts'
import type { RequestCheck } from '../limits/request-limits.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { queryPlanOf, type Supergraph } from '../planning/supergraph.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { restoreFiles, withFiles } from '../uploads/file-upload.ts'
import { checkedChanges, withChanges } from './header-changes.ts'
import type { HookStages, StageResult } from './hook-stages.ts'
import { createHookState } from './hook-state.ts'
import type { HookOperation, HookResult, PlanCall } from './hooks.ts'
import { fetchesOf } from './plan-fetches.ts'
import { replacedResult } from './replaced-result.ts'

type Variables = Readonly<Record<string, unknown>>
type Refused = { readonly refused: readonly GraphQLFormattedError[] }

/** Describes an operation before its variables are known. */
export type DescribedOperation = () => Omit<HookOperation, 'variables'>

/** Describes an operation on first use. */
export function describeOperation({ document, operation }: ValidatedOperation): DescribedOperation {
  let described: ReturnType<DescribedOperation> | null = null
  return () => {
    described ??= { query: print(document), operationName: operation.name?.value, operationType: operation.operation }
    return described
  }
}

/** Runs the stage `request`; returns the context with changed client headers. Never rejects. */
export async function runRequestStage(
  stages: HookStages,
  describe: DescribedOperation,
  variables: Variables,
  context: RequestContext,
): Promise<Refused | { readonly context: RequestContext; readonly headers: IncomingHttpHeaders | null }> {
  const { caller, http } = context
  // A file is null for hooks, as in JSON.
  const operation = { ...describe(), variables: context.uploads ? withFiles(variables, () => null) : variables }
  const hooked = { ...context, hooks: createHookState(operation) }
  if (!stages.has('request')) return { context: hooked, headers: http?.headers ?? null }
  const headers = textHeaders(http?.headers ?? caller.credentials)
  const { requestId, address } = caller
  const call = { ...operation, requestId, address, headers, method: http?.method ?? null, context: hooked.hooks.context }
  const stageResult = await resultOfStage(() =>
    stages.run('request', call, context.signal, (before, { headers: changes }) =>
      changes ? { ...before, headers: withChanges(before.headers, checkedChanges(changes, isOfMessage)) } : before,
    ),
  )
  if (stageResult.kind === 'refused') return refusedBy(stageResult, context)
  const changed = stageResult.result?.headers
  if (!changed || changed === headers) return { context: hooked, headers: http?.headers ?? null }
  return {
    context: { ...hooked, caller: { ...caller, credentials: pickCredentials(changed) } },
    headers: http ? changed : null,
  }
}

/** Runs the stage `operation`, after authentication. Never rejects. */
export async function runOperationStage(
  stages: HookStages,
  variables: Variables,
  context: RequestContext,
): Promise<Refused | { readonly context: RequestContext; readonly variables: Variables }> {
  const { caller, hooks } = context
  if (!stages.has('operation') || !hooks?.operation) return { context, variables }
  const { requestId, address, claims = null } = caller
  const call = { ...hooks.operation, requestId, address, claims, context: hooks.context }
  const stageResult = await resultOfStage(() =>
    stages.run('operation', call, context.signal, (before, { variables: changed }) =>
      changed === undefined ? before : { ...before, variables: checkedVariables(changed) },
    ),
  )
  if (stageResult.kind === 'refused') return refusedBy(stageResult, context)
  const before = hooks.operation.variables
  const changed = stageResult.result?.variables ?? before
  if (changed === before) return { context, variables }
  if (context.uploads) restoreFiles(changed, variables)
  const operation = { ...hooks.operation, variables: changed }
  return { context: { ...context, hooks: { ...hooks, operation } }, variables: changed }
}

/**
 * Adds the stage `plan` after an operation's check. `labels`: those of `@override` that can affect
 * the plan; the hook gets the plan with the request's active ones.
 */
export function withPlanStage(
  stages: HookStages | null,
  { check, cost, estimate }: RequestCheck,
  validated: ValidatedOperation,
  { supergraph, labels }: { readonly supergraph: Supergraph; readonly labels: readonly string[] },
): RequestCheck {
  if (!stages?.has('plan')) return { check, cost, estimate }
  const fetchesWith = createVariants(labels, (active): PlanCall['fetches'] => {
    if (validated.isIntrospection) return []
    const storedPlan = active.size === 0 ? (validated.storedPlan ?? null) : null
    return fetchesOf(queryPlanOf({ ...validated, storedPlan }, supergraph.withLabels(active)).plan)
  })
  return {
    cost,
    estimate,
    async check(variables, context) {
      const checked = await check(variables, context)
      const { hooks, caller, activeLabels = NO_LABELS } = context
      if (checked.errors.length > 0 || !hooks?.operation) return checked
      const { requestId } = caller
      const fetches = fetchesWith(activeLabels)

      const call = {
        ...hooks.operation,
        requestId,
        context: hooks.context,
        fetches,
        labels: [...activeLabels].sort(),
        cost: cost(variables),
      }
      const stageResult = await resultOfStage(() => stages.run('plan', call, context.signal))
      return stageResult.kind === 'refused' ? { ...checked, errors: refusedBy(stageResult, context).refused } : checked
    },
  }
}

/** Runs the stage `subscriptionEvent`; returns the event's result. Rejects on timeout. */
export async function runEventStage(
  stages: HookStages,
  result: ExecutionResult,
  { caller: { requestId }, hooks, signal }: RequestContext,
): Promise<ExecutionResult> {
  if (!hooks?.operation) return result
  const { data, errors, extensions }: HookResult = result
  const call = {
    ...hooks.operation,
    requestId,
    context: hooks.context,
    ...(data !== undefined && { data }),
    ...(errors && { errors }),
    ...(extensions && { extensions }),
  }
  const { data: _, errors: __, extensions: ___, ...others } = call
  const stageResult = await stages.run('subscriptionEvent', call, signal, (before, { result: replacement }) =>
    replacement === undefined ? before : { ...others, ...formatted(replacedResult(replacement)) },
  )
  if (stageResult.kind === 'refused') return { data: null, errors: stageResult.errors.map((error) => error.toJSON()) }
  return stageResult.result === call || !stageResult.result ? result : resultIn(stageResult.result)
}

const resultIn = ({ data, errors, extensions }: HookResult): ExecutionResult => ({
  ...(data !== undefined && { data }),
  ...(errors && { errors }),
  ...(extensions && { extensions }),
})

const formatted = ({ data, errors, extensions }: ReturnType<typeof replacedResult>): HookResult => ({
  data: data ?? null,
  ...(errors && { errors: errors.map((error) => error.toJSON()) }),
  ...(extensions && { extensions }),
})

/** Aborted: the client has disconnected, so the result is discarded. */
async function resultOfStage<Result>(run: () => Promise<StageResult<Result>>): Promise<StageResult<Result>> {
  try {
    return await run()
  } catch {
    return { kind: 'refused', errors: [], status: null }
  }
}

function refusedBy(
  { errors, status }: Extract<StageResult<never>, { readonly kind: 'refused' }>,
  { http }: RequestContext,
): Refused {
  if (http && status !== null) http.status = status
  return { refused: errors.map((error) => error.toJSON()) }
}

function checkedVariables(given: unknown): Variables {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('Expected variables to be an object.')
  return JSON.parse(JSON.stringify(given))
}

/** Headers about the message itself, which hooks must not change once it is read. */
const isOfMessage = (name: string): boolean => OF_MESSAGE.has(name)
const OF_MESSAGE = new Set(['connection', 'content-encoding', 'content-length', 'content-type', 'host', 'transfer-encoding'])

function textHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}
