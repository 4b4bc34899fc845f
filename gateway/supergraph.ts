import { operationFromDocument, Supergraph as SupergraphModel } from '@apollo/federation-internals'
import { type QueryPlan, QueryPlanner } from '@apollo/query-planner'
import type { DocumentNode, GraphQLSchema } from 'graphql'

/** A composed graph, ready to plan operations. */
export type Supergraph = {
  /** What clients see: without joins and without what is `@inaccessible`. */
  readonly api: GraphQLSchema
  /** The subgraphs that plans name, and where they say they are reached. */
  readonly subgraphs: readonly { readonly name: string; readonly url: string }[]
  /** Whether anything is kept from clients, so that what subgraphs answer must be filtered. */
  readonly hidesSomething: boolean
  /** The plan of the only operation in `document`, which is valid against `api`. Throws for what the planner does not support. */
  readonly plan: (document: DocumentNode) => QueryPlan
  /** What Apollo's executor wants to know of the graph. */
  readonly model: SupergraphModel
}

/** Reads a federation 2 supergraph. Throws when `sdl` is none. */
export function readSupergraph(sdl: string): Supergraph {
  const model = SupergraphModel.build(sdl)
  const apiSchema = model.apiSchema()
  const planner = new QueryPlanner(model)
  return {
    api: apiSchema.toGraphQLJSSchema(),
    subgraphs: [...model.subgraphsMetadata()].map(({ name, url }) => ({ name, url: url ?? '' })),
    hidesSomething: /@inaccessible\b(?!")/.test(sdl.replace(/^directive .*$/gm, '')),
    plan: (document) => planner.buildQueryPlan(operationFromDocument(apiSchema, document)),
    model,
  }
}
