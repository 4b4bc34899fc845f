import type { FetchNode, QueryPlan } from '@apollo/query-planner'
import { type ExecutionResult, execute, Kind, validate, visit } from 'graphql'
import type { Logger } from 'pino'
import type { CheckedOperation } from './documents.ts'
import { fault } from './errors.ts'
import { BOUNDS } from './limits/limits.ts'
import type { Link, Passage } from './link.ts'
import type { Metrics } from './metrics.ts'
import type { Outcome, PlanExecutor } from './stock-executor.ts'
import type { Supergraph } from './supergraph.ts'
import { withinTime } from './time.ts'

/** An operation that is ready to run, as often as it is asked for. Never rejects. */
export type Run = (variables: Readonly<Record<string, unknown>>, passage: Passage) => Promise<Outcome>

/** What running operations takes; the executor for plans of several fetches is loaded when the first of them appears. */
export type Machinery = {
  readonly supergraph: Supergraph
  readonly links: ReadonlyMap<string, Link>
  readonly executor: () => Promise<PlanExecutor>
  readonly metrics: Metrics | null
}

/** Runs within the time that an operation has; a fault of ours ends as an error without detail. */
export async function guarded(passage: Passage, log: Logger, run: (bounded: Passage) => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withinTime(BOUNDS.milliseconds, passage, run)
  } catch (error) {
    log.error({ err: error, requestId: passage.caller.requestId }, 'an operation failed')
    return { data: null, errors: [fault(passage.caller.requestId)] }
  }
}

/**
 * Plans an operation and chooses the shortest way to run it. Throws when the planner does not support it.
 * Introspection is answered from the schema. A plan of one fetch from a subgraph in this process is the operation itself, asked there. Everything else
 * takes the general executor.
 */
export function planned(checked: CheckedOperation, { supergraph, links, executor, metrics }: Machinery): Run {
  if (checked.isIntrospection) {
    return async (variables) => {
      metrics?.executed('introspection')
      return introspect(checked, supergraph, variables)
    }
  }

  const { renamed, variablesOf } = withoutReserved(checked)
  const plan = supergraph.plan(renamed.document)
  const direct = directLink(checked, singleFetch(plan), supergraph, links)
  if (direct) {
    const { document, operation } = checked
    const request = { query: '', operationName: operation.name?.value, document }
    return (variables, passage) => {
      metrics?.executed('direct')
      return direct.execute({ ...request, variables }, passage).then(outcomeOf)
    }
  }

  return async (variables, passage) => {
    metrics?.executed('stock')
    return (await executor())(renamed, plan, variablesOf(variables), passage)
  }
}

/**
 * The subgraph that answers the whole operation, when its answer needs no shaping: it conforms to its schema, the operation means the same
 * there, and nothing of that schema is kept from clients.
 */
export function directLink(
  { document, operation }: CheckedOperation,
  fetch: FetchNode | null,
  { api, hidesSomething }: Supergraph,
  links: ReadonlyMap<string, Link>,
): Link | null {
  if (!fetch || fetch.requires || fetch.outputRewrites || fetch.contextRewrites) return null
  const link = links.get(fetch.serviceName)
  if (!link?.schema || hidesSomething) return null
  const [root, ownRoot] = [api, link.schema].map((schema) => schema.getRootType(operation.operation)?.name)
  if (root !== ownRoot || asksForSchema(document)) return null
  return validate(link.schema, document).length === 0 ? link : null
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

function introspect(
  { document, operation }: CheckedOperation,
  { api }: Supergraph,
  variables: Readonly<Record<string, unknown>>,
): Promise<Outcome> | Outcome {
  const answer = execute({ schema: api, document, variableValues: variables, operationName: operation.name?.value })
  return answer instanceof Promise ? answer.then(outcomeOf) : outcomeOf(answer)
}

/** A subgraph's answer as a client sees it. */
export const outcomeOf = ({ data, errors }: ExecutionResult): Outcome => ({
  ...(data !== undefined && { data }),
  ...(errors && errors.length > 0 && { errors: errors.map((error) => formatted(error)) }),
})

const formatted = ({ message, path, extensions }: NonNullable<ExecutionResult['errors']>[number]) => ({
  message,
  ...(path && { path }),
  extensions,
})

/** The planner's name for the entities that a fetch asks about; a client's variable of that name would be taken for it. */
const RESERVED = 'representations'

/** The same operation with another name for a variable that has the reserved one, and its variables likewise. */
export function withoutReserved(checked: CheckedOperation): {
  readonly renamed: CheckedOperation
  readonly variablesOf: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
} {
  const names = new Set(checked.operation.variableDefinitions?.map(({ variable }) => variable.name.value))
  if (!names.has(RESERVED)) return { renamed: checked, variablesOf: (variables) => variables }

  let free = `${RESERVED}OfClient`
  while (names.has(free)) free += '_'
  const document = visit(checked.document, {
    Variable: (node) => (node.name.value === RESERVED ? { ...node, name: { ...node.name, value: free } } : undefined),
  })
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return {
    renamed: { ...checked, document, operation: operation ?? checked.operation },
    variablesOf: ({ [RESERVED]: value, ...others }) => (value === undefined ? others : { ...others, [free]: value }),
  }
}
