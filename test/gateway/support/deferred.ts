import type { Gateway } from '../../../gateway/gateway.ts'
import type { ExecutionResult } from '../../../gateway/operations/execution-result.ts'
import type { DeferredPart } from '../../../gateway/operations/incremental-result.ts'
import { requestContext } from './graph.ts'
import type { Parts } from './parts.ts'

type Ref = { readonly id: string }

/** What one operation with `@defer` is answered: the first result, and all later payloads. */
export type Answered = {
  readonly initial: ExecutionResult
  readonly payloads: readonly { readonly incremental?: readonly DeferredPart[]; readonly hasNext: boolean }[] | null
  /** The first result with all parts in their places. */
  readonly merged: unknown
  readonly errors: readonly unknown[]
}

export async function askDeferred(
  gateway: Gateway,
  query: string,
  variables: Record<string, unknown> = {},
  context = requestContext(),
): Promise<Answered> {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') return { initial: { errors: prepared.errors }, payloads: null, merged: null, errors: [] }
  if (!prepared.runIncremental) throw new Error('Expected an operation with @defer.')
  const { initial, rest } = await prepared.runIncremental(variables, context)
  const payloads: Answered['payloads'][number & keyof Answered['payloads']][] = []
  // As a client sees it at this moment: what follows must not change it.
  const first = JSON.parse(JSON.stringify(initial)) as ExecutionResult
  for (let payload = await rest?.next(); payload; payload = await rest?.next()) {
    payloads.push(JSON.parse(JSON.stringify(payload)) as never)
  }
  return { initial: first, payloads: rest && (payloads as never), ...merged(first, payloads as never) }
}

/** Puts parts where they belong, as a client does. */
export function merged(initial: ExecutionResult, payloads: readonly { readonly incremental?: readonly DeferredPart[] }[]) {
  const root = structuredClone(initial.data) as Record<string, unknown> | null
  const errors = [...(initial.errors ?? [])]
  for (const { data, path, errors: own = [] } of payloads.flatMap(({ incremental = [] }) => incremental)) {
    errors.push(...own)
    const target = path.reduce((value: unknown, step) => Reflect.get(Object(value), step), root)
    if (data) mergeInto(target as Record<string, unknown>, structuredClone(data) as Record<string, unknown>)
  }
  return { merged: root, errors }
}

function mergeInto(target: Record<string, unknown>, source: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(source)) {
    const existing = Object.hasOwn(target, key) ? Reflect.get(target, key) : undefined
    if (typeof existing === 'object' && existing !== null && typeof value === 'object' && value !== null) {
      mergeInto(existing as Record<string, unknown>, value as Record<string, unknown>)
    } else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  }
}

/** Three subgraphs; `gate` holds back what `reviews` answers until it is opened. */
export const library = (gate: { readonly opened: Promise<unknown> } = { opened: Promise.resolve() }): Parts => ({
  books: {
    sdl: `
      type Query { book(id: ID!): Book books: [Book!]! pages: [Page!]! items: [Item!]! }
      type Mutation { borrow(id: ID!): Book }
      type Subscription { borrowed: Book }
      interface Item { id: ID! }
      type Book implements Item @key(fields: "id") { id: ID! title: String! author: Author cover: Cover pages: [Page!]! }
      type Film implements Item @key(fields: "id") { id: ID! minutes: Int }
      type Author @key(fields: "id") { id: ID! name: String }
      type Cover { color: String size: Int! broken: Int! }
      type Page { number: Int! text: String }`,
    resolvers: {
      Query: {
        book: (_: unknown, { id }: Ref) => book(id),
        books: () => ['1', '2', '3'].map(book),
        pages: () => [{ number: 1, text: 'one' }],
        items: () => [
          { __typename: 'Book', ...book('1') },
          { __typename: 'Film', id: 'f', minutes: 90 },
        ],
      },
      Mutation: { borrow: (_: unknown, { id }: Ref) => book(id) },
      Book: { __resolveReference: ({ id }: Ref) => book(id) },
      Film: { __resolveReference: ({ id }: Ref) => ({ id, minutes: 90 }) },
      Author: { __resolveReference: ({ id }: Ref) => ({ id }), name: ({ id }: Ref) => `author ${id}` },
      Cover: {
        broken: () => {
          throw new Error('torn')
        },
      },
    },
  },
  reviews: {
    sdl: `
      type Book @key(fields: "id") { id: ID! reviews: [Review!]! score: Int! secret: String @authenticated }
      type Review @key(fields: "id") { id: ID! text: String! by: Author }
      type Author @key(fields: "id") { id: ID! reviewCount: Int }
      type Film @key(fields: "id") { id: ID! stars: Int }`,
    resolvers: {
      Book: {
        reviews: async ({ id }: Ref) => {
          await gate.opened
          return [{ id: `${id}a` }, { id: `${id}b` }]
        },
        secret: ({ id }: Ref) => `secret ${id}`,
        score: ({ id }: Ref) => {
          if (id === '2') throw new Error('no score')
          return Number(id)
        },
      },
      Review: {
        text: ({ id }: Ref) => `text ${id}`,
        by: ({ id }: Ref) => (id.endsWith('a') ? { id: 'x' } : null),
      },
      Author: { reviewCount: () => 2 },
      Film: { stars: () => 5 },
    },
  },
  likes: {
    sdl: 'type Review @key(fields: "id") { id: ID! likes: Int }',
    resolvers: { Review: { likes: ({ id }: Ref) => id.length } },
  },
})

const book = (id: string) => ({
  id,
  title: `title ${id}`,
  author: { id: `a${id}` },
  cover: { color: 'red', size: 1 },
  pages: [
    { number: 1, text: 'p1' },
    { number: 2, text: 'p2' },
  ],
})
