import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { SUBGRAPHS } from './shop.ts'

/** The schema of each subgraph, ready to execute. */
export const subgraphSchemas = () =>
  Object.fromEntries(
    SUBGRAPHS.map(({ name, types, resolvers }) => [name, buildSubgraphSchema([{ typeDefs: parse(types), resolvers }])]),
  )
