import { buildSchema, GraphQLObjectType, type GraphQLSchema, GraphQLUnionType, isInterfaceType, isObjectType } from 'graphql'

/** Numbers from 0 to 1 that only depend on the seed. */
export function dice(seed: number): () => number {
  let state = (seed * 2654435761 + 1013904223) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * The same for a text: what happens at a place is the same however often, and in whatever order, it
 * is asked.
 */
const diceOf = (seed: number, place: string) => {
  let hash = seed
  for (const letter of place) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619) >>> 0
  return dice(hash)
}

const FIELDS = `
  s: String   s1: String!   i: Int   f1: Float!   b: Boolean   id1: ID!   e: Color   any: Any
  ls: [String]   ls1: [String!]   l1s1: [String!]!   lli1: [[Int!]]!   l1l1i: [[Int]!]
  x: X   x1: X!   lx: [X]   lx1: [X!]   l1x1: [X!]!   llx: [[X!]!]
  y: Y   y1: Y!   ly1: [Y!]
  n: Node   n1: Node!   ln: [Node]   l1n1: [Node!]!
  u: Union   u1: Union!   lu1: [Union!]
  g(first: Int = 3, text: String, list: [Int!]): String
`
export const SDL = `
  enum Color { RED GREEN }
  scalar Any
  interface Node { ${FIELDS} }
  type X implements Node { ${FIELDS} onlyX: Int }
  type Y implements Node { ${FIELDS} onlyY: Int! }
  type Z implements Node { ${FIELDS} onlyZ: X! }
  union Union = X | Y | Z
  type Query { ${FIELDS} }
  type Mutation { ${FIELDS} }
`
const LEAVES = ['s', 's1', 'i', 'f1', 'b', 'id1', 'e', 'any', 'ls', 'ls1', 'l1s1', 'lli1', 'l1l1i', 'g']
const OBJECTS = ['x', 'x1', 'lx', 'lx1', 'l1x1', 'llx', 'y', 'y1', 'ly1', 'n', 'n1', 'ln', 'l1n1']
const UNIONS = ['u', 'u1', 'lu1']

/** A query or mutation over SDL, with variables for its conditions. */
export function randomOperation(seed: number): { readonly text: string; readonly variableValues: Record<string, unknown> } {
  const roll = dice(seed)
  const pick = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(roll() * things.length)] as Thing
  let fields = 0
  const condition = () =>
    roll() < 0.12 ? ` @${pick(['skip', 'include'])}(if: ${pick(['$yes', '$no', '$maybe', 'true', 'false'])})` : ''
  const selection = (type: string, depth: number): string => {
    const parts: string[] = []
    for (let count = 1 + Math.floor(roll() * 4); count > 0; count--) {
      const kind = roll()
      if (kind < 0.12) parts.push('__typename')
      else if (type === 'Union' || kind < 0.2) {
        const on = type === 'Union' || type === 'Node' ? pick(['X', 'Y', 'Z', 'Node']) : pick([type, 'Node'])
        const target = type === 'Query' || type === 'Mutation' ? type : on
        parts.push(`... on ${target}${condition()} ${selection(target, depth - 0.5)}`)
      } else if (kind < 0.27 && type !== 'Union' && type !== 'Query' && type !== 'Mutation') parts.push(`...Shared${condition()}`)
      else if (kind < 0.62 || depth <= 0 || fields > 40) {
        const leaf = pick(LEAVES)
        parts.push(
          leaf === 'g'
            ? `g${pick(['', '(first: 1)', '(text: $text)', '(first: $first, list: [1, $first1])'])}${condition()}`
            : leaf + condition(),
        )
      } else {
        const name = pick([...OBJECTS, ...UNIONS])
        const within = UNIONS.includes(name) ? 'Union' : name.includes('x') ? 'X' : name.includes('y') ? 'Y' : 'Node'
        parts.push(`${name}${condition()} ${selection(within, depth - 1)}`)
      }
      fields++
    }
    // Without an alias, fields of one name are merged; with arguments they could not be.
    const named = (part: string) =>
      /^(\.\.\.|__)/.test(part) || (!part.startsWith('g') && roll() < 0.5) ? part : `a${fields++}: ${part}`
    return `{ ${[...parts.map(named), ...(roll() < 0.1 && type !== 'Union' ? ['__proto__: i'] : [])].join(' ')} }`
  }
  const kind = roll() < 0.25 ? 'mutation' : 'query'
  const root = selection(kind === 'query' ? 'Query' : 'Mutation', 3.5)
  const text = `${kind} ($yes: Boolean!, $no: Boolean = false, $maybe: Boolean = true, $text: String, $first: Int, $first1: Int!) ${root.slice(0, -1)}
      __typename @skip(if: $yes) @include(if: $no) constructor: n @skip(if: $maybe) { ...Shared } gs: g(text: $text, first: $first, list: [$first1]) @include(if: false) }
    fragment Shared on Node { __typename sharedS: s1 ... on X { onlyX } ... on Z { onlyZ { s1 } } sharedN: n @include(if: $maybe) { __typename i } }`
  const variableValues = {
    yes: roll() < 0.5,
    ...(roll() < 0.3 && { maybe: roll() < 0.5 }),
    ...(roll() < 0.5 && { text: 'given' }),
    first1: 7,
  }
  return { text, variableValues }
}

/** What is no promise of the language, but does what one does. */
export const thenable = <Value>(promise: Promise<Value>): PromiseLike<Value> => ({
  // biome-ignore lint/suspicious/noThenProperty: it is what this is about
  then: (...callbacks) => promise.then(...callbacks),
})

/** Waits for a number of microtasks. */
export const ticks = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await undefined
}

/**
 * A world in which every value, delay and fault is decided by the seed and its place. `called`
 * hears of every property that is read.
 */
export function randomWorld(
  seed: number,
  called: (place: string) => void,
): { readonly schema: GraphQLSchema; readonly rootValue: unknown } {
  const calm = dice(seed)()
  const schema = buildSchema(SDL)

  const calledWith = (values: object, value: () => unknown) => {
    called(JSON.stringify(values))
    return value()
  }

  const objectAt = (place: string, type: string): object =>
    new Proxy(
      { place, type },
      {
        get(_, name) {
          if (name === 'then' || typeof name !== 'string' || name === 'toJSON') return undefined
          if (name === 'place') return place
          if (name === '__typename') return type
          called(`${place}.${name}`)
          const roll = diceOf(seed, `${place}.${name}`)
          const choice = roll()
          const value = () => result(`${place}.${name}`, name, roll)
          return choice < 0.4 ? value() : choice < 0.6 ? (values: object) => calledWith(values, value) : later(value, roll)
        },
        ownKeys: () => ['place'],
        getOwnPropertyDescriptor: () => ({ value: place, enumerable: true, configurable: true }),
      },
    )

  const later = (value: () => unknown, roll: () => number) => {
    const count = Math.floor(roll() * 7)
    const isThenable = roll() < 0.1
    const promise = ticks(count).then(value)
    return isThenable ? thenable(promise) : promise
  }

  const result = (place: string, name: string, roll: () => number): unknown => {
    const fault = roll() / (0.3 + calm)
    if (fault < 0.03) throw new Error(`thrown at ${place}`)
    if (fault < 0.04) throw `text at ${place}`
    if (fault < 0.055) return new Error(`returned at ${place}`)
    if (fault < 0.085) return null
    if (fault < 0.09) return { wrong: place }
    return shaped(place, String(schema.getQueryType()?.getFields()[name]?.type ?? 'Int'), roll)
  }

  const shaped = (place: string, type: string, roll: () => number): unknown => {
    const bare = type.replace(/!$/, '')
    if (bare.startsWith('[')) {
      const item = bare.slice(1, -1)
      const items = Array.from({ length: Math.floor(roll() * 4) }, (_, index) => {
        const own = diceOf(seed, `${place}.${index}`)
        const make = () => {
          if (own() < 0.06) throw new Error(`item thrown at ${place}.${index}`)
          return own() < 0.06 ? null : shaped(`${place}.${index}`, item, own)
        }
        return () => {
          if (own() < 0.25) return later(make, own)
          if (own() < 0.05) return new Error(`item returned at ${place}.${index}`)
          return own() < 0.05 ? null : shaped(`${place}.${index}`, item, own)
        }
      })
      const isLazy = roll() < 0.2
      return isLazy ? new Set(items.map((make) => make())) : items.map((make) => make())
    }
    const number = Math.floor(roll() * 100)
    switch (bare) {
      case 'String':
      case 'ID':
        return roll() < 0.9 ? `${bare} ${number}` : number
      case 'Int':
        return roll() < 0.95 ? number : number + 0.5
      case 'Float':
        return number / 4
      case 'Boolean':
        return number > 50
      case 'Color':
        return roll() < 0.8 ? 'RED' : 'BLUE'
      case 'Any':
        return { any: number }
      case 'X':
      case 'Y':
        return objectAt(place, bare)
      default:
        return objectAt(place, ['X', 'Y', 'Z', 'Z'][Math.floor(roll() * 4)] as string)
    }
  }

  /** What is said about the type of a value: rightly or not, at once or not. */
  const said = (place: string, what: string, right: unknown, wrong: unknown): unknown => {
    const roll = diceOf(seed, `${place} ${what}`)
    const choice = roll()
    called(`${what} ${place}`)
    const say = () => {
      const fault = roll() / (0.3 + calm)
      if (fault < 0.02) throw new Error(`${what} at ${place}`)
      return fault < 0.04 ? wrong : right
    }
    return choice < 0.6 ? say() : later(say, roll)
  }
  const named = (value: unknown) => value as { readonly place: string; readonly __typename: string }

  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type) && calm < 0.7) {
      type.resolveType = (value) => said(named(value).place, 'resolveType', named(value).__typename, 'Query') as string
    }
    if (type instanceof GraphQLUnionType && calm > 0.4) {
      type.resolveType = (value) => said(named(value).place, 'resolveType', named(value).__typename, undefined) as string
    }
    if (isObjectType(type) && (type.name === 'Z' || (type.name === 'Y' && calm > 0.5))) {
      type.isTypeOf = (value) => said(named(value).place, 'isTypeOf', true, false) as boolean
    }
    if (type instanceof GraphQLObjectType && type.name === 'X') {
      const field = type.getFields().s1
      // A resolver of its own beside the properties.
      if (field) field.resolve = (source, _, __, { path }) => `${named(source).place} ${path.key}`
    }
  }
  return { schema, rootValue: objectAt('root', 'Query') }
}
