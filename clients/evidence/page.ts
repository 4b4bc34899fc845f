import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { ExtractedContent } from './content.ts'
import { declarations } from './declarations.ts'
import { blocksOf, depths, type PageDocument, type PageElement, type PageNode } from './layout.ts'
import { removeWalls } from './walls.ts'
import { wordsIn } from './words.ts'

/**
 * Where Chromium stops nesting elements, and several times what large pages have: extraction takes
 * time that grows with depth times elements.
 */
const MAX_DEPTH = 512
const MAX_NODES = 100_000

/**
 * Extracts the main text of an HTML page, as the reader view of Firefox does, and notes what it
 * left out. Scripts do not run, and hidden elements are not read. Throws a RangeError for a page
 * that is nested deeper than 512 elements or has more than 100,000 nodes. Large pages take seconds:
 * extract those of strangers where they can be stopped, as `@atrium/client/gate` does.
 */
export function contentOfPage(html: string): ExtractedContent {
  const page = parsed(html)
  assertBounded(page.body)
  const declared = declarations(page)
  const title = page.querySelector('title')?.textContent?.trim() || page.querySelector('h1')?.textContent?.trim() || null
  const removedWords = removeWalls(page)
  const everything = blocksOf(page.body)

  const article = mainText(page)
  const blocks = article ? blocksOf(article.root) : everything
  return {
    title: article?.title || title,
    blocks,
    leftOutWords: Math.round(removedWords + Math.max(0, wordsOf(everything) - wordsOf(blocks))),
    ...declared,
  }
}

const wordsOf = (blocks: ExtractedContent['blocks']): number => blocks.reduce((words, { text }) => words + wordsIn(text), 0)

function parsed(html: string): PageDocument {
  const page = documentOf(html)
  // linkedom makes neither <html> nor <body> where they are left out, as HTML allows.
  return page.querySelector('html > body') ? page : documentOf(`<!doctype html><html><head></head><body>${html}</body></html>`)
}

/** Its types are those of a browser, which Node does not have. */
const documentOf = (html: string): PageDocument => (parseHTML(html) as unknown as { readonly document: PageDocument }).document

function assertBounded(body: PageNode): void {
  let nodes = 0
  for (const depth of depths(body)) {
    nodes += 1
    if (depth > MAX_DEPTH) throw new RangeError(`Expected a page that is nested at most ${MAX_DEPTH} elements deep.`)
    if (nodes > MAX_NODES) throw new RangeError(`Expected a page of at most ${MAX_NODES} nodes.`)
  }
}

/** Null: there is none. Takes the page apart. */
function mainText(page: PageDocument): { readonly title: string | null; readonly root: PageElement } | null {
  try {
    // linkedom's elements, which Readability types as those of a browser.
    const article = new Readability<PageElement>(page, { serializer: (root) => root as unknown as PageElement }).parse()
    return article?.content ? { title: article.title?.trim() || null, root: article.content } : null
  } catch (error) {
    // It stumbles over odd trees (mozilla/readability#836): then the page is rated as it stands.
    if (error instanceof TypeError) return null
    throw error
  }
}
