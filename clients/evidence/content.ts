/** A paragraph, heading, list item or cell: what stands between two breaks of the layout. */
export type Block = {
  readonly text: string
  /** The part of `text` that is inside of links, in order. */
  readonly linked: string
}

/** What an extractor got out of a page, in the form that is rated. */
export type ExtractedContent = {
  /** Null: the page has none. */
  readonly title: string | null
  /** In reading order. */
  readonly blocks: readonly Block[]
  /**
   * Words of the page that people see and the extractor left out: menus, dialogs, forms. 0 when
   * there are none, or nobody knows.
   */
  readonly leftOutWords: number
  /** The page says that a part of it is not for everybody, and that part is not there. */
  readonly isRestricted: boolean
  /** The length that the page claims to have, in words; null: it does not say. */
  readonly declaredWords: number | null
}

/**
 * A link of Markdown. What it shows counts as text, where it leads does not. Both are bounded, so
 * that matching stays linear.
 */
const LINK = /(!?)\[([^[\]]{0,1000})\]\([^()\s]{0,2000}(?:\s"[^"]{0,500}")?\)/g

/**
 * The form of text that an extractor of the caller's has made, plain or Markdown. Blocks are
 * separated by blank lines or, where there is none, by line breaks.
 */
export function contentOfText(title: string | null, text: string): ExtractedContent {
  const lines = text.split(/\r\n?|\n/)
  const parts = lines.some((line, index) => line.trim() === '' && index > 0 && index < lines.length - 1)
    ? text.split(/(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)/)
    : lines
  return { title, blocks: parts.flatMap(blockOf), leftOutWords: 0, isRestricted: false, declaredWords: null }
}

function blockOf(markdown: string): Block[] {
  const linked: string[] = []
  const text = markdown.replaceAll(LINK, (_, isImage: string, shown: string) => {
    if (isImage) return ' '
    linked.push(shown)
    return shown
  })
  return text.trim() === '' ? [] : [{ text: text.trim(), linked: linked.join(' ') }]
}
