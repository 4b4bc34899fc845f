import { z } from 'zod'
import { options, text } from '../options/validate-options.ts'
import { isProtectedRequestHeader, isProtectedResponseHeader } from './protected-headers.ts'

/** Token characters (RFC 9110 §5.6.2). */
const NAME = /^[\w!#$%&'+.^`|~-]{1,100}$/
const PATTERN = /^[\w!#$%&'*+.^`|~-]{1,100}$/
/** Visible characters, spaces and tabs; latin1 above (RFC 9110 §5.5). */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(value)

const lowerCase = (value: string) => value.toLowerCase()

/** Name of a header that rules of this direction may write. */
const writable = (isProtected: (name: string) => boolean) => {
  const expectation = 'the name of a header that rules may write, not one of the connection or of the gateway itself'
  return z
    .string(expectation)
    .regex(NAME, expectation)
    .transform(lowerCase)
    .refine((name) => !isProtected(name), expectation)
}
/** Name or pattern; a pattern never matches protected headers. */
const writablePattern = (isProtected: (name: string) => boolean) => {
  const expectation = 'the name of a header that rules may write, or a pattern of names with *'
  return z
    .string(expectation)
    .regex(PATTERN, expectation)
    .transform(lowerCase)
    .refine((pattern) => pattern.includes('*') || !isProtected(pattern), expectation)
}
const value = () => {
  const expectation = 'the value of a header: at most 4096 characters of latin1 without line breaks'
  return z.string(expectation).refine(isHeaderValue, expectation)
}

/** Request properties that rules can send. */
const CONTEXT_VALUES = ['requestId', 'address', 'method', 'subgraph'] as const

const request = writable(isProtectedRequestHeader)
const response = writable(isProtectedResponseHeader)

/** Rule for requests to a subgraph; rules apply in order, the last one wins. */
const requestRule = z.union(
  [
    options({
      /** Header of the client's request, or a pattern such as `x-tenant-*`. */
      propagate: writablePattern(isProtectedRequestHeader),
      /** New name; not for patterns. */
      rename: request.optional(),
      /** Value when the client sends none; not for patterns. */
      default: value().optional(),
    }).refine(({ propagate, rename, default: fallback }) => !propagate.includes('*') || (rename ?? fallback) === undefined, {
      error: 'a rule with a pattern and neither "rename" nor "default"',
    }),
    options({
      /** Names or patterns of the cookies to forward as `Cookie`. */
      cookies: z.array(text()).min(1).max(100).readonly(),
    }),
    options({ /** Header to send. */ insert: request, /** Its value. */ value: value() }),
    options({
      insert: request,
      /** Claim of the verified token, with dots as path; without the claim no header is sent. */
      claim: text('the name of a claim'),
    }),
    options({ insert: request, /** What of the request is sent. */ context: z.enum(CONTEXT_VALUES) }),
    options({ /** Header that is not sent, or a pattern. */ remove: writablePattern(isProtectedRequestHeader) }),
  ],
  'a rule: { propagate, rename?, default? }, { cookies }, { insert } with value, claim or context, or { remove }, with names of headers that rules may write',
)

/** Rule for responses to clients. */
const responseRule = z.union(
  [
    options({
      /** Header of the subgraph's response, or a pattern. */
      propagate: writablePattern(isProtectedResponseHeader),
      /** New name; not for patterns. */
      rename: response.optional(),
      /** Value when the subgraph sends none; not for patterns. */
      default: value().optional(),
      /** How to combine values of several responses. Default: `last`; for Set-Cookie: `append`. */
      merge: z.enum(['first', 'last', 'append']).optional(),
    }).refine(({ propagate, rename, default: fallback }) => !propagate.includes('*') || (rename ?? fallback) === undefined, {
      error: 'a rule with a pattern and neither "rename" nor "default"',
    }),
    options({ /** Header to send. */ insert: response, /** Its value. */ value: value() }),
    options({
      /** Header that is taken away from what other rules have propagated. */ remove: writablePattern(isProtectedResponseHeader),
    }),
  ],
  'a rule: { propagate, rename?, default?, merge? }, { insert, value } or { remove }, with names of headers that rules may write',
)

/** Header rules for both directions. Rules of all subgraphs apply before those of one. */
export const headerOptions = options({
  /** Rules for requests to the subgraph, in order. */
  request: z.array(requestRule, 'a list of rules').max(100, 'at most 100 rules').readonly().optional(),
  /** Rules for responses to clients, in order. */
  response: z.array(responseRule, 'a list of rules').max(100, 'at most 100 rules').readonly().optional(),
})

export type RequestRule = z.output<typeof requestRule>
export type ResponseRule = z.output<typeof responseRule>
