import MiniSearch from 'minisearch'
import { markdownTokens, tokenText } from '../frame/markdown.ts'
import { headingIds } from './article.ts'
import type { Library } from './library.ts'

/** A part of a page that search finds: what stands below one heading. */
export type DocsEntry = {
  readonly id: number
  /** Of the page. */
  readonly name: string
  readonly title: string
  /** Its heading; that of the page at its beginning. */
  readonly heading: string
  /** Fragment of its address; empty at the beginning of the page. */
  readonly fragment: string
  readonly text: string
}

/** Results that a page shows. */
const MAX_RESULTS = 30
const EXCERPT_CHARACTERS = 180
/** Edits by letter of a word, at most, where nothing was found nearer: two letters of `upgarde` changed places. */
const MAX_EDITS_RATIO = 0.3
/** The heading of guides below which there are links to other pages. */
const LINKS_ONLY = 'Next'

/** A piece of an excerpt, and whether it is a word that was found. */
export type ExcerptPart = { readonly text: string; readonly isFound: boolean }

/** Finds entries by words; typing errors are fine. */
export type DocsSearch = (query: string) => readonly (DocsEntry & { readonly excerpt: readonly ExcerptPart[] })[]

/** How much a page counts by its folder: who searches wants to do something, then to look something up. */
const WEIGHTS: readonly (readonly [pages: RegExp, weight: number])[] = [
  [/^(?:start|guides)\//, 2],
  [/^reference\//, 1.4],
  [/^(?:data-model\/|contributing$)/, 0.7],
]
const weightOf = (name: string): number => WEIGHTS.find(([pages]) => pages.test(name))?.[1] ?? 1

/** Pages that say why or when, which stand below all that say how. */
const isRecord = (name: string): boolean => /^(?:adr(?:\/|$)|changelog$)/.test(name)

/** An index of all documentation, in memory: some 1,000 entries. */
export function createDocsSearch(library: Library): DocsSearch {
  const entries = entriesOf(library)
  const index = new MiniSearch<DocsEntry>({
    fields: ['title', 'heading', 'text'],
    searchOptions: {
      boost: { title: 3, heading: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (id) => weightOf(entries[Number(id)]?.name ?? ''),
    },
  })
  index.addAll(entries)
  return (query) => {
    const near = index.search(query)
    const hits = near.length > 0 ? near : index.search(query, { fuzzy: MAX_EDITS_RATIO })
    const found = hits.flatMap(({ id, terms }) => {
      const entry = entries[Number(id)]
      return entry ? [{ entry, terms }] : []
    })
    const ordered = [...found.filter(({ entry }) => !isRecord(entry.name)), ...found.filter(({ entry }) => isRecord(entry.name))]
    return ordered.slice(0, MAX_RESULTS).map(({ entry, terms }) => ({ ...entry, excerpt: excerptOf(entry.text, terms) }))
  }
}

function entriesOf({ pages }: Library): readonly DocsEntry[] {
  const entries: DocsEntry[] = []
  for (const { name, title, text } of pages.values()) {
    const idOf = headingIds()
    let heading = title
    let fragment = ''
    let words: string[] = []
    const end = () => {
      if (heading !== LINKS_ONLY) entries.push({ id: entries.length, name, title, heading, fragment, text: words.join(' ') })
    }
    let isHeading = false
    for (const token of markdownTokens(text)) {
      if (token.type === 'heading_open') isHeading = true
      else if (token.type === 'inline' && isHeading) {
        isHeading = false
        const said = tokenText(token)
        const id = idOf(said)
        // A decision record is one entry: its headings are the same in all of them.
        if ((said === title && words.length === 0) || name.startsWith('adr/')) continue
        end()
        ;[heading, fragment, words] = [said, id, []]
      } else if (token.type === 'inline' || token.type === 'fence' || token.type === 'code_block') words.push(tokenText(token))
    }
    end()
  }
  return entries
}

/** The words around the first one that was found, in pieces. */
function excerptOf(text: string, terms: readonly string[]): readonly ExcerptPart[] {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const begin = first < 60 ? 0 : text.indexOf(' ', first - 60) + 1
  const cut = text.slice(begin, begin + EXCERPT_CHARACTERS).toWellFormed()
  const found = new Set(terms)
  const shown = `${begin > 0 ? '… ' : ''}${cut}${begin + EXCERPT_CHARACTERS < text.length ? '…' : ''}`
  return shown
    .split(/([\p{L}\p{N}]+)/u)
    .map((piece) => ({ text: piece, isFound: found.has(piece.toLowerCase()) }))
    .filter((piece) => piece.text !== '')
}
