/**
 * Lists MCP servers page by page over GraphQL, with fetch and nothing else: typed documents,
 * timeouts and every kind of failure.
 *
 *   npx node examples/typescript-client/client.ts [address]
 */
const REQUEST_TIMEOUT_MS = 30_000
const PAGE_SIZE = 5
const MAX_PAGES = 3

/**
 * A GraphQL document with the types of its result and variables. Code generators write these; a few
 * can be written by hand.
 */
type TypedDocument<Data, Variables> = { readonly text: string; readonly types?: (variables: Variables) => Data }

type GraphQLResponse<Data> = {
  readonly data?: Data | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

type McpServersData = {
  readonly mcpServers: {
    readonly totalCount: number
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
    readonly edges: readonly {
      readonly node: { readonly title: string; readonly category: string; readonly installCommand: string }
    }[]
  }
}

const McpServers: TypedDocument<McpServersData, { first: number; after: string | null }> = {
  text: `query McpServers($first: Int!, $after: String) {
    mcpServers(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges { node { title category installCommand } }
    }
  }`,
}

const atriumUrl = process.argv[2] ?? process.env.ATRIUM_URL ?? 'http://localhost:4000'

/**
 * Runs one operation. Throws an Error whose message says what to do when there is no complete
 * result.
 */
async function request<Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables): Promise<Data> {
  const response = await fetch(new URL('/graphql', atriumUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query: document.text, variables }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new Error(`Cannot reach Atrium at ${atriumUrl}. Start it with "npm start", or pass its address.`, { cause })
  })
  if (response.status === 429 || response.status === 503) {
    throw new Error(`Atrium answers ${response.status}: try again in ${response.headers.get('retry-after') ?? 'a few'} seconds.`)
  }

  // A proxy in between may answer HTML.
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  if (!isJson) throw new Error(`Expected JSON from ${response.url}, got status ${response.status}.`)
  const { data, errors = [] } = (await response.json()) as GraphQLResponse<Data>
  // With errors, data may still hold what could be had. This program wants all or nothing.
  if (errors.length > 0) {
    throw new Error(errors.map(({ message, extensions }) => `${extensions?.code ?? 'ERROR'}: ${message}`).join('\n'))
  }
  if (!data) throw new Error(`Expected data from ${response.url}, got none.`)
  return data
}

try {
  let after: string | null = null
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { mcpServers }: McpServersData = await request(McpServers, { first: PAGE_SIZE, after })
    console.log(`Page ${page}, of ${mcpServers.totalCount} servers in all`)
    for (const { node } of mcpServers.edges) console.log(`  ${node.title} (${node.category}): ${node.installCommand}`)
    if (!mcpServers.pageInfo.hasNextPage) break
    after = mcpServers.pageInfo.endCursor
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
