import { GraphQLError } from 'graphql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type CreateGatewayOptions, createGateway } from '../../../../gateway/library/create-gateway.ts'
import { recordingLog } from '../../support/graph.ts'
import { replies } from '../../support/http-graph.ts'
import { gatewayOf, type Parts, supergraphOf } from '../../support/parts.ts'

/** What is right is in differential/, whose form `merged` sends fetches together; here: requests, bounds and faults. */

type Ref = { readonly id: string }
const ref = (id: string): Ref => ({ id })

function parts(posts: readonly object[]): Parts {
  const whole = (name: string) => {
    if (name.startsWith('poison')) throw new GraphQLError('poison', { extensions: { code: 'POISON' } })
    return name
  }
  return {
    posts: {
      sdl: `type Query { posts: [Post!]! } type Post { author: Person editor: Person }
        type Person @key(fields: "id") { id: ID! }`,
      resolvers: { Query: { posts: () => posts } },
    },
    people: {
      sdl: `type Person @key(fields: "id") { id: ID! name: String label(short: Int): String whole: String! friend: Person home: Home }
        type Home @key(fields: "id") { id: ID! city: String }`,
      resolvers: {
        Person: {
          __resolveReference: async ({ id }: Ref) => (id.startsWith('throws') ? whole('poison') : { id }),
          name: ({ id }: Ref) => `name of ${id}`,
          label: ({ id }: Ref, { short }: { short?: number }) => `name of ${id}`.slice(0, short),
          whole: ({ id }: Ref) => whole(id),
          friend: ({ id }: Ref) => ref(`friend-of-${id}`),
          home: ({ id }: Ref) => ({ id: `home-of-${id}`, city: `city of ${id}` }),
        },
      },
    },
    jobs: {
      sdl: `type Person @key(fields: "id") { id: ID! name: String @external title: String @requires(fields: "name") }
        type Home @key(fields: "id") { id: ID! rent: Int }`,
      resolvers: {
        Person: { title: ({ name }: { name: string }) => `title of ${name}` },
        Home: { rent: ({ id }: Ref) => id.length },
      },
    },
  }
}

const POSTS = [
  { author: ref('a'), editor: ref('b') },
  { author: ref('b'), editor: null },
]

async function graph(posts: readonly object[] = POSTS, options: Partial<CreateGatewayOptions> = {}) {
  const all = parts(posts)
  // Its own gateway does not run: this one reads options.
  const { remotes } = await gatewayOf(all, 'http')
  const urls = Object.fromEntries(Object.entries(remotes).map(([name, { url }]) => [name, { url }]))
  const { subgraphs = {}, ...others } = options
  const gateway = await createGateway({
    supergraph: supergraphOf(all),
    subgraphs: Object.fromEntries(Object.keys(urls).map((name) => [name, { ...urls[name], ...subgraphs[name] }])),
    log: recordingLog().log,
    ...others,
  })
  onTestFinished(() => gateway.close())
  const bodies = (name: string) => (remotes[name]?.requests ?? []).map(({ body }) => JSON.parse(body))
  const run = async (query: string, variables?: Record<string, unknown>) =>
    JSON.parse(JSON.stringify(await gateway.execute({ query, ...(variables && { variables }) })))
  return { run, remotes, bodies, gateway }
}

const EQUAL = '{ posts { author { name } editor { name } } }'
const DIFFERENT = '{ posts { author { name } editor { whole } } }'

describe('fetches from one subgraph that are ready together', () => {
  test('are one request with each entity once when they ask for the same', async () => {
    const { run, bodies } = await graph()
    expect(await run(EQUAL)).toEqual({
      data: {
        posts: [
          { author: { name: 'name of a' }, editor: { name: 'name of b' } },
          { author: { name: 'name of b' }, editor: null },
        ],
      },
    })
    expect(bodies('people').map(({ variables }) => variables)).toEqual([
      { representations: ['a', 'b'].map((id) => ({ __typename: 'Person', id })) },
    ])
  })

  test('are one call of the hooks of fetches, with the aliases that docs/gateway/hooks.md names', async () => {
    const calls: unknown[] = []
    const { run } = await graph(POSTS, {
      hooks: {
        subgraphs: ['people'],
        subgraphRequest: ({ query, variables }) =>
          void calls.push([
            query.match(/_\d: _entities\(representations: \$\w+\)|_\d:_entities\(representations:\$\w+\)/g)?.length,
            Object.keys(variables),
          ]),
        subgraphResponse: ({ data }) => void calls.push(Object.keys(data ?? {})),
      },
    })
    expect(await run(DIFFERENT)).not.toHaveProperty('errors')
    expect(calls).toEqual([
      [2, ['representations_0', 'representations_1']],
      ['_0', '_1'],
    ])
  })

  test('are one request with aliases when they ask for something else', async () => {
    const { run, bodies } = await graph()
    const query =
      'query ($short: Int, $representations_0: Int) { posts { author { label(short: $short) } editor { whole n: label(short: $representations_0) } } }'
    expect(await run(query, { short: 6, representations_0: 1 })).toEqual({
      data: {
        posts: [
          { author: { label: 'name o' }, editor: { whole: 'b', n: 'n' } },
          { author: { label: 'name o' }, editor: null },
        ],
      },
    })
    const [sent, ...others] = bodies('people')
    expect([others, sent.variables]).toEqual([
      [],
      {
        short: 6,
        of_representations_0OfClient: 1,
        representations_0: ['a', 'b'].map((id) => ({ __typename: 'Person', id })),
        representations_1: [{ __typename: 'Person', id: 'b' }],
      },
    ])
  })

  test('are followed by one request of what needs them', async () => {
    const { run, bodies } = await graph()
    const { data } = await run('{ posts { author { title } editor { title } } }')
    expect(data.posts[0]).toEqual({ author: { title: 'title of name of a' }, editor: { title: 'title of name of b' } })
    expect([bodies('people').length, bodies('jobs').length]).toEqual([1, 1])
  })

  test('do not mix up what later fetches write to one of the places', async () => {
    const { run } = await graph([{ author: ref('a'), editor: ref('a') }])
    const { data } = await run('{ posts { author { home { city rent } } editor { home { city } } } }')
    expect(data.posts).toEqual([{ author: { home: { city: 'city of a', rent: 9 } }, editor: { home: { city: 'city of a' } } }])
  })

  test('are one request where only one of them has entities', async () => {
    const { run, bodies } = await graph([{ author: null, editor: ref('b') }])
    expect(await run(DIFFERENT)).toEqual({ data: { posts: [{ author: null, editor: { whole: 'b' } }] } })
    expect(bodies('people').map(({ variables }) => Object.keys(variables))).toEqual([['representations']])
  })

  test('are one request of the name of its document, whichever of them have entities', async () => {
    const posts: object[] = [...POSTS]
    const { run, bodies } = await graph(posts)
    const query = 'query Named { posts { author { name } editor { name } } others: posts { author { whole } editor { whole } } }'
    for (const post of [POSTS[0], { author: null, editor: ref('b') }, { author: ref('a'), editor: null }]) {
      if (post) posts.splice(0, posts.length, post)
      expect((await run(query)).errors).toBeUndefined()
    }
    const sent = bodies('people')
    expect(sent).toHaveLength(3)
    for (const { query, operationName } of sent) expect(query).toContain(`query ${operationName}(`)
  })

  test('are sent apart where an option says so', async () => {
    const { run, bodies } = await graph(POSTS, { allSubgraphs: { mergeFetches: false } })
    await run(EQUAL)
    expect(bodies('people')).toHaveLength(2)
  })

  test('are sent apart with more than 500 entities', async () => {
    const posts = Array.from({ length: 251 }, (_, index) => ({ author: ref(`a${index}`), editor: ref(`e${index}`) }))
    const { run, bodies } = await graph(posts)
    await run(EQUAL)
    expect(bodies('people').map(({ variables }) => variables.representations.length)).toEqual([251, 251])
  })
})

describe('errors of fetches that are sent together', () => {
  test.each([EQUAL, '{ posts { author { name } editor { n: name } } }'])('keep their path: %s', async (query) => {
    const { run, bodies } = await graph([{ author: ref('throws'), editor: ref('b') }])
    const key = query === EQUAL ? 'name' : 'n'
    const { data, errors } = await run(query)
    expect(data.posts).toEqual([{ author: { name: null }, editor: { [key]: 'name of b' } }])
    expect(errors).toMatchObject([{ path: ['posts', 0, 'author'], extensions: { code: 'POISON' } }])
    expect(bodies('people')).toHaveLength(1)
  })

  test('are told at each place of an entity', async () => {
    const { run } = await graph([{ author: ref('throws'), editor: ref('throws') }])
    const { errors } = await run(EQUAL)
    expect(errors.map(({ path }: { path: unknown }) => path)).toEqual([
      ['posts', 0, 'author'],
      ['posts', 0, 'editor'],
    ])
  })

  // The second is a code of our own, too, for a subgraph that is away as a whole.
  test.each(['NO', 'UNAVAILABLE'])('that make the whole answer null do so with the fetch that has them: %s', async (code) => {
    const { run, remotes, bodies } = await graph()
    const nullBy = (key: string) => JSON.stringify({ data: null, errors: [{ message: 'no', path: [key], extensions: { code } }] })
    const [lost, own] = [nullBy('_1'), nullBy('_entities')]
    const people = remotes.people
    if (!people) throw new Error('Expected a subgraph.')
    people.always = ({ response, body }) => {
      const { query } = JSON.parse(body)
      const answer = query.includes('_1:') ? lost : query.includes('whole') ? own : null
      response.setHeader('content-type', 'application/json')
      response.end(answer ?? '{"data":{"_entities":[{"name":"A"},{"name":"B"}]}}')
    }
    const { data, errors } = await run(DIFFERENT)
    expect(data.posts).toEqual([
      { author: { name: 'A' }, editor: null },
      { author: { name: 'B' }, editor: null },
    ])
    expect(errors).toMatchObject([{ extensions: { code } }])
    expect(bodies('people')).toHaveLength(3)
    // An error of data says nothing about the next request.
    await run(DIFFERENT)
    expect(bodies('people')).toHaveLength(6)
  })

  test('of a subgraph that refuses such a request are not those of the client, nor sent again', async () => {
    const { run, remotes, bodies } = await graph()
    const people = remotes.people
    if (!people) throw new Error('Expected a subgraph.')
    people.next.push(({ response }) =>
      response.setHeader('content-type', 'application/json').end('{"errors":[{"message":"Aliases are not allowed."}]}'),
    )
    const answer = {
      data: {
        posts: [
          { author: { name: 'name of a' }, editor: { whole: 'b' } },
          { author: { name: 'name of b' }, editor: null },
        ],
      },
    }
    expect(await run(DIFFERENT)).toEqual(answer)
    expect(bodies('people')).toHaveLength(3)
    expect(await run(DIFFERENT)).toEqual(answer)
    expect(bodies('people')).toHaveLength(5)
    // A fault that has passed is forgotten after five minutes.
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 300_000)
    onTestFinished(() => clock.mockRestore())
    expect(await run(DIFFERENT)).toEqual(answer)
    expect(bodies('people')).toHaveLength(6)
  })

  test('that a caller has because of a variable do not send the fetches of other callers apart', async () => {
    const { run, remotes, bodies } = await graph()
    const people = remotes.people
    if (!people) throw new Error('Expected a subgraph.')
    people.always = ({ response, body }) => {
      const isRefused = JSON.parse(body).variables.short === 99
      response.setHeader('content-type', 'application/json')
      response.end(isRefused ? '{"errors":[{"message":"That is too long."}]}' : '{"data":{"_entities":[{"whole":"b"}]}}')
    }
    const query = 'query ($short: Int) { posts { author { label(short: $short) } editor { whole } } }'
    const { data, errors } = await run(query, { short: 99 })
    expect(data.posts[0]).toEqual({ author: { label: null }, editor: { whole: 'b' } })
    expect(errors).toMatchObject([{ message: 'That is too long.' }])
    expect(bodies('people')).toHaveLength(3)
    people.always = null
    expect((await run(query, { short: 6 })).errors).toBeUndefined()
    expect(bodies('people')).toHaveLength(4)
  })

  test('of a subgraph that is gone are told once, without further requests', async () => {
    const { run, remotes, bodies } = await graph(POSTS, { allSubgraphs: { retries: { maxRetries: 0 } } })
    const people = remotes.people
    if (!people) throw new Error('Expected a subgraph.')
    people.always = replies(500)
    const { data, errors } = await run(DIFFERENT)
    expect(data.posts[0]).toEqual({ author: { name: null }, editor: null })
    expect(errors).toMatchObject([{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }])
    expect(bodies('people')).toHaveLength(1)
  })
})

test('with an entity cache only fetches that ask for the same are sent together, and both fill it', async () => {
  const scope = 'PUBLIC' as const
  const { run, bodies } = await graph(POSTS, {
    entityCache: { maxBytes: 1_000_000, subgraphs: { people: { types: { Person: { ttlSeconds: 60, scope } } } } },
  })
  await run(EQUAL)
  expect(bodies('people')).toHaveLength(1)
  const { data } = await run(EQUAL)
  expect(data.posts[0]).toEqual({ author: { name: 'name of a' }, editor: { name: 'name of b' } })
  expect(bodies('people')).toHaveLength(1)
  await run('{ posts { author { friend { id } } editor { whole } } }')
  expect(bodies('people')).toHaveLength(3)
})
