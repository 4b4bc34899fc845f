import { z } from 'zod'
import { options, text } from '../options/validate-options.ts'
import { isProtectedRequestHeader, isProtectedResponseHeader } from './protected-headers.ts'

/** Token characters (RFC 9110 §5.6.2). */
const NAME = /^[\w!#$%&'+.^`|~-]{1,100}$/
const PATTERN = /^[\w!#$%&'*+.^`|~-]{1,100}$/
/** Visible characters, spaces and tabs; latin1 above (RFC 9110 §5.5). */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(value)

const lowerCase = (value: string) => value.toLowerCase()

/** A header that rules of this direction may write. */
const writable = (isProtected: (name: string) => boolean) => {
  const expectation = 'the name of a header that rules may write, not one of the connection or of the gateway itself'
  return z
    .string(expectation)
    .regex(NAME, expectation)
    .transform(lowerCase)
    .refine((name) => !isProtected(name), expectation)
}
/** The same, or a pattern of names; those that no rule may write never match. */
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

/** What a rule may tell about the request that is answered. */
const CONTEXT_VALUES = ['requestId', 'address', 'method', 'subgraph'] as const

const request = writable(isProtectedRequestHeader)
const response = writable(isProtectedResponseHeader)

/** One rule for requests to a subgraph; rules apply in order, and the last one wins. */
const requestRule = z.union(
  [
    options({
      /** Header of the client's request, or a pattern such as `x-tenant-*`. */
      propagate: writablePattern(isProtectedRequestHeader),
      /** Name under which the subgraph gets it; not for patterns. */
      rename: request.optional(),
      /** Value where the client does not send it; not for patterns. */
      default: value().optional(),
    }).refine(({ propagate, rename, default: fallback }) => !propagate.includes('*') || (rename ?? fallback) === undefined, {
      error: 'a rule with a pattern and neither "rename" nor "default"',
    }),
    options({
      /** Names or patterns of cookies that the subgraph gets, as `Cookie`; it gets no others. */
      cookies: z.array(text()).min(1).max(100).readonly(),
    }),
    options({ /** Header to send. */ insert: request, value: value() }),
    options({
      insert: request,
      /** Claim of the verified token; dots lead into objects. Nothing is sent without it. */
      claim: text('the name of a claim'),
    }),
    options({ insert: request, /** What of the request is sent. */ context: z.enum(CONTEXT_VALUES) }),
    options({ /** Header that is not sent, or a pattern. */ remove: writablePattern(isProtectedRequestHeader) }),
  ],
  'a rule: { propagate, rename?, default? }, { cookies }, { insert } with value, claim or context, or { remove }, with names of headers that rules may write',
)

/** One rule for responses to clients. */
const responseRule = z.union(
  [
    options({
      /** Header of the subgraph's response, or a pattern. */
      propagate: writablePattern(isProtectedResponseHeader),
      rename: response.optional(),
      default: value().optional(),
      /** Which value counts when several responses have it. Default: `last`; of Set-Cookie: `append`. */
      merge: z.enum(['first', 'last', 'append']).optional(),
    }).refine(({ propagate, rename, default: fallback }) => !propagate.includes('*') || (rename ?? fallback) === undefined, {
      error: 'a rule with a pattern and neither "rename" nor "default"',
    }),
    options({ insert: response, value: value() }),
    options({
      /** Header that is taken away from what other rules have propagated. */ remove: writablePattern(isProtectedResponseHeader),
    }),
  ],
  'a rule: { propagate, rename?, default?, merge? }, { insert, value } or { remove }, with names of headers that rules may write',
)

/** Header rules, both ways. Rules of all subgraphs come before those of one. */
export const headerOptions = options({
  request: z.array(requestRule, 'a list of rules').max(100, 'at most 100 rules').readonly().optional(),
  response: z.array(responseRule, 'a list of rules').max(100, 'at most 100 rules').readonly().optional(),
})

export type RequestRule = z.output<typeof requestRule>
export type ResponseRule = z.output<typeof responseRule>
