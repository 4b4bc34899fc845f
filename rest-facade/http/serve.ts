import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayClient } from '../../gateway/client.ts'
import { Overloaded } from '../../platform/http/load-shedding.ts'
import { callerOf, goneSignal } from '../../platform/http/request-caller.ts'
import { answerUnroutable, codeOf } from '../../platform/http/server.ts'
import { acceptJson, bodyProblem } from './body.ts'
import { type Caching, entityTag, names, namesAny } from './caching.ts'
import { codingFor, encoded } from './coding.ts'
import { isBelow, isTaken, preflight, setHeadersOfEveryAnswer } from './cors.ts'
import { type Checked, exchange } from './exchange.ts'
import type { Facade } from './facade.ts'
import { problemOf } from './graph-errors.ts'
import { methodTable } from './methods.ts'
import { pageLinks } from './paging.ts'
import { parseQuery } from './parameters.ts'
import {
  internal,
  invalidParameters,
  methodNotAllowed,
  noSuchItem,
  noSuchPath,
  type Problem,
  unavailable,
  uriTooLong,
} from './problem.ts'
import type { Route, TextRoute } from './route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Longer than any request that our parameters allow. */
const MAX_URL_LENGTH = 8192
/** No key has longer parts or control characters in them; nothing else than 404 can come of asking for one. */
const IMPOSSIBLE_SEGMENT = /\p{Cc}|^.{513}/su
const NOTHING_TO_KEEP = 'no-store'
/** A contract changes with a release; where no row is cached, nothing says when that is. */
const TEXT_KEPT = 'public, max-age=300'

/**
 * Registers the rows of a facade on `app`. Every document is validated and planned first: a bad one rejects, and stops the start.
 * Per request, what is left is reading the parameters, one run of the operation and writing its JSON.
 */
export async function serveFacade<Shared>(app: FastifyInstance, client: GatewayClient, facade: Facade<Shared>): Promise<void> {
  if (facade.caching) await client.prepare(facade.caching.ask)
  if (facade.admission) await client.prepare(facade.admission.ask)
  for (const row of facade.routes) await row.prepare(client)

  const served = [
    ...facade.routes.flatMap((row) =>
      [row.path, ...row.aliases].map((path) => ({ path, method: row.method, handler: checked(row) })),
    ),
    ...facade.texts.map((text) => ({ path: text.path, method: 'GET' as const, handler: textHandlerOf(text) })),
  ]
  const methodsOf = methodTable(served)
  const bodyBytes = facade.bodyBytes ?? 0
  const mounts = facade.mounts.filter((mount) => !isTaken(app.server, mount))
  setHeadersOfEveryAnswer(app.server, mounts, facade.headers)
  answerUnroutable(app.server, (request, reply, { status, message }) => {
    if (!isBelow(app.server, pathOf(request), mounts)) return false
    refuse(reply, { status, code: codeOf(status), message, details: {} })
    return true
  })
  for (const mount of mounts) {
    await app.register(
      async (scope) => {
        if (facade.bodyBytes !== undefined) acceptJson(scope, facade.bodyBytes)
        scope.addHook('onRequest', async (request, reply) => {
          if (request.method === 'OPTIONS') {
            const methods = methodsOf(pathOf(request)) ?? READS
            return reply.code(204).headers(preflight(methods)).header('allow', methods.join(', ')).send()
          }
          if (request.raw.url !== undefined && request.raw.url.length > MAX_URL_LENGTH)
            return refuse(reply, uriTooLong(MAX_URL_LENGTH))
          // Decided before a body is read: nothing in it could change the answer.
          if (request.is404) return elsewhere(request, reply)
          return undefined
        })
        scope.setNotFoundHandler(elsewhere)
        scope.setErrorHandler((error, request, reply) => {
          if (error instanceof Overloaded) return refuse(reply, { ...unavailable, message: error.message })
          const problem = bodyProblem(error as { statusCode?: number }, bodyBytes)
          if (problem) return refuse(reply, problem)
          request.log.error({ err: error }, 'a REST request failed')
          return refuse(reply, internal(request.id))
        })
        for (const { path, method, handler } of served) {
          if (mount === mountOf(path, mounts)) scope.route({ method, url: below(mount, path), handler })
        }
      },
      { prefix: mount },
    )
  }

  function refuse(reply: FastifyReply, problem: Problem, cacheControl: string = NOTHING_TO_KEEP): FastifyReply {
    if (problem.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '2')
    const { request } = reply
    const body = facade.problemBody(problem, { requestId: request.id, path: pathOf(request) })
    reply
      .code(problem.status)
      .headers(problem.headers ?? {})
      .header('cache-control', cacheControl)
      .header('content-type', facade.problemType ?? JSON_TYPE)
    // Bytes: to text of a JSON type Fastify would add a charset, which problem+json does not have.
    return reply.send(Buffer.from(JSON.stringify(body)))
  }

  function elsewhere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const methods = methodsOf(pathOf(request))
    if (methods === null || methods.includes(request.method)) return refuse(reply, noSuchPath(facade.guide))
    reply.header('allow', methods.join(', '))
    return refuse(reply, methodNotAllowed(request.method, methods))
  }

  /** Reads path and query strictly, then answers as the facade does. */
  function checked(row: Route<Shared>) {
    const answer = facade.caching ? cached(row, facade.caching) : exchange(row, facade, client, refuse)
    const missing = facade.caching?.missing
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const path = request.params as Readonly<Record<string, string>>
      for (const name in path)
        if (IMPOSSIBLE_SEGMENT.test(path[name] ?? '')) return refuse(reply, noSuchItem(facade.noItem), missing)
      const { values: query, refusals } = parseQuery(row.parameters, queryOf(request.raw.url ?? ''))
      if (refusals.length > 0) return refuse(reply, invalidParameters(refusals))
      return answer(request, reply, { path, query })
    }
  }

  /** Answers a read that is the same for everybody, and kept by caches. */
  function cached(row: Route<Shared>, caching: Caching<Shared>) {
    return async (request: FastifyRequest, reply: FastifyReply, { path, query }: Checked): Promise<FastifyReply> => {
      const coding = codingFor(request.headers['accept-encoding'])
      const tagOf = (data: Shared) =>
        entityTag(caching.contract, facade.publicUrl, caching.revisionOf(data), row.operationId, path, query, coding)
      const caller = callerOf(request, facade.credentials)
      const signal = goneSignal(reply)

      const condition = request.headers['if-none-match']
      if (condition !== undefined && !namesAny(condition)) {
        const { data } = await client.run(caching.ask, {}, caller, signal)
        if (data && names(condition, tagOf(data))) return unchanged(reply, tagOf(data), caching.found)
      }

      const asked = { path, query, body: undefined }
      const { data, errors } = await row.ask(client, asked, caller, signal)
      if (data === null || errors.length > 0) {
        const { problem, isOurs } = problemOf(errors, request.id, facade.noItem)
        if (!isOurs) return refuse(reply, problem)
        request.log.error({ errors, operationId: row.operationId }, 'the graph did not answer a REST request')
        return refuse(reply, unavailable)
      }

      let body: unknown
      if (row.page) {
        const page = row.page(data, asked)
        const paging = { limit: query.limit as number, offset: query.offset as number }
        const links = pageLinks(`${facade.publicUrl}${row.path}`, query, paging, page.total)
        if (links.length > 0) reply.header('link', [facade.headers.link, ...links].filter(Boolean).join(', '))
        body = facade.pageBody({ ...page, ...paging })
      } else {
        body = row.body?.(data, asked) ?? null
        if (body === null) return refuse(reply, noSuchItem(facade.noItem), caching.missing)
      }
      if (condition !== undefined && namesAny(condition)) return unchanged(reply, tagOf(data), caching.found)

      const text = JSON.stringify(body)
      const compressed = encoded(text, coding)
      if (compressed) reply.header('content-encoding', coding)
      return reply
        .headers(validators(tagOf(data), caching.found))
        .type(JSON_TYPE)
        .send(compressed ?? text)
    }
  }

  /** A fixed text: compressed once per coding, when it is first asked for. */
  function textHandlerOf({ operationId, contentType, text }: TextRoute) {
    const bodies = new Map<string, Buffer | string>()
    const kept = facade.caching?.found ?? TEXT_KEPT
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const coding = codingFor(request.headers['accept-encoding'])
      const tag = entityTag(facade.caching?.contract ?? '', operationId, text, coding)
      const condition = request.headers['if-none-match']
      if (condition !== undefined && (namesAny(condition) || names(condition, tag))) return unchanged(reply, tag, kept)
      const body = bodies.get(coding) ?? encoded(text, coding) ?? text
      bodies.set(coding, body)
      if (typeof body !== 'string') reply.header('content-encoding', coding)
      return reply.headers(validators(tag, kept)).type(contentType).send(body)
    }
  }
}

const unchanged = (reply: FastifyReply, tag: string, cacheControl: string): FastifyReply =>
  reply.code(304).headers(validators(tag, cacheControl)).send()

const validators = (tag: string, cacheControl: string): Record<string, string> => ({ etag: tag, 'cache-control': cacheControl })

const pathOf = ({ raw }: FastifyRequest): string => (raw.url ?? '').split('?', 1)[0] ?? ''

const queryOf = (url: string): string => {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** The mount that a path belongs to: the longest of those that it is below. */
const mountOf = (path: string, mounts: readonly string[]): string | undefined =>
  mounts.filter((mount) => path === mount || path.startsWith(`${mount}/`)).sort((one, other) => other.length - one.length)[0]

/** A row's path as the router wants it: relative to its mount, `:x` for `{x}`. */
const below = (mount: string, path: string): string => path.slice(mount.length).replaceAll(/\{(\w+)\}/g, ':$1')

/** What may be asked where nothing is known. */
const READS = ['GET', 'HEAD', 'OPTIONS']
