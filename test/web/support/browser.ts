import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { once } from '../../../platform/collections/once.ts'

/**
 * The first of these that is installed: the shell is the same browser without its window, whose
 * processes take a quarter of the processor time.
 */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const installed = BROWSERS.find((path) => existsSync(path))
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync']
/**
 * Ignored by git: to be looked at by people, and written only for them, with SCREENSHOTS=1.
 * Pictures take longer than the tests around them.
 */
const PICTURES = join(import.meta.dirname, '../../../.screenshots')

/** Where tests with a browser cannot run. Where they must, they fail instead. */
export const hasNoBrowser = installed === undefined && !process.env.REQUIRE_CHROMIUM

/** The browser of this process: it takes a second of processor time to start, and ends with the process. */
export const sharedBrowser = once((): Promise<Browser> => {
  if (installed === undefined) throw new Error(`Expected one of ${BROWSERS.join(' and ')} to be installed.`)
  return chromium.launch({ executablePath: installed, args: QUIET })
})

/** Closes all pages of a test file, and forgets their cookies. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()))
}

/** Every look that a page must have. */
export const LOOKS = [
  { colorScheme: 'light', width: 360, isAudited: true },
  { colorScheme: 'light', width: 1280, isAudited: false },
  { colorScheme: 'dark', width: 360, isAudited: false },
  { colorScheme: 'dark', width: 1280, isAudited: true },
] as const

/** Shows a page in this look, without loading it again. */
export async function wear(page: Page, { colorScheme, width }: (typeof LOOKS)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 800 })
}

/** A page whose complaints and requests to elsewhere are kept. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints }
}

/** Keeps a picture of the page as it is, where pictures are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

/**
 * Expects that a page fits and is accessible in every look, and keeps a picture of each where
 * pictures are wanted.
 */
export async function look(page: Page, name: string): Promise<void> {
  for (const each of LOOKS) {
    await wear(page, each)
    await expectToFit(page)
    // Colours differ between the schemes and order between the widths: two looks have met all of
    // them.
    if (each.isAudited) await expectAccessible(page)
    await picture(page, `${name}-${each.colorScheme}-${each.width}`)
  }
}

/** Expects that axe-core finds nothing serious. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>(AUDIT)
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`)
  expect(serious).toEqual([])
}

/** Expects that nothing is wider than the window. */
export async function expectToFit(page: Page): Promise<void> {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(overflow, 'pixels that the page is wider than the window').toBe(0)
}

/**
 * Without the rules of which neither they nor their checks are ever serious: they take a third of
 * the processor time of an audit. The contrast of a text is measured once for each look: that is
 * most of the rest, where a page has a thousand words of code in five colours. Only what has passed
 * is not measured again, and what stands out of an element around it always is.
 */
const AUDIT = `{
  const { rules, checks, data } = axe._audit
  const isSerious = ({ id, impact }) => ['serious', 'critical'].includes(impact ?? data.checks[id]?.impact)
  const harmless = rules.filter((rule) => ![rule, ...rule.any, ...rule.all, ...rule.none].some(isSerious))

  const LOOK = ['color', 'backgroundColor', 'opacity', 'fontSize', 'fontWeight']
  const numbers = new Map()
  const looks = new Map()
  const lookOf = (element) => {
    if (element === null) return 0
    const known = looks.get(element)
    if (known !== undefined) return known
    const style = getComputedStyle(element)
    const own = [lookOf(element.parentElement), element.tagName, element.className, ...LOOK.map((name) => style[name])].join()
    if (!numbers.has(own)) numbers.set(own, numbers.size + 1)
    looks.set(element, numbers.get(own))
    return looks.get(element)
  }
  // Nothing behind it shines through.
  const isSurface = (element) => {
    const { backgroundColor, opacity } = getComputedStyle(element)
    return opacity === '1' && backgroundColor.startsWith('rgb(')
  }
  // The padding of a word in a line stands out of that.
  const SLACK_PX = 4
  const insides = new Map()
  const isInside = (element) => {
    const parent = element.parentElement
    if (parent === null || isSurface(element)) return true
    if (!insides.has(element)) {
      const [own, around, { overflowX }] = [element.getBoundingClientRect(), parent.getBoundingClientRect(), getComputedStyle(parent)]
      const isWider = overflowX === 'visible' && (own.left < around.left - SLACK_PX || own.right > around.right + SLACK_PX)
      const isOut = isWider || own.top < around.top - SLACK_PX || own.bottom > around.bottom + SLACK_PX
      insides.set(element, !isOut && isInside(parent))
    }
    return insides.get(element)
  }
  const passed = new Set()
  const rule = rules.find(({ id }) => id === 'color-contrast')
  const { evaluate, options } = checks['color-contrast']
  const measure = { data: () => {}, relatedNodes: () => {} }
  const CONTROLS = ['INPUT', 'SELECT', 'TEXTAREA']
  const hasText = ({ children }) =>
    children.some(({ actualNode: { nodeType, data } }) => nodeType === Node.TEXT_NODE && data.trim() !== '')
  const { matches } = rule
  rule.matches = function (element, node, context) {
    if (!hasText(node) && !CONTROLS.includes(element.nodeName)) return false
    const look = isInside(element) ? lookOf(element) : null
    if (passed.has(look) || !matches.call(this, element, node, context)) return false
    if (look === null || evaluate.call(measure, element, options, node, context) !== true) return true
    passed.add(look)
    return false
  }
  axe.run({ resultTypes: ['violations'], rules: Object.fromEntries(harmless.map(({ id }) => [id, { enabled: false }])) }).finally(() => {
    rule.matches = matches
  })
}`

/** Minified: each page that is audited compiles it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
