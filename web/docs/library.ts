import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTokens, plainText, tokenText } from '../frame/markdown.ts'
import { DOCS_SECTIONS, UNLISTED } from './contents.ts'

/** A page of the documentation. */
export type DocsPage = {
  /** What it is called below /docs, such as `guides/upgrade`. */
  readonly name: string
  /** Its file, from the root of the repository. */
  readonly file: string
  readonly title: string
  /** Its first paragraph, as text; empty when it begins otherwise. */
  readonly lead: string
  /** Markdown. */
  readonly text: string
}

/** Pages of a section, in reading order. */
export type DocsSection = { readonly heading: string; readonly pages: readonly DocsPage[] }

/** All documentation. It is read once: files do not change while a process runs. */
export type Library = {
  readonly pages: ReadonlyMap<string, DocsPage>
  /** What the sidebar shows. */
  readonly sections: readonly DocsSection[]
  /** The name of the page that a file of the repository is; null: it is none. */
  readonly nameOf: (file: string) => string | null
}

/** Files that are pages, from the root of the repository. */
const PATTERNS = ['docs/**/*.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'clients/README.md', 'examples/**/README.md']

/**
 * The documentation of the repository in this folder; without its files it is empty. It is read
 * when it is first needed: most processes serve other pages.
 */
export function readLibrary(root: string): Library {
  let read: Library | undefined
  const library = () => (read ??= readAll(root))
  return {
    get pages() {
      return library().pages
    },
    get sections() {
      return library().sections
    },
    nameOf: (file) => library().nameOf(file),
  }
}

function readAll(root: string): Library {
  const files = globSync(PATTERNS, { cwd: root, exclude: ['**/node_modules'] }).map((file) => file.replaceAll('\\', '/'))
  const all = files.sort().map((file) => pageOf(file, readFileSync(join(root, file), 'utf8')))
  const pages = new Map(all.map((page) => [page.name, page]))
  const names = new Map(all.map(({ file, name }) => [file, name]))
  return { pages, sections: sectionsOf(pages), nameOf: (file) => names.get(file) ?? null }
}

/** What generators write above a page, for who edits its file. */
const COMMENT = /^<!--[^>]*-->\n/gm

function pageOf(file: string, source: string): DocsPage {
  const text = source.replaceAll(COMMENT, '')
  const name = file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()
    .replace(/\/readme$/, '')
  const tokens = markdownTokens(text)
  const [heading, lead] = ['heading_open', 'paragraph_open'].map((type) => {
    const token = tokens[tokens.findIndex((each) => each.type === type) + 1]
    return token?.type === 'inline' ? tokenText(token) : ''
  })
  return { name, file, title: heading || name, lead: plainText(lead ?? ''), text }
}

function sectionsOf(pages: ReadonlyMap<string, DocsPage>): readonly DocsSection[] {
  const named = new Set(DOCS_SECTIONS.flatMap(({ names }) => names))
  const folderOf = (name: string) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')
  const unnamed = [...pages.keys()].filter((name) => !named.has(name) && name !== 'readme' && !UNLISTED.includes(folderOf(name)))
  const folders = new Set(DOCS_SECTIONS.map(({ folder }) => folder))
  return DOCS_SECTIONS.map(({ heading, names, folder }, index) => {
    const isLast = index === DOCS_SECTIONS.length - 1
    const further = unnamed.filter((name) => folderOf(name) === folder || (isLast && !folders.has(folderOf(name))))
    const found = [...names, ...further].flatMap((name) => pages.get(name) ?? [])
    return { heading, pages: found }
  }).filter((section) => section.pages.length > 0)
}
