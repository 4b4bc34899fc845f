import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'

/**
 * What was chosen beside the words: kept by the form, so that new words are looked for in the same
 * place.
 */
export type Chosen = { readonly kind: string | null; readonly category: string | null }

/** The search box of home and of results. It is a form; with script it answers while one types. */
export const searchForm = (query: string, { kind, category }: Chosen, { at }: Site): Html => html`<search>
<form class="ask" action="${at('/search')}" data-search>
<input type="search" name="q" value="${query}" maxlength="200" autocomplete="off" spellcheck="false" aria-label="Search servers, plugins and skills" placeholder="postgres, pdf, browser…">
${kind !== null && html`<input type="hidden" name="kind" value="${kind}">`}${category !== null && html`<input type="hidden" name="category" value="${category}">`}
<button>Search</button>
</form>
<p class="quiet hint" data-hint hidden><kbd>/</kbd> to search, <kbd>↓</kbd> <kbd>↑</kbd> through results, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> back to the box</p>
</search>`
