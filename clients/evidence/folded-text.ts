/** Text as rules read it, and the way back to the text that a server sent. */
export type FoldedText = {
  readonly text: string
  /** Place in the original of a place in `text`; UTF-16 units. */
  readonly startOf: (place: number) => number
  /** End in the original of a part of `text` that ends here, exclusive. */
  readonly endOf: (place: number) => number
}

/**
 * What a text is. `prose`: sentences. `name`: words joined by `_`, `-`, `.`, `/` or a capital; `%20`
 * is a space. `json`: JSON text, in which a line break is `\n`.
 */
export type TextForm = 'prose' | 'name' | 'json'

/** Signs without width: a model reads past them, or takes them for a space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u
const MARK = /\p{M}/u
/** Also letters without ink: the filler of Hangul, to which three others fold, and of Braille. */
const GAP = /[\p{Cc}\p{Z}\u115f\u1160\u2800]/u
const JOINT = /[_\-./:,+]/
const LINE_BREAKS: ReadonlySet<string> = new Set(['n', 'r', 't', 'f', 'b'])

/**
 * Longest compatibility form of a sign that becomes it: a word of Hangul. Two signs for phrases of
 * Arabic have 8 and 18 units, and a text of them would be read for 18 times as long.
 */
const MAX_FORM_UNITS = 7

/** Nothing of it changes: printable ASCII with single spaces, which most texts are. */
const PLAIN = /^(?:[\x21-\x7e]|(?<! ) )*$/
const PLAIN_JSON = /^(?:[\x21-\x5b\x5d-\x7e]|(?<! ) )*$/

/**
 * Folds what makes equal words look different to a pattern: compatibility forms (NFKD), accents,
 * signs without width, which become `unseen`, and white space of any kind and length, which becomes
 * one space.
 */
export function foldedText(original: string, form: TextForm, unseen: '' | ' ' = ''): FoldedText {
  if ((form === 'prose' && PLAIN.test(original)) || (form === 'json' && PLAIN_JSON.test(original)))
    return { text: original, startOf: (place) => place, endOf: (place) => place }
  // Pieces rather than one growing text, whose end is dear to look at.
  const pieces: string[] = []
  let endsWithSpace = false
  // By unit of `text`: the part of the original that it stands for.
  const [starts, ends]: [number[], number[]] = [[], []]
  const put = (piece: string, start: number, end: number): void => {
    const added = piece === ' ' && endsWithSpace ? '' : piece
    if (added === '') return
    pieces.push(added)
    endsWithSpace = added.endsWith(' ')
    for (let unit = 0; unit < added.length; unit += 1) {
      starts.push(start)
      ends.push(end)
    }
  }
  for (let start = 0; start < original.length; ) {
    const { sign, length } = signAt(original, start, form)
    const end = start + length
    if (form === 'name' && /\p{Lu}/u.test(sign) && /\p{Ll}/u.test(original[start - 1] ?? '')) put(' ', start, start)
    for (const part of sign < '\x7f' ? sign : formOf(sign)) {
      // Most letters are ASCII, which no class below has.
      if (part > ' ' && part < '\x7f' && form !== 'name') put(part, start, end)
      // A tab is both: it parts words.
      else if (GAP.test(part) || (form === 'name' && JOINT.test(part))) put(' ', start, end)
      else if (UNSEEN.test(part)) put(unseen, start, end)
      else if (!MARK.test(part)) put(part, start, end)
    }
    start = end
  }
  return {
    text: pieces.join(''),
    startOf: (place) => starts[place] ?? original.length,
    endOf: (place) => (place === 0 ? 0 : (ends[place - 1] ?? original.length)),
  }
}

function formOf(sign: string): string {
  const form = sign.normalize('NFKD')
  return form.length <= MAX_FORM_UNITS ? form : sign
}

/** Whether the text has signs without width. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text)

/** The code point at this place; of an escape, what it stands for. */
function signAt(original: string, start: number, form: TextForm): { readonly sign: string; readonly length: number } {
  const sign = String.fromCodePoint(original.codePointAt(start) ?? 0)
  if (form === 'name' && sign === '%') {
    const [, code] = /^%([0-7][0-9a-f])/i.exec(original.slice(start, start + 3)) ?? []
    return code ? { sign: String.fromCharCode(Number.parseInt(code, 16)), length: 3 } : { sign, length: 1 }
  }
  if (form !== 'json' || sign !== '\\') return { sign, length: sign.length }
  const next = original[start + 1] ?? ''
  if (LINE_BREAKS.has(next)) return { sign: ' ', length: 2 }
  const [, code] = /^u([0-9a-f]{4})/i.exec(original.slice(start + 1, start + 6)) ?? []
  return code ? { sign: String.fromCharCode(Number.parseInt(code, 16)), length: 6 } : { sign: next, length: 1 + next.length }
}
