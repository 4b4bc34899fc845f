import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { addUnroutableHandler, errorCodeOf } from '../../platform/http/server.ts'
import { allowedMethods } from './allowed-methods.ts'
import { acceptJson, acceptText, bodyProblem } from './body.ts'
import { JSON_TYPE } from './content-coding.ts'
import { isBelow, isTaken, preflight, setResponseHeaders } from './cors.ts'
import type { LargeBody, RouteMethod } from './endpoint.ts'
import type { Facade } from './facade.ts'
import { createHandler, type SendFailure } from './handler.ts'
import { type Failure, internal, methodNotAllowed, noSuchPath, type ProblemDetails, unavailable, uriTooLong } from './problem.ts'
import { pathOf } from './request-url.ts'
import { createTextHandler } from './text-handler.ts'

/** Longer than any request that the parameters of our contracts allow. */
const MAX_URL_CHARACTERS = 8_192
/** Methods that a preflight gets for unknown paths. */
const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

type Served = {
  readonly path: string
  readonly method: RouteMethod
  readonly largeBody?: LargeBody | undefined
  /** Runs before the body is received. */
  readonly checkCaller?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/**
 * Registers a facade on `app`. Its documents are validated and planned first: a bad one rejects,
 * and stops the start. Per request: authentication and rate limit where the facade has them, then
 * path, query and body, one run of the operation, and its JSON.
 */
export async function serveFacade<Data, Input, Fault extends Failure>(
  app: FastifyInstance,
  client: GatewayClient,
  facade: Facade<Data, Input, Fault>,
): Promise<void> {
  if (facade.caching) await client.prepare(facade.caching.revisionDocument)
  if (facade.callerCheck) await client.prepare(facade.callerCheck.document)

  const callers = new WeakMap<FastifyRequest, Caller>()
  const sendFailure = failureSender(facade)
  const served: readonly Served[] = [
    ...facade.endpoints.flatMap((endpoint) => {
      const { handler, checkCaller } = createHandler(endpoint, facade, client, callerOf, sendFailure)
      const { method, largeBody } = endpoint
      return endpoint.paths.map((path) => ({ path, method, largeBody, handler, checkCaller }))
    }),
    ...facade.texts.map((text) => ({
      path: text.path,
      method: 'GET' as const,
      handler: createTextHandler(text, facade.caching),
    })),
  ]
  const methodsOf = allowedMethods([...served, ...(facade.documentedPaths ?? [])])
  const mounts = facade.mounts.filter((mount) => !isTaken(app.server, mount))
  setResponseHeaders(app.server, mounts, facade.headers)
  if (facade.answersUndecodablePaths) {
    addUnroutableHandler(app.server, (request, reply, { status, message }) => {
      if (!isBelow(app.server, pathOf(request), mounts)) return false
      sendFailure(reply, { status, code: errorCodeOf(status), message, details: {} })
      return true
    })
  }
  for (const mount of mounts) await app.register(async (scope) => serveMount(scope, mount), { prefix: mount })

  function serveMount(scope: FastifyInstance, mount: string): void {
    if (facade.requestBody) acceptJson(scope, facade.requestBody)
    scope.addHook('onRequest', async (request, reply) => {
      if (request.method === 'OPTIONS') {
        const methods = methodsOf(pathOf(request)) ?? READ_METHODS
        return reply.code(204).headers(preflight(methods)).header('allow', methods.join(', ')).send()
      }
      const { failure, isRateLimited } = facade.authenticate ? await authenticated(request, reply) : ANYBODY
      if (failure && isRateLimited) return sendFailure(reply, failure)
      if (request.raw.url !== undefined && request.raw.url.length > MAX_URL_CHARACTERS)
        return sendFailure(reply, withMessage(uriTooLong(MAX_URL_CHARACTERS), facade.messages?.uriTooLong(MAX_URL_CHARACTERS)))
      // Before the body is read: nothing in it could change the response.
      if (request.is404) return sendNotFound(request, reply)
      return failure ? sendFailure(reply, failure) : undefined
    })
    scope.setNotFoundHandler(sendNotFound)
    scope.setErrorHandler(errorHandler(facade.requestBody?.maxBytes ?? 0))
    for (const { path, method, handler, largeBody, checkCaller } of served) {
      if (mount !== mountOf(path, mounts)) continue
      const url = routerPath(mount, path)
      if (!largeBody) scope.route({ method, url, handler })
      else {
        // In a scope of its own, which parsers of bodies belong to.
        void scope.register(async (own) => {
          acceptText(own, largeBody)
          own.setErrorHandler(errorHandler(largeBody.maxBytes, largeBody.mediaTypes))
          own.route({ method, url, handler, onRequest: async (request, reply) => checkCaller?.(request, reply) })
        })
      }
    }
  }

  /** Sends a failure for an error of a request; `maxBytes` and `mediaTypes` are those of its bodies. */
  function errorHandler(maxBytes: number, mediaTypes?: readonly string[]) {
    return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      if (error instanceof ServiceOverloadedError) return sendFailure(reply, { ...unavailable, message: error.message })
      // Fastify sets a status on its refusals of bodies; other errors have none.
      const problem = bodyProblem(error as { statusCode?: number }, maxBytes, mediaTypes)
      if (problem) return sendFailure(reply, problem)
      request.log.error({ err: error }, 'a REST request failed')
      return sendFailure(reply, withMessage(internal(request.id), facade.messages?.unexpectedError(request.id)))
    }
  }

  /** Authenticates the caller and sets the headers of every response to it. */
  async function authenticated(request: FastifyRequest, reply: FastifyReply) {
    const caller = facade.callerOf(request)
    const result = (await facade.authenticate?.(caller)) ?? ANYBODY
    reply.headers(result.headers)
    callers.set(request, caller)
    return result
  }

  function callerOf(request: FastifyRequest): Caller {
    return callers.get(request) ?? facade.callerOf(request)
  }

  function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const methods = methodsOf(pathOf(request))
    if (methods === null || methods.includes(request.method)) return sendFailure(reply, noSuchPath(facade.docsHint))
    reply.header('allow', methods.join(', '))
    return sendFailure(reply, methodNotAllowed(request.method, methods))
  }
}

const ANYBODY = { headers: {}, failure: null, isRateLimited: false } as const

const failureSender =
  <Data, Input, Fault extends Failure>({
    failureBody,
    failureType = JSON_TYPE,
  }: Facade<Data, Input, Fault>): SendFailure<Fault> =>
  (reply, failure, { operationId = null, cacheControl = 'no-store' } = {}) => {
    // Seconds; what is unavailable is usually back by then.
    if (failure.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '2')
    const { request } = reply
    const body = failureBody(failure, { requestId: request.id, path: pathOf(request), operationId })
    reply
      .code(failure.status)
      .headers(failure.headers ?? {})
      .header('cache-control', cacheControl)
      .header('content-type', failureType)
    // Bytes: Fastify adds a charset to text of a JSON type, and problem+json has none.
    return reply.send(Buffer.from(body))
  }

const withMessage = (problem: ProblemDetails, message: string | undefined): ProblemDetails =>
  message === undefined ? problem : { ...problem, message }

/** The longest mount that a path is below. */
const mountOf = (path: string, mounts: readonly string[]): string | undefined =>
  mounts.filter((mount) => path === mount || path.startsWith(`${mount}/`)).sort((one, other) => other.length - one.length)[0]

/** A path in the router's syntax: relative to its mount, `:x` for `{x}`. */
const routerPath = (mount: string, path: string): string => path.slice(mount.length).replaceAll(/\{(\w+)\}/g, ':$1')
