import { GraphQLError } from 'graphql'

/** Codes that subgraphs give to errors a caller can act on, in `extensions.code`; everything else is INTERNAL_SERVER_ERROR. */
export const CODES = {
  /** An argument has the right type but not a permitted value; the message names it and the expectation. */
  badInput: 'BAD_USER_INPUT',
  /** Nobody is signed in, or with a token that is not valid any more. */
  unauthenticated: 'UNAUTHENTICATED',
  /** Who asks is known, and may not. */
  forbidden: 'FORBIDDEN',
  /** There is nothing with the id that was asked for. */
  notFound: 'NOT_FOUND',
  /** Too often from one address, or with one key; `retryAfterSeconds` says when again. */
  rateLimited: 'RATE_LIMITED',
  /** A subscription whose reader is too far behind; subscribe again and read what was missed with a query. */
  slowReader: 'SLOW_READER',
  /** A field or a type below the root that the credentials do not open; `requiredScopes` or `requiredPolicies` say what does. */
  unauthorizedField: 'UNAUTHORIZED_FIELD_OR_TYPE',
} as const

/** An argument that is not permitted: `Expected "first" to be 1 to 100, got 5000.` */
export const badInput = (argument: string, expectation: string, got: unknown): GraphQLError =>
  new GraphQLError(`Expected "${argument}" to be ${expectation}, got ${excerpt(got)}.`, {
    extensions: { code: CODES.badInput, argument },
  })

/** Refuses an anonymous caller. `reason` is a whole sentence that says what to do. */
export const unauthenticated = (
  reason = 'Expected a signed-in caller: send "Authorization: Bearer" with the token of a log-in.',
): GraphQLError => new GraphQLError(reason, { extensions: { code: CODES.unauthenticated } })

/** Refuses who may not. `reason` is a whole sentence that says who may; `scopes`, of which any one would do, are for programs that can ask for more. */
export const forbidden = (reason: string, scopes?: readonly string[]): GraphQLError =>
  new GraphQLError(reason, { extensions: { code: CODES.forbidden, ...(scopes && { scopes }) } })

/** There is no `what` with this id: `There is no user with the id "x".` */
export const notFound = (what: string, id: string): GraphQLError =>
  new GraphQLError(`There is no ${what} with the id ${excerpt(id)}.`, { extensions: { code: CODES.notFound } })

/** There is nothing of the kind. `reason` is a whole sentence that says of what. */
export const missing = (reason: string): GraphQLError => new GraphQLError(reason, { extensions: { code: CODES.notFound } })

/** Refuses who asks too often: too many of `what`, such as "log-ins from this address". `retryAfterSeconds` is a whole number, at least 1; doors repeat it as Retry-After. */
export const rateLimited = (what: string, retryAfterSeconds: number): GraphQLError =>
  new GraphQLError(`Too many ${what}: try again in ${retryAfterSeconds} seconds.`, {
    extensions: { code: CODES.rateLimited, retryAfterSeconds },
  })

/** Refuses an address that asked the REST API of a store too often, at every door of that store. The facade finds its store by the extension. */
export const bannedFromStore = (storeCode: string, retryAfterSeconds: number): GraphQLError =>
  new GraphQLError(
    `This address asked this store's REST API too often and is banned from the store: try again in ${retryAfterSeconds} seconds.`,
    { extensions: { code: CODES.rateLimited, retryAfterSeconds, bannedFromStore: storeCode } },
  )

/** Ends the subscription of a reader behind whom more than `most` events wait. */
export const slowReader = (most: number): GraphQLError =>
  new GraphQLError(
    `More than ${most} events were waiting for their reader. Subscribe again, and read with a query what was missed.`,
    { extensions: { code: CODES.slowReader } },
  )

/** The user, and perhaps the password, of a URL. */
const USER_IN_URL = /(?<=:\/\/)[^/?#@\s]*@/g

/** Enough of a value to recognise it in a message, without what is secret in a URL. */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') {
    // Before it is cut, which may take the mark by which the user is known.
    const shown = value.slice(0, 1_000).replace(USER_IN_URL, '…@').slice(0, 80)
    const text = JSON.stringify(shown.toWellFormed())
    return value.length > 80 ? `${text}… (${value.length} characters)` : text
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return String(value)
  // An object of a client need not have a text: it may lack a prototype, or bring a `toString` that is none.
  return Array.isArray(value) ? 'a list' : 'an object'
}
