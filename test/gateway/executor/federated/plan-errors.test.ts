import { buildSubgraphSchema } from '@apollo/subgraph'
import { GraphQLError, parse } from 'graphql'
import { expect, test } from 'vitest'
import { startGateway } from '../../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../../gateway/limits/limits.ts'
import { compose } from '../../../../gateway/planning/composition.ts'
import { createLocalLink } from '../../../../gateway/subgraph-client/local-subgraph.ts'
import { ask, recordingLog } from '../../support/graph.ts'

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])'

/** `Address` is a value of both subgraphs, and the second one may not tell everything of it. */
const PEOPLE = `${LINK}
  type Query { person: Person people: [Person] }
  type Person @key(fields: "id") { id: ID! address: Address other: [Address] }
  type Address @shareable { city: String! }`
const POST = `${LINK}
  type Person @key(fields: "id") { id: ID! address: Address @shareable other: [Address] @shareable phone: String! }
  type Address { city: String! @shareable street: String! zip: String! }`

/** What is refused, by the name of the field. */
async function graphWhere(refused: readonly string[], missing: readonly string[] = []) {
  const resolverOf = (field: string, value: unknown) => () => {
    if (refused.includes(field)) throw new GraphQLError('Not for you.', { extensions: { code: 'FORBIDDEN' } })
    return missing.includes(field) ? null : value
  }
  const person = { id: 'a', address: { city: 'Porto' }, other: [{ city: 'Faro' }, { city: 'Braga' }] }
  const subgraphs = [
    {
      name: 'people',
      sdl: PEOPLE.replace('address: Address', 'address: Address @shareable').replace(
        'other: [Address]',
        'other: [Address] @shareable',
      ),
    },
    { name: 'post', sdl: POST },
  ]
  const resolvers = {
    people: { Query: { person: () => person, people: () => [person, { ...person, id: 'b' }] } },
    post: {
      Person: { __resolveReference: ({ id }: { id: string }) => ({ ...person, id }), phone: resolverOf('phone', '1') },
      Address: { street: resolverOf('street', 'Rua'), zip: resolverOf('zip', '4000') },
    },
  }
  const typeDefs = subgraphs.map(({ name, sdl }) => ({ name, typeDefs: parse(sdl) }))
  const links = typeDefs.map((each) =>
    createLocalLink({
      name: each.name,
      schema: buildSubgraphSchema([{ typeDefs: each.typeDefs, resolvers: resolvers[each.name as 'people'] as never }]),
      context: () => ({}),
      ready: async () => {},
      close: async () => {},
    }),
  )
  return startGateway({ supergraphSdl: compose(typeDefs), links, limits: DEFAULT_LIMITS, log: recordingLog().log })
}

const messagesOf = ({ errors = [] }: Awaited<ReturnType<typeof ask>>) =>
  errors.map(({ path, extensions }) => [path?.join('.'), extensions.code])

test.each([
  ['{ person { id address { city zip street } } }', { person: { id: 'a', address: null } }, ['person.address.street']],
  ['{ person { id address { street zip city } } }', { person: { id: 'a', address: null } }, ['person.address.street']],
  ['{ person { where: address { post: zip on: street city } } }', { person: { where: null } }, ['person.where.on']],
  [
    '{ person { other { city zip street } } }',
    { person: { other: [null, null] } },
    ['person.other.0.street', 'person.other.1.street'],
  ],
  [
    '{ people { id address { city zip street } } }',
    {
      people: [
        { id: 'a', address: null },
        { id: 'b', address: null },
      ],
    },
    ['people.0.address.street', 'people.1.address.street'],
  ],
] as const)('%s: a field nulled by a refused one has no error of its own', async (query, data, paths) => {
  const gateway = await graphWhere(['street'])
  const answer = await ask(gateway, query)
  expect(answer.data).toEqual(data)
  expect(messagesOf(answer)).toEqual(paths.map((path) => [path, 'FORBIDDEN']))
  await gateway.close()
})

test('an entity that a refused field takes away is explained, whatever the order of its fields', async () => {
  const gateway = await graphWhere(['phone'])
  for (const fields of ['id phone address { zip }', 'address { zip street } phone id']) {
    const answer = await ask(gateway, `{ person { ${fields} } }`)
    expect([answer.data, messagesOf(answer)]).toEqual([{ person: null }, [['person.phone', 'FORBIDDEN']]])
  }
  await gateway.close()
})

test('a null without an explaining error is reported', async () => {
  const gateway = await graphWhere([], ['street'])
  const answer = await ask(gateway, '{ person { id address { city zip street } phone } }')
  expect(messagesOf(answer)).toHaveLength(1)
  expect(answer.errors?.[0]?.extensions.code).not.toBe('FORBIDDEN')
  await gateway.close()
})
