import type { GraphQLFormattedError } from 'graphql'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, withCostHeader } from '../limits/cost-report.ts'
import { BOUNDS } from '../limits/limits.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { SUBSCRIPTIONS_NOT_SUPPORTED } from '../operations/prepare-operation.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { withTimeout } from '../operations/timeout.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { type GraphQLParams, parseBodyParams } from './request-params.ts'

/** Results of a batch in order, or the error that rejects it as a whole. */
export type BatchResult =
  | { readonly kind: 'run'; readonly results: readonly ExecutionResult[] }
  | { readonly kind: 'refused'; readonly error: GraphQLFormattedError }

type BatchItem = { readonly params: GraphQLParams; readonly prepared: PreparedOperation }

/**
 * Runs a batch of at most `limit` operations, each prepared like a single one. Together they share
 * one cost limit and one timeout. They run in parallel, but one after the other if one is a
 * mutation, or if they have files. The header `GraphQL-Cost` reports the cost of each. Never rejects.
 */
export async function runBatch(
  gateway: Gateway,
  operations: readonly unknown[],
  limit: number,
  context: RequestContext,
): Promise<BatchResult> {
  if (limit === 0)
    return refused('BAD_REQUEST', 'Expected one operation as a JSON object, got a list: this server takes no batches.')
  if (operations.length === 0 || operations.length > limit) {
    return refused('BAD_REQUEST', `Expected a batch of 1 to ${limit} operations, got ${operations.length}.`, { limit })
  }
  const items: BatchItem[] = []
  for (const [index, operation] of operations.entries()) {
    const parsed = parseBodyParams(operation)
    if (parsed.kind === 'malformed') {
      const { error } = parsed
      return { kind: 'refused', error: { ...error, message: `Operation ${index + 1} of the batch: ${error.message}` } }
    }
    const params = withCostHeader(parsed.params, context.http?.headers[COST_HEADER])
    items.push({ params, prepared: gateway.prepare(params) })
  }

  const cost = items.reduce((sum, item) => sum + costOf(item), 0)
  const allowed = gateway.limits.cost
  if (allowed !== 0 && cost > allowed) {
    const message = `Expected a cost of at most ${allowed} for the whole batch, got ${cost}: send fewer operations at once.`
    return refused('COST_LIMIT_EXCEEDED', message, { cost, limit: allowed })
  }

  const results = await withTimeout(context.uploads?.remainingMs() ?? BOUNDS.operationTimeoutMs, context, async (bounded) => {
    const run = (item: BatchItem) => {
      const wantsCost = item.params.wantsCost || context.wantsCost === true
      return runItem(item, { ...bounded, wantsCost })
    }
    // Files arrive one after the other, and so do the operations that need them.
    const isInOrder = context.uploads !== undefined || items.some(({ prepared }) => prepared.operation === 'mutation')
    if (!isInOrder) return Promise.all(items.map(run))
    const inOrder: ExecutionResult[] = []
    for (const item of items) inOrder.push(await run(item))
    return inOrder
  })
  return { kind: 'run', results }
}

const costOf = ({ prepared, params }: BatchItem): number => (prepared.kind === 'executable' ? prepared.cost(params.variables) : 0)

function runItem({ prepared, params }: BatchItem, requestContext: RequestContext): ExecutionResult | Promise<ExecutionResult> {
  if (prepared.operation === 'subscription') return { errors: [SUBSCRIPTIONS_NOT_SUPPORTED] }
  return prepared.kind === 'rejected' ? { errors: prepared.errors } : prepared.run(params.variables, requestContext)
}

const refused = (...[code, message, details]: Parameters<typeof refusal>): BatchResult => ({
  kind: 'refused',
  error: refusal(code, message, details),
})
