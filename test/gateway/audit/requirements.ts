import { by, FEDERATION_1, type Ref, type Row, same, type Theme } from './theme.ts'

const GOODS = [
  { id: 'g1', name: 'Lamp', price: 30, weight: 2 },
  { id: 'g2', name: 'Rug', price: 900, weight: 9 },
]
const goods = (extra: Row = {}) => ({ Query: { goods: () => GOODS }, Good: { __resolveReference: by(GOODS, 'id') }, ...extra })
const GOOD = 'type Query { goods: [Good!]! } type Good @key(fields: "id") { id: ID! name: String price: Int weight: Int }'

/** `extends` and `@external` in their four spellings: the reviews subgraph says the same in each. */
const external = (theme: string, sdl: string): Theme => ({
  theme,
  parts: {
    goods: {
      sdl: 'type Query { goods: [Good!]! } type Good @key(fields: "id") { id: ID! name: String @shareable price: Int }',
      resolvers: goods(),
    },
    reviews: {
      sdl,
      resolvers: {
        Query: { bestGood: () => ({ id: 'g2', name: 'Provided' }), anyGood: () => ({ id: 'g1' }) },
        Good: { __resolveReference: same, rating: ({ id }: Ref) => id.length },
      },
    },
  },
  cases: [
    {
      query: '{ goods { id rating } }',
      data: {
        goods: [
          { id: 'g1', rating: 2 },
          { id: 'g2', rating: 2 },
        ],
      },
    },
    { query: '{ anyGood { id name price } }', data: { anyGood: { id: 'g1', name: 'Lamp', price: 30 } } },
    { query: '{ bestGood { id name rating } }', data: { bestGood: { id: 'g2', name: 'Provided', rating: 2 } } },
    { query: '{ bestGood { name price } }', data: { bestGood: { name: 'Provided', price: 900 } } },
  ],
})
const PROVIDING = 'Query { anyGood: Good bestGood: Good @provides(fields: "name") }'

/** What fields require, provide and mark as external. */
export const requirementThemes: readonly Theme[] = [
  external(
    'fed1-external-extends',
    `${FEDERATION_1}type ${PROVIDING} type Good @extends @key(fields: "id") { id: ID! @external name: String @external rating: Int }`,
  ),
  external(
    'fed1-external-extension',
    `${FEDERATION_1}extend type ${PROVIDING} extend type Good @key(fields: "id") { id: ID! @external name: String @external rating: Int }`,
  ),
  external(
    'fed2-external-extends',
    `type ${PROVIDING} type Good @extends @key(fields: "id") { id: ID! @external name: String @external rating: Int }`,
  ),
  external(
    'fed2-external-extension',
    `type ${PROVIDING} extend type Good @key(fields: "id") { id: ID! @external name: String @external rating: Int }`,
  ),
  {
    theme: 'fed1-external-extends-resolvable',
    parts: {
      a: {
        sdl: `${FEDERATION_1}type Query { goods: [Good!]! } type Good @key(fields: "id") @key(fields: "name") { id: ID! name: String! }`,
        resolvers: { Query: { goods: () => GOODS }, Good: { __resolveReference: by(GOODS, 'id', 'name') } },
      },
      b: {
        sdl: `${FEDERATION_1}type Good @extends @key(fields: "name") { name: String! @external price: Int }`,
        resolvers: { Good: { __resolveReference: by(GOODS, 'name') } },
      },
      c: {
        sdl: `${FEDERATION_1}type Query { cheap: Good } type Good @extends @key(fields: "id") { id: ID! @external weight: Int }`,
        resolvers: { Query: { cheap: () => ({ id: 'g1', weight: 2 }) }, Good: { __resolveReference: by(GOODS, 'id') } },
      },
    },
    cases: [
      {
        query: '{ cheap { weight price name } goods { weight } }',
        data: { cheap: { weight: 2, price: 30, name: 'Lamp' }, goods: [{ weight: 2 }, { weight: 9 }] },
      },
    ],
  },
  {
    theme: 'mysterious-external',
    parts: {
      prices: {
        sdl: `${FEDERATION_1}type Query { goods: [Good!]! } type Good @key(fields: "id") { id: ID! price: Int }`,
        resolvers: { Query: { goods: () => GOODS }, Good: { __resolveReference: by(GOODS, 'id') } },
      },
      names: {
        sdl: `${FEDERATION_1}extend type Good @key(fields: "id") { id: ID! @external name: String } type Query { named: Good }`,
        resolvers: { Query: { named: () => GOODS[1] }, Good: { __resolveReference: by(GOODS, 'id') } },
      },
    },
    cases: [
      {
        query: '{ goods { id name price } }',
        data: {
          goods: [
            { id: 'g1', name: 'Lamp', price: 30 },
            { id: 'g2', name: 'Rug', price: 900 },
          ],
        },
      },
      { query: '{ named { id name price } }', data: { named: { id: 'g2', name: 'Rug', price: 900 } } },
    ],
  },
  {
    theme: 'simple-requires-provides',
    parts: {
      goods: { sdl: GOOD.replace('name: String', 'name: String @shareable'), resolvers: goods() },
      stock: {
        sdl: 'type Good @key(fields: "id") { id: ID! price: Int @external weight: Int @external shipping: Int @requires(fields: "price weight") inStock: Boolean }',
        resolvers: {
          Good: {
            __resolveReference: same,
            inStock: ({ id }: Ref) => id === 'g1',
            shipping: ({ price, weight }: { price: number; weight: number }) => (price > 100 ? 0 : weight * 5),
          },
        },
      },
      reviews: {
        sdl: 'type Query { latest: Review } type Review { text: String good: Good @provides(fields: "name") } type Good @key(fields: "id") { id: ID! name: String @external reviews: [Review!] }',
        resolvers: {
          Query: { latest: () => ({ text: 'ok', good: { id: 'g1', name: 'Provided' } }) },
          Good: { __resolveReference: same, reviews: () => [{ text: 'r', good: { id: 'g2', name: 'Also provided' } }] },
        },
      },
    },
    cases: [
      {
        query: '{ goods { shipping inStock reviews { text good { name } } } }',
        data: {
          goods: [
            { shipping: 10, inStock: true, reviews: [{ text: 'r', good: { name: 'Also provided' } }] },
            { shipping: 0, inStock: false, reviews: [{ text: 'r', good: { name: 'Also provided' } }] },
          ],
        },
      },
      {
        query: '{ latest { good { name shipping price } } }',
        data: { latest: { good: { name: 'Provided', shipping: 10, price: 30 } } },
      },
    ],
  },
  {
    theme: 'requires-requires',
    parts: {
      a: { sdl: GOOD, resolvers: goods() },
      b: {
        sdl: 'type Good @key(fields: "id") { id: ID! price: Int @external tax: Int @requires(fields: "price") }',
        resolvers: { Good: { __resolveReference: same, tax: ({ price }: { price: number }) => price / 10 } },
      },
      c: {
        sdl: 'type Good @key(fields: "id") { id: ID! tax: Int @external fee: Int @requires(fields: "tax") label: String @requires(fields: "tax") }',
        resolvers: {
          Good: { __resolveReference: same, fee: ({ tax }: { tax: number }) => tax + 1, label: ({ tax }: Row) => `tax ${tax}` },
        },
      },
      d: {
        sdl: 'type Good @key(fields: "id") { id: ID! fee: Int @external tax: Int @external total: String @requires(fields: "fee tax") }',
        resolvers: { Good: { __resolveReference: same, total: ({ fee, tax }: Row) => `${fee}+${tax}` } },
      },
    },
    cases: [
      { query: '{ goods { total } }', data: { goods: [{ total: '4+3' }, { total: '91+90' }] } },
      {
        query: '{ goods { fee label total price } }',
        data: {
          goods: [
            { fee: 4, label: 'tax 3', total: '4+3', price: 30 },
            { fee: 91, label: 'tax 90', total: '91+90', price: 900 },
          ],
        },
      },
    ],
  },
  {
    theme: 'requires-circular',
    parts: {
      a: {
        sdl: 'type Query { posts: [Post!]! } type Post @key(fields: "id") { id: ID! byExpert: Boolean @external byNovice: Boolean @requires(fields: "byExpert") author: Author! } type Author { years: Int }',
        resolvers: {
          Query: {
            posts: () => [
              { id: 'p1', author: { years: 1 } },
              { id: 'p2', author: { years: 9 } },
            ],
          },
          Post: {
            __resolveReference: same,
            author: ({ id }: Ref) => ({ years: id === 'p1' ? 1 : 9 }),
            byNovice: ({ byExpert }: Row) => !byExpert,
          },
        },
      },
      b: {
        sdl: 'type Post @key(fields: "id") { id: ID! author: Author! @external byExpert: Boolean @requires(fields: "author { years }") } type Author @external { years: Int }',
        resolvers: {
          Post: { __resolveReference: same, byExpert: ({ author }: { author: { years: number } }) => author.years > 5 },
        },
      },
    },
    cases: [
      {
        query: '{ posts { byNovice byExpert } }',
        data: {
          posts: [
            { byNovice: true, byExpert: false },
            { byNovice: false, byExpert: true },
          ],
        },
      },
      { query: '{ posts { byNovice } }', data: { posts: [{ byNovice: true }, { byNovice: false }] } },
    ],
  },
  {
    theme: 'requires-with-fragments',
    parts: {
      a: {
        sdl: `
          type Query { box: Box boxes: [Box!]! }
          type Box @key(fields: "id") { id: ID! thing: Thing! }
          interface Thing { mark: String! }
          type Cup implements Thing { mark: String! size: Int } type Pen implements Thing { mark: String! ink: Ink } type Ink { colour: String }`,
        resolvers: {
          Query: { box: () => ({ id: 'b1' }), boxes: () => [{ id: 'b1' }, { id: 'b2' }] },
          Box: {
            __resolveReference: same,
            thing: ({ id }: Ref) =>
              id === 'b1'
                ? { __typename: 'Cup', mark: 'm1', size: 3 }
                : { __typename: 'Pen', mark: 'm2', ink: { colour: 'blue' } },
          },
        },
      },
      b: {
        sdl: `
          type Box @key(fields: "id") { id: ID! thing: Thing! @external note: String @requires(fields: "thing { mark ... on Cup { size } ... on Pen { ink { colour } } }") }
          interface Thing { mark: String! }
          type Cup implements Thing @external { mark: String! size: Int } type Pen implements Thing @external { mark: String! ink: Ink } type Ink @external { colour: String }`,
        resolvers: {
          Box: {
            __resolveReference: same,
            note: ({ thing }: { thing: { mark: string; size?: number; ink?: { colour: string } } }) =>
              `${thing.mark} ${thing.size ?? thing.ink?.colour}`,
          },
        },
      },
    },
    cases: [
      {
        query: '{ box { note } boxes { note } }',
        data: { box: { note: 'm1 3' }, boxes: [{ note: 'm1 3' }, { note: 'm2 blue' }] },
      },
    ],
  },
  {
    theme: 'requires-interface',
    parts: {
      a: {
        sdl: 'type Query { owner: Owner other: Owner } type Owner @key(fields: "id") { id: ID! address: Address @external city: String @requires(fields: "address { street ... on Work { city } ... on Home { city } }") } interface Address { street: String } type Work implements Address @external { street: String city: String } type Home implements Address @external { street: String city: String }',
        resolvers: {
          Query: { owner: () => ({ id: 'o1' }), other: () => ({ id: 'o2' }) },
          Owner: {
            __resolveReference: same,
            city: ({ address }: { address: { street: string; city: string } }) => `${address.city}, ${address.street}`,
          },
        },
      },
      b: {
        sdl: 'type Owner @key(fields: "id") { id: ID! address: Address } interface Address { street: String } type Work implements Address { street: String city: String } type Home implements Address { street: String city: String }',
        resolvers: {
          Owner: {
            __resolveReference: same,
            address: ({ id }: Ref) => ({ __typename: id === 'o1' ? 'Work' : 'Home', street: `street ${id}`, city: `city ${id}` }),
          },
        },
      },
    },
    cases: [
      {
        query: '{ owner { city address { __typename street } } other { city } }',
        data: {
          owner: { city: 'city o1, street o1', address: { __typename: 'Work', street: 'street o1' } },
          other: { city: 'city o2, street o2' },
        },
      },
    ],
  },
  {
    theme: 'requires-with-argument',
    parts: {
      a: {
        sdl: 'type Query { goods: [Good!]! } type Good @key(fields: "id") { id: ID! price(in: String!): Int title(short: Boolean): String }',
        resolvers: {
          Query: { goods: () => GOODS },
          Good: {
            __resolveReference: by(GOODS, 'id'),
            price: ({ price }: { price: number }, { in: unit }: Row) => (unit === 'CENT' ? price * 100 : price),
            title: ({ name }: Row, { short }: Row) => (short ? String(name)[0] : name),
          },
        },
      },
      b: {
        sdl: 'type Good @key(fields: "id") { id: ID! price(in: String!): Int @external title(short: Boolean): String @external cents: Int @requires(fields: "price(in: \\"CENT\\")") initial: String @requires(fields: "title(short: true)") }',
        resolvers: { Good: { __resolveReference: same, cents: ({ price }: Row) => price, initial: ({ title }: Row) => title } },
      },
    },
    cases: [
      {
        query: '{ goods { cents initial } }',
        data: {
          goods: [
            { cents: 3000, initial: 'L' },
            { cents: 90000, initial: 'R' },
          ],
        },
      },
      {
        query: '{ goods { cents price(in: "EURO") title } }',
        data: {
          goods: [
            { cents: 3000, price: 30, title: 'Lamp' },
            { cents: 90000, price: 900, title: 'Rug' },
          ],
        },
      },
      {
        query: 'query ($unit: String!) { goods { price(in: $unit) cents title(short: false) initial } }',
        variables: { unit: 'EURO' },
        data: {
          goods: [
            { price: 30, cents: 3000, title: 'Lamp', initial: 'L' },
            { price: 900, cents: 90000, title: 'Rug', initial: 'R' },
          ],
        },
      },
    ],
  },
  {
    theme: 'requires-with-argument-conflict',
    parts: {
      a: {
        sdl: 'type Query { goods: [Good!]! } type Good @key(fields: "id") { id: ID! price(in: String!): Int }',
        resolvers: {
          Query: { goods: () => GOODS },
          Good: {
            __resolveReference: by(GOODS, 'id'),
            price: ({ price }: { price: number }, { in: unit }: Row) => (unit === 'CENT' ? price * 100 : price),
          },
        },
      },
      b: {
        sdl: 'type Good @key(fields: "id") { id: ID! price(in: String!): Int @external cents: Int @requires(fields: "price(in: \\"CENT\\")") euros: Int @requires(fields: "price(in: \\"EURO\\")") }',
        resolvers: { Good: { __resolveReference: same, cents: ({ price }: Row) => price, euros: ({ price }: Row) => price } },
      },
    },
    cases: [
      {
        query: '{ goods { cents price(in: "EURO") } }',
        data: {
          goods: [
            { cents: 3000, price: 30 },
            { cents: 90000, price: 900 },
          ],
        },
      },
      {
        query: '{ goods { cents euros } }',
        data: {
          goods: [
            { cents: 3000, euros: 30 },
            { cents: 90000, euros: 900 },
          ],
        },
      },
      {
        query: '{ a: goods { cents } b: goods { euros } }',
        data: { a: [{ cents: 3000 }, { cents: 90000 }], b: [{ euros: 30 }, { euros: 900 }] },
      },
    ],
  },
  {
    theme: 'nested-provides',
    parts: {
      a: {
        sdl: 'type Query { goods: [Good!]! @provides(fields: "groups { id title parent { title } }") } type Good @key(fields: "id") { id: ID! groups: [Group!]! @external } type Group @key(fields: "id") { id: ID! title: String @external parent: Group @external }',
        resolvers: {
          Query: { goods: () => [{ id: 'g1', groups: [{ id: 'c1', title: 'Light', parent: { id: 'c0', title: 'All' } }] }] },
        },
      },
      b: {
        sdl: 'type Good @key(fields: "id") { id: ID! groups: [Group!]! @shareable } type Group @key(fields: "id") { id: ID! title: String @shareable parent: Group @shareable count: Int }',
        resolvers: {
          Good: { __resolveReference: same, groups: () => [{ id: 'c9', title: 'wrong' }] },
          Group: { __resolveReference: same, count: ({ id }: Ref) => id.length },
        },
      },
    },
    cases: [
      {
        query: '{ goods { id groups { title parent { title } } } }',
        data: { goods: [{ id: 'g1', groups: [{ title: 'Light', parent: { title: 'All' } }] }] },
      },
      { query: '{ goods { groups { id count } } }', data: { goods: [{ groups: [{ id: 'c1', count: 2 }] }] } },
    ],
  },
  {
    theme: 'provides-only-requested-fields',
    parts: {
      a: {
        sdl: 'type Query { best: Good @provides(fields: "name price") } type Good @key(fields: "id") { id: ID! name: String @external price: Int @external }',
        resolvers: { Query: { best: () => ({ id: 'g1', name: 'Lamp', price: 30 }) }, Good: { __resolveReference: same } },
      },
      b: {
        sdl: 'type Good @key(fields: "id") { id: ID! name: String @shareable price: Int @shareable weight: Int }',
        resolvers: { Good: { __resolveReference: by(GOODS, 'id') } },
      },
    },
    cases: [
      { query: '{ best { name } }', data: { best: { name: 'Lamp' } } },
      { query: '{ best { price weight } }', data: { best: { price: 30, weight: 2 } } },
    ],
  },
]
