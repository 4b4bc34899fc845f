import { hash } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'

/** How answers of a facade may be kept; `Shared` is what every document of it selects for this purpose. */
export type Caching<Shared> = {
  /** Part of every entity tag: change it when the same data is spelled differently from now on. */
  readonly contract: string
  /** Cache-Control of 200 and 304. */
  readonly found: string
  /** Cache-Control of an unknown item's 404. */
  readonly missing: string
  /** Asks for nothing but the revision: answers a conditional request before its work is done. */
  readonly ask: TypedDocumentNode<Shared, Record<string, never>>
  /** The state of the data that an answer was made from. */
  readonly revisionOf: (data: Shared) => string
}

/**
 * The strong entity tag of whatever `parts` determine completely: revision, request with its defaults, public address,
 * contract and content coding. Bodies are never hashed, so that a 304 costs no work. The coding is a part because a tag
 * that is shared by a body and its compressed form would not be strong: a range of one could be joined to the other.
 */
export const entityTag = (...parts: readonly unknown[]): string =>
  `"${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)}"`

/**
 * If-None-Match by weak comparison. A search for the text suffices: our tags hold neither quotes nor commas, so inside a
 * well-formed list they can only occur as an element, with or without `W/` in front.
 */
export const names = (ifNoneMatch: string, tag: string): boolean => ifNoneMatch.includes(tag)

/** True when the client asks for an answer only where there is none at all, whatever its tag. */
export const namesAny = (ifNoneMatch: string): boolean => ifNoneMatch.trim() === '*'
