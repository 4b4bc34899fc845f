/**
 * Reads the directory with Apollo Client: a normalised cache, pages that grow one list, and a
 * second read without a request.
 *
 *   npx node examples/apollo-client/client.ts [address]
 */
import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client'
import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors'
import { relayStylePagination } from '@apollo/client/utilities'

const PAGE_SIZE = 3

type Skill = { readonly id: string; readonly name: string }
type SkillsData = {
  readonly skills: {
    readonly totalCount: number
    readonly pageInfo: { readonly endCursor: string | null }
    readonly edges: readonly { readonly node: Skill }[]
  }
}

const SKILLS: TypedDocumentNode<SkillsData, { first: number; after?: string | null }> = gql`
  query Skills($first: Int!, $after: String) {
    skills(first: $first, after: $after) {
      totalCount
      pageInfo { endCursor }
      edges { node { id name } }
    }
  }
`

const atriumUrl = process.argv[2] ?? process.env.ATRIUM_URL ?? 'http://localhost:4000'

let requests = 0
const client = new ApolloClient({
  link: new HttpLink({
    uri: new URL('/graphql', atriumUrl).href,
    fetch: (input, init) => {
      requests++
      return fetch(input, init).catch((cause: unknown) => {
        throw new Error(`Cannot reach Atrium at ${atriumUrl}. Start it with "npm start", or pass its address.`, { cause })
      })
    },
  }),
  cache: new InMemoryCache({
    typePolicies: {
      // Lists of Atrium are Relay connections: each page is appended to the same list, one list per
      // filter.
      Query: { fields: { skills: relayStylePagination(['filter']) } },
    },
  }),
})

try {
  const { data } = await client.query({ query: SKILLS, variables: { first: PAGE_SIZE } })
  // What a "more" button does. In React, useQuery hands out the same fetchMore.
  const list = client.watchQuery({ query: SKILLS, variables: { first: PAGE_SIZE } })
  await list.fetchMore({ variables: { after: data?.skills.pageInfo.endCursor ?? null } })

  const grown = client.readQuery({ query: SKILLS, variables: { first: PAGE_SIZE } })
  console.log(`${grown?.skills.edges.length} of ${grown?.skills.totalCount} skills after ${requests} requests:`)
  for (const { node } of grown?.skills.edges ?? []) console.log(`  ${node.name}`)

  // Ids are stable and unique in the whole graph, so that every query shares one copy of a skill.
  const id = grown?.skills.edges[0]?.node.id ?? ''
  const copy = client.readFragment<Skill>({
    id: client.cache.identify({ __typename: 'Skill', id }) ?? '',
    fragment: gql`fragment Name on Skill { id name }`,
  })
  console.log(`From the cache: ${copy?.name}; still ${requests} requests.`)
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}
client.stop()

function explain(error: unknown): string {
  if (CombinedGraphQLErrors.is(error)) return error.errors.map(({ message }) => message).join('\n')
  if (ServerError.is(error)) return `Atrium answers ${error.statusCode}: ${error.bodyText}`
  return error instanceof Error ? error.message : String(error)
}
