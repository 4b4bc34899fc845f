import {
  type GetPromptResult,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import { type CallReporter, callTool } from './call.ts'
import { conciseSchema, outlineSchema } from './concise-schema.ts'
import type { PromptRow } from './texts.ts'
import { type Call, jsonSchema, type Tool } from './tool.ts'
import type { ToolServer } from './tool-server.ts'

/**
 * Client cache time of lists, five minutes as for the documents of the REST API: they change with
 * releases only.
 */
const CACHE_HINT = { ttlMs: 300_000, cacheScope: 'public' } as const

/** Protocol generation of a client: 2026-07-28 and later, or 2025. */
export type Era = 'modern' | 'legacy'

/**
 * Creates the MCP library's server, one per request, because the server is stateless. `callOf`
 * returns the context of a tool call.
 */
export function protocolOf({
  server,
  tools,
  publicUrl,
  version,
}: {
  readonly server: ToolServer
  readonly tools: readonly Tool[]
  readonly publicUrl: string
  readonly version: string
}): (era: Era, callOf: () => CallReporter & { readonly call: Call }) => Server {
  const { instructions, signIn, prompts } = server
  const identity: Implementation = {
    name: `atrium-${server.name}`,
    title: server.title,
    version,
    description: server.description,
    websiteUrl: publicUrl,
  }
  let listedTools: ReturnType<typeof toolListing>[] | null = null
  const listedPrompts = prompts.map(promptListing)
  const resources = server.resources.map(({ path, text, ...rest }) => ({ uri: `${publicUrl}${path}`, ...rest }))
  const texts = new Map(server.resources.map(({ path, text }) => [`${publicUrl}${path}`, text(publicUrl)]))

  return (era, callOf) => {
    const instance = new Server(identity, {
      // The 2025 protocol lets clients set a log level; this server sends no log messages.
      capabilities: { tools: {}, resources: {}, prompts: {}, ...(era === 'legacy' && { logging: {} }) },
      instructions,
      cacheHints: {
        'server/discover': CACHE_HINT,
        'tools/list': CACHE_HINT,
        'prompts/list': CACHE_HINT,
        'resources/list': CACHE_HINT,
        'resources/templates/list': CACHE_HINT,
        'resources/read': CACHE_HINT,
      },
    })
    instance.setRequestHandler('tools/list', () => {
      listedTools ??= tools.map(toolListing)
      return { tools: listedTools }
    })
    instance.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const tool = named(tools, params.name, 'tool')
      const { call, log, onMissingScope } = callOf()
      const signal = AbortSignal.any([call.signal, mcpReq.signal])
      return callTool(tool, params.arguments ?? {}, { ...call, signal }, { log, onMissingScope: onMissingScope, signIn })
    })
    instance.setRequestHandler('resources/list', () => ({ resources }))
    instance.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    instance.setRequestHandler('resources/read', ({ params: { uri } }): ReadResourceResult => {
      const text = texts.get(uri)
      const resource = resources.find((each) => each.uri === uri)
      if (text === undefined || !resource) throw new ResourceNotFoundError(uri)
      return { contents: [{ uri, mimeType: resource.mimeType, text }] }
    })
    instance.setRequestHandler('prompts/list', () => ({ prompts: listedPrompts }))
    instance.setRequestHandler('prompts/get', ({ params }): GetPromptResult => {
      const prompt = named(prompts, params.name, 'prompt')
      const input = params.arguments ?? {}
      const missing = prompt.arguments.filter(({ name }) => !input[name]?.trim()).map(({ name }) => name)
      if (missing.length > 0) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Expected a text for ${missing.join(' and ')}, got nothing.`)
      }
      return {
        description: prompt.description,
        messages: [{ role: 'user', content: { type: 'text', text: prompt.text(input) } }],
      }
    })
    return instance
  }
}

/** Finds a row by name; throws an error that lists all names. */
function named<Row extends { readonly name: string }>(rows: readonly Row[], name: string, what: string): Row {
  const row = rows.find((each) => each.name === name)
  if (row) return row
  const names = rows.map((each) => each.name).join(', ')
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Expected the name of a ${what}, one of ${names}.`)
}

const toolListing = ({ name, title, description, annotations, accepts, inputSchema, returns }: Tool) => ({
  name,
  title,
  description,
  inputSchema: { ...(inputSchema ?? conciseSchema(jsonSchema(accepts, 'input'))), type: 'object' as const },
  ...(returns && { outputSchema: { ...outlineSchema(jsonSchema(returns, 'output')), type: 'object' as const } }),
  annotations,
})

const promptListing = ({ name, title, description, arguments: input }: PromptRow) => ({
  name,
  title,
  description,
  arguments: input.map((each) => ({ ...each, required: true })),
})
