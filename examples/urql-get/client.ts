/**
 * Queries over GET with urql and automatic persisted queries: the URL holds a hash in place of the
 * document, so that it is short and any cache can keep the answer.
 *
 *   npx node examples/urql-get/client.ts [address]
 */
import { createHash } from 'node:crypto'
import {
  type AnyVariables,
  Client,
  type CombinedError,
  createRequest,
  fetchExchange,
  gql,
  type OperationResult,
  stringifyDocument,
  type TypedDocumentNode,
} from '@urql/core'

type SearchData = {
  readonly search: { readonly totalCount: number; readonly edges: readonly { readonly node: { readonly name: string } }[] }
}

const SEARCH: TypedDocumentNode<SearchData, { words: string }> = gql`
  query Search($words: String!) {
    search(query: $words, first: 3) { totalCount edges { node { name } } }
  }
`

const atriumUrl = process.argv[2] ?? process.env.ATRIUM_URL ?? 'http://localhost:4000'

const client = new Client({
  url: new URL('/graphql', atriumUrl).href,
  exchanges: [fetchExchange],
  // 'force': urql otherwise takes POST where the URL is long.
  preferGetMethod: 'force',
  // Without it Atrium refuses GET: a form of any web page could send the same.
  fetchOptions: { headers: { 'apollo-require-preflight': '1' } },
  fetch: async (input, init) => {
    const response = await fetch(input, init).catch((cause: unknown) => {
      throw new Error(`Cannot reach Atrium at ${atriumUrl}. Start it with "npm start", or pass its address.`, { cause })
    })
    const url = String(input)
    const what = /[?&]query=/.test(url) ? 'document and hash' : 'hash alone'
    console.log(
      `${init?.method ?? 'GET'} with ${what}: ${response.status}, cache-control: ${response.headers.get('cache-control')}`,
    )
    return response
  },
})

/** Sends the hash alone; a server that does not know the document yet is sent both, once. */
async function queryPersisted<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<OperationResult<Data, Variables>> {
  const sha256Hash = createHash('sha256').update(stringifyDocument(document)).digest('hex')
  const send = (miss: boolean) => {
    const persistedQuery = { version: 1 as const, sha256Hash, ...(miss && { miss }) }
    return client.executeQuery<Data, Variables>(createRequest(document, variables, { persistedQuery })).toPromise()
  }
  const result = await send(false)
  return isUnknownDocument(result.error) ? send(true) : result
}

function isUnknownDocument(error: CombinedError | undefined): boolean {
  return error?.graphQLErrors.some(({ extensions }) => extensions.code === 'PERSISTED_QUERY_NOT_FOUND') ?? false
}

for (const words of ['postgres', 'browser']) {
  const { data, error } = await queryPersisted(SEARCH, { words })
  if (error) {
    console.error(error.networkError?.message ?? error.message)
    process.exitCode = 1
    break
  }
  console.log(
    `${data?.search.totalCount} results for ${words}, first: ${data?.search.edges.map(({ node }) => node.name).join(', ')}`,
  )
}
