/** JSON text in UTF-8 that is matched in place. */
export type ScannedText = {
  readonly bytes: Buffer
  readonly length: number
  /** The same bytes four at a time, from `shift` bytes before their start. */
  readonly words: Int32Array
  readonly shift: number
}

/**
 * Matches one JSON value that starts at `at`: the position after it, or `NO_MATCH_OFFSET`. A match never
 * depends on what follows.
 */
export type MatchValue = (text: ScannedText, at: number) => number

/** Another value than the expected one, or one that is not decided here. */
export const NO_MATCH_OFFSET = -1

export function scannedText(bytes: Buffer): ScannedText {
  // Words must begin at a multiple of four bytes of the memory.
  const shift = bytes.byteOffset & 3
  const words = new Int32Array(bytes.buffer, bytes.byteOffset - shift, (shift + bytes.length) >> 2)
  return { bytes, length: bytes.length, words, shift }
}

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20] as const
const [COMMA, MINUS, DOT, ZERO, NINE] = [0x2c, 0x2d, 0x2e, 0x30, 0x39] as const
const [OPEN_LIST, CLOSE_LIST, SMALL_E, LARGE_E, SMALL_N] = [0x5b, 0x5d, 0x65, 0x45, 0x6e] as const

/** Matches these characters, which must be ASCII. */
export function matchText(expected: string): MatchValue {
  const characters = Uint8Array.from(Buffer.from(expected, 'latin1'))
  return ({ bytes, length }, at) => {
    const end = at + characters.length
    if (end > length) return NO_MATCH_OFFSET
    for (let index = 0; index < characters.length; index++) if (bytes[at + index] !== characters[index]) return NO_MATCH_OFFSET
    return end
  }
}

/** Matches a string without control characters and with known escapes (RFC 8259 §7). */
export const matchString: MatchValue = (text, at) => {
  const { bytes, length, words, shift } = text
  if (at >= length || bytes[at] !== QUOTE) return NO_MATCH_OFFSET
  let next = at + 1
  for (;;) {
    if (((next + shift) & 3) === 0) next = afterPlainWords(words, (next + shift) >> 2) * 4 - shift
    if (next >= length) return NO_MATCH_OFFSET
    const byte = bytes[next] as number // below the length
    if (byte === QUOTE) return next + 1
    if (byte < SPACE) return NO_MATCH_OFFSET
    if (byte !== BACKSLASH) next++
    else {
      next = afterEscape(text, next)
      if (next === NO_MATCH_OFFSET) return NO_MATCH_OFFSET
    }
  }
}

/** Index of the first word that has a quote, a backslash or a control character. */
function afterPlainWords(words: Int32Array, from: number): number {
  let index = from
  // Below the length.
  while (index < words.length && (endsIn(words[index] as number) & 0x80808080) === 0) index++
  return index
}

/**
 * Sets the highest bit of bytes that end plain text. With its second bit changed a quote is 0x20, so
 * that it and control characters are less than 0x21, and no other byte is. A borrow of the
 * subtractions only reaches bytes behind one that was found, and bytes above 0x7F are never found.
 * No change of bits reaches the highest one, so one mask is enough.
 */
const endsIn = (word: number): number => (((word ^ 0x02020202) - 0x21212121) | ((word ^ 0x5c5c5c5c) - 0x01010101)) & ~word

const ESCAPED: ReadonlySet<number | undefined> = new Set([...'"\\/bfnrt'].map((each) => each.charCodeAt(0)))

function afterEscape({ bytes, length }: ScannedText, at: number): number {
  if (at + 1 >= length) return NO_MATCH_OFFSET
  if (ESCAPED.has(bytes[at + 1])) return at + 2
  return at + 6 <= length && /^\\u[\da-f]{4}$/i.test(bytes.toString('latin1', at, at + 6)) ? at + 6 : NO_MATCH_OFFSET
}

/** Digits of the largest 32-bit integers. */
const MAX_INT_DIGITS = 10

/** Matches an integer of 32 bits (GraphQL §3.5.1) that is written as JavaScript writes it. */
export const matchInt: MatchValue = ({ bytes, length }, at) => {
  const isNegative = at < length && bytes[at] === MINUS
  const start = isNegative ? at + 1 : at
  let [next, value] = [start, 0]
  for (; next < length && next - start <= MAX_INT_DIGITS; next++) {
    const byte = bytes[next] as number // below the length
    if (byte < ZERO || byte > NINE) break
    value = value * 10 + (byte - ZERO)
  }
  const digits = next - start
  if (digits === 0 || (bytes[start] === ZERO && (digits > 1 || isNegative))) return NO_MATCH_OFFSET
  const signed = isNegative ? -value : value
  return signed === (signed | 0) ? next : NO_MATCH_OFFSET
}

/** Every decimal of so many digits is a different double, which JavaScript writes with the same digits. */
const MAX_EXACT_DIGITS = 15

/** Matches a number that JavaScript reads and writes without a change of its value. */
export const matchNumber: MatchValue = (text, at) => {
  const { bytes, length } = text
  const start = at < length && bytes[at] === MINUS ? at + 1 : at
  const dot = afterDigits(text, start)
  if (dot === start || (bytes[start] === ZERO && dot > start + 1)) return NO_MATCH_OFFSET
  let end = dot
  if (dot < length && bytes[dot] === DOT) {
    end = afterDigits(text, dot + 1)
    if (end === dot + 1) return NO_MATCH_OFFSET
  }
  const byte = end < length ? bytes[end] : undefined
  const hasExponent = byte === SMALL_E || byte === LARGE_E
  // A negative zero loses its sign.
  const mayBeNegativeZero = start > at && bytes[start] === ZERO
  if (!hasExponent && !mayBeNegativeZero && end - start <= MAX_EXACT_DIGITS) return end
  return matchWritten(text, at)
}

/** Longest number that JavaScript writes, `-1.2345678901234567e-100`, and the byte behind it. */
const MAX_NUMBER_CHARACTERS = 26

function matchWritten({ bytes, length }: ScannedText, at: number): number {
  const around = bytes.toString('latin1', at, Math.min(length, at + MAX_NUMBER_CHARACTERS))
  const written = /^[-+.\deE]+/.exec(around)?.[0] ?? ''
  return written !== '' && JSON.stringify(Number(written)) === written ? at + written.length : NO_MATCH_OFFSET
}

function afterDigits({ bytes, length }: ScannedText, at: number): number {
  let next = at
  for (; next < length; next++) {
    const byte = bytes[next] as number // below the length
    if (byte < ZERO || byte > NINE) break
  }
  return next
}

/** Matches a string that is one of these names, which must be ASCII without escapes. */
export function matchName(names: readonly string[]): MatchValue {
  const known = new Set(names)
  return (text, at) => {
    const end = matchString(text, at)
    return end !== NO_MATCH_OFFSET && known.has(text.bytes.toString('latin1', at + 1, end - 1)) ? end : NO_MATCH_OFFSET
  }
}

/** Matches with the first of these that matches. */
export const matchEither =
  (...options: readonly MatchValue[]): MatchValue =>
  (text, at) => {
    for (let index = 0; index < options.length; index++) {
      const end = (options[index] as MatchValue)(text, at) // below the length
      if (end !== NO_MATCH_OFFSET) return end
    }
    return NO_MATCH_OFFSET
  }

export const matchBoolean: MatchValue = matchEither(matchText('true'), matchText('false'))

const matchNull = matchText('null')

/** Matches null as well. */
export const orNull =
  (match: MatchValue): MatchValue =>
  (text, at) =>
    at < text.length && text.bytes[at] === SMALL_N ? matchNull(text, at) : match(text, at)

/** Matches a list without spaces. */
export const matchList =
  (item: MatchValue): MatchValue =>
  (text, at) => {
    const { bytes, length } = text
    if (at + 1 >= length || bytes[at] !== OPEN_LIST) return NO_MATCH_OFFSET
    if (bytes[at + 1] === CLOSE_LIST) return at + 2
    let next = at
    do {
      next = item(text, next + 1)
      if (next === NO_MATCH_OFFSET || next >= length) return NO_MATCH_OFFSET
    } while (bytes[next] === COMMA)
    return bytes[next] === CLOSE_LIST ? next + 1 : NO_MATCH_OFFSET
  }

/** A key of an object with the values that match below it. */
export type MatchedField = { readonly key: string; readonly value: MatchValue }

/** Matches an object that has exactly these keys, in this order and without spaces. */
export function matchObject(fields: readonly MatchedField[]): MatchValue {
  const keys = fields.map(({ key }, index) => matchText(`${index === 0 ? '{' : ','}"${key}":`))
  const values = fields.map(({ value }) => value)
  const end = matchText('}')
  return (text, at) => {
    let next = at
    for (let index = 0; index < keys.length; index++) {
      next = (keys[index] as MatchValue)(text, next) // below the length
      if (next === NO_MATCH_OFFSET) return NO_MATCH_OFFSET
      next = (values[index] as MatchValue)(text, next) // as many as keys
      if (next === NO_MATCH_OFFSET) return NO_MATCH_OFFSET
    }
    return end(text, next)
  }
}
