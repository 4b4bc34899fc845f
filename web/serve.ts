import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { LostPageDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../gateway/client.ts'
import { assetsOf } from '../platform/http/assets.ts'
import type { NotFoundPage } from '../platform/http/server.ts'
import { accountResponder } from './account/responder.ts'
import { accountRows } from './account/rows.ts'
import { serveAccounts } from './account/serve.ts'
import { userSessions } from './account/session.ts'
import type { StreamOperation } from './account/stream.ts'
import { agentSkillFiles } from './agent-skills/files.ts'
import { serveAuthorization } from './authorize/serve.ts'
import { badgeFiles } from './badge/files.ts'
import { comparePages } from './compare/pages.ts'
import type { Uses } from './console/page.ts'
import { serveConsole } from './console/serve.ts'
import { designPages } from './design/pages.ts'
import { readLibrary } from './docs/library.ts'
import { docsPages } from './docs/pages.ts'
import { feedFiles } from './feed/files.ts'
import { notFoundPage } from './frame/not-found.ts'
import { sealOf } from './frame/seal.ts'
import { type CreateNotFoundPage, operationRunner, pathOf, type Rows, sendPage, servePages } from './frame/serve.ts'
import type { NavigationLink, Site } from './frame/site.ts'
import { serveSampleOrders } from './home/events.ts'
import { homePages } from './home/pages.ts'
import { mcpServerPages } from './item/mcp-server/pages.ts'
import { pluginPages } from './item/plugin/pages.ts'
import { skillPages } from './item/skill/pages.ts'
import { type Operations, serveOperations } from './operations/serve.ts'
import { serveOperatorReports } from './operations/serve-reports.ts'
import { referencePages } from './reference/pages.ts'
import { schemaPages } from './schema/pages.ts'
import { searchPages } from './search/pages.ts'
import { securityFiles } from './security/files.ts'
import { shopFrontPages } from './shop/front-pages.ts'
import { shopListPages } from './shop/list-pages.ts'
import { shopOrderPages } from './shop/order-pages.ts'
import { shopFeedFiles } from './shop/product-feed.ts'
import { shopProductPages } from './shop/product-pages.ts'
import { serveShops } from './shop/serve.ts'
import { shopThemeFiles } from './shop/theme-files.ts'
import { sitemapFiles } from './sitemap/files.ts'
import { trustPages } from './trust/pages.ts'

const FILES = [
  'style/fonts/geist-latin-wght-normal.woff2',
  'style/fonts/geist-latin-ext-wght-normal.woff2',
  'style/fonts/geist-mono-latin-wght-normal.woff2',
  'style/fonts/geist-mono-latin-ext-wght-normal.woff2',
  'style/style.css',
  'shop/shop.css',
  'design/design.css',
  'compare/compare.css',
  'docs/docs.css',
  'style/theme.js',
  'style/icon.svg',
  'style/card.png',
  'item/copy.js',
  'frame/code-tabs.js',
  'item/install.js',
  'search/search.js',
  'home/replay.js',
  'home/live-orders.js',
  'frame/live.js',
  'frame/filter.js',
  'room/room.js',
]

/** Of the repository: the documentation is part of it. */
const ROOT = join(import.meta.dirname, '..')

function readVersion(): string {
  // The file is our own.
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
  return version
}

export type SiteOptions = {
  /** Where clients reach this process, with or without a slash at the end. */
  readonly publicUrl: string
  /** Whether browsers get an explorer at /graphql. */
  readonly hasExplorer: boolean
  /** Whether clients may know the schema; its documentation is there then. */
  readonly hasSchema: boolean
  /**
   * What sessions of the store console are sealed with; null: something that ends with the process.
   */
  readonly consoleSecret?: string | null
  /** The secret before a rotation, whose sessions go on; null: none. */
  readonly previousConsoleSecret?: string | null
  /** Who uses the rate limits of a store. */
  readonly uses?: Uses
  /** URIs for reports of vulnerabilities; none: the policy of the project. */
  readonly securityContacts?: readonly string[] | undefined
  /** Whether /design shows the parts that pages are made of: in development. */
  readonly hasDesign?: boolean
  /** Address before the path of a file of the documentation, for changing it; null: none. */
  readonly docsEditUrl?: string | null | undefined
  /** Makes streams of operations on a server; absent: pages of rooms are not live. */
  readonly streams?: (app: FastifyInstance) => StreamOperation
  /** What who runs this may see; null: nobody may. */
  readonly operations?: Operations | null
}

/**
 * The pages that people look at. `serve` once there is a server; `lost` answers browsers for every
 * other address of it.
 */
export async function startSite(
  client: GatewayClient,
  options: SiteOptions,
): Promise<{ readonly serve: (app: FastifyInstance) => Promise<void>; readonly lost: NotFoundPage }> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  const before = new URL(publicUrl).pathname.replace(/\/$/, '')
  const assets = assetsOf(
    '/assets',
    FILES.map((file) => join(import.meta.dirname, file)),
  )
  const seal = sealOf(options.consoleSecret ?? null, options.previousConsoleSecret ?? null)
  const sessions = userSessions(seal, publicUrl.startsWith('https:'), Date.now)
  const site: Site = {
    readerOf: sessions.of,
    publicUrl,
    at: (path) => `${before}${path}`,
    asset: (name) => `${before}${assets.pathOf(name)}`,
    navigation: createNavigation(options),
  }
  const rows: Rows = {
    pages: [
      ...homePages,
      ...searchPages,
      ...mcpServerPages,
      ...pluginPages,
      ...skillPages,
      ...comparePages,
      ...trustPages,
      ...shopFrontPages,
      ...shopListPages,
      ...shopProductPages,
      ...shopOrderPages,
      ...referencePages(),
      ...docsPages({ library: readLibrary(ROOT), version: readVersion(), editUrl: options.docsEditUrl ?? null }),
      ...(options.hasSchema ? schemaPages() : []),
      ...(options.hasDesign ? designPages : []),
    ],
    files: [
      ...shopThemeFiles,
      ...shopFeedFiles,
      ...sitemapFiles,
      ...feedFiles,
      ...agentSkillFiles,
      ...badgeFiles,
      ...securityFiles(options.securityContacts ?? [], new Date()),
    ],
  }
  await client.prepare(LostPageDocument)

  return {
    serve: async (app) => {
      await assets.serve(app)
      if (options.operations) await serveOperations(app, client, options.operations, site)
      await serveOperatorReports(app, client, site, { seal })
      await serveAuthorization(app, client, site, seal)
      const responder = accountResponder(client, site, sessions, Date.now)
      await serveConsole(app, client, site, { seal, accounts: responder, uses: options.uses })
      const lost: CreateNotFoundPage = (path, run) => notFoundPage(path, run, site)
      const streamOperation = options.streams?.(app) ?? null
      if (streamOperation) serveSampleOrders(app, streamOperation)
      await serveAccounts(app, client, { site, sessions, lost, streamOperation, responder, ...accountRows(site) })
      await serveShops(app, client, { site, lost })
      await servePages(app, client, rows, { site, lost })
    },
    lost: async (request, reply) => {
      const page = await notFoundPage(pathOf(request), operationRunner(client, request, reply), site)
      return sendPage(reply, page, site, 'no-store')
    },
  }
}

const createNavigation = ({ hasExplorer, hasSchema }: SiteOptions): readonly NavigationLink[] => [
  { path: '/search', label: 'Search' },
  { path: '/trust', label: 'Trust' },
  ...(hasExplorer ? [{ path: '/graphql', label: 'Explorer' }] : []),
  ...(hasSchema ? [{ path: '/schema', label: 'Schema' }] : []),
  { path: '/reference', label: 'REST' },
  { path: '/docs', label: 'Docs' },
  { path: '/console', label: 'Console' },
]
