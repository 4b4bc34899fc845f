import { GraphQLError } from 'graphql'

/** `extensions.code` of errors that a caller can act on; all others are INTERNAL_SERVER_ERROR. */
export const ERROR_CODES = {
  /**
   * An argument has the right type but not a permitted value; the message names it and the
   * expectation.
   */
  badInput: 'BAD_USER_INPUT',
  /** The caller is anonymous, or the token is invalid. */
  unauthenticated: 'UNAUTHENTICATED',
  /** The caller is known and lacks the permission. */
  forbidden: 'FORBIDDEN',
  /** No object has the requested id. */
  notFound: 'NOT_FOUND',
  /** Too many requests from one address or key; `retryAfterSeconds` is the time to wait. */
  rateLimited: 'RATE_LIMITED',
  /** The subscriber reads too slowly; subscribe again and query the missed data. */
  slowReader: 'SLOW_READER',
  /**
   * A nested field or type that the credentials do not authorize; `requiredScopes` or
   * `requiredPolicies` list the required ones.
   */
  unauthorizedField: 'UNAUTHORIZED_FIELD_OR_TYPE',
} as const

/** An invalid argument: `Expected "first" to be 1 to 100, got 5000.` */
export const badInput = (argument: string, expectation: string, got: unknown): GraphQLError =>
  new GraphQLError(`Expected "${argument}" to be ${expectation}, got ${excerpt(got)}.`, {
    extensions: { code: ERROR_CODES.badInput, argument },
  })

/** Rejects an anonymous caller. `reason` is a sentence with the remedy. */
export const unauthenticated = (
  reason = 'Expected a signed-in caller: send "Authorization: Bearer" with an access token of the mutation login.',
): GraphQLError => new GraphQLError(reason, { extensions: { code: ERROR_CODES.unauthenticated } })

/**
 * Rejects a caller without permission. `reason` is a sentence with the required permission; any one
 * of `scopes` suffices, for programs that can request more.
 */
export const forbidden = (reason: string, scopes?: readonly string[]): GraphQLError =>
  new GraphQLError(reason, { extensions: { code: ERROR_CODES.forbidden, ...(scopes && { scopes }) } })

/** There is no `what` with this id: `There is no user with the id "x".` */
export const notFound = (what: string, id: string): GraphQLError =>
  new GraphQLError(`There is no ${what} with the id ${excerpt(id)}.`, { extensions: { code: ERROR_CODES.notFound } })

/** The object does not exist. `reason` is a sentence that names it. */
export const missing = (reason: string): GraphQLError => new GraphQLError(reason, { extensions: { code: ERROR_CODES.notFound } })

/**
 * Rejects a caller above a rate limit: too many of `what`, such as "sign-ins from this address".
 * `retryAfterSeconds` is a whole number, at least 1; transports send it as Retry-After.
 */
export const rateLimited = (what: string, retryAfterSeconds: number): GraphQLError =>
  new GraphQLError(`Too many ${what}: try again in ${retryAfterSeconds} seconds.`, {
    extensions: { code: ERROR_CODES.rateLimited, retryAfterSeconds },
  })

/**
 * Rejects an address that exceeded the rate limit of a store's REST API, on every transport of that
 * store. The facade finds its store by the extension.
 */
export const bannedFromStore = (storeCode: string, retryAfterSeconds: number): GraphQLError =>
  new GraphQLError(
    `This address exceeded the rate limit of this store's REST API and is banned from the store: try again in ${retryAfterSeconds} seconds.`,
    { extensions: { code: ERROR_CODES.rateLimited, retryAfterSeconds, bannedFromStore: storeCode } },
  )

/** Ends the subscription of a slow reader with more than `most` queued events. */
export const slowReader = (max: number): GraphQLError =>
  new GraphQLError(`More than ${max} events were queued for this slow subscriber. Subscribe again, and query the missed data.`, {
    extensions: { code: ERROR_CODES.slowReader },
  })

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
