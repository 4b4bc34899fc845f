import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, goneSignal } from '../../gateway/caller.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { entityTag, names, namesAny } from './caching.ts'
import { codingFor, encoded } from './coding.ts'
import { PREFLIGHT, setHeadersOfEveryAnswer } from './cors.ts'
import type { Facade } from './facade.ts'
import { pageLinks } from './paging.ts'
import { parseQuery } from './parameters.ts'
import {
  internal,
  invalidParameters,
  methodNotAllowed,
  noSuchItem,
  noSuchPath,
  type Problem,
  refusedByGraph,
  unavailable,
  uriTooLong,
} from './problem.ts'
import type { Route, TextRoute } from './route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const METHODS = ['GET', 'HEAD', 'OPTIONS'] as const
/** Longer than any request that our parameters allow. */
const MAX_URL_LENGTH = 8192
/** No key has longer parts or control characters in them; nothing else than 404 can come of asking for one. */
const IMPOSSIBLE_SEGMENT = /\p{Cc}|^.{513}/su
const NOTHING_TO_KEEP = 'no-store'

/**
 * Registers the rows of a facade on `app`. Every document is validated and planned first: a bad one rejects, and stops the start.
 * Per request, what is left is reading the parameters, one run of the operation and writing its JSON.
 */
export async function serveFacade<Shared>(app: FastifyInstance, client: GatewayClient, facade: Facade<Shared>): Promise<void> {
  await client.prepare(facade.caching.ask)
  for (const row of facade.routes) await row.prepare(client)

  const paths = [...facade.routes, ...facade.texts].map(({ path }) => path)
  setHeadersOfEveryAnswer(app.server, facade.mounts, facade.headers)
  for (const mount of facade.mounts) {
    await app.register(
      async (scope) => {
        const isPath = matcher(paths.filter((path) => isBelow(mount, path)))
        scope.addHook('onRequest', async (request, reply) => {
          if (request.method === 'OPTIONS') return reply.code(204).headers(PREFLIGHT).header('allow', METHODS.join(', ')).send()
          if (request.raw.url !== undefined && request.raw.url.length > MAX_URL_LENGTH)
            return refuse(reply, uriTooLong(MAX_URL_LENGTH))
          // Decided before a body is read: nothing in it could change the answer.
          if (request.is404) return refuse(reply, elsewhere(request, isPath))
          return undefined
        })
        scope.setNotFoundHandler((request, reply) => refuse(reply, elsewhere(request, isPath)))
        scope.setErrorHandler((error, request, reply) => {
          request.log.error({ err: error }, 'a REST request failed')
          return refuse(reply, internal(request.id))
        })
        for (const row of facade.routes) if (isBelow(mount, row.path)) scope.get(below(mount, row.path), handlerOf(row))
        for (const text of facade.texts) if (isBelow(mount, text.path)) scope.get(below(mount, text.path), textHandlerOf(text))
      },
      { prefix: mount },
    )
  }

  function refuse(reply: FastifyReply, problem: Problem, cacheControl: string = NOTHING_TO_KEEP): FastifyReply {
    if (problem.status === 405) reply.header('allow', METHODS.join(', '))
    if (problem.status === 503) reply.header('retry-after', '2')
    return reply
      .code(problem.status)
      .header('cache-control', cacheControl)
      .type(JSON_TYPE)
      .send(JSON.stringify(facade.problemBody(problem)))
  }

  function elsewhere(request: FastifyRequest, isPath: (path: string) => boolean): Problem {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const [path = ''] = (request.raw.url ?? '').split('?', 1)
    return isRead || !isPath(path) ? noSuchPath(facade.guide) : methodNotAllowed(request.method, METHODS)
  }

  function handlerOf(row: Route<Shared>) {
    const { caching } = facade
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const path = request.params as Readonly<Record<string, string>>
      for (const name in path) if (IMPOSSIBLE_SEGMENT.test(path[name] ?? '')) return refuse(reply, noSuchItem, caching.missing)
      const { values: query, refusals } = parseQuery(row.parameters, queryOf(request.raw.url ?? ''))
      if (refusals.length > 0) return refuse(reply, invalidParameters(refusals))

      const coding = codingFor(request.headers['accept-encoding'])
      const tagOf = (data: Shared) =>
        entityTag(caching.contract, facade.publicUrl, caching.revisionOf(data), row.operationId, path, query, coding)
      const caller = callerOf(request, facade.credentials)
      const signal = goneSignal(reply)

      const condition = request.headers['if-none-match']
      if (condition !== undefined && !namesAny(condition)) {
        const { data } = await client.run(caching.ask, {}, caller, signal)
        if (data && names(condition, tagOf(data))) return unchanged(reply, tagOf(data))
      }

      const { data, errors } = await row.ask(client, { path, query }, caller, signal)
      if (data === null || errors.length > 0) {
        const refused = errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'BAD_USER_INPUT')
        if (refused) return refuse(reply, refusedByGraph(errors.map(({ message }) => message)))
        request.log.error({ errors, operationId: row.operationId }, 'the graph did not answer a REST request')
        return refuse(reply, unavailable)
      }

      let body: unknown
      if (row.page) {
        const page = row.page(data, { path, query })
        const paging = { limit: query.limit as number, offset: query.offset as number }
        const links = pageLinks(`${facade.publicUrl}${row.path}`, query, paging, page.total)
        if (links.length > 0) reply.header('link', [facade.headers.link, ...links].filter(Boolean).join(', '))
        body = facade.pageBody({ ...page, ...paging })
      } else {
        body = row.body?.(data, { path, query }) ?? null
        if (body === null) return refuse(reply, noSuchItem, caching.missing)
      }
      if (condition !== undefined && namesAny(condition)) return unchanged(reply, tagOf(data))

      const text = JSON.stringify(body)
      const compressed = encoded(text, coding)
      if (compressed) reply.header('content-encoding', coding)
      return reply
        .headers(validators(tagOf(data)))
        .type(JSON_TYPE)
        .send(compressed ?? text)
    }
  }

  /** A fixed text: compressed once per coding, when it is first asked for. */
  function textHandlerOf({ operationId, contentType, text }: TextRoute) {
    const bodies = new Map<string, Buffer | string>()
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const coding = codingFor(request.headers['accept-encoding'])
      const tag = entityTag(facade.caching.contract, operationId, text, coding)
      const condition = request.headers['if-none-match']
      if (condition !== undefined && (namesAny(condition) || names(condition, tag))) return unchanged(reply, tag)
      const body = bodies.get(coding) ?? encoded(text, coding) ?? text
      bodies.set(coding, body)
      if (typeof body !== 'string') reply.header('content-encoding', coding)
      return reply.headers(validators(tag)).type(contentType).send(body)
    }
  }

  function unchanged(reply: FastifyReply, tag: string): FastifyReply {
    return reply.code(304).headers(validators(tag)).send()
  }

  function validators(tag: string): Record<string, string> {
    return { etag: tag, 'cache-control': facade.caching.found }
  }
}

const queryOf = (url: string): string => {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

const isBelow = (mount: string, path: string): boolean => path === mount || path.startsWith(`${mount}/`)

/** A row's path as the router wants it: relative to its mount, `:x` for `{x}`. */
const below = (mount: string, path: string): string => path.slice(mount.length).replaceAll(/\{(\w+)\}/g, ':$1')

/** Whether a row has this path, whatever the method. */
function matcher(paths: readonly string[]): (path: string) => boolean {
  const patterns = paths.map((path) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`))
  return (path) => patterns.some((pattern) => pattern.test(path))
}
