import type { ExtractedContent } from './content.ts'
import { blocksOf, type PageDocument } from './layout.ts'
import { wordsIn } from './words.ts'

/**
 * Words of a subscription offer at most; a longer element named "paywall" is the article behind it.
 */
const MAX_OFFER_WORDS = 60

/** Completeness of an article by schema.org JSON-LD and by element names with "paywall". */
export function declarations(page: PageDocument): Pick<ExtractedContent, 'isRestricted' | 'declaredWords'> {
  const statements = [...page.querySelectorAll('script[type="application/ld+json"]')].flatMap(({ textContent }) =>
    objectsIn(textContent ?? ''),
  )
  const restricted = statements.filter(({ isAccessibleForFree: free }) => free === false || /^false$/i.test(String(free)))
  // Publishers mark subscriber-only parts by selector; a marked part with text is present in the
  // page.
  const parts = restricted.flatMap(({ cssSelector }) => (isPlainSelector(cssSelector) ? [cssSelector] : []))
  const counts = statements.flatMap(({ wordCount }) => {
    const count = typeof wordCount === 'number' ? wordCount : Number.parseInt(String(wordCount ?? ''), 10)
    return Number.isSafeInteger(count) && count > 0 ? [count] : []
  })
  return {
    isRestricted: (restricted.length > 0 && !parts.some((part) => wordsAt(page, part) > MAX_OFFER_WORDS)) || hasOffer(page),
    declaredWords: counts.length > 0 ? Math.max(...counts) : null,
  }
}

function hasOffer(page: PageDocument): boolean {
  return [...page.querySelectorAll('[class*="paywall" i], [id*="paywall" i], [class*="regwall" i], [id*="regwall" i]')].some(
    (element) => {
      const words = blocksOf(element).reduce((sum, { text }) => sum + wordsIn(text), 0)
      return words > 0 && words <= MAX_OFFER_WORDS
    },
  )
}

const wordsAt = (page: PageDocument, selector: string): number =>
  [...page.querySelectorAll(selector)].flatMap(blocksOf).reduce((sum, { text }) => sum + wordsIn(text), 0)

/** Accepts a single class or id only: selectors of an untrusted page are not run otherwise. */
const isPlainSelector = (selector: unknown): selector is string =>
  typeof selector === 'string' && /^[.#][a-z_][\w-]{0,100}$/i.test(selector)

/** All objects in a JSON text, nested ones too; empty for invalid JSON. */
function objectsIn(json: string): Readonly<Record<string, unknown>>[] {
  const waiting: unknown[] = []
  try {
    waiting.push(JSON.parse(json))
  } catch {
    return []
  }
  const found: Readonly<Record<string, unknown>>[] = []
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    // Neither primitive nor array: a JSON-LD object.
    if (!Array.isArray(value)) found.push(value as Readonly<Record<string, unknown>>)
    for (const inner of Object.values(value)) waiting.push(inner)
  }
  return found
}
