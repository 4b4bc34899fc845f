import { type Html, html, jsonScript, textOf } from './html.ts'
import { icon } from './icon.ts'
import type { WebPage } from './page.ts'
import type { NavigationLink, Site } from './site.ts'

const NAME = 'Atrium'
/** On every page, so that it is loaded before the stylesheet names it. */
const MAIN_FONT = 'geist-latin-wght-normal.woff2'

/**
 * A whole document. `path`: that of the request, without its query. `userName`: of who is signed
 * in; null: nobody is.
 */
export function documentOf(page: WebPage, site: Site, path: string, userName: string | null = null): string {
  const { asset, publicUrl } = site
  const { frame } = page
  const name = frame?.name ?? NAME
  const address = page.canonical === undefined ? null : `${publicUrl}${page.canonical}`
  const title = page.canonical === '/' || page.title === name ? page.title : `${page.title} · ${name}`
  return textOf(html`<!doctype html>
<html lang="${frame?.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${page.description}">
${
  address === null
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${address}">
<meta property="og:url" content="${address}">`
}
<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
${previewOf(page, site)}
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="preload" href="${asset(MAIN_FONT)}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${asset('style.css')}">
${(page.styles ?? []).map((name) => html`<link rel="stylesheet" href="${asset(name)}">`)}
${!frame && html`<script src="${asset('theme.js')}"></script>`}
${frame ? frame.styles.map((style) => html`<link rel="stylesheet" href="${style}">`) : ownLinks(site)}
${page.alternates?.map(({ type, path, title }) => html`<link rel="alternate" type="${type}" title="${title}" href="${site.at(path)}">`)}
${(page.scripts ?? []).map((name) => html`<script type="module" src="${asset(name)}"></script>`)}
${(page.structured ?? []).map(jsonScript)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${frame?.header ?? ownHeader(site, path, userName)}
<main id="content" tabindex="-1">
${page.body}
</main>
${frame?.footer ?? ownFooter(site)}
</body>
</html>
`)
}

const previewOf = ({ picture, frame }: WebPage, { asset, publicUrl }: Site): Html =>
  frame
    ? html`${
        picture !== undefined &&
        html`<meta property="og:image" content="${picture}">
<meta name="twitter:card" content="summary">`
      }`
    : html`<meta property="og:image" content="${new URL(asset('card.png'), publicUrl).href}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="Atrium: one graph for agents and the people who run them.">
<meta name="twitter:card" content="summary_large_image">`

const ownLinks = ({ at }: Site): Html =>
  html`<link rel="alternate" type="application/atom+xml" title="New in the directory" href="${at('/feed.xml')}">
<link rel="search" type="application/opensearchdescription+xml" title="${NAME}" href="${at('/opensearch.xml')}">`

const brand = ({ at }: Site): Html =>
  html`<a class="brand" href="${at('/')}"><svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 21V10a9 9 0 0 1 18 0v11h-4V10a5 5 0 0 0-10 0v11z"/></svg>${NAME}</a>`

const ownHeader = (site: Site, path: string, userName: string | null): Html => html`<header class="site">
${brand(site)}
<details class="menu"><summary>${icon('menu')}Menu</summary><nav aria-label="Site">${site.navigation.map((link) => navLink(link.path, link.label, path, site))}${userName === null ? navLink('/account/sign-in', 'Sign in', path, site) : navLink('/account', userName, path, site)}</nav></details>
</header>`

/** Links of the foot beside those of the head, by heading. */
const FOOTER_LINKS: readonly (readonly [heading: string, links: readonly NavigationLink[]])[] = [
  [
    'Start',
    [
      { path: '/docs/start/agents', label: 'Build an agent' },
      { path: '/docs/start/integrators', label: 'Call the API' },
      { path: '/docs/start/shops', label: 'Open a shop' },
      { path: '/docs/start/operators', label: 'Run an installation' },
      { path: '/posts', label: 'Posts' },
      { path: '/collections', label: 'Collections' },
    ],
  ],
  [
    'For programs',
    [
      { path: '/llms.txt', label: 'llms.txt' },
      { path: '/api/openapi.json', label: 'OpenAPI' },
      { path: '/feed.xml', label: 'Feed' },
      { path: '/sitemap.xml', label: 'Sitemap' },
    ],
  ],
]

const ownFooter = (site: Site): Html => html`<footer class="site">
<div>${brand(site)}
<p>Directory data: <a href="https://creativecommons.org/licenses/by/4.0/" rel="license">CC-BY 4.0</a>. No tracking, no third-party content, and cookies only for signing in.</p>
<p class="theme" data-theme-switch hidden><label for="theme">Theme</label><select id="theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select></p></div>
${[['Atrium', site.navigation] as const, ...FOOTER_LINKS].map(
  ([heading, links]) =>
    html`<nav aria-label="${heading}"><h2>${heading}</h2>${links.map(({ path, label }) => html`<a href="${site.at(path)}">${label}</a>`)}</nav>`,
)}
</footer>`

/** A link of the navigation: `aria-current` is `page` on its page, and `true` on pages below it. */
function navLink(path: string, label: string, here: string, { at }: Site): Html {
  const addresses = [path, at(path)]
  const current = addresses.includes(here) ? 'page' : addresses.some((address) => here.startsWith(`${address}/`)) ? 'true' : null
  return html`<a href="${at(path)}"${current && html` aria-current="${current}"`}>${label}</a> `
}
