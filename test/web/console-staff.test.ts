import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, fieldsOf, type Shop } from './support/console.ts'
import { startWeb } from './support/site.ts'

const PASSWORD = 'correct horse battery'

let web: Awaited<ReturnType<typeof startWeb>>
const { aVisitor, signedIn, aProduct } = consoleAt(() => web.url)
let shop: Shop
beforeAll(async () => {
  web = await startWeb()
  shop = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
  await aProduct(shop, { name: 'Cup', price: '12.50', sku: 'CUP-1' })
})
afterAll(() => web?.close())

type Visitor = ReturnType<typeof aVisitor>

/** A user who has just signed up. */
async function aUser(name: string): Promise<Visitor> {
  const visitor = aVisitor()
  await visitor.get('/account/sign-up')
  const reply = await visitor.post('/account/sign-up', { name, email: `${randomUUID()}@example.org`, password: PASSWORD })
  expect([reply.status, reply.headers.location]).toEqual([303, '/account'])
  return visitor
}

/** The path of an invitation that the owner of the shop made. */
async function anInvitation(role: string, email = `${randomUUID()}@example.org`): Promise<string> {
  const { visitor } = await signedIn(shop)
  const page = await visitor.get('/console/staff')
  const shown = await visitor.post('/console/staff/invite/new', {
    ...fieldsOf(page, '/console/staff/invite/new'),
    email,
    role,
  })
  expect(shown.status).toBe(200)
  return /\/account\/staff\/[\w-]{43}/.exec(shown.text)?.[0] ?? ''
}

/** A user with this role, in the open console of the shop. */
async function aMember(role: string, name = `The ${role}`): Promise<Visitor> {
  const path = await anInvitation(role)
  const visitor = await aUser(name)
  expect((await visitor.get(path)).text).toContain('Accept the invitation')
  expect((await visitor.post(path, {})).headers.location).toBe('/console/stores')
  await open(visitor)
  return visitor
}

async function open(visitor: Visitor): Promise<void> {
  const choice = await visitor.get('/console/stores')
  expect(choice.text).toContain('Open Corner shop')
  const opened = await visitor.post('/console/open', { store: shop.code })
  expect([opened.status, opened.headers.location]).toEqual([303, '/console'])
}

const sectionsOf = (text: string): readonly string[] =>
  [...(/<nav aria-label="Console">(.*?)<\/nav>/s.exec(text)?.[1] ?? '').matchAll(/href="(\/console[\w/-]*)"/g)].map(
    ([, path = '']) => path,
  )

const ALL = [
  '',
  '/reports',
  '/orders',
  '/drafts',
  '/returns',
  '/products',
  '/transfers',
  '/customers',
  '/price-lists',
  '/promotions',
  '/search',
  '/webhooks',
  '/apps',
  '/settings',
  '/staff',
  '/audit',
  '/access',
]
const OF_ROLES: Readonly<Record<string, readonly string[]>> = {
  MANAGER: ALL.filter((path) => !['/apps', '/imports', '/staff', '/access'].includes(path)),
  CATALOGUE: ['/products', '/transfers', '/promotions', '/search', '/settings'],
  FULFILLMENT: [
    '',
    '/reports',
    '/orders',
    '/drafts',
    '/returns',
    '/products',
    '/transfers',
    '/customers',
    '/price-lists',
    '/promotions',
    '/search',
    '/webhooks',
    '/settings',
  ],
  SUPPORT: [
    '',
    '/reports',
    '/orders',
    '/drafts',
    '/returns',
    '/products',
    '/transfers',
    '/customers',
    '/price-lists',
    '/promotions',
    '/search',
    '/webhooks',
    '/settings',
  ],
}

test.each(Object.entries(OF_ROLES))('%s sees its sections, which open, and no others', async (role, sections) => {
  const visitor = await aMember(role)
  const first = await visitor.get('/console')
  if (!sections.includes('')) expect(first.headers.location).toBe(`/console${sections[0]}`)
  const page = await visitor.get(`/console${sections[0]}`)
  expect(sectionsOf(page.text)).toEqual(sections.map((path) => `/console${path}`))
  const statuses: unknown[] = []
  for (const path of ALL.filter((each) => each !== ''))
    statuses.push([path, (await visitor.get(`/console${path}`)).status === 200])
  expect(statuses).toEqual(ALL.filter((each) => each !== '').map((path) => [path, sections.includes(path)]))
})

test('a change that the role may not make is refused with its reason, and nothing is changed', async () => {
  const visitor = await aMember('SUPPORT')
  const page = await visitor.get('/console/settings')
  const refused = await visitor.post('/console/settings', { ...fieldsOf(page, '/console/settings'), name: 'Taken over' })
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('write_store')
  expect((await visitor.get('/console/settings')).text).not.toContain('Taken over')
})

test('the audit log shows who changed what to owner and managers, and as CSV without formulas', async () => {
  const { visitor: owner } = await signedIn(shop)
  await aProduct(shop, { name: '=SUM(A1)', price: '3', sku: 'AUDIT-1' })
  const manager = await aMember('MANAGER', 'Mia Manager')
  const settings = await manager.get('/console/settings')
  await manager.post('/console/settings', { ...fieldsOf(settings, '/console/settings'), name: 'Corner shop' })
  const page = await owner.get('/console/audit?noun=product')
  expect(page.status).toBe(200)
  expect(page.text).toContain('createProduct')
  const joined = await manager.get('/console/audit?actor=user&noun=staff')
  expect(joined.text).toContain('Mia Manager')
  expect(joined.text).not.toContain('createProduct')
  const csv = await owner.get('/console/audit.csv?noun=product')
  expect(csv.headers['content-type']).toContain('text/csv')
  const lines = csv.text.trim().split('\r\n')
  expect(lines[0]).toBe('at,actor,name,role,operation,requestId,object,number,kind,field,before,after')
  expect(csv.text).toContain(",'=SUM(A1)")
  expect(csv.text).not.toMatch(/(^|,)=SUM/m)
  for (const query of ['from=2026-02-30', 'number=7', 'noun=product&number=0', 'user=%27', 'from=2026-02-02&to=2026-02-01'])
    expect((await owner.get(`/console/audit?${query}`)).text).toContain('role="alert"')
  expect((await owner.get('/console/audit.csv?number=7')).status).toBe(400)
  expect((await aVisitor().get('/console/audit.csv')).status).toBe(303)
  const support = await aMember('SUPPORT')
  expect([(await support.get('/console/audit')).status, (await support.get('/console/audit.csv')).status]).toEqual([403, 403])
})

test('no log line has the secret of an invitation, before and after signing in', async () => {
  const path = await anInvitation('SUPPORT')
  expect((await aVisitor().get(path)).status).toBe(303)
  const visitor = await aUser('Newcomer')
  expect((await visitor.get(path)).status).toBe(200)
  expect((await visitor.post(path, {})).status).toBe(303)
  const lines = JSON.stringify(web.log.lines)
  expect(lines).toContain('/account/staff/:secret')
  expect(lines).not.toContain(path.split('/').at(-1))
})

test('a role is changed, and a removed member is out with all pages', async () => {
  const visitor = await aMember('SUPPORT', 'Rui Removed')
  const { visitor: owner } = await signedIn(shop)
  const page = await owner.get('/console/staff')
  const [, number = ''] = /Change Rui Removed[\s\S]*?action="\/console\/staff\/remove\/(\d+)"/.exec(page.text) ?? []
  const role = `/console/staff/role/${number}`
  const refused = await owner.post(role, { ...fieldsOf(page, role), lowStockEmail: 'nobody' })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('lowStockEmail-problem"')])
  expect(
    (await owner.post(role, { ...fieldsOf(page, role), role: 'CATALOGUE', lowStockEmail: 'rui@example.org' })).headers.location,
  ).toBe('/console/staff?done=saved')
  expect(fieldsOf(await owner.get('/console/staff'), role)).toMatchObject({ lowStockEmail: 'rui@example.org' })
  await expect.poll(async () => (await visitor.get('/console')).headers.location).toBe('/console/products')
  expect((await owner.post(`/console/staff/remove/${number}`, {})).headers.location).toBe('/console/staff?done=removed')
  await expect.poll(async () => (await visitor.get('/console/products')).status).not.toBe(200)
  expect((await visitor.get('/console/stores')).text).toContain('No stores yet')
})

test('signing out of the account ends the console, and so does signing out of the console', async () => {
  const member = await aMember('SUPPORT')
  await member.get('/account')
  await member.post('/account/sign-out', {})
  expect((await member.get('/console/orders')).headers.location).toBe('/console')

  const other = await aMember('SUPPORT')
  const copied = new Map(other.cookies)
  await other.get('/console/orders')
  await other.post('/console/sign-out', {})
  // A copy of the cookie of before.
  for (const [name, value] of copied) other.cookies.set(name, value)
  expect((await other.get('/console/orders')).headers.location).toBe('/console')
})

test('a form of another visit, a user of no store and a visitor without an account open nothing', async () => {
  const stranger = await aUser('Stranger')
  await stranger.get('/console')
  expect((await stranger.post('/console/open', { store: shop.code })).headers.location).toBe('/console/stores')
  expect((await stranger.post('/console/open', { store: shop.code, token: 'wrong' })).status).toBe(403)
  expect((await stranger.get('/console/orders')).headers.location).toBe('/console')
  const nobody = aVisitor()
  expect((await nobody.get('/console/stores')).headers.location).toBe('/account/sign-in?next=%2Fconsole%2Fstores')
  expect((await nobody.get(`/account/staff/${'x'.repeat(43)}`)).headers.location).toContain('/account/sign-in?next=')
  expect((await stranger.get(`/account/staff/${'x'.repeat(43)}`)).text).toContain('Invitation expired')
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('the pages of staff fit, are accessible, and work without a script', async () => {
    const { page, complaints } = await openPage(browser, { javaScriptEnabled: true })
    const goto = (path: string) => page.goto(`${web.url}${path}`)
    await goto('/console')
    await look(page, 'console-sign-in')
    await page.getByLabel('Login').fill(shop.login)
    await page.getByLabel('Authtoken').fill(shop.authtoken)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await look(page, 'console-audit')
    await page.getByRole('link', { name: 'Staff' }).click()
    await look(page, 'console-staff')
    await page.getByLabel('E-mail address').fill('vera@example.org')
    await page.getByLabel('Role', { exact: true }).last().selectOption('FULFILLMENT')
    await page.getByRole('button', { name: 'Invite' }).click()
    await look(page, 'console-staff-invitation')
    const path = /\/account\/staff\/[\w-]{43}/.exec(await page.content())?.[0] ?? ''
    await goto('/account/sign-up')
    await page.getByLabel('Name').fill('Vera')
    await page.getByLabel('E-mail address').fill('vera@example.org')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await goto(path)
    await look(page, 'account-staff-invitation')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await look(page, 'console-stores')
    await page.getByRole('button', { name: 'Open Corner shop' }).click()
    await look(page, 'console-of-fulfillment')
    expect(await page.getByText('Fulfillment', { exact: true }).count()).toBe(1)
    expect(complaints).toEqual([])
    await page.close()
  })
})
