import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'
import { type MarkdownPlace, renderInline } from '../frame/markdown.ts'

/** Texts of strangers inside a page: links are not recommended to search engines. */
const PLACE: MarkdownPlace = {
  link: (address, label) => externalLink(address, label),
  headingId: () => null,
  code: (text) => html`<code>${text}</code>`,
}

/** A description that somebody else wrote, with its code, emphasis and links. */
export const description = (text: string): Html => renderInline(text, PLACE)
