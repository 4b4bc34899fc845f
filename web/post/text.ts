import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'
import { type MarkdownPlace, renderMarkdown } from '../frame/markdown.ts'

/**
 * Texts of users: links are not recommended to search engines, and headings are not those of the
 * page.
 */
const PLACE: MarkdownPlace = {
  link: (address, label) => externalLink(address, label),
  headingId: () => null,
  heading: (content) => html`<p><strong>${content}</strong></p>`,
  code: (text) => html`<pre tabindex="0" aria-label="Code"><code>${text}</code></pre>`,
}

/** A text that a user wrote, as Markdown. */
export const userText = (text: string): Html => renderMarkdown(text, PLACE)
