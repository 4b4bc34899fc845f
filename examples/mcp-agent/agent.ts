/**
 * What an agent does with Atrium's MCP servers, without a model in between: it looks for a tool
 * server that fits a task and, with an API key, asks whether it may fetch from a domain.
 *
 *   ATRIUM_API_KEY=sk_… npx node examples/mcp-agent/agent.ts [address] [task]
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const atriumUrl = process.argv[2] ?? process.env.ATRIUM_URL ?? 'http://localhost:4000'
const task = process.argv[3] ?? 'query a postgres database'
/** What the agent wants to read next. */
const DOMAIN = 'example.com'
const apiKey = process.env.ATRIUM_API_KEY

/** Connects to one server of Atrium: `directory`, `trust`, `store` or `graph`. */
async function connect(server: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'atrium-example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp/${server}`, atriumUrl), { requestInit: { headers } }))
  return client
}

/**
 * Calls a tool. A result with `isError` holds sentences that tell a model what to change; without a
 * model they are an error.
 */
async function callTool(client: Client, name: string, toolArguments: Record<string, unknown>): Promise<unknown> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: toolArguments })
  if (isError) throw new Error(content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
  return structuredContent
}

async function run(): Promise<void> {
  await fetch(new URL('/health', atriumUrl)).catch((cause: unknown) => {
    throw new Error(`Cannot reach Atrium at ${atriumUrl}. Start it with "npm start", or pass its address.`, { cause })
  })

  const directory = await connect('directory')
  const { tools } = await directory.listTools()
  console.log(`Tools of /mcp/directory: ${tools.map(({ name }) => name).join(', ')}`)

  // The types follow the tool's output schema, against which the client has checked the result.
  const { results } = (await callTool(directory, 'search_mcp_servers', { query: task, limit: 3 })) as {
    readonly results: readonly { readonly name: string; readonly url: string }[]
  }
  await directory.close()
  for (const { name, url } of results) console.log(`  ${name}: ${url}`)

  if (!apiKey) return console.log('Set ATRIUM_API_KEY (npx atrium trust key create) to ask whether a domain may be trusted.')
  const trust = await connect('trust', { 'x-api-key': apiKey })
  const { assessment } = (await callTool(trust, 'check_domain', { domain: DOMAIN, kind: 'fetch' })) as {
    readonly assessment: { readonly recommended_action: string; readonly reason_codes: readonly string[] }
  }
  await trust.close()
  console.log(`Fetch from ${DOMAIN}: ${assessment.recommended_action}, because of ${assessment.reason_codes.join(', ')}`)
}

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
