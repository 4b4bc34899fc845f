import { randomUUID } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../platform/http/server.ts'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { accountResponder } from '../../web/account/responder.ts'
import { accountRows } from '../../web/account/rows.ts'
import { serveAccounts } from '../../web/account/serve.ts'
import { userSessions } from '../../web/account/session.ts'
import { collection as collectionPage } from '../../web/collection/pages.ts'
import { html } from '../../web/frame/html.ts'
import { OperationFailed } from '../../web/frame/page.ts'
import { sealOf } from '../../web/frame/seal.ts'
import type { Site } from '../../web/frame/site.ts'
import { recordingLog } from '../gateway/support/graph.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, setCookies } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

const PASSWORD = 'correct horse battery'
const TOOLS = '/mcp/acme/tools'

let web: Awaited<ReturnType<typeof startWeb>>
const { aVisitor } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

type Visitor = ReturnType<typeof aVisitor>

/** A user who has just signed up, with the cookies of the browser. */
async function aUser(
  name = 'Ann Example',
): Promise<{ readonly visitor: Visitor; readonly email: string; readonly name: string }> {
  const visitor = aVisitor()
  const email = `${randomUUID()}@example.org`
  await visitor.get('/account/sign-up')
  const reply = await visitor.post('/account/sign-up', { name, email, password: PASSWORD })
  expect([reply.status, reply.headers.location]).toEqual([303, '/account'])
  return { visitor, email, name }
}

async function signIn(email: string, next = ''): Promise<Visitor> {
  const visitor = aVisitor()
  await visitor.get('/account/sign-in')
  expect((await visitor.post('/account/sign-in', { email, password: PASSWORD, next })).status).toBe(303)
  return visitor
}

/** Gives a role to a user, as an operator does. */
const giveRole = (email: string, role: 'ADMIN' | 'MODERATOR' | 'USER'): Promise<void> =>
  change('UPDATE social."user" SET role = $2 WHERE email_key = $1', [email, role])

/** Changes rows behind the graph. */
async function change(statement: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ ...web.trust.database.connection })
  await client.connect()
  await client.query(statement, [...values])
  await client.end()
}

/** `before` and `after` around an `a`, as often as that many characters hold them. */
const nested = (before: string, after: string) => (characters: number) => {
  const count = Math.floor((characters - 1) / (before.length + after.length))
  return `${before.repeat(count)}a${after.repeat(count)}`
}
const repeated = (text: string) => (characters: number) => text.repeat(Math.floor(characters / text.length))

/** Texts of a length that cost most to draw. */
const HEAVY: Readonly<Record<string, (characters: number) => string>> = {
  'nested strong emphasis': nested('*', '*'),
  'nested emphasis': nested('*a ', ' a*'),
  'nested quotations': nested('>', ''),
  'nested lists': nested('- ', ''),
  'nested pictures': nested('![', '](https://a.example)'),
  'open brackets': repeated('['),
  links: repeated('[a](https://a.example)'),
  'links to one definition': (characters) =>
    `[a]: https://a.example/${'b'.repeat(characters / 2 - 30)}\n\n${'[a]'.repeat(characters / 6)}`,
  'tables with short rows': repeated(`${'|a'.repeat(181)}\n${'|-'.repeat(181)}\n${'a\n'.repeat(362)}\n`),
}

/** How deep elements that are closed are nested. */
function deepest(text: string): number {
  let [depth, found] = [0, 0]
  for (const [, end] of text.matchAll(/<(\/?)(?:strong|em|ul|li|blockquote|div|p|a|section|article|main|ol)\b/g)) {
    depth += end === '/' ? -1 : 1
    found = Math.max(found, depth)
  }
  return found
}

/** Posts a form, and reads the page that it leads to. */
async function submit(visitor: Visitor, path: string, fields: Record<string, string> = {}) {
  const reply = await visitor.post(path, fields)
  expect([path, reply.status, reply.text.match(/role="alert".*?<\/div>/s)?.[0]]).toEqual([path, 303, undefined])
  return { at: String(reply.headers.location), page: await visitor.get(String(reply.headers.location)) }
}

describe('signing up and in', () => {
  test('opens the account, by a cookie that no script reads and that holds nothing to read', async () => {
    const visitor = aVisitor()
    await visitor.get('/account/sign-up')
    const reply = await visitor.post('/account/sign-up', { name: 'Bo', email: 'bo@example.org', password: PASSWORD })
    const [cookie = ''] = setCookies(reply)
    expect(cookie).toMatch(/^account=[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
    expect(Buffer.from(visitor.cookies.get('account') ?? '', 'base64url').toString('latin1')).not.toContain('eyJ')
    const { status, text, headers } = await visitor.get('/account')
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(text).toContain('<h1>Bo</h1>')
    expect(text).toContain('value="bo@example.org"')
  })

  test('leads back to where it was wanted, and to no other site', async () => {
    const { email } = await aUser()
    for (const [next, location] of [
      [TOOLS, TOOLS],
      ['/posts?after=x', '/posts?after=x'],
      ['//evil.example/', '/account'],
      ['/\\evil.example', '/account'],
      ['https://evil.example/', '/account'],
      ['/a\r\nset-cookie: x', '/account'],
      ['/\t/evil.example', '/account'],
    ]) {
      const visitor = aVisitor()
      await visitor.get('/account/sign-in')
      const reply = await visitor.post('/account/sign-in', { email, password: PASSWORD, next: String(next) })
      expect([next, reply.headers.location]).toEqual([next, location])
    }
  })

  test.each([
    ['a wrong password', { password: 'wrong password' }, 401],
    ['an unknown address', { email: 'nowhere@example.org' }, 401],
    ['markup', { email: HOSTILE, password: HOSTILE }, 401],
    ['no character at all', { email: '\0', password: '\0' }, 401],
  ])('with %s is refused without a cookie, and keeps the address', async (_, fields, status) => {
    const { email } = await aUser()
    const visitor = aVisitor()
    await visitor.get('/account/sign-in')
    const reply = await visitor.post('/account/sign-in', { email, password: PASSWORD, ...fields })
    expect([reply.status, visitor.cookies.has('account')]).toEqual([status, false])
    expect(reply.text).toContain('role="alert"')
    expect(reply.text).not.toContain('<script>window')
  })

  test('up with an address that is taken or a password that is too short names the fault', async () => {
    const { email } = await aUser()
    const visitor = aVisitor()
    await visitor.get('/account/sign-up')
    const taken = await visitor.post('/account/sign-up', { name: 'Eve', email, password: PASSWORD })
    expect([taken.status, taken.text]).toEqual([422, expect.stringMatching(/role="alert".*email/s)])
    expect(taken.text).toContain('value="Eve"')
    const short = await visitor.post('/account/sign-up', { name: 'Eve', email: 'eve2@example.org', password: 'short' })
    expect([short.status, short.text]).toEqual([422, expect.stringMatching(/role="alert".*password/s)])
  })

  test('takes no form of another site, of another session, or without a session', async () => {
    const [ann, eve] = [await aUser(), await aUser()]
    const { text } = await eve.visitor.get('/account')
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
    await ann.visitor.get('/account')
    for (const path of ['/account/profile', '/account/sign-out', '/account/delete', '/posts', '/rooms', '/account/keys']) {
      const foreign = await ann.visitor.post(path, { token, name: 'Changed', understood: 'yes' })
      expect([path, foreign.status]).toEqual([path, 403])
    }
    expect((await aVisitor().post('/posts', { title: 'T', content: 'C' })).status).toBe(403)
    expect((await ann.visitor.get('/account')).text).toContain('<h1>Ann Example</h1>')
  })

  test('is needed for pages of an account, which lead to the form and back', async () => {
    for (const path of [
      '/account',
      '/account/security',
      '/account/keys',
      '/account/trust',
      '/account/stores',
      '/account/delete',
      '/rooms',
      '/rooms/x',
      '/rooms/a%20b?find=Ann%20%26%20Co&after=x',
    ]) {
      const { status, headers } = await aVisitor().get(path)
      expect([path, status, headers.location]).toEqual([path, 303, `/account/sign-in?next=${encodeURIComponent(path)}`])
    }
    expect((await aVisitor().get('/rooms/x/events')).status).toBe(401)
  })
})

describe('the name in the navigation', () => {
  const nav = (text: string) => text.match(/<nav aria-label="Site">.*?<\/nav>/s)?.[0] ?? ''

  test('is that of the signed-in user on every page, which is stored nowhere then', async () => {
    const { visitor } = await aUser('Ann & <Co>')
    for (const path of ['/', '/search', TOOLS, '/docs', '/trust', '/posts', '/reference', '/nothing', '/console']) {
      const { text, headers } = await visitor.get(path)
      expect([path, nav(text)]).toEqual([path, expect.stringContaining('<a href="/account">Ann &amp; &lt;Co&gt;</a>')])
      expect([path, headers['cache-control'], headers.etag]).toEqual([path, 'no-store', undefined])
    }
  })

  test('is in no page that caches store', async () => {
    for (const path of ['/', TOOLS, '/posts']) {
      const { text, headers } = await aVisitor().get(path)
      expect([path, nav(text)]).toEqual([path, expect.stringContaining('<a href="/account/sign-in">Sign in</a>')])
      expect([path, headers['cache-control']]).toEqual([path, expect.stringContaining('public')])
      expect([path, headers.vary?.toLowerCase()]).toEqual([path, expect.stringContaining('cookie')])
    }
  })

  test('is gone after signing out, and a copy of the cookie opens nothing', async () => {
    const { visitor } = await aUser()
    const copy = visitor.cookies.get('account') ?? ''
    await visitor.get('/account')
    const out = await visitor.post('/account/sign-out', {})
    expect([out.status, out.headers.location, visitor.cookies.has('account')]).toEqual([303, '/', false])
    const thief = aVisitor()
    thief.cookies.set('account', copy)
    const refused = await thief.get('/account')
    expect([refused.status, thief.cookies.has('account')]).toEqual([401, false])
    expect(refused.text).toContain('You are signed out')
    expect(nav(refused.text)).toContain('<a href="/account/sign-in">Sign in</a>')
    expect(nav(refused.text)).not.toContain('Ann')
    expect(refused.text).toContain('name="next" value="/account"')
  })
})

describe('the account', () => {
  test('changes its name, and its address with the password only', async () => {
    const { visitor, email } = await aUser()
    await visitor.get('/account')
    const { page } = await submit(visitor, '/account/profile', { name: 'Ann Changed', email, phone: '+49 151 12345678' })
    expect(page.text).toContain('The profile was saved.')
    expect(page.text).toContain('<a href="/account" aria-current="page">Ann Changed</a>')
    expect(page.text).toContain('value="+4915112345678"')
    const other = { name: 'Ann', email: `new-${email}` }
    const refused = await visitor.post('/account/profile', other)
    expect([refused.status, refused.text]).toEqual([422, expect.stringMatching(/role="alert".*currentPassword/s)])
    await submit(visitor, '/account/profile', { ...other, current: PASSWORD })
    await signIn(`new-${email}`)
  })

  test('lists its sessions, ends one of them, and all others', async () => {
    const { visitor, email } = await aUser()
    const [second, third] = [await signIn(email), await signIn(email)]
    const { text } = await visitor.get('/account/security')
    expect(text.match(/name="id"/g)).toHaveLength(2)
    const id = /name="id" value="([^"]+)"/.exec(text)?.[1] ?? ''
    expect((await submit(visitor, '/account/security/end', { id })).page.text).toContain('The session was ended.')
    const again = await visitor.post('/account/security/end', { id })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('had ended already')])
    expect([(await second.get('/account')).status, (await third.get('/account')).status].sort()).toEqual([200, 401])
    await visitor.get('/account/security')
    await submit(visitor, '/account/security/elsewhere')
    expect((await visitor.get('/account')).status).toBe(200)
    // One has heard before that it has ended, and the other hears it now.
    const [heard, hears] = [await second.get('/account/security'), await third.get('/account/security')].sort(
      (one, other) => one.status - other.status,
    )
    expect([heard?.status, heard?.headers.location]).toEqual([303, '/account/sign-in?next=%2Faccount%2Fsecurity'])
    expect([hears?.status, hears?.text]).toEqual([401, expect.stringContaining('You are signed out')])
  })

  test('changes its password, and other sessions end', async () => {
    const { visitor, email } = await aUser()
    const elsewhere = await signIn(email)
    await visitor.get('/account/security')
    const wrong = await visitor.post('/account/security/password', { current: 'wrong one', new: 'another password' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('The current password is wrong.')])
    await submit(visitor, '/account/security/password', { current: PASSWORD, new: 'another password' })
    expect((await visitor.get('/account')).status).toBe(200)
    expect((await elsewhere.get('/account')).status).toBe(401)
  })

  test('makes a key that decides at once, is shown once, and ends when it is revoked', async () => {
    const { visitor } = await aUser()
    await visitor.get('/account/keys')
    const made = await visitor.post('/account/keys', { name: HOSTILE.slice(0, 60) })
    const secret = /<code id="key">(sk_[\w-]+)</.exec(made.text)?.[1] ?? ''
    expect([made.status, made.headers['cache-control'], secret.length]).toEqual([200, 'no-store', 46])
    const decide = () =>
      askRaw(web.url, '/v1/decide', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': secret },
        body: JSON.stringify({ domain: 'good.example.com' }),
      })
    expect((await decide()).status).toBe(200)
    const { text } = await visitor.get('/account/keys')
    expect(text).not.toContain(secret)
    expect(text).toContain(`${secret.slice(0, 9)}…`)
    expect(text).toMatch(/1 of 150/)
    expect(text).not.toContain('<script>window')
    const id = /name="id" value="([^"]+)"/.exec(text)?.[1] ?? ''
    await submit(visitor, '/account/keys/revoke', { id })
    expect((await decide()).status).toBe(401)
  })

  test('lists its stores, after claiming one with the credentials of the store', async () => {
    const { connection } = web.trust.database
    const shop = await withStores(connection, (stores) => stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }))
    const { visitor } = await aUser()
    expect((await visitor.get('/account/stores')).text).toContain('No stores yet.')
    const wrong = await visitor.post('/account/stores/claim', { login: shop.login, authtoken: 'x'.repeat(32) })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('The login or the authtoken is wrong.')])
    const { visitor: ended, email } = await aUser()
    await ended.get('/account/stores')
    const elsewhere = await signIn(email)
    await elsewhere.get('/account/security')
    await submit(elsewhere, '/account/security/elsewhere')
    const late = await ended.post('/account/stores/claim', { login: shop.login, authtoken: shop.authtoken })
    expect([late.status, late.text]).toEqual([401, expect.stringContaining('You are signed out')])
    expect(late.text).not.toContain('is wrong')
    const { page } = await submit(visitor, '/account/stores/claim', { login: shop.login, authtoken: shop.authtoken })
    expect(page.text).toContain(`href="/shops/${shop.code}">Corner shop</a>`)
    expect(page.text).toContain('href="/console"')
    const other = await aUser()
    await other.visitor.get('/account/stores')
    const taken = await other.visitor.post('/account/stores/claim', { login: shop.login, authtoken: shop.authtoken })
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('Another user owns this store')])
  })

  test('is deleted with its keys, and its pages are closed', async () => {
    const { visitor, email } = await aUser()
    await visitor.get('/account/keys')
    const made = await visitor.post('/account/keys', { name: 'agent' })
    const secret = /<code id="key">(sk_[\w-]+)</.exec(made.text)?.[1] ?? ''
    await visitor.get('/account/delete')
    expect((await visitor.post('/account/delete', {})).status).toBe(422)
    const gone = await visitor.post('/account/delete', { understood: 'yes' })
    expect([gone.status, gone.headers.location, visitor.cookies.has('account')]).toEqual([303, '/', false])
    const usage = await askRaw(web.url, '/v1/usage', { headers: { 'x-api-key': secret } })
    expect(usage.status).toBe(401)
    const back = aVisitor()
    await back.get('/account/sign-in')
    expect((await back.post('/account/sign-in', { email, password: PASSWORD })).status).toBe(401)
  })
})

test('the last administrator is not deleted, and keeps the keys', async () => {
  const { visitor, email } = await aUser()
  await visitor.get('/account/keys')
  const made = await visitor.post('/account/keys', { name: 'agent' })
  const secret = /<code id="key">(sk_[\w-]+)</.exec(made.text)?.[1] ?? ''
  await giveRole(email, 'ADMIN')
  await visitor.get('/account/delete')
  const refused = await visitor.post('/account/delete', { understood: 'yes' })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('You are the last administrator')])
  const usage = () => askRaw(web.url, '/v1/usage', { headers: { 'x-api-key': secret } })
  expect((await usage()).status).toBe(200)
  await giveRole((await aUser()).email, 'ADMIN')
  await submit(visitor, '/account/delete', { understood: 'yes' })
  expect((await usage()).status).toBe(401)
  await change(`UPDATE social."user" SET role = 'USER' WHERE role = 'ADMIN'`)
})

describe('collections', () => {
  const idOf = (text: string) => /\/collections\/add\?item=([\w-]+)"/.exec(text)?.[1] ?? ''

  test('are made from the page of an item, ordered, annotated, shared and deleted by their author', async () => {
    const { visitor } = await aUser()
    expect((await aVisitor().get(TOOLS)).text).toContain('Sign in to add it to a collection')
    const [tools, skill] = [idOf((await visitor.get(TOOLS)).text), idOf((await visitor.get('/skills/pdf')).text)]
    await visitor.get(`/collections/add?item=${tools}`)
    const description = `For **warehouses**.\r\n\r\n${HOSTILE}`
    const { at, page } = await submit(visitor, '/collections', { name: 'My kit', description, itemId: tools })
    expect(page.text).toContain('The collection was created.')
    const path = at.split('?')[0] ?? ''
    // Private as long as nothing else is chosen.
    expect((await aVisitor().get(path)).status).toBe(404)
    await visitor.get(`/collections/add?item=${skill}`)
    await submit(visitor, `${path}/items`, { itemId: skill, note: `reads <b>PDF</b>` })
    await visitor.get(`/collections/add?item=${skill}`)
    // The page of the item does not show the note that it has: nothing typed is no change of it.
    await submit(visitor, `${path}/items`, { itemId: skill, note: '', keep: '1' })
    await visitor.get(path)
    await submit(visitor, `${path}/move`, { itemId: skill, position: '1' })
    await visitor.get(path)
    await submit(visitor, `${path}/edit`, { name: 'Our kit', description, visibility: 'PUBLIC' })
    const { text, headers } = await aVisitor().get(path)
    expect(text).toMatch(/<h1>Our kit.*<strong>warehouses<\/strong>.*>PDF<\/a>.*reads &lt;b&gt;PDF&lt;\/b&gt;.*>Acme Tools<\/a>/s)
    expect(text).not.toMatch(/<script>window|<img|<form[^>]*collections/)
    expect(headers['cache-control']).toContain('public')
    expect((await aVisitor().get('/collections')).text).toMatch(
      new RegExp(`href="${path}">Our kit</a>.*<p class="quiet">PDF, Acme Tools</p></article>`, 's'),
    )
    expect((await aVisitor().get(TOOLS)).text).toMatch(/In 1 public collection\..*Our kit<\/a>.*2 items, by Ann Example/s)
    const stranger = (await aUser('Eve')).visitor
    // Its page has no form for a stranger, and so no token.
    await stranger.get('/collections')
    for (const [action, fields] of [
      ['edit', { name: 'x' }],
      ['items', { itemId: tools }],
      ['items/remove', { itemId: tools }],
      ['delete', {}],
    ] as const)
      expect([action, (await stranger.post(`${path}/${action}`, fields)).status]).toEqual([action, 404])
    await visitor.get(path)
    await submit(visitor, `${path}/items/remove`, { itemId: skill })
    expect((await aVisitor().get(path)).text).not.toContain('>PDF</a>')
    await visitor.get(path)
    await submit(visitor, `${path}/delete`)
    expect((await aVisitor().get(path)).status).toBe(404)
  })

  test('say how many of their items left the directory, and their author removes those', async () => {
    const { visitor } = await aUser()
    await visitor.get('/collections')
    const fields = { name: 'Old', description: '', visibility: 'UNLISTED', itemId: 'TWNwU2VydmVyOjk5OTk5OQ' }
    const path = (await submit(visitor, '/collections', fields)).at.split('?')[0] ?? ''
    const { text, headers } = await aVisitor().get(path)
    expect(text).toContain('1 item left the directory.')
    // The address of an unlisted collection is the right to read it.
    expect(headers['cache-control']).toBe('no-store')
    expect([collectionPage.isSecret, JSON.stringify(web.log.lines)]).toEqual([true, expect.not.stringContaining(path)])
    expect(text).not.toContain('An item that left')
    expect((await visitor.get(path)).text).toContain('An item that left the directory')
    await submit(visitor, `${path}/items/remove`, { itemId: fields.itemId })
    expect((await aVisitor().get(path)).text).not.toContain('left the directory')
  })

  test('are unavailable while the directory is, in place of a page that says their items left', async () => {
    const author = { id: 'u', name: 'Ann Example' }
    const entries = [{ itemId: 'a', note: '', item: null }]
    const found = { id: 'c', name: 'Kit', description: '', visibility: 'PUBLIC', updatedAt: '2026-11-20', author, entries }
    const site: Site = { publicUrl: web.url, at: String, asset: String, navigation: [], readerOf: () => null }
    const shown = (code: string) =>
      collectionPage.body({
        path: { id: 'c' },
        query: {},
        site,
        session: null,
        typed: () => '',
        // An answer of the graph: the directory of this site does not fail.
        run: async () =>
          ({ data: { me: null, itemCollection: found }, errors: [{ message: code, extensions: { code } }] }) as never,
      })
    expect((await shown('NOT_FOUND'))?.title).toBe('Kit')
    await expect(shown('SUBGRAPH_UNAVAILABLE')).rejects.toThrow(OperationFailed)
  })

  test('that are refused come back with what was typed; a moderator deletes public ones', async () => {
    const { visitor } = await aUser()
    await visitor.get('/collections')
    const refused = await visitor.post('/collections', { name: ' ', description: 'kept <b>text</b>', itemId: 'abc' })
    expect([refused.status, refused.text]).toEqual([422, expect.stringMatching(/role="alert".*name/s)])
    expect(refused.text).toContain('kept &lt;b&gt;text&lt;/b&gt;</textarea>')
    expect(refused.text).toContain('<input type="hidden" name="itemId" value="abc">')
    const unnamed = (await visitor.post('/collections', { name: '', description: '', visibility: 'UNLISTED' })).text
    expect(unnamed).toContain('<option value="UNLISTED" selected>')
    const path = (await submit(visitor, '/collections', { name: 'Spam', visibility: 'PUBLIC' })).at.split('?')[0] ?? ''
    const edited = await visitor.post(`${path}/edit`, { name: ' ', description: 'rewritten', visibility: 'PRIVATE' })
    expect(edited.status).toBe(422)
    expect(edited.text).toMatch(/<details class="write" open><summary>Edit.*rewritten<\/textarea>.*"PRIVATE" selected>/s)
    const staff = await aUser('Mod')
    await giveRole(staff.email, 'MODERATOR')
    expect((await staff.visitor.get(path)).text).toContain('Delete as a moderator')
    await submit(staff.visitor, `${path}/delete`)
    expect((await visitor.get(path)).status).toBe(404)
    expect((await visitor.get('/collections/add?item=nothing')).status).toBe(404)
  })
})

describe('posts', () => {
  test('are written about an item on its page, read by all, edited and deleted by their author', async () => {
    const { visitor, name } = await aUser()
    const { text: item } = await visitor.get(TOOLS)
    const aboutId = /name="aboutId" value="([^"]+)"/.exec(item)?.[1] ?? ''
    const content = `# A heading\r\n\r\nIt **works**.\r\n\r\n${HOSTILE}`
    const { at, page } = await submit(visitor, '/posts', { title: 'A week with it', content, aboutId, published: 'yes' })
    expect(page.text).toContain('The post is published.')
    const path = at.split('?')[0] ?? ''
    const { text, headers } = await aVisitor().get(path)
    expect(text).toContain('<strong>works</strong>')
    expect(text.match(/<h1/g)).toHaveLength(1)
    expect(text).not.toMatch(/<script>window|<img/)
    expect(text).toContain('href="/mcp/acme/tools">Acme Tools</a>')
    expect(text).not.toContain('Delete')
    expect(headers['cache-control']).toContain('public')
    expect((await aVisitor().get(TOOLS)).text).toContain(`href="${path}">A week with it</a>`)
    const { text: list } = await aVisitor().get('/posts')
    expect(list).toContain(name)
    expect(list).toContain('Sign in to write a post</a>')
    await visitor.get(path)
    await submit(visitor, `${path}/edit`, { title: 'Two weeks with it', text: 'Still works.' })
    expect((await aVisitor().get(path)).text).toContain('<h1>Two weeks with it')
    const stranger = (await aUser('Eve')).visitor
    await stranger.get(path)
    expect((await stranger.post(`${path}/edit`, { title: 'x', text: 'y' })).status).toBe(404)
    expect((await stranger.post(`${path}/delete`, {})).status).toBe(404)
    await visitor.get(path)
    await submit(visitor, `${path}/delete`)
    expect((await aVisitor().get(path)).status).toBe(404)
  })

  test('that are drafts are read by their author only, until they are published', async () => {
    const { visitor } = await aUser()
    await visitor.get('/posts')
    const { at } = await submit(visitor, '/posts', { title: 'Not yet', content: 'x', published: 'no' })
    const path = at.split('?')[0] ?? ''
    expect((await aVisitor().get(path)).status).toBe(404)
    expect((await visitor.get('/account')).text).toContain('Not yet')
    await visitor.get(path)
    await submit(visitor, `${path}/publish`)
    expect((await aVisitor().get(path)).status).toBe(200)
  })

  test('that are refused come back with what was typed', async () => {
    const { visitor } = await aUser()
    await visitor.get('/posts')
    const reply = await visitor.post('/posts', { title: '  ', content: 'kept <b>text</b>', published: 'yes' })
    expect([reply.status, reply.text]).toEqual([422, expect.stringMatching(/role="alert".*title/s)])
    expect(reply.text).toContain('kept &lt;b&gt;text&lt;/b&gt;</textarea>')
    const long = await visitor.post('/posts', { title: 'T', content: 'x'.repeat(50_001) })
    expect(long.status).toBe(422)
    expect((await visitor.post('/posts', { title: 'T', content: 'x'.repeat(700_000) })).status).toBe(413)
  })

  test('of the greatest length are drawn whatever their marks are, and so are comments', async () => {
    const { visitor } = await aUser()
    await visitor.get('/posts')
    const path = (await submit(visitor, '/posts', { title: 'T', content: 'x', published: 'yes' })).at.split('?')[0] ?? ''
    await visitor.get(path)
    for (const [name, textOf] of Object.entries(HEAVY)) {
      const edit = { title: name, text: textOf(50_000) }
      expect([name, (await visitor.post(`${path}/edit`, edit)).status]).toEqual([name, 303])
      expect([name, (await visitor.post(`${path}/comments`, { content: textOf(10_000) })).status]).toEqual([name, 303])
      const { status, text } = await aVisitor().get(path)
      expect([name, status, text]).toEqual([name, 200, expect.stringContaining(`<h1>${name}`)])
      expect([name, deepest(text)]).toEqual([name, expect.toSatisfy((depth: number) => depth <= 70)])
      // A character is at most an element of an empty quotation, and there are the comments before.
      expect([name, text.length]).toEqual([name, expect.toSatisfy((length: number) => length < 2_500_000)])
    }
  })

  test('are liked and no longer liked by a form, and are listed by their likes', async () => {
    const [ann, eve] = [await aUser('Ann'), await aUser('Eve')]
    await ann.visitor.get('/posts')
    const write = async (title: string) =>
      (await submit(ann.visitor, '/posts', { title, content: 'x', published: 'yes' })).at.split('?')[0] ?? ''
    const path = await write('Liked by Eve')
    await write('Newer, liked by nobody')
    expect((await aVisitor().get(path)).text).toMatch(/0 likes <a [^>]*>Sign in to like it/)
    await eve.visitor.get(path)
    const { page } = await submit(eve.visitor, `${path}/like`)
    expect(page.text).toMatch(/You like this post\..*aria-pressed="true".*1 like, yours included/s)
    expect((await ann.visitor.get(path)).text).toMatch(/aria-pressed="false".*1 like</s)
    const { text } = await aVisitor().get('/posts?order=liked')
    expect(text.indexOf('Liked by Eve')).toBeLessThan(text.indexOf('Newer, liked by nobody'))
    expect(text).toMatch(/aria-current="page">Most liked/)
    expect((await aVisitor().get('/posts?order=best')).status).toBe(400)
    expect((await submit(eve.visitor, `${path}/unlike`)).page.text).toMatch(/aria-pressed="false".*0 likes</s)
  })

  test('are commented; a moderator deletes comments and posts of others', async () => {
    const [ann, eve, mo] = [await aUser('Ann'), await aUser('Eve'), await aUser('Mo')]
    await ann.visitor.get('/posts')
    const { at } = await submit(ann.visitor, '/posts', { title: 'Talk', content: 'about it', published: 'yes' })
    const path = at.split('?')[0] ?? ''
    await eve.visitor.get(path)
    const { page } = await submit(eve.visitor, `${path}/comments`, { content: 'A *comment*' })
    expect(page.text).toContain('<em>comment</em>')
    expect(page.text).toContain('1 comment')
    expect(page.text.replaceAll(/<[^>]+>/g, ' ')).not.toMatch(/Eve\s+author/)
    await submit(ann.visitor, `${path}/comments`, { content: 'Thanks' })
    expect((await aVisitor().get(path)).text).toMatch(/<strong>Ann<\/strong> <span class="chip[^>]*>author/)
    expect((await aVisitor().get('/posts')).text).toContain(`href="${path}#comments"`)
    expect((await aVisitor().get(path)).text).not.toContain('name="comment"')
    expect((await mo.visitor.get(path)).text).not.toContain('name="comment"')
    await giveRole(mo.email, 'MODERATOR')
    const { text } = await mo.visitor.get(path)
    const comment = /name="comment" value="([^"]+)"/.exec(text)?.[1] ?? ''
    expect((await submit(mo.visitor, `${path}/comments/delete`, { comment })).page.text).toContain('1 comment')
    await submit(mo.visitor, `${path}/delete`)
    expect((await aVisitor().get(path)).status).toBe(404)
  })
})

describe('rooms', () => {
  test('are for members: made, found by invitation, written in, and left', async () => {
    const [ann, eve] = [await aUser('Ann'), await aUser(`Eve ${randomUUID()}`)]
    await ann.visitor.get('/rooms')
    const { at, page } = await submit(ann.visitor, '/rooms', { name: HOSTILE.slice(0, 80) })
    const path = at.split('?')[0] ?? ''
    expect(page.text).not.toContain('<script>window')
    expect((await eve.visitor.get(path)).status).toBe(404)
    const { text: search } = await ann.visitor.get(`${path}?find=${encodeURIComponent(eve.name)}`)
    const user = /name="user" value="([^"]+)"/.exec(search)?.[1] ?? ''
    expect((await submit(ann.visitor, `${path}/invite`, { user })).page.text).toContain('Withdraw')
    expect((await eve.visitor.get('/account')).text).toContain('1 invitation')
    await eve.visitor.get('/rooms')
    await submit(eve.visitor, `${path}/answer`, { answer: 'accept' })
    const { page: sent } = await submit(eve.visitor, path, { text: `Hello\r\n${HOSTILE}` })
    expect(sent.text).toContain('Hello\n&lt;/script&gt;')
    expect((await ann.visitor.get(path)).text).toContain('2 members')
    expect((await ann.visitor.get('/rooms')).text).toContain('1 message')
    const empty = await eve.visitor.post(path, { text: ' ' })
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('role="alert"')])
    await submit(eve.visitor, `${path}/leave`)
    expect((await eve.visitor.get(path)).status).toBe(404)
  })

  test('send an event for each message, to members', async () => {
    const [ann, eve] = [await aUser('Ann'), await aUser('Eve')]
    await ann.visitor.get('/rooms')
    const path = (await submit(ann.visitor, '/rooms', { name: 'Live' })).at.split('?')[0] ?? ''
    const cookie = (visitor: Visitor) => ({ cookie: `account=${visitor.cookies.get('account')}` })
    const refused = await (await fetch(`${web.url}${path}/events`, { headers: cookie(eve.visitor) })).text()
    expect(refused).toContain('FORBIDDEN')
    const ended = new AbortController()
    const stream = await fetch(`${web.url}${path}/events`, { headers: cookie(ann.visitor), signal: ended.signal })
    expect([stream.headers.get('content-type'), stream.headers.get('cache-control')]).toEqual([
      'text/event-stream; charset=utf-8',
      'no-store',
    ])
    const decoder = new TextDecoder()
    let received = ''
    const reading = (async () => {
      for await (const bytes of stream.body ?? []) {
        received += decoder.decode(bytes, { stream: true })
        if (received.includes('messageReceived')) return
      }
    })()
    await ann.visitor.get(path)
    // The subscription begins some time after its answer: messages are sent until one arrives.
    while (!received.includes('messageReceived')) {
      await ann.visitor.post(path, { text: 'Are you there?' })
      await Promise.race([reading, new Promise((done) => setTimeout(done, 100))])
    }
    await reading
    ended.abort()
    expect(received).toContain('event: next')
  })
})

describe('a site of its own', () => {
  /** A site that is reached at `publicUrl`, by a clock of its own, with the cookie of a user. */
  async function aSite(publicUrl = web.url) {
    const { email } = await aUser()
    const clock = { aheadMs: 0 }
    const before = new URL(publicUrl).pathname.replace(/\/$/, '')
    const now = () => Date.now() + clock.aheadMs
    const sessions = userSessions(sealOf(null), false, now)
    const site: Site = {
      publicUrl,
      at: (path) => `${before}${path}`,
      asset: (name) => `/${name}`,
      navigation: [],
      readerOf: sessions.of,
    }
    const app = createHttpServer({ log: recordingLog().log })
    const lost = async () => ({ status: 404, title: 'Nothing', description: 'Nothing', body: html`<h1>Nothing</h1>` })
    await serveAccounts(app, web.gateway.client, {
      site,
      sessions,
      lost,
      streamOperation: null,
      responder: accountResponder(web.gateway.client, site, sessions, now),
      ...accountRows(site),
    })
    const form = await app.inject({ url: '/account/sign-in' })
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(form.body) ?? []
    const signIn = (next = '') =>
      app.inject({
        method: 'POST',
        url: '/account/sign-in',
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: `account-visit=${form.cookies[0]?.value}` },
        payload: new URLSearchParams({ token, email, password: PASSWORD, next }).toString(),
      })
    const cookieIn = ({ cookies }: Awaited<ReturnType<typeof signIn>>) => `account=${cookies[0]?.value}`
    const get = (url: string, cookie = '') => app.inject({ url, headers: { cookie } })
    return { app, clock, signIn, cookieIn, get }
  }
  /** Each access token, which the graph gives for 15 minutes, ends within the minute then. */
  const ENDING_MS = 14.5 * 60_000

  test('refreshes an access token that ends once for requests that come together', async () => {
    const { app, clock, signIn, cookieIn, get } = await aSite()
    const cookie = cookieIn(await signIn())
    clock.aheadMs = ENDING_MS
    const replies = await Promise.all(Array.from({ length: 4 }, () => get('/account', cookie)))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const next = replies[0] ? cookieIn(replies[0]) : ''
    expect(next).not.toBe(cookie)
    for (const each of [next, cookie]) expect((await get('/account', each)).statusCode).toBe(200)
    await app.close()
  })

  test('keeps no refreshed tokens for a copy of the cookie that comes later: that ends the session', async () => {
    const { app, clock, signIn, cookieIn, get } = await aSite()
    const cookie = cookieIn(await signIn())
    clock.aheadMs = ENDING_MS
    const next = cookieIn(await get('/account', cookie))
    clock.aheadMs = ENDING_MS + 61_000
    const late = await get('/account/security?done=ended', cookie)
    expect([late.statusCode, late.body]).toEqual([401, expect.stringContaining('You are signed out')])
    expect(late.body).toContain('name="next" value="/account/security?done=ended"')
    expect(late.body).not.toContain('Ann Example')
    expect(late.headers['set-cookie']).toContainEqual(expect.stringContaining('account=; '))
    expect((await get('/account', next)).statusCode).toBe(401)
    await app.close()
  })

  test('refreshes again after a refresh that failed', async () => {
    const { app, clock, signIn, cookieIn, get } = await aSite()
    const cookie = cookieIn(await signIn())
    clock.aheadMs = ENDING_MS
    await change('ALTER TABLE social.refresh_token RENAME TO refresh_token_away')
    const failed = await get('/account', cookie).finally(() =>
      change('ALTER TABLE social.refresh_token_away RENAME TO refresh_token'),
    )
    expect([failed.statusCode, failed.headers['set-cookie']]).toEqual([503, undefined])
    expect((await get('/account', cookie)).statusCode).toBe(200)
    await app.close()
  })

  test('below a path, and behind a proxy that removes it, leads to the form and back', async () => {
    const { app, signIn, get } = await aSite('https://atrium.example/base')
    const { headers } = await get('/account/keys?done=revoked')
    expect(headers.location).toBe('/base/account/sign-in?next=%2Faccount%2Fkeys%3Fdone%3Drevoked')
    const next = new URL(String(headers.location), 'https://atrium.example').searchParams.get('next') ?? ''
    expect((await signIn(next)).headers.location).toBe('/base/account/keys?done=revoked')
    await app.close()
  })
})

describe('in a browser', { skip: hasNoBrowser }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('pages of the account fit, are accessible and work', async () => {
    const { email } = await aUser('Ann Example')
    const { page, complaints } = await openPage(browser, { baseURL: web.url })
    await page.goto(`/account/sign-in?next=${encodeURIComponent('/account')}`)
    await look(page, 'account-sign-in')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/account')
    await look(page, 'account-profile')
    await page.goto('/account/security')
    await look(page, 'account-security')
    await page.goto('/account/keys')
    await page.getByLabel('Name, to tell it from others').fill('agent')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('heading', { name: 'New key' }).waitFor()
    await page.goto('/account/keys')
    await look(page, 'account-keys')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('posts and rooms fit, are accessible and work; a message from elsewhere arrives by itself', async () => {
    const { visitor, email } = await aUser('Ann Example')
    const { page, complaints } = await openPage(browser, { baseURL: web.url })
    const value = visitor.cookies.get('account') ?? ''
    await page.context().addCookies([{ name: 'account', value, url: web.url }])
    await page.goto('/posts')
    await page.getByText('Write a post').click()
    await page.getByLabel('Title').fill('A post of mine')
    await page.getByLabel('Text; Markdown works').fill('With **words**.')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL('**/posts/*')
    await page.getByLabel('Your comment').fill('A comment')
    await page.getByRole('button', { name: 'Comment' }).click()
    await page.getByText('The comment was added.').waitFor()
    await look(page, 'post')
    await page.goto('/rooms')
    await page.getByLabel('Name').fill('Workshop')
    await page.getByRole('button', { name: 'Make a room' }).click()
    await page.waitForURL('**/rooms/*')
    await page.getByText('Live').waitFor()
    const other = await signIn(email)
    const path = new URL(page.url()).pathname
    await other.get(path)
    await other.post(path, { text: 'From elsewhere' })
    await page.getByText('From elsewhere').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('From here')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.message-text', { hasText: 'From here' }).waitFor()
    // The list may have it before the answer of the form is there.
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('')
    await look(page, 'room')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('collections fit, are accessible and work', async () => {
    const { visitor } = await aUser('Ann Example')
    const { page, complaints } = await openPage(browser, { baseURL: web.url })
    await page.context().addCookies([{ name: 'account', value: visitor.cookies.get('account') ?? '', url: web.url }])
    await page.goto(TOOLS)
    await page.getByRole('link', { name: 'Add to a collection' }).click()
    await page.getByLabel('Name').fill('Warehouse kit')
    await page.getByLabel('Who can read it').selectOption('Everybody')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('The collection was created.').waitFor()
    await page.goto('/skills/pdf')
    await page.getByRole('link', { name: 'Add to a collection' }).click()
    await look(page, 'collection-add')
    await page.getByLabel('Note, if any').fill('Reads the orders.')
    await page.getByRole('button', { name: 'Add to Warehouse kit' }).click()
    await page.getByText('The item is in the collection.').waitFor()
    await page.getByRole('button', { name: 'Move up: PDF' }).click()
    await page.getByText('The item was moved.').waitFor()
    expect(await page.locator('.cards h3').allInnerTexts()).toEqual(['PDF', 'Acme Tools'])
    await look(page, 'collection')
    await page.goto('/collections')
    await look(page, 'collections')
    // The whole tile leads there.
    await page.locator('.tiles time').first().click({ force: true })
    await page.getByRole('heading', { name: 'Warehouse kit', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a room without a connection tries again after growing pauses, gives up, and offers another attempt', async () => {
    const { visitor } = await aUser()
    await visitor.get('/rooms')
    const path = (await submit(visitor, '/rooms', { name: 'Far away' })).at.split('?')[0] ?? ''
    const { page } = await openPage(browser, { baseURL: web.url })
    await page.context().addCookies([{ name: 'account', value: visitor.cookies.get('account') ?? '', url: web.url }])
    // Pauses are kept, and not waited for.
    await page.addInitScript(`{ const wait = setTimeout; window.pauses = []
      window.setTimeout = (done, pause) => { pauses.push(pause); return wait(done) } }`)
    const live = page.locator('[data-live]')
    let attempts = 0
    await page.route('**/events', (route) => {
      attempts++
      return route.fulfill({ status: 503 })
    })
    await page.goto(path)
    const again = page.getByRole('button', { name: 'Connect again' })
    await again.waitFor()
    const pauses = await page.evaluate<number[]>('pauses')
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other))
    expect([pauses[0], pauses.at(-1), attempts]).toEqual([1000, 60_000, pauses.length + 1])
    expect(await live.textContent()).toContain('Not live')
    await look(page, 'room-without-connection')
    await page.unroute('**/events')
    await again.click()
    await expect.poll(() => live.textContent()).toBe('Live')
    await page.route('**/events', (route) => route.abort())
    await page.reload()
    await again.waitFor()
    await visitor.get(path)
    await visitor.post('/account/sign-out', {})
    await again.click()
    await live.getByText('No longer live: reload the page.').waitFor()
    await page.close()
  })
})

test('pages fit in 60 kB compressed', async () => {
  const { visitor } = await aUser()
  const cookie = `account=${visitor.cookies.get('account')}`
  for (const path of ['/account', '/account/security', '/account/keys', '/posts', '/collections', '/rooms']) {
    const { bytes } = await askRaw(web.url, path, { headers: { cookie, 'accept-encoding': 'br' } })
    expect(bytes.length).toBeLessThan(60_000)
    expect(brotliDecompressSync(bytes).toString()).toContain('<h1>')
  }
})
