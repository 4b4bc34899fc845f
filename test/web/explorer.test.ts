import { buildSubgraphSchema } from '@apollo/subgraph'
import type { FastifyInstance } from 'fastify'
import { parse } from 'graphql'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveExplorer } from '../../gateway/explorer/serve.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../gateway/limits/limits.ts'
import { compose } from '../../gateway/planning/composition.ts'
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
import { closePages, hasNoBrowser, openPage, sharedBrowser } from './support/browser.ts'

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

describe.skipIf(hasNoBrowser)('in a browser (skipped where none is installed)', () => {
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
        await panel.getByText('Run an operation to see').waitFor()
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

  test('the gallery is shown in the frame of its click, is modal in the next one, and returns the focus', async () => {
    const own = createHttpServer({ log: recordingLog().log })
    const { gateway } = await localGraph()
    const examples = ['One', 'Two', 'Three'].map((name) => ({ query: `query Example${name} { product(id: "a") { name } }\n` }))
    await serveGraphql(own, gateway, { page: await serveExplorer(own, { examples }) })
    const address = await own.listen({ port: 0, host: '127.0.0.1' })
    const { page, complaints } = await openPage(browser)
    try {
      await page.goto(`${address}/graphql`)
      await page.getByRole('button', { name: 'Copy a link' }).waitFor()
      const open = page.getByRole('button', { name: 'Examples', exact: true })
      await open.focus()
      const kinds = "[':popover-open', ':modal'].map((kind) => document.getElementById('examples').matches(kind))"
      expect(await page.evaluate(`document.getElementById('open-examples').click(), ${kinds}`)).toEqual([true, false])
      await page.locator('#examples:modal').waitFor()
      expect(await page.evaluate(kinds)).toEqual([false, true])
      expect(await page.evaluate("document.getElementById('examples').contains(document.activeElement)")).toBe(true)
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT.replace('.png', '-gallery.png') })
      await page.keyboard.press('Escape')
      await page.locator('#examples').waitFor({ state: 'hidden' })
      expect(await page.evaluate('document.activeElement.id')).toBe('open-examples')
      // An example that is chosen before the gallery is modal closes it for good.
      const choose = "document.querySelector('#examples li:last-child button').click()"
      const frames = 'new Promise((wait) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(wait))))'
      await page.evaluate(`document.getElementById('open-examples').click(), ${choose}, ${frames}`)
      await page.getByRole('tab', { name: 'ExampleThree' }).waitFor()
      expect([await page.evaluate(kinds), complaints]).toEqual([[false, false], []])
    } finally {
      await page.close()
      await own.close()
    }
  })

  test('an operation runs after the frame of the click, and the editor keeps the focus', async () => {
    const { page, complaints } = await openPage(browser)
    await page.addInitScript(`globalThis.order = []
      const { fetch } = window
      window.fetch = (address, options) => {
        order.push(JSON.parse(options.body).extensions ? 'cost' : 'operation')
        return fetch(address, options)
      }`)
    await page.goto(`${base}/graphql`)
    const execute = page.getByRole('button', { name: /execute query/i })
    await execute.waitFor()
    const focused = "document.activeElement.closest('[aria-label]')?.getAttribute('aria-label')"
    // What is compiled ahead takes no focus, and leaves nothing.
    await page.evaluate('new Promise((wait) => requestIdleCallback(wait))')
    expect(await page.evaluate("[document.activeElement.localName, document.querySelectorAll('.warm-up').length]")).toEqual([
      'body',
      0,
    ])
    await page.locator('.graphiql-query-editor .CodeMirror').click()
    const before = await page.evaluate(focused)
    await page.evaluate(
      "order.length = 0, addEventListener('click', () => requestAnimationFrame(() => order.push('frame')), { capture: true, once: true })",
    )
    await execute.click()
    await page.locator('.result-window', { hasText: '"Product a"' }).waitFor()
    expect(await page.evaluate("order.filter((each) => each !== 'cost')")).toEqual(['frame', 'operation'])
    expect(await page.evaluate(focused)).toBe(before)
    await page.evaluate(
      "order.length = 0, addEventListener('keydown', () => requestAnimationFrame(() => order.push('frame')), { capture: true, once: true })",
    )
    await page.keyboard.press('Control+Enter')
    await page.waitForFunction("order.includes('operation')")
    expect(await page.evaluate("order.filter((each) => each !== 'cost')")).toEqual(['frame', 'operation'])
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each(['#operation=!!', '#operation=bm90IGpzb24', '#operation=eyJxdWVyeSI6MX0'])('%s opens nothing', async (hash) => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${base}/graphql${hash}`)
    await page.getByRole('button', { name: 'Copy a link' }).waitFor()
    expect([await page.getByRole('tab').count(), complaints]).toEqual([2, []])
    await page.close()
  })

  test('an operation is built by the keyboard from a tree of the schema, with an argument that becomes a variable', async () => {
    const { page, complaints } = await openPage(browser)
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    await page.goto(`${base}/graphql`)
    await page.getByRole('button', { name: /execute query/i }).waitFor()
    expect(requested.filter((path) => path.includes('builder'))).toEqual([])
    await page.getByRole('button', { name: 'Show Operation builder' }).click()
    const builder = page.getByRole('region', { name: 'Operation builder' })
    const text = (): Promise<string> =>
      page.evaluate<string>("document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.getValue()")
    const toggle = async (name: string | RegExp) => {
      await builder.getByRole('checkbox', { name, exact: true }).first().focus()
      await page.keyboard.press('Space')
    }
    expect(
      await builder
        .getByRole('checkbox', { name: /^name / })
        .first()
        .isChecked(),
    ).toBe(true)
    await builder.getByRole('button', { name: 'product, argument id: as a variable' }).click()
    await builder.getByLabel('product, argument id', { exact: true }).fill('b')
    await toggle(/^name /)
    await expect.poll(text).toBe('query ($id: ID!) {\n  product(id: $id) {\n    __typename\n  }\n}\n')
    await toggle(/^name /)
    await toggle(/^latestReview /)
    await expect
      .poll(text)
      .toMatch(
        /^query \(\$id: ID!\) \{\n {2}product\(id: \$id\) \{\n {4}name\n {2}\}\n {2}latestReview \{\n {4}\w+\n {2}\}\n\}\n$/,
      )
    await page.getByRole('button', { name: /execute query/i }).click()
    await page.locator('.result-window', { hasText: '"Product b"' }).waitFor()
    // The lines that a change leaves are the same, and a step of undo takes back that change alone.
    await page.evaluate("globalThis.firstLine = document.querySelector('.graphiql-query-editor .CodeMirror-line')")
    await toggle(/^latestReview /)
    await expect.poll(text).not.toContain('latestReview')
    expect(await page.evaluate('firstLine.isConnected')).toBe(true)
    await page.locator('.graphiql-query-editor textarea').focus()
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(text).toContain('latestReview')
    await builder.getByRole('checkbox', { name: /^latestReview /, checked: true }).waitFor()
    // Several changes before a frame: each is made of the one before.
    const inner = `ul[aria-label^="Fields"] ul[aria-label^="Fields"] > li > label > input:checked`
    await page.evaluate(`for (const box of document.querySelectorAll('${inner}')) box.click()`)
    await expect.poll(text).toMatch(/latestReview \{\n {4}__typename/)
    await expect.poll(text).toMatch(/product\(id: \$id\) \{\n {4}__typename/)
    await toggle(/^product /)
    await expect.poll(text).not.toContain('$id')
    await toggle(/^latestReview /)
    await expect.poll(text).toBe('')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a builder of a large graph draws a window of rows at a time, and all of them in the end', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `field${index}`)
    const typeDefs = parse(`type Query { ${names.map((name) => `${name}: String`).join(' ')} }`)
    const { log } = recordingLog()
    const gateway = await startGateway({
      supergraphSdl: compose([{ name: 'wide', typeDefs }]),
      links: [createLocalLink({ ...shopSubgraph(), name: 'wide', schema: buildSubgraphSchema([{ typeDefs }]) })],
      limits: DEFAULT_LIMITS,
      log,
    })
    const own = createHttpServer({ log })
    await serveGraphql(own, gateway, { page: await serveExplorer(own, { examples: [{ query: '{ field99 }' }] }) })
    const address = await own.listen({ port: 0, host: '127.0.0.1' })
    const { page, complaints } = await openPage(browser)
    try {
      await page.goto(`${address}/graphql`)
      await page.evaluate(`globalThis.added = [], new MutationObserver((changes) => {
          const rows = (node) => node.matches?.('.builder li') ? 1 : (node.querySelectorAll?.('.builder li').length ?? 0)
          added.push(changes.flatMap(({ addedNodes }) => [...addedNodes]).reduce((sum, node) => sum + rows(node), 0))
        }).observe(document.body, { childList: true, subtree: true })`)
      await page.getByRole('button', { name: 'Show Operation builder' }).click()
      const builder = page.getByRole('region', { name: 'Operation builder' })
      const row = (count: number) => builder.getByRole('listitem').nth(count - 1)
      await row(100).waitFor()
      expect(await builder.getByRole('checkbox', { name: /^field99 / }).isChecked()).toBe(true)
      const filter = builder.getByLabel('Filter fields')
      await filter.fill(' Field1 ')
      await row(13).waitFor({ state: 'detached' })
      // Those of that name, and the one that is selected.
      expect(await builder.getByRole('listitem').count()).toBe(12)
      expect(await filter.inputValue()).toBe(' Field1 ')
      await filter.fill('')
      await row(100).waitFor()
      expect(Math.max(...(await page.evaluate<number[]>('added')))).toBe(24)
      // What is typed in the editor arrives in the tree.
      await page.locator('.graphiql-query-editor .CodeMirror').click()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('{ field0 }')
      await builder.getByRole('checkbox', { name: /^field0 /, checked: true }).waitFor()
      expect(await builder.getByRole('checkbox', { checked: true }).count()).toBe(1)
      // Completions reach over the edge of the editor, in front of what is below it.
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.evaluate(`{
        const editor = document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror
        editor.setValue('{' + '\\n'.repeat(18) + '}')
        editor.setCursor(17, 0)
      }`)
      await page.keyboard.press('Control+Space')
      const completions = await page.locator('.CodeMirror-hints').boundingBox()
      const editor = await page.locator('.graphiql-query-editor').boundingBox()
      const bottom = (completions?.y ?? 0) + (completions?.height ?? 0)
      expect(bottom).toBeGreaterThan((editor?.y ?? 0) + (editor?.height ?? 0) + 10)
      const atBottom = `document.elementFromPoint(${(completions?.x ?? 0) + 10}, ${bottom - 8})`
      expect(await page.evaluate(`${atBottom}.closest('.CodeMirror-hints') !== null`)).toBe(true)
      expect(complaints.filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
    } finally {
      await page.close()
      await own.close()
      await gateway.close()
    }
  })

  test('the builder shows what has no value yet, and keeps a comment without a query and a value of a custom scalar', async () => {
    const typeDefs = parse(`
        scalar Facts
        enum Order { BY_NAME BY_PRICE }
        type Query { sorted(order: Order!, facts: Facts): String }`)
    const { log } = recordingLog()
    const gateway = await startGateway({
      supergraphSdl: compose([{ name: 'goods', typeDefs }]),
      links: [createLocalLink({ ...shopSubgraph(), name: 'goods', schema: buildSubgraphSchema([{ typeDefs }]) })],
      limits: DEFAULT_LIMITS,
      log,
    })
    const own = createHttpServer({ log })
    await serveGraphql(own, gateway, { page: await serveExplorer(own, { examples: [{ query: '# Only a comment.' }] }) })
    const address = await own.listen({ port: 0, host: '127.0.0.1' })
    const { page, complaints } = await openPage(browser, { viewport: { width: 390, height: 844 } })
    const text = (editor: string): Promise<string> =>
      page.evaluate<string>(`document.querySelector('.graphiql-${editor} .CodeMirror').CodeMirror.getValue()`)
    try {
      await page.goto(`${address}/graphql`)
      await page.getByRole('button', { name: 'Show Operation builder' }).click()
      const builder = page.getByRole('region', { name: 'Operation builder' })
      await builder.getByRole('checkbox', { name: /^sorted/ }).check()
      await expect
        .poll(() => text('query-editor'))
        .toBe('# Only a comment.\nquery ($order: Order!) {\n  sorted(order: $order)\n}\n')
      const order = builder.getByLabel('sorted, argument order', { exact: true })
      expect(await order.inputValue()).toBe('')
      await order.selectOption('BY_NAME')
      await expect.poll(async () => JSON.parse(await text('editor-tool'))).toEqual({ order: 'BY_NAME' })
      expect(await order.locator('option').allTextContents()).toEqual(['BY_NAME', 'BY_PRICE'])
      await builder.getByRole('checkbox', { name: /^facts/ }).check()
      const facts = builder.getByLabel('sorted, argument facts', { exact: true })
      await facts.fill('[1, {two: true}]')
      await expect.poll(() => text('query-editor')).toContain('facts: [1, {two: true}]')
      await facts.fill('[1')
      expect(await facts.getAttribute('aria-invalid')).toBe('true')
      await facts.fill('2026-11-27')
      await expect.poll(() => text('query-editor')).toContain('facts: "2026-11-27"')
      // More than half of a telephone, and the answer stands below the query all the same.
      const boxes = ['.graphiql-plugin', '.graphiql-main', '.graphiql-editors', '.graphiql-response']
      const [panel, whole, query, answer] = await Promise.all(boxes.map((part) => page.locator(part).boundingBox()))
      expect((panel?.height ?? 0) / (whole?.height ?? 0)).toBeGreaterThan(0.5)
      expect(answer?.y).toBeGreaterThanOrEqual((query?.y ?? 0) + (query?.height ?? Number.NaN))
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT.replace('.png', '-builder-390.png') })
      // A text without an operation, or a variable without a value, has no cost: the gateway answers 400.
      expect(complaints.filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
    } finally {
      await page.close()
      await own.close()
      await gateway.close()
    }
  })

  test('the builder makes variables of values and values of variables without a loss, or says why it does not', async () => {
    const typeDefs = parse(`
        scalar Json
        input Where { id: Int, order: Order, orders: [Order!] }
        enum Order { NEW OLD }
        type Query { find(where: Where, count: Int, facts: Json): Found }
        type Found { id: ID! }`)
    const { log } = recordingLog()
    const gateway = await startGateway({
      supergraphSdl: compose([{ name: 'goods', typeDefs }]),
      links: [createLocalLink({ ...shopSubgraph(), name: 'goods', schema: buildSubgraphSchema([{ typeDefs }]) })],
      limits: DEFAULT_LIMITS,
      log,
    })
    const own = createHttpServer({ log })
    const query = `query One($x: Int) {
        few: find(where: {id: $x}, count: 1) { id } # inside
      }
      query Two($count: Int) { find(count: $count) { id } }`
    await serveGraphql(own, gateway, { page: await serveExplorer(own, { examples: [{ query }] }) })
    const address = await own.listen({ port: 0, host: '127.0.0.1' })
    const { page, complaints } = await openPage(browser)
    const editor = (part: string) => `document.querySelector('.graphiql-${part} .CodeMirror').CodeMirror`
    const text = (): Promise<string> => page.evaluate<string>(`${editor('query-editor')}.getValue()`)
    const variables = async (): Promise<unknown> => JSON.parse(await page.evaluate<string>(`${editor('editor-tool')}.getValue()`))
    const setVariables = (json: string) => page.evaluate(`${editor('editor-tool')}.setValue(${JSON.stringify(json)})`)
    try {
      await page.goto(`${address}/graphql`)
      await page.getByRole('button', { name: 'Show Operation builder' }).click()
      const builder = page.getByRole('region', { name: 'Operation builder' })
      const convert = (argument: string, to: 'value' | 'variable') =>
        builder.getByRole('button', { name: `find, argument ${argument}: as a ${to}` })
      const [comments, broken] = [builder.getByText(/removes the comments/), builder.getByText(/are no JSON object/)]
      await comments.waitFor()
      await builder.getByRole('checkbox', { name: /^few: ?find / }).waitFor()
      expect(await convert('where', 'variable').isDisabled()).toBe(true)

      // Two's $count has values of its own.
      await convert('count', 'variable').click()
      await expect.poll(text).toContain('count: $count2')
      await expect.poll(text).toContain('query Two($count: Int)')
      expect(await comments.count()).toBe(0)
      await expect.poll(variables).toEqual({ count2: 1 })
      const count = builder.getByLabel('find, argument count', { exact: true })
      for (const wrong of ['many', '1.5', '$x']) {
        await count.fill(wrong)
        expect([wrong, await count.getAttribute('aria-invalid'), await variables()]).toEqual([wrong, 'true', { count2: 1 }])
      }
      await count.fill('2')
      await expect.poll(variables).toEqual({ count2: 2 })

      await setVariables('{"count2": ')
      await broken.waitFor()
      expect(await convert('count', 'value').isDisabled()).toBe(true)
      await setVariables('{"count2": "abc"}')
      await convert('count', 'value').click()
      await expect.poll(text).toContain('count: "abc"')
      await setVariables('{"count2": ')
      await broken.waitFor()
      expect(await convert('count', 'variable').isDisabled()).toBe(true)
      await setVariables('')

      await builder.getByRole('checkbox', { name: /^facts/ }).check()
      await builder.getByLabel('find, argument facts', { exact: true }).fill('{a: [1, null]}')
      await convert('facts', 'variable').click()
      await expect.poll(variables).toEqual({ facts: { a: [1, null] } })
      await convert('facts', 'value').click()
      await expect.poll(text).toContain('facts: {a: [1, null]}')
      await convert('facts', 'variable').click()
      for (const key of ['no name', 'a: 1, b']) {
        await setVariables('{}')
        await builder.getByTitle('GraphQL has no literal for the keys of this value.').waitFor({ state: 'detached' })
        await setVariables(JSON.stringify({ facts: [{ [key]: 1 }] }))
        await builder.getByTitle('GraphQL has no literal for the keys of this value.').waitFor()
        expect(await convert('facts', 'value').isDisabled()).toBe(true)
      }
      await setVariables('{"facts": "12"}')
      await convert('facts', 'value').click()
      await builder.getByLabel('find, argument facts', { exact: true }).fill('{a: [12345678901234567890]}')
      await builder.getByTitle('JSON has no such number.').waitFor()
      expect(await convert('facts', 'variable').isDisabled()).toBe(true)

      // What is none of its type is written as it is, for the user to see.
      await builder.getByLabel('find, argument where', { exact: true }).fill('{id: 1}')
      await convert('where', 'variable').click()
      const wrong = { orders: 'NEW', id: '5', other: null, order: 'OLD' }
      await setVariables(JSON.stringify({ where: wrong }))
      await convert('where', 'value').click()
      await expect.poll(text).toContain('where: {orders: NEW, id: "5", other: null, order: OLD}')
      // A variable without a value has no cost: the gateway answers 400.
      expect(complaints.filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
    } finally {
      await page.close()
      await own.close()
      await gateway.close()
    }
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
})

test('the first question of a graph that we know nothing about is answered', async () => {
  const { gateway } = await localGraph()
  expect((await ask(gateway, '# A comment\n{\n  __typename\n}\n')).data).toEqual({ __typename: 'Query' })
})
