import { blocksOf, type PageDocument, type PageElement } from './layout.ts'
import { wordsIn } from './words.ts'

/** Dialogs that cover a page, by element or ARIA role. */
const DIALOGS = 'dialog, [role="dialog"], [role="alertdialog"], [aria-modal="true"]'

/** Consent dialogs by `id` and `class`: general terms, and names of widespread products. */
const CONSENT =
  /cookie[-_]?(?:banner|notice|bar|wall|consent|popup|modal|message|overlay|law|policy|settings)|consent|gdpr|ccpa|onetrust|didomi|usercentrics|quantcast|qc-cmp|sp_message|truste|cmpbox|borlabs/i

/** Words per form control: a form with fewer is an input form, with more it wraps an article. */
const WORDS_PER_CONTROL = 60

/** Hidden state field of ASP.NET, whose single form contains the whole page. */
const WHOLE_PAGE = 'input[name="__VIEWSTATE"]'

const CONTROLS = 'button, input:not([type="hidden"]), select, textarea'

/** Elements that are never removed. */
const PROTECTED_TAGS = new Set(['html', 'body', 'main', 'article'])

/**
 * Removes dialogs, consent banners and forms, except those that contain the article. Returns the
 * number of words removed.
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
    // Already removed with an enclosing wall.
    if (!page.body.contains(wall)) continue
    words += wordsOf(wall)
    wall.remove()
  }
  return words
}

const wordsOf = (element: PageElement): number => blocksOf(element).reduce((words, { text }) => words + wordsIn(text), 0)
