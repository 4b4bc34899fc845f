import { getIntrospectionQuery } from 'graphql'
import { thenable, ticks } from './random.ts'
import { FAULTS, wrappers } from './world.ts'

export type Case = {
  readonly why: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  /** The value of the root, made anew for each run. */
  readonly root?: () => unknown
}

/**
 * Values at the innermost place of a list of lists, beside good ones; `item` is called for that
 * place.
 */
function inLists(wrapper: string, item: () => unknown, good: () => unknown): unknown {
  const depth = [...wrapper].filter((letter) => letter === 'l').length
  if (depth === 0) return item()
  const inner = () => inLists(wrapper.replace('l', ''), item, good)
  const fine = () => inLists(wrapper.replace('l', ''), good, good)
  return [fine(), inner(), fine()]
}

const later = (value: () => unknown, count: number): Promise<unknown> => ticks(count).then(value)
const caught = (value: () => unknown): unknown => {
  try {
    return value()
  } catch (error) {
    return later(() => {
      throw error
    }, 0)
  }
}

/**
 * A fault of each kind at each place, at once and later: what becomes null, and what is said about
 * it.
 */
const nulls: Case[] = wrappers.flatMap((wrapper) =>
  Object.entries(FAULTS).flatMap(([fault, value]) => {
    const isList = wrapper.includes('l')
    const leaf = `s_${wrapper}`
    const query = `{ box { before: id ${leaf} after: id } boxRequired { id } }`
    const root = (property: () => unknown) => () => ({ box: { id: 1, [leaf]: property }, boxRequired: { id: 2 } })
    const good = () => 'good'
    return [
      { why: `${leaf}: ${fault}`, query, root: root(isList ? () => inLists(wrapper, () => caught(value), good) : value) },
      {
        why: `${leaf}: ${fault}, later`,
        query,
        root: root(() =>
          inLists(
            wrapper,
            () => later(value, 3),
            () => later(good, 1),
          ),
        ),
      },
      { why: `${leaf}: ${fault} for the list itself`, query, root: root(isList ? value : () => later(value, 0)) },
    ]
  }),
)

/** A fault inside an object at each place. */
const objects: Case[] = wrappers.flatMap((wrapper) =>
  Object.entries(FAULTS).flatMap(([fault, value]) => {
    const query = `{ box { id b_${wrapper} { id s_r s_n } s_r } }`
    const property = () =>
      inLists(
        wrapper,
        () => ({ id: 3, s_r: value, s_n: () => later(value, 1) }),
        () => ({ id: 4, s_r: 'good', s_n: 'good' }),
      )
    return [
      { why: `b_${wrapper} with ${fault}`, query, root: () => ({ box: { id: 1, [`b_${wrapper}`]: property, s_r: 'here' } }) },
      {
        why: `b_${wrapper} with ${fault}, later, beside another fault`,
        query,
        root: () => ({
          box: { id: 1, [`b_${wrapper}`]: () => later(property, 2), s_r: () => later(FAULTS['throws a text'] ?? property, 5) },
        }),
      },
    ]
  }),
)

const SAYINGS: Readonly<Record<string, () => unknown>> = {
  'the right type': () => 'Dog',
  nothing: () => undefined,
  null: () => null,
  'a type that does not exist': () => 'Unicorn',
  'a type of another kind': () => 'Color',
  'a type that is not possible': () => 'Fish',
  'a number': () => 7,
  'a name that every object has': () => 'constructor',
  'an error': () => {
    throw new Error('cannot say')
  },
}
const abstracts: Case[] = ['n', 'r', 'lr', 'rlr', 'lrlr'].flatMap((wrapper) =>
  Object.entries(SAYINGS).flatMap(([said, says]) =>
    [says, () => later(says, 2)].map((say, index) => ({
      why: `a_${wrapper}: the type is said to be ${said}${index === 1 ? ', later' : ''}`,
      query: `{ box { id a_${wrapper} { __typename name ... on Dog { barks } ... on Cat { meows } } } }`,
      root: () => ({
        box: {
          id: 1,
          [`a_${wrapper}`]: () =>
            inLists(
              wrapper,
              () => ({ says: say, name: 'Rex', barks: true }),
              () => ({ __typename: 'Cat', name: 'Tom', meows: true }),
            ),
        },
      }),
    })),
  ),
)

/** Literals and variables for one argument. */
const LITERALS: readonly string[] = [
  '',
  'int: 1',
  'int: -0',
  'int: null',
  'intRequired: 3',
  'float: 1',
  'float: 1.5e3',
  'string: "given"',
  'string: null',
  'string: """\n  block\n    text\n"""',
  'boolean: false',
  'id: 7',
  'id: "seven"',
  'color: RED',
  'color: BLUE',
  'color: null',
  'colors: [RED, GREEN]',
  'colors: RED',
  'list: 1',
  'list: [1, null, 2]',
  'list: []',
  'listRequired: [3, 4]',
  'nested: [[1, 2], [3], null]',
  'nested: 1',
  'point: { x: 1 }',
  'point: { x: 1, y: null, label: "here", tags: [] }',
  'point: { x: 1, inner: { x: 2, inner: { x: 3 } } }',
  'point: { color: GREEN, x: 1, moment: 5 }',
  'points: [{ x: 1 }, { x: 2, y: 3 }]',
  'points: { x: 1 }',
  'defaulted: null',
  'either: { a: 1 }',
  'either: { b: "text" }',
  'moment: 1000',
  'moment: "soon"',
  'even: 2',
  'even: 3',
  'json: { a: [1, "two", { __proto__: 3 }], constructor: null }',
  'json: true',
  'int: 1, string: "all", color: RED, list: [1], id: 1',
]
const literals: Case[] = LITERALS.map((literal) => ({
  why: `literals: ${literal || 'none'}`,
  query: `{ arguments${literal && `(${literal})`} }`,
}))

const VARIABLES: readonly (readonly [definition: string, use: string, values: Readonly<Record<string, unknown>>])[] = [
  ['$v: Int', 'int: $v', { v: 1 }],
  ['$v: Int', 'int: $v', { v: null }],
  ['$v: Int', 'int: $v', {}],
  ['$v: Int', 'int: $v', { v: 'one' }],
  ['$v: Int', 'int: $v', { v: 1.5 }],
  ['$v: Int', 'int: $v', { v: 2 ** 31 }],
  ['$v: Int', 'int: $v', { v: undefined }],
  ['$v: Int = 9', 'int: $v', {}],
  ['$v: Int = 9', 'int: $v', { v: null }],
  ['$v: Int = null', 'int: $v', {}],
  ['$v: Int!', 'int: $v', {}],
  ['$v: Int!', 'int: $v', { v: null }],
  ['$v: Int! = 4', 'int: $v', {}],
  ['$v: Int! = 4', 'int: $v', { v: null }],
  ['$v: Int', 'intRequired: $v', {}],
  ['$v: Int', 'intRequired: $v', { v: 2 }],
  ['$v: Int', 'intRequired: $v', { v: null }],
  ['$v: Int = 4', 'intRequired: $v', { v: null }],
  ['$v: String', 'string: $v', {}],
  ['$v: String', 'string: $v', { v: null }],
  ['$v: String', 'string: $v', { v: 'given' }],
  ['$v: String', 'string: $v', { v: 1 }],
  ['$v: String', 'string: $v', { v: ['a'] }],
  ['$v: ID', 'id: $v', { v: 12 }],
  ['$v: ID', 'id: $v', { v: 'twelve' }],
  ['$v: Float', 'float: $v', { v: 1 }],
  ['$v: Float', 'float: $v', { v: Number.NaN }],
  ['$v: Boolean', 'boolean: $v', { v: 'true' }],
  ['$v: Boolean', 'boolean: $v', { v: false }],
  ['$v: Color', 'color: $v', { v: 'GREEN' }],
  ['$v: Color', 'color: $v', { v: 'BLUE' }],
  ['$v: Color', 'color: $v', { v: 'PURPLE' }],
  ['$v: Color', 'color: $v', { v: 2 }],
  ['$v: Color', 'color: $v', {}],
  ['$v: [Color!]', 'colors: $v', { v: ['RED', 'GREEN'] }],
  ['$v: [Color!]', 'colors: $v', { v: 'RED' }],
  ['$v: [Color!]', 'colors: $v', { v: ['RED', null] }],
  ['$v: Color!', 'colors: [RED, $v]', { v: 'GREEN' }],
  ['$v: [Int]', 'list: $v', { v: [1, null] }],
  ['$v: Int', 'list: [1, $v]', {}],
  ['$v: Int', 'list: [1, $v]', { v: 2 }],
  ['$v: Int', 'list: $v', { v: 2 }],
  ['$v: [Int!]! = [8]', 'listRequired: $v', {}],
  ['$v: [[Int!]]', 'nested: $v', { v: [[1], null, [2, 3]] }],
  ['$v: [[Int!]]', 'nested: $v', { v: [[1, null]] }],
  ['$v: Point', 'point: $v', { v: { x: 1 } }],
  ['$v: Point', 'point: $v', { v: { x: 1, y: null } }],
  ['$v: Point', 'point: $v', { v: { y: 1 } }],
  ['$v: Point', 'point: $v', { v: { x: 1, z: 2 } }],
  ['$v: Point', 'point: $v', { v: { x: 1, inner: { x: 'a', inner: {} } } }],
  ['$v: Point', 'point: $v', { v: { x: 1, color: 'GREEN', moment: 9 } }],
  ['$v: Point', 'point: $v', { v: 'a point' }],
  ['$v: Point = { x: 3, tags: ["z"] }', 'point: $v', {}],
  ['$v: Int!', 'point: { x: $v }', { v: 5 }],
  ['$v: Int', 'point: { x: 1, y: $v }', {}],
  ['$v: Int', 'point: { x: 1, y: $v }', { v: null }],
  ['$v: String', 'point: { x: 1, label: $v }', {}],
  ['$v: [Point!]', 'points: $v', { v: { x: 1 } }],
  ['$v: [Point!]', 'points: $v', { v: [{ x: 1 }, { x: 2, y: 3 }] }],
  ['$v: Point', 'defaulted: $v', {}],
  ['$v: Either', 'either: $v', { v: { a: 1 } }],
  ['$v: Either', 'either: $v', { v: { a: 1, b: 'x' } }],
  ['$v: Either', 'either: $v', { v: { a: null } }],
  ['$v: Int!', 'either: { a: $v }', { v: 1 }],
  ['$v: Moment', 'moment: $v', { v: 5000 }],
  ['$v: Moment', 'moment: $v', { v: 'soon' }],
  ['$v: Even', 'even: $v', { v: 4 }],
  ['$v: Even', 'even: $v', { v: 5 }],
  ['$v: Json', 'json: $v', { v: { deep: [{ er: 1 }] } }],
  ['$v: Json', 'json: { a: $v }', { v: [1] }],
  ['$v: Json', 'json: [$v]', {}],
  ['$a: Int, $b: String', 'int: $a, string: $b', { a: 1 }],
  ['$a: Int, $b: String', 'int: $a, string: $b', { b: 'x', a: 3 }],
  ['$constructor: Int', 'int: $constructor', {}],
  ['$__proto__: Int', 'int: $__proto__', {}],
  ['$toString: String', 'string: $toString', { toString: 'mine' }],
  ['$v: Int!, $w: Int!', 'int: $v, intRequired: $w', {}],
]
const variables: Case[] = VARIABLES.map(([definition, use, values]) => ({
  why: `variables: (${definition}) ${use} ${JSON.stringify(values, (_, value) => value ?? String(value))}`,
  query: `query (${definition}) { arguments(${use}) }`,
  variables: values,
}))

const manyFaults = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`v${index}`, 'x']))

const coercion: Case[] = [
  { why: 'a required argument from a variable with a default', query: 'query ($v: Int = 2) { required(int: $v) }' },
  {
    why: 'a required argument from a variable that is null',
    query: 'query ($v: Int = 2) { required(int: $v) }',
    variables: { v: null },
  },
  {
    why: 'a fault of an argument leaves the other fields alone',
    query: 'query ($v: Int = 2) { required(int: $v) this context }',
    variables: { v: null },
  },
  {
    why: 'more faults of variables than are told',
    query: `query (${Object.keys(manyFaults)
      .map((name) => `$${name}: Int`)
      .join(' ')}) { ${Object.keys(manyFaults)
      .map((name, index) => `a${index}: arguments(int: $${name})`)
      .join(' ')} }`,
    variables: manyFaults,
  },
  {
    why: 'what a resolver does with its arguments is not seen by the next',
    query:
      'query ($list: [Int!] = [4], $point: Point = { x: 2 }) { a: mutable(list: [1], point: { x: 1 }, number: 5) b: mutable(list: [1], point: { x: 1 }) boxes { mutable(list: [1], point: { x: 1 }) plain: mutable(number: 5) none: mutable } e: mutable(number: 5) c: mutable(list: $list, point: { x: 1 }) d: mutable(list: [2], point: $point) }',
    root: () => ({ boxes: [{}, {}] }),
  },
  {
    why: 'arguments of a property',
    query: '{ box { withArguments(b: "x") } }',
    root: () => ({ box: { withArguments: (values: object) => JSON.stringify(values) } }),
  },
  {
    why: 'a fault of an argument of a property that is no function',
    query: 'query ($v: Int = 2) { box { counted(number: $v) id } }',
    variables: { v: null },
    root: () => ({ box: { counted: 'text', id: 'a' } }),
  },
  {
    why: 'arguments of a property that is no function',
    query: 'query ($a: Int = 1) { box { withArguments(a: $a) } }',
    root: () => ({ box: { withArguments: 'plain' } }),
  },
]

const skipping: Case[] = [
  ...[
    ['@skip(if: true)', {}],
    ['@skip(if: false)', {}],
    ['@include(if: true)', {}],
    ['@include(if: false)', {}],
    ['@skip(if: $yes)', { yes: true }],
    ['@skip(if: $yes)', { yes: false }],
    ['@include(if: $yes)', { yes: true }],
    ['@include(if: $yes)', { yes: false }],
    ['@skip(if: $no)', {}],
    ['@include(if: $no)', {}],
    ['@include(if: $no)', { no: true }],
    ['@include(if: $no)', { no: null }],
    ['@skip(if: $yes) @include(if: $no)', { yes: false, no: true }],
    ['@skip(if: $yes) @include(if: $no)', { yes: true, no: true }],
    ['@skip(if: $yes)', {}],
    ['@skip(if: $yes)', { yes: 'yes' }],
  ].flatMap(([directives, given]) => {
    const values = { yes: true, ...(given as object) }
    const text = (selection: string) =>
      `query ($yes: Boolean!, $no: Boolean = false) { context @skip(if: $yes) this @include(if: $no) ${selection} } fragment Ids on Box { id seen }`
    const root = () => ({ box: { id: 1, int: 2 } })
    const isComplete = Object.keys(given as object).length > 0 || !String(directives).includes('$yes')
    const run = { variables: isComplete ? values : {}, root }
    const why = `${directives} ${JSON.stringify(given)}`
    return [
      { why: `${why} on a field`, query: text(`box { int id ${directives} seen ...Ids }`), ...run },
      {
        why: `${why} on an inline fragment`,
        query: text(`box { int ... ${directives} { id } ... on Box { seen } ...Ids }`),
        ...run,
      },
      { why: `${why} on a spread`, query: text(`box { int ...Ids ${directives} }`), ...run },
      { why: `${why} on a field of the root`, query: text(`first: box ${directives} { id } box { ...Ids }`), ...run },
    ]
  }),
  { why: 'everything skipped', query: '{ box @skip(if: true) { id } }' },
  { why: 'everything within skipped', query: '{ box { id @skip(if: true) } }', root: () => ({ box: {} }) },
  {
    why: 'the order of keys is that of what is included first',
    query: '{ box { a: id @skip(if: true) b: id a: id c: id b: id } }',
    root: () => ({ box: { id: 1 } }),
  },
]

const animals = () => [
  {
    __typename: 'Dog',
    name: 'Rex',
    barks: true,
    secret: 'bone',
    friend: { __typename: 'Cat', name: 'Tom', meows: () => later(() => true, 1), secret: null },
  },
  {
    __typename: 'Cat',
    name: () => later(() => 'Kit', 2),
    meows: false,
    secret: 'mouse',
    friends: () => [{ __typename: 'Dog', name: 'Ace', secret: 's' }],
  },
]
const fragments: Case[] = [
  {
    why: 'fragments on an interface',
    query: '{ animals { ... on Animal { name } ... on Dog { barks secret } ...C } } fragment C on Cat { meows secret }',
    root: () => ({ animals }),
  },
  {
    why: 'a field that must not be null within a fragment',
    query: '{ animals { friend { ... on Cat { secret } } } }',
    root: () => ({ animals }),
  },
  {
    why: 'fragments on a union',
    query: '{ pets { __typename ... on Animal { name } ... on Fish { fins } } }',
    root: () => ({ pets: [...animals(), { __typename: 'Fish', fins: 2 }, null] }),
  },
  {
    why: 'a value of a union that is none of it',
    query: '{ pets { __typename } }',
    root: () => ({ pets: [{ __typename: 'Rock' }, { name: 'nameless' }, 'text', 5, () => ({})] }),
  },
  { why: 'a union without a type at all', query: '{ pet { ... on Fish { fins } } }', root: () => ({ pet: {} }) },
  {
    why: 'a fragment spread twice',
    query: '{ animals { ...N ...N friend { ...N } } } fragment N on Animal { name }',
    root: () => ({ animals }),
  },
  {
    why: 'fragments that are nested',
    query:
      '{ animals { ...A } } fragment A on Animal { ...B } fragment B on Animal { ... { ... on Dog { ...D } } } fragment D on Dog { barks name }',
    root: () => ({ animals }),
  },
  {
    why: 'selections of one key are merged',
    query: '{ box { b_n { id } ...X b_n { int } } } fragment X on Box { b_n { color s_n } }',
    root: () => ({ box: { b_n: { id: 1, int: 2, color: 'RED', s_n: 'x' } } }),
  },
  {
    why: 'merged selections of an abstract type',
    query: '{ animals { friends { name } ... on Cat { friends { __typename } friend { name } } } }',
    root: () => ({ animals }),
  },
  {
    why: 'isTypeOf, at once and later',
    query: '{ shapes { __typename area ... on Circle { radius } ... on Square { side } } }',
    root: () => ({
      shapes: [
        { is: 'circle', area: 1, radius: 2 },
        { is: 'square', area: 4, side: 2 },
      ],
    }),
  },
  { why: 'isTypeOf that nothing satisfies', query: '{ shape { area } }', root: () => ({ shape: { is: 'blob' } }) },
  { why: 'isTypeOf that fails', query: '{ shape { area } }', root: () => ({ shape: { is: 'broken' } }) },
  {
    why: 'isTypeOf that fails in a list',
    query: '{ shapes { area } boxes { id } }',
    root: () => ({
      shapes: [{ is: 'circle' }, { is: 'broken' }, { is: 'square', side: null }],
      boxes: [{ id: () => later(() => 1, 4) }],
    }),
  },
  {
    why: 'a field that must not be null of a type that is told later',
    query: '{ shape { ... on Square { side } } }',
    root: () => ({ shape: { is: 'square' } }),
  },
  {
    why: 'a __typename that isTypeOf denies',
    query: '{ shape { area } }',
    root: () => ({ shape: { __typename: 'Circle', is: 'square' } }),
  },
  {
    why: 'an object of the wrong type',
    query: '{ strict { name } laterStrict { name } }',
    root: () => ({ strict: { is: 'other' }, laterStrict: { is: 'other' } }),
  },
  {
    why: 'an object of the right type',
    query: '{ strict { name } laterStrict { name } }',
    root: () => ({
      strict: { is: 'strict', name: 'a' },
      laterStrict: () => later(() => ({ is: 'strict', name: () => later(() => 'b', 1) }), 1),
    }),
  },
  {
    why: 'objects of the wrong type in a list',
    query: '{ stricts { name } }',
    root: () => ({ stricts: [{ is: 'strict', name: 'a' }, { is: 'other' }] }),
  },
]

const leafRoot = (values: object) => () => ({ box: values })
const leaves: Case[] = [
  ...(
    [
      ['id', ['x', 7, 7.5, 2 ** 60, true, {}, [], '', { valueOf: () => 'v' }, { toString: () => 's' }, { toJSON: () => 'j' }]],
      ['int', [1, -0, 1.5, 2 ** 31, -(2 ** 31), 2 ** 31 - 1, '5', '', 'x', true, false, Number.NaN, {}, 5n]],
      ['float', [1, 1.5, '1.5', '', 'x', Number.POSITIVE_INFINITY, Number.NaN, true, [], 5n]],
      ['boolean', [true, false, 0, 1, Number.NaN, 'true', {}]],
      ['s_n', ['x', '', 1, 1.5, true, Number.NaN, {}, [], { valueOf: () => 5 }, Symbol.iterator, new Date(0)]],
      ['color', ['RED', 2, 'GREEN', 'PURPLE', {}]],
      ['moment', [new Date(5), 'soon', 0]],
      ['even', [2, 3, '4']],
      ['bare', [undefined, null, 0, '', false, Number.NaN, { deep: [null] }, Promise.resolve('p')]],
      ['json', [{ __proto__: null, a: 1 }, [1, [2]], 'text', () => 'called', new Map()]],
      ['s_ln', [['a', 1, null], 'text', { length: 1, 0: 'a' }, new Set(['x', 'y']), 5, [undefined], new Map([['k', 'v']])]],
      ['b_n', ['text', 5, true, [], () => ({ id: 1 }), Object.create({ id: 'inherited' })]],
      ['b_lr', [[{}, 'text', []], 'text', {}, [Promise.resolve({ id: 5 })]]],
    ] as const
  ).flatMap(([field, values]) =>
    values.map((value, index) => ({
      why: `the field ${field} from value ${index + 1}: ${typeof value} ${typeof value === 'symbol' || typeof value === 'object' ? Object.prototype.toString.call(value) : value}`,
      query: `{ box { ${field}${field.startsWith('b_') ? ' { id }' : ''} } }`,
      root: leafRoot({ [field]: value }),
    })),
  ),
  {
    why: 'a generator for a list',
    query: '{ box { s_lr } }',
    root: () => ({
      box: {
        s_lr: function* () {
          yield 'a'
          yield later(() => 'b', 2)
        },
      },
    }),
  },
  {
    why: 'a generator that throws',
    query: '{ box { s_lr s_ln } }',
    root: () => ({
      box: {
        s_ln: function* () {
          yield later(() => {
            throw new Error('late')
          }, 1)
          yield 1
          throw new Error('midway')
        },
      },
    }),
  },
  {
    why: 'an asynchronous generator is no list',
    query: '{ box { s_ln } }',
    root: () => ({
      box: {
        s_ln: async function* () {
          yield 'a'
        },
      },
    }),
  },
  {
    why: 'an array with an iterator of its own',
    query: '{ box { s_ln } }',
    root: () => ({ box: { s_ln: Object.assign(['a', 'b'], { [Symbol.iterator]: () => ['c'][Symbol.iterator]() }) } }),
  },
  {
    why: 'an array with holes',
    query: '{ box { s_ln s_lr } }',
    root: () => ({ box: { s_ln: new Array(2), s_lr: new Array(2) } }),
  },
  {
    why: 'a getter that throws',
    query: '{ box { id int } }',
    root: () => ({
      box: {
        get id() {
          throw new Error('from a getter')
        },
        int: 1,
      },
    }),
  },
  {
    why: 'getters that say something else each time',
    query: '{ box { id int s_ln } }',
    root: () => {
      let reads = 0
      return {
        box: {
          get id() {
            return reads++ === 0 ? null : 'again'
          },
          get int() {
            return reads++ === 1 ? Promise.resolve(1) : 2
          },
          get s_ln() {
            return [reads]
          },
        },
      }
    },
  },
  {
    why: 'a property that is a method',
    query: '{ box { id } }',
    root: () => ({
      box: {
        name: 'me',
        id() {
          return this.name
        },
      },
    }),
  },
  {
    why: 'a thrown value that has no text',
    query: '{ box { id } }',
    root: () => ({
      box: {
        id: () => {
          throw {
            toJSON: () => {
              throw new Error('no text')
            },
          }
        },
      },
    }),
  },
  {
    why: 'a thrown value that has no text, later',
    query: '{ box { id int } this }',
    root: () => ({
      box: {
        int: 1,
        id: () =>
          later(() => {
            throw {
              toJSON: () => {
                throw new Error('no text')
              },
            }
          }, 1),
      },
    }),
  },
  {
    why: 'an error with a path of its own',
    query: '{ box { id } }',
    root: () => ({
      box: {
        id: () => {
          throw Object.assign(new Error('elsewhere'), { path: ['x'], locations: [] })
        },
      },
    }),
  },
]

const names: Case[] = [
  {
    why: 'aliases that every object has',
    query: '{ constructor: box { toString: id __proto__: int hasOwnProperty: id } __proto__: box { valueOf: id } }',
    root: () => ({ box: { id: 1, int: 2 } }),
  },
  {
    why: 'fields that every object has',
    query: '{ box { constructor toString hasOwnProperty } }',
    root: () => ({ box: { constructor: 'c', toString: 't', hasOwnProperty: 'h' } }),
  },
  {
    why: 'fields that every object has, of an object that only has those',
    query: '{ box { constructor toString hasOwnProperty valueOf { id } } }',
    root: () => ({ box: {} }),
  },
  {
    why: 'fields that every object has, of an object without any',
    query: '{ box { constructor toString hasOwnProperty } }',
    root: () => ({ box: Object.create(null) }),
  },
  {
    why: '__proto__ that comes later',
    query: '{ __proto__: box { __proto__: id } b: box { __proto__: s_r } }',
    root: () => ({ box: () => later(() => ({ id: () => later(() => 1, 1) }), 1) }),
  },
  {
    why: '__proto__ in a list',
    query: '{ boxes { __proto__: b_n { __proto__: id } } }',
    root: () => ({ boxes: [{ b_n: { id: 1 } }, { b_n: null }] }),
  },
  {
    why: 'a fragment called constructor',
    query: '{ box { ...constructor ...__proto__ } } fragment constructor on Box { id } fragment __proto__ on Box { int }',
    root: () => ({ box: { id: 1, int: 2 } }),
  },
  {
    why: '__typename under every name',
    query: '{ __typename a: __typename box { __proto__: __typename } animals { t: __typename } }',
    root: () => ({ box: {}, animals }),
  },
]

const mutation = (query: string, why: string): Case => ({
  why,
  query: `mutation { ${query} }`,
  root: () => ({
    box: () =>
      later(() => ({ id: 1, s_r: () => later(() => null, 2), s_n: () => later(FAULTS['throws an error'] ?? String, 6) }), 1),
  }),
})
const mutations: Case[] = [
  mutation('a: add(number: 1) b: add(number: 2)', 'mutations at once'),
  mutation('a: addLater(number: 1) b: addLater(number: 2) c: addLater(number: 3)', 'mutations one after the other'),
  mutation('a: add(number: 1) b: addLater(number: 2) c: add(number: 3) d: addLater(number: 4)', 'mutations at once and later'),
  mutation('a: addOrNull(number: 1) b: addOrNull(number: -1) c: add(number: 1)', 'a mutation without a result'),
  mutation('a: add(number: 1) b: fail c: add(number: 1)', 'a mutation that fails'),
  mutation('a: add(number: 1) b: fail(later: true) c: add(number: 1)', 'a mutation that fails later'),
  mutation('a: addLater(number: 1) b: failRequired c: add(number: 1)', 'a mutation that must not fail'),
  mutation('a: add(number: 1) b: failRequired(later: true) c: add(number: 1)', 'a mutation that must not fail, later'),
  mutation('b: failRequired a: add(number: 1)', 'the first of all fails'),
  mutation('__proto__: addLater(number: 1) __typename constructor: add(number: 1)', 'names of mutations'),
  mutation('box { id s_r s_n } a: fail(later: true) b: add(number: 1)', 'an object of a mutation fails'),
  mutation('box { id s_r s_n } b: failRequired', 'what is still running when a mutation fails'),
  {
    why: 'a mutation with conditions',
    query: 'mutation ($no: Boolean = false) { a: add(number: 1) @include(if: $no) b: addLater(number: 1) @skip(if: $no) }',
  },
  {
    why: 'a condition of a mutation without a value',
    query: 'mutation ($no: Boolean = false) { a: add(number: 1) @include(if: $no) }',
    variables: { no: null },
  },
]

const faultAt = (count: number) => () => later(FAULTS['throws an error'] ?? String, count)
const errors: Case[] = [
  { why: 'the root itself becomes null', query: '{ boxRequired { id } box { id } }', root: () => ({ box: { id: 1 } }) },
  {
    why: 'the root becomes null later',
    query: '{ box { id } boxRequired { id } }',
    root: () => ({ box: { id: faultAt(4) }, boxRequired: () => later(() => null, 1) }),
  },
  {
    why: 'the root becomes null beside what goes on',
    query: '{ box { a: id b: s_n s_r } boxRequired { id } }',
    root: () => ({ box: { id: faultAt(1), s_n: faultAt(9), s_r: faultAt(3) } }),
  },
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((count) => ({
    why: `faults of neighbours, one ${count} steps later`,
    query: '{ a: box { id s_r int b_n { id s_r } } b: box { b_r { id s_r } } boxes { id s_r } }',
    root: () => ({
      box: {
        id: faultAt(3),
        s_r: faultAt(count),
        int: faultAt(5),
        b_n: () => later(() => ({ id: faultAt(2), s_r: faultAt(1) }), 1),
        b_r: { id: faultAt(4), s_r: null },
      },
      boxes: () => [later(() => ({ id: faultAt(count), s_r: faultAt(6) }), 1), { id: faultAt(2), s_r: 'x' }],
    }),
  })),
  {
    why: 'two faults of one object, beside what comes much later',
    query: '{ a: box { s_r b_r { id } } boxes { id } }',
    root: () => ({ box: { s_r: faultAt(1), b_r: faultAt(2) }, boxes: [{ id: () => later(() => 'late', 20) }] }),
  },
  {
    why: 'a fault at once beside a neighbour that fails later',
    query: '{ box { id s_r } this }',
    root: () => ({ box: { id: faultAt(2), s_r: null } }),
  },
  {
    why: 'a fault at once beside a neighbour that comes later',
    query: '{ a: box { id s_r } b: box { int } }',
    root: () => ({ box: { id: () => later(() => 1, 3), s_r: null, int: faultAt(7) } }),
  },
  {
    why: 'a list that fails at once beside items that come later',
    query: '{ box { s_lr int } }',
    root: () => ({ box: { s_lr: () => [later(() => 'a', 3), null], int: faultAt(4) } }),
  },
  {
    why: 'items that fail in another order than theirs',
    query: '{ box { s_ln } }',
    root: () => ({ box: { s_ln: () => [faultAt(3)(), faultAt(1)(), faultAt(2)(), 'good'] } }),
  },
  {
    why: 'a rejection without an error',
    query: '{ box { id int } }',
    root: () => ({ box: { id: () => Promise.reject(), int: () => Promise.reject('text') } }),
  },
  {
    why: 'a promise of an error',
    query: '{ box { id } boxes { id } }',
    root: () => ({ box: { id: () => later(() => new Error('returned'), 1) }, boxes: () => [later(() => new Error('item'), 1)] }),
  },
  {
    why: 'what is no promise of the language',
    query: '{ box { id int } }',
    root: () => ({
      box: {
        id: thenable(later(() => 'thenable', 1)),
        int: thenable(later(FAULTS['throws an error'] ?? String, 2)),
      },
    }),
  },
]

const introspection: Case[] = [
  {
    why: 'the whole schema',
    query: getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  },
  {
    why: 'a type',
    query: '{ __type(name: "Point") { kind name inputFields { name defaultValue type { name kind ofType { name } } } } }',
  },
  {
    why: 'a type by a variable',
    query: 'query ($name: String!) { __type(name: $name) { name fields { name } } box { id } }',
    variables: { name: 'Dog' },
    root: () => ({ box: { id: 1 } }),
  },
  { why: 'a type that does not exist', query: '{ __type(name: "constructor") { name } }' },
  {
    why: 'possible types',
    query:
      '{ __type(name: "Animal") { possibleTypes { name } interfaces { name } } __schema { queryType { name } mutationType { name } } }',
  },
]

const operations: Case[] = [
  { why: 'one of several operations', query: 'query A { a: this } query B { b: context }', operationName: 'B' },
  { why: 'several operations and no name', query: 'query A { this } query B { this }' },
  { why: 'a name that nothing has', query: 'query A { this }', operationName: 'C' },
  { why: 'an empty name', query: '{ this }', operationName: '' },
  { why: 'a name that every object has', query: 'query A { this }', operationName: 'constructor' },
  { why: 'a fragment and no operation', query: 'fragment F on Box { id }' },
  {
    why: 'an event of a subscription',
    query: 'subscription { box(id: 1) { id s_r } }',
    root: () => ({ box: () => later(() => ({ id: 1, s_r: 'x' }), 1) }),
  },
  { why: 'an event that fails', query: 'subscription { box { id s_r } }', root: () => ({ box: { id: faultAt(1), s_r: null } }) },
  { why: 'no root', query: '{ this context undefinedResolver box { id } }' },
  { why: 'a root that is no object', query: '{ this box { id } }', root: () => 'text' },
  { why: 'a root that is a function', query: '{ this }', root: () => Object.assign(() => {}, { this: 'of a function' }) },
  {
    why: 'all that info says',
    query: 'query Named($v: Int = 3) { one: info(a: $v) info two: info(a: 1) ...F } fragment F on Query { one: info(a: $v) }',
    root: () => ({}),
  },
  {
    why: 'where a field stands, in lists as well',
    query: '{ box { seen } boxes { seen b_n { seen } b_lln { seen } } }',
    root: () => ({ box: {}, boxes: [{ b_n: {}, b_lln: [[{}]] }, later(() => ({}), 1)] }),
  },
  {
    why: 'info for a property that is a function',
    query: '{ box { id } }',
    root: () => ({ box: { id: (_: unknown, __: unknown, info: object) => Object.keys(info).join() } }),
  },
  { why: 'the context', query: '{ context }' },
]

export const cases: readonly Case[] = [
  ...nulls,
  ...objects,
  ...abstracts,
  ...literals,
  ...variables,
  ...coercion,
  ...skipping,
  ...fragments,
  ...leaves,
  ...names,
  ...mutations,
  ...errors,
  ...introspection,
  ...operations,
]
