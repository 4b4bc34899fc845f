import canonicalize from 'canonicalize'

/**
 * Canonical JSON (RFC 8785): equal values, equal text, whatever the order of their keys. Throws for
 * values outside JSON and for broken surrogates.
 */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('Expected a JSON value.')
  return text
}
