import type { FastifyReply, FastifyRequest } from 'fastify'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { codingFor } from '../../platform/http/compression.ts'
import { COST_HEADER } from '../limits/cost-report.ts'
import type { CacheableResult } from './caching.ts'

/** What an answer that may be kept depends on: caches between us and clients must not mix up callers. */
const VARY = ['Accept', 'Accept-Encoding', COST_HEADER, ...CREDENTIAL_HEADERS].join(', ')

/**
 * Sends an answer that may be kept. Over GET with Cache-Control, Age, Vary and a strong ETag, and without its bytes to
 * whoever has them (RFC 9110 §13.1.2). An answer to POST could only be reused for a later GET of the same address (RFC 9110 §9.3.3), which asks something else: it is `no-store`.
 */
export async function sendCacheableResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes: answer, policy, ageSeconds }: Extract<CacheableResult, { readonly bytes: unknown }>,
  contentType: string,
  send: (reply: FastifyReply, contentType: string, status: number, bytes: Buffer) => void,
): Promise<void> {
  const { bytes, coding } = await answer.encoded(codingFor(request.headers['accept-encoding']))
  if (request.method === 'POST') reply.header('vary', 'Accept, Accept-Encoding').header('cache-control', 'no-store')
  else {
    // Strong: other bytes, or another media type, need another tag.
    const tag = `"${[answer.hash(), coding, mediaOf(contentType)].filter(Boolean).join('.')}"`
    reply
      .header('vary', VARY)
      .header('cache-control', `max-age=${policy.maxAge}, ${policy.isPrivate ? 'private' : 'public'}`)
      .header('etag', tag)
    if (ageSeconds > 0) reply.header('age', ageSeconds)
    if (names(request.headers['if-none-match'], tag)) return void reply.code(304).send()
  }
  if (coding) reply.header('content-encoding', coding)
  send(reply, contentType, 200, bytes)
}

const mediaOf = (contentType: string): string | null => (contentType.startsWith('application/graphql-response+json') ? 'g' : null)

/** Whether If-None-Match names this tag; `W/` does not matter (RFC 9110 §13.1.2). */
const names = (given: string | undefined, tag: string): boolean =>
  (given ?? '').split(',').some((part) => ['*', tag].includes(part.trim().replace(/^W\//, '')))
