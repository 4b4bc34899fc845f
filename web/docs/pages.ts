import { counted } from '../frame/figures.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { type PageRow, page, type WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { shortened } from '../item/card.ts'
import { articleOf, type DocsHeading, docsPath, headingsOf } from './article.ts'
import type { DocsPage, Library } from './library.ts'
import { createDocsSearch, type DocsSearch } from './search.ts'

/** What the pages are made of. */
export type DocsOptions = {
  readonly library: Library
  /** Of this process. */
  readonly version: string
  /** Address before the path of a file, for "Edit this page"; null: its path is shown. */
  readonly editUrl: string | null
}

/** The documentation: rendered when it is first read, and kept as long as the process runs. */
export function docsPages(options: DocsOptions): readonly PageRow[] {
  const { library } = options
  const rendered = new Map<string, WebPage>()
  let search: DocsSearch | null = null

  function pageOf(name: string, site: Site): WebPage | null {
    const found = library.pages.get(name)
    if (found === undefined) return null
    // One per file of the library, so this is bounded by it.
    const known = rendered.get(name) ?? docPage(found, options, site)
    rendered.set(name, known)
    return known
  }

  return [
    page({ on: '/docs', operations: [], answer: async ({ site }) => overview(options, site) }),
    page({
      on: '/docs/search',
      operations: [],
      parameters: { q: { kind: 'text', max: 200 } },
      async answer({ query: { q }, site }) {
        search ??= createDocsSearch(library)
        return searchPage(q, q === null ? [] : search(q), options, site)
      },
    }),
    page({ on: '/docs/{page}', operations: [], answer: async ({ path, site }) => pageOf(path.page, site) }),
    page({
      on: '/docs/{folder}/{page}',
      operations: [],
      answer: async ({ path, site }) => pageOf(`${path.folder}/${path.page}`, site),
    }),
  ]
}

const searchForm = (query: string, { at }: Site): Html =>
  html`<search><form class="ask" action="${at('/docs/search')}"><input type="search" name="q" value="${query}" maxlength="200" autocomplete="off" spellcheck="false" aria-label="Search the documentation" placeholder="Search the documentation" required><button>Search</button></form></search>`

function overview({ library, version }: DocsOptions, site: Site): WebPage {
  return {
    title: 'Documentation',
    description: 'How to start with Atrium in five minutes, guides by task, reference and reasons.',
    canonical: '/docs',
    body: html`<h1>Documentation</h1>
<p class="lead">Start in five minutes as who you are, follow a guide for a task, or look something up.</p>
${searchForm('', site)}
${library.sections.map(
  ({ heading, pages }, index) =>
    html`<section aria-labelledby="section-${index}"><h2 id="section-${index}">${heading}</h2>
<ul class="doors">${pages.map(({ name, title, lead }) => html`<li><h3><a href="${site.at(docsPath(name))}">${title}</a></h3>${lead !== '' && html`<p>${shortened(lead, 110)}</p>`}</li>`)}</ul></section>`,
)}
<p class="quiet">Atrium ${version}. These pages come with the program, so they describe the version that runs here.</p>`,
  }
}

function searchPage(query: string | null, found: ReturnType<DocsSearch>, options: DocsOptions, site: Site): WebPage {
  const results = byPage(found)
  return {
    title: query === null ? 'Search the documentation' : `${query}: documentation`,
    description: 'Search in the documentation.',
    styles: ['docs.css'],
    body: layout(
      null,
      html`<h1>Search the documentation</h1>
${searchForm(query ?? '', site)}
${query !== null && html`<p role="status">${results.length === 0 ? html`Nothing for <strong>${query}</strong>. Use fewer or other words, or go through the <a href="${site.at('/docs')}">contents</a>.` : html`${counted(results.length, 'page')} for <strong>${query}</strong>`}</p>`}
<ul class="cards">${results.map((hits) => resultOf(hits, options.library, site))}</ul>`,
      options,
      site,
    ),
  }
}

type DocsHit = ReturnType<DocsSearch>[number]

/** Results of the same page together, pages in the order of their best result. */
function byPage(found: readonly DocsHit[]): readonly (readonly [DocsHit, ...DocsHit[]])[] {
  const pages = new Map<string, [DocsHit, ...DocsHit[]]>()
  for (const hit of found) {
    const hits = pages.get(hit.name)
    if (hits) hits.push(hit)
    else pages.set(hit.name, [hit])
  }
  return [...pages.values()]
}

/** A page and its parts that were found. */
function resultOf(hits: readonly [DocsHit, ...DocsHit[]], library: Library, site: Site): Html {
  const [{ name, title }] = hits
  const path = site.at(docsPath(name))
  const start = hits.find(({ fragment }) => fragment === '')
  const parts = hits.filter(({ fragment }) => fragment !== '')
  return html`<li class="card"><p class="facts">${sectionOf(name, library)}</p>
<h2><a href="${path}">${title}</a></h2>
${start && html`<p>${excerptOf(start)}</p>`}
${parts.length > 0 && html`<ul class="parts">${parts.map((part) => html`<li><a href="${path}#${part.fragment}">${part.heading}</a> <span class="quiet">${excerptOf(part)}</span></li>`)}</ul>`}</li>`
}

const excerptOf = ({ excerpt }: DocsHit): readonly Content[] =>
  excerpt.map(({ text, isFound }) => (isFound ? html`<mark>${text}</mark>` : text))

/** The heading of the sidebar that a page stands below. */
const sectionOf = (name: string, { sections }: Library): string =>
  name.startsWith('adr/')
    ? 'Decision records'
    : (sections.find(({ pages }) => pages.some((each) => each.name === name))?.heading ?? 'Examples')

function docPage(found: DocsPage, options: DocsOptions, site: Site): WebPage {
  const headings = headingsOf(found).filter(({ level }) => level === 2)
  return {
    title: found.title,
    description: shortened(found.lead || `${found.title}: documentation of Atrium.`, 300),
    canonical: docsPath(found.name),
    scripts: ['copy.js', 'code-tabs.js'],
    styles: ['docs.css'],
    body: layout(
      found,
      html`<article class="prose">${articleOf(found, options.library, site)}</article>
${neighbours(found, options.library, site)}
<p class="quiet edit">${editLink(found, options)}</p>`,
      options,
      site,
      headings,
    ),
  }
}

const editLink = ({ file }: DocsPage, { editUrl }: DocsOptions): Html =>
  editUrl === null
    ? html`This page is <code>${file}</code> of the repository.`
    : html`<a href="${editUrl}${file}" rel="nofollow">Edit this page</a>`

/**
 * Sidebar, content, and what is on the page. The sidebar shows the pages of the starts and those
 * beside this one; other sections open on demand.
 */
function layout(
  here: DocsPage | null,
  content: Html,
  { library, version }: DocsOptions,
  site: Site,
  headings: readonly DocsHeading[] = [],
): Html {
  return html`<div class="docs">
<details class="docs-contents"><summary>Contents</summary><nav aria-label="Documentation">
${here !== null && html`<search><form action="${site.at('/docs/search')}"><input type="search" name="q" maxlength="200" autocomplete="off" spellcheck="false" aria-label="Search the documentation" placeholder="Search" required></form></search>`}
${library.sections.map(
  ({ heading, pages }, index) =>
    html`<details${(index === 0 || pages.some(({ name }) => name === here?.name)) && html` open`}><summary>${heading}</summary><ul>${pages.map(({ name, title }) => html`<li><a href="${site.at(docsPath(name))}"${name === here?.name && html` aria-current="page"`}>${title}</a></li>`)}</ul></details>`,
)}
<p class="quiet">Atrium ${version}</p></nav></details>
<div class="docs-main">${content}</div>
${headings.length > 1 && html`<nav class="docs-headings" aria-label="On this page"><h2>On this page</h2><ul>${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`}
</div>`
}

/** Where reading goes on, in the order of the sidebar. */
function neighbours({ name }: DocsPage, { sections }: Library, { at }: Site): Html | null {
  const order = sections.flatMap(({ pages }) => pages)
  const index = order.findIndex((each) => each.name === name)
  if (index === -1) return null
  const [previous, next] = [order[index - 1], order[index + 1]]
  return html`<nav class="neighbours" aria-label="Previous and next page">
${previous && html`<a href="${at(docsPath(previous.name))}" rel="prev"><span class="quiet">Previous</span> ${previous.title}</a>`}
${next && html`<a href="${at(docsPath(next.name))}" rel="next"><span class="quiet">Next</span> ${next.title}</a>`}
</nav>`
}
