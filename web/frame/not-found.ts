import { LostPageDocument } from '#generated/operations.ts'
import { cards } from '../item/card.ts'
import { searchForm } from '../search/form.ts'
import { html } from './html.ts'
import type { RunPageOperation, WebPage } from './page.ts'
import type { Site } from './site.ts'

/** Longest text that can be looked for. */
const MAX_QUERY_CHARACTERS = 200

/** The page for an address where there is nothing: what it may have meant. */
export async function notFoundPage(path: string, run: RunPageOperation, site: Site): Promise<WebPage> {
  const before = site.at('')
  // A proxy that removes what the public address has before the path leaves nothing to remove.
  const words = (path.startsWith(`${before}/`) ? path.slice(before.length) : path)
    .split(/[/_]+/)
    .filter((word) => word !== '' && !SECTION_SEGMENTS.includes(word))
  // The last part names it; what stands before says whose it is.
  const query = [...(words.at(-1) ?? '')].slice(0, MAX_QUERY_CHARACTERS).join('')
  const { data } = query === '' ? { data: null } : await run(LostPageDocument, { query })
  const found = data?.search.edges.map(({ node }) => node) ?? []
  return {
    status: 404,
    title: 'Page not found',
    description: 'There is no page at this address.',
    scripts: ['search.js'],
    body: html`<h1>Page not found</h1>
<p>${words.length > 0 && html`There is nothing named <code>${words.join('/').slice(0, MAX_QUERY_CHARACTERS).toWellFormed()}</code>, or it was deleted. `}Search for it, or go to the <a href="${site.at('/')}">home page</a>.</p>
${searchForm(query, { kind: null, category: null }, site)}
${found.length > 0 && html`<section aria-labelledby="meant" data-resting><h2 id="meant">Did you mean</h2>${cards(found)}</section>`}`,
  }
}

/** Parts of addresses that name no item. */
const SECTION_SEGMENTS: readonly string[] = ['mcp', 'plugins', 'shops', 'skills']
