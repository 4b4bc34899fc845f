import { createRequire } from 'node:module'
import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { type Content, type Html, html } from './html.ts'

/** Deeper elements are left out, and their texts stay. The parser has no blocks beyond 100. */
const MAX_DEPTH = 50
/** Characters of an address for one that was written: three bytes of UTF-8, each as `%XX`. */
const MAX_ENCODED_CHARACTERS = 9

/**
 * CommonMark with tables. HTML in a text is text, and so are addresses outside of links. The
 * library only parses: what is sent is made by our own templates, which escape everything.
 */
function parserFor(text: string): MarkdownIt {
  loaded ??= { withTables: newParser(), withoutTables: newParser().disable('table') }
  return mayMultiplyCells(text) ? loaded.withoutTables : loaded.withTables
}
// The package exports its class.
const newParser = (): MarkdownIt => new (require('markdown-it') as typeof MarkdownIt)({ html: false, linkify: false })
let loaded: { readonly withTables: MarkdownIt; readonly withoutTables: MarkdownIt } | undefined
// Its 60 modules are loaded for the first text, not at each start.
const require = createRequire(import.meta.url)

/** How the parts of a document that depend on its place are drawn. */
export type MarkdownPlace = {
  /** A link; its text is drawn already. */
  readonly link: (address: string, label: Html) => Html
  /** The id of a heading with this text; null: it has none, and nobody links to it. */
  readonly headingId: (text: string) => string | null
  /** Draws a heading otherwise: in texts of users, which are parts of a page. */
  readonly heading?: (content: Html) => Html
  /** Draws a block of code in this language, empty where none is named. */
  readonly code: (text: string, language: string) => Html
  /** Draws blocks that follow each other directly as one; absent: each for itself. */
  readonly codes?: (blocks: readonly { readonly text: string; readonly language: string }[]) => Html
}

/** Draws a document. */
export const renderMarkdown = (text: string, place: MarkdownPlace): Html => drawn(parserFor(text).parse(text, {}), text, place)

/** Draws the marks inside one paragraph: code, emphasis and links. */
export const renderInline = (text: string, place: MarkdownPlace): Html => drawn(parserFor('').parseInline(text, {}), text, place)

/** The tokens of a document, for who looks for something in it. */
export const markdownTokens = (text: string): readonly Token[] => parserFor(text).parse(text, {})

/** Words of a token, without marks. */
export function tokenText({ content, children, type }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return ' '
  return children === null || children.length === 0 ? content : children.map(tokenText).join('')
}

/** Signs without which a text cannot have a mark of Markdown. */
const MARKS = /[*_`[\]#~|\\&]|^[ \t]*(?:[-+>=]|\d{1,9}[.)])/m
/** More than any excerpt shows. */
const MAX_PARSED_CHARACTERS = 8_000

/** The words of a text, for where no marks are drawn: lists, previews, programs. */
export function plainText(text: string): string {
  if (!MARKS.test(text)) return text
  const start = text.slice(0, MAX_PARSED_CHARACTERS).toWellFormed()
  return parserFor(start)
    .parse(start, {})
    .filter(({ type }) => type === 'inline' || type === 'fence' || type === 'code_block')
    .map(tokenText)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Whether tables may have more cells than the text has characters: markdown-it fills short rows up,
 * so that 1,500 characters become 65,000 cells. Such tables are shown as text.
 */
function mayMultiplyCells(text: string): boolean {
  if (!text.includes('|')) return false
  let [cells, columns] = [0, 0]
  for (const line of text.split(/\r\n?|\n/)) {
    // A table ends before an empty line at the latest.
    if (/^[ \t]*$/.test(line)) columns = 0
    cells += columns
    if (DELIMITER_ROW.test(line)) columns = Math.max(columns, line.split('|').length)
  }
  return cells > text.length
}
/** `|---|:-:|`, also in quotes and lists. */
const DELIMITER_ROW = /^(?=.*\|)(?=.*-)[\s>|:*+\d.)-]*$/

/** An element that is not closed yet. Without `draw`, its content is that of the element around it. */
type Open = { readonly token: Token; readonly words: string; readonly content: Content[]; readonly draw: Draw | undefined }

/**
 * Draws tokens in one walk. markdown-it bounds the depth of blocks and links, and not that of
 * emphasis, which a text can have thousands of levels of.
 */
function drawn(tokens: readonly Token[], source: string, place: MarkdownPlace): Html {
  const root: Content[] = []
  const open: Open[] = []
  const limited = { ...place, link: limitedLink(place, source) }
  const around = (): Content[] => open.at(-1)?.content ?? root

  function add(token: Token, following?: Token): void {
    if (token.nesting === 0) around().push(leaf(token, limited))
    else if (token.nesting === 1) {
      const draw = open.length < MAX_DEPTH ? ELEMENTS[token.type.replace(/_open$/, '')] : undefined
      const words = token.type === 'heading_open' && following ? tokenText(following) : ''
      open.push({ token, words, content: draw ? [] : around(), draw })
    } else {
      const closed = open.pop()
      if (closed?.draw) around().push(closed.draw(html`${closed.content}`, closed, limited))
      else if (token.block) around().push('\n')
    }
  }

  let drawnFences = 0
  for (const [index, token] of tokens.entries()) {
    if (drawnFences > 0) {
      drawnFences -= 1
      continue
    }
    const run = place.codes && token.type === 'fence' ? fencesFrom(tokens, index) : []
    if (place.codes && run.length > 1) {
      around().push(place.codes(run))
      drawnFences = run.length - 1
    } else if (token.type === 'inline') for (const child of token.children ?? []) add(child)
    else add(token, tokens[index + 1])
  }
  return html`${root}`
}

/** The blocks of code that follow each other directly from this token on. */
function fencesFrom(tokens: readonly Token[], start: number): readonly { readonly text: string; readonly language: string }[] {
  let end = start
  while (tokens[end]?.type === 'fence') end += 1
  return tokens.slice(start, end).map(({ content, info }) => ({ text: content, language: languageOf(info) }))
}

/** The language that the words behind a fence name. */
const languageOf = (info: string): string => info.trim().split(/\s/, 1)[0] ?? ''

/**
 * Draws links until their addresses are longer than a text can write out, and only the labels of
 * those after that: many links can use one definition.
 */
function limitedLink({ link }: MarkdownPlace, source: string): MarkdownPlace['link'] {
  let charactersLeft = source.length * MAX_ENCODED_CHARACTERS
  return (address, label) => {
    charactersLeft -= address.length
    return charactersLeft < 0 ? label : link(address, label)
  }
}

function leaf(token: Token, place: MarkdownPlace): Content {
  switch (token.type) {
    case 'code_inline':
      return html`<code>${token.content}</code>`
    case 'fence':
    case 'code_block':
      return place.code(token.content, languageOf(token.info))
    case 'hardbreak':
      return html`<br>`
    case 'softbreak':
      return '\n'
    case 'hr':
      return html`<hr>`
    default:
      // Pictures are shown by their words: pages load nothing from elsewhere.
      return tokenText(token)
  }
}

type Draw = (content: Html, opened: Pick<Open, 'token' | 'words'>, place: MarkdownPlace) => Html

/** The alignment that a column of a table has, as the class of its cells. */
const alignment = (token: Token): Html | false => /right|center/.test(token.attrGet('style') ?? '') && html` class="number"`

const ELEMENTS: LookupTable<Draw> = lookupTable<Draw>({
  // Tight lists have paragraphs that are not drawn.
  paragraph: (content, { token: { hidden } }) => (hidden ? content : html`<p>${content}</p>`),
  heading: (content, { token: { tag }, words }, { headingId, heading: draw }) =>
    draw?.(content) ?? heading(tag, content, headingId(words)),
  bullet_list: (content) => html`<ul>${content}</ul>`,
  ordered_list: (content, { token }) => html`<ol start="${Number(token.attrGet('start') ?? 1)}">${content}</ol>`,
  list_item: (content) => html`<li>${content}</li>`,
  blockquote: (content) => html`<blockquote>${content}</blockquote>`,
  strong: (content) => html`<strong>${content}</strong>`,
  em: (content) => html`<em>${content}</em>`,
  s: (content) => html`<s>${content}</s>`,
  link: (content, { token }, { link }) => link(token.attrGet('href') ?? '', content),
  table: (content) => html`<div class="wide" tabindex="0" role="region" aria-label="Table"><table>${content}</table></div>`,
  thead: (content) => html`<thead>${content}</thead>`,
  tbody: (content) => html`<tbody>${content}</tbody>`,
  tr: (content) => html`<tr>${content}</tr>`,
  th: (content, { token }) => html`<th scope="col"${alignment(token)}>${content}</th>`,
  td: (content, { token }) => html`<td${alignment(token)}>${content}</td>`,
})

function heading(tag: string, content: Html, id: string | null): Html {
  const anchor = id !== null && html` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
  const named = id !== null && html` id="${id}"`
  if (tag === 'h1') return html`<h1${named}>${content}</h1>`
  if (tag === 'h2') return html`<h2${named}>${content}${anchor}</h2>`
  if (tag === 'h3') return html`<h3${named}>${content}${anchor}</h3>`
  return html`<h4${named}>${content}${anchor}</h4>`
}
