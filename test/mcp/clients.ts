import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio2025 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

/** Where a server is: at an address, or a program that is started for the client. */
export type Place =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }

/** A client of some generation, with what all of them can do. */
export type McpClient = Pick<
  Client,
  'listTools' | 'listPrompts' | 'listResources' | 'readResource' | 'getPrompt' | 'getServerVersion' | 'getInstructions' | 'close'
> & {
  readonly version: () => string | undefined
  readonly call: (name: string, given: Record<string, unknown>) => Promise<Called>
}

export type Called = {
  readonly isError: boolean
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape is what it claims
  readonly structured: any
}

const IDENTITY = { name: 'atrium-test', version: '1.0.0' }

/**
 * Real clients by the version that they speak. Each checks structured content against the output
 * schema, once it has listed the tools.
 */
export const GENERATIONS: Readonly<Record<string, (place: Place) => Promise<McpClient>>> = {
  '2025-06-18': (place) =>
    connect(new Client(IDENTITY, { supportedProtocolVersions: ['2025-06-18'], versionNegotiation: { mode: 'legacy' } }), place),
  '2025-11-25': async (place) => {
    const client = new Client2025(IDENTITY)
    const transport =
      'url' in place
        ? new Http2025(new URL(place.url), { requestInit: { headers: { ...place.headers } } })
        : new Stdio2025({ command: place.command, args: [...place.args], env: { ...place.env } })
    // Its own types do not fit each other where undefined is no value of an optional property.
    await client.connect(transport as Transport)
    return Object.assign(client as unknown as Client, {
      version: () => ('protocolVersion' in transport ? transport.protocolVersion : undefined),
      call: async (name: string, given: Record<string, unknown>) => called(await client.callTool({ name, arguments: given })),
    })
  },
  '2026-07-28': (place) => connect(new Client(IDENTITY, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), place),
}

async function connect(client: Client, place: Place): Promise<McpClient> {
  const transport =
    'url' in place
      ? new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers: { ...place.headers } } })
      : new StdioClientTransport({ command: place.command, args: [...place.args], env: { ...place.env } })
  await client.connect(transport)
  return Object.assign(client, {
    version: () => client.getNegotiatedProtocolVersion(),
    call: async (name: string, given: Record<string, unknown>) => called(await client.callTool({ name, arguments: given })),
  })
}

function called(result: unknown): Called {
  const {
    isError = false,
    content,
    structuredContent,
  } = result as {
    isError?: boolean
    content: readonly { type: string; text: string }[]
    structuredContent?: unknown
  }
  return { isError, text: content.map(({ text }) => text).join('\n'), structured: structuredContent }
}
