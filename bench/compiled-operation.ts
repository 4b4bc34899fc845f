/**
 * The CPU of compiled operations as a share of graphql-js' `execute` with the same parsed document,
 * what compiling costs, and what stays in memory.
 *
 *   node --expose-gc bench/compiled-operation.ts [--only WORD] [--rounds N (30)]
 *
 * Rounds of both alternate, so that a busy machine weighs on both; the ratio is that of the
 * medians.
 */
import { parseArgs } from 'node:util'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { type DocumentNode, type ExecutionResult, execute, parse } from 'graphql'
import { compileOperation } from '../gateway/executor/graphql/compile-operation.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'

const { values: options } = parseArgs({
  options: { only: { type: 'string', default: '' }, rounds: { type: 'string', default: '30' } },
})
const ROUNDS = Number(options.rounds)

const typeDefs = parse(`
  enum Level { LOW HIGH }
  interface Entry { id: ID! title: String }
  type Author implements Entry { id: ID! title: String name: String! age: Int born: Float isKnown: Boolean! level: Level friends: [Author!]! bestFriend: Author }
  type Book implements Entry {
    id: ID! title: String subtitle: String pages: Int! price: Float! isbn: String! isSold: Boolean! level: Level! tags: [String!]! language: String
    authors: [Author!]!
    shortTitle(length: Int = 5): String!
    slowTitle: String! slowAuthor: Author slowAuthors: [Author!]!
  }
  type Query { book: Book books(first: Int): [Book!]! entries: [Entry!]! slowBooks: [Book!]! }
`)
const author = (id: number) => ({
  __typename: 'Author',
  id: `a${id}`,
  title: 'Dr',
  name: `Author ${id}`,
  age: 40,
  born: 1980.5,
  isKnown: true,
  level: 'LOW',
  friends: [],
})
const book = (id: number) => ({
  __typename: 'Book',
  id: `b${id}`,
  title: `Title ${id}`,
  subtitle: null,
  pages: 100 + id,
  price: 9.95,
  isbn: `978-${id}`,
  isSold: id % 2 === 0,
  level: 'HIGH',
  tags: ['one', 'two', 'three'],
  language: 'en',
  authors: [author(id), author(id + 1), author(id + 2)],
})
type Book = ReturnType<typeof book>
const BOOKS = Array.from({ length: 100 }, (_, id) => book(id))
const schema = buildSubgraphSchema([
  {
    typeDefs,
    resolvers: {
      Query: {
        book: () => BOOKS[0],
        books: (_: unknown, { first }: { first?: number }) => BOOKS.slice(0, first ?? 100),
        entries: () => BOOKS.flatMap((one) => [one, one.authors[0]]),
        slowBooks: async () => BOOKS.slice(0, 20),
      },
      Book: {
        shortTitle: ({ title }: Book, { length }: { length: number }) => title.slice(0, length),
        slowTitle: async ({ title }: Book) => title,
        slowAuthor: async ({ authors }: Book) => authors[0],
        slowAuthors: async ({ authors }: Book) => authors,
      },
    },
  },
])

const CASES: Readonly<Record<string, string>> = {
  'flat, ten fields': '{ book { id title subtitle pages price isbn isSold level language __typename } }',
  '100 objects with nested lists': '{ books { id title pages price isSold level tags authors { id name age isKnown } } }',
  '100 objects, a resolver with arguments':
    'query ($first: Int, $length: Int) { books(first: $first) { id shortTitle(length: $length) } }',
  '200 objects of an interface': '{ entries { __typename id title ... on Book { pages } ... on Author { name } } }',
  'asynchronous, 20 objects': '{ slowBooks { id title slowTitle slowAuthor { id name } slowAuthors { id name age } } }',
  'asynchronous, one object': '{ slowBooks { id } book { slowTitle slowAuthor { name } } }',
}

/** Microseconds of CPU per call, of `calls` calls in a row. */
async function cpu(run: () => ExecutionResult | Promise<ExecutionResult>, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < calls; index++) {
    const result = run()
    if (result instanceof Promise) await result
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

for (const [name, text] of Object.entries(CASES)) {
  if (!name.includes(options.only)) continue
  const document = parse(text, { noLocation: true })
  const variableValues = text.includes('$first') ? { first: 100, length: 3 } : {}
  const compiled = compileOperation(schema, document, undefined)
  const variants = [
    () => execute({ schema, document, variableValues, contextValue: {} }),
    () => compiled({ variableValues, contextValue: {} }),
  ] as const
  const times: [number[], number[]] = [[], []]
  const calls = Math.max(10, Math.round(5_000 / (await cpu(variants[0], 50))))
  for (let round = 0; round < ROUNDS + 10; round++) {
    for (const index of [0, 1] as const) {
      const time = await cpu(variants[index], calls)
      if (round >= 10) times[index].push(time)
    }
  }
  const [stock, own] = [median(times[0]), median(times[1])]
  console.log(
    `${name.padEnd(40)} execute ${stock.toFixed(1).padStart(7)} µs  compiled ${own.toFixed(1).padStart(7)} µs  ratio ${(own / stock).toFixed(2)}`,
  )
}

const NAMES = ['id', 'title', 'subtitle', 'pages', 'price', 'isbn', 'isSold', 'level', 'language']
const distinct = (index: number): string =>
  `query Q${index} { book { ${NAMES.map((field, at) => ((index >> at) & 1 ? `${field}${index}: ${field}` : field)).join(' ')} __typename } }`

if ('compiling'.includes(options.only)) {
  const documents: DocumentNode[] = Array.from({ length: 5_000 }, (_, index) => parse(distinct(index), { noLocation: true }))
  const run = (document: DocumentNode) => {
    const compiled = compileOperation(schema, document, undefined)
    void compiled({ variableValues: {}, contextValue: {} })
    return compiled
  }
  documents.slice(0, 1_000).forEach(run)
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  const before = process.cpuUsage()
  const operations = documents.slice(1_000).map(run)
  const { user, system } = process.cpuUsage(before)
  globalThis.gc?.()
  const bytes = (process.memoryUsage().heapUsed - heap) / operations.length
  console.log(
    `compiling and the first run, ten fields: ${((user + system) / operations.length).toFixed(0)} µs, ${(bytes / 1000).toFixed(1)} kB beside the document`,
  )
}

if ('memory'.includes(options.only)) {
  const link = createLocalLink({ name: 'bench', schema, context: () => ({}), ready: async () => {}, close: async () => {} })
  const requestContext = {
    caller: { requestId: 'bench', address: '127.0.0.1', credentials: {} },
    signal: new AbortController().signal,
  }
  const heaps: string[] = []
  for (let index = 0; index <= 50_000; index++) {
    await link.execute({ query: distinct(index), variables: {}, operationName: undefined }, requestContext)
    if (index % 10_000 !== 500) continue
    globalThis.gc?.()
    heaps.push(`${(process.memoryUsage().heapUsed / 1e6).toFixed(1)} MB after ${index}`)
  }
  globalThis.gc?.()
  console.log(
    `distinct documents over a link: ${heaps.join(', ')}, ${(process.memoryUsage().heapUsed / 1e6).toFixed(1)} MB after 50000`,
  )
}

if ('memory'.includes(options.only)) {
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  // What callers hold on to: the plans in them are bounded for all together.
  const held = Array.from({ length: 50_000 }, () =>
    compileOperation(schema, parse(CASES['flat, ten fields'] ?? '', { noLocation: true }), undefined),
  )
  globalThis.gc?.()
  const parsed = process.memoryUsage().heapUsed
  for (const run of held) await run({ variableValues: {}, contextValue: {} })
  globalThis.gc?.()
  const run = process.memoryUsage().heapUsed
  console.log(
    `${held.length} operations of ten fields that are held: ${((parsed - heap) / 1e6).toFixed(0)} MB, ${((run - parsed) / 1e6).toFixed(0)} MB more when all have run`,
  )
}
