import { composeServices } from '@apollo/composition'
import { Supergraph } from '@apollo/federation-internals'
import { buildSchema, type DocumentNode, findBreakingChanges, printSchema } from 'graphql'
import { SUPPORTED_FEATURES } from './supergraph.ts'

/**
 * SDL of one subgraph under the name that the query plan calls it by; `url` only matters where it
 * is reached over HTTP.
 */
export type SubgraphDefinition = { readonly name: string; readonly typeDefs: DocumentNode; readonly url?: string }

/**
 * The supergraph SDL of these subgraphs, in the same bytes for the same input. Throws with every
 * composition error.
 */
export function compose(subgraphs: readonly SubgraphDefinition[]): string {
  const { errors, supergraphSdl } = composeServices(
    subgraphs.map(({ name, typeDefs, url }) => ({ name, typeDefs, url: url ?? `http://${name}.subgraph.internal/graphql` })),
  )
  if (errors) throw new Error(`The subgraphs do not compose:\n${errors.map(({ message }) => `  ${message}`).join('\n')}`)
  return supergraphSdl
}

/**
 * What clients see of a supergraph, as SDL with descriptions: without joins and without what is
 * `@inaccessible`.
 */
export const apiSchemaOf = (supergraphSdl: string): string =>
  printSchema(
    Supergraph.build(supergraphSdl, { supportedFeatures: new Set(SUPPORTED_FEATURES) })
      .apiSchema()
      .toGraphQLJSSchema(),
  )

/**
 * What clients of the supergraph `before` could no longer do with `after`, a sentence each; empty
 * when every old operation still works.
 */
export const breakingChanges = (before: string, after: string): readonly string[] =>
  findBreakingChanges(buildSchema(apiSchemaOf(before)), buildSchema(apiSchemaOf(after))).map(({ description }) => description)
