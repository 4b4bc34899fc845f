import { boundedTexts, type HiddenKind, type HiddenText, MAX_HIDDEN_LENGTH } from './content.ts'
import { hidingDeclarations } from './inline-style.ts'
import { nodesOf, type PageDocument, type PageElement, type PageNode } from './layout.ts'

/** Rules of style sheets that are looked at, and characters of one sheet. */
const MAX_STYLE_RULES = 200
const MAX_STYLE_LENGTH = 100_000

const COMMENT_NODE_CODE = 8

/** Declarations that take an element out of sight. */
const UNSEEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*(?:0(?:\.0\d*)?|\.0\d*)\s*(?:;|!|$)|font-size\s*:\s*(?:0|1(?:\.\d+)?px|0?\.\d)|text-indent\s*:\s*-\d{3}|(?:left|top|right|bottom|margin-left|margin-top)\s*:\s*-\d{3}|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|$)|transform\s*:\s*scale\(\s*0|color\s*:\s*transparent)/i
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;!]{1,40})/i
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]{1,40})/i
/** One rule of a style sheet with a single class, id or element name. */
const STYLE_RULE = /(?:^|\}|\*\/)\s{0,20}([.#]?[a-z_][\w-]{0,100})\s{0,20}\{([^{}]{1,2000})(?=\})/gi

/** Elements whose text browsers do not display. */
const UNDISPLAYED = 'template, noscript, [hidden], [aria-hidden="true"]'
/** Attributes that programs read out, and those that nobody does. */
const ATTRIBUTES = [
  'alt',
  'title',
  'aria-label',
  'aria-description',
  'placeholder',
  'content',
  'value',
  'data-prompt',
  'data-ai',
] as const

/** Comments, elements out of sight, attributes, and addresses with data, in the order of these kinds. */
export function hiddenTextsOf(page: PageDocument): readonly HiddenText[] {
  const found: HiddenText[] = []
  const add = (kind: HiddenKind, text: string | null) => {
    for (const piece of piecesOf(text ?? '')) found.push({ kind, text: piece })
  }
  for (const comment of commentsOf(page)) add('comment', comment)
  for (const text of unseenTexts(page)) add('element', text)
  for (const name of ATTRIBUTES) {
    for (const element of page.querySelectorAll(`[${name}]`)) {
      const text = element.getAttribute(name) ?? ''
      // Words are more than one.
      if (/\S\s+\S/.test(text)) add('attribute', text)
    }
  }
  for (const image of page.querySelectorAll('img[src]')) {
    const url = image.getAttribute('src') ?? ''
    if (mayCarryData(url)) add('url', `![](${url})`)
  }
  for (const link of page.querySelectorAll('a[href]')) {
    const url = link.getAttribute('href') ?? ''
    if (mayCarryData(url)) add('url', `[](${url})`)
  }
  return boundedTexts(found)
}

/** Texts of the outermost elements out of sight: what is within others is a part of theirs. */
function* unseenTexts(page: PageDocument): Generator<string | null> {
  const unseen = new Set<PageNode>(unseenElements(page))
  let within = Number.POSITIVE_INFINITY
  for (const { node, depth } of nodesOf(page.querySelector('html') ?? page.body)) {
    if (depth > within) continue
    within = unseen.has(node) ? depth : Number.POSITIVE_INFINITY
    if (unseen.has(node)) yield node.textContent
  }
}

/** Characters that a piece repeats of the one before it, so that an instruction is in one of them whole. */
const OVERLAP_CHARACTERS = 500

/** A text in pieces of at most 4,000 characters: what stands behind many others is an instruction as well. */
function* piecesOf(text: string): Generator<string> {
  const trimmed = text.trim()
  for (let start = 0; start < trimmed.length; start += MAX_HIDDEN_LENGTH - OVERLAP_CHARACTERS) {
    const piece = trimmed.slice(start, start + MAX_HIDDEN_LENGTH).trim()
    if (piece !== '') yield piece
    if (start + MAX_HIDDEN_LENGTH >= trimmed.length) return
  }
}

/** Placeholders, or a value that is long enough to hold a text. */
const mayCarryData = (url: string): boolean => /[{[<$]|%7b|REPLACE|INSERT|YOUR[_-]|=[\w%+/-]{60}/i.test(url)

function* commentsOf(page: PageDocument): Generator<string | null> {
  for (const { node } of nodesOf(page.body)) if (node.nodeType === COMMENT_NODE_CODE) yield node.textContent
}

function* unseenElements(page: PageDocument): Generator<PageElement> {
  yield* page.querySelectorAll(UNDISPLAYED)
  for (const element of page.querySelectorAll('[style]')) if (isUnseen(element.getAttribute('style') ?? '')) yield element
  let rules = 0
  for (const sheet of page.querySelectorAll('style')) {
    for (const [, selector = '', declarations = ''] of (sheet.textContent ?? '')
      .slice(0, MAX_STYLE_LENGTH)
      .matchAll(STYLE_RULE)) {
      if (!isUnseen(declarations)) continue
      if (rules === MAX_STYLE_RULES) return
      rules += 1
      yield* page.querySelectorAll(selector)
    }
  }
}

/** Whether declarations hide an element, by themselves or by the colour of its background. */
function isUnseen(style: string): boolean {
  const declarations = hidingDeclarations(style)
  if (UNSEEN_STYLE.test(declarations)) return true
  const [colour, background] = [COLOUR, BACKGROUND].map((pattern) => plainColour(pattern.exec(declarations)?.[1] ?? ''))
  // White text without a background of its own stands on a white page as a rule.
  return colour !== undefined && colour !== '' && (colour === background || (background === '' && colour === WHITE))
}

const WHITE = '#ffffff'

/** One spelling of a colour, for comparison: six digits where it is white, black or short. */
function plainColour(text: string): string {
  const colour = text.trim().toLowerCase().replaceAll(' ', '')
  if (colour === 'white' || /^rgba?\(255,255,255/.test(colour)) return WHITE
  if (colour === 'black' || /^rgba?\(0,0,0(?:,1)?\)/.test(colour)) return '#000000'
  return colour.replace(/^#([\da-f])([\da-f])([\da-f])$/, '#$1$1$2$2$3$3')
}
