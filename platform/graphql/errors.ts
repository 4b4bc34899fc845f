import { GraphQLError } from 'graphql'

/** `extensions.code` of errors that a caller can act on; all others are INTERNAL_SERVER_ERROR. */
export const CODES = {
  /** An argument has the right type but not a permitted value; the message names it and the expectation. */
  badInput: 'BAD_USER_INPUT',
  /** No credentials, or an invalid or expired token. */
  unauthenticated: 'UNAUTHENTICATED',
  /** The caller is authenticated but lacks the permission. */
  forbidden: 'FORBIDDEN',
  /** Nothing has the requested id. */
  notFound: 'NOT_FOUND',
  /** Rate limit of an address or key; `retryAfterSeconds` says when to retry. */
  rateLimited: 'RATE_LIMITED',
  /** The reader of a subscription is too far behind: subscribe again and query what was missed. */
  slowReader: 'SLOW_READER',
  /**
   * A field or type below the root that the credentials do not grant; `requiredScopes` or
   * `requiredPolicies` name what does.
   */
  unauthorizedField: 'UNAUTHORIZED_FIELD_OR_TYPE',
} as const

/** An invalid argument: `Expected "first" to be 1 to 100, got 5000.` */
export const badInput = (argument: string, expectation: string, got: unknown): GraphQLError =>
  new GraphQLError(`Expected "${argument}" to be ${expectation}, got ${excerpt(got)}.`, {
    extensions: { code: CODES.badInput, argument },
  })

/** Rejects an anonymous caller. `reason` is a whole sentence that says what to do. */
export const unauthenticated = (
  reason = 'Expected a signed-in caller: send "Authorization: Bearer" with the token of a log-in.',
): GraphQLError => new GraphQLError(reason, { extensions: { code: CODES.unauthenticated } })

/**
 * Rejects a caller without permission. `reason` is a whole sentence naming who has it; any one of
 * `scopes` would do, for programs that can request more.
 */
export const forbidden = (reason: string, scopes?: readonly string[]): GraphQLError =>
  new GraphQLError(reason, { extensions: { code: CODES.forbidden, ...(scopes && { scopes }) } })

/** There is no `what` with this id: `There is no user with the id "x".` */
export const notFound = (what: string, id: string): GraphQLError =>
  new GraphQLError(`There is no ${what} with the id ${excerpt(id)}.`, { extensions: { code: CODES.notFound } })

/** NOT_FOUND with `reason`, a whole sentence. */
export const missing = (reason: string): GraphQLError => new GraphQLError(reason, { extensions: { code: CODES.notFound } })

/**
 * Rejects a caller over a rate limit: too many of `what`, such as "log-ins from this address".
 * `retryAfterSeconds` is whole and at least 1; transports repeat it as Retry-After.
 */
export const rateLimited = (what: string, retryAfterSeconds: number): GraphQLError =>
  new GraphQLError(`Too many ${what}: try again in ${retryAfterSeconds} seconds.`, {
    extensions: { code: CODES.rateLimited, retryAfterSeconds },
  })

/**
 * Rejects an address that a store has banned, on every transport of that store. The facade finds
 * the store by the extension.
 */
export const bannedFromStore = (storeCode: string, retryAfterSeconds: number): GraphQLError =>
  new GraphQLError(
    `This address asked this store's REST API too often and is banned from the store: try again in ${retryAfterSeconds} seconds.`,
    { extensions: { code: CODES.rateLimited, retryAfterSeconds, bannedFromStore: storeCode } },
  )

/** Ends the subscription of a reader with more than `most` waiting events. */
export const slowReader = (most: number): GraphQLError =>
  new GraphQLError(
    `More than ${most} events were waiting for their reader. Subscribe again, and read with a query what was missed.`,
    { extensions: { code: CODES.slowReader } },
  )

/** User and password of a URL. */
const USER_IN_URL = /(?<=:\/\/)[^/?#@\s]*@/g

/** A short form of a value for messages, without the credentials of a URL. */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') {
    // Redact before cutting: the cut may remove the `@`.
    const shown = value.slice(0, 1_000).replace(USER_IN_URL, '…@').slice(0, 80)
    const text = JSON.stringify(shown.toWellFormed())
    return value.length > 80 ? `${text}… (${value.length} characters)` : text
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return String(value)
  // `String()` may throw for a client's object: no prototype, or a `toString` that is no function.
  return Array.isArray(value) ? 'a list' : 'an object'
}
