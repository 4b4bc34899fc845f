import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { ExtractedContent } from './content.ts'
import { declarations } from './declarations.ts'
import { hiddenTextsOf } from './hidden-text.ts'
import { displayDeclarations } from './inline-style.ts'
import { blocksOf, nodesOf, type PageDocument, type PageElement, type PageNode } from './layout.ts'
import { removeWalls } from './walls.ts'
import { wordsIn } from './words.ts'

/**
 * Depth: the nesting limit of Chromium's parser. Nodes: several times those of large pages.
 * Extraction time grows with depth × nodes.
 */
const MAX_DEPTH = 512
const MAX_NODES = 100_000

/**
 * Extracts the main text of an HTML page with Readability, as Firefox's reader view does, and
 * counts the words left out. Scripts do not run; hidden elements are skipped, and listed in `hidden`. Throws a
 * RangeError for more than 512 nested elements or 100,000 nodes. Large pages take seconds: extract
 * untrusted ones in a worker thread with a timeout, as `@atrium/client/gate` does.
 */
export function contentOfPage(html: string): ExtractedContent {
  const page = parsed(html)
  assertBounded(page.body)
  const declared = declarations(page)
  const title = page.querySelector('title')?.textContent?.trim() || page.querySelector('h1')?.textContent?.trim() || null
  const hidden = hiddenTextsOf(page)
  for (const element of page.querySelectorAll('[style]'))
    element.setAttribute('style', displayDeclarations(element.getAttribute('style') ?? ''))
  const removedWords = removeWalls(page)
  const everything = blocksOf(page.body)

  const article = mainText(page)
  const blocks = article ? blocksOf(article.root) : everything
  return {
    title: article?.title || title,
    blocks,
    leftOutWords: Math.round(removedWords + Math.max(0, wordsOf(everything) - wordsOf(blocks))),
    ...declared,
    hidden,
  }
}

const wordsOf = (blocks: ExtractedContent['blocks']): number => blocks.reduce((words, { text }) => words + wordsIn(text), 0)

function parsed(html: string): PageDocument {
  const page = documentOf(html)
  // linkedom does not create omitted <html> and <body> tags, which HTML allows to be omitted.
  return page.querySelector('html > body') ? page : documentOf(`<!doctype html><html><head></head><body>${html}</body></html>`)
}

/** linkedom's types need those of a browser's DOM, which Node lacks. */
const documentOf = (html: string): PageDocument => (parseHTML(html) as unknown as { readonly document: PageDocument }).document

function assertBounded(body: PageNode): void {
  let nodes = 0
  for (const { depth } of nodesOf(body)) {
    nodes += 1
    if (depth > MAX_DEPTH) throw new RangeError(`Expected a page that is nested at most ${MAX_DEPTH} elements deep.`)
    if (nodes > MAX_NODES) throw new RangeError(`Expected a page of at most ${MAX_NODES} nodes.`)
  }
}

/** Main article; null when there is none. Modifies `page`. */
function mainText(page: PageDocument): { readonly title: string | null; readonly root: PageElement } | null {
  try {
    // The nodes are linkedom's; Readability's types assume a browser's DOM.
    const article = new Readability<PageElement>(page, { serializer: (root) => root as unknown as PageElement }).parse()
    return article?.content ? { title: article.title?.trim() || null, root: article.content } : null
  } catch (error) {
    // Readability throws for malformed trees (mozilla/readability#836): the whole page is rated
    // instead.
    if (error instanceof TypeError) return null
    throw error
  }
}
