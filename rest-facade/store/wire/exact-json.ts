/**
 * A number whose source text a double does not keep, such as `1e400`, `12.50` or one of 20 digits.
 */
export type NumberText = { readonly source: string }

export const isNumberText = (value: unknown): value is NumberText => value instanceof ExactNumber

/** A class, so that no object of a client passes for one. */
class ExactNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Deeper than any body of the contract, and far from a stack overflow. */
const MAX_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON with exact numbers; or says why it is invalid. */
export function readJson(bytes: Uint8Array): { readonly value: unknown } | { readonly fault: string } {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { fault: 'Expected a body of valid UTF-8.' }
  }
  if (text.trim() === '') return { fault: 'Expected a body of JSON, got an empty one.' }
  if (isDeeperThan(MAX_DEPTH, text)) return { fault: `Expected a body that is nested at most ${MAX_DEPTH} deep.` }
  try {
    // TypeScript's types lack the third argument of revivers.
    return { value: JSON.parse(text, exact as (key: string, value: unknown) => unknown) }
  } catch {
    return { fault: 'Expected a body of valid JSON.' }
  }
}

/**
 * A reviver gets the source text of a number as its third argument (ECMAScript 2026, JSON.parse
 * source text access).
 */
function exact(_: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? new ExactNumber(source) : value
}

/** Counts brackets before anything recursive runs. */
function isDeeperThan(maxDepth: number, text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // A string: skips to the next quotation mark that is not escaped.
        for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
        break
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
    }
  }
  return false
}

/** Whether a value of JSON is an object, and no list or number. */
export const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !isNumberText(given)
