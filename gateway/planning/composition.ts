import { composeServices } from '@apollo/composition'
import { Supergraph } from '@apollo/federation-internals'
import { buildSchema, type DocumentNode, findBreakingChanges, printSchema } from 'graphql'
import { supportedFeatures } from './supergraph.ts'

/**
 * SDL of one subgraph; `name` is its name in query plans. `url` is used for subgraphs over HTTP
 * only.
 */
export type SubgraphDefinition = { readonly name: string; readonly typeDefs: DocumentNode; readonly url?: string }

/** Composes a supergraph SDL; deterministic. Throws with every composition error. */
export function compose(subgraphs: readonly SubgraphDefinition[]): string {
  const { errors, supergraphSdl } = composeServices(
    subgraphs.map(({ name, typeDefs, url }) => ({ name, typeDefs, url: url ?? `http://${name}.subgraph.internal/graphql` })),
  )
  if (errors) throw new Error(`The subgraphs do not compose:\n${errors.map(({ message }) => `  ${message}`).join('\n')}`)
  return supergraphSdl
}

/**
 * API schema of a supergraph as SDL with descriptions: without join directives and `@inaccessible`
 * elements.
 */
export const apiSchemaOf = (supergraphSdl: string): string =>
  printSchema(Supergraph.build(supergraphSdl, { supportedFeatures: supportedFeatures() }).apiSchema().toGraphQLJSSchema())

/**
 * Breaking changes for clients from supergraph `before` to `after`, one sentence each; empty for
 * none.
 */
export const breakingChanges = (before: string, after: string): readonly string[] =>
  findBreakingChanges(buildSchema(apiSchemaOf(before)), buildSchema(apiSchemaOf(after))).map(({ description }) => description)
