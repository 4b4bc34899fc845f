import { createRequire } from 'node:module'
import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { type Content, type Html, html } from './html.ts'

/**
 * CommonMark with tables. HTML in a text is text, and so are addresses outside of links. The
 * library only parses: what is sent is made by our own templates, which escape everything.
 */
const parser = (): MarkdownIt => (loaded ??= new (require('markdown-it') as typeof MarkdownIt)({ html: false, linkify: false }))
let loaded: MarkdownIt | undefined
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
}

/** Draws a document. */
export const renderMarkdown = (text: string, place: MarkdownPlace): Html => drawn(parser().parse(text, {}), place)

/** Draws the marks inside one paragraph: code, emphasis and links. */
export const renderInline = (text: string, place: MarkdownPlace): Html => drawn(parser().parseInline(text, {}), place)

/** The tokens of a document, for who looks for something in it. */
export const markdownTokens = (text: string): readonly Token[] => parser().parse(text, {})

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
  return parser()
    .parse(text.slice(0, MAX_PARSED_CHARACTERS).toWellFormed(), {})
    .filter(({ type }) => type === 'inline' || type === 'fence' || type === 'code_block')
    .map(tokenText)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Tokens between an opening one and the one that closes it, and the index behind that. */
function inside(tokens: readonly Token[], opening: number): { readonly within: readonly Token[]; readonly next: number } {
  let depth = 0
  for (let index = opening; index < tokens.length; index++) {
    depth += tokens[index]?.nesting ?? 0
    if (depth === 0) return { within: tokens.slice(opening + 1, index), next: index + 1 }
  }
  return { within: tokens.slice(opening + 1), next: tokens.length }
}

function drawn(tokens: readonly Token[], place: MarkdownPlace): Html {
  const parts: Content[] = []
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index]
    if (token === undefined) break
    if (token.nesting === 1) {
      const { within, next } = inside(tokens, index)
      parts.push(element(token, within, place))
      index = next
    } else {
      parts.push(leaf(token, place))
      index++
    }
  }
  return html`${parts}`
}

function leaf(token: Token, place: MarkdownPlace): Content {
  switch (token.type) {
    case 'inline':
      return drawn(token.children ?? [], place)
    case 'code_inline':
      return html`<code>${token.content}</code>`
    case 'fence':
    case 'code_block':
      return place.code(token.content, token.info.trim().split(/\s/, 1)[0] ?? '')
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

type Draw = (content: Html, token: Token, within: readonly Token[], place: MarkdownPlace) => Html

/** The alignment that a column of a table has, as the class of its cells. */
const alignment = (token: Token): Html | false => /right|center/.test(token.attrGet('style') ?? '') && html` class="number"`

const ELEMENTS: LookupTable<Draw> = lookupTable<Draw>({
  // Tight lists have paragraphs that are not drawn.
  paragraph: (content, { hidden }) => (hidden ? content : html`<p>${content}</p>`),
  heading: (content, { tag }, within, { headingId, heading: draw }) =>
    draw?.(content) ?? heading(tag, content, headingId(within.map(tokenText).join(''))),
  bullet_list: (content) => html`<ul>${content}</ul>`,
  ordered_list: (content, token) => html`<ol start="${Number(token.attrGet('start') ?? 1)}">${content}</ol>`,
  list_item: (content) => html`<li>${content}</li>`,
  blockquote: (content) => html`<blockquote>${content}</blockquote>`,
  strong: (content) => html`<strong>${content}</strong>`,
  em: (content) => html`<em>${content}</em>`,
  s: (content) => html`<s>${content}</s>`,
  link: (content, token, _, { link }) => link(token.attrGet('href') ?? '', content),
  table: (content) => html`<div class="wide" tabindex="0" role="region" aria-label="Table"><table>${content}</table></div>`,
  thead: (content) => html`<thead>${content}</thead>`,
  tbody: (content) => html`<tbody>${content}</tbody>`,
  tr: (content) => html`<tr>${content}</tr>`,
  th: (content, token) => html`<th scope="col"${alignment(token)}>${content}</th>`,
  td: (content, token) => html`<td${alignment(token)}>${content}</td>`,
})

function element(token: Token, within: readonly Token[], place: MarkdownPlace): Html {
  const content = drawn(within, place)
  return ELEMENTS[token.type.replace(/_open$/, '')]?.(content, token, within, place) ?? content
}

function heading(tag: string, content: Html, id: string | null): Html {
  const anchor = id !== null && html` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
  const named = id !== null && html` id="${id}"`
  if (tag === 'h1') return html`<h1${named}>${content}</h1>`
  if (tag === 'h2') return html`<h2${named}>${content}${anchor}</h2>`
  if (tag === 'h3') return html`<h3${named}>${content}${anchor}</h3>`
  return html`<h4${named}>${content}${anchor}</h4>`
}
