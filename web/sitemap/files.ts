import {
  type DirectoryKind,
  SitemapIndexDocument,
  SitemapItemsDocument,
  SitemapPagesDocument,
  SitemapShopsDocument,
} from '#generated/operations.ts'
import { keysOf } from '../../platform/collections/keys-of.ts'
import { type FileRow, XML, XML_HEAD } from '../frame/file.ts'
import { type Html, html, textOf } from '../frame/html.ts'
import { dataOf, type RunPageOperation } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { KIND_LABELS, KIND_PARAMETERS, kindOf } from '../item/kind.ts'
import { searchPath } from '../search/results.ts'

/**
 * Addresses in one file: the protocol allows 50,000, and a thousand are made without anybody
 * waiting.
 */
const URLS_PER_FILE = 1_000
/** What shops are called in addresses of sitemaps. */
const SHOPS = 'shops'
/** Items of one list that the graph gives at once. */
const ITEMS_PER_QUERY = 100

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** Places for those who sign in: not for crawlers. */
const PRIVATE: readonly string[] = ['/operations', '/console']

export const sitemapFiles: readonly FileRow[] = [
  {
    path: '/sitemap.xml',
    contentType: XML,
    operations: [SitemapIndexDocument, SitemapShopsDocument],
    async text({ run, site: { publicUrl } }) {
      const { directoryStats: stats } = dataOf(await run(SitemapIndexDocument, {}))
      // Shops are of another subgraph: without it, the directory is still listed.
      const { data: sold } = await run(SitemapShopsDocument, { offset: 0 })
      const numbered = (name: string, count: number) =>
        Array.from({ length: Math.ceil(count / URLS_PER_FILE) }, (_, index) => `${name}/${index + 1}.xml`)
      const counts: Readonly<Record<DirectoryKind, number>> = {
        MCP_SERVER: stats.tools,
        PLUGIN: stats.plugins,
        SKILL: stats.skills,
      }
      const files = [
        'pages.xml',
        ...keysOf(KIND_LABELS).flatMap((kind) => numbered(KIND_LABELS[kind].parameter, counts[kind])),
        ...numbered(SHOPS, sold?.shops.totalCount ?? 0),
      ]
      return (
        XML_HEAD +
        textOf(html`<sitemapindex xmlns="${NAMESPACE}">
${files.map(
  (
    file,
  ) => html`<sitemap><loc>${publicUrl}/sitemap/${file}</loc>${stats.changedAt && html`<lastmod>${stats.changedAt}</lastmod>`}</sitemap>
`,
)}</sitemapindex>
`)
      )
    },
  },
  {
    path: '/sitemap/pages.xml',
    contentType: XML,
    operations: [SitemapPagesDocument],
    async text({ run, site }) {
      const { mcp, plugins, skills } = dataOf(await run(SitemapPagesDocument, {})).categories
      const lists = { mcp, plugin: plugins, skill: skills }
      const paths = [
        '/',
        ...site.navigation.map(({ path }) => path).filter((path) => path !== '/graphql' && !PRIVATE.includes(path)),
        ...Object.entries(lists).flatMap(([kind, categories]) => [
          searchPath({ kind }),
          ...categories.map(({ name }) => searchPath({ kind, category: name })),
        ]),
      ]
      return addresses(
        paths.map(
          (path) => html`<url><loc>${site.publicUrl}${path}</loc></url>
`,
        ),
      )
    },
  },
  {
    path: '/sitemap/{kind}/{file}',
    contentType: XML,
    operations: [SitemapItemsDocument, SitemapShopsDocument],
    async text({ path: { kind = '', file = '' }, run }) {
      const number = /^([1-9]\d{0,3})\.xml$/.exec(file)?.[1]
      if (number === undefined || ![...KIND_PARAMETERS, SHOPS].includes(kind)) return null
      const offset = (Number(number) - 1) * URLS_PER_FILE
      const items = kind === SHOPS ? await shopsFrom(offset, run) : await itemsOf(kindOf(kind), offset, run)
      if (items.length === 0) return null
      return addresses(
        items.map(
          ({ url, updatedAt }) => html`<url><loc>${url}</loc>${updatedAt && html`<lastmod>${updatedAt}</lastmod>`}</url>
`,
        ),
      )
    },
  },
  {
    path: '/robots.txt',
    contentType: 'text/plain; charset=utf-8',
    operations: [],
    text: ({ site }) => robots(site),
  },
]

/** An address, and when what is there was last changed; null where nobody says. */
type Listed = { readonly url: string; readonly updatedAt: string | null }

async function shopsFrom(offset: number, run: RunPageOperation): Promise<readonly Listed[]> {
  const parts = await Promise.all(partsFrom(offset).map((part) => run(SitemapShopsDocument, { offset: part })))
  return parts.flatMap((part) => dataOf(part).shops.nodes.map(({ url }) => ({ url, updatedAt: null })))
}

const partsFrom = (offset: number): readonly number[] =>
  Array.from({ length: URLS_PER_FILE / ITEMS_PER_QUERY }, (_, index) => offset + index * ITEMS_PER_QUERY)

async function itemsOf(kind: DirectoryKind, offset: number, run: RunPageOperation): Promise<readonly Listed[]> {
  const of = { servers: kind === 'MCP_SERVER', plugins: kind === 'PLUGIN', skills: kind === 'SKILL' }
  const parts = await Promise.all(partsFrom(offset).map((part) => run(SitemapItemsDocument, { ...of, offset: part })))
  return parts.flatMap((part) => dataOf(part)[kind]?.edges.map(({ node }) => node) ?? [])
}

const addresses = (rows: readonly Html[]): string =>
  XML_HEAD +
  textOf(html`<urlset xmlns="${NAMESPACE}">
${rows}</urlset>
`)

/**
 * A decision about a domain asks the network, and what somebody typed is no page: neither is for
 * crawlers.
 */
const robots = ({ publicUrl, at }: Site): string => `User-agent: *
Disallow: ${at('/trust?')}
Disallow: ${at('/search?q=')}
${PRIVATE.map((path) => `Disallow: ${at(path)}\n`).join('')}
Sitemap: ${publicUrl}/sitemap.xml
`
