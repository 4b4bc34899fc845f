/**
 * What it is worth that compiled operations pass arguments and `info` only to resolvers that can
 * see them (gateway/executor/graphql/resolver-arity.ts).
 *
 *   node bench/tricks/resolver-arity.ts [--rounds N (40)]
 *
 * Without the trick is the same schema with resolvers whose text contains the word `arguments`:
 * they are passed everything.
 */
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { compileOperation } from '../../gateway/executor/graphql/compile-operation.ts'
import { compare } from './turns.ts'

const typeDefs = parse(`
  type Book { id: ID! title: String! shortTitle: String! pages: Int! author: Author! slow: String! }
  type Author { id: ID! name: String! }
  type Query { books: [Book!]! }
`)
type Book = { readonly id: string; readonly title: string; readonly author: { readonly id: string; readonly name: string } }
const BOOKS: readonly Book[] = Array.from({ length: 100 }, (_, id) => ({
  id: `b${id}`,
  title: `Title ${id}`,
  author: { id: `a${id}`, name: `Author ${id}` },
}))

const lean = buildSubgraphSchema([
  {
    typeDefs,
    resolvers: {
      Query: { books: () => BOOKS },
      Book: {
        shortTitle: (book: Book) => book.title.slice(0, 5),
        pages: (book: Book) => book.title.length,
        author: (book: Book) => book.author,
        slow: async (book: Book) => book.title,
      },
    },
  },
])
const full = buildSubgraphSchema([
  {
    typeDefs,
    resolvers: {
      Query: { books: () => BOOKS },
      Book: {
        shortTitle: (book: Book) => /* arguments */ book.title.slice(0, 5),
        pages: (book: Book) => /* arguments */ book.title.length,
        author: (book: Book) => /* arguments */ book.author,
        slow: async (book: Book) => /* arguments */ book.title,
      },
    },
  },
])

const CASES = {
  '100 objects, three resolvers each': '{ books { id shortTitle pages author { id name } } }',
  '100 objects, a resolver among ten fields':
    '{ books { id title a: title b: title c: title d: title e: title f: title g: title shortTitle } }',
  '100 objects, an asynchronous resolver each': '{ books { id slow } }',
} as const

for (const [name, text] of Object.entries(CASES)) {
  const document = parse(text, { noLocation: true })
  const [own, other] = [lean, full].map((schema) => compileOperation(schema, document, undefined))
  if (!own || !other) throw new Error('Expected two operations.')
  await compare(
    name,
    () => own({ variableValues: {}, contextValue: {} }),
    () => other({ variableValues: {}, contextValue: {} }),
  )
}
