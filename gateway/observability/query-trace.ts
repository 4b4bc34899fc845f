import { createHash, timingSafeEqual } from 'node:crypto'
import type { DeferredNode, FetchNode, PlanNode, SubscriptionNode } from '@apollo/query-planner'
import { EVENT_SOURCE } from '../executor/federated/plan.ts'
import { isRepresentations } from '../executor/federated/planned-document.ts'
import { createHttpContext, type HttpContext } from '../middleware/http-context.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { RunIncremental } from '../operations/incremental-result.ts'
import type { ExecutableOperation } from '../operations/prepared-operation.ts'
import type { Link, PlanTrace, RequestContext, SubgraphRequest } from '../subgraph-client/link.ts'

/** Request header for a trace: the token of the options, or `1` where everyone may read traces. */
export const QUERY_TRACE_HEADER = 'atrium-trace'

/** Who may read traces: every caller that requests one, or those with a token. */
export type QueryTraceReaders = 'everyone' | { readonly token: string }

/** Settings of query traces. */
type QueryTraceSettings = {
  /** Absent: everyone in development, nobody elsewhere. */
  readonly QUERY_TRACES?: 'off' | 'everyone' | undefined
  readonly QUERY_TRACE_TOKEN?: string | undefined
}

/** Who may read query traces, by the settings; null: nobody. */
export const queryTraceReadersOf = (
  { QUERY_TRACES, QUERY_TRACE_TOKEN: token }: QueryTraceSettings,
  isDevelopment: boolean,
): QueryTraceReaders | null => {
  if (token !== undefined) return { token }
  return (QUERY_TRACES ?? (isDevelopment ? 'everyone' : 'off')) === 'everyone' ? 'everyone' : null
}

/** A request of a fetch to its subgraph. Milliseconds since the operation began. */
export type TracedRequest = {
  readonly startMilliseconds: number
  readonly milliseconds: number
  readonly status: 'ok' | 'errors' | 'failed'
  /** Number of entities, of all its fetches; absent for fetches of root fields. */
  readonly entities?: number
  /** Number of fetches that the request was for, each of which shows it; absent: one. */
  readonly fetches?: number
}

/** Node of a traced plan. */
export type TracedNode =
  | {
      readonly kind: 'Fetch'
      readonly subgraph: string
      readonly query: string
      readonly isEntityFetch: boolean
      /** Empty: it was left out, or answered from the entity cache. */
      readonly requests: readonly TracedRequest[]
    }
  /** The first result, if it needs fetches, and `Deferred` nodes. */
  | { readonly kind: 'Sequence' | 'Parallel' | 'Defer'; readonly nodes: readonly TracedNode[] }
  /** A fragment with `@defer` on the objects at a path; without nodes when others fetch it. */
  | { readonly kind: 'Deferred'; readonly path: string; readonly nodes: readonly TracedNode[] }
  /** The event of a subscription, with fields of its subgraph. */
  | { readonly kind: 'Event' }
  | { readonly kind: 'Flatten'; readonly path: string; readonly node: TracedNode }
  | { readonly kind: 'Condition'; readonly variable: string; readonly nodes: readonly TracedNode[] }
  /** Further nodes are left out. */
  | { readonly kind: 'Truncated' }

/** Trace of one operation, as `extensions.trace`. Without addresses, headers, variables and data. */
export type QueryTrace = {
  readonly version: 1
  /** Null for an operation without fetches, and when it was refused. */
  readonly plan: TracedNode | null
  readonly milliseconds: number
}

/** Upper bounds of a trace. */
const MAX_NODES = 200
const MAX_REQUESTS = 500
const MAX_QUERY_CHARACTERS = 2_000
/** Upper bound of the header of a WebSocket, which is kept with it. */
const MAX_HEADER_CHARACTERS = 4_096

/**
 * Adds traces to the results of operations that request one, when the caller may read them: to the
 * last payload of a result in parts, and to each event of a subscription. Others are neither traced
 * nor told that a token was wrong.
 */
export function createQueryTraces(readers: QueryTraceReaders | null): {
  readonly readers: 'everyone' | 'token'
  readonly wrap: (operation: ExecutableOperation) => ExecutableOperation
} | null {
  if (readers === null) return null
  const mayRead = readers === 'everyone' ? (header: string) => header === '1' : tokenCheck(readers.token)
  const isTraced = ({ http }: RequestContext): boolean => {
    const header = http?.headers[QUERY_TRACE_HEADER]
    return typeof header === 'string' && mayRead(header)
  }
  return {
    readers: readers === 'everyone' ? readers : 'token',
    wrap(operation) {
      const { run, answer, runIncremental, subscribe } = operation
      const traced: typeof run = async (variables, context) => {
        const trace = recordTrace()
        const result = await run(variables, { ...context, planTrace: trace.planTrace })
        return withTrace(result, trace.finish())
      }
      return {
        ...operation,
        run: (variables, context) => (isTraced(context) ? traced(variables, context) : run(variables, context)),
        // Not from the response cache, which has no fetches.
        answer:
          answer &&
          (async (variables, context) =>
            isTraced(context) ? { result: await traced(variables, context) } : answer(variables, context)),
        runIncremental:
          runIncremental &&
          ((variables, context) =>
            isTraced(context) ? traceIncremental(runIncremental)(variables, context) : runIncremental(variables, context)),
        subscribe:
          subscribe &&
          ((variables, context) =>
            subscribe(variables, isTraced(context) ? { ...context, traceEvent: recordEventTrace } : context)),
      }
    },
  }
}

/** The trace is in the last payload, when all fetches have ended. */
function traceIncremental(runIncremental: RunIncremental): RunIncremental {
  return async (variables, context) => {
    const trace = recordTrace()
    const { initial, rest } = await runIncremental(variables, { ...context, planTrace: trace.planTrace })
    if (!rest) return { initial: withTrace(initial, trace.finish()), rest }
    const next = async () => {
      const payload = await rest.next()
      return payload && !payload.hasNext ? withTrace(payload, trace.finish()) : payload
    }
    return { initial, rest: { ...rest, next } }
  }
}

const recordEventTrace: NonNullable<RequestContext['traceEvent']> = () => {
  const { planTrace, finish } = recordTrace()
  return { planTrace, addTo: (result) => withTrace(result, finish()) }
}

/**
 * Context of a WebSocket whose headers only traces need: that header, if it is among the given ones.
 */
export function createTraceContext(given: Readonly<Record<string, unknown>>): HttpContext | null {
  const header = given[QUERY_TRACE_HEADER]
  const isGiven = typeof header === 'string' && header.length <= MAX_HEADER_CHARACTERS
  return isGiven ? createHttpContext('GET', { [QUERY_TRACE_HEADER]: header }) : null
}

/** Records the requests of traced operations. */
export function traceRequests(link: Link): Link {
  return {
    ...link,
    execute(request, context) {
      const { planTrace } = context
      if (!planTrace) return link.execute(request, context)
      const { planNodes = [], variables } = request
      const entities = entitiesIn(variables)
      const ends = planNodes.map((node) => planTrace.beginFetch(node, entities, planNodes.length))
      const end = (...result: Parameters<(typeof ends)[number]>) => {
        for (const each of ends) each(...result)
      }
      return link.execute(request, context).then(
        (result) => {
          end(result.extensions, result.errors && result.errors.length > 0 ? 'errors' : 'ok')
          return result
        },
        (error: unknown) => {
          end(undefined, 'failed')
          throw error
        },
      )
    },
  }
}

/** Representations of a fetch, or of several that are sent together. */
function entitiesIn(variables: SubgraphRequest['variables']): number | undefined {
  const lists = Object.entries(variables).flatMap(([name, list]) =>
    isRepresentations(name) && Array.isArray(list) ? [list.length] : [],
  )
  return lists.length === 0 ? undefined : lists.reduce((sum, length) => sum + length, 0)
}

function withTrace<Result extends Pick<ExecutionResult, 'extensions'>>(result: Result, trace: QueryTrace): Result {
  return { ...result, extensions: { ...result.extensions, trace } }
}

function tokenCheck(token: string): (header: string) => boolean {
  // Digests have one length, so the comparison reveals nothing about the token.
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  const expected = digestOf(token)
  return (header) => timingSafeEqual(digestOf(header), expected)
}

function recordTrace(): { readonly planTrace: PlanTrace; readonly finish: () => QueryTrace } {
  const began = performance.now()
  const sinceBegin = () => Math.round((performance.now() - began) * 1_000) / 1_000
  const requests = new Map<FetchNode, TracedRequest[]>()
  let plan: PlanNode | null = null
  let count = 0

  return {
    planTrace: {
      begin(node) {
        plan = node
      },
      beginFetch(node, entities, fetches = 1) {
        const startMilliseconds = sinceBegin()
        return (_, status = 'ok') => {
          if (++count > MAX_REQUESTS) return
          const milliseconds = Math.round((sinceBegin() - startMilliseconds) * 1_000) / 1_000
          const shared = fetches > 1 ? { fetches } : {}
          const request = { startMilliseconds, milliseconds, status, ...(entities !== undefined && { entities }), ...shared }
          requests.set(node, [...(requests.get(node) ?? []), request])
        }
      },
    },
    finish: () => ({ version: 1, plan: plan && describePlan(plan, requests), milliseconds: sinceBegin() }),
  }
}

function describePlan(plan: PlanNode, requests: ReadonlyMap<FetchNode, readonly TracedRequest[]>): TracedNode {
  let nodes = 0
  return describe(plan)

  function describe(node: PlanNode | SubscriptionNode): TracedNode {
    if (++nodes > MAX_NODES) return { kind: 'Truncated' }
    switch (node.kind) {
      case 'Fetch':
        if (node.serviceName === EVENT_SOURCE) return { kind: 'Event' }
        return {
          kind: 'Fetch',
          subgraph: node.serviceName,
          query: node.operation.slice(0, MAX_QUERY_CHARACTERS),
          isEntityFetch: node.requires !== undefined,
          requests: requests.get(node) ?? [],
        }
      case 'Sequence':
      case 'Parallel':
        return { kind: node.kind, nodes: node.nodes.map(describe) }
      case 'Flatten':
        return { kind: 'Flatten', path: node.path.filter((step) => step !== '').join('.'), node: describe(node.node) }
      case 'Condition':
        return {
          kind: 'Condition',
          variable: node.condition,
          nodes: describeAll([node.ifClause, node.elseClause]),
        }
      case 'Defer': {
        const { primary, deferred } = node
        return { kind: 'Defer', nodes: [...describeAll([primary.node]), ...deferred.map(describeDeferred)] }
      }
      case 'Subscription':
        return { kind: 'Truncated' }
    }
  }
  function describeAll(given: readonly (PlanNode | undefined)[]): readonly TracedNode[] {
    return given.flatMap((each) => (each ? [describe(each)] : []))
  }

  function describeDeferred({ queryPath, node }: DeferredNode): TracedNode {
    if (++nodes > MAX_NODES) return { kind: 'Truncated' }
    return { kind: 'Deferred', path: queryPath.join('.'), nodes: describeAll([node]) }
  }
}
