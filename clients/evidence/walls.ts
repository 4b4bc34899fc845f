import { blocksOf, type PageDocument, type PageElement } from './layout.ts'
import { wordsIn } from './words.ts'

/** What lies over a page, as markup says it. */
const DIALOGS = 'dialog, [role="dialog"], [role="alertdialog"], [aria-modal="true"]'

/**
 * How consent dialogs are called in `id` and `class`, whatever language they speak: general words,
 * and products that many sites use.
 */
const CONSENT =
  /cookie[-_]?(?:banner|notice|bar|wall|consent|popup|modal|message|overlay|law|policy|settings)|consent|gdpr|ccpa|onetrust|didomi|usercentrics|quantcast|qc-cmp|sp_message|truste|cmpbox|borlabs/i

/** A form asks, an article tells: with fewer words than this for each control, it is a form. */
const WORDS_PER_CONTROL = 60

/** ASP.NET puts whole pages into a form, articles included, and their state into this field. */
const WHOLE_PAGE = 'input[name="__VIEWSTATE"]'

const CONTROLS = 'button, input:not([type="hidden"]), select, textarea'

/** What is never a wall, nor holds one together with the text. */
const PROTECTED_TAGS = new Set(['html', 'body', 'main', 'article'])

/**
 * Takes dialogs, consent and forms out of the page, unless the text is in them. How many words that
 * were.
 */
export function removeWalls(page: PageDocument): number {
  const walls = [
    ...page.querySelectorAll(DIALOGS),
    ...[...page.querySelectorAll('[id], [class]')].filter((element) =>
      CONSENT.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`),
    ),
    ...[...page.querySelectorAll('form')].filter(
      (form) =>
        form.querySelector(WHOLE_PAGE) === null &&
        wordsOf(form) < WORDS_PER_CONTROL * [...form.querySelectorAll(CONTROLS)].length,
    ),
  ].filter((element) => !PROTECTED_TAGS.has(element.tagName.toLowerCase()) && element.querySelector('main, article') === null)

  let words = 0
  for (const wall of walls) {
    // Gone with another that it was in.
    if (!page.body.contains(wall)) continue
    words += wordsOf(wall)
    wall.remove()
  }
  return words
}

const wordsOf = (element: PageElement): number => blocksOf(element).reduce((words, { text }) => words + wordsIn(text), 0)
