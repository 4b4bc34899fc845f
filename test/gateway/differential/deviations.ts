import type { Answer } from './answer.ts'

/**
 * What is right: an answer, one of several, or the oracle's data with errors at the places where
 * the field that throws stands.
 */
export type Right = Answer | { readonly oneOf: readonly Answer[] } | typeof AT_THE_PLACES_OF_THE_FIELD

/**
 * One fault of the oracle, and where it shows. Of an error the path counts, and the code where a
 * subgraph gave one on purpose.
 */
export type Deviation = {
  readonly why: string
  readonly shows: readonly {
    /** `graph / case`. */
    readonly at: string
    /** The label of the fault under which it shows; absent where there is none. */
    readonly fault?: string
    readonly right: Right
  }[]
}

export const AT_THE_PLACES_OF_THE_FIELD =
  'the oracle has the right data, and errors belong to the places of the field that throws'

const fault = (...path: readonly (string | number)[]) => ({
  message: 'It failed.',
  path,
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
})
const teapot = (...path: readonly (string | number)[]) => ({ message: 'I am a teapot.', path, extensions: { code: 'TEAPOT' } })

/** A value that does not fit the schema, or is missing, which the gateway finds by itself. */
const unfit = (...path: readonly (string | number)[]) => ({
  message: 'It does not fit.',
  path,
  extensions: { code: 'INVALID_SUBGRAPH_ANSWER' },
})

const placesOf = (at: string, ...faults: readonly string[]) =>
  faults.map((label) => ({ at, fault: label, right: AT_THE_PLACES_OF_THE_FIELD }) as const)

const BILL_OF_WRONG_PARTS = '[{"code":"p1","of":["not that"]},{"code":"p2","of":["not that"]}]'

/** The answer to `shop / everything at once`. */
const EVERYTHING = {
  fee: '{"weight":0,"price":100}',
  volume: 6,
  label: '["a","b"]',
  bill: '[{"code":"p1","of":{"id":"2"}},{"code":"p2","of":null}]',
  warn: '{"tree":"oak"}',
  total: 'tax 10',
  days: 3,
  rate: 0.5,
  tax: 10,
  name: 'Table',
  parts: [{ of: { fee: '{"weight":7,"price":null}' } }, { of: null }],
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    why: 'One fetch of entities serves equal response paths under several members of a union: the arguments and fields of one member are used for the others. Only plans with typeConditionedFetching know the members apart, and the oracle refuses to run those.',
    shows: [
      {
        at: 'feed / one path with other arguments per member of the union',
        right: {
          data: {
            feed: [
              { author: { photo: 'p1 at 1' } },
              { author: { photo: 'p2 at 2' } },
              {},
              { author: null },
              { author: { photo: 'p2 at 2' } },
            ],
          },
        },
      },
      {
        at: 'feed / one path with other fields under one name per member',
        right: {
          data: {
            feed: [
              { author: { it: 'Person p1' } },
              { author: { it: 'p2 at 3' } },
              {},
              { author: null },
              { author: { it: 'p2 at 3' } },
            ],
          },
        },
      },
      {
        at: 'feed / one path with other fields under one name per member',
        fault: 'persons throws Person.name',
        right: {
          data: {
            feed: [{ author: { it: null } }, { author: { it: 'p2 at 3' } }, {}, { author: null }, { author: { it: 'p2 at 3' } }],
          },
          errors: [fault('feed', 0, 'author', 'it')],
        },
      },
      {
        at: 'feed / other arguments per member, two levels deep',
        right: {
          data: {
            feed: [
              { author: { knows: [{ name: 'Person p2' }] } },
              { author: { knows: [{ photo: 'p1 at 7' }, { photo: 'p3 at 7' }] } },
              { question: 'Who?' },
              { author: null },
              { author: { knows: [{ photo: 'p1 at 7' }, { photo: 'p3 at 7' }] } },
            ],
          },
        },
      },
      {
        at: 'feed / other arguments per member, two levels deep',
        fault: 'persons refuses Person.name',
        right: {
          data: {
            feed: [
              { author: { knows: [{ name: null }] } },
              { author: { knows: [{ photo: 'p1 at 7' }, { photo: 'p3 at 7' }] } },
              { question: 'Who?' },
              { author: null },
              { author: { knows: [{ photo: 'p1 at 7' }, { photo: 'p3 at 7' }] } },
            ],
          },
          errors: [teapot('feed', 0, 'author', 'knows', 0, 'name')],
        },
      },
      {
        at: 'feed / other arguments per member, one entity',
        right: { data: { top: { author: { photo: 'p2 at 2' }, likes: 102 } } },
      },
      {
        at: 'feed / other arguments per member in lists of lists with null',
        right: {
          data: {
            pairs: [
              [{ author: { photo: 'p2 at 2' } }, null, { author: { photo: 'p1 at 1' } }],
              null,
              [],
              [{ poster: { name: '' } }],
            ],
          },
        },
      },
      {
        at: 'feed / other arguments per type of an interface in the members',
        right: {
          data: {
            feed: [
              { by: { photo: 'p1 at 1' } },
              { by: { photo: 'p2 at 3' } },
              {},
              { by: { model: 'R', photo: null } },
              { by: { photo: 'p2 at 3' } },
            ],
          },
        },
      },
      {
        at: 'feed / other arguments per member, by variables and conditions',
        right: {
          data: {
            feed: [
              { author: { photo: 'p1 at undefined' } },
              { author: { photo: 'p2 at 4' } },
              {},
              { author: null },
              { author: { photo: 'p2 at 4' } },
            ],
          },
        },
      },
      ...placesOf('feed / one path with equal fields per member', 'likes throws Person.karma'),
      ...placesOf('parted / beside fields that have another name on the way', 'likes throws Person.karma'),
      {
        at: 'parted / other arguments per type below what all types share',
        right: { data: { posts: [1, 2, 1].map((k) => ({ author: { best: { id: '2', k } } })) } },
      },
      {
        at: 'parted / other arguments per type below what all types share',
        fault: 'posts refuses Text.author',
        right: {
          data: { posts: [{ author: null }, { author: { best: { id: '2', k: 2 } } }, { author: null }] },
          errors: [teapot('posts', 0, 'author'), teapot('posts', 2, 'author')],
        },
      },
      {
        at: 'parted / the same in lists of lists',
        right: { data: { posts: [0, 2, 0].map((k) => ({ author: { pairs: [[{ id: '3', k }, null], null] } })) } },
      },
    ],
  },
  {
    why: 'An error of an entity is told at the place of another one: the oracle numbers everything in a list, also objects that it did not ask about because they are of another type.',
    shows: [
      {
        at: 'media / a union of mixed types with null',
        fault: 'ratings throws Film.rating',
        right: {
          data: {
            anything: [
              { text: 'hello' },
              { minutes: 90, rating: null },
              null,
              { title: 'Sky', rating: 5 },
              { title: 'Sea', rating: 0 },
            ],
          },
          errors: [fault('anything', 1, 'rating')],
        },
      },
      {
        at: 'media / a union of mixed types with null',
        fault: 'ratings refuses Book.rating',
        right: {
          data: {
            anything: [
              { text: 'hello' },
              { minutes: 90, rating: 10 },
              null,
              { title: 'Sky', rating: null },
              { title: 'Sea', rating: null },
            ],
          },
          errors: [teapot('anything', 3, 'rating'), teapot('anything', 4, 'rating')],
        },
      },
      ...placesOf('media / a member of the union that selects nothing', 'ratings throws Book.rating'),
      ...placesOf(
        'media / a fragment on an interface in a list of a union',
        'ratings throws Film.rating',
        'ratings refuses Book.rating',
      ),
      ...placesOf('media / a named fragment in a fragment, used twice', 'ratings throws Book.rating'),
      ...placesOf('media / __typename under another name in lists of mixed types', 'ratings throws Book.rating'),
      ...placesOf(
        'feed / entities that are members, with equal names for other fields',
        'likes throws Text.likes',
        'likes refuses Text.words',
        'likes throws Video.likes',
      ),
    ],
  },
  {
    why: 'Where a field has another name on the way, because the subgraph could not answer both under one, the error names it by that.',
    shows: [
      {
        at: 'renamed / renamed with arguments',
        fault: 'one refuses Pen.cost',
        right: { data: null, errors: [teapot('things', 0, 'c')] },
      },
      {
        at: 'renamed / renamed objects',
        fault: 'one throws Spot.x',
        right: {
          data: { things: [{ to: { x: null } }, { to: { x: null } }, { to: null }] },
          errors: [fault('things', 0, 'to', 'x'), fault('things', 1, 'to', 'x')],
        },
      },
      {
        at: 'renamed / renamed objects',
        fault: 'one refuses Ink.to',
        right: {
          data: { things: [{ to: { x: 0 } }, { to: null }, { to: null }] },
          errors: [teapot('things', 1, 'to'), teapot('things', 2, 'to')],
        },
      },
      ...placesOf('renamed / renamed once more by the client', 'one refuses Pen.stock'),
      ...placesOf('parted / beside fields that have another name on the way', 'persons refuses Pen.at', 'persons throws Spot.x'),
    ],
  },
  {
    why: 'Where a field has another name on the way, 0, false and the empty text become null on the way back.',
    shows: [
      { at: 'renamed / renamed with arguments', right: { data: { things: [{ c: 0 }, { c: 5 }, { c: 5 }] } } },
      {
        at: 'renamed / renamed with arguments',
        fault: 'one throws Ink.cost',
        right: {
          data: { things: [{ c: 0 }, { c: null }, { c: null }] },
          errors: [fault('things', 1, 'c'), fault('things', 2, 'c')],
        },
      },
      {
        at: 'renamed / renamed once more by the client',
        right: {
          data: {
            things: [
              { s: 0, n: '' },
              { s: 0, stock: 'i' },
              { s: null, stock: 'n' },
            ],
          },
        },
      },
      {
        at: 'renamed / renamed once more by the client',
        fault: 'one refuses Ink.stock',
        right: {
          data: {
            things: [
              { s: 0, n: '' },
              { s: null, stock: 'i' },
              { s: null, stock: 'n' },
            ],
          },
          errors: [teapot('things', 1, 's'), teapot('things', 2, 's')],
        },
      },
      {
        at: 'renamed / values that are not null but look so',
        right: {
          data: {
            things: [
              { stock: 0, isNew: false, name: '', parts: [] },
              { stock: 0, isNew: false, name: '', parts: [0, null] },
              { stock: null, isNew: null, name: null, parts: null },
            ],
          },
        },
      },
      {
        at: 'renamed / values that are not null but look so',
        fault: 'one refuses Ink.stock',
        right: {
          data: {
            things: [
              { stock: 0, isNew: false, name: '', parts: [] },
              { stock: null, isNew: false, name: '', parts: [0, null] },
              { stock: null, isNew: null, name: null, parts: null },
            ],
          },
          errors: [teapot('things', 1, 'stock'), teapot('things', 2, 'stock')],
        },
      },
    ],
  },
  {
    why: 'A list of lists that two subgraphs have parts of is replaced by what came last, not merged.',
    shows: [
      {
        at: 'grids / a list of lists in parts from two subgraphs',
        right: {
          data: {
            maps: [
              { cells: [[{ z: 3, y: 2, x: 1 }, null], null, []] },
              null,
              { cells: [[{ z: 3, y: 2, x: 1 }, null], null, []] },
            ],
          },
        },
      },
    ],
  },
  {
    why: 'A shared object or list comes in parts from two subgraphs, and one of them says null: the oracle lets what comes last win. Null of one subgraph does not unsay what another said; parts that are missing are null, and errors are told.',
    shows: [
      {
        at: 'owners / shared values with parts from both',
        fault: 'fresh throws Thing.place',
        right: {
          data: {
            things: [
              { place: { x: 1, y: 0, z: null, old: 'o' }, size: 1 },
              { place: { x: 1, y: 0, z: null, old: 'o' }, size: 1 },
            ],
          },
          errors: [fault('things', 0, 'place'), fault('things', 1, 'place')],
        },
      },
      ...(
        [
          ['said / what is shared below values of which some say their type', { tag: 'card 7', holder: { level: 3 } }],
          ['said / what is shared below them, under another name', { tag: 'card 7', of: { toString: 3 } }],
        ] as const
      ).map(([at, card]) => ({
        at,
        fault: 'sizes throws Thing.meta',
        right: {
          data: { things: [1, 2, 3].map(() => ({ meta: { __typename: 'Meta', size: null, owner: { card } } })) },
          errors: [fault('things', 0, 'meta')],
        },
      })),
      {
        at: 'grids / a list in parts from two subgraphs',
        fault: 'depth null Map.row',
        right: {
          data: {
            maps: [
              {
                row: [
                  { z: null, y: 0, x: 0 },
                  { z: null, y: 6, x: 5 },
                ],
                depth: 0,
              },
              null,
              {
                row: [
                  { z: null, y: 0, x: 0 },
                  { z: null, y: 6, x: 5 },
                ],
                depth: 0,
              },
            ],
          },
        },
      },
      ...['maps null Map.id', 'maps wrong Map.id'].map((label) => ({
        at: 'grids / an object in parts from two subgraphs',
        fault: label,
        right: { data: { maps: [{ first: { x: 1, y: 2, z: null } }, null, { first: null }] } },
      })),
      {
        at: 'grids / an object in parts from two subgraphs',
        fault: 'depth throws Map.first',
        right: {
          data: { maps: [{ first: { x: 1, y: 2, z: null } }, null, { first: null }] },
          errors: [fault('maps', 0, 'first'), fault('maps', 2, 'first')],
        },
      },
      {
        at: 'grids / parts of a list that are not equally long',
        fault: 'depth throws Map.uneven',
        right: {
          data: {
            maps: [
              {
                uneven: [
                  { z: null, x: 1 },
                  { z: null, x: 2 },
                ],
              },
              null,
              {
                uneven: [
                  { z: null, x: 1 },
                  { z: null, x: 2 },
                ],
              },
            ],
          },
          errors: [fault('maps', 0, 'uneven'), fault('maps', 2, 'uneven')],
        },
      },
      // Both are asked at once: now and then the oracle is right.
      {
        at: 'owners / shared roots with parts from both',
        fault: 'fresh throws Query.where',
        right: { oneOf: [{ data: { where: { z: null, old: 'old', y: null, x: null } }, errors: [fault('where')] }] },
      },
      {
        at: 'owners / shared roots with parts from both',
        fault: 'old throws Query.where',
        right: { oneOf: [{ data: { where: { z: 9, old: null, y: 0, x: 1 } }, errors: [fault('where')] }] },
      },
      {
        at: 'owners / shared roots, twice',
        fault: 'fresh throws Query.where',
        right: {
          oneOf: [
            { data: { a: null, b: null, where: { old: 'old', z: null } }, errors: [fault('a'), fault('b'), fault('where')] },
          ],
        },
      },
      {
        at: 'owners / shared roots, twice',
        fault: 'old throws Query.where',
        right: { oneOf: [{ data: { a: { x: 1 }, b: { z: 9 }, where: { old: null, z: 9 } }, errors: [fault('where')] }] },
      },
    ],
  },
  {
    why: 'Two subgraphs disagree how long a list is, and an element of the one that is dropped failed: its error may be told or not.',
    shows: [
      {
        at: 'grids / parts of a list that are not equally long',
        fault: 'maps refuses Cell.x',
        right: {
          oneOf: [[0], [0, 1]].map((reported) => ({
            data: { maps: [{ uneven: [{ z: 1, x: null }] }, null, { uneven: [{ z: 1, x: null }] }] },
            errors: [0, 2].flatMap((map) => reported.map((cell) => teapot('maps', map, 'uneven', cell, 'x'))),
          })),
        },
      },
    ],
  },
  {
    why: 'The planner asks for what @requires(fields: "f(argument)") under the name of the field itself, where the client may have asked for it with other arguments.',
    shows: [
      {
        at: 'shapes / @requires with an argument, beside the same field with another',
        right: {
          data: {
            shapes: [
              { color: 'red', caption: 'in dark red' },
              { color: 'blue', caption: 'in dark blue' },
            ],
          },
        },
      },
    ],
  },
  {
    why: 'Fields stand together that fragments with equal types bring, whatever stands between the fragments; the specification orders by first occurrence.',
    shows: [
      {
        at: 'people / fields between fragments keep their order',
        right: {
          data: {
            users: [{ isNew: false, id: '1', score: 10, name: 'Ada' }],
            me: { score: 10, email: 'ada@example.org', rank: 1 },
          },
        },
      },
    ],
  },
  {
    why: 'The key that a fetch brings and a field that the client calls like it stand under one name in what is gathered: one replaces the other.',
    shows: [
      {
        at: 'promises / another field under the name of the key',
        right: { data: { may: { firm: { of: { maybe: { name: 'node 9m' }, id: 0 } } } } },
      },
    ],
  },
  {
    why: 'What a client calls __typename is taken for the type.',
    shows: [
      {
        at: 'people / another field under the name of the type',
        right: {
          data: {
            me: { __typename: 'Ada', rank: 1 },
            users: [
              { __typename: 10, name: 'Ada' },
              { __typename: 0, name: 'Bob' },
              { __typename: 10, name: '' },
            ],
          },
        },
      },
    ],
  },
  {
    why: 'The subgraph of an @interfaceObject answers __typename with the name of the interface, and that replaces the type of the object: fields under fragments on it are lost.',
    shows: [
      {
        at: 'shapes / the type beside a field of the interface object',
        right: {
          data: {
            shapes: [{ __typename: 'Circle', label: 'label of c1', kind: 'Circle' }, { kind: 'Square' }],
            shape: { __typename: 'Square', color: 'blue' },
          },
        },
      },
    ],
  },
  {
    why: 'What an @interfaceObject requires for one type is sent for objects of all types; those of other types lack the key, and carry a type that the subgraph does not know.',
    shows: [
      {
        at: 'shapes / a field of the interface object for all types beside one that requires for one',
        right: { data: { shapes: [{ color: 'red' }, { color: 'blue', price: 6 }] } },
      },
      {
        at: 'shapes / a field of the interface object that requires, for one type',
        right: { data: { shapes: [{ area: 0 }, { area: 4, price: 6 }] } },
      },
    ],
  },
  {
    why: 'What is known of a type is forgotten below a fragment on an interface of it, where its name was not fetched: fields below a fragment on the type itself are lost.',
    shows: [
      {
        at: 'media / a type inside of an interface inside of that type',
        right: {
          data: { items: [{ sequel: { pages: 200 } }, {}, { sequel: null }], item: { sequel: { pages: 200, title: 'Sky' } } },
        },
      },
    ],
  },
  {
    why: 'The planner writes a fetch that uses a variable which it does not declare.',
    shows: [{ at: 'media / a variable inside of a fragment that excludes itself', right: { data: { best: { title: 'Rain' } } } }],
  },
  {
    why: 'The planner takes the arguments of one type for all types of an @interfaceObject.',
    shows: [
      {
        at: 'shapes / other arguments per type for a field of the interface object',
        right: { data: { shapes: [{ color: 'dark red' }, { color: 'blue' }] } },
      },
    ],
  },
  {
    why: 'The planner takes a condition of everything inside of a field for a condition of the field: what is there is told as null, and a mutation does not even run.',
    shows: [
      { at: 'feed / everything inside is left out', right: { data: { top: {} } } },
      { at: 'people / a mutation of which everything inside is left out', right: { data: { rename: {} } } },
    ],
  },
  {
    why: 'What a field requires is not fetched where that field is left out, but still required of the fetch that it would have been in: every other field of that fetch is null.',
    shows: [
      {
        at: 'shop / a field that is left out requires what no other does',
        right: { data: { products: [{ label: '["a","b"]' }, { label: '[]' }, { label: '[null]' }] } },
      },
    ],
  },
  {
    why: 'The concrete type of an object is not known to anybody, so __typename cannot be answered: the null that goes up has no error.',
    shows: [
      {
        at: 'shapes / from the interface object to the types',
        right: { data: null, errors: [unfit('painted', 2, '__typename')] },
      },
      ...['geometry no-entities', 'paint null Shape.id', 'paint wrong Shape.id'].map((label) => ({
        at: 'shapes / there and back',
        fault: label,
        right: {
          data: { shapes: [{ twin: null }, { twin: null }] },
          errors: [unfit('shapes', 0, 'twin', '__typename'), unfit('shapes', 1, 'twin', '__typename')],
        },
      })),
    ],
  },
  {
    why: 'Fragments on types are not applied to objects that came from an @interfaceObject, although another subgraph told their types.',
    shows: [
      {
        at: 'shapes / a type condition on what came from an interface object',
        right: {
          data: { painted: [{ c: 'dark blue', twin: { id: 'c1' } }, { color: 'red', label: 'label of c1' }, {}] },
        },
      },
    ],
  },
  {
    why: 'The planner takes what a client has under the name of a field that it needs for that field: the client gets the key, or what was required, in place of what it asked for.',
    shows: [
      {
        at: 'people / the key of an entity under another name',
        right: {
          data: {
            users: [
              { key: '1', id: 'Ada', rank: 1 },
              { key: '2', id: 'Bob', rank: 2 },
              { key: '3', id: '', rank: 3 },
            ],
          },
        },
      },
      {
        at: 'shop / required and asked under another name',
        right: {
          data: {
            products: [
              { fee: '{"weight":0,"price":100}', w: 0, price: 'Table', weight: 3 },
              { fee: '{"weight":7,"price":null}', w: 7, price: 'Chair', weight: 3 },
              { fee: '{"weight":1,"price":0}', w: 1, price: '', weight: 3 },
            ],
          },
        },
      },
      {
        at: 'shop / required and asked under another name',
        fault: 'shipping refuses Product.days',
        right: {
          data: {
            products: [
              { fee: '{"weight":0,"price":100}', w: 0, price: 'Table', weight: null },
              { fee: '{"weight":7,"price":null}', w: 7, price: 'Chair', weight: null },
              { fee: '{"weight":1,"price":0}', w: 1, price: '', weight: null },
            ],
          },
          errors: [0, 1, 2].map((index) => teapot('products', index, 'weight')),
        },
      },
    ],
  },
  {
    why: 'An error of a field is told at places where the operation does not ask for that field, because one fetch serves equal paths under several members of a union.',
    shows: [
      { label: 'posts null Person.id', name: 'Person null' },
      { label: 'posts wrong Person.id', name: 'Person [object Object]' },
    ].map(({ label, name }) => ({
      at: 'feed / one path with equal fields per member',
      fault: label,
      right: {
        data: {
          feed: [
            { author: { name } },
            { author: { name, karma: null } },
            { poster: { karma: null } },
            { author: null },
            { author: { name, karma: null } },
          ],
        },
        errors: [fault('feed', 1, 'author', 'karma'), fault('feed', 4, 'author', 'karma'), fault('feed', 2, 'poster', 'karma')],
      },
    })),
  },
  {
    why: 'A key or a required value that has the wrong shape is sent to the next subgraph as it was said, like a leaf of the wrong kind: that subgraph judges it. The oracle gives up the whole operation.',
    shows: [
      {
        at: 'shop / a required list',
        fault: 'catalog misshapen Product.tags',
        right: { data: { products: [1, 2, 3].map(() => ({ label: '{"not":"that"}' })) } },
      },
      {
        at: 'shop / a required list of objects with entities',
        fault: 'catalog misshapen Part.of',
        right: { data: { products: [{ bill: BILL_OF_WRONG_PARTS }, { bill: '[]' }, { bill: '[]' }] } },
      },
      {
        at: 'shop / a required union',
        fault: 'catalog misshapen Product.kind',
        right: {
          data: { products: [1, 2, 3].map(() => ({ warn: '["not that"]', kind: null })) },
          errors: [0, 1, 2].map((index) => unfit('products', index, 'kind')),
        },
      },
      {
        at: 'shop / everything at once',
        fault: 'catalog misshapen Product.kind',
        right: { data: { product: { ...EVERYTHING, warn: '["not that"]' } } },
      },
      {
        at: 'shop / everything at once',
        fault: 'catalog misshapen Product.tags',
        right: { data: { product: { ...EVERYTHING, label: '{"not":"that"}' } } },
      },
      {
        at: 'shop / everything at once',
        fault: 'catalog misshapen Part.of',
        right: {
          data: { product: { ...EVERYTHING, bill: BILL_OF_WRONG_PARTS, parts: [{ of: null }, { of: null }] } },
          errors: [0, 1].map((index) => unfit('product', 'parts', index, 'of')),
        },
      },
      {
        at: 'keys / a key of several fields',
        fault: 'byId misshapen Org.country',
        right: {
          data: {
            orgs: [{ staff: 0, size: 'One/undefined', name: 'One' }, null, { staff: 0, size: 'Two/undefined', name: 'Two' }],
          },
        },
      },
    ],
  },
]
