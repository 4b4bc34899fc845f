import type { ItemPageFragment, TrustBadgeFragment } from '#generated/operations.ts'
import { badgeSection } from '../badge/section.ts'
import { collectionsSection } from '../collection/section.ts'
import { comparePath } from '../compare/path.ts'
import { avatar } from '../frame/avatar.ts'
import { codeBlock } from '../frame/code.ts'
import { counted, dayOf } from '../frame/figures.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { plainText } from '../frame/markdown.ts'
import type { WebPage } from '../frame/page.ts'
import { pathIn, type Site, type SiteReader } from '../frame/site.ts'
import { writeForm } from '../post/write.ts'
import { trustBadge } from '../trust/badge.ts'
import { cards, shortened, stars } from './card.ts'
import { categoryIcon, kindIcon } from './category-icon.ts'
import { description } from './description.ts'
import { installTabs } from './install.ts'
import { itemTrustLine, itemTrustSection } from './item-trust.ts'
import { KIND_LABELS } from './kind.ts'
import { LICENSE_FAMILIES } from './license-family.ts'

/** A row of the list of facts. */
export type Fact = { readonly name: string; readonly value: Content }

/** What tells one kind's page from another's. */
export type Particulars = {
  /** The natural key, as people write it. */
  readonly key: string
  /** Whose picture stands before the name. */
  readonly owner: string
  readonly trust: TrustBadgeFragment | null
  /** What to paste where. */
  readonly install: { readonly heading: string; readonly text: string }
  /** Stands behind the name. */
  readonly marks?: Content
  /** Between the command and the facts. */
  readonly more?: Html
  readonly facts: readonly Fact[]
  /** Where its source is, for programs; null when unknown. */
  readonly sourceUrl: string | null
  readonly docsUrl: string
}

/** The page of an item. */
export function itemPage(
  item: ItemPageFragment,
  own: Particulars,
  { site, reader }: { readonly site: Site; readonly reader: SiteReader | null },
): WebPage {
  const kind = KIND_LABELS[item.kind]
  const path = pathIn(item.url).slice(site.at('').length)
  const list = `/search?kind=${kind.parameter}`
  return {
    title: `${item.name}: ${kind.one}`,
    description: shortened(
      plainText(item.description) || `${kind.one} ${own.key}: installation, sources and trust assessment.`,
      300,
    ),
    canonical: path,
    scripts: ['copy.js', 'install.js'],
    structured: [structured(item, own), trail(item, `${site.publicUrl}${list}`, kind.many)],
    alternates: [{ type: 'application/json', path: `/api${path}`, title: 'The same as JSON' }],
    body: html`<nav class="trail" aria-label="Place"><a href="${site.at(list)}">${kind.many}</a>${
      item.category !== 'Uncategorized' &&
      html` <span aria-hidden="true">›</span> <a href="${site.at(`${list}&category=${encodeURIComponent(item.category)}`)}">${item.category}</a>`
    }</nav>
<article class="item">
<header class="pictured">
${avatar(own.owner)}
<h1>${item.name} ${own.marks}</h1>
<p class="facts"><span>${kindIcon(item.kind)} ${kind.one}</span> <code>${own.key}</code> ${stars(item.popularity)} <a href="${site.at(comparePath([item.id]))}" rel="nofollow">Compare</a></p>
</header>
${item.description !== '' && html`<p class="lead">${description(item.description)}</p>`}
<div class="with-facts"><div>
${itemTrustLine(item.itemTrust)}
<section aria-labelledby="install"><h2 id="install">${own.install.heading}</h2>
${codeBlock({ id: 'install-text', text: own.install.text, language: 'sh', label: own.install.heading, breaks: true })}
</section>
${installTabs(item.installConfigs)}
${own.more}
${itemTrustSection(item.itemTrust)}
${trustBadge(own.trust, site)}
${badgeSection(item.name, path, site)}
${collectionsSection(item, site, path, reader)}
${posts(item, site, path, reader)}
</div>
<aside class="facts-column" aria-labelledby="facts"><h2 id="facts">About</h2>
<dl>
${item.category !== 'Uncategorized' && html`<dt>Category</dt><dd><a href="${site.at(`${list}&category=${encodeURIComponent(item.category)}`)}">${categoryIcon(item.category)} ${item.category}</a></dd>`}
${ownerLink(item, own, site.at)}
<dt>Licence</dt><dd>${licenseOf(item, site.at)}</dd>
${own.facts.map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`)}
${item.tags.length > 0 && html`<dt>Tags</dt><dd class="tags">${item.tags.map((tag) => html`<a href="${site.at(`/search?tag=${encodeURIComponent(tag)}`)}">${tag}</a> `)}</dd>`}
<dt>Listed</dt><dd><time datetime="${item.createdAt}">${dayOf(item.createdAt)}</time>, last changed <time datetime="${item.updatedAt}">${dayOf(item.updatedAt)}</time></dd>
</dl>
${provenance(item)}
</aside></div>
${item.related.length > 0 && html`<section class="related" aria-labelledby="related"><h2 id="related">Related</h2>${cards(item.related)}</section>`}
</article>`,
  }
}

/** Whose it is, as a link to everything of the same owner; null where only a marketplace is known. */
function ownerLink({ kind }: ItemPageFragment, { owner, sourceUrl }: Particulars, at: Site['at']): Html | null {
  // As the directory reads it for its filter: an account without a repository is none.
  const account =
    /^https:\/\/github\.com\/([\w.-]+)\/[^/!#]/i.exec(sourceUrl ?? '')?.[1] ?? (kind === 'MCP_SERVER' ? owner : null)
  if (!account) return null
  return html`<dt>Owner</dt><dd><a href="${at(`/search?owner=${encodeURIComponent(account)}`)}">${account}</a></dd>`
}

/** Its licence, as a link to items with the same one. */
const licenseOf = ({ license, licenseFamily }: ItemPageFragment, at: Site['at']): Html =>
  license === null
    ? html`<span class="quiet">none known</span>`
    : html`<a href="${at(`/search?license=${encodeURIComponent(license)}`)}">${license}</a>${licenseFamily && html` <span class="quiet">${LICENSE_FAMILIES[licenseFamily]}</span>`}`

function provenance({ provenance: rows }: ItemPageFragment): Html | null {
  if (rows.length === 0) return null
  return html`<section aria-labelledby="provenance"><h2 id="provenance">Sources</h2>
<details><summary>${counted(rows.length, 'value')} from ${counted(new Set(rows.map(({ source }) => source)).size, 'source')}</summary>
<div class="wide" tabindex="0" role="region" aria-labelledby="provenance"><table><thead><tr><th scope="col">Field</th><th scope="col">Source</th><th scope="col">File</th></tr></thead><tbody>
${rows.map(({ field, source, path }) => html`<tr><th scope="row"><code>${field}</code></th><td>${source}</td><td>${path ?? 'derived here'}</td></tr>`)}
</tbody></table></div></details></section>`
}

/** Null when they cannot be had, as when there are none: the page is about the item. */
function posts({ id, name, posts: page }: ItemPageFragment, site: Site, path: string, reader: SiteReader | null): Html | null {
  if (!page) return null
  return html`<section class="posts" aria-labelledby="posts"><h2 id="posts">Posts</h2>
${page.edges.map(
  ({ node }) => html`<article><h3><a href="${site.at(`/posts/${node.id}`)}">${node.title}</a></h3>
<p class="facts"><span>${node.author.name}</span> ${node.publishedAt && html`<time datetime="${node.publishedAt}">${dayOf(node.publishedAt)}</time>`}</p>
<p>${shortened(plainText(node.content), 500)}</p></article>`,
)}
${page.totalCount > page.edges.length && html`<p class="quiet">The newest ${page.edges.length} of ${counted(page.totalCount, 'post')}.</p>`}
${writeForm(reader, site, { about: { id, name }, path })}
</section>`
}

/** For search engines: what it is. */
const structured = (item: ItemPageFragment, { key, sourceUrl, docsUrl, install }: Particulars): object => ({
  '@context': 'https://schema.org',
  '@type': 'SoftwareApplication',
  name: item.name,
  alternateName: key,
  description: plainText(item.description) || undefined,
  url: item.url,
  applicationCategory: 'DeveloperApplication',
  applicationSubCategory: item.category,
  // An expression has no page of its own.
  license:
    item.license === null
      ? undefined
      : item.license.includes(' ')
        ? item.license
        : `https://spdx.org/licenses/${item.license}.html`,
  keywords: item.tags.length > 0 ? item.tags.join(', ') : undefined,
  sameAs: sourceUrl ?? undefined,
  softwareHelp: { '@type': 'CreativeWork', url: docsUrl },
  potentialAction: { '@type': 'InstallAction', description: install.text },
  dateCreated: item.createdAt,
  dateModified: item.updatedAt,
})

/** For search engines: where it stands. */
const trail = ({ name, url }: ItemPageFragment, listUrl: string, list: string): object => ({
  '@context': 'https://schema.org',
  '@type': 'BreadcrumbList',
  itemListElement: [
    { '@type': 'ListItem', position: 1, name: list, item: listUrl },
    { '@type': 'ListItem', position: 2, name, item: url },
  ],
})
