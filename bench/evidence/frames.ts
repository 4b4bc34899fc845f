import type { Article } from './texts.ts'

/** How sites wrap the same text: what stands around it, and what it is made of. */
export const paragraphs = (texts: readonly string[]): string => texts.map((text) => `<p>${text}</p>`).join('\n')

const menu = (words: readonly string[]): string =>
  `<nav><ul>${words.map((word) => `<li><a href="/${encodeURIComponent(word)}">${word}</a></li>`).join('')}</ul></nav>`

const ENGLISH = [
  'Home',
  'World',
  'Politics',
  'Business',
  'Culture',
  'Sport',
  'Science',
  'Travel',
  'Opinion',
  'Newsletters',
  'Podcasts',
  'Jobs',
]

const head = (lang: string, title: string, more = '') =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>${more}</head>`

/** Sections with meaning, a menu, related links, a footer. */
export const semantic = (
  { lang, title, paragraphs: texts }: Article,
  more = '',
  after = '',
): string => `${head(lang, title, more)}
<body><header>${menu(ENGLISH)}</header>
<main><article><h1>${title}</h1><p class="byline"><a href="/staff/17">M. Keller</a>, <time>2026-04-11</time></p>
${paragraphs(texts)}</article></main>${after}
<aside><h2>More</h2><ul>${texts.map((text) => `<li><a href="/x">${text.slice(0, 60)}</a></li>`).join('')}</ul></aside>
<footer><p>© 2026 The Harbour Post Ltd. All rights reserved. Registered office: 4 Quay Street.</p>${menu(['Imprint', 'Privacy', 'Terms', 'Contact'])}</footer></body></html>`

/** Nothing but <div>, with class names that a tool has made up. */
export const divs = ({ lang, title, paragraphs: texts }: Article): string => `${head(lang, title)}
<body><div id="root"><div class="css-1x8"><div class="css-9a"><a href="/">${title.slice(0, 4)}</a> <a href="/a">A</a> <a href="/b">B</a> <a href="/c">C</a></div>
<div class="css-77"><div class="css-3f">${title}</div>${texts.map((text) => `<div class="css-b2"><span>${text}</span></div>`).join('')}</div>
<div class="css-5c"><a href="/1">1</a><a href="/2">2</a><a href="/3">3</a></div></div></div><script>window.__STATE__={"items":[1,2,3]}</script></body></html>`

/**
 * A blog whose tags are classes of the article, which say "cookie" and "paywall" for their own
 * reasons.
 */
export const blog = ({ lang, title, paragraphs: texts }: Article): string => `${head(lang, title)}
<body class="single cookie-consent-given wp-theme"><div class="site"><header class="site-header">${menu(ENGLISH.slice(0, 6))}</header>
<article id="post-311" class="post tag-cookie-policy tag-paywall category-notes"><h1 class="entry-title">${title}</h1>
<div class="entry-content">${paragraphs(texts)}</div></article>
<div class="sharedaddy">${['Mail', 'Print', 'Share'].map((word) => `<button>${word}</button>`).join('')}</div>
<div id="comments"><form><label>Name <input name="n"></label><label>Comment <textarea></textarea></label><button>Send</button></form></div>
<div class="widget-area sidebar"><h2>Archive</h2><ul>${Array.from({ length: 14 }, (_, month) => `<li><a href="/${month}">2025-${month}</a></li>`).join('')}</ul></div></div></body></html>`

/** A page of the nineties: tables lay it out, and two line breaks make a paragraph. */
export const tables = ({
  lang,
  title,
  paragraphs: texts,
}: Article): string => `<html lang="${lang}"><head><title>${title}</title></head>
<body bgcolor="#ffffff"><table width="100%"><tr><td width="140" valign="top"><font size="2">${ENGLISH.map((word) => `<a href="${word}.htm">${word}</a><br>`).join('')}</font></td>
<td valign="top"><font size="5"><b>${title}</b></font><br><br>${texts.join('<br><br>\n')}</td></tr></table></body></html>`

/** As short as HTML allows: no html, head or body. */
export const bare = ({ title, paragraphs: texts }: Article): string =>
  `<title>${title}</title><h1>${title}</h1>${texts.map((text) => `<p>${text}`).join('\n')}`

/** The whole page is one form with its state in a hidden field. */
export const webForm = ({ lang, title, paragraphs: texts }: Article): string => `${head(lang, title)}
<body><form method="post" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="dDwtMTIzNDU2Nzg5O3Q8"><div id="top"><input type="text" name="q"><input type="submit" value="Go">${menu(ENGLISH.slice(0, 5))}</div>
<div id="ctl00_content"><h1>${title}</h1>${paragraphs(texts)}</div></form></body></html>`

/** A page that says nothing but where else to go. */
export const links = (lang: string, title: string, words: readonly string[]): string =>
  `${head(lang, title)}<body><header><a href="/">${title}</a></header>${menu(words)}<footer>${menu(words.slice(0, 4))}</footer></body></html>`

/** A front page: a headline that links, a teaser, the next. */
export const teasers = (lang: string, title: string, all: readonly (readonly [headline: string, teaser: string])[]): string =>
  `${head(lang, title)}<body><header>${menu(ENGLISH)}</header><main><h1>${title}</h1>${all
    .map(
      ([headline, teaser]) =>
        `<section class="card"><a href="/s"><h3>${headline}</h3></a><p>${teaser}</p><a href="/s">${headline.slice(0, 12)} →</a></section>`,
    )
    .join('')}</main></body></html>`

export const page = (lang: string, title: string | null, body: string, more = ''): string =>
  `<!doctype html><html lang="${lang}"><head>${title === null ? '' : `<title>${title}</title>`}${more}</head><body>${body}</body></html>`

export const jsonLd = (value: object): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`

export const MENU = menu(ENGLISH)
