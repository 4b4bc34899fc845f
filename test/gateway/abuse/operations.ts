import { getIntrospectionQuery } from 'graphql'
import type { GraphQLBody } from '../support/transports.ts'

/**
 * Something that a client may send, as an object or as the text of it where JSON.stringify would
 * not say it.
 */
export type Sent = GraphQLBody | { readonly text: string }

/**
 * One operation that means harm, and the closest one that does not. Both are sent over every door
 * that can carry them.
 */
export type Abuse = {
  readonly why: string
  readonly hostile: Sent
  /** The code of the refusal; absent for what may be answered, as long as it is answered soon. */
  readonly code?: string | RegExp
  /**
   * Over WebSocket, where it differs: a code, the code that the socket is closed with, or null for
   * what is answered there.
   */
  readonly overSocket?: string | number | null
  /** What must be accepted; absent where nothing is like it. */
  readonly harmless?: Sent
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')
const q = (query: string, variables?: object, operationName?: unknown): GraphQLBody => ({
  query,
  ...(variables !== undefined && { variables }),
  ...(operationName !== undefined && { operationName }),
})
const product = (selection: string) => `{ product(id: "a") { ${selection} } }`
const nested = (levels: number) => product(`${'parent { '.repeat(levels)} id ${'} '.repeat(levels)}`)
/** `count` fragments on Product; the last has only an id. */
const chain = (count: number, next: (name: string) => string) =>
  times(count, (i) => `fragment f${i} on Product { ${i < count - 1 ? next(`f${i + 1}`) : 'id'} }`)

const PAGE = 'query ($n: Int) { products(first: $n) { totalCount } }'
const MATRIX = 'query ($m: [[Int]]) { echo(matrix: $m) }'
const FILTER = 'query ($f: Filter) { products(filter: $f) { totalCount } }'
const FINE = q('{ caller }')
const deepFilter = (levels: number): object => (levels === 0 ? { name: 'x' } : { inner: deepFilter(levels - 1) })

const LARGE = 'OPERATION_TOO_LARGE'
const INVALID = 'GRAPHQL_VALIDATION_FAILED'
const SYNTAX = 'GRAPHQL_PARSE_FAILED'
const PAGE_SIZE = 'PAGE_SIZE_OUT_OF_RANGE'
const INPUT = 'BAD_USER_INPUT'
const COST = 'COST_LIMIT_EXCEEDED'
const DEPTH = 'DEPTH_LIMIT_EXCEEDED'
const NAME = 'OPERATION_RESOLUTION_FAILURE'
/**
 * What is no GraphQL request at all: the doors have their own words for it, and a WebSocket is
 * closed as its protocol says.
 */
const SHAPE = /^BAD_/
const NO_REQUEST = 4400

const FRAGMENTS: readonly Abuse[] = [
  {
    why: '40 fragments that spread the next one twice',
    hostile: q(`${product('...f0')} ${chain(40, (next) => `a: parent { ...${next} } b: parent { ...${next} }`)}`),
    code: DEPTH,
    harmless: q(`${product('...f0')} ${chain(5, (next) => `a: parent { ...${next} } b: parent { ...${next} }`)}`),
  },
  {
    why: '40 fragments that spread the next one twice, all at one level',
    hostile: q(`${product('...f0')} ${chain(40, (next) => `...${next} ...${next}`)}`),
    code: LARGE,
    harmless: q(`${product('...f0')} ${chain(5, (next) => `...${next} ...${next}`)}`),
  },
  {
    why: '8 levels of 10 aliases',
    hostile: q(`${product('...f0')} ${chain(8, (next) => times(10, (n) => `a${n}: parent { ...${next} }`))}`),
    code: LARGE,
    harmless: q(`${product('...f0')} ${chain(3, (next) => times(3, (n) => `a${n}: parent { ...${next} }`))}`),
  },
  {
    why: 'a fragment that spreads itself',
    hostile: q(`${product('...a')} fragment a on Product { parent { ...a } }`),
    code: INVALID,
    harmless: q(`${product('...a')} fragment a on Product { parent { id } }`),
  },
  {
    why: 'a cycle through 100 fragments',
    hostile: q(`${product('...f0')} ${times(100, (i) => `fragment f${i} on Product { ...f${(i + 1) % 100} }`)}`),
    code: INVALID,
    harmless: q(`${product('...f0')} ${chain(100, (next) => `...${next}`)}`),
  },
  {
    why: 'a cycle that no operation reaches',
    hostile: q('{ caller } fragment a on Query { ...b } fragment b on Query { ...a }'),
    code: INVALID,
    harmless: FINE,
  },
  {
    why: 'a fragment that does not exist',
    hostile: q('{ ...nope }'),
    code: INVALID,
    harmless: q('{ ...yes } fragment yes on Query { caller }'),
  },
  {
    why: 'a fragment called constructor that does not exist',
    hostile: q('{ ...constructor }'),
    code: INVALID,
    harmless: q('{ ...constructor } fragment constructor on Query { caller }'),
  },
  {
    why: 'a fragment called __proto__',
    hostile: q('{ ...__proto__ }'),
    code: INVALID,
    harmless: q('{ ...__proto__ } fragment __proto__ on Query { caller }'),
  },
  {
    why: '1,000 fragments',
    hostile: q(`{ ...f0 } ${times(1_000, (i) => `fragment f${i} on Query { caller }`)}`),
    code: LARGE,
    harmless: q(`{ ${times(40, (i) => `...f${i}`)} } ${times(40, (i) => `fragment f${i} on Query { caller }`)}`),
  },
  {
    why: '400 spreads of one fragment',
    hostile: q(`{ ${'...a '.repeat(400)} } fragment a on Query { caller }`),
    code: LARGE,
    harmless: q(`{ ${'...a '.repeat(40)} } fragment a on Query { caller }`),
  },
  {
    why: '400 inline fragments',
    hostile: q(`{ ${'... { caller } '.repeat(400)} }`),
    code: LARGE,
    harmless: q(`{ ${'... { caller } '.repeat(40)} }`),
  },
  {
    why: '2,000 inline fragments in each other',
    hostile: q(`${'{ ... '.repeat(2_000)}{ caller }${' }'.repeat(2_000)}`),
    code: LARGE,
    harmless: q(`${'{ ... '.repeat(20)}{ caller }${' }'.repeat(20)}`),
  },
  {
    why: 'two fragments of one name',
    hostile: q('{ ...a } fragment a on Query { caller } fragment a on Query { bells }'),
    code: INVALID,
    harmless: q('{ ...a ...b } fragment a on Query { caller } fragment b on Query { bells }'),
  },
  {
    why: '200 fragments that nothing uses',
    hostile: q(`{ caller } ${times(200, (i) => `fragment f${i} on Query { caller }`)}`),
    code: INVALID,
    harmless: FINE,
  },
  {
    why: 'a fragment on a type that is none',
    hostile: q('{ ... on constructor { caller } }'),
    code: INVALID,
    harmless: q('{ ... on Query { caller } }'),
  },
  {
    why: 'a fragment on a scalar',
    hostile: q('{ ... on String { length } }'),
    code: INVALID,
    harmless: q('{ ... on Query { caller } }'),
  },
]

const FIELDS: readonly Abuse[] = [
  {
    why: '5,000 aliases',
    hostile: q(`{ ${times(5_000, (i) => `a${i}: caller`)} }`),
    code: LARGE,
    harmless: q(`{ ${times(10, (i) => `a${i}: caller`)} }`),
  },
  {
    why: '201 aliases',
    hostile: q(product(times(201, (i) => `a${i}: id`))),
    code: LARGE,
    harmless: q(product(times(200, (i) => `a${i}: id`))),
  },
  {
    why: '250 aliases through a fragment',
    hostile: q(
      `{ ${times(5, (i) => `p${i}: product(id: "a") { ...a }`)} } fragment a on Product { ${times(50, (i) => `a${i}: id`)} }`,
    ),
    code: LARGE,
    harmless: q(
      `{ ${times(3, (i) => `p${i}: product(id: "a") { ...a }`)} } fragment a on Product { ${times(50, (i) => `a${i}: id`)} }`,
    ),
  },
  {
    why: '51 fields at the root',
    hostile: q(`{ ${times(51, (i) => `a${i}: bells`)} }`),
    code: LARGE,
    harmless: q(`{ ${times(50, (i) => `a${i}: bells`)} }`),
  },
  {
    why: '51 guesses in one mutation',
    hostile: q(`mutation { ${times(51, (i) => `a${i}: rename(id: "a", name: "${i}") { name }`)} }`),
    code: LARGE,
    harmless: q(`mutation { ${times(5, (i) => `a${i}: rename(id: "a", name: "${i}") { name }`)} }`),
  },
  { why: '30,000 fields', hostile: q(`{ ${'id '.repeat(30_000)} }`), code: LARGE, harmless: q(product('id id id')) },
  {
    why: 'one field 4,000 times',
    hostile: q(`{ ${'caller '.repeat(4_000)} }`),
    code: LARGE,
    harmless: q(`{ ${'caller '.repeat(40)} }`),
  },
  {
    why: '4,000 fields that do not exist',
    hostile: q(`{ ${times(4_000, (i) => `x${i}`)} }`),
    code: INVALID,
    harmless: q('{ caller bells broken: caller }'),
  },
  { why: '11 levels', hostile: q(nested(10)), code: DEPTH, harmless: q(nested(9)) },
  { why: '2,000 levels', hostile: q(nested(2_000)), code: LARGE, harmless: q(nested(5)) },
  { why: 'thousands of braces that never close', hostile: q('{ a '.repeat(20_000)), code: LARGE, harmless: q('{ caller }') },
  {
    why: 'lists in lists of values, 2,000 deep',
    hostile: q(`{ echo(matrix: ${'['.repeat(2_000)}${']'.repeat(2_000)}) }`),
    code: LARGE,
    harmless: q('{ echo(matrix: [[1, 2], [3]]) }'),
  },
  {
    why: 'objects in objects of values, 1,000 deep',
    hostile: q(`{ products(filter: ${'{ inner: '.repeat(1_000)}{}${' }'.repeat(1_000)}) { totalCount } }`),
    code: LARGE,
    harmless: q(`{ products(filter: ${'{ inner: '.repeat(5)}{}${' }'.repeat(5)}) { totalCount } }`),
  },
  {
    why: '250 pairs that conflict',
    hostile: q(`{ ${times(250, (i) => `a: product(id: "${i}") { id }`)} }`),
    code: INVALID,
    harmless: q(`{ ${times(20, () => 'a: product(id: "a") { id }')} }`),
  },
  {
    why: 'conflicts below conflicts',
    hostile: q(product(times(40, (i) => `p: parent { p: parent { p: parent { x${i}: id y: ${i % 2 ? 'id' : 'name'} } } }`))),
    code: INVALID,
    harmless: q(product(times(10, (i) => `p: parent { p: parent { x${i}: id } }`))),
  },
  { why: 'a field that is called __proto__', hostile: q('{ __proto__ }'), code: INVALID, harmless: q('{ __proto__: caller }') },
  {
    why: 'a field that is called constructor',
    hostile: q('{ constructor { name } }'),
    code: INVALID,
    harmless: q('{ constructor: caller toString: caller }'),
  },
  {
    why: 'a field that is called hasOwnProperty',
    hostile: q(product('hasOwnProperty')),
    code: INVALID,
    harmless: q(product('hasOwnProperty: id')),
  },
  {
    why: 'an argument that is called __proto__',
    hostile: q('{ product(id: "a", __proto__: 1) { id } }'),
    code: INVALID,
    harmless: q('{ product(id: "__proto__") { id } }'),
  },
  {
    why: 'an argument twice',
    hostile: q('{ product(id: "a", id: "b") { id } }'),
    code: INVALID,
    harmless: q('{ a: product(id: "a") { id } b: product(id: "b") { id } }'),
  },
  {
    why: 'a field of an input twice',
    hostile: q('{ products(filter: { name: "a", name: "b" }) { totalCount } }'),
    code: INVALID,
    harmless: q('{ products(filter: { name: "a" }) { totalCount } }'),
  },
  { why: 'a selection of a leaf', hostile: q('{ caller { length } }'), code: INVALID, harmless: FINE },
  { why: 'an object without selection', hostile: q('{ product(id: "a") }'), code: INVALID, harmless: q(product('id')) },
  {
    why: "the planner's own field _entities",
    hostile: q('{ _entities(representations: []) { __typename } }'),
    code: INVALID,
    harmless: q('query ($representations: [String!]) { echo(representations: $representations) }', { representations: ['x'] }),
  },
  {
    why: "the subgraphs' own field _service",
    hostile: q('{ _service { sdl } }'),
    code: INVALID,
    harmless: q('{ __schema { queryType { name } } }'),
  },
]

const DIRECTIVES: readonly Abuse[] = [
  {
    why: 'one directive 700 times on a field',
    hostile: q(`{ caller ${'@skip(if: false) '.repeat(700)} }`),
    code: LARGE,
    harmless: q('{ caller @skip(if: false) @include(if: true) }'),
  },
  {
    why: 'one directive twice on a field',
    hostile: q('{ caller @skip(if: false) @skip(if: true) }'),
    code: INVALID,
    harmless: q('{ caller @skip(if: false) }'),
  },
  {
    why: 'a directive on each of 400 fields',
    hostile: q(product(times(400, () => 'id @include(if: true)'))),
    code: LARGE,
    harmless: q(product(times(100, () => 'id @include(if: true)'))),
  },
  {
    why: '250 directives that do not exist',
    hostile: q(`{ caller ${times(250, (i) => `@x${i}`)} }`),
    code: INVALID,
    harmless: q('{ caller @include(if: true) }'),
  },
  {
    why: 'a directive with text where a Boolean is wanted',
    hostile: q('{ caller @skip(if: "no") }'),
    code: INVALID,
    harmless: q('query ($no: Boolean!) { caller @skip(if: $no) bells }', { no: false }),
  },
  {
    why: 'a directive without its argument',
    hostile: q('{ caller @skip }'),
    code: INVALID,
    harmless: q('{ caller @skip(if: false) }'),
  },
  {
    why: 'the same label of @defer twice',
    hostile: q('{ caller ... @defer(label: "a") { bells } ... @defer(label: "a") { bells } }'),
    code: INVALID,
    harmless: q('{ caller ... { bells } }'),
  },
  {
    why: '@defer in many places',
    hostile: q(`{ caller ${'...F @defer '.repeat(200)} } fragment F on Query { bells }`),
    code: 'OPERATION_TOO_LARGE',
    harmless: q('{ caller ...F } fragment F on Query { bells }'),
  },
  {
    why: '@stream',
    hostile: q('{ wholes @stream(initialCount: 0) { id } }'),
    code: 'STREAM_NOT_SUPPORTED',
    harmless: q('{ wholes { id } }'),
  },
  { why: 'directives of the supergraph', hostile: q('{ caller @join__field(graph: SHOP) }'), code: INVALID, harmless: FINE },
  {
    why: 'a directive of a variable',
    hostile: q('query ($a: Int @skip(if: true)) { products(first: $a) { totalCount } }'),
    code: INVALID,
    harmless: q('query ($a: Int) { products(first: $a) { totalCount } }'),
  },
  {
    why: '@skip on an operation',
    hostile: q('query @skip(if: true) { caller }'),
    code: INVALID,
    harmless: q('query { caller @skip(if: false) }'),
  },
]

const PAGES: readonly Abuse[] = [
  {
    why: 'a page of -1',
    hostile: q('{ products(first: -1) { totalCount } }'),
    code: PAGE_SIZE,
    harmless: q('{ products(first: 1) { totalCount } }'),
  },
  {
    why: 'a page of 1,001',
    hostile: q('{ products(first: 1001) { totalCount } }'),
    code: PAGE_SIZE,
    harmless: q('{ products(first: 1000) { totalCount } }'),
  },
  {
    why: 'a page of 2^31 - 1',
    hostile: q('{ products(first: 2147483647) { totalCount } }'),
    code: PAGE_SIZE,
    harmless: q('{ products(first: 0) { totalCount } }'),
  },
  {
    why: 'a page of -2^31',
    hostile: q('{ products(first: -2147483648) { totalCount } }'),
    code: PAGE_SIZE,
    harmless: q('{ products(first: 10) { totalCount } }'),
  },
  {
    why: 'a page of 2^31',
    hostile: q('{ products(first: 2147483648) { totalCount } }'),
    code: INVALID,
    harmless: q('{ products(first: 100) { totalCount } }'),
  },
  {
    why: 'a page of a thousand digits',
    hostile: q(`{ products(first: ${'9'.repeat(1_000)}) { totalCount } }`),
    code: INVALID,
    harmless: q('{ products(first: 999) { totalCount } }'),
  },
  {
    why: 'a page of 1.5',
    hostile: q('{ products(first: 1.5) { totalCount } }'),
    code: INVALID,
    harmless: q('{ products(first: 2) { totalCount } }'),
  },
  {
    why: 'a page of 1e3',
    hostile: q('{ products(first: 1e3) { totalCount } }'),
    code: INVALID,
    harmless: q('{ products(first: 100) { totalCount } }'),
  },
  {
    why: 'a page of 007',
    hostile: q('{ products(first: 007) { totalCount } }'),
    code: SYNTAX,
    harmless: q('{ products(first: 7) { totalCount } }'),
  },
  {
    why: 'a page of NaN',
    hostile: q('{ products(first: NaN) { totalCount } }'),
    code: INVALID,
    harmless: q('{ products(first: null) { totalCount } }'),
  },
  {
    why: 'a page of a list',
    hostile: q('{ products(first: [1]) { totalCount } }'),
    code: INVALID,
    harmless: q('{ products(first: 1) { totalCount } }'),
  },
  { why: 'a page of -1 in a variable', hostile: q(PAGE, { n: -1 }), code: PAGE_SIZE, harmless: q(PAGE, { n: 1 }) },
  {
    why: 'a page of a million in a variable',
    hostile: q(PAGE, { n: 1_000_000 }),
    code: PAGE_SIZE,
    harmless: q(PAGE, { n: 1_000 }),
  },
  { why: 'a page of 2^31 in a variable', hostile: q(PAGE, { n: 2 ** 31 }), code: INPUT, harmless: q(PAGE, { n: 100 }) },
  { why: 'a page of 1.5 in a variable', hostile: q(PAGE, { n: 1.5 }), code: INPUT, harmless: q(PAGE, { n: 1.0 }) },
  { why: 'a page of "10" in a variable', hostile: q(PAGE, { n: '10' }), code: INPUT, harmless: q(PAGE, { n: 10 }) },
  { why: 'a page of "NaN" in a variable', hostile: q(PAGE, { n: 'NaN' }), code: INPUT, harmless: q(PAGE, { n: null }) },
  { why: 'a page of true in a variable', hostile: q(PAGE, { n: true }), code: INPUT, harmless: q(PAGE, {}) },
  { why: 'a page of [] in a variable', hostile: q(PAGE, { n: [] }), code: INPUT, harmless: q(PAGE, { n: 5 }) },
  { why: 'a page of {} in a variable', hostile: q(PAGE, { n: { valueOf: 5 } }), code: INPUT, harmless: q(PAGE, { n: 5 }) },
  {
    why: 'a page of 1e400 in a variable',
    hostile: { text: `{"query":${JSON.stringify(PAGE)},"variables":{"n":1e400}}` },
    code: INPUT,
    harmless: { text: `{"query":${JSON.stringify(PAGE)},"variables":{"n":1e2}}` },
  },
  { why: 'a page of -0 in a variable', hostile: { text: `{"query":${JSON.stringify(PAGE)},"variables":{"n":-0}}` } },
  {
    why: 'a negative page as default of a variable',
    hostile: q('query ($n: Int = -5) { products(first: $n) { totalCount } }'),
    code: PAGE_SIZE,
    harmless: q('query ($n: Int = 5) { products(first: $n) { totalCount } }'),
  },
  {
    why: 'a negative page in a fragment',
    hostile: q('{ ...a } fragment a on Query { products(first: -1) { totalCount } }'),
    code: PAGE_SIZE,
    harmless: q('{ ...a } fragment a on Query { products(first: 1) { totalCount } }'),
  },
  {
    why: 'a negative page behind others',
    hostile: q(
      '{ a: products(first: 1) { totalCount } b: products(first: 2) { totalCount } c: products(first: -1) { totalCount } }',
    ),
    code: PAGE_SIZE,
    harmless: q('{ a: products(first: 1) { totalCount } b: products(first: 2) { totalCount } }'),
  },
  {
    why: 'a negative page that pays for dear fields',
    hostile: q(`{ products(first: -2000000) { edges { node { id } } } ${times(30, (i) => `a${i}: dear { id }`)} }`),
    code: PAGE_SIZE,
    harmless: q('{ products(first: 3) { edges { node { id } } } a: dear(first: 2) { id } }'),
  },
  {
    why: 'a negative page in a field without @listSize',
    hostile: q('{ things(limit: -5) { __typename } }'),
    code: PAGE_SIZE,
    harmless: q('{ things(limit: 5) { __typename } }'),
  },
]

const COSTS: readonly Abuse[] = [
  {
    why: 'lists in lists in lists',
    hostile: q('{ wholes { children { children { id } } } }'),
    code: COST,
    harmless: q('{ wholes { children(first: 2) { children(first: 1) { id } } } }'),
  },
  {
    why: 'a page that a variable makes dear',
    hostile: q('query ($n: Int!) { products(first: $n) { edges { node { id name } } } }', { n: 900 }),
    code: COST,
    harmless: q('query ($n: Int!) { products(first: $n) { edges { node { id name } } } }', { n: 20 }),
  },
  {
    why: 'many small things',
    hostile: q(`{ ${times(40, (i) => `a${i}: wholes { id name }`)} }`),
    code: COST,
    harmless: q(`{ ${times(5, (i) => `a${i}: wholes { id name }`)} }`),
  },
  {
    why: 'what @cost says is dear',
    hostile: q(`{ dear(first: 300) { id } }`),
    code: COST,
    harmless: q('{ dear(first: 30) { id } }'),
  },
  {
    why: 'what @include lets in',
    hostile: q('query ($all: Boolean!) { wholes @include(if: $all) { children { children { id } } } caller }', { all: true }),
    code: COST,
    harmless: q('query ($all: Boolean!) { wholes @include(if: $all) { children { children { id } } } caller }', { all: false }),
  },
  {
    why: 'what @skip does not leave out',
    hostile: q('query ($no: Boolean = false) { wholes @skip(if: $no) { children { children { id } } } caller }'),
    code: COST,
    harmless: q('query ($no: Boolean = true) { wholes @skip(if: $no) { children { children { id } } } caller }'),
  },
  {
    why: 'the dearer of two operations',
    hostile: q('query Cheap { caller } query Dear { wholes { children { children { id } } } }', undefined, 'Dear'),
    code: COST,
    harmless: q('query Cheap { caller } query Dear { wholes { children { children { id } } } }', undefined, 'Cheap'),
  },
  {
    why: 'lists behind fragments',
    hostile: q('{ wholes { ...a } } fragment a on Product { children { ...b } } fragment b on Product { children { id } }'),
    code: COST,
    harmless: q(
      '{ wholes { ...a } } fragment a on Product { children(first: 1) { ...b } } fragment b on Product { children(first: 1) { id } }',
    ),
  },
  {
    why: 'lists behind entities of another subgraph',
    hostile: q('{ wholes { reviews { about { reviews { text } } } } }'),
    code: COST,
    harmless: q('{ product(id: "a") { reviews { about { reviews { text } } } } }'),
  },
]

const INTROSPECTION: readonly Abuse[] = [
  {
    why: '__schema 5 times',
    hostile: q(`{ ${times(5, (i) => `a${i}: __schema { types { name } }`)} }`),
    code: LARGE,
    harmless: q(`{ ${times(4, (i) => `a${i}: __schema { types { name } }`)} }`),
  },
  {
    why: '__type 5 times',
    hostile: q(`{ ${times(5, (i) => `a${i}: __type(name: "Product") { name }`)} }`),
    code: LARGE,
    harmless: q('{ __type(name: "Product") { name } }'),
  },
  {
    why: '__schema 5 times through fragments',
    hostile: q(
      `{ ${times(5, (i) => `...f${i}`)} } ${times(5, (i) => `fragment f${i} on Query { a${i}: __schema { types { name } } }`)}`,
    ),
    code: LARGE,
    harmless: q('{ ...a } fragment a on Query { __schema { types { name } } }'),
  },
  {
    why: 'introspection that turns in circles',
    hostile: q('{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }'),
    code: INVALID,
    harmless: q(getIntrospectionQuery({ inputValueDeprecation: true })),
  },
  {
    why: 'introspection that turns in circles through fragments',
    hostile: q(
      '{ __schema { types { ...t } } } fragment t on __Type { fields { type { ...u } } } fragment u on __Type { fields { type { ...v } } } fragment v on __Type { fields { type { fields { name } } } }',
    ),
    code: INVALID,
    harmless: q('{ __schema { types { ...t } } } fragment t on __Type { fields { type { name } } }'),
  },
  {
    why: 'introspection beside data, at length',
    hostile: q('{ caller __schema { types { fields { args { type { name kind } } type { name kind } } } } }'),
    code: COST,
    harmless: q('{ caller __type(name: "Note") { name } }'),
  },
  { why: 'a type of Object.prototype', hostile: q('{ __type(name: "__proto__") { name } }') },
  { why: 'a type whose name is 50 kB', hostile: q(`{ __type(name: "${'x'.repeat(50_000)}") { name } }`) },
]

const VARIABLES: readonly Abuse[] = [
  {
    why: 'a list nested 3,000 deep',
    hostile: { text: `{"query":${JSON.stringify(MATRIX)},"variables":{"m":${'['.repeat(3_000)}${']'.repeat(3_000)}}}` },
    code: INPUT,
    harmless: q(MATRIX, { m: [[1], [2]] }),
  },
  {
    why: 'a list nested 40,000 deep',
    hostile: { text: `{"query":${JSON.stringify(MATRIX)},"variables":{"m":${'['.repeat(40_000)}${']'.repeat(40_000)}}}` },
    code: /^BAD_/,
    harmless: q(MATRIX, { m: [] }),
  },
  {
    why: 'objects nested 10,000 deep',
    hostile: { text: `{"query":${JSON.stringify(FILTER)},"variables":{"f":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}}` },
    code: /^BAD_/,
    harmless: q(FILTER, { f: {} }),
  },
  {
    why: 'an input that contains itself 40 deep',
    hostile: q(FILTER, { f: deepFilter(40) }),
    code: INPUT,
    harmless: q(FILTER, { f: deepFilter(10) }),
  },
  {
    why: 'nesting in a variable that nobody declared',
    hostile: { text: `{"query":"{ caller }","variables":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}` },
    code: INPUT,
    harmless: q('{ caller }', { x: [[1]] }),
  },
  { why: 'a list of 20,000 numbers', hostile: q(MATRIX, { m: [Array.from({ length: 20_000 }, () => 1)] }) },
  {
    why: 'a list of 5,000 wrong values',
    hostile: q(MATRIX, { m: [Array.from({ length: 5_000 }, () => 'x')] }),
    code: INPUT,
    harmless: q(MATRIX, { m: [Array.from({ length: 5_000 }, () => 7)] }),
  },
  {
    why: '10,000 variables that nobody declared',
    hostile: q('{ caller }', Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`x${i}`, 0]))),
  },
  {
    why: 'a variable that is missing',
    hostile: q('query ($id: ID!) { product(id: $id) { id } }'),
    code: INPUT,
    harmless: q('query ($id: ID!) { product(id: $id) { id } }', { id: 'a' }),
  },
  {
    why: 'null for a variable that must not be null',
    hostile: q('query ($id: ID!) { product(id: $id) { id } }', { id: null }),
    code: INPUT,
    harmless: q('query ($f: Boolean) { echo(flag: $f) }', { f: null }),
  },
  {
    why: 'an object for an id',
    hostile: q('query ($id: ID!) { product(id: $id) { id } }', { id: { toString: 'a' } }),
    code: INPUT,
    harmless: q('query ($id: ID!) { product(id: $id) { id } }', { id: 7 }),
  },
  { why: 'an id of 80 kB', hostile: q('query ($id: ID!) { product(id: $id) { id } }', { id: 'x'.repeat(80_000) }) },
  {
    why: '1,000 variables, none of them used',
    hostile: q(`query (${times(1_000, (i) => `$v${i}: Int`)}) { caller }`),
    code: INVALID,
    harmless: q(
      `query (${times(20, (i) => `$v${i}: Int`)}) { ${times(20, (i) => `a${i}: products(first: $v${i}) { totalCount }`)} }`,
      { v0: 1 },
    ),
  },
  {
    why: 'a variable that is not used',
    hostile: q('query ($a: Int) { caller }', { a: 1 }),
    code: INVALID,
    harmless: q(PAGE, { n: 1 }),
  },
  {
    why: 'a variable that is not declared',
    hostile: q('{ products(first: $a) { totalCount } }', { a: 1 }),
    code: INVALID,
    harmless: q(PAGE, { n: 1 }),
  },
  {
    why: 'a variable that is declared twice',
    hostile: q('query ($n: Int, $n: Int) { products(first: $n) { totalCount } }', { n: 1 }),
    code: INVALID,
    harmless: q(PAGE, { n: 1 }),
  },
  {
    why: 'a variable of a type that is none',
    hostile: q('query ($n: __proto__) { products(first: $n) { totalCount } }', { n: 1 }),
    code: INVALID,
    harmless: q(PAGE, { n: 1 }),
  },
  {
    why: 'a variable of an output type',
    hostile: q('query ($n: Product) { products(first: $n) { totalCount } }', { n: 1 }),
    code: INVALID,
    harmless: q(PAGE, { n: 1 }),
  },
  {
    why: 'a variable of another type than its place',
    hostile: q('query ($n: String) { products(first: $n) { totalCount } }', { n: '1' }),
    code: INVALID,
    harmless: q(PAGE, { n: 1 }),
  },
  {
    why: 'a variable of 1,000 lists',
    hostile: q(`query ($m: ${'['.repeat(1_000)}Int${']'.repeat(1_000)}) { echo(matrix: $m) }`),
    code: LARGE,
    harmless: q(MATRIX),
  },
  {
    why: 'a default that refers to a variable',
    hostile: q('query ($a: Int = 1, $b: Int = $a) { products(first: $b) { totalCount } }'),
    code: SYNTAX,
    harmless: q('query ($b: Int = 1) { products(first: $b) { totalCount } }'),
  },
  {
    why: 'a variable called __proto__',
    hostile: { text: '{"query":"query ($n: Int) { products(first: $n) { totalCount } }","variables":{"__proto__":{"n":5000}}}' },
    code: SHAPE,
    overSocket: null,
    harmless: q('query ($constructor: Int) { products(first: $constructor) { totalCount } }', { constructor: 1 }),
  },
  {
    why: 'a variable called constructor that is not given',
    hostile: q('query ($constructor: Int!) { products(first: $constructor) { totalCount } }', {}),
    code: INPUT,
    harmless: q('query ($constructor: Int) { products(first: $constructor) { totalCount } }', {}),
  },
  {
    why: 'an input field called __proto__',
    hostile: { text: `{"query":${JSON.stringify(FILTER)},"variables":{"f":{"__proto__":{"name":"x"}}}}` },
    code: SHAPE,
    overSocket: INPUT,
    harmless: q(FILTER, { f: { name: '__proto__' } }),
  },
  {
    why: 'an input field called constructor',
    hostile: q(FILTER, { f: { constructor: { prototype: {} } } }),
    code: /^BAD_/,
    harmless: q(FILTER, { f: { name: 'constructor' } }),
  },
  {
    why: 'variables that are a list',
    hostile: { query: '{ caller }', variables: [1] },
    code: SHAPE,
    overSocket: NO_REQUEST,
    harmless: q('{ caller }', {}),
  },
  {
    why: 'variables that are a number',
    hostile: { query: '{ caller }', variables: 7 },
    code: SHAPE,
    overSocket: NO_REQUEST,
    harmless: q('{ caller }', {}),
  },
]

const NAMES: readonly Abuse[] = [
  {
    why: 'an operationName that nothing has',
    hostile: q('query A { caller }', undefined, 'B'),
    code: NAME,
    harmless: q('query A { caller }', undefined, 'A'),
  },
  {
    why: 'an operationName of blanks',
    hostile: q('query A { caller }', undefined, '  '),
    code: NAME,
    harmless: q('query A { caller }', undefined, null),
  },
  {
    why: 'no operationName where there are several',
    hostile: q('query A { caller } query B { caller }'),
    code: NAME,
    harmless: q('query A { caller } query B { caller }', undefined, 'B'),
  },
  {
    why: 'the operationName __proto__',
    hostile: q('query A { caller }', undefined, '__proto__'),
    code: NAME,
    harmless: q('query __proto__ { caller }', undefined, '__proto__'),
  },
  {
    why: 'the operationName constructor',
    hostile: q('query A { caller }', undefined, 'constructor'),
    code: NAME,
    harmless: q('query constructor { caller }', undefined, 'constructor'),
  },
  {
    why: 'an operationName with NUL',
    hostile: q('query A { caller }', undefined, 'A\0B'),
    code: NAME,
    harmless: q('query A { caller }', undefined, 'A'),
  },
  {
    why: 'an operationName that is a number',
    hostile: { query: 'query A { caller }', operationName: 7 },
    code: SHAPE,
    overSocket: NO_REQUEST,
    harmless: q('query A { caller }', undefined, 'A'),
  },
  {
    why: 'an operationName that is a list',
    hostile: { query: 'query A { caller }', operationName: ['A'] },
    code: SHAPE,
    overSocket: NO_REQUEST,
    harmless: q('query A { caller }', undefined, 'A'),
  },
  {
    why: 'an operationName of 50 kB',
    hostile: q('query A { caller }', undefined, 'x'.repeat(50_000)),
    code: NAME,
    harmless: q(`query ${'x'.repeat(500)} { caller }`, undefined, 'x'.repeat(500)),
  },
  {
    why: 'two operations of one name',
    hostile: q('query A { caller } query A { bells }', undefined, 'A'),
    code: INVALID,
    harmless: q('query A { caller } query B { bells }', undefined, 'A'),
  },
  {
    why: '400 operations',
    hostile: q(
      times(400, (i) => `query A${i} { caller }`),
      undefined,
      'A1',
    ),
    code: LARGE,
    harmless: q(
      times(40, (i) => `query A${i} { caller }`),
      undefined,
      'A1',
    ),
  },
  {
    why: 'an anonymous operation beside another',
    hostile: q('{ caller } query A { bells }', undefined, 'A'),
    code: INVALID,
    harmless: q('query A { bells }', undefined, 'A'),
  },
  {
    why: 'no operation',
    hostile: q('fragment a on Product { id }'),
    code: NAME,
    harmless: q(`${product('...a')} fragment a on Product { id }`),
  },
  { why: 'a schema instead of an operation', hostile: q('type X { y: Int }'), code: NAME, harmless: FINE },
  { why: 'a type beside the operation', hostile: q('{ caller } type X { y: Int }'), code: INVALID, harmless: FINE },
  {
    why: 'an extension of the schema',
    hostile: q('{ caller } extend type Query { secret: String }'),
    code: INVALID,
    harmless: FINE,
  },
  {
    why: 'a mutation that does not exist',
    hostile: q('mutation { dropEverything }'),
    code: INVALID,
    harmless: q('mutation { rename(id: "a", name: "b") { name } }'),
  },
]

const TEXT: readonly Abuse[] = [
  { why: 'a query that is blank', hostile: q('   '), code: /GRAPHQL_PARSE_FAILED|^BAD_/, harmless: q('   { caller }   ') },
  { why: 'nothing but a comment', hostile: q('# { caller }'), code: SYNTAX, harmless: q('# why\n{ caller }') },
  { why: 'no query', hostile: { variables: {} }, code: SHAPE, overSocket: NO_REQUEST, harmless: FINE },
  { why: 'a query that is a number', hostile: { query: 7 }, code: SHAPE, overSocket: NO_REQUEST, harmless: FINE },
  { why: 'a query that is a list', hostile: { query: ['{ caller }'] }, code: SHAPE, overSocket: NO_REQUEST, harmless: FINE },
  {
    why: 'a query that is an object',
    hostile: { query: { kind: 'Document', definitions: [] } },
    code: SHAPE,
    overSocket: NO_REQUEST,
    harmless: FINE,
  },
  {
    why: 'a query twice in one object',
    hostile: { text: '{"query":"{ caller }","query":"{ nope }"}' },
    code: INVALID,
    harmless: { text: '{"query":"{ nope }","query":"{ caller }"}' },
  },
  {
    why: 'extensions that are a list',
    hostile: { query: '{ caller }', extensions: [1] },
    code: SHAPE,
    overSocket: NO_REQUEST,
    harmless: { query: '{ caller }', extensions: {} },
  },
  { why: 'an unknown member beside the query', hostile: { text: '{"query":"{ caller }","constructor":1,"toString":2}' } },
  {
    why: 'a name of 80 kB',
    hostile: q(`{ ${'x'.repeat(80_000)} }`),
    code: INVALID,
    harmless: q(`{ ${'x'.repeat(200)}: caller }`),
  },
  { why: 'a string of 90 kB', hostile: q(`{ product(id: "${'x'.repeat(90_000)}") { id } }`) },
  { why: '90,000 commas', hostile: q(`{ caller ${','.repeat(90_000)} }`) },
  { why: '90,000 line breaks', hostile: { text: `{"query":"{ caller ${'\\n'.repeat(45_000)} }"}` } },
  {
    why: '30,000 comments',
    hostile: { text: `{"query":"${'#\\n'.repeat(30_000)} { caller }"}` },
  },
  { why: 'a string that does not end', hostile: q('{ product(id: "a) { id } }'), code: SYNTAX, harmless: q(product('id')) },
  {
    why: 'a block string that does not end',
    hostile: q(`{ product(id: """${'a"'.repeat(10_000)}) { id } }`),
    code: SYNTAX,
    harmless: q('{ product(id: """a""") { id } }'),
  },
  {
    why: 'a block string of 20,000 lines',
    hostile: { text: `{"query":"{ product(id: \\"\\"\\"${'\\n  x'.repeat(15_000)}\\"\\"\\") { id } }"}` },
  },
  { why: 'NUL in the text', hostile: q('{ cal\0ler }'), code: SYNTAX, harmless: q('{ product(id: "\\u0000") { id } }') },
  { why: 'NUL in a variable', hostile: q('query ($id: ID!) { product(id: $id) { id } }', { id: 'a\0b' }) },
  {
    why: 'half a character in the text',
    hostile: { text: '{"query":"{ product(id: \\"\\ud800\\") { id } }"}' },
    code: SYNTAX,
    harmless: { text: '{"query":"{ product(id: \\"\\ud83d\\ude00\\") { id } }"}' },
  },
  {
    why: 'half a character as an escape',
    hostile: q('{ product(id: "\\uD800") { id } }'),
    code: SYNTAX,
    harmless: q('{ product(id: "\\uD83D\\uDE00") { id } }'),
  },
  {
    why: 'a character beyond the last',
    hostile: q('{ product(id: "\\u{110000}") { id } }'),
    code: SYNTAX,
    harmless: q('{ product(id: "\\u{10FFFF}") { id } }'),
  },
  {
    why: 'half a character in a variable',
    hostile: { text: '{"query":"query ($id: ID!) { product(id: $id) { id } }","variables":{"id":"\\ud800"}}' },
  },
  { why: 'a byte order mark before the operation', hostile: q('\uFEFF{ caller }') },
  {
    why: 'a byte order mark inside a name',
    hostile: q('{ cal\uFEFFler }'),
    code: /GRAPHQL_PARSE_FAILED|GRAPHQL_VALIDATION_FAILED/,
    harmless: FINE,
  },
  { why: 'a name with a space of no width', hostile: q('{ cal\u200Bler }'), code: SYNTAX, harmless: FINE },
  {
    why: 'text that runs backwards',
    hostile: q('{ \u202Erellac }'),
    code: SYNTAX,
    harmless: q('{ product(id: "\u202Ea") { id } }'),
  },
  { why: 'letters that look like others', hostile: q('{ \u0441aller }'), code: SYNTAX, harmless: FINE },
  { why: 'braces of full width', hostile: q('｛ caller ｝'), code: SYNTAX, harmless: FINE },
  { why: 'a bell in a string', hostile: q('{ product(id: "\u0007") { id } }'), harmless: q('{ product(id: "\\u0007") { id } }') },
  {
    why: 'a line break in a string',
    hostile: q('{ product(id: "a\nb") { id } }'),
    code: SYNTAX,
    harmless: q('{ product(id: "a\\nb") { id } }'),
  },
  { why: '1,000 marks on one letter', hostile: q(`{ product(id: "e${'\u0301'.repeat(1_000)}") { id } }`) },
  { why: 'a single quote', hostile: q("{ product(id: 'a') { id } }"), code: SYNTAX, harmless: q(product('id')) },
  {
    why: 'a persisted query that nobody has',
    hostile: { extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } },
    code: 'PERSISTED_QUERY_NOT_FOUND',
    harmless: FINE,
  },
]

/** Operations for every door. */
export const OPERATIONS: Readonly<Record<string, readonly Abuse[]>> = {
  fragments: FRAGMENTS,
  fields: FIELDS,
  directives: DIRECTIVES,
  'page sizes': PAGES,
  cost: COSTS,
  introspection: INTROSPECTION,
  variables: VARIABLES,
  'names of operations': NAMES,
  text: TEXT,
}

/** Subscriptions, for the doors that have them. */
export const SUBSCRIPTIONS: readonly Abuse[] = [
  {
    why: '@skip on the field, for which validation throws',
    hostile: q('subscription ($s: Boolean!) { rang @skip(if: $s) { number } }', { s: false }),
    code: INVALID,
    harmless: q('subscription ($s: Boolean!) { rang { number @skip(if: $s) about { id } } }', { s: true }),
  },
  {
    why: '@include on the field',
    hostile: q('subscription { rang @include(if: true) { number } }'),
    code: INVALID,
    harmless: q('subscription { rang { number @include(if: true) } }'),
  },
  {
    why: '@skip in a fragment',
    hostile: q('subscription ($s: Boolean = true) { ...a } fragment a on Subscription { rang @skip(if: $s) { number } }'),
    code: INVALID,
    harmless: q('subscription { ...a } fragment a on Subscription { rang { number } }'),
  },
  {
    why: '@skip around a fragment',
    hostile: q('subscription ($s: Boolean = true) { ... @skip(if: $s) { rang { number } } }'),
    code: INVALID,
    harmless: q('subscription { ... { rang { number } } }'),
  },
  {
    why: 'two fields',
    hostile: q('subscription { rang { number } chimed(first: 1) { number } }'),
    code: INVALID,
    harmless: q('subscription { chimed(first: 1) { number } }'),
  },
  {
    why: 'one field twice',
    hostile: q('subscription { a: rang { number } b: rang { number } }'),
    code: INVALID,
    harmless: q('subscription { a: rang { number } }'),
  },
  {
    why: 'two fields through fragments',
    hostile: q(
      'subscription { ...a ...b } fragment a on Subscription { rang { number } } fragment b on Subscription { chimed(first: 1) { number } }',
    ),
    code: INVALID,
    harmless: q('subscription { ...a } fragment a on Subscription { rang { number } }'),
  },
  {
    why: 'only __typename',
    hostile: q('subscription { __typename }'),
    code: INVALID,
    harmless: q('subscription { rang { __typename } }'),
  },
  {
    why: 'introspection',
    hostile: q('subscription { __schema { types { name } } }'),
    code: INVALID,
    harmless: q('subscription { rang { number } }'),
  },
  {
    why: 'a field that does not exist',
    hostile: q('subscription { nope }'),
    code: INVALID,
    harmless: q('subscription { rang { number } }'),
  },
  {
    why: 'a negative page',
    hostile: q('subscription { chimed(first: -1) { number } }'),
    code: PAGE_SIZE,
    harmless: q('subscription { chimed(first: 1) { number } }'),
  },
  {
    why: 'a dear page',
    hostile: q('subscription ($n: Int!) { chimed(first: $n) { number } }', { n: 900 }),
    code: COST,
    harmless: q('subscription ($n: Int!) { chimed(first: $n) { number } }', { n: 9 }),
  },
  {
    why: 'deep nesting',
    hostile: q(`subscription { rang { about { ${'parent { '.repeat(10)} id ${'} '.repeat(10)} } } }`),
    code: DEPTH,
    harmless: q('subscription { rang { about { parent { id } } } }'),
  },
  {
    why: 'a missing variable',
    hostile: q('subscription ($n: Int!) { chimed(first: $n) { number } }'),
    code: INPUT,
    harmless: q('subscription ($n: Int!) { chimed(first: $n) { number } }', { n: 1 }),
  },
  {
    why: 'a bomb of fragments',
    hostile: q(`subscription { rang { about { ...f0 } } } ${chain(40, (next) => `...${next} ...${next}`)}`),
    code: LARGE,
    harmless: q(`subscription { rang { about { ...f0 } } } ${chain(4, (next) => `...${next} ...${next}`)}`),
  },
]
