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
 * Streams of a server that wait for changes, which never come; a client may open one nevertheless.
 */
const MAX_OPEN_STREAMS = 1_000

/** Answers the requests of one MCP server. */
export type Exchange = {
  /** Refuses requests that a web page of somebody else may have sent. */
  readonly guard: ReturnType<typeof guard>
  readonly exchange: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  readonly close: () => Promise<void>
}

/** Connects the tools of a server with the protocol's library. */
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
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly version: string
  readonly maxBodyBytes: number
  readonly log: FastifyBaseLogger
}): Exchange {
  const instance = protocolOf({ server, tools, publicUrl, version })
  /** Which call a request of the protocol's library belongs to. */
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

  /** Between Fastify and the protocol's library, which speaks in web requests. */
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
        // Clients of 2025 ask for what they are told here, and lose the rest; later ones add it to
        // what they have.
        const grantedScopes = era === 'legacy' && identity !== 'anybody' ? identity.scopes : []
        missingScopes.push({ message, scopes: [...new Set([...grantedScopes, scope])].sort() })
      },
    }))
    const answer = await handler.fetch(webRequest, parsed === undefined ? {} : { parsedBody: parsed })
    // A call says nothing before its result. In a batch others have been made: their results must
    // not be lost.
    if (identity === 'anybody' || !isCall(parsed)) return reply.send(answer)
    const whole = new Response(await answer.arrayBuffer(), answer)
    const [missing] = missingScopes
    if (!missing) return reply.send(whole)
    return access.refuseScopes(reply, missing.scopes, missing.message)
  }
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Whether a body is one call of a tool. */
const isCall = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/call'

/** The JSON of a body; undefined when it is none. */
function parse(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}
