import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { negotiateCoding } from '../../platform/http/compression.ts'
import { COST_HEADER } from '../limits/cost-report.ts'
import type { CacheableResult } from './caching.ts'

type CachedBytes = Extract<CacheableResult, { readonly bytes: unknown }>

/** Request headers that a response depends on, for shared caches. */
const VARY = ['Accept', 'Accept-Encoding', COST_HEADER, ...CREDENTIAL_HEADERS].join(', ')

/**
 * Sends a cacheable response, or 304 for a matching If-None-Match (RFC 9110 §13.1.2), with the
 * headers of `cacheableHeaders`.
 */
export async function sendCacheableResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  answered: CachedBytes,
  contentType: string,
  send: (reply: FastifyReply, contentType: string, status: number, bytes: Buffer) => void,
): Promise<void> {
  const { bytes, coding } = await answered.bytes.encoded(negotiateCoding(request.headers['accept-encoding']))
  const { headers, isNotModified } = cacheableHeaders(request, answered, contentType, coding)
  reply.headers(headers)
  if (isNotModified) return void reply.code(304).send()
  if (coding) reply.header('content-encoding', coding)
  send(reply, contentType, 200, bytes)
}

/**
 * Headers of a cacheable response. GET: Cache-Control, Age, Vary and a strong ETag. POST:
 * `no-store`, since its response could only be reused for a GET of the same URL (RFC 9110 §9.3.3),
 * which has another meaning.
 */
export function cacheableHeaders(
  request: { readonly method: string; readonly headers: IncomingHttpHeaders },
  { bytes, policy, ageSeconds }: CachedBytes,
  contentType: string,
  coding: string | null,
): { readonly headers: Record<string, string>; readonly isNotModified: boolean } {
  if (request.method === 'POST' || policy.vary === '*') {
    return { headers: { vary: 'Accept, Accept-Encoding', 'cache-control': 'no-store' }, isNotModified: false }
  }
  // A strong ETag must differ per coding and media type (RFC 9110 §8.8.3).
  const tag = `"${[bytes.hash(), coding, mediaOf(contentType)].filter(Boolean).join('.')}"`
  const headers = {
    vary: policy.vary ? [VARY, ...policy.vary].join(', ') : VARY,
    'cache-control': `max-age=${policy.maxAge}, ${policy.isPrivate ? 'private' : 'public'}`,
    etag: tag,
    ...(ageSeconds > 0 && { age: String(ageSeconds) }),
  }
  return { headers, isNotModified: matchesTag(request.headers['if-none-match'], tag) }
}

const mediaOf = (contentType: string): string | null => (contentType.startsWith('application/graphql-response+json') ? 'g' : null)

/** Whether If-None-Match contains this ETag, by weak comparison (RFC 9110 §13.1.2). */
const matchesTag = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((part) => ['*', tag].includes(part.trim().replace(/^W\//, '')))
