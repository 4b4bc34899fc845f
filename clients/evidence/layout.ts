import type { Block } from './content.ts'

/** The used part of the DOM interface, because Node's types have no DOM. */
export type PageNode = {
  readonly nodeType: number
  readonly textContent: string | null
  readonly firstChild: PageNode | null
  readonly nextSibling: PageNode | null
}
export type PageElement = PageNode & {
  readonly tagName: string
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  hasAttribute(name: string): boolean
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  contains(other: PageNode): boolean
  remove(): void
}
export type PageDocument = Pick<PageElement, 'querySelector' | 'querySelectorAll'> & { readonly body: PageElement }

const ELEMENT_NODE_CODE = 1
const TEXT_NODE_CODE = 3

const isElement = (node: PageNode): node is PageElement => node.nodeType === ELEMENT_NODE_CODE

/** Inline elements; every other element starts a new block. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark meter nobr output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)
const UNREAD = new Set(
  'script style template noscript head title svg math canvas audio video object iframe select option datalist textarea'.split(
    ' ',
  ),
)

/** Each node with its depth, in document order. */
export function* nodesOf(root: PageNode): Generator<{ readonly node: PageNode; readonly depth: number }> {
  const parents: PageNode[] = []
  let node: PageNode | undefined = root
  while (node) {
    yield { node, depth: parents.length }
    if (node.firstChild) {
      parents.push(node)
      node = node.firstChild
      continue
    }
    while (node && (node === root || !node.nextSibling)) node = parents.pop()
    node = node?.nextSibling ?? undefined
  }
}

/** Visible text by block. Iterative, so deep nesting cannot overflow the stack. */
export function blocksOf(root: PageNode): Block[] {
  const blocks: Block[] = []
  let text = ''
  let linked = ''
  // Of `text`, whose end is dear to look at while it grows.
  let [endsWithBreak, hasUnlinked] = [false, false]
  const close = () => {
    const shown = text.trim()
    if (shown !== '') blocks.push({ text: shown.replaceAll(/\s+/g, ' '), linked: linked.trim() })
    text = ''
    linked = ''
    endsWithBreak = false
    hasUnlinked = false
  }

  const open: { readonly node: PageNode; readonly isLink: boolean; readonly isBlock: boolean }[] = []
  let links = 0
  let node: PageNode | null = root
  while (node) {
    let inside: PageNode | null = null
    if (node.nodeType === TEXT_NODE_CODE) {
      const shown = (node.textContent ?? '').replaceAll(/\s+/g, ' ')
      text += shown
      if (links > 0) linked += shown
      if (shown.trim() !== '') {
        endsWithBreak = false
        hasUnlinked ||= links === 0
      }
    } else if (isElement(node) && isSeen(node)) {
      const name = node.tagName.toLowerCase()
      if (name === 'br') {
        // One <br> continues the block, two start a paragraph. A line that is only a link becomes a
        // block of its own.
        if (endsWithBreak || (linked !== '' && !hasUnlinked && text.trim() === linked.trim())) close()
        else {
          text += '\n'
          endsWithBreak = true
        }
      } else {
        const isBlock = !INLINE.has(name) && !isPlainCell(node, name)
        if (isBlock) close()
        else if (name === 'td' || name === 'th') text += ' '
        inside = node.firstChild
        if (inside) {
          open.push({ node, isLink: name === 'a', isBlock })
          if (name === 'a') links += 1
        }
      }
    }
    node = inside ?? nextAfter(node)
  }
  close()
  return blocks

  /** Next node in document order; closes the elements that end before it. */
  function nextAfter(from: PageNode): PageNode | null {
    let current = from
    for (;;) {
      if (current === root) return null
      if (current.nextSibling) return current.nextSibling
      const parent = open.pop()
      if (!parent) return null
      if (parent.isLink) {
        links -= 1
        linked += ' '
      }
      if (parent.isBlock) close()
      current = parent.node
    }
  }
}

/**
 * Cells with plain text belong to the block of their row; cells with block elements lay out the
 * page, so each is a block.
 */
const isPlainCell = (element: PageElement, name: string): boolean =>
  (name === 'td' || name === 'th') && element.querySelector('p, div, ul, ol, table, br, h1, h2, h3') === null

function isSeen(element: PageElement): boolean {
  if (UNREAD.has(element.tagName.toLowerCase())) return false
  if (element.hasAttribute('hidden') || element.getAttribute('aria-hidden') === 'true') return false
  return !/(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(element.getAttribute('style') ?? '')
}
