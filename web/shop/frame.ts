import { createHash } from 'node:crypto'
import type { ShopFrameFragment } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import type { PageFrame } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { themeStyles } from './colors.ts'

export type QueryValues = Readonly<Record<string, string | readonly string[] | null | undefined | false>>

/** Addresses of the pages of one shop, in one language. */
export type ShopLinks = {
  /** Path of a page without its query, for `canonical`. */
  readonly path: (path: string) => string
  /** Address of a page for links and forms; `path` is below that of the shop. */
  readonly to: (path: string, query?: QueryValues) => string
  /** The language that is not the shop's first one, for forms; null: the first one. */
  readonly language: string | null
  readonly site: Site
}

export function linksOf(
  { code, languages }: Pick<ShopFrameFragment, 'code' | 'languages'>,
  language: string | null,
  site: Site,
): ShopLinks {
  const chosen = language === languages[0] ? null : language
  const path = (below: string) => `/shops/${code}${below}`
  return {
    path: (below) => `${path(below)}${chosen === null ? '' : `?language=${encodeURIComponent(chosen)}`}`,
    to: (below, query = {}) => site.at(`${path(below)}${queryOf({ ...query, language: chosen })}`),
    language: chosen,
    site,
  }
}

function queryOf(query: QueryValues): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of typeof value === 'string' ? [value] : value || []) parameters.append(name, each)
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** The language as a field of a form that leads to another page by GET. */
export const languageField = ({ language }: ShopLinks): Html | false =>
  language !== null && html`<input type="hidden" name="language" value="${language}">`

/** Head and foot of every page of a shop. */
export function frameOf(shop: ShopFrameFragment, links: ShopLinks, query = ''): PageFrame {
  const { to, site } = links
  const { theme } = shop
  return {
    name: shop.name,
    language: links.language ?? shop.languages[0] ?? 'en',
    styles: [site.asset('shop.css'), ...(theme ? [to('/theme.css', { v: hashOf(themeStyles(theme)) })] : [])],
    header: html`${theme?.announcement && html`<p class="announcement">${theme.announcement}</p>`}
<header class="site shop-head">
<a class="brand shop-name" href="${to('')}">${isOurs(shop.logo, site) && html`<img src="${pathIn(shop.logo)}" alt="" height="32">`}${shop.name}</a>
<search><form class="ask" action="${to('/search')}">${languageField(links)}
<input type="search" name="q" value="${query}" maxlength="200" aria-label="Search this shop" placeholder="Search"><button class="secondary">Search</button></form></search>
<div class="head-links">${shop.hasCustomerAccounts && html`<a class="cart-link" href="${to('/account')}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM4 21c0-4.4 3.6-7 8-7s8 2.6 8 7z"/></svg>Account</a>`}
<a class="cart-link" href="${to('/cart')}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 9V7a5 5 0 0 1 10 0v2h3l-1.2 12H5.2L4 9zm2 0h6V7a3 3 0 0 0-6 0z"/></svg>Cart</a></div>
<nav aria-label="Collections">${shop.collections.slice(0, MAX_NAVIGATION).map(({ name, permalink }) => html`<a href="${to(`/collections/${encodeURIComponent(permalink)}`)}">${name}</a> `)}<a href="${to('/search')}">Everything</a></nav>
</header>`,
    footer: html`<footer class="site shop-foot">
${shop.menus.map((menu) => html`<nav aria-label="${menu.name}"><p class="menu-name">${menu.name}</p><ul>${menu.pages.map(({ title, permalink }) => html`<li><a href="${to(`/pages/${encodeURIComponent(permalink)}`)}">${title}</a></li>`)}</ul></nav>`)}
<div>${theme?.footerText && html`<p>${theme.footerText}</p>`}
${shop.languages.length > 1 && languageLinks(shop, site)}
${shop.currencies.length > 1 && currencyForm(shop, links)}
<p>No tracking. ${cookiesOf(shop)} Sold with <a href="${site.at('/')}">Atrium</a>.</p></div>
</footer>`,
  }
}

/** More do not fit beside each other; all are on the front page. */
const MAX_NAVIGATION = 8

const languageLinks = (shop: ShopFrameFragment, site: Site): Html =>
  html`<p>${shop.languages.map((language) => html`<a href="${linksOf(shop, language, site).to('')}" hreflang="${language}" lang="${language}">${nameOfLanguage(language)}</a> `)}</p>`

const AND = new Intl.ListFormat('en')

/** What a visitor's cookies are for. */
function cookiesOf({ hasCustomerAccounts, currencies }: ShopFrameFragment): string {
  const others = [...(currencies.length > 1 ? ['your currency'] : []), ...(hasCustomerAccounts ? ['your account'] : [])]
  return others.length === 0 ? 'One cookie, for your cart.' : `Cookies for ${AND.format(['your cart', ...others])} only.`
}

/** The currencies of a shop as buttons: they work without a script. */
export const currencyForm = (
  { currencies, currency }: Pick<ShopFrameFragment, 'currencies' | 'currency'>,
  { to }: ShopLinks,
): Html =>
  html`<form method="post" action="${to('/currency')}"><p>Prices in ${currencies.map((code) => html`<button class="plain" name="currency" value="${code}" aria-label="Show prices in ${code}" aria-pressed="${code === currency ? 'true' : 'false'}">${code === currency ? html`<strong>${code}</strong>` : code}</button> `)}</p></form>`

/** A language in itself: Português. */
function nameOfLanguage(language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  } catch {
    return language
  }
}

/** Pictures that are kept elsewhere are not shown: pages load nothing from there. */
export const isOurs = (image: string | null | undefined, { publicUrl }: Site): image is string =>
  image != null && URL.canParse(image) && new URL(image).origin === new URL(publicUrl).origin

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8)

/** A way back: links from the widest to the nearest, and then where one is. */
export const trail = (steps: readonly { readonly name: string; readonly href: string }[], here: string): Html =>
  html`<nav class="trail" aria-label="Breadcrumb">${steps.map(({ name, href }) => html`<a href="${href}">${name}</a> / `)}<span aria-current="page">${here}</span></nav>`

/** The same for search engines; `publicUrl` is put before the paths. */
export const breadcrumbs = (steps: readonly { readonly name: string; readonly path: string }[], { publicUrl }: Site): object => ({
  '@context': 'https://schema.org',
  '@type': 'BreadcrumbList',
  itemListElement: steps.map(({ name, path }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: `${publicUrl}${path}`,
  })),
})
