import type { QueryPlan } from '@apollo/query-planner'
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql'
import { Kind } from 'graphql'
import type { Logger } from 'pino'
import type { CheckedOperation } from './documents.ts'
import type { Link, Passage } from './link.ts'
import type { Supergraph } from './supergraph.ts'

/** What came of an operation; `data` is absent when it was refused before any of it ran. */
export type Outcome = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** Runs any plan. `variables` are the client's own, already known to be valid. */
export type PlanExecutor = (
  checked: CheckedOperation,
  plan: QueryPlan,
  variables: Readonly<Record<string, unknown>>,
  passage: Passage,
  /** Answers the fetches that the plan has from `EVENT`. */
  eventAnswer?: () => Promise<ExecutionResult>,
) => Promise<Outcome>

/** The name that stands in a plan for what has happened already: no subgraph can have it. */
export const EVENT = '(event)'

/**
 * Apollo's own executor over masked links. Loading it takes 300 ms and 30 MB, which a graph whose plans are all single fetches can do without:
 * call this when another plan is possible. `ApolloGateway` itself is not constructed: it would plan and check once more, and report to its vendor.
 */
export async function stockExecutor(supergraph: Supergraph, links: readonly Link[], log: Logger): Promise<PlanExecutor> {
  const { executeQueryPlan } = await import('@apollo/gateway')
  const graph = supergraph.model.schema.toGraphQLJSSchema()
  const apiSchema = supergraph.model.apiSchema()
  const quiet = { debug() {}, info() {}, warn: log.warn.bind(log), error: log.error.bind(log) }

  return async ({ document, operation }, plan, variables, passage, eventAnswer) => {
    const services: Record<string, { process: (fetch: Fetch) => Promise<ExecutionResult> }> = Object.fromEntries(
      links.map((link) => [link.name, { process: fetchThrough(link, passage) }]),
    )
    if (eventAnswer) services[EVENT] = { process: eventAnswer }
    const fragments = Object.fromEntries(
      document.definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
      ),
    )
    const { data, errors, extensions } = await executeQueryPlan(
      plan,
      services as Parameters<typeof executeQueryPlan>[1],
      // Of the request's context, the executor reads these.
      { request: { variables }, logger: quiet, metrics: {}, context: passage } as unknown as Parameters<
        typeof executeQueryPlan
      >[2],
      { schema: supergraph.api, operation, fragments },
      graph,
      apiSchema,
    )
    const all = [...(errors ?? []).map(formatted), ...completionErrors(extensions)]
    return { data: data ?? null, ...(all.length > 0 && { errors: all }) }
  }
}

type Fetch = {
  readonly request: { readonly query?: string; readonly variables?: Record<string, unknown>; readonly operationName?: string }
}

const fetchThrough =
  (link: Link, passage: Passage) =>
  ({ request: { query = '', variables = {}, operationName } }: Fetch) =>
    link.execute({ query, variables, operationName }, passage)

/** Errors of the executor about the plan or an answer have no code; those of links do. */
function formatted({ message, path, extensions: { serviceName: _, ...extensions } }: GraphQLError): GraphQLFormattedError {
  return { message, ...(path && { path }), extensions: { ...extensions, code: extensions.code ?? 'INTERNAL_SERVER_ERROR' } }
}

/** The executor reports values that do not fit the schema beside `errors`, where clients do not look. */
function completionErrors(extensions: Readonly<Record<string, unknown>> | undefined): readonly GraphQLFormattedError[] {
  const errors = extensions?.valueCompletion
  if (!Array.isArray(errors)) return []
  return errors.map(({ message, path }: GraphQLFormattedError) => ({
    message,
    ...(path && { path }),
    extensions: { code: 'INVALID_SUBGRAPH_ANSWER' },
  }))
}
