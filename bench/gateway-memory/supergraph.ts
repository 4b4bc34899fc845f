import { parse } from 'graphql'
import { compose } from '../../gateway/planning/composition.ts'

const SUBGRAPHS = 10
const OBJECTS = 800
const ENUMS = 100
const INPUTS = 100
const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])\ntype Query { version: String @shareable }\n'

/** Root field and type of an object type. */
export const rootOf = (index: number): string => `thing${index % OBJECTS}`

/**
 * A supergraph of 1,000 described types in ten subgraphs: 800 entities with two root fields each,
 * half of them extended by a second subgraph, 100 enums and 100 inputs.
 */
export function thousandTypes(urlOf: (subgraph: string) => string): string {
  return compose(
    Array.from({ length: SUBGRAPHS }, (_, subgraph) => {
      const name = `part${subgraph}`
      return { name, typeDefs: parse(LINK + [...typesOf(subgraph)].join('\n')), url: urlOf(name) }
    }),
  )
}

function* typesOf(subgraph: number): Iterable<string> {
  for (let index = 0; index < OBJECTS; index++) {
    if (index % SUBGRAPHS === subgraph) yield entity(index)
    if (index % 2 === 0 && (index + 1) % SUBGRAPHS === subgraph) yield extension(index)
  }
  for (let index = subgraph; index < ENUMS; index += SUBGRAPHS) {
    yield `"States of part ${index}." enum State${index} { "Has not begun." NEW${index} "Is under way." OPEN${index} "Is over." DONE${index} }`
  }
  for (let index = subgraph; index < INPUTS; index += SUBGRAPHS) {
    yield `"Filter ${index}." input Filter${index} { "Text to find." text: String "Number at most." first: Int state: State${index} }`
  }
}

function entity(index: number): string {
  // References stay in the subgraph: no subgraph knows the entities of another.
  const other = (index + SUBGRAPHS) % OBJECTS
  const shared = index % 100
  return `"Thing number ${index} of the graph, with its fields."
type Thing${index} @key(fields: "id") {
  "Identifier of thing ${index}." id: ID!
  "Name for people." name: String!
  "Text of some paragraphs." text: String
  "When it was created." createdAt: String!
  "State that it is in." state: State${shared}
  "Thing that it belongs to." parent: Thing${other}
  "Things that belong to it." children(first: Int = 10, after: String): [Thing${other}!]!
}
extend type Query {
  "One thing by its identifier." thing${index}(id: ID!): Thing${index}
  "Things in the order of their creation." things${index}(filter: Filter${shared}, first: Int = 10): [Thing${index}!]!
}`
}

const extension = (index: number): string => `"Thing number ${index} as another team sees it."
type Thing${index} @key(fields: "id") {
  id: ID!
  "Sum of its ratings." rating${index}: Int
  "Remarks." notes${index}: [String!]!
}`
