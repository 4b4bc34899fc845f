import { posix } from 'node:path'
import { type CodeBlock, codeBlock, codeTabs } from '../frame/code.ts'
import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'
import { type MarkdownPlace, markdownTokens, renderMarkdown, tokenText } from '../frame/markdown.ts'
import type { Site } from '../frame/site.ts'
import type { DocsPage, Library } from './library.ts'

/** A heading that can be linked to. */
export type DocsHeading = { readonly id: string; readonly text: string; readonly level: number }

/**
 * Ids of headings as readers of the files know them from code hosts: lower case, words joined by
 * hyphens, everything else left out; a second one of the same text gets `-1`.
 */
export function headingIds(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const id = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    const count = seen.get(id) ?? 0
    seen.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
}

/** The headings of a page below its title, in order. */
export function headingsOf({ text }: DocsPage): readonly DocsHeading[] {
  const idOf = headingIds()
  const tokens = markdownTokens(text)
  return tokens.flatMap((token, index) => {
    const content = tokens[index + 1]
    if (token.type !== 'heading_open' || content === undefined) return []
    const words = tokenText(content)
    return [{ id: idOf(words), text: words, level: Number(token.tag.slice(1)) }]
  })
}

/** The path of a page. */
export const docsPath = (name: string): string => `/docs/${name}`

/** The content of a page, with links that lead to pages of the site. */
export function articleOf(page: DocsPage, library: Library, site: Site): Html {
  const idOf = headingIds()
  let blocks = 0
  const blockOf = (text: string, language: string): CodeBlock => {
    blocks += 1
    return { id: `code-${blocks}`, text, language, label: language === '' ? 'Code' : `Code, ${language}` }
  }
  const place: MarkdownPlace = {
    headingId: idOf,
    link: (address, label) => linkFrom(page, address, label, library, site),
    code: (text, language) => codeBlock(blockOf(text, language)),
    codes(run) {
      const languages = new Set(run.map(({ language }) => language))
      const drawn = run.map(({ text, language }) => blockOf(text, language))
      // Two blocks of one language are two steps.
      return languages.size === run.length ? codeTabs(`languages-${blocks}`, drawn) : html`${drawn.map(codeBlock)}`
    },
  }
  return renderMarkdown(page.text, place)
}

/** A link of a file: to a page where its target is one, to an address elsewhere, or only its words. */
function linkFrom({ file }: DocsPage, address: string, label: Html, { nameOf }: Library, site: Site): Html {
  if (address.startsWith('#')) return html`<a href="${address}">${label}</a>`
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return ownAddress(address, label, site) ?? externalLink(address, label)
  const [path = '', fragment] = address.split('#', 2)
  const target = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '')
  const name = nameOf(target) ?? nameOf(`${target}/README.md`)
  const hash = fragment === undefined ? '' : `#${fragment}`
  // What is no page is a file of the repository: its name says where.
  return name === null
    ? html`<span title="${target}">${label}</span>`
    : html`<a href="${site.at(docsPath(name))}${hash}">${label}</a>`
}

/** Where the files say `http://localhost:4000`, this site is meant. */
function ownAddress(address: string, label: Html, site: Site): Html | null {
  const [, path] = /^http:\/\/localhost:4000(\/.*)?$/.exec(address) ?? []
  return address.startsWith('http://localhost:4000') ? html`<a href="${site.at(path ?? '/')}">${label}</a>` : null
}
