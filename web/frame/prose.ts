import { type Html, html } from './html.ts'

/**
 * A description: paragraphs between blank lines, `code` between backticks. Nothing else of Markdown
 * stands in ours.
 */
export const prose = (text: string): Html =>
  html`${text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`

/** The same without paragraphs. */
export const inline = (text: string): Html =>
  html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
