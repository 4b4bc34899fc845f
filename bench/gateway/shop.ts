/** Four small subgraphs with data in memory: what is asked of every gateway that is compared. */

type Named = { readonly id: string }

const PRODUCTS = Array.from({ length: 40 }, (_, index) => ({
  id: `p${index}`,
  name: `Product ${index}`,
  price: 100 + ((index * 37) % 900),
  weight: 10 + ((index * 13) % 200),
}))

const USERS = Array.from({ length: 30 }, (_, index) => ({
  id: `u${index}`,
  name: `User number ${index}`,
  username: `user${index}`,
}))

const REVIEWS = Array.from({ length: 160 }, (_, index) => ({
  id: `r${index}`,
  body: `This is what the review with the number ${index} has to say about the product.`,
  stars: index % 5 === 0 ? null : (index % 5) + 1,
  authorId: `u${(index * 7) % 30}`,
  productId: `p${index % 40}`,
}))

const byId = <Item extends Named>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]))

export const products = byId(PRODUCTS)
export const users = byId(USERS)

const grouped = (keyOf: (review: (typeof REVIEWS)[number]) => string) => Map.groupBy(REVIEWS, keyOf)
export const reviewsOfProduct = grouped(({ productId }) => productId)
export const reviewsOfUser = grouped(({ authorId }) => authorId)

export const topProducts = (first: number) => PRODUCTS.slice(0, first)
export const isInStock = (id: string) => Number(id.slice(1)) % 3 !== 0

/** Stands before the types where they are composed. */
export const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external"])\n'

/** Each subgraph: its types as federation 1 and 2 both read them, and their resolvers. */
export const SUBGRAPHS = [
  {
    name: 'accounts',
    types: `
      type Query { me: User! user(id: ID!): User }
      type User @key(fields: "id") { id: ID! name: String! username: String }
    `,
    resolvers: {
      Query: { me: () => users.get('u1'), user: (_: unknown, { id }: Named) => users.get(id) ?? null },
      User: { __resolveReference: ({ id }: Named) => users.get(id) ?? null },
    },
  },
  {
    name: 'products',
    types: `
      type Query { topProducts(first: Int = 5): [Product!]! product(id: ID!): Product }
      type Product @key(fields: "id") { id: ID! name: String! price: Int! weight: Int! }
    `,
    resolvers: {
      Query: {
        topProducts: (_: unknown, { first }: { first: number }) => topProducts(first),
        product: (_: unknown, { id }: Named) => products.get(id) ?? null,
      },
      Product: { __resolveReference: ({ id }: Named) => products.get(id) ?? null },
    },
  },
  {
    name: 'inventory',
    types: `
      extend type Product @key(fields: "id") { id: ID! @external inStock: Boolean! }
    `,
    resolvers: {
      Product: { __resolveReference: ({ id }: Named) => ({ id }), inStock: ({ id }: Named) => isInStock(id) },
    },
  },
  {
    name: 'reviews',
    types: `
      type Review @key(fields: "id") { id: ID! body: String! stars: Int author: User! product: Product! }
      extend type User @key(fields: "id") { id: ID! @external reviews: [Review!]! }
      extend type Product @key(fields: "id") { id: ID! @external reviews: [Review!]! }
    `,
    resolvers: {
      Review: {
        author: ({ authorId }: (typeof REVIEWS)[number]) => ({ __typename: 'User', id: authorId }),
        product: ({ productId }: (typeof REVIEWS)[number]) => ({ __typename: 'Product', id: productId }),
      },
      User: { __resolveReference: ({ id }: Named) => ({ id }), reviews: ({ id }: Named) => reviewsOfUser.get(id) ?? [] },
      Product: { __resolveReference: ({ id }: Named) => ({ id }), reviews: ({ id }: Named) => reviewsOfProduct.get(id) ?? [] },
    },
  },
] as const

/** The same graph as one schema, for a server without a gateway. */
export const MONOLITH = {
  types: `
    type Query { me: User! user(id: ID!): User topProducts(first: Int = 5): [Product!]! product(id: ID!): Product }
    type User { id: ID! name: String! username: String reviews: [Review!]! }
    type Product { id: ID! name: String! price: Int! weight: Int! inStock: Boolean! reviews: [Review!]! }
    type Review { id: ID! body: String! stars: Int author: User! product: Product! }
  `,
  resolvers: {
    Query: { ...SUBGRAPHS[0].resolvers.Query, ...SUBGRAPHS[1].resolvers.Query },
    User: { reviews: SUBGRAPHS[3].resolvers.User.reviews },
    Product: { inStock: SUBGRAPHS[2].resolvers.Product.inStock, reviews: SUBGRAPHS[3].resolvers.Product.reviews },
    Review: {
      author: ({ authorId }: (typeof REVIEWS)[number]) => users.get(authorId),
      product: ({ productId }: (typeof REVIEWS)[number]) => products.get(productId),
    },
  },
}

/**
 * What is asked: an answer of about 80 kB through all subgraphs, one of about 700 bytes, and one
 * field.
 */
export const QUERIES = {
  large: `query Large($first: Int!) {
    topProducts(first: $first) {
      id name price inStock
      reviews { id body stars author { id name username reviews { id body product { id name inStock } } } }
    }
  }`,
  small: `query Small($first: Int!) { topProducts(first: $first) { id name inStock reviews { stars author { name } } } }`,
  field: 'query Field { me { name } }',
} as const

export const VARIABLES: Readonly<Record<keyof typeof QUERIES, object>> = { large: { first: 20 }, small: { first: 3 }, field: {} }

/** The answers, by hand: what the data alone cost. */
export const BY_HAND: Readonly<Record<keyof typeof QUERIES, (variables: { first: number }) => unknown>> = {
  large: ({ first }) => ({
    topProducts: topProducts(first).map(({ id, name, price }) => ({
      id,
      name,
      price,
      inStock: isInStock(id),
      reviews: (reviewsOfProduct.get(id) ?? []).map(({ id, body, stars, authorId }) => {
        const author = users.get(authorId)
        return {
          id,
          body,
          stars,
          author: {
            id: author?.id,
            name: author?.name,
            username: author?.username,
            reviews: (reviewsOfUser.get(authorId) ?? []).map(({ id, body, productId }) => ({
              id,
              body,
              product: { id: productId, name: products.get(productId)?.name, inStock: isInStock(productId) },
            })),
          },
        }
      }),
    })),
  }),
  small: ({ first }) => ({
    topProducts: topProducts(first).map(({ id, name }) => ({
      id,
      name,
      inStock: isInStock(id),
      reviews: (reviewsOfProduct.get(id) ?? []).map(({ stars, authorId }) => ({
        stars,
        author: { name: users.get(authorId)?.name },
      })),
    })),
  }),
  field: () => ({ me: { name: users.get('u1')?.name } }),
}
