import { createRequire } from 'node:module'
import type { ConditionNode, FetchNode, PlanNode } from '@apollo/query-planner'
import { Kind } from 'graphql'
import type { PlanTrace } from '../subgraph-client/link.ts'
import type { IncomingRequestContext } from './gateway-interface.ts'

type QueryPlanNode = NonNullable<IncomingRequestContext['metrics']['queryPlanTrace']>
type PlanNodeOf<Kind extends keyof QueryPlanNode> = Partial<NonNullable<QueryPlanNode[Kind]>>
type FetchTrace = PlanNodeOf<'fetch'>
type SubgraphTrace = NonNullable<FetchTrace['trace']>

/** Used part of @apollo/usage-reporting-protobuf. */
type Reports = { readonly Trace: { readonly decode: (bytes: Uint8Array) => SubgraphTrace } }

let reports: Reports | null = null

const REPORTS_PACKAGE = '@apollo/usage-reporting-protobuf'

/** Loads the copy in @apollo/server on first use, because this package does not depend on it. */
function loadReports(): Reports {
  const require = createRequire(createRequire(import.meta.url).resolve('@apollo/server'))
  // The optional package has no types here.
  reports ??= require(REPORTS_PACKAGE) as Reports
  return reports
}

/**
 * Trace of one operation for Apollo's usage reporting and inline traces, in Apollo Gateway's
 * format: the query plan with timings, and resolver traces (ftv1) of subgraphs.
 */
export function createQueryPlanTrace(incoming: IncomingRequestContext): {
  readonly planTrace: PlanTrace
  /** Passes the trace to Apollo Server's plugins. */
  readonly report: () => void
} {
  const { metrics, operation, request } = incoming
  const fetches = new Map<FetchNode, FetchTrace>()
  let plan: PlanNode | null = null

  return {
    planTrace: {
      begin(node) {
        plan = node
      },
      beginFetch(node) {
        const fetch: FetchTrace = { serviceName: node.serviceName, sentTime: now() }
        if (metrics.startHrTime) fetch.sentTimeOffset = nanosecondsSince(metrics.startHrTime)
        fetches.set(node, fetch)
        return (extensions) => {
          fetch.receivedTime = now()
          if (typeof extensions?.ftv1 === 'string') readTrace(fetch, extensions.ftv1, rootTypeOf(operation.operation))
        }
      },
    },
    report() {
      // The encoder reads properties only, so a plain object can replace the message class.
      if (plan) metrics.queryPlanTrace = traceOf(plan) as QueryPlanNode
    },
  }

  function traceOf(node: PlanNode): object {
    switch (node.kind) {
      case 'Fetch':
        return { fetch: fetches.get(node) ?? { serviceName: node.serviceName } }
      case 'Sequence':
        return { sequence: { nodes: node.nodes.map(traceOf) } }
      case 'Parallel':
        return { parallel: { nodes: node.nodes.map(traceOf) } }
      case 'Flatten': {
        const responsePath = node.path.flatMap(responsePathOf)
        return { flatten: { responsePath, node: traceOf(node.node) } }
      }
      case 'Condition':
        return { condition: conditionTraceOf(node) }
      case 'Defer':
        return {}
    }
  }

  function conditionTraceOf({ condition, ifClause, elseClause }: ConditionNode): object {
    const [name, node] = isTrue(condition) ? (['ifClause', ifClause] as const) : (['elseClause', elseClause] as const)
    return { condition, ...(node && { [name]: traceOf(node) }) }
  }

  function isTrue(variable: string): boolean {
    const given = request.variables ?? {}
    if (Object.hasOwn(given, variable)) return given[variable] === true
    const definition = operation.variableDefinitions?.find((each) => each.variable.name.value === variable)
    return definition?.defaultValue?.kind === Kind.BOOLEAN && definition.defaultValue.value
  }
}

/** Decodes a subgraph's trace; its content is untrusted. */
function readTrace(fetch: FetchTrace, ftv1: string, rootType: string): void {
  try {
    const trace = loadReports().Trace.decode(Buffer.from(ftv1, 'base64'))
    // Subgraphs omit the root type, which the report needs.
    for (const child of trace.root?.child ?? []) child.parentType = rootType
    fetch.trace = trace
    fetch.traceParsingFailed = false
  } catch {
    fetch.traceParsingFailed = true
  }
}

/** Segment of a flatten path without type conditions, which Apollo's format lacks. */
function responsePathOf(step: string | number): readonly object[] {
  if (typeof step === 'number') return [{ index: step }]
  const [fieldName = ''] = step.split('|', 1)
  return fieldName === '' ? [] : [{ fieldName }]
}

const rootTypeOf = (operation: string): string => operation.charAt(0).toUpperCase() + operation.slice(1)

/** Current time as google.protobuf.Timestamp. */
function now(): { readonly seconds: number; readonly nanos: number } {
  const milliseconds = Date.now()
  const remainder = milliseconds % 1000
  return { seconds: (milliseconds - remainder) / 1000, nanos: remainder * 1_000_000 }
}

function nanosecondsSince(start: [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime(start)
  return seconds * 1e9 + nanoseconds
}
