import type { GraphQLFormattedError } from 'graphql'
import { type Admission, type Gateway, SUBSCRIPTION } from '../gateway.ts'
import { BOUNDS } from '../limits/limits.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { withinTime } from '../operations/timeout.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { type Asked, askedInBody } from './request-params.ts'

/** Operations that came in one request: an outcome for each, in their order, or why none of them runs. */
export type BatchOutcome =
  | { readonly kind: 'run'; readonly outcomes: readonly ExecutionResult[] }
  | { readonly kind: 'refused'; readonly error: GraphQLFormattedError }

/**
 * Runs a list of operations, at most `limit`, each admitted as if it had come alone. Together they may cost what one may, and take as long. With a mutation among
 * them they run one after the other, all at once otherwise. A client that wants to know what it costs may say so once for all of them. Never rejects.
 */
export async function runBatch(
  gateway: Gateway,
  given: readonly unknown[],
  limit: number,
  passage: RequestContext,
): Promise<BatchOutcome> {
  if (limit === 0)
    return refused('BAD_REQUEST', 'Expected one operation as a JSON object, got a list: this server takes no batches.')
  if (given.length === 0 || given.length > limit) {
    return refused('BAD_REQUEST', `Expected a batch of 1 to ${limit} operations, got ${given.length}.`, { limit })
  }
  const parts: { readonly asked: Asked; readonly admission: Admission }[] = []
  for (const [index, one] of given.entries()) {
    const read = askedInBody(one)
    if (read.kind === 'malformed') {
      const { error } = read
      return { kind: 'refused', error: { ...error, message: `Operation ${index + 1} of the batch: ${error.message}` } }
    }
    parts.push({ asked: read.asked, admission: gateway.admitAsked(read.asked) })
  }

  const cost = parts.reduce((sum, { asked, admission }) => sum + costOf(admission, asked), 0)
  const allowed = gateway.limits.cost
  if (allowed !== 0 && cost > allowed) {
    const message = `Expected a cost of at most ${allowed} for the whole batch, got ${cost}: send fewer operations at once.`
    return refused('COST_LIMIT_EXCEEDED', message, { cost, limit: allowed })
  }

  const outcomes = await withinTime(BOUNDS.milliseconds, passage, async (bounded) => {
    const run = ({ asked, admission }: (typeof parts)[number]) => {
      const wantsCost = asked.wantsCost || passage.wantsCost === true
      return outcomeOf(admission, asked, { ...bounded, wantsCost })
    }
    if (!parts.some(({ admission }) => admission.operation === 'mutation')) return Promise.all(parts.map(run))
    const inOrder: ExecutionResult[] = []
    for (const part of parts) inOrder.push(await run(part))
    return inOrder
  })
  return { kind: 'run', outcomes }
}

const costOf = (admission: Admission, { variables }: Asked): number =>
  admission.kind === 'admitted' ? admission.cost(variables) : 0

function outcomeOf(
  admission: Admission,
  { variables }: Asked,
  passage: RequestContext,
): ExecutionResult | Promise<ExecutionResult> {
  if (admission.operation === 'subscription') return { errors: [SUBSCRIPTION] }
  return admission.kind === 'refused' ? { errors: admission.errors } : admission.run(variables, passage)
}

const refused = (...[code, message, details]: Parameters<typeof refusal>): BatchOutcome => ({
  kind: 'refused',
  error: refusal(code, message, details),
})
