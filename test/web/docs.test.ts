import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../platform/http/server.ts'
import { headingsOf } from '../../web/docs/article.ts'
import { type DocsPage, readLibrary } from '../../web/docs/library.ts'
import { startSite } from '../../web/serve.ts'
import { directoryWithoutData, recordingLog } from '../gateway/support/graph.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'

const ROOT = join(import.meta.dirname, '../..')
const library = readLibrary(ROOT)
const pages = [...library.pages.values()]

let app: FastifyInstance
let base: string
beforeAll(async () => {
  const { gateway } = await directoryWithoutData()
  const site = await startSite(gateway.client, {
    publicUrl: 'https://atrium.example',
    hasExplorer: true,
    hasSchema: true,
    docsEditUrl: 'https://git.example/atrium/edit/main/',
  })
  app = createHttpServer({ log: recordingLog().log, notFoundPage: site.lost })
  await site.serve(app)
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const get = (path: string, coding = 'identity') =>
  askRaw(base, path, { headers: { accept: 'text/html', 'accept-encoding': coding } })

test.each(pages)(
  '/docs/$name has one heading, fits in 60 kB, and its links within the site lead to headings and pages',
  async ({ name }) => {
    const { status, text } = await get(`/docs/${name}`)
    expect([status, text.match(/<h1\b/g)?.length]).toEqual([200, 1])
    expect((await get(`/docs/${name}`, 'br')).bytes.length).toBeLessThan(60_000)
    const links = [...text.matchAll(/<a href="(?:\/docs\/([^"#]+))?(?:#([^"]*))?"/g)].filter(([, target, id]) => target ?? id)
    for (const [link, target, id] of links) {
      const page = library.pages.get(decodeURIComponent(target ?? name))
      expect([link, page === undefined && !target?.startsWith('search')]).toEqual([link, false])
      const ids = page === undefined ? [] : ['content', ...headingsOf(page).map((heading) => heading.id)]
      if (id !== undefined) expect([link, ids]).toEqual([link, expect.arrayContaining([id])])
    }
  },
)

/** Links of a file to other files of the repository, from its root. */
const fileLinks = ({ file, text }: DocsPage) =>
  [...text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)/g)].map(([, path = '']) =>
    posix.normalize(posix.join(posix.dirname(file), path)),
  )

test('every link to a file of the repository leads to one', () => {
  const missing = pages.flatMap((page) =>
    fileLinks(page).flatMap((path) => {
      try {
        readFileSync(join(ROOT, path))
        return []
      } catch (error) {
        // A folder is shown by code hosts.
        return (error as NodeJS.ErrnoException).code === 'EISDIR' ? [] : [`${page.file}: ${path}`]
      }
    }),
  )
  expect(missing).toEqual([])
})

test('every page is reached from the contents or from a page that is', () => {
  const reached = new Set(library.sections.flatMap((section) => section.pages.map(({ name }) => name)))
  for (const name of reached) {
    const page = library.pages.get(name)
    for (const path of page ? fileLinks(page) : []) {
      const target = library.nameOf(path.replace(/\/$/, '')) ?? library.nameOf(posix.join(path, 'README.md'))
      if (target !== null) reached.add(target)
    }
  }
  expect(pages.map(({ name }) => name).filter((name) => !reached.has(name))).toEqual([])
})

test('search finds a passage by words with a typing error, links to its heading, and works as a form', async () => {
  const { text } = await get('/docs/search?q=trusted+docments')
  expect(text).toContain('<a href="/docs/reference/graphql#trusted-documents">Trusted documents</a>')
  expect(text).toContain('<meta name="robots" content="noindex">')
  expect((await get('/docs/search?q=upgarde')).text).toContain('<a href="/docs/guides/upgrade">')
  expect((await get('/docs/search?q=zzzzqqqq')).text).toContain('Nothing for <strong>zzzzqqqq</strong>')
  expect((await get(`/docs/search?q=${'x'.repeat(201)}`)).status).toBe(400)
  expect((await get('/docs/search?q=%3Cscript%3E')).text).not.toContain('<script>')
})

test('search shows guides first and decision records last, where each result stands, and the words that were found', async () => {
  const { text } = await get('/docs/search?q=webhook')
  const results = [
    ...text.matchAll(
      /<p class="facts">([^<]*)<\/p>\s*<h2><a href="\/docs\/([^"]*)">([^<]*)<\/a><\/h2>(.*?)<\/li>(?=\s*<(?:li class="card"|\/ul))/gs,
    ),
  ].map(([, place = '', path = '', heading = '', rest = '']) => ({ place, path, heading, rest }))
  expect(results[0]).toMatchObject({ place: 'Guides', path: 'guides/verify-a-webhook' })
  const paths = results.map(({ path }) => path)
  expect(new Set(paths).size, 'one result for each page').toBe(paths.length)
  expect(text).toContain(`${paths.length} pages for <strong>webhook</strong>`)
  // Parts of a page stand below it, with their own address.
  expect(results[0]?.rest).toContain('<a href="/docs/guides/verify-a-webhook#besides-the-signature">Besides the signature</a>')
  expect(results.some(({ rest }) => rest.includes('<mark>webhook</mark>'))).toBe(true)
  expect(text).not.toContain('#next"')
  const records = (await get('/docs/search?q=circuit')).text.matchAll(/<h2><a href="\/docs\/([^"]*)">([^<]*)<\/a>/g)
  const found = [...records].map(([, path = '', heading = '']) => ({ path, heading }))
  const first = found.findIndex(({ path }) => path.startsWith('adr/'))
  expect(first).toBeGreaterThan(0)
  expect(found.slice(first).every(({ path }) => /^(?:adr|changelog)/.test(path))).toBe(true)
  expect(found.filter(({ heading }) => /^(?:Context|Decision|Consequences)$/.test(heading))).toEqual([])
})

test('a page says how to change it, and what comes before and after', async () => {
  const { text } = await get('/docs/trust')
  expect(text).toContain('<a href="https://git.example/atrium/edit/main/docs/trust.md" rel="nofollow">Edit this page</a>')
  expect(text).toContain('<a href="/docs/store" rel="prev">')
  expect(text).toContain('<a href="/docs/mcp" rel="next">')
})

test.each(['/docs/nothing', '/docs/..%2Fpackage.json', '/docs/guides/__proto__', '/docs/constructor'])(
  '%s is no page',
  async (path) => {
    expect((await get(path)).status).toBe(404)
  },
)

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test.each(['/docs', '/docs/store', '/docs/search?q=secret'])('%s is accessible and fits in every look', async (path) => {
    const { page, complaints } = await openPage(browser)
    await page.goto(base + path)
    await look(page, `docs${path.replaceAll(/\W/g, '-')}`)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('without JavaScript one reads, opens the contents on a phone, and searches; a block of code has no button', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${base}/docs/store`)
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await page.locator('summary', { hasText: 'Contents' }).click()
    await page.getByRole('searchbox').fill('webhook')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Search the documentation' }).waitFor()
    await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
    expect(page.url()).toContain('#webhooks')
    await context.close()
  })
})
