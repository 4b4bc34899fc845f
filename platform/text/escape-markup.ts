import { type LookupTable, lookupTable } from '../collections/lookup-table.ts'

const ESCAPES: LookupTable<string> = lookupTable({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })

/** What XML 1.0 §2.2 does not allow, and no text needs. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
const SPECIAL = /[&<>"']/g

/** Escapes a text for HTML and XML, for elements and quoted attributes. */
export const escapeMarkup = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(SPECIAL, (character) => ESCAPES[character] ?? '')
