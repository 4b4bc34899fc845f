import type { IncomingHttpHeaders } from 'node:http'
import { matchesGlob } from './glob.ts'
import type { RequestRule } from './header-options.ts'
import { isProtectedRequestHeader, NAMED_ONLY } from './protected-headers.ts'

/** Client headers that rules read. */
export type ClientHeaders = {
  /**
   * Selects headers by lower-case name; null when the request has none of them. Skips hop-by-hop
   * headers named in `Connection`.
   */
  readonly pick: (headers: IncomingHttpHeaders) => Readonly<Record<string, string>> | null
  /** Headers for `Vary`; `*` when rules use patterns. */
  readonly vary: readonly string[] | '*'
}

/** Collects the headers that rules read; null for none. */
export function clientHeadersOf(rules: readonly RequestRule[]): ClientHeaders | null {
  const read = rules.flatMap((rule) => ('propagate' in rule ? [rule.propagate] : 'cookies' in rule ? ['cookie'] : []))
  if (read.length === 0) return null
  const wanted = rules.flatMap((rule) => ('cookies' in rule ? rule.cookies : []))
  const isWholeCookie = rules.some((rule) => 'propagate' in rule && rule.propagate === 'cookie')
  const exact = [...new Set(read.filter((name) => !name.includes('*')))]
  const patterns = [...new Set(read.filter((name) => name.includes('*')))]

  return { pick, vary: patterns.length > 0 ? '*' : exact }

  function pick(headers: IncomingHttpHeaders): Readonly<Record<string, string>> | null {
    let picked: Record<string, string> | null = null
    const hop = headers.connection
      ?.toLowerCase()
      .split(',')
      .map((name) => name.trim())
    const add = (name: string, value: string | string[] | undefined) => {
      if (value === undefined || hop?.includes(name)) return
      // Null prototype, because clients choose the keys.
      picked ??= Object.create(null) as Record<string, string>
      picked[name] = Array.isArray(value) ? value.join(', ') : value
    }
    for (const name of exact) {
      if (!Object.hasOwn(headers, name)) continue
      // Selected cookies only: others would make each caller distinct, and nothing could be shared.
      if (name === 'cookie' && !isWholeCookie) add(name, chooseCookies(String(headers.cookie), wanted) || undefined)
      else add(name, headers[name])
    }
    if (patterns.length > 0) {
      for (const name in headers) {
        if (mayMatch(name) && patterns.some((pattern) => matchesGlob(pattern, name))) add(name, headers[name])
      }
    }
    return picked
  }
}

/** Name-value pairs of a Cookie header (RFC 6265 §4.2) with matching names, unchanged. */
export function chooseCookies(header: string, wanted: readonly string[]): string {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => {
      const name = pair.slice(0, Math.max(pair.indexOf('='), 0))
      return name !== '' && wanted.some((pattern) => matchesGlob(pattern, name))
    })
    .join('; ')
}

/** Whether a pattern may match this request header. */
export const mayMatch = (name: string): boolean =>
  // Keys with a colon are internal, such as `:token`, and not headers.
  !name.startsWith(':') && !isProtectedRequestHeader(name) && !NAMED_ONLY.has(name)
