/**
 * Takes a picture of every page of a running product at 1280 and 390 pixels, light and dark, for
 * who compares them. Needs Chromium (`CHROMIUM`: its path) and a product with its demo store:
 *
 *     npx node scripts/pages/screenshots.ts --to FOLDER [--url URL] [--only NAME,NAME] [--looks light-1280,dark-390]
 *
 * With `--login LOGIN --authtoken AUTHTOKEN` of a store (`npx atrium store token reset demo`) also
 * of its console, with `--operations-token` (`OPERATIONS_TOKEN`) also of `/operations`. Signs up a user of its own for the pages of accounts.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:4000' },
    to: { type: 'string' },
    only: { type: 'string' },
    looks: { type: 'string' },
    login: { type: 'string' },
    authtoken: { type: 'string' },
    'operations-token': { type: 'string' },
  },
})
const { url, to: folder } = options
if (folder === undefined) {
  console.error('Expected --to FOLDER.')
  process.exit(2)
}

const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  [1280, 390].map((width) => ({ name: `${scheme}-${width}`, scheme, width })),
)
/** Longer pages are cut: nobody compares what is below. */
const MAX_HEIGHT_PX = 6000

const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  browse: '/search',
  'search-servers': '/search?kind=mcp',
  search: '/search?q=postgres',
  'search-nothing': '/search?q=zzzzqqqq',
  'mcp-server': '/mcp/github/github-mcp-server',
  skill: '/search?kind=skill first',
  plugin: '/search?kind=plugin first',
  trust: '/trust',
  decision: '/trust?domain=github.com',
  explorer: '/graphql',
  schema: '/schema',
  'schema-type': '/schema/McpServer',
  reference: '/reference',
  'reference-directory': '/reference/directory',
  'reference-orders': '/reference/store/Orders',
  docs: '/docs',
  'docs-start': '/docs/start/agents',
  'docs-guide': '/docs/guides/verify-a-webhook',
  'docs-search': '/docs/search?q=webhook',
  posts: '/posts',
  post: '/posts first',
  lost: '/nowhere',
  design: '/design',
  shop: '/shops/demo',
  'sign-in': '/account/sign-in',
  'sign-up': '/account/sign-up',
  'console-sign-in': '/console',
}

/** After a sign-up. */
const ACCOUNT_PAGES: Readonly<Record<string, string>> = {
  account: '/account',
  'account-keys': '/account/keys',
  'account-security': '/account/security',
  'account-stores': '/account/stores',
  rooms: '/rooms',
}

const CONSOLE_PAGES: Readonly<Record<string, string>> = {
  console: '/console',
  'console-orders': '/console/orders',
  'console-order': '/console/orders first',
  'console-products': '/console/products',
  'console-product': '/console/products first',
  'console-product-new': '/console/products/new',
  'console-customers': '/console/customers',
  'console-promotions': '/console/promotions',
  'console-webhooks': '/console/webhooks',
  'console-settings': '/console/settings',
  'console-staff': '/console/staff',
  'console-imports': '/console/imports',
}

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const wanted = (name: string): boolean =>
  options.only === undefined || options.only.split(',').some((part) => name.startsWith(part))
const looks = LOOKS.filter(({ name }) => options.looks === undefined || options.looks.split(',').includes(name))

await takeAll(await browser.newContext(), PAGES)
if (options['operations-token']) await takeAll(await forOperators(options['operations-token']), { operations: '/operations' })
if (Object.keys(ACCOUNT_PAGES).some(wanted)) await takeAll(await signedUp(), ACCOUNT_PAGES)
if (options.login && options.authtoken && Object.keys(CONSOLE_PAGES).some(wanted))
  await takeAll(await signedIn(options.login, options.authtoken), CONSOLE_PAGES)
await browser.close()

async function takeAll(context: BrowserContext, pages: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(pages)) {
    if (!wanted(name)) continue
    const page = await context.newPage()
    try {
      await open(page, path)
      for (const look of looks) await take(page, name, look)
    } catch (error) {
      console.error(`${name}: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`)
    }
    await page.close()
  }
}

/** Opens an address; with ` first` after it, what the first row of its list leads to. */
async function open(page: Page, path: string): Promise<void> {
  const [address = '/', first] = path.split(' ')
  await page.goto(`${url}${address}`, { waitUntil: 'load' })
  if (first === undefined) return
  const link = await page.locator('main :is(.card h3, .posts h2, tbody th) a').first().getAttribute('href')
  await page.goto(new URL(link ?? '/', url).href, { waitUntil: 'load' })
}

async function take(page: Page, name: string, { name: look, scheme, width }: (typeof LOOKS)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.setViewportSize({ width, height: 800 })
  // The explorer draws itself after it has loaded; others are done by then.
  await page.waitForTimeout(name === 'explorer' ? 4000 : 300)
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.screenshot({
    path: join(folder ?? '.', `${name}-${look}.png`),
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(Math.max(height, 800), MAX_HEIGHT_PX) },
  })
}

function forOperators(password: string): Promise<BrowserContext> {
  return browser.newContext({ httpCredentials: { username: 'operator', password } })
}

async function signedUp(): Promise<BrowserContext> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/account/sign-up`)
  await page.fill('[name=name]', 'Ann Example')
  await page.fill('[name=email]', `ann-${Date.now()}@example.org`)
  await page.fill('[name=password]', 'correct horse battery')
  await page.click('main form button')
  await page.waitForLoadState()
  await page.close()
  return context
}

async function signedIn(login: string, authtoken: string): Promise<BrowserContext> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/console`)
  await page.fill('[name=login]', login)
  await page.fill('[name=authtoken]', authtoken)
  await page.click('main form button')
  await page.waitForLoadState()
  await page.close()
  return context
}
