import { createRequire } from 'node:module'
import type * as HtmlParser from 'htmlparser2'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'

// Loaded for the first text of a merchant, not at each start.
const require = createRequire(import.meta.url)
const newParser: (...options: ConstructorParameters<typeof HtmlParser.Parser>) => HtmlParser.Parser = (...options) =>
  // `require` has no types.
  new (require('htmlparser2') as typeof HtmlParser).Parser(...options)

/** Longer texts are cut: nobody reads so much of a product. */
const MAX_LENGTH = 50_000
/** Deeper elements are left out, and their texts stay. */
const MAX_DEPTH = 20

/** What an element becomes; others are left out, and what is in them stays. */
const ELEMENTS: LookupTable<MakeElement> = lookupTable({
  p: (content) => html`<p>${content}</p>`,
  div: (content) => html`<div>${content}</div>`,
  br: () => html`<br>`,
  hr: () => html`<hr>`,
  strong: (content) => html`<strong>${content}</strong>`,
  b: (content) => html`<strong>${content}</strong>`,
  em: (content) => html`<em>${content}</em>`,
  i: (content) => html`<em>${content}</em>`,
  u: (content) => html`<u>${content}</u>`,
  s: (content) => html`<s>${content}</s>`,
  small: (content) => html`<small>${content}</small>`,
  sub: (content) => html`<sub>${content}</sub>`,
  sup: (content) => html`<sup>${content}</sup>`,
  ul: (content) => html`<ul>${content}</ul>`,
  ol: (content) => html`<ol>${content}</ol>`,
  li: (content) => html`<li>${content}</li>`,
  dl: (content) => html`<dl>${content}</dl>`,
  dt: (content) => html`<dt>${content}</dt>`,
  dd: (content) => html`<dd>${content}</dd>`,
  blockquote: (content) => html`<blockquote>${content}</blockquote>`,
  pre: (content) => html`<pre tabindex="0">${content}</pre>`,
  code: (content) => html`<code>${content}</code>`,
  // A page has one heading of its own, with those of the merchant below it.
  h1: (content) => html`<h2>${content}</h2>`,
  h2: (content) => html`<h2>${content}</h2>`,
  h3: (content) => html`<h3>${content}</h3>`,
  h4: (content) => html`<h4>${content}</h4>`,
  h5: (content) => html`<h5>${content}</h5>`,
  h6: (content) => html`<h6>${content}</h6>`,
  table: (content) => html`<div class="wide" tabindex="0" role="region" aria-label="Table"><table>${content}</table></div>`,
  thead: (content) => html`<thead>${content}</thead>`,
  tbody: (content) => html`<tbody>${content}</tbody>`,
  tr: (content) => html`<tr>${content}</tr>`,
  th: (content) => html`<th>${content}</th>`,
  td: (content) => html`<td>${content}</td>`,
  a: (content, { href }) => (href === undefined ? html`${content}` : externalLink(href, content)),
})

/** Elements whose text is no text of the page. */
const HIDDEN: readonly string[] = [
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'object',
  'svg',
  'math',
  'title',
  'textarea',
]

type MakeElement = (content: Content, attributes: LookupTable<string>) => Html
/** Without `make`, its content is that of the element around it. */
type Open = {
  readonly name: string
  readonly attributes: LookupTable<string>
  readonly content: Content[]
  readonly make: MakeElement | undefined
}

/**
 * What a merchant wrote as HTML: known elements without their attributes, links to http and https,
 * and texts. Nothing of it is sent as it came: every element is made by a template of ours.
 */
export function richText(source: string): Html {
  const root: Content[] = []
  const open: Open[] = []
  let hiddenDepth = 0
  const around = () => open.at(-1)?.content ?? root
  const parser = newParser(
    {
      onopentag(name, attributes) {
        if (HIDDEN.includes(name)) hiddenDepth += 1
        const make = open.length < MAX_DEPTH ? ELEMENTS[name] : undefined
        open.push({ name, attributes: lookupTable(attributes), content: make ? [] : around(), make })
      },
      ontext(text) {
        if (hiddenDepth === 0) around().push(text)
      },
      onclosetag() {
        const closed = open.pop()
        if (!closed) return
        if (HIDDEN.includes(closed.name)) hiddenDepth -= 1
        if (closed.make && hiddenDepth === 0) around().push(closed.make(closed.content, closed.attributes))
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.end(source.slice(0, MAX_LENGTH).toWellFormed())
  return html`${root}`
}

/** The same without elements, for descriptions of at most `max` characters. */
export function plainText(source: string, max: number): string {
  const parts: string[] = []
  let hiddenDepth = 0
  const parser = newParser({
    onopentagname(name) {
      if (HIDDEN.includes(name)) hiddenDepth += 1
    },
    ontext(text) {
      if (hiddenDepth === 0) parts.push(text)
    },
    onclosetag(name) {
      if (HIDDEN.includes(name)) hiddenDepth -= 1
      else parts.push(' ')
    },
  })
  parser.end(source.slice(0, MAX_LENGTH).toWellFormed())
  const text = parts.join('').replace(/\s+/g, ' ').trim()
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}
