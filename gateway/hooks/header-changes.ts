import { isHeaderValue } from '../headers/header-options.ts'
import type { HeaderChanges } from './hooks.ts'

/** Token characters (RFC 9110 §5.6.2), in lower case. */
const NAME = /^[a-z\d!#$%&'+.^_`|~-]{1,100}$/
/** Maximum headers changed by one hook. */
const MAX_CHANGES = 100

/**
 * Validates the header changes of a hook; names become lower case. Throws for protected or invalid
 * headers.
 */
export function checkedChanges(given: unknown, isProtected: (name: string) => boolean): HeaderChanges {
  if (typeof given !== 'object' || given === null) throw new Error('Expected headers to be an object.')
  const entries = Object.entries(given)
  if (entries.length > MAX_CHANGES) throw new Error(`Expected at most ${MAX_CHANGES} headers.`)
  return Object.fromEntries(
    entries.map(([given, value]: [string, unknown]) => {
      const name = given.toLowerCase()
      if (!NAME.test(name) || isProtected(name))
        throw new Error(`Expected a header that hooks may change, got "${name.slice(0, 100)}".`)
      if (value !== null && !(typeof value === 'string' && isHeaderValue(value))) {
        throw new Error(`Expected the header "${name}" to be a text without line breaks, or null.`)
      }
      return [name, value]
    }),
  )
}

/** Applies changes to headers. */
export function withChanges(headers: Readonly<Record<string, string>>, changes: HeaderChanges): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries({ ...headers, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
  )
}
