/** A number whose text says more than a double can keep, such as `1e400`, `12.50` or one of 20 digits. */
export type NumberText = { readonly source: string }

export const isNumberText = (value: unknown): value is NumberText => value instanceof ExactNumber

/** An instance tells it from an object that a client sent. */
class ExactNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Deeper than any body that the contract knows, and far from what a recursion minds. */
const MOST_LEVELS = 32

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON value of some bytes, with numbers that are exact; or a sentence about why there is none. */
export function readJson(bytes: Uint8Array): { readonly value: unknown } | { readonly fault: string } {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { fault: 'Expected a body of valid UTF-8.' }
  }
  if (text.trim() === '') return { fault: 'Expected a body of JSON, got an empty one.' }
  if (isDeeperThan(MOST_LEVELS, text)) return { fault: `Expected a body that is nested at most ${MOST_LEVELS} deep.` }
  try {
    return { value: JSON.parse(text, exact as (key: string, value: unknown) => unknown) }
  } catch {
    return { fault: 'Expected a body of valid JSON.' }
  }
}

/** The text of a number goes to the reviver as a third argument (ECMAScript 2026, JSON.parse source text access). */
function exact(_: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? new ExactNumber(source) : value
}

/** Counts brackets before anything recursive sees them. */
function isDeeperThan(most: number, text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // A quotation mark: nothing counts up to the next one that is not escaped.
        for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
        break
      case 0x5b:
      case 0x7b:
        if (++depth > most) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
    }
  }
  return false
}
