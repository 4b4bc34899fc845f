/**
 * What it is worth to match the bytes of a response (gateway/executor/federated/answer-match.ts)
 * instead of parsing and writing them again. Projection and garbage come on top of what is compared.
 *
 *   node bench/tricks/answer-bytes.ts [--rounds N (40)]
 *
 * The second row is the cheaper way: parsing, to see that everything is right, and sending the
 * bytes instead of writing the parsed values. The third reads bodies of short values, numbers and
 * names.
 */
import { buildSchema, Kind, parse } from 'graphql'
import { compileAnswerMatch } from '../../gateway/executor/federated/answer-match.ts'
import { PEER_QUERIES } from '../peers/shapes.ts'
import { compare } from './turns.ts'

const SCHEMA = buildSchema(`type Query { articles: [Article!]! }
  type Article { id: ID! title: String! body: String! words: Int! score: Float! isPublic: Boolean! tags: [String!]! }`)
const document = parse(PEER_QUERIES.payload)
const [operation] = document.definitions
if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('Expected an operation.')
const keyOf = (key: string) => key
const matches = compileAnswerMatch({ schema: SCHEMA, document, operation, keyOf, isIncluded: () => true })

const bodyOf = (articles: number, characters: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      data: {
        articles: Array.from({ length: articles }, (_, index) => ({
          id: `a${index}`,
          title: `Article ${index} with "quotes"`,
          body: 'A plain sentence about nothing in particular. '.repeat(30).slice(0, characters),
          words: index * 7,
          score: index / 4,
          isPublic: index % 2 === 0,
          tags: ['one', 'two', `tag ${index}`],
        })),
      },
    }),
  )

const [LARGE, SHORT] = [bodyOf(1_000, 700), bodyOf(1_000, 5)]
const match = (body: Buffer) => () => {
  if (!matches?.(body)) throw new Error('Expected a body that matches.')
}
const parseOnly = (body: Buffer) => () => JSON.parse(body.toString())
const parseAndWrite = (body: Buffer) => () => Buffer.from(JSON.stringify(JSON.parse(body.toString())))

await compare('match 836 kB, beside parsing and writing', match(LARGE), parseAndWrite(LARGE))
await compare('only parse 836 kB, beside parsing and writing', parseOnly(LARGE), parseAndWrite(LARGE))
await compare('match 140 kB of short values', match(SHORT), parseAndWrite(SHORT))
