/** A paragraph, heading, list item or cell: the text between two layout breaks. */
export type Block = {
  readonly text: string
  /** The parts of `text` inside links, in order. */
  readonly linked: string
}

/** Where a text stands that readers of a page do not see. */
export type HiddenKind = 'comment' | 'element' | 'attribute' | 'url'
export type HiddenText = { readonly kind: HiddenKind; readonly text: string }

/** Hidden texts of one page: those of large pages are some hundred, and menus for the most part; of more, short ones are joined. */
const MAX_HIDDEN_TEXTS = 2_000
/** Characters of one hidden text; a longer one is in pieces that overlap. */
export const MAX_HIDDEN_LENGTH = 4_000

/** Result of an extractor, the input of `rateEvidence`. */
export type ExtractedContent = {
  /** Null when the page has none. */
  readonly title: string | null
  /** Text blocks in reading order. */
  readonly blocks: readonly Block[]
  /** Visible words that the extractor left out: menus, dialogs, forms. 0 when none or unknown. */
  readonly leftOutWords: number
  /** The page declares content for subscribers, and that content is missing. */
  readonly isRestricted: boolean
  /** Word count that the page declares; null when it declares none. */
  readonly declaredWords: number | null
  /** What readers of the page do not see, for `rateContentRisk`; absent when unknown. */
  readonly hidden?: readonly HiddenText[]
}

/** The text of all blocks, with a blank line between two. */
export const textOf = ({ blocks }: Pick<ExtractedContent, 'blocks'>): string => blocks.map(({ text }) => text).join('\n\n')

/**
 * Markdown link. Its label counts as text, its URL does not. Bounded quantifiers keep matching
 * linear.
 */
const LINK = /(!?)\[([^[\]]{0,1000})\]\([^()\s]{0,2000}(?:\s"[^"]{0,500}")?\)/g

/**
 * Converts text of another extractor, plain or Markdown. Blocks are separated by blank lines, or by
 * line breaks when there are no blank lines.
 */
export function contentOfText(title: string | null, text: string): ExtractedContent {
  const lines = text.split(/\r\n?|\n/)
  const parts = lines.some((line, index) => line.trim() === '' && index > 0 && index < lines.length - 1)
    ? text.split(/(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)/)
    : lines
  return {
    title,
    blocks: parts.flatMap(blockOf),
    leftOutWords: 0,
    isRestricted: false,
    declaredWords: null,
    hidden: linksIn(text),
  }
}

/** Links and images whose URLs `blocks` lacks. */
const linksIn = (text: string): readonly HiddenText[] =>
  boundedTexts([...text.matchAll(LINK)].map(([link]) => ({ kind: 'url', text: link.slice(0, MAX_HIDDEN_LENGTH) })))

/**
 * The texts, at most 2,000: of more, short ones of a kind are joined, so that thousands hide none of
 * the others. Where these are still more, each kind has an equal share, and what it leaves goes to
 * the others.
 */
export function boundedTexts(texts: readonly HiddenText[]): readonly HiddenText[] {
  if (texts.length <= MAX_HIDDEN_TEXTS) return texts
  const packs: HiddenText[] = []
  let lines: string[] = []
  let length = 0
  for (const [index, { kind, text }] of texts.entries()) {
    lines.push(text)
    length += text.length + 1
    const next = texts[index + 1]
    if (next?.kind === kind && length + next.text.length <= MAX_HIDDEN_LENGTH) continue
    packs.push({ kind, text: lines.join('\n') })
    lines = []
    length = 0
  }
  return sharedOut(packs)
}

/** As many texts as there may be; kinds with few come first, so that their rest is shared by the others. */
function sharedOut(texts: readonly HiddenText[]): readonly HiddenText[] {
  const kinds = [...Map.groupBy(texts, ({ kind }) => kind).values()].sort((a, b) => a.length - b.length)
  let left = MAX_HIDDEN_TEXTS
  const included = new Set<HiddenText>()
  for (const [index, ofKind] of kinds.entries()) {
    const share = ofKind.slice(0, Math.floor(left / (kinds.length - index)))
    for (const text of share) included.add(text)
    left -= share.length
  }
  return texts.filter((text) => included.has(text))
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
