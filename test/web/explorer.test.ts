import { existsSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveExplorer } from '../../gateway/explorer/serve.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../gateway/limits/limits.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../gateway/transports/http.ts'
import { serveWebSockets } from '../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { graphExamples } from '../../web/explorer/examples.ts'
import {
  ask,
  directoryWithoutData,
  localGraph,
  recordingLog,
  reviewSubgraph,
  shopSubgraph,
  supergraphSdl,
} from '../gateway/support/graph.ts'
import { startTicker } from '../gateway/support/ticker.ts'
import { closePages, openPage, sharedBrowser } from './support/browser.ts'

const CHROMIUM = '/usr/bin/chromium'

let app: FastifyInstance
let base: string
beforeAll(async () => {
  const { gateway } = await localGraph()
  app = createHttpServer({ log: recordingLog().log })
  const examples = [
    { query: '{ product(id: "a") { name } }' },
    { query: 'query Across { latestReview { about { name rating } } }' },
  ]
  await serveGraphql(app, gateway, { page: await serveExplorer(app, { examples }) })
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

test('the page is for browsers: programs on the same address get JSON', async () => {
  const page = await fetch(`${base}/graphql`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  expect([page.status, page.headers.get('content-type'), page.headers.get('vary')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'Accept, Accept-Encoding',
  ])
  const program = await fetch(`${base}/graphql?query={__typename}`, { headers: { 'apollo-require-preflight': '1' } })
  expect(await program.json()).toEqual({ data: { __typename: 'Query' } })
})

test('the page has no inline script and allows none from elsewhere', async () => {
  const page = await fetch(`${base}/graphql`, { headers: { accept: 'text/html' } })
  const text = await page.text()
  expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/explorer\/)|\son\w+=|https?:\/\//)
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/)
})

test('its files may be kept for ever, for their names change with them', async () => {
  const text = await (await fetch(`${base}/graphql`, { headers: { accept: 'text/html' } })).text()
  const files = [...text.matchAll(/(?:src|href)="(\/explorer[^"]+)"/g)].map(([, path]) => path)
  expect(files).toHaveLength(11)
  for (const path of files) {
    const file = await fetch(base + path, { headers: { 'accept-encoding': 'gzip' } })
    expect([path, file.status, file.headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
    expect(path).toMatch(/\.[0-9a-f]{12}\.(js|css|svg)$/)
  }
})

test('the graph has examples, each with a description and within the limits', async () => {
  const { gateway } = await directoryWithoutData()
  expect(graphExamples().length).toBeGreaterThanOrEqual(3)
  for (const { query } of graphExamples()) {
    expect(query).toMatch(/^(?:# \w.*\n)+(query|mutation|subscription) Example\w+ \{/)
    const prepared = gateway.prepareText(query, undefined)
    expect(prepared).toMatchObject({ kind: 'executable' })
    if (prepared.operation === 'subscription') continue
    // Nothing answers here; what counts is that nothing is refused.
    expect((await ask(gateway, query)).errors?.map(({ extensions }) => extensions.code)).toContain('SUBGRAPH_UNAVAILABLE')
  }
})

describe.skipIf(!existsSync(CHROMIUM) && !process.env.REQUIRE_CHROMIUM)(
  `in a browser (skipped where ${CHROMIUM} is not installed)`,
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await sharedBrowser()
    })
    afterAll(() => closePages(browser))

    test('a query runs and its answer is seen, without a complaint and without leaving this host', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      const [complaints, elsewhere]: [string[], string[]] = [[], []]
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith('data:')) elsewhere.push(request.url())
      })

      await page.goto(`${base}/graphql`)
      const hint = () => page.evaluate("getComputedStyle(document.querySelector('.graphiql-response'), '::before').content")
      await page.getByRole('button', { name: /execute query/i }).waitFor()
      expect(await hint()).toContain('Its answer appears here.')
      await page.getByRole('button', { name: /execute query/i }).click()
      await page.locator('.result-window', { hasText: '"Product a"' }).waitFor()
      expect(await hint()).toBe('none')
      expect(await page.locator('#took').textContent()).toMatch(/^\d+ ms · \d+\.\d kB$/)

      await page.getByRole('tab', { name: 'Across' }).click()
      await page.getByRole('button', { name: /execute query/i }).click()
      await page.locator('.result-window', { hasText: '"Product b"' }).waitFor()

      await page
        .getByRole('button', { name: /documentation/i })
        .first()
        .click()
      await page.locator('.graphiql-doc-explorer', { hasText: 'Mutation' }).waitFor()
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
      expect([complaints, elsewhere]).toEqual([[], []])
    })

    test('on a telephone the answer stands below the query, as wide as it', async () => {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
      await page.goto(`${base}/graphql`)
      await page.getByRole('button', { name: /execute query/i }).click()
      await page.locator('.result-window', { hasText: '"Product a"' }).waitFor()
      const [query, answer] = [
        await page.locator('.graphiql-editors').boundingBox(),
        await page.locator('.graphiql-response').boundingBox(),
      ]
      expect(answer?.width).toBeGreaterThan(250)
      expect(answer?.height).toBeGreaterThan(200)
      expect(query?.height).toBeGreaterThan(200)
      expect(answer?.y).toBeGreaterThanOrEqual((query?.y ?? 0) + (query?.height ?? 0))
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT.replace('.png', '-narrow.png') })
      await page.close()
    })

    test.each([
      { width: 1280, height: 800, scheme: 'light', readers: 'everyone' },
      { width: 1280, height: 800, scheme: 'dark', readers: { token: 'a-token-of-tests-0123' } },
      { width: 390, height: 844, scheme: 'light', readers: 'everyone' },
      { width: 390, height: 844, scheme: 'dark', readers: 'everyone' },
    ] as const)(
      'a panel draws the plan and the times of its fetches: $width, $scheme',
      async ({ scheme, readers, ...viewport }) => {
        const { log } = recordingLog()
        const links = [shopSubgraph(), reviewSubgraph()].map(createLocalLink)
        const gateway = await startGateway({
          supergraphSdl: supergraphSdl(),
          links,
          limits: DEFAULT_LIMITS,
          log,
          queryTraces: readers,
        })
        const own = createHttpServer({ log })
        const examples = [{ query: 'query Across { latestReview { about { name rating } } }' }]
        await serveGraphql(own, gateway, { page: await serveExplorer(own, { examples, traces: gateway.queryTraces }) })
        const address = await own.listen({ port: 0, host: '127.0.0.1' })
        const page = await browser.newPage({ viewport, colorScheme: scheme })
        try {
          const complaints: string[] = []
          page.on('console', (message) => {
            if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
          })
          await page.goto(`${address}/graphql`)
          await page.getByRole('button', { name: 'Show Query trace' }).click()
          const panel = page.getByRole('region', { name: 'Query trace' })
          if (readers !== 'everyone') await panel.getByLabel('Token of traces').fill(readers.token)
          await panel.getByText('Run a query or a mutation').waitFor()
          await page.getByRole('button', { name: /execute query/i }).click()
          await panel.getByText(/^Cost: \d+ estimated, \d+ actual \(limit 1000\)$/).waitFor()
          expect(await panel.locator('.trace-fetch').count()).toBe(2)
          expect(await panel.locator('.trace-bar').count()).toBe(2)
          expect(await panel.locator('.trace-fetch strong').allTextContents()).toEqual(['review', 'shop'])
          await panel.locator('summary').first().click()
          await panel.getByText('latestReview').first().waitFor()
          // The answer is shown without its trace.
          expect(await page.locator('.result-window').textContent()).not.toContain('requests')
          if (process.env.SCREENSHOT) {
            await page.screenshot({ path: process.env.SCREENSHOT.replace('.png', `-trace-${viewport.width}-${scheme}.png`) })
          }
          const isWiderThanPage = await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
          expect([isWiderThanPage, complaints]).toEqual([false, []])
        } finally {
          await page.close()
          await own.close()
          await gateway.close()
        }
      },
    )

    test('an example is opened from the gallery, and a link opens the same without running it', async () => {
      const own = createHttpServer({ log: recordingLog().log })
      const { gateway } = await localGraph()
      const examples = ['One', 'Two', 'Three'].map((name) => ({
        query: `# Shows ${name}.\nquery Example${name} { product(id: "a") { name } }\n`,
      }))
      await serveGraphql(own, gateway, { page: await serveExplorer(own, { examples }) })
      const address = await own.listen({ port: 0, host: '127.0.0.1' })
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
      const [page, other] = [await context.newPage(), await context.newPage()]
      const posts: string[] = []
      other.on('request', (request) => posts.push(request.postData() ?? ''))
      try {
        await page.goto(`${address}/graphql`)
        expect(await page.getByRole('tab', { name: 'ExampleThree' }).count()).toBe(0)
        await page.getByRole('button', { name: 'Examples' }).click()
        await page.getByRole('button', { name: /Three query Shows Three\./ }).click()
        await page.getByRole('tab', { name: 'ExampleThree' }).waitFor()
        await page
          .getByLabel('Cost of the operation')
          .filter({ hasText: /^Cost \d+ of 1000$/ })
          .waitFor()
        await page.getByRole('button', { name: 'Copy a link' }).click()
        await page.getByRole('button', { name: 'Copied' }).waitFor()
        const link = await page.evaluate<string>('navigator.clipboard.readText()')
        expect(link).toMatch(/\/graphql#operation=[\w-]+$/)
        // Another visitor has no tabs yet.
        await other.addInitScript('localStorage.clear()')
        await other.goto(link)
        await other.locator('.graphiql-query-editor', { hasText: 'Shows Three.' }).waitFor()
        await other
          .getByLabel('Cost of the operation')
          .filter({ hasText: /^Cost \d+ of 1000$/ })
          .waitFor()
        // Only its cost was wanted, and the body says so: proxies may leave headers out.
        const sent = posts.filter((body) => body.includes('ExampleThree')).map((body) => JSON.parse(body).extensions)
        expect([...new Set(sent.map((extensions) => extensions?.cost))]).toEqual(['validate'])
        expect(await other.evaluate('location.hash')).toBe('')
        // A link is also opened by a page that shows the explorer already.
        await other.evaluate(`location.hash = new URL(${JSON.stringify(link)}).hash`)
        await other.getByRole('tab', { name: 'ExampleThree' }).nth(1).waitFor()
        expect(await other.evaluate('location.hash')).toBe('')
      } finally {
        await context.close()
        await own.close()
      }
    })

    test.each(['#operation=!!', '#operation=bm90IGpzb24', '#operation=eyJxdWVyeSI6MX0'])('%s opens nothing', async (hash) => {
      const { page, complaints } = await openPage(browser)
      await page.goto(`${base}/graphql${hash}`)
      await page.getByRole('button', { name: 'Copy a link' }).waitFor()
      expect([await page.getByRole('tab').count(), complaints]).toEqual([2, []])
      await page.close()
    })

    test('credentials are gone after a reload, except where the user wants them remembered, and never in another tab', async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const open = async () => {
        await page.goto(`${base}/graphql`)
        await page.locator('#credentials summary').click()
      }
      const sent = () => page.locator('#sent').textContent()
      await open()
      await page.getByLabel('API key').fill('a key of tests')
      await page.getByRole('button', { name: 'Use' }).click()
      expect(await sent()).toBe('API key')
      await open()
      expect(await sent()).toBe('none')
      await page.getByLabel('Bearer token').fill('a token of tests')
      await page.getByLabel('Remember until this tab is closed').check()
      await page.getByRole('button', { name: 'Use' }).click()
      await open()
      expect(await sent()).toBe('Bearer token')
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('of tests')
      const other = await context.newPage()
      await other.goto(`${base}/graphql`)
      expect(await other.locator('#sent').textContent()).toBe('none')
      await page.getByRole('button', { name: 'Forget' }).click()
      await open()
      expect([await sent(), await page.evaluate('sessionStorage.length')]).toEqual(['none', 0])
      await context.close()
    })

    test('there is no panel where traces are off', async () => {
      const page = await browser.newPage()
      await page.goto(`${base}/graphql`)
      await page.getByRole('button', { name: /execute query/i }).waitFor()
      expect(await page.getByRole('button', { name: 'Show Query trace' }).count()).toBe(0)
      await page.close()
    })

    test('a subscription shows what happens, with the credentials that were chosen above', async () => {
      const ticker = await startTicker()
      const own = createHttpServer({ log: recordingLog().log })
      const query = '# What happens.\nsubscription Ticks {\n  ticked {\n    text\n    mine\n  }\n}\n'
      await serveGraphql(own, ticker.gateway, { page: await serveExplorer(own, { examples: [{ query }] }) })
      serveWebSockets(own, ticker.gateway)
      const address = await own.listen({ port: 0, host: '127.0.0.1' })
      try {
        const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
        await page.goto(`${address}/graphql`)
        await page.locator('#credentials summary').click()
        await page.getByLabel('Bearer token').fill('ann')
        await page.getByRole('button', { name: 'Use' }).click()
        await page.locator('#credentials summary').click()
        await page.getByRole('button', { name: /execute query/i }).click()
        while (ticker.listening() === 0) await page.waitForTimeout(20)
        ticker.tick('hello from afar')
        await page.locator('.result-window', { hasText: 'hello from afar' }).waitFor()
        await page.locator('.result-window', { hasText: 'Bearer ann' }).waitFor()
        if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT.replace('.png', '-events.png') })
        await page.close()
        while (ticker.listening() > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      } finally {
        await own.close()
      }
    })
  },
)

test('the first question of a graph that we know nothing about is answered', async () => {
  const { gateway } = await localGraph()
  expect((await ask(gateway, '# A comment\n{\n  __typename\n}\n')).data).toEqual({ __typename: 'Query' })
})
