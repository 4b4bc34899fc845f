import type { Span } from './quotation.ts'

/** A text that another one holds in a form which people do not read. */
export type EncodedText = Span & { readonly decoded: string }

/** Decoded parts of one text at most, and characters of one: an instruction is short. */
const MAX_ENCODED_TEXTS = 200
const MAX_ENCODED_LENGTH = 8_000
/** Characters before and after an escape that belong to its text. */
const WINDOW_CHARACTERS = 200

const BASE64 = /[A-Za-z0-9+/_-]{24,8000}={0,2}/g
const HEX = /(?<![0-9A-Za-z])(?:[0-9a-f]{2}){16,4000}(?![0-9A-Za-z])/gi
const PERCENT = /(?:%[0-9a-f]{2}){8,2600}/gi
/** Escapes of a programming language or of HTML. */
const ESCAPE = /\\u00([0-7][0-9a-f])|\\x([0-7][0-9a-f])|&#x([0-7][0-9a-f]);|&#([0-9]{2,3});/gi
/** Tag characters stand for ASCII. */
const TAGS = /[\u{e0020}-\u{e007e}]{2,4000}/gu

/** Readable texts that a text holds encoded; of what is binary nothing. */
export function encodedTexts(text: string): readonly EncodedText[] {
  const found: EncodedText[] = []
  const add = (pattern: RegExp, decode: (encoded: string) => string) => {
    for (const match of text.matchAll(pattern)) {
      if (found.length === MAX_ENCODED_TEXTS) return
      const decoded = decode(match[0].slice(0, MAX_ENCODED_LENGTH))
      if (isReadable(decoded)) found.push({ start: match.index, end: match.index + match[0].length, decoded })
    }
  }
  add(TAGS, (encoded) => String.fromCharCode(...[...encoded].map((tag) => (tag.codePointAt(0) ?? 0) - 0xe0000)))
  add(BASE64, base64Decoded)
  add(HEX, (encoded) => utf8(encoded.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? []))
  add(PERCENT, (encoded) => utf8(encoded.match(/[0-9a-f]{2}/gi)?.map((pair) => Number.parseInt(pair, 16)) ?? []))
  for (const window of windowsOf(ESCAPE, text)) {
    if (found.length < MAX_ENCODED_TEXTS) found.push({ ...window, decoded: unescaped(text.slice(window.start, window.end)) })
  }
  return found
}

/** Parts of a text around matches, joined where they overlap. */
function windowsOf(pattern: RegExp, text: string): readonly Span[] {
  const windows: { start: number; end: number }[] = []
  for (const { index } of text.matchAll(pattern)) {
    const last = windows.at(-1)
    const end = Math.min(text.length, index + WINDOW_CHARACTERS)
    if (last && index - WINDOW_CHARACTERS <= last.end && end - last.start <= MAX_ENCODED_LENGTH) last.end = end
    else windows.push({ start: Math.max(0, index - WINDOW_CHARACTERS), end })
  }
  return windows
}

/** Whether a part of an address decodes to words: data, rather than a number or a signature. */
export const holdsWords = (encoded: string): boolean => {
  const decoded = base64Decoded(encoded)
  return isReadable(decoded) && (decoded.match(/[a-z]\s[a-z]/gi)?.length ?? 0) >= 3
}

function base64Decoded(encoded: string): string {
  try {
    const binary = atob(
      encoded
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .replace(/={1,2}$/, ''),
    )
    return utf8(Array.from(binary, (unit) => unit.charCodeAt(0)))
  } catch {
    // Its length is none of base64.
    return ''
  }
}

const utf8 = (bytes: readonly number[]): string => new TextDecoder().decode(Uint8Array.from(bytes))

const unescaped = (line: string): string =>
  line.replaceAll(ESCAPE, (_, unicode, byte, hex, decimal) =>
    String.fromCharCode(decimal === undefined ? Number.parseInt(unicode ?? byte ?? hex, 16) : Number(decimal)),
  )

/** Nothing of it is a control character or no UTF-8. */
const isReadable = (text: string): boolean => text.length >= 2 && !/[\uFFFD]|(?![\t\n\r])\p{Cc}/u.test(text)

/** Letters of the Latin alphabet moved by 13 places; keeps the length. */
export const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0)
    const first = code < 97 ? 65 : 97
    return String.fromCharCode(((code - first + 13) % 26) + first)
  })
