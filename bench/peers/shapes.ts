/**
 * The graph of the comparison with compiled routers: the shape of The Guild's federation benchmark,
 * and Grafbase's four. Types and data are our own. One supergraph has all of them, so that every
 * contender is one process with one configuration.
 */

/** A subgraph: its types, its root fields, and its entities by type and key. */
export type PeerSubgraph = {
  readonly name: string
  readonly types: string
  readonly roots?: object
  readonly entities?: Readonly<Record<string, (id: string, sent: { price: number; weight: number }) => object | undefined>>
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const textOf = (characters: number): string => 'A plain sentence about nothing in particular. '.repeat(30).slice(0, characters)

/** Objects of the reviews shape refer to each other by functions, which graphql-js calls. */
type User = { readonly id: string; readonly reviews: () => readonly Review[] }
type Product = { readonly upc: string; readonly reviews: () => readonly Review[] }
type Review = { readonly id: string; readonly author: () => User | undefined; readonly product: () => Product | undefined }

const shippingOf = ({ price, weight }: { readonly price: number; readonly weight: number }): number => price + 2 * weight

const USERS = numbers(6).map((index) => ({
  id: `u${index}`,
  name: `Person ${index} of six`,
  username: `person${index}`,
  reviews: () => REVIEWS.filter((review) => review.authorId === `u${index}`),
}))
const PRODUCTS = numbers(9).map((index) => ({
  upc: `${index}`,
  name: `Thing number ${index}`,
  price: 100 + index * 37,
  weight: 10 + index * 130,
  inStock: index % 3 !== 0,
  shippingEstimate: shippingOf({ price: 100 + index * 37, weight: 10 + index * 130 }),
  reviews: () => REVIEWS.filter((review) => review.productUpc === `${index}`),
}))
const REVIEWS = numbers(21).map((index) => ({
  id: `r${index}`,
  body: `Review ${index}: ${textOf(24)}`,
  authorId: `u${index % 3}`,
  productUpc: `${(index * 4) % 9}`,
  author: (): User | undefined => USERS.find(({ id }) => id === `u${index % 3}`),
  product: (): Product | undefined => PRODUCTS.find(({ upc }) => upc === `${(index * 4) % 9}`),
}))

const find =
  <Item extends object>(items: readonly Item[], key: keyof Item) =>
  (id: string): Item | undefined =>
    items.find((item) => item[key] === id)
const withTypename = <Item extends object>(name: string, items: readonly Item[]) =>
  items.map((item) => ({ __typename: name, ...item }))

const userOf = find(withTypename('User', USERS), 'id')
const productOf = find(withTypename('Product', PRODUCTS), 'upc')

const REVIEWS_SHAPE: readonly PeerSubgraph[] = [
  {
    name: 'accounts',
    types: 'type Query { users: [User!]! } type User @key(fields: "id") { id: ID! name: String! username: String! }',
    roots: { users: USERS },
    entities: { User: userOf },
  },
  {
    name: 'inventory',
    types: `type Product @key(fields: "upc") { upc: String! weight: Int! @external price: Int! @external inStock: Boolean!
      shippingEstimate: Int! @requires(fields: "price weight") }`,
    // Of what the gateway sends, so that a gateway that does not send it has another answer.
    entities: { Product: (upc, sent) => ({ ...productOf(upc), shippingEstimate: shippingOf(sent) }) },
  },
  {
    name: 'products',
    types: `type Query { topProducts: [Product!]! }
      type Product @key(fields: "upc") { upc: String! name: String! price: Int! weight: Int! }`,
    roots: { topProducts: PRODUCTS.slice(0, 5) },
    entities: { Product: productOf },
  },
  {
    name: 'reviews',
    types: `type Review @key(fields: "id") { id: ID! body: String! author: User! product: Product! }
      type User @key(fields: "id") { id: ID! reviews: [Review!]! }
      type Product @key(fields: "upc") { upc: String! reviews: [Review!]! }`,
    entities: {
      User: userOf,
      Product: productOf,
    },
  },
]

const PAYLOAD: PeerSubgraph = {
  name: 'payload',
  types: `type Query { articles: [Article!]! }
    type Article { id: ID! title: String! body: String! words: Int! score: Float! isPublic: Boolean! tags: [String!]! }`,
  roots: {
    articles: numbers(1_000).map((index) => ({
      id: `a${index}`,
      title: `Article ${index} with "quotes"`,
      body: textOf(700),
      words: index * 7,
      score: index / 4,
      isPublic: index % 2 === 0,
      tags: ['one', 'two', `tag ${index}`],
    })),
  },
}

const DEPTH = 8
const stepFrom = (id: string): object => ({
  __typename: 'Step',
  id,
  label: `Step ${id}`,
  ...Object.fromEntries(numbers(DEPTH).map((level) => [`next${level}`, () => stepFrom(`${id}.${level}`)])),
})
/** Each step is in another subgraph, so the fetches follow each other. */
const DEEP: readonly PeerSubgraph[] = numbers(DEPTH).map((level) => ({
  name: `deep${level}`,
  types: `${level === 0 ? 'type Query { start: Step! }' : ''}
    type Step @key(fields: "id") { id: ID! next${level}: Step! ${level === DEPTH - 1 ? 'label: String!' : ''} }`,
  roots: level === 0 ? { start: stepFrom('s') } : {},
  entities: { Step: stepFrom },
}))

const BREADTH = 20
const partOf = (id: string): object => ({
  __typename: 'Part',
  id,
  ...Object.fromEntries(numbers(BREADTH).map((index) => [`field${index}`, `Field ${index} of ${id}`])),
})
/** One list, and a field of each item in each of the subgraphs. */
const WIDE: readonly PeerSubgraph[] = numbers(BREADTH).map((index) => ({
  name: `wide${index}`,
  types: `${index === 0 ? 'type Query { parts: [Part!]! }' : ''} type Part @key(fields: "id") { id: ID! field${index}: String! }`,
  roots: index === 0 ? { parts: numbers(10).map((part) => partOf(`part${part}`)) } : {},
  entities: { Part: partOf },
}))

const writerOf = (id: string): object => ({ __typename: 'Writer', id, name: `Writer ${id}`, city: `City of ${id}` })
/** 600 references to five entities. */
const REPEATED: readonly PeerSubgraph[] = [
  {
    name: 'posts',
    types:
      'type Query { posts: [Post!]! } type Post { id: ID! writer: Writer! editor: Writer! } type Writer @key(fields: "id") { id: ID! }',
    roots: {
      posts: numbers(300).map((index) => ({
        id: `p${index}`,
        writer: writerOf(`w${index % 5}`),
        editor: writerOf(`w${(index * 2) % 5}`),
      })),
    },
  },
  {
    name: 'writers',
    types: 'type Writer @key(fields: "id") { id: ID! name: String! city: String! }',
    entities: { Writer: writerOf },
  },
]

export const PEER_SUBGRAPHS: readonly PeerSubgraph[] = [...REVIEWS_SHAPE, PAYLOAD, ...DEEP, ...WIDE, ...REPEATED]

/** Root fields of all subgraphs, for an answer without any gateway. */
export const ALL_ROOTS = Object.assign({}, ...PEER_SUBGRAPHS.map(({ roots }) => roots))

const product = '{ upc name price weight inStock shippingEstimate'
const nested = `reviews { id body author { id name username reviews { id body product ${product} } } } }`

/** The queries; the first is of The Guild's shape, with an answer of about 88 kB. */
export const PEER_QUERIES = {
  reviews: `query Reviews {
    users { id name username reviews { id body product ${product} ${nested} } } }
    topProducts ${product} ${nested} }
  }`,
  payload: 'query Payload { articles { id title body words score isPublic tags } }',
  deep: `query Deep { start ${numbers(DEPTH).reduceRight((inner, level) => `{ next${level} ${inner} }`, '{ id label }')} }`,
  wide: `query Wide { parts { id ${numbers(BREADTH)
    .map((index) => `field${index}`)
    .join(' ')} } }`,
  repeated: 'query Repeated { posts { id writer { name city } editor { name city } } }',
} as const
export type PeerQuery = keyof typeof PEER_QUERIES
