import { RESEMBLING, UTS_39 } from './lists/confusables.ts'

const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  [RESEMBLING, UTS_39].flatMap((table) =>
    Object.entries(table).flatMap(([latin, letters]) => [...letters].map((letter) => [letter, latin] as const)),
  ),
)

/**
 * The ASCII name that people read in a name: accents dropped, look-alikes of ASCII letters replaced
 * (UTS #39, and letters that only resemble). Letters that look like nothing in ASCII stay.
 */
export function foldedToAscii(unicode: string): string {
  if (/^[\0-\x7f]*$/.test(unicode)) return unicode
  let folded = ''
  for (const letter of unicode.normalize('NFD')) {
    if (letter >= '\u0300' && letter <= '\u036f') continue
    folded += LOOKS_LIKE.get(letter) ?? letter
  }
  return folded
}

/** Digits and pairs that are read as another letter in an ASCII name. Longest first. */
const READ_AS: readonly (readonly [written: string, read: string])[] = [
  ['vv', 'w'],
  ['rn', 'm'],
  ['cl', 'd'],
  ['0', 'o'],
  ['1', 'l'],
  ['i', 'l'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['7', 't'],
  ['8', 'b'],
]

/** Two ASCII names with one skeleton look the same at a glance. Not for display. */
export function skeletonOf(ascii: string): string {
  return READ_AS.reduce((text, [written, read]) => text.replaceAll(written, read), ascii)
}
