import { claimIn } from '../authorization/claims.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { chooseCookies, mayMatch } from './client-headers.ts'
import { matchesGlob } from './glob.ts'
import { isHeaderValue, type RequestRule } from './header-options.ts'

/** Applies rules to the request headers for one subgraph, in place. */
export type ApplyRequestRules = (headers: Record<string, string>, context: RequestContext) => void

const NO_HEADERS: Readonly<Record<string, string>> = {}

/** Compiles rules in order; null without rules. */
export function compileRequestRules(rules: readonly RequestRule[], subgraph: string): ApplyRequestRules | null {
  if (rules.length === 0) return null
  const steps = rules.map((rule) => compileRule(rule, subgraph))
  return (headers, context) => {
    const given = context.caller.headers ?? NO_HEADERS
    for (const step of steps) step(headers, given, context)
  }
}

type Step = (headers: Record<string, string>, given: Readonly<Record<string, string>>, context: RequestContext) => void

function compileRule(rule: RequestRule, subgraph: string): Step {
  if ('remove' in rule) {
    const { remove } = rule
    return (headers) => {
      // A rule can remove any header by name; patterns do not match credentials.
      for (const name in headers) if (name === remove || (mayMatch(name) && matchesGlob(remove, name))) delete headers[name]
    }
  }
  if ('cookies' in rule) {
    const { cookies } = rule
    return (headers, given) => {
      const chosen = chooseCookies(given.cookie ?? '', cookies)
      if (chosen !== '') headers.cookie = chosen
    }
  }
  if ('insert' in rule) {
    const { insert } = rule
    const readValue = insertedValue(rule, subgraph)
    return (headers, _, context) => {
      const value = readValue(context)
      if (value !== undefined && isHeaderValue(value)) headers[insert] = value
    }
  }
  const { propagate, rename = propagate, default: fallback } = rule
  if (propagate.includes('*')) {
    return (headers, given) => {
      for (const name in given) if (mayMatch(name) && matchesGlob(propagate, name)) headers[name] = given[name] ?? ''
    }
  }
  return (headers, given) => {
    const value = given[propagate] ?? fallback
    if (value !== undefined) headers[rename] = value
  }
}

function insertedValue(
  rule: Extract<RequestRule, { readonly insert: string }>,
  subgraph: string,
): (context: RequestContext) => string | undefined {
  if ('value' in rule) return () => rule.value
  if ('claim' in rule) return ({ caller: { claims } }) => claimText(claims && claimIn(claims, rule.claim))
  switch (rule.context) {
    case 'requestId':
      return ({ caller }) => caller.requestId
    case 'address':
      return ({ caller }) => caller.address
    case 'method':
      return ({ http }) => http?.method
    case 'subgraph':
      return () => subgraph
  }
}

/** Claim as text: lists of strings are joined by commas; undefined for objects. */
function claimText(claim: unknown): string | undefined {
  if (typeof claim === 'string' || typeof claim === 'number' || typeof claim === 'boolean') return String(claim)
  if (Array.isArray(claim) && claim.every((each) => typeof each === 'string')) return claim.join(',')
  return undefined
}
