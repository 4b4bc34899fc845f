import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { decodeFormComponent, parseQuery } from '../../rest-facade/http/parameters.ts'
import type { FileRow } from './file.ts'
import { PAGE_HEADERS } from './headers.ts'
import { documentOf } from './layout.ts'
import { OperationFailed, type PageRow, type RunPageOperation, type WebPage } from './page.ts'
import { notReadable, refused, unacceptable, unavailable } from './refusals.ts'
import type { Site } from './site.ts'

const NO_STORE = 'no-store'
const FILE_CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=3600'
/** Shorter, because what is missing may be imported the moment after. */
const NOT_FOUND_CACHE_CONTROL = 'public, max-age=30'

/** Makes the page for an address where there is nothing. */
export type CreateNotFoundPage = (path: string, run: RunPageOperation) => Promise<WebPage>

/**
 * Codes of faults of a visitor's request, or of what is gone; anything else is our fault, and
 * logged.
 */
const CLIENT_ERROR_CODES: readonly unknown[] = ['BAD_USER_INPUT', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'UNAUTHENTICATED']

/** Everything that a site answers with. */
export type Rows = { readonly pages: readonly PageRow[]; readonly files: readonly FileRow[] }

/**
 * Answers with pages and files. Every operation is prepared before: a bad one rejects, and stops
 * the start.
 */
export async function servePages(
  app: FastifyInstance,
  client: GatewayClient,
  { pages, files }: Rows,
  { site, lost }: { readonly site: Site; readonly lost: CreateNotFoundPage },
): Promise<void> {
  for (const row of [...pages, ...files]) for (const document of row.operations) await client.prepare(document)
  await app.register(async (scope) => {
    compressResponses(scope)
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof ServiceOverloadedError) return sendPage(reply, unavailable(503), site, NO_STORE)
      // Fastify's errors have a `statusCode`.
      const { statusCode = 500 } = error as { readonly statusCode?: number }
      if (statusCode < 500) return sendPage(reply, unacceptable(statusCode), site, NO_STORE)
      const page = error instanceof OperationFailed ? refused(error.errors, site, pathWithoutQuery(request)) : unavailable(500)
      if (!(error instanceof OperationFailed)) request.log.error({ err: error }, 'a page failed')
      return sendPage(reply, page, site, NO_STORE)
    })
    for (const row of pages) scope.get(routed(row.path), { config: { hasSecretPath: row.isSecret } }, handlerOf(row))
    for (const row of files) scope.get(routed(row.path), fileHandlerOf(row))
  })

  function handlerOf(row: PageRow) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { values, refusals } = parseQuery(row.parameters, withoutEmptyFields(request.raw.url ?? ''))
      if (refusals.length > 0) return sendPage(reply, notReadable(refusals, site, pathWithoutQuery(request)), site, NO_STORE)
      const run = operationRunner(client, request, reply)
      // Parameters of a path are texts.
      const path = request.params as Readonly<Record<string, string>>
      const session = row.sessionOf?.(request, site) ?? null
      // The row's schema has parsed them.
      const page = await row.answer({ path, query: values as never, run, site, reader: site.readerOf(request), session })
      // A secret that is none is not looked for among what everybody may see.
      const where = row.isSecret ? '/' : pathOf(request)
      if (page === null) return sendPage(reply, await lost(where, run), site, row.isSecret ? NO_STORE : NOT_FOUND_CACHE_CONTROL)
      // A cache that has the page of anybody must not answer whoever has a session with it.
      if (row.sessionOf) reply.header('vary', 'cookie')
      return sendPage(reply, page, site, row.isSecret || session !== null ? NO_STORE : row.cacheControl)
    }
  }

  function fileHandlerOf({ text, contentType, missing }: FileRow) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const run = operationRunner(client, request, reply)
      // Parameters of a path are texts.
      const found = await text({ path: request.params as Readonly<Record<string, string>>, run, site })
      if (found === null && missing === undefined)
        return sendPage(reply, await lost(pathOf(request), run), site, NOT_FOUND_CACHE_CONTROL)
      // A file shows nothing from elsewhere and runs nothing, also where a browser opens it by itself.
      reply.headers({ 'access-control-allow-origin': '*', 'content-security-policy': "default-src 'none'" })
      if (found === null)
        return reply.code(404).header('cache-control', NOT_FOUND_CACHE_CONTROL).type(contentType).send(missing?.())
      reply.header('cache-control', FILE_CACHE_CONTROL)
      return matchesEtag(reply, found) ? reply.code(304).send() : reply.type(contentType).send(found)
    }
  }
}

/** A row's path as the router wants it. */
export const routed = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/**
 * Runs operations for a request. Pages are the same for everybody, so no credential of the request
 * goes along: only those that a page is for.
 */
export function operationRunner(
  client: GatewayClient,
  request: FastifyRequest,
  reply: FastifyReply,
  credentials: Caller['credentials'] = {},
  signal = disconnectSignal(reply),
): RunPageOperation {
  const caller = { ...callerOf(request, []), credentials }
  return async (document, variables) => {
    const answer = await client.run(document, variables, caller, signal)
    const ours = answer.errors.filter(({ extensions }) => !CLIENT_ERROR_CODES.includes(extensions?.code))
    if (ours.length > 0) request.log.error({ errors: ours }, 'the graph did not answer the whole query of a page')
    return answer
  }
}

/**
 * Sends a page, or that the visitor has it already. The head of our own pages has the name of the
 * signed-in user: those are stored nowhere, and others only for requests with the same cookies.
 */
export function sendPage(reply: FastifyReply, page: WebPage, site: Site, cacheability: string): FastifyReply {
  const reader = page.frame ? null : site.readerOf(reply.request)
  // An answer that sets a cookie, such as of a session that has ended, is for this visitor only.
  const cacheControl = reader || reply.hasHeader('set-cookie') ? NO_STORE : cacheability
  const text = documentOf(page, site, reply.request.url.split('?', 1)[0] ?? '/', reader?.user.name)
  reply
    .code(page.status ?? 200)
    .headers({ ...PAGE_HEADERS, ...page.headers })
    .header('cache-control', cacheControl)
  if (cacheControl !== NO_STORE && !page.frame) reply.header('vary', 'cookie')
  if (cacheControl !== NO_STORE && page.status === undefined && matchesEtag(reply, text)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(text)
}

/** Marks the answer with the tag of its text, and says whether the client has it. */
function matchesEtag(reply: FastifyReply, text: string): boolean {
  const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.header('etag', tag)
  return reply.request.headers['if-none-match']?.includes(tag) === true
}

/** The path of a request, decoded as far as it can be. */
export function pathOf({ raw }: FastifyRequest): string {
  const path = (raw.url ?? '').split('?', 1)[0] ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The path of the same page without its query parameters; `first` where it has none. */
export function pathWithoutQuery({ raw }: FastifyRequest, first = '/'): string {
  const [path = '/', parameters] = (raw.url ?? '/').split('?', 2)
  return parameters === undefined ? first : path
}

/**
 * The parameters of an address as people fill in forms: without those that were left empty or got
 * nothing but blanks, and with a blank for what only moves a cursor, such as a tab that was pasted
 * along.
 */
export function withoutEmptyFields(url: string): string {
  const queryStart = url.indexOf('?')
  if (queryStart === -1) return ''
  return url
    .slice(queryStart + 1)
    .split('&')
    .flatMap((pair) => {
      const equals = pair.indexOf('=')
      if (equals === -1) return []
      const value = decodeFormComponent(pair.slice(equals + 1))
      // The page says what is wrong with it.
      if (value === null) return [pair]
      const text = value.replaceAll(MOVES, ' ')
      return text.trim() === '' ? [] : [`${pair.slice(0, equals)}=${encodeURIComponent(text)}`]
    })
    .join('&')
}

/** Tabs and ends of lines: control characters that are white space. */
const MOVES = /[\t-\r\u0085]+/g
