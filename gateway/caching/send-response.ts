import type { FastifyReply, FastifyRequest } from 'fastify'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { negotiateCoding } from '../../platform/http/compression.ts'
import { COST_HEADER } from '../limits/cost-report.ts'
import type { CacheableResult } from './caching.ts'

/** Shared caches must not mix up callers or media types. */
const VARY = ['Accept', 'Accept-Encoding', COST_HEADER, ...CREDENTIAL_HEADERS].join(', ')

/**
 * Sends a cacheable response. GET: with Cache-Control, Age, Vary and a strong ETag, and 304 for a
 * matching If-None-Match (RFC 9110 §13.1.2). POST: `no-store`, since its response could only be
 * reused for a GET of the same URL (RFC 9110 §9.3.3), which has another meaning.
 */
export async function sendCacheableResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes: body, policy, ageSeconds }: Extract<CacheableResult, { readonly bytes: unknown }>,
  contentType: string,
  send: (reply: FastifyReply, contentType: string, status: number, bytes: Buffer) => void,
): Promise<void> {
  const { bytes, coding } = await body.encoded(negotiateCoding(request.headers['accept-encoding']))
  if (request.method === 'POST') reply.header('vary', 'Accept, Accept-Encoding').header('cache-control', 'no-store')
  else {
    // A strong tag differs per coding and media type.
    const tag = `"${[body.hash(), coding, mediaOf(contentType)].filter(Boolean).join('.')}"`
    reply
      .header('vary', VARY)
      .header('cache-control', `max-age=${policy.maxAge}, ${policy.isPrivate ? 'private' : 'public'}`)
      .header('etag', tag)
    if (ageSeconds > 0) reply.header('age', ageSeconds)
    if (matchesTag(request.headers['if-none-match'], tag)) return void reply.code(304).send()
  }
  if (coding) reply.header('content-encoding', coding)
  send(reply, contentType, 200, bytes)
}

const mediaOf = (contentType: string): string | null => (contentType.startsWith('application/graphql-response+json') ? 'g' : null)

/** Whether If-None-Match has this tag, in weak comparison (RFC 9110 §13.1.2). */
const matchesTag = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((part) => ['*', tag].includes(part.trim().replace(/^W\//, '')))
