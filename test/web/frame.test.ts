import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../platform/http/server.ts'
import { toChanged } from '../../web/frame/change.ts'
import { startSite } from '../../web/serve.ts'
import { directoryWithoutData, recordingLog } from '../gateway/support/graph.ts'
import { closePages, expectAccessible, hasNoBrowser, openPage, sharedBrowser } from './support/browser.ts'

let app: FastifyInstance
let base: string
beforeAll(async () => {
  const { gateway } = await directoryWithoutData()
  const site = await startSite(gateway.client, { publicUrl: 'https://atrium.example', hasExplorer: true, hasSchema: true })
  app = createHttpServer({ log: recordingLog().log, notFoundPage: site.lost })
  await site.serve(app)
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

test('a result of a mutation that is no success is refused, whether or not its reason was selected', () => {
  const done = { at: '/console', notice: 'saved' }
  expect(toChanged({ __typename: 'UpdateStoreSuccess' }, done)).toEqual({ kind: 'done', ...done })
  expect(toChanged({ __typename: 'InsufficientStock' }, done)).toEqual({
    kind: 'refused',
    problems: ['Nothing was changed: InsufficientStock.'],
  })
  expect(toChanged({ __typename: 'NotFoundError', message: 'x' }, done)).toEqual({ kind: 'gone' })
})

test('the parts that pages are made of are shown in development only', async () => {
  expect((await fetch(`${base}/design`, { headers: { accept: 'text/html' } })).status).toBe(404)
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('a chosen theme holds on the next page, in colours that can be read, until the system decides again', async () => {
    const { page, complaints } = await openPage(browser)
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    await page.goto(`${base}/reference`)
    const light = await ground()
    await page.getByLabel('Theme').selectOption('dark')
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.goto(`${base}/docs`)
    expect([await ground(), await page.getByLabel('Theme').inputValue()]).toEqual([dark, 'dark'])
    await expectAccessible(page)
    await page.getByLabel('Theme').selectOption('system')
    expect(await ground()).toBe(light)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a language that was chosen in one example is shown in all, also on the next page', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${base}/reference/trust`)
    const shown = page.locator('.code-languages > .panel:visible code')
    expect(await shown.first().textContent()).toMatch(/^curl /)
    await page.locator('.code-languages > label', { hasText: 'Python' }).first().click()
    const texts = await shown.allTextContents()
    expect(texts.length).toBeGreaterThan(5)
    expect(texts.filter((text) => !text.startsWith('import '))).toEqual([])
    await page.goto(`${base}/docs/start/agents`)
    expect(await shown.allTextContents()).toEqual([expect.stringMatching(/^import json, os/)])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('without JavaScript languages are chosen one by one', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${base}/reference/trust`)
    await page.locator('.code-languages > label', { hasText: 'TypeScript' }).first().click()
    const texts = await page.locator('.code-languages > .panel:visible code').allTextContents()
    expect(texts.map((text) => text.split(' ', 1)[0]).slice(0, 2)).toEqual(['import', 'curl'])
    await context.close()
  })

  test.each(['/docs', '/schema', '/reference/trust', '/docs/start/agents'])(
    'without JavaScript %s shows nothing that needs it',
    async (path) => {
      const context = await browser.newContext({ javaScriptEnabled: false })
      const page = await context.newPage()
      await page.goto(`${base}${path}`)
      expect(await page.locator('[hidden]').count()).toBeGreaterThan(0)
      expect(await page.locator('[hidden]:visible').count()).toBe(0)
      await context.close()
    },
  )

  test('words filter the schema, by names and descriptions, until they are deleted', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${base}/schema`)
    const shown = page.locator('[data-filtered]:visible')
    const all = await shown.count()
    const field = page.getByLabel('Show names and descriptions with')
    await field.fill('WATCHED domain')
    const names = await shown.locator('a').allTextContents()
    expect(names).toContain('watchedDomains')
    expect(names).not.toContain('products')
    await page
      .getByRole('status')
      .filter({ hasText: `${names.length} of ${await page.locator('[data-filtered]').count()}` })
      .waitFor()
    expect(await page.getByRole('heading', { name: 'Scalars' }).isVisible()).toBe(false)
    await expectAccessible(page)
    await field.fill('')
    expect(await shown.count()).toBe(all)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('sections of the schema open by their link, and by the words of the filter', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${base}/schema`)
    const mutation = page.locator('[data-filtered]', { has: page.getByRole('link', { name: 'createProduct', exact: true }) })
    expect(await mutation.isVisible()).toBe(false)
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Mutations' }).click()
    await mutation.waitFor()
    await page.goto(`${base}/schema#ENUM`)
    await page.reload()
    await page.getByRole('link', { name: 'OrderStatus', exact: true }).waitFor()
    expect(await mutation.isVisible()).toBe(false)
    await page.getByLabel('Show names and descriptions with').fill('createProduct')
    await mutation.waitFor()
    // An empty field shows what was open before.
    await page.getByLabel('Show names and descriptions with').fill('')
    await mutation.waitFor({ state: 'hidden' })
    expect(await page.getByRole('link', { name: 'OrderStatus', exact: true }).isVisible()).toBe(true)
    await page.close()
  })

  test('on a phone the navigation opens, also without JavaScript, where no switch of the theme is shown', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${base}/reference`)
    const link = page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Docs' })
    expect([await link.isVisible(), await page.getByLabel('Theme').isVisible()]).toEqual([false, false])
    await page.locator('summary', { hasText: 'Menu' }).click()
    await link.click()
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    expect([await link.isVisible(), await page.locator('summary', { hasText: 'Menu' }).isVisible()]).toEqual([true, false])
    await context.close()
  })
})
