import { hash } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyReply } from 'fastify'

/**
 * How responses of a facade are cached. `Data` is what every document of it selects for this
 * purpose.
 */
export type Caching<Data, Input> = {
  /** Part of every entity tag: change it when the same data gets another spelling. */
  readonly contract: string
  /** Part of every entity tag: links in responses are made from it. */
  readonly publicUrl: string
  /** Cache-Control of 200 and 304. */
  readonly found: string
  /** Cache-Control of the 404 of an unknown item. */
  readonly missing: string
  /** Selects only the revision: answers conditional requests without running their operation. */
  readonly revisionDocument: TypedDocumentNode<Data, Record<string, never>>
  /** Changes with the data that responses are made from. */
  readonly revisionOf: (data: Data) => string
  /** What of a request the response depends on, defaults included. */
  readonly keyOf: (input: Input) => readonly unknown[]
}

/**
 * The strong entity tag (RFC 9110 §8.8.3) of `parts`, which must determine the body completely:
 * revision, request with its defaults, public address, contract and content coding. Bodies are not
 * hashed, so a 304 costs no work. The coding is a part because a tag shared by a body and its
 * compressed form would not be strong: a range of one could be joined to the other.
 */
export const entityTag = (...parts: readonly unknown[]): string =>
  `"${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)}"`

/**
 * If-None-Match by weak comparison (RFC 9110 §13.1.2). Searching the text suffices: our tags hold
 * neither quotes nor commas, so in a well-formed list they occur only as an element, with or
 * without `W/` in front.
 */
export const matchesTag = (ifNoneMatch: string, tag: string): boolean => ifNoneMatch.includes(tag)

/** Whether If-None-Match is `*`, which matches every existing representation. */
export const matchesAny = (ifNoneMatch: string): boolean => ifNoneMatch.trim() === '*'

export const validators = (tag: string, cacheControl: string): Record<string, string> => ({
  etag: tag,
  'cache-control': cacheControl,
})

export const sendNotModified = (reply: FastifyReply, tag: string, cacheControl: string): FastifyReply =>
  reply.code(304).headers(validators(tag, cacheControl)).send()
