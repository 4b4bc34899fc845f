import type { ItemPageFragment } from '#generated/operations.ts'
import { counted } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site, SiteReader } from '../frame/site.ts'
import { addPath, pathOfCollection } from './path.ts'

/** Public collections with an item, and where a signed-in user adds it to one. Null when they cannot be had. */
export function collectionsSection(
  { id, itemCollections: page }: ItemPageFragment,
  { at }: Site,
  path: string,
  reader: SiteReader | null,
): Html | null {
  if (!page) return null
  const add = `${addPath}?${new URLSearchParams({ item: id })}`
  const target = reader === null ? `/account/sign-in?${new URLSearchParams({ next: path })}` : add
  return html`<section aria-labelledby="collections"><h2 id="collections">Collections</h2>
<p class="quiet">${page.totalCount === 0 ? 'In no public collection yet.' : `In ${counted(page.totalCount, 'public collection')}.`}</p>
${page.edges.length > 0 && html`<ul>${page.edges.map(({ node }) => html`<li><a href="${at(pathOfCollection(node.id))}">${node.name}</a> <span class="quiet">${counted(node.entryCount, 'item')}, by ${node.author.name}</span></li>`)}</ul>`}
<p><a class="button secondary" href="${at(target)}" rel="nofollow">${reader === null ? 'Sign in to add it to a collection' : 'Add to a collection'}</a></p>
</section>`
}
