import type { IncomingHttpHeaders } from 'node:http'
import { matchesGlob } from './glob.ts'
import type { RequestRule } from './header-options.ts'
import { isProtectedRequestHeader, NAMED_ONLY } from './protected-headers.ts'

/** What rules read of the headers of clients. */
export type ClientHeaders = {
  /**
   * Picks what the rules read, by name in lower case; null where the request has none of it. A
   * header that the request's `Connection` names ends at this connection and is not picked.
   */
  readonly pick: (headers: IncomingHttpHeaders) => Readonly<Record<string, string>> | null
  /** What shared caches must tell requests apart by, for `Vary`; `*` where patterns read. */
  readonly vary: readonly string[] | '*'
}

/** Collects what `rules` read; null where they read nothing. */
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
      // Without inherited names: a client chooses the keys.
      picked ??= Object.create(null) as Record<string, string>
      picked[name] = Array.isArray(value) ? value.join(', ') : value
    }
    for (const name of exact) {
      if (!Object.hasOwn(headers, name)) continue
      // Other cookies would make another caller of everybody.
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

/** The pairs of a Cookie header (RFC 6265 §4.2) whose names are wanted, as they came. */
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

/** Whether patterns may match this header of a request. */
export const mayMatch = (name: string): boolean =>
  // What tells callers apart and is no header has a colon.
  !name.startsWith(':') && !isProtectedRequestHeader(name) && !NAMED_ONLY.has(name)
