/**
 * Longest word that is indexed or looked for; longer runs of letters are identifiers nobody types.
 */
export const MAX_WORD_LENGTH = 40

/** Words of the trade: nearly every item has them, so they say little and are never required. */
const DOMAIN_STOP_WORDS = ['mcp', 'server', 'servers', 'skill', 'skills', 'plugin', 'plugins', 'tool', 'tools', 'agent', 'agents']
const FUNCTION_WORDS =
  'a an and any are as at be by can do for from get give help how i in into is it its let me my need of on or our that the their them there this to up use used using want was we what when where which with you your'.split(
    ' ',
  )

/** Words that rank, but need not occur: alone they still answer. */
export const STOP_WORDS: ReadonlySet<string> = new Set([...DOMAIN_STOP_WORDS, ...FUNCTION_WORDS])

/**
 * Each row is one thing under several names, as people search for it; all already in folded form.
 */
const SYNONYMS: readonly (readonly string[])[] = [
  ['postgres', 'postgresql', 'pg', 'psql'],
  ['kubernetes', 'k8s', 'kubectl'],
  ['github', 'gh'],
  ['javascript', 'js'],
  ['typescript', 'ts'],
  ['python', 'py'],
  ['golang', 'go'],
  ['database', 'databases', 'db'],
  ['mongodb', 'mongo'],
  ['elasticsearch', 'elastic', 'opensearch'],
  ['gdrive', 'googledrive'],
  ['bq', 'bigquery'],
  ['ms', 'microsoft'],
  ['yt', 'youtube'],
  ['vscode', 'visualstudiocode'],
  ['dotnet', 'netcore', 'aspnet'],
  ['cplusplus', 'cpp'],
  ['markdown', 'md'],
  ['ruby', 'rb'],
  ['rust', 'rs'],
  ['nodejs', 'node'],
  ['wordpress', 'wp'],
  ['huggingface', 'hf'],
  ['tradingview', 'tv'],
  ['homeassistant', 'hass'],
  ['email', 'mail', 'emails', 'smtp', 'gmail'],
  ['authentication', 'auth', 'login'],
  ['documentation', 'docs', 'doc'],
  ['repository', 'repo', 'repositories'],
  ['image', 'images', 'picture', 'photo'],
  ['spreadsheet', 'spreadsheets', 'excel', 'xlsx'],
  ['presentation', 'presentations', 'slides', 'powerpoint', 'pptx'],
  ['word', 'docx'],
  ['browser', 'browsers', 'playwright', 'puppeteer'],
  ['scrape', 'scraper', 'scraping', 'crawl', 'crawler', 'crawling'],
  ['cryptocurrency', 'crypto'],
  ['aws', 'amazon'],
  ['gcp', 'googlecloud'],
  ['llm', 'llms'],
  ['ml', 'machinelearning'],
  ['cicd', 'ci'],
  ['terraform', 'tf', 'opentofu'],
  ['calendar', 'calendars', 'gcal', 'googlecalendar'],
  ['vulnerability', 'vulnerabilities', 'cve'],
  ['test', 'tests', 'testing'],
  ['weather', 'forecast'],
  ['translate', 'translation', 'translator'],
  ['chart', 'charts', 'graph', 'visualization', 'plot'],
  ['chat', 'messaging', 'message', 'messages'],
  ['vector', 'embedding', 'embeddings'],
  ['filesystem', 'files', 'file'],
  ['time', 'timezone', 'clock'],
  ['twitter', 'tweet', 'tweets'],
  ['jira', 'atlassian'],
]

/** Short names of several words, which names and descriptions spell out. */
const PHRASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['gdocs', ['google', 'docs']],
  ['gsheets', ['google', 'sheets']],
  ['gslides', ['google', 'slides']],
  ['gmaps', ['google', 'maps']],
  ['msteams', ['microsoft', 'teams']],
])

/** The words that a typed word stands for; the word itself for most. */
export const phraseOf = (word: string): readonly string[] => PHRASES.get(word) ?? [word]

const SYNONYMS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  SYNONYMS.flatMap((row) => row.map((word) => [word, row.filter((other) => other !== word)] as const)),
)

/** Other names of the same thing, without the word itself; empty for most words. */
export const synonymsOf = (word: string): readonly string[] => SYNONYMS_OF.get(word) ?? []

/**
 * Names in which a sign is a letter, and the words that they are read as: a text is cut at signs.
 * The dot of `.net` must not follow a word: `example.net` is an address.
 */
const SIGN_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\basp\.net\b/giu, ' aspnet dotnet '],
  [/(?<![\p{L}\p{N}/])\.net\b(?![.-])/giu, ' dotnet '],
  [/(?<![\p{L}\p{N}])c#/giu, ' csharp '],
  [/(?<![\p{L}\p{N}])f#/giu, ' fsharp '],
  [/(?<![\p{L}\p{N}])c\+\+/giu, ' cplusplus '],
]

const HAS_SIGN_NAME = /\.net|[cf]#|c\+\+/i

function readSignNames(text: string): string {
  if (!HAS_SIGN_NAME.test(text)) return text
  return SIGN_NAMES.reduce((read, [name, word]) => read.replace(name, word), text)
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const MARKS = /\p{M}+/gu
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u
const UNSPACED_RUN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}ー]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}ー]+/gu
/**
 * Where a person would read a new word inside an identifier: `fooBar`, `HTTPServer`, `s3Bucket`.
 */
const INNER = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{Lu}+|\p{N}+/gu

/** Most texts: the forms and classes of Unicode, which take ten times as long, change nothing there. */
const ASCII = /^[\t-\r -~]*$/
const isAscii = (text: string): boolean => ASCII.test(text)
const ASCII_WORD = /[A-Za-z0-9]+/g

/** Whether a text has letters beyond ASCII, or may have a sign that is read as a letter. */
export const needsUnicode = (text: string): boolean => HAS_UNUSUAL.test(text)
const HAS_UNUSUAL = /[^\t-\r -~]|[#+]|\.[nN]/

const NO_PARTS: readonly string[] = []
/** One word for `INNER`, and so without parts. */
const PLAIN_WORD = /^[A-Z]?[a-z]+$/

/** Lower case, compatibility forms and accents folded: `Ｃafé` becomes `cafe`. */
export const fold = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.normalize('NFKD').replace(MARKS, '').toLowerCase().normalize('NFC')

/** Whether a text is in a script that does not put spaces between words. */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text)

/** A word as it was written, and the words inside it when it is an identifier of several. */
export type Word = { readonly whole: string; readonly parts: readonly string[] }

/** The words of a text in order. Scripts without spaces give overlapping pairs of characters. */
export function tokenize(text: string): Word[] {
  if (isAscii(text)) return (readSignNames(text).match(ASCII_WORD) ?? []).map(wordOf)
  const words: Word[] = []
  for (const [raw] of readSignNames(text.normalize('NFKC')).matchAll(WORD)) {
    if (UNSPACED.test(raw)) {
      for (const [run] of raw.matchAll(UNSPACED_RUN)) {
        if (!UNSPACED.test(run)) words.push(wordOf(run))
        else for (const pair of pairsOf(run)) words.push({ whole: pair, parts: [] })
      }
    } else words.push(wordOf(raw))
  }
  return words
}

function wordOf(raw: string): Word {
  if (PLAIN_WORD.test(raw)) return { whole: raw.toLowerCase().slice(0, MAX_WORD_LENGTH), parts: NO_PARTS }
  const whole = fold(raw).slice(0, MAX_WORD_LENGTH)
  const inner = raw.match(INNER) ?? []
  // A digit behind letters (`s3`, `gpt4`) belongs to them as often as not: both readings are kept.
  return { whole, parts: inner.length > 1 ? inner.map(fold).filter((part) => part.length > 1) : [] }
}

function pairsOf(run: string): string[] {
  const characters = [...fold(run)]
  return characters.length === 1 ? characters : characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

/** Longest first: an ending is taken for the whole of it. */
const ENDINGS = 'izations ization ations ation ings ing ies ers ors ied er or ed es s e y'.split(' ')
/** Letters that must be left of a word. */
const MIN_STEM_LENGTH = 4

/** Whether a word may have other forms, or be the common beginning of some: Latin letters only. */
const hasStem = (word: string): boolean => /^[a-z]+$/.test(word)

/** Every word that may have this stem: itself, and with an ending. */
export const formsOf = (base: string): readonly string[] =>
  hasStem(base) ? [base, ...ENDINGS.flatMap((ending) => [base + ending, base + base.slice(-1) + ending])] : []

/**
 * The common beginning of the forms of an English word; the word itself when it is short or not
 * Latin.
 */
export function stem(word: string): string {
  if (word.length <= MIN_STEM_LENGTH || !hasStem(word)) return word
  for (const ending of ENDINGS) {
    if (!word.endsWith(ending) || word.length - ending.length < MIN_STEM_LENGTH || word.endsWith('ss')) continue
    // `debugging` and `debugger` are forms of `debug`.
    return word.slice(0, -ending.length).replace(/([bdgmnprt])\1$/, '$1')
  }
  return word
}
