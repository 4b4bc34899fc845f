// Not the library's own entry: that also loads what prints schemas, 65 modules of @graphql-tools.
import { buildSubgraphSchema } from '@apollo/subgraph/dist/buildSubgraphSchema.js'
import type { GraphQLSchema } from 'graphql'
import { sdlOf } from './sdl.ts'

/** The executable schema of one subgraph; `resolvers` by type and field. */
export const subgraphSchema = (subgraph: string, resolvers: object): GraphQLSchema =>
  // Apollo's type of resolvers does not know our contexts.
  buildSubgraphSchema([{ typeDefs: sdlOf(subgraph), resolvers: resolvers as never }])
