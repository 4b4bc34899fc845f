import { createRequire } from 'node:module'
import type { GraphQLDataSource } from '@apollo/gateway'
import { type ExecutionResult, execute, type GraphQLFormattedError, GraphQLSchema, parse } from 'graphql'
import type { Answer } from './answer.ts'
import { breaksSchema, injected } from './faults.ts'
import type { Case, Running, Tap } from './small-graph.ts'

/**
 * Apollo's gateway over some subgraphs. `entityFetches` are the subgraphs that were asked for
 * entities since it was last emptied.
 */
export type Oracle = {
  readonly ask: (operation: Case) => Promise<Answer>
  readonly entityFetches: Set<string>
  readonly stop: () => Promise<void>
}

/**
 * ApolloGateway over schemas in this process; what they answer passes through JSON. Errors about
 * values that do not fit the schema are moved to where errors are, also those that it drops because
 * there are others.
 */
export async function startOracle(supergraphSdl: string, subgraphs: readonly Running[], tap: Tap): Promise<Oracle> {
  const { ApolloGateway } = await loaded()
  const entityFetches = new Set<string>()
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: QUIET,
    __exposeQueryPlanExperimental: false,
    buildService: ({ name }) =>
      sourceOf(
        subgraphs.find((subgraph) => subgraph.name === name),
        tap,
        entityFetches,
      ),
  })
  const { executor } = await gateway.load()
  // What the executor reads of a server's request.
  const ask = async ({ query, variables = {}, operationName }: Case): Promise<Answer> => {
    const document = parse(query)
    const request = { query, variables: structuredClone(variables), ...(operationName !== undefined && { operationName }) }
    completionErrors = []
    try {
      const answer = await executor({
        request,
        document,
        queryHash: query,
        operationName: operationName ?? null,
        cache: undefined,
        schema: new GraphQLSchema({}),
        logger: QUIET,
        metrics: {},
        context: {},
        overallCachePolicy: undefined,
      } as never)
      // A service that cannot be asked leaves an Error that is none of GraphQL's.
      const said = (answer.errors ?? []).map(({ message, path, extensions }) => ({ message, path, extensions }))
      const errors = [...said, ...completionErrors.filter((error) => !answer.errors?.includes(error as never))]
      return asJson({ ...('data' in answer && { data: answer.data }), ...(errors.length > 0 && { errors }) })
    } catch (error) {
      return { errors: [{ message: `The oracle threw: ${error instanceof Error ? error.message : error}` }] }
    }
  }
  return { ask, entityFetches, stop: () => gateway.stop() }
}

const asJson = (answer: ExecutionResult | object): Answer => JSON.parse(JSON.stringify(answer))

const QUIET = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * What the gateway found of the last operation's values that do not fit; operations are asked one
 * after the other.
 */
let completionErrors: readonly GraphQLFormattedError[] = []

async function loaded() {
  process.env.APOLLO_TELEMETRY_DISABLED = 'true'
  const gateway = await import('@apollo/gateway')
  const shaping = createRequire(import.meta.url)('@apollo/gateway/dist/resultShaping.js')
  if (!shaping.isWatched) {
    const { computeResponse } = shaping
    shaping.isWatched = true
    shaping.computeResponse = (given: unknown) => {
      const computed = computeResponse(given)
      completionErrors = computed.errors
      return computed
    }
  }
  return gateway
}

function sourceOf(subgraph: Running | undefined, tap: Tap, entityFetches: Set<string>): GraphQLDataSource {
  if (!subgraph) throw new Error('Expected every subgraph of the supergraph to be given.')
  return {
    async process({ request: { query = '', variables } }) {
      if (query.includes('_entities')) entityFetches.add(subgraph.name)
      const schema = breaksSchema(tap.fault) ? subgraph.lax : subgraph.strict
      const given = JSON.parse(JSON.stringify(variables ?? {}))
      const ask = () => execute({ schema, document: parse(query), variableValues: given, contextValue: {} })
      return asJson(await injected(tap.fault, subgraph.name, ask)) as never
    },
  }
}
