import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'

/** An address with its scheme; a sign that ends a sentence after it is not part of it. */
const ADDRESS = /(https?:\/\/[^\s<>"]*[^\s<>"'.,:;!?)\]}])/

/** A message as it was written, with its addresses as links. */
export const messageText = (text: string): Html =>
  // A group in the pattern keeps what it separates: every second part is an address.
  html`${text.split(ADDRESS).map((part, index) => (index % 2 === 1 ? externalLink(part) : part))}`
