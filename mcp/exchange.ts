import { createMcpHandler, type McpHttpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, disconnectSignal } from '../platform/http/request-caller.ts'
import type { accountAccess } from './account-access.ts'
import type { CallReporter } from './call.ts'
import { guard, type HostOptions } from './guard.ts'
import { type Era, protocolOf } from './protocol.ts'
import { refuse } from './refuse.ts'
import type { Call, Tool } from './tool.ts'
import type { ToolServer } from './tool-server.ts'

/**
 * Upper bound of open notification streams. Clients may open one, although this server never sends
 * notifications.
 */
const MAX_OPEN_STREAMS = 1_000

/** HTTP handler of one MCP server. */
export type Exchange = {
  /** CSRF and DNS rebinding protection. */
  readonly guard: ReturnType<typeof guard>
  readonly exchange: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  readonly close: () => Promise<void>
}

/** Adapts the MCP library to Fastify for one server. */
export function createExchange({
  server,
  tools,
  access,
  options,
  publicUrl,
  version,
  maxBodyBytes,
  log,
}: {
  readonly server: ToolServer
  readonly tools: readonly Tool[]
  readonly access: ReturnType<typeof accountAccess>
  readonly options: HostOptions
  /** Without trailing slash. */
  readonly publicUrl: string
  readonly version: string
  readonly maxBodyBytes: number
  readonly log: FastifyBaseLogger
}): Exchange {
  const instance = protocolOf({ server, tools, publicUrl, version })
  /** Context of a call by the library's `Request` object. */
  const calls = new WeakMap<Request, (era: Era) => CallReporter & { readonly call: Call }>()
  const handler: McpHttpHandler = createMcpHandler(
    ({ era, requestInfo }) =>
      instance(era, () => {
        const found = requestInfo && calls.get(requestInfo)
        if (!found) throw new Error('Expected every call to belong to a request.')
        return found(era)
      }),
    {
      maxRequestBodySize: maxBodyBytes,
      maxSubscriptions: MAX_OPEN_STREAMS,
      onerror: (error) => log.debug({ err: error, server: server.name }, 'an MCP request was refused'),
    },
  )
  return { guard: guard(options), exchange, close: () => handler.close() }

  /** Converts between Fastify's requests and the web requests of the MCP library. */
  async function exchange(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, body, headers } = request
    const caller = callerOf(request, server.credentials)
    const identity = await access.authenticate(caller, reply)
    if (identity === 'refused') return reply
    const isJson = method === 'POST' && JSON_TYPE.test(headers['content-type'] ?? '')
    const parsed = isJson ? parse(body) : undefined
    if (isJson && parsed === undefined) return refuse(reply, 400, 'Expected a body of valid JSON.', ProtocolErrorCode.ParseError)

    const signal = disconnectSignal(reply)
    const webRequest = new Request(`${publicUrl}/mcp/${server.name}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
      signal,
      ...(method === 'POST' && typeof body === 'string' && { body }),
    })
    const missingScopes: { readonly message: string; readonly scopes: readonly string[] }[] = []
    calls.set(webRequest, (era) => ({
      call: { caller, signal },
      log: request.log,
      onMissingScope(scope, message) {
        // 2025 clients request exactly these scopes and lose the others, so granted ones are
        // included; newer clients add these scopes to the granted ones.
        const grantedScopes = era === 'legacy' && identity !== 'anybody' ? identity.scopes : []
        missingScopes.push({ message, scopes: [...new Set([...grantedScopes, scope])].sort() })
      },
    }))
    const answer = await handler.fetch(webRequest, parsed === undefined ? {} : { parsedBody: parsed })
    // A single call can become 403, because nothing is sent before its result. A batch has results
    // of other calls, which must not be lost.
    if (identity === 'anybody' || !isCall(parsed)) return reply.send(answer)
    const whole = new Response(await answer.arrayBuffer(), answer)
    const [missing] = missingScopes
    if (!missing) return reply.send(whole)
    return access.refuseScopes(reply, missing.scopes, missing.message)
  }
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Whether a body is a single tool call. */
const isCall = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/call'

/** Parses a JSON body; undefined when invalid. */
function parse(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}
