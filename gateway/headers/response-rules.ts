import type { IncomingHttpHeaders } from 'node:http'
import { matchesGlob } from './glob.ts'
import { isHeaderValue, type ResponseRule } from './header-options.ts'
import { isProtectedResponseHeader, NAMED_ONLY } from './protected-headers.ts'

/** Response headers for a client, by lower-case name. */
export type ResponseHeaders = Map<string, readonly string[]>

/** Applies rules to the response of one subgraph, and adds to headers of earlier responses. */
export type ApplyResponseRules = (collected: ResponseHeaders, received: IncomingHttpHeaders) => void

/**
 * Upper bounds of headers that subgraphs add to a response; proxies reject more than about 8 kB.
 */
const MAX_HEADERS = 50
const MAX_CHARACTERS = 6_000

/** Compiles rules in order; null without rules. */
export function compileResponseRules(rules: readonly ResponseRule[]): ApplyResponseRules | null {
  if (rules.length === 0) return null
  const steps = rules.map(compileRule)
  return (collected, received) => {
    const connection = String(received.connection ?? '').toLowerCase()
    const hop = connection === '' ? [] : connection.split(',').map((name) => name.trim())
    for (const step of steps) step(collected, received, hop)
  }
}

type Step = (collected: ResponseHeaders, received: IncomingHttpHeaders, hop: readonly string[]) => void

function compileRule(rule: ResponseRule): Step {
  if ('remove' in rule) {
    const { remove } = rule
    return (collected) => {
      for (const name of collected.keys()) if (name === remove || matchesGlob(remove, name)) collected.delete(name)
    }
  }
  if ('insert' in rule) {
    const { insert, value } = rule
    return (collected) => add(collected, insert, [value], 'last')
  }
  const { propagate, rename = propagate, default: fallback, merge } = rule
  if (propagate.includes('*')) {
    return (collected, received, hop) => {
      for (const name in received) {
        if (!mayMatch(name) || hop.includes(name) || !matchesGlob(propagate, name)) continue
        add(collected, name, valuesOf(received[name]), merge)
      }
    }
  }
  return (collected, received, hop) => {
    const values = hop.includes(propagate) ? [] : valuesOf(received[propagate])
    if (values.length > 0) add(collected, rename, values, merge)
    else if (fallback !== undefined && !collected.has(rename)) add(collected, rename, [fallback], 'first')
  }
}

const mayMatch = (name: string): boolean => !isProtectedResponseHeader(name) && !NAMED_ONLY.has(name)

const valuesOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

function add(
  collected: ResponseHeaders,
  name: string,
  given: readonly string[],
  merge: 'first' | 'last' | 'append' = name === 'set-cookie' ? 'append' : 'last',
): void {
  const existing = collected.get(name)
  if (existing && merge === 'first') return
  const valid = given.filter(isHeaderValue)
  const values = existing && merge === 'append' ? [...existing, ...valid] : valid
  if (values.length === 0) return
  const others = [...collected].filter(([other]) => other !== name)
  const characters = [...others, [name, values] as const].reduce((sum, [key, texts]) => sum + key.length + texts.join().length, 0)
  if (others.length < MAX_HEADERS && characters <= MAX_CHARACTERS) collected.set(name, values)
}

/** Entries for Node.js and Fetch; values of Set-Cookie stay separate (RFC 6265 §3). */
export const headerEntries = (collected: ResponseHeaders): readonly (readonly [name: string, value: string | string[]])[] =>
  [...collected].map(([name, values]) => [name, name === 'set-cookie' ? [...values] : values.join(', ')])
