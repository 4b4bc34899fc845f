import type { FastifyReply, FastifyRequest } from 'fastify'
import { entityTag, matchesAny, matchesTag, sendNotModified, validators } from './caching.ts'
import { codingFor, encoded } from './content-coding.ts'
import type { TextRoute } from './facade.ts'

/**
 * For facades without caching: a contract changes with a release, and nothing says when that is.
 * Five minutes.
 */
const DEFAULT_CACHE_CONTROL = 'public, max-age=300'

/** Serves a fixed text, compressed once per coding on first use. */
export function createTextHandler(
  { operationId, contentType, text }: TextRoute,
  caching: { readonly contract: string; readonly found: string } | null,
) {
  const bodies = new Map<string, Buffer | string>()
  const cacheControl = caching?.found ?? DEFAULT_CACHE_CONTROL
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const coding = codingFor(request.headers['accept-encoding'])
    const tag = entityTag(caching?.contract ?? '', operationId, text, coding)
    const condition = request.headers['if-none-match']
    if (condition !== undefined && (matchesAny(condition) || matchesTag(condition, tag)))
      return sendNotModified(reply, tag, cacheControl)
    const body = bodies.get(coding) ?? encoded(text, coding) ?? text
    bodies.set(coding, body)
    if (typeof body !== 'string') reply.header('content-encoding', coding)
    return reply.headers(validators(tag, cacheControl)).type(contentType).send(body)
  }
}
