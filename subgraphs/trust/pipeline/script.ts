import { SCRIPTS } from './lists/scripts.ts'

/** Problems of the letters of an internationalised name. */
export type NameFinding =
  /** Letters of scripts that no language mixes. */
  | 'mixed-scripts'
  /**
   * Letters of one other script that all look like Latin ones, under a suffix where that script is
   * not at home.
   */
  | 'whole-script-lookalike'
  /** Marks, symbols, dead letters: nothing that names are written with. */
  | 'unusual-character'
  /** Digits of other scripts that look like European digits. */
  | 'digit-lookalike'
  /**
   * Letters that are at home in one country only (Icelandic þ, Azerbaijani ə, the Catalan middle
   * dot) elsewhere.
   */
  | 'foreign-letter'
  /**
   * Sequences that are read as something else: a dot on an i that has one, a lone stroke among
   * Latin letters.
   */
  | 'dangerous-sequence'
  /** Joiners, and the same mark twice. */
  | 'invisible'
  /**
   * Mathematical, circled or raised letters and digits: IDNA turns them into plain ones, so that
   * the name is another than the written one, and filters of texts do not know it.
   */
  | 'disguised-letter'

type Range = readonly [from: number, to: number, script: string]
const RANGES: readonly Range[] = Object.entries(SCRIPTS)
  .flatMap(([script, ranges]) =>
    ranges.split(' ').map((range): Range => {
      const [from = '', to = from] = range.split('-')
      return [Number.parseInt(from, 16), Number.parseInt(to, 16), script]
    }),
  )
  .sort(([a], [b]) => a - b)

/**
 * The script of a character, `Common` for ASCII digits and hyphens, null for what names are not
 * written with.
 */
function scriptOf(character: string): string | null {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return /[a-z]/.test(character) ? 'Latin' : 'Common'
  if (character === '\u00b7' || character === '\u200c' || character === '\u200d') return 'Common'
  let low = 0
  let high = RANGES.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const range = RANGES[middle]
    if (!range) return null
    if (code < range[0]) high = middle - 1
    else if (code > range[1]) low = middle + 1
    else return range[2]
  }
  return null
}

/**
 * Scripts that one language writes side by side; Latin may stand beside each of them (UTS #39,
 * "highly restrictive").
 */
const TOGETHER: readonly (readonly string[])[] = [
  ['Han', 'Bopomofo', 'Latin'],
  ['Han', 'Hiragana', 'Katakana', 'Kana', 'Latin'],
  ['Han', 'Hangul', 'Latin'],
]

/**
 * Letters that pass for Latin ones, by script, and the suffixes where the script is at home: the
 * sets of Chromium's policy for showing such names.
 */
const LATIN_LOOKALIKES: Readonly<Record<string, { readonly letters: string; readonly home: readonly string[] }>> = {
  Armenian: { letters: 'ագզէլհյոսւօ', home: ['am'] },
  Cyrillic: { letters: 'аысԁеԍһіюјӏорԗԛѕԝхуъьҽпгѵѡ', home: ['bg', 'by', 'kz', 'ru', 'su', 'ua', 'uz'] },
  Ethiopic: { letters: 'ሀሠሰስበነተከዐዕዘጠፐꬅ', home: ['er', 'et'] },
  Georgian: { letters: 'იოყძხჽჿ', home: ['ge'] },
  Greek: { letters: 'αικνρυωηοτ', home: ['gr'] },
  Hebrew: { letters: 'דוחיןסװײ', home: ['il'] },
  Bengali: { letters: '০৭', home: [] },
  Devanagari: { letters: 'ऽ०ॱ', home: [] },
  Gujarati: { letters: 'ડટ૦૧', home: [] },
  Gurmukhi: { letters: '੦੧', home: [] },
  Kannada: { letters: 'ಽ೦೧', home: [] },
  Malayalam: { letters: 'ടഠധനറ൦', home: [] },
  Oriya: { letters: 'ଠ୦୮', home: [] },
  Tamil: { letters: 'டப௦', home: [] },
  Telugu: { letters: '౦౧', home: [] },
  Myanmar: { letters: 'ခဂငထပဝ၀၂ၔၜ႐႑႕႖႗', home: ['mm'] },
  Thai: { letters: 'บพเแ๐', home: ['th'] },
}

/**
 * Letters of other scripts that look like European digits; a label of these and digits only shows a
 * false number.
 */
const DIGIT_LOOKALIKES = new Set('θ२২੨੨૨೩೭շзҙӡउওਤ੩૩౩ဒვპკੜ੫丩ㄐճ৪੪୫૭୨౨')
/** Read as slashes when no ideograph or kana stands on either side. */
const STROKES = new Set('ノンソゾ丶乀乁丿')
/** Read as Latin letters or as punctuation beside Latin letters. */
const LONE = new Set('一ㄧ丨乛七丅十〇ㄒㄚㄟㄨㄩㄈㆺㆳ工ㆲ讠丁')
/** The same forms in Hiragana and in Katakana. */
const HIRAGANA_TWINS = new Set('へべぺ')
const KATAKANA_TWINS = new Set('ヘベペ')
const EAST_ASIAN = new Set(['Han', 'Hiragana', 'Katakana', 'Kana', 'Bopomofo'])
const KANA_SCRIPTS = new Set(['Hiragana', 'Katakana', 'Kana'])
/** Scripts whose letters take European accents. */
const ACCENTED = new Set(['Latin', 'Greek', 'Cyrillic', 'Inherited'])

type Letter = { readonly character: string; readonly script: string | null }

/**
 * All findings of a name in U-labels, each once, in alphabetical order. Names in ASCII have none.
 */
export function nameFindings(unicode: string): readonly NameFinding[] {
  if (/^[\0-\x7f]*$/.test(unicode)) return []
  const labels = unicode.split('.')
  const suffix = labels.at(-1) ?? ''
  const found = new Set<NameFinding>()
  for (const label of labels) if (/[^\0-\x7f]/.test(label)) for (const finding of labelFindings(label, suffix)) found.add(finding)
  return [...found].sort()
}

/** Letterlike, raised, lowered, circled and mathematical forms; not wide ones, which keyboards of East Asia type. */
const DISGUISED =
  /[\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u2070-\u209f\u2100-\u214f\u2460-\u24ff\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f1ff}\u{1fbf0}-\u{1fbf9}]/u

/** Findings about a host as it was written, before IDNA has mapped its letters. */
export const writtenFindings = (written: string): readonly NameFinding[] => (DISGUISED.test(written) ? ['disguised-letter'] : [])

function labelFindings(label: string, suffix: string): NameFinding[] {
  const letters = [...label].map((character): Letter => ({ character, script: scriptOf(character) }))
  const scripts = new Set(
    letters.flatMap(({ script }) => (script === null || script === 'Common' || script === 'Inherited' ? [] : [script])),
  )
  const checks: Readonly<Record<Exclude<NameFinding, 'disguised-letter'>, boolean>> = {
    'mixed-scripts': isMixed(letters, scripts),
    'whole-script-lookalike': label !== suffix && isWholeScriptLookalike(letters, scripts, suffix),
    'unusual-character': letters.some(({ script }) => script === null),
    'digit-lookalike':
      letters.every(({ character }) => /\d/.test(character) || DIGIT_LOOKALIKES.has(character)) &&
      letters.some(({ character }) => DIGIT_LOOKALIKES.has(character)),
    'foreign-letter': hasForeignLetter(label, suffix),
    'dangerous-sequence': isDangerous(letters, scripts),
    // The category of a character that exists does not change between versions of Unicode in any
    // case that matters here.
    invisible: /[\u200c\u200d]|(\p{M})\1/u.test(label.normalize('NFD')),
  }
  // Keys of a literal of this type.
  return (Object.keys(checks) as (keyof typeof checks)[]).filter((finding) => checks[finding])
}

function isMixed(letters: readonly Letter[], scripts: ReadonlySet<string>): boolean {
  if (scripts.size <= 1) return false
  if (!TOGETHER.some((set) => [...scripts].every((script) => set.includes(script)))) return true
  return letters.some(({ character, script }) => script === 'Latin' && character > '\x7f')
}

function isWholeScriptLookalike(letters: readonly Letter[], scripts: ReadonlySet<string>, suffix: string): boolean {
  return Object.entries(LATIN_LOOKALIKES).some(([script, { letters: lookalikes, home }]) => {
    if (!scripts.has(script) || home.includes(suffix) || [...suffix].some((character) => scriptOf(character) === script))
      return false
    return letters.every((letter) => letter.script !== script || lookalikes.includes(letter.character))
  })
}

function hasForeignLetter(label: string, suffix: string): boolean {
  if (label.length > 1 && ((suffix !== 'is' && /[þð]/.test(label)) || (suffix !== 'az' && label.includes('ə')))) return true
  return label.includes('·') && (suffix !== 'cat' || /(?<!l)·|·(?!l)/.test(label))
}

function isDangerous(letters: readonly Letter[], scripts: ReadonlySet<string>): boolean {
  const eastAsian = (letter: Letter | undefined) => letter !== undefined && EAST_ASIAN.has(letter.script ?? '')
  const kana = letters.filter(({ script }) => script === 'Hiragana' || script === 'Katakana')
  const twins = (set: ReadonlySet<string>, script: string) =>
    kana.some(({ character }) => set.has(character)) && kana.length > 1 && kana.filter((l) => l.script === script).length === 1
  if (scripts.has('Katakana') && twins(HIRAGANA_TWINS, 'Hiragana')) return true
  if (scripts.has('Hiragana') && twins(KATAKANA_TWINS, 'Katakana')) return true
  return letters.some(({ character }, index) => {
    const [before, after] = [letters[index - 1], letters[index + 1]]
    if (STROKES.has(character)) return before !== undefined && after !== undefined && !eastAsian(before) && !eastAsian(after)
    if (LONE.has(character)) return (before !== undefined && !eastAsian(before)) || (after !== undefined && !eastAsian(after))
    if (character === 'ヽ' || character === 'ヾ') return before?.script !== 'Katakana'
    if (character === 'ー') return !KANA_SCRIPTS.has(before?.script ?? '')
    if (character === '・')
      return before === undefined || after === undefined || before.script === 'Latin' || after.script === 'Latin'
    if (character >= '\u0300' && character <= '\u0339') return isDangerousMark(character, before)
    return false
  })
}

const isDangerousMark = (mark: string, before: Letter | undefined): boolean =>
  before === undefined ||
  !ACCENTED.has(before.script ?? '') ||
  before.character === 'ı' ||
  (mark === '\u0307' && /[ijl]/.test(before.character))
