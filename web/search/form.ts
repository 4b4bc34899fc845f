import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'

/**
 * What was chosen beside the words: kept by the form, so that new words are looked for in the same
 * place.
 */
export type Chosen = Readonly<
  Partial<
    Record<'kind' | 'category' | 'sort' | 'location' | 'transport' | 'tag' | 'owner' | 'license', string | null> &
      Record<'official' | 'keyless' | 'verified', boolean | null>
  >
>

const HIDDEN_FIELDS = [
  'kind',
  'category',
  'sort',
  'official',
  'keyless',
  'verified',
  'location',
  'transport',
  'tag',
  'owner',
  'license',
] as const

/** The search box of home and of results. It is a form; with script it answers while one types. */
export const searchForm = (query: string, chosen: Chosen, { at }: Site): Html => html`<search>
<form class="ask" action="${at('/search')}" data-search>
<input type="search" name="q" value="${query}" maxlength="200" autocomplete="off" spellcheck="false" aria-label="Search servers, plugins and skills" placeholder="postgres, pdf, browser…">
${HIDDEN_FIELDS.map((name) => chosen[name] != null && html`<input type="hidden" name="${name}" value="${String(chosen[name])}">`)}
<button>Search</button>
</form>
<p class="quiet hint" data-hint hidden><kbd>/</kbd> to search, <kbd>↓</kbd> <kbd>↑</kbd> through results, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> back to the box</p>
</search>`
