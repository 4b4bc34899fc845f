import type { GraphQLFormattedError } from 'graphql'
import type { CacheableResult } from '../caching/caching.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { ExecutableOperation, PreparedOperation } from '../operations/prepared-operation.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** One of two supergraphs that serve operations at the same time. */
export type SupergraphVersion = 'served' | 'candidate'

/** Chooses the supergraph of each operation, and observes the result. */
export type VersionRoute = {
  /** Whether the choice depends on headers of the client. */
  readonly readsHeaders: boolean
  /** Always the same for the same caller. */
  readonly versionFor: (context: RequestContext) => SupergraphVersion
  /** Called when an operation ends; `errors`: those of its result. */
  readonly began: (version: SupergraphVersion, context: RequestContext) => (errors: Errors) => void
}

type Errors = readonly GraphQLFormattedError[] | undefined
type Variables = Readonly<Record<string, unknown>>

/**
 * An operation that runs on the graph that `route` chooses for its caller. `prepareCandidate`
 * prepares it there on first use; null when the candidate has ended meanwhile. Each graph has
 * documents, plans and cached responses of its own, so nothing of one answers for the other.
 */
export function routedOperation(
  served: PreparedOperation,
  route: VersionRoute,
  prepareCandidate: () => PreparedOperation | null,
): PreparedOperation {
  // Rejected here, it may use what only the candidate has.
  const first = served.kind === 'rejected' ? prepareCandidate() : null
  const known = served.kind === 'executable' ? served : first
  if (known?.kind !== 'executable') return served

  /** Runs it on one graph with `execute`, or returns `rejected` of its errors there. */
  async function on<Result>(
    context: RequestContext,
    execute: (prepared: ExecutableOperation, version: SupergraphVersion) => Promise<Result>,
    rejected: (errors: readonly GraphQLFormattedError[]) => Result,
    errorsOf: (result: Result) => Errors,
  ): Promise<Result> {
    const candidate = route.versionFor(context) === 'candidate' ? (first ?? prepareCandidate()) : null
    const version = candidate ? 'candidate' : 'served'
    const prepared = candidate ?? served
    const ended = route.began(version, context)
    const result = prepared.kind === 'rejected' ? rejected(prepared.errors) : await execute(prepared, version)
    ended(errorsOf(result))
    return result
  }
  const run = (variables: Variables, context: RequestContext): Promise<ExecutionResult> =>
    on(
      context,
      (prepared) => prepared.run(variables, context),
      (errors) => ({ errors }),
      ({ errors }) => errors,
    )

  return {
    kind: 'executable',
    operation: known.operation,
    cost: known.cost,
    estimate: known.estimate,
    run,
    answer:
      known.answer &&
      ((variables, context) =>
        on<CacheableResult>(
          context,
          async ({ answer, run }, version) => {
            const answered = (await answer?.(variables, context)) ?? { result: await run(variables, context) }
            return version === 'candidate' ? uncachedElsewhere(answered) : answered
          },
          (errors) => ({ result: { errors } }),
          (answered) => ('bytes' in answered ? undefined : answered.result.errors),
        )),
    runIncremental:
      known.runIncremental &&
      ((variables, context) =>
        on(
          context,
          async ({ runIncremental, run }) =>
            (await runIncremental?.(variables, context)) ?? { initial: await run(variables, context), rest: null },
          (errors) => ({ initial: { errors }, rest: null }),
          ({ initial }) => initial.errors,
        )),
    subscribe:
      known.subscribe &&
      ((variables, context) =>
        on(
          context,
          async ({ subscribe }) => (await subscribe?.(variables, context)) ?? { kind: 'refused', errors: [] },
          (errors) => ({ kind: 'refused', errors }),
          (opened) => (opened.kind === 'refused' ? opened.errors : undefined),
        )),
  }
}

/** Shared caches in front of the gateway know no versions, so that they store answers of one alone. */
const uncachedElsewhere = (answered: CacheableResult): CacheableResult =>
  'bytes' in answered ? { ...answered, policy: { ...answered.policy, vary: '*' } } : answered
