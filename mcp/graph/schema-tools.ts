import type { GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { argumentsOf } from '../arguments.ts'
import { text, wholeNumber } from '../scalars.ts'
import { plainTool } from '../tool.ts'
import { coordinatesOf } from './coordinates.ts'
import { describe } from './describe.ts'
import { type SchemaSearch, schemaSearch } from './search.ts'

const NAME = z.string().describe('A type, such as `Skill`, or a field, such as `Query.skills`.')

/** Tools that search and describe the schema. */
export function schemaTools(schema: GraphQLSchema) {
  let index: SchemaSearch | null = null
  /** The search index is built by the first search, since it takes 0.1 s. */
  const search: SchemaSearch = (words, limit) => {
    index ??= schemaSearch(coordinatesOf(schema))
    return index(words, limit)
  }
  return [searchTool(search), describeTool(schema, search)]
}

function searchTool(search: SchemaSearch) {
  return plainTool({
    name: 'search_schema',
    title: 'Search the schema',
    description:
      'Finds types and fields of the GraphQL schema by words, best match first. `Query.…` are root fields of a query. Use it first, with one or two words for the data that you need; then describe a result.',
    accepts: argumentsOf({
      query: text(200).describe('What to look for: `skills`, `trust decision`.'),
      limit: wholeNumber(1, 25).default(10).describe('Maximum number of results, 1 to 25.'),
    }),
    returns: z.object({
      results: z.array(
        z.object({
          name: NAME,
          kind: z
            .enum(['query', 'mutation', 'subscription', 'type', 'field'])
            .describe('query, mutation and subscription: a field of the root.'),
          signature: z.string().describe('Arguments and type.'),
          description: z.string().describe('Description; empty when the schema has none.'),
        }),
      ),
    }),
    answer: ({ query, limit }) => ({ kind: 'answered', content: { results: search(query, limit) } }),
  })
}

function describeTool(schema: GraphQLSchema, search: SchemaSearch) {
  return plainTool({
    name: 'describe',
    title: 'Describe a type or field',
    description:
      'Returns the SDL of a type or field, with the types of its arguments and of its result. Use it to write a query. Descriptions state units, limits and the meaning of null.',
    accepts: argumentsOf({
      name: text(200).describe('A type, such as `Skill`, or a field, such as `Query.skills`; case matters.'),
    }),
    returns: z.object({ name: NAME, sdl: z.string().describe('Definitions in the schema language of GraphQL.') }),
    answer: ({ name }) => {
      const sdl = describe(schema, name)
      if (sdl !== null) return { kind: 'answered', content: { name, sdl } }
      const similar = search(name, 5).map((each) => each.name)
      const hint = similar.length > 0 ? `Did you mean ${similar.join(', ')}?` : 'Use search_schema to find names.'
      return { kind: 'refused', message: `The schema has nothing with this name. ${hint}` }
    },
  })
}
