import {
  type CompareCandidateFragment,
  CompareCandidatesDocument,
  type ComparedItemFragment,
  ComparePageDocument,
  CompareRelatedDocument,
} from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, page, type RunPageOperation, type WebPage } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { stars } from '../item/card.ts'
import { kindIcon } from '../item/category-icon.ts'
import { comparePath, MAX_COMPARED } from './path.ts'
import { ROWS } from './rows.ts'

export const comparePages = [
  page({
    on: '/compare',
    operations: [ComparePageDocument, CompareCandidatesDocument, CompareRelatedDocument],
    parameters: {
      item: { kind: 'texts', max: 100, count: MAX_COMPARED },
      q: { kind: 'text', max: 200 },
    },
    async answer({ query: { item: ids, q }, run, site }) {
      const found = ids.length === 0 ? [] : dataOf(await run(ComparePageDocument, { ids })).directoryItems
      const unknown = ids.filter((_, at) => found[at] == null)
      const items = found.flatMap((item) => item ?? [])
      if (unknown.length > 0) return unknownItems(unknown, items, site)
      const candidates = items.length === MAX_COMPARED ? null : await candidatesFor(items, q, run)
      return comparison(items, { q, candidates, site })
    },
  }),
]

/** What can be added: what was looked for, else what is like the first item. */
async function candidatesFor(
  items: readonly ComparedItemFragment[],
  query: string | null,
  run: RunPageOperation,
): Promise<readonly CompareCandidateFragment[]> {
  const [first] = items
  const found =
    query !== null
      ? dataOf(await run(CompareCandidatesDocument, { query })).search.edges.map(({ node }) => node)
      : first
        ? (dataOf(await run(CompareRelatedDocument, { id: first.id })).directoryItem?.related ?? [])
        : []
  return found.filter(({ id }) => items.every((item) => item.id !== id))
}

type Place = { readonly q: string | null; readonly candidates: readonly CompareCandidateFragment[] | null; readonly site: Site }

function comparison(items: readonly ComparedItemFragment[], { q, candidates, site }: Place): WebPage {
  const title = items.length === 0 ? 'Compare items' : `Compare ${items.map(({ name }) => name).join(', ')}`
  return {
    title,
    description:
      'Servers, plugins and skills side by side: publisher, trust, licence, transports, environment, tools and installation.',
    styles: ['compare.css'],
    body: html`<h1>${items.length < 2 ? 'Compare items' : 'Comparison'}</h1>
${items.length === 0 && html`<p class="lead">Find up to ${MAX_COMPARED} servers, plugins or skills, and see them side by side.</p>`}
${items.length > 0 && table(items, site)}
${candidates && adding(items, { q, candidates, site })}`,
  }
}

const table = (items: readonly ComparedItemFragment[], site: Site): Html =>
  html`<div class="wide compared" tabindex="0" role="region" aria-label="Comparison"><table>
<thead><tr><td></td>${items.map(
    ({ id, name, url }) =>
      html`<th scope="col"><a href="${pathIn(url)}">${name}</a> ${items.length > 1 && html`<a class="quiet" href="${site.at(comparePath(items.map((item) => item.id).filter((other) => other !== id)))}" rel="nofollow" aria-label="Remove ${name} from the comparison">Remove</a>`}</th>`,
  )}</tr></thead>
<tbody>${ROWS.map(({ name, cell }) => html`<tr><th scope="row">${name}</th>${items.map((item) => html`<td>${cell(item, items)}</td>`)}</tr>\n`)}</tbody></table></div>`

/** A search, and a link for each item that can be added. */
function adding(
  items: readonly ComparedItemFragment[],
  { q, candidates, site }: Place & { readonly candidates: readonly CompareCandidateFragment[] },
): Html {
  const ids = items.map(({ id }) => id)
  return html`<section aria-labelledby="add"><h2 id="add">Add an item</h2>
<form class="ask" action="${site.at('/compare')}">${ids.map((id) => html`<input type="hidden" name="item" value="${id}">`)}
<input type="search" name="q" value="${q}" maxlength="200" autocomplete="off" aria-label="Search for an item to compare" placeholder="postgres, pdf, browser…">
<button>Search</button></form>
${q !== null && candidates.length === 0 && html`<p role="status">Nothing else for <strong>${q}</strong>.</p>`}
${candidates.length > 0 && html`<ul class="candidates">${candidates.map(({ id, kind, name, popularity }) => html`<li>${kindIcon(kind)} <a href="${site.at(comparePath([...ids, id]))}" rel="nofollow">Add ${name}</a> ${stars(popularity)}</li>`)}</ul>`}
</section>`
}

/** Some of the ids are none: says which, and goes on with the others. */
function unknownItems(unknown: readonly string[], items: readonly ComparedItemFragment[], { at }: Site): WebPage {
  return {
    status: 404,
    title: 'No such item',
    description: 'An item to compare does not exist.',
    body: html`<h1>No such item</h1>
<p>The directory has no item with the id ${unknown.map((id, index) => html`${index > 0 && ', '}<code>${id}</code>`)}. It may have left the directory.</p>
<p><a href="${at(items.length === 0 ? '/compare' : comparePath(items.map(({ id }) => id)))}">${items.length === 0 ? 'Compare other items' : 'Compare the others'}</a></p>`,
  }
}
