import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMcpHandler, type McpHttpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceOverloadedError } from '../platform/http/load-shedding.ts'
import { callerOf, disconnectSignal } from '../platform/http/request-caller.ts'
import type { RateLimitStore } from '../platform/rate-limit/rate-limit-store.ts'
import { accountAccess } from './account-access.ts'
import type { CallReporter } from './call.ts'
import { guard, type HostOptions, refuse } from './guard.ts'
import { type Era, protocolOf } from './protocol.ts'
import { serverJson } from './server-json.ts'
import type { Call, ToolGraph } from './tool.ts'
import type { ToolServer } from './tool-server.ts'

export type ServingOptions = HostOptions & {
  /** Where requests of accounts are counted. */
  readonly rateLimits: RateLimitStore
}

/** The longest arguments of a tool are a hundred sources of 2,048 characters. */
const MAX_BODY_BYTES = 512 * 1024
/**
 * Streams of a server that wait for changes, which never come; a client may open one nevertheless.
 */
const MAX_OPEN_STREAMS = 1_000

// Our own package.json.
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string }

/**
 * Serves one MCP server at `/mcp/<name>` over streamable HTTP, without sessions, to clients of
 * 2026-07-28 and of 2025, and its `server.json` below. Rejects when the graph cannot answer one of
 * its tools.
 */
export async function serveMcp(
  app: FastifyInstance,
  graph: Omit<ToolGraph, 'spelling'>,
  server: ToolServer,
  options: ServingOptions,
): Promise<void> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  const tools = await Promise.all(server.tools.map((row) => row.prepare({ ...graph, spelling: server.spelling })))
  const access = accountAccess(server, { publicUrl, rateLimits: options.rateLimits })
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
      maxRequestBodySize: MAX_BODY_BYTES,
      maxSubscriptions: MAX_OPEN_STREAMS,
      onerror: (error) => app.log.debug({ err: error, server: server.name }, 'an MCP request was refused'),
    },
  )
  app.addHook('preClose', () => handler.close())

  await app.register(
    async (scope) => {
      scope.addHook('onRequest', guard(options))
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (_, text, done) => done(null, text))
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        if (error instanceof ServiceOverloadedError) return refuse(reply, error.statusCode, error.message)
        if (error.statusCode === 413) return refuse(reply, 413, `Expected a body of at most ${MAX_BODY_BYTES} bytes.`)
        if (error.statusCode !== undefined && error.statusCode < 500) return refuse(reply, error.statusCode, error.message)
        request.log.error({ err: error }, 'an MCP request failed')
        return refuse(reply, 500, `Internal error; quote request ${request.id} when you report it.`, -32_603)
      })
      scope.route({ method: ['GET', 'POST', 'DELETE', 'OPTIONS'], url: '', handler: exchange })
      const manifest = serverJson({ server, publicUrl, version })
      scope.get('/server.json', async (_, reply) => reply.header('cache-control', 'public, max-age=300').send(manifest))
    },
    { prefix: `/mcp/${server.name}` },
  )

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
