import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askRaw } from '../../rest-facade/ask.ts'
import { mailServerAt } from '../../subgraphs/store/support/mail.ts'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from '../support/browser.ts'
import { consoleAt } from '../support/console.ts'
import { aFilledShop, type FilledShop } from '../support/shop.ts'
import { startWeb } from '../support/site.ts'

const SHOP = '/shops/corner-shop'
const PASSWORD = 'correct horse'
const ADDRESS = { name: 'Ana', surname: 'Sousa', address: 'Rua 1', city: 'Lisbon', country: 'PT' }

let smtp: TestSmtpServer
let web: Awaited<ReturnType<typeof startWeb>>
let shop: FilledShop
const { aVisitor } = consoleAt(() => web.url)
beforeAll(async () => {
  smtp = await startSmtpServer()
  web = await startWeb({ mailServer: mailServerAt(smtp.port) })
  shop = await aFilledShop(web, 'Corner shop')
  await aFilledShop(web, 'Another shop')
})
afterAll(async () => {
  await web?.close()
  await smtp?.close()
})

/** The path of the link in the newest e-mail to this address. */
async function linkFor(email: string): Promise<string> {
  const pathIn = () =>
    /\/shops\/[\w-]+\/account\/link\/[\w-]{43}/.exec(smtp.received.findLast(({ to }) => to[0] === email)?.text ?? '')?.[0]
  await expect.poll(pathIn, { timeout: 15_000 }).toBeTruthy()
  return pathIn() ?? ''
}
let made = 0
async function anOwner(password = PASSWORD) {
  made += 1
  const email = `ana${made}@example.org`
  // Shoppers are not one address, which gets ten links a minute.
  const visitor = aVisitor(`127.0.1.${made}`)
  const sent = await visitor.post(`${SHOP}/account/request`, { 'request-email': email })
  expect([sent.status, sent.text.includes(email)]).toEqual([200, true])
  const link = await linkFor(email)
  const page = await visitor.get(link)
  expect([page.status, page.text.includes(`sign in as <strong>${email}</strong>`)]).toEqual([200, true])
  const opened = await visitor.post(link, { password })
  expect([opened.status, opened.headers.location]).toEqual([303, `${SHOP}/account`])
  return { visitor, email, link, opened }
}

type Owner = Pick<Awaited<ReturnType<typeof anOwner>>, 'visitor' | 'email'>

/** Takes one cup to the last step of the checkout; returns its page. */
async function atPayment({ visitor, email }: Owner): Promise<string> {
  await visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '1' })
  await visitor.get(`${SHOP}/cart`)
  await visitor.post(`${SHOP}/checkout/address`, { ...ADDRESS, email })
  const delivery = (await visitor.get(`${SHOP}/checkout`)).text
  const [, rate = ''] = /<input type="radio" name="delivery" value="(rate [^"]*)"/.exec(delivery) ?? []
  await visitor.post(`${SHOP}/checkout/delivery`, { delivery: rate })
  const { text } = await visitor.get(`${SHOP}/checkout`)
  expect(text).toContain(`Ordering as ${email}`)
  return text
}

/** Sends the last step of the checkout, in the account that the form names or as a guest. */
function sendOrder({ visitor }: Owner, text: string, isGuest: boolean) {
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
  const [, answer = ''] = /name="(answer\.[^"]+)"/.exec(text) ?? []
  return visitor.post(`${SHOP}/checkout/order`, {
    key: value('key'),
    expected: value('expected'),
    payment: value('payment'),
    account: isGuest ? '' : value('account'),
    ...(answer && { [answer]: 'true' }),
  })
}

/** Orders one cup. */
async function anOrder(owner: Owner, isGuest = false) {
  const done = await sendOrder(owner, await atPayment(owner), isGuest)
  expect(done.status).toBe(303)
  return done
}

describe('the account of a shopper', () => {
  test('begins with a link by e-mail, and is reached with a cookie of this shop that scripts cannot read', async () => {
    const { visitor, email, link, opened } = await anOwner()
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^shopper=[\w-]{43}; Path=\/shops\/corner-shop; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    const page = await visitor.get(`${SHOP}/account`)
    expect(page.text).toContain(email)
    expect(page.headers['cache-control']).toBe('no-store')
    const again = await visitor.post(link, {})
    expect([again.status, again.text.includes('was used already')]).toEqual([422, true])
    expect((await visitor.get(link)).text).toContain('was used already')
    const logged = JSON.stringify(web.log.lines)
    expect(logged).toContain('/shops/:code/account/link/:link')
    for (const secret of [link.split('/').at(-1) ?? '', visitor.cookies.get('shopper') ?? '', email, PASSWORD])
      expect(logged).not.toContain(secret)
    expect(logged).not.toContain('already sent')
  })

  test('is not opened by a program that only reads the link', async () => {
    const email = 'reader@example.org'
    const visitor = aVisitor()
    await visitor.post(`${SHOP}/account/request`, { 'request-email': email })
    const link = await linkFor(email)
    await visitor.get(link)
    expect((await visitor.get(`${SHOP}/account`)).text).not.toContain(email)
    expect((await visitor.post(link, { password: '' })).status).toBe(303)
  })

  test('is signed in to by its password; a wrong one and an unknown address look the same', async () => {
    const { email } = await anOwner()
    const visitor = aVisitor()
    const wrong = await visitor.post(`${SHOP}/account/sign-in`, { email, password: 'guess-guess' })
    const unknown = await visitor.post(`${SHOP}/account/sign-in`, { email: 'no@example.org', password: 'guess-guess' })
    expect([wrong.status, wrong.text.replaceAll(email, '')]).toEqual([422, unknown.text.replaceAll('no@example.org', '')])
    expect((await visitor.post(`${SHOP}/account/sign-in`, { email, password: PASSWORD })).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Sign out on all 2 devices')
  })

  test('has the prices of its customers’ category on every page, and no cache gives them to others', async () => {
    const [gold, silver, guest] = [await anOwner(), await anOwner(), aVisitor()]
    for (const [{ email }, percent] of [
      [gold, '-50'],
      [silver, '-20'],
    ] as const) {
      const made = async (field: string, Type: string, input: object, selection = '') =>
        (
          await shop.merchant(`mutation ($input: ${Type}!) { made: ${field}(input: $input) { __typename ${selection} } }`, {
            input,
          })
        ).made
      await made('createCustomer', 'CreateCustomerInput', { email })
      const { customerCategory } = await made(
        ...(['createCustomerCategory', 'CreateCustomerCategoryInput', { name: email }] as const),
        '... on CreateCustomerCategorySuccess { customerCategory { id } }',
      )
      await shop.merchant(
        'mutation ($id: ID!, $input: AddCustomersToCategoryInput!) { addCustomersToCategory(id: $id, input: $input) { __typename } }',
        { id: customerCategory.id, input: { customers: [{ email }] } },
      )
      await made('createPriceList', 'CreatePriceListInput', {
        ...{ name: email, adjustmentPercent: percent, customerCategoryId: customerCategory.id },
      })
    }
    // With a tax of 23 %.
    const prices = [
      [gold.visitor, '€6.15'],
      [silver.visitor, '€9.84'],
      [guest, '€12.30'],
    ] as const
    const priceIn = (text: string) =>
      /<a [^>]*blue-cup.*?<strong class="price">(€[\d.]+)|class="lead">(?:from )?<strong class="price">(€[\d.]+)/s
        .exec(text)
        ?.slice(1)
        .find(Boolean)
    for (const path of [SHOP, `${SHOP}/search`, `${SHOP}/collections/kitchen`, `${SHOP}/products/blue-cup`]) {
      const tags: string[] = []
      for (const [visitor, price] of [...prices, ...prices]) {
        const { text, headers } = await visitor.get(path)
        const isGuest = visitor === guest
        expect([path, priceIn(text)]).toEqual([path, price])
        expect(text.includes('<s class="quiet"><span class="spoken">formerly </span>€12.30</s>')).toBe(!isGuest)
        expect(String(headers.vary).toLowerCase()).toContain('cookie')
        expect(headers['cache-control']).toMatch(isGuest ? /^public/ : /^no-store$/)
        if (headers.etag) tags.push(String(headers.etag))
      }
      // What a guest has in a cache is not what a customer is told to use, nor the other way round.
      expect(new Set(tags).size).toBe(1)
      const stale = await askRaw(web.url, path, {
        headers: {
          accept: 'text/html',
          cookie: `shopper=${gold.visitor.cookies.get('shopper')}`,
          'if-none-match': tags[0] ?? '',
        },
      })
      expect([stale.status, priceIn(stale.text)]).toEqual([200, '€6.15'])
    }
    const ask = async (visitor: Owner['visitor'] | null) => {
      const token = visitor?.cookies.get('shopper') ?? ''
      const product = 'product(permalink: "blue-cup") { price { amount } }'
      const query = `{ storefront(store: "corner-shop") { ${visitor ? `forAccount(token: "${token}") { ${product} }` : product} } }`
      const { json, headers } = await askRaw(web.url, `/graphql?query=${encodeURIComponent(query)}`, {
        headers: { 'apollo-require-preflight': 'true' },
      })
      const { storefront } = json.data
      return [(storefront.forAccount ?? storefront).product.price.amount, String(headers['cache-control'])]
    }
    for (const _ of [1, 2]) {
      expect(await ask(gold.visitor)).toEqual(['6.15', expect.stringMatching(/private|no-store/)])
      expect(await ask(silver.visitor)).toEqual(['9.84', expect.stringMatching(/private|no-store/)])
      expect(await ask(null)).toEqual(['12.3', expect.stringMatching(/public/)])
    }
    await gold.visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '2' })
    expect((await gold.visitor.get(`${SHOP}/cart`)).text).toContain('€12.30')
    await gold.visitor.get(`${SHOP}/account`)
    await gold.visitor.post(`${SHOP}/account/sign-out`, {})
    const signedOut = await gold.visitor.get(`${SHOP}/cart`)
    expect([signedOut.text.includes('€24.60'), signedOut.text.includes('€12.30')]).toEqual([true, false])
    const done = await anOrder(silver)
    // With shipping of 4.
    expect((await silver.visitor.get(String(done.headers.location))).text).toContain('€13.84')
    // As a guest they pay the price of everybody, which is shown before it is agreed to.
    const refused = await sendOrder(silver, await atPayment(silver), true)
    expect([refused.status, refused.text.includes('Place order and pay €16.30')]).toEqual([422, true])
    const asGuest = await sendOrder(silver, refused.text, true)
    expect(asGuest.status).toBe(303)
    expect((await silver.visitor.get(String(asGuest.headers.location))).text).toContain('€16.30')
    const lists = (await shop.merchant('{ priceLists { nodes { id } } }')).priceLists.nodes as { id: string }[]
    for (const { id } of lists) await shop.merchant('mutation ($id: ID!) { deletePriceList(id: $id) { __typename } }', { id })
  })

  test('shows the order that was placed with it, keeps addresses, is exported and erased', async () => {
    const { visitor, email } = await anOwner()
    const done = await anOrder({ visitor, email })
    const { text: account } = await visitor.get(`${SHOP}/account`)
    expect(account).toContain(`href="${done.headers.location}"`)

    expect((await visitor.post(`${SHOP}/account/addresses`, { ...ADDRESS, city: '' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/addresses`, ADDRESS)).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Ana Sousa, Rua 1, Lisbon, PT')
    const data = await visitor.get(`${SHOP}/account/data`)
    expect(JSON.parse(data.text)).toMatchObject({ email, addresses: [ADDRESS], orders: [{ lines: [{ quantity: 1 }] }] })
    const [, key = ''] = /name="remove" value="([^"]+)"/.exec((await visitor.get(`${SHOP}/account`)).text) ?? []
    await visitor.post(`${SHOP}/account/addresses`, { remove: '0' })
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Rua 1, Lisbon')
    expect((await visitor.post(`${SHOP}/account/addresses`, { remove: key })).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).not.toContain('Rua 1, Lisbon')

    expect((await visitor.post(`${SHOP}/account/erase`, { 'erase-password': 'wrong' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/erase`, { 'erase-password': PASSWORD })).status).toBe(303)
    expect((await visitor.post(`${SHOP}/account/sign-in`, { email, password: PASSWORD })).status).toBe(422)
    expect((await visitor.get(done.headers.location ?? '')).status).toBe(200)
    const { orders } = await shop.merchant('{ orders(first: 1) { totalCount } }')
    expect(orders.totalCount).toBeGreaterThan(0)
  })

  test('requests a return of what was handed over, and gets an e-mail about each decision of the shop', async () => {
    const owner = await anOwner()
    const { visitor, email } = owner
    await anOrder(owner)
    const { text: account } = await visitor.get(`${SHOP}/account`)
    const [path = ''] = /\/shops\/corner-shop\/account\/orders\/\d+/.exec(account) ?? []
    const id = path.split('/').at(-1)
    expect((await visitor.get(path)).text).toContain('Nothing of this order can be returned here.')
    await shop.merchant('mutation { updateStore(input: {returnWindowDays: 14}) { __typename } }')
    await shop.merchant('mutation ($id: ID!) { markOrderPaid(id: $id, input: {}) { __typename } }', { id })
    await shop.merchant('mutation ($id: ID!) { updateOrder(id: $id, input: {shipmentStatus: REQUESTED}) { __typename } }', { id })
    const { text } = await visitor.get(path)
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
    const fields = { key: hidden('key'), 'line-0': hidden('line-0'), 'reason-0': 'DEFECTIVE', note: 'A <b>crack</b>' }
    for (const units of ['0', '9', '-1', 'one']) {
      const refused = await visitor.post(path, { ...fields, 'units-0': units })
      expect([units, refused.status, refused.text.includes('A &lt;b&gt;crack')]).toEqual([units, 422, true])
    }
    expect((await visitor.post(path, { ...fields, 'units-0': '1', note: 'x'.repeat(2_001) })).status).toBe(422)
    for (const _ of ['once', 'again']) {
      const sent = await visitor.post(path, { ...fields, 'units-0': '1' })
      expect([sent.status, sent.headers.location]).toEqual([303, path])
    }
    const shown = (await visitor.get(path)).text
    expect([
      shown.includes('requested: the shop has not answered yet'),
      shown.includes('All of this order is in returns.'),
    ]).toEqual([true, true])
    const returned = async () =>
      (
        await shop.merchant(
          'query ($id: ID!) { order(id: $id) { returns { id status requestedBy note lines { quantity reason } } } }',
          { id },
        )
      ).order.returns
    expect(await returned()).toMatchObject([
      { status: 'REQUESTED', requestedBy: 'CUSTOMER', note: 'A <b>crack</b>', lines: [{ quantity: 1, reason: 'DEFECTIVE' }] },
    ])

    const stranger = await anOwner()
    await stranger.visitor.get(`${SHOP}/account`)
    expect((await stranger.visitor.get(path)).status).toBe(404)
    expect((await stranger.visitor.post(path, { ...fields, 'units-0': '1' })).status).toBe(404)
    expect((await aVisitor('127.0.2.1').get(path)).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account/orders/999999999`)).status).toBe(404)

    const [{ id: returnId }] = await returned()
    const move = (field: string, input: string, id = returnId) =>
      shop.merchant(`mutation ($id: ID!) { ${field}(id: $id, input: ${input}) { __typename } }`, { id })
    const subjects = () =>
      smtp.received.flatMap(({ to, headers }) => {
        const subject = headers.find((header) => header.startsWith('Subject: Return')) ?? ''
        return to[0] === email && subject !== '' ? [subject.replaceAll(/\s+/g, ' ')] : []
      })
    const gets = (count: number) => expect.poll(() => subjects().length, { timeout: 15_000 }).toBe(count)
    await gets(1)
    await move('declineOrderReturn', '{reason: "It was <worn>"}')
    await gets(2)
    const declined = (await visitor.get(path)).text
    expect(declined).toContain('It was &lt;worn&gt;')
    const key = /name="key" value="([^"]*)"/.exec(declined)?.[1] ?? ''
    expect((await visitor.post(path, { ...fields, key, 'units-0': '1' })).status).toBe(303)
    await gets(3)
    const again = (await returned())[1].id
    await move('approveOrderReturn', '{}', again)
    await gets(4)
    await move('receiveOrderReturn', '{}', again)
    await move('refundOrderReturn', '{}', again)
    await gets(5)
    expect(subjects().map((subject) => /was \w+/.exec(subject)?.[0])).toEqual([
      ...['was requested', 'was declined', 'was requested', 'was approved', 'was refunded'],
    ])
    expect(smtp.received.find(({ headers }) => headers.some((header) => header.includes('declined')))?.text).toContain(
      'It was <worn>',
    )
    expect((await visitor.get(path)).text).toContain('completed')

    // What an exchange costs is not paid back.
    await anOrder(owner)
    const paths = [...(await visitor.get(`${SHOP}/account`)).text.matchAll(/\/shops\/corner-shop\/account\/orders\/(\d+)/g)]
    const number = String(Math.max(...paths.map(([, each]) => Number(each))))
    await shop.merchant('mutation ($id: ID!) { markOrderPaid(id: $id, input: {}) { __typename } }', { id: number })
    await move('updateOrder', '{shipmentStatus: REQUESTED}', number)
    const form = (await visitor.get(`${SHOP}/account/orders/${number}`)).text
    const [value, line] = ['key', 'line-0'].map((name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '')
    await visitor.post(`${SHOP}/account/orders/${number}`, { key: value ?? '', 'line-0': line ?? '', 'units-0': '1' })
    const { order, products } = await shop.merchant(
      'query ($id: ID!) { order(id: $id) { returns { id } } products(first: 50) { nodes { id stockUnlimited } } }',
      { id: number },
    )
    const exchanged = order.returns[0].id
    const { id: instead } = products.nodes.find(({ stockUnlimited }: { stockUnlimited: boolean }) => stockUnlimited)
    await move('approveOrderReturn', '{}', exchanged)
    await move('receiveOrderReturn', '{}', exchanged)
    await move('refundOrderReturn', `{exchangeLines: [{productId: "${instead}"}]}`, exchanged)
    await gets(8)
    const { text: said = '', headers = [] } = smtp.received.at(-1) ?? {}
    expect(headers.find((header) => header.startsWith('Subject:'))?.replaceAll(/\s+/g, ' ')).toMatch(/was exchanged$/)
    expect(said).toMatch(/\. €[\d.]+ pay for what you get instead, and what is left of them is paid back\./)
  })

  test('does not get the order of who chooses to be a guest, and keeps what the pages do not show of an address', async () => {
    const owner = await anOwner()
    await anOrder(owner, true)
    expect((await owner.visitor.get(`${SHOP}/account`)).text).toContain('No orders yet')
    await shop.merchant(`mutation ($input: SetCustomerAddressesInput!) { setCustomerAddresses(input: $input) { __typename } }`, {
      input: {
        store: 'corner-shop',
        token: owner.visitor.cookies.get('shopper'),
        addresses: [{ ...ADDRESS, municipality: 'Lisboa' }],
      },
    })
    await owner.visitor.get(`${SHOP}/account`)
    await owner.visitor.post(`${SHOP}/account/addresses`, { ...ADDRESS, city: 'Porto' })
    const { addresses } = JSON.parse((await owner.visitor.get(`${SHOP}/account/data`)).text)
    expect(addresses).toMatchObject([{ municipality: 'Lisboa' }, { city: 'Porto' }])
  })

  test('is changed by forms of its own pages only', async () => {
    const { visitor, email } = await anOwner()
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const other = await anOwner()
    for (const [path, fields] of [
      ['sign-out', { everywhere: '1' }],
      ['password', { current: PASSWORD, password: 'another one' }],
      ['addresses', ADDRESS],
      ['erase', { 'erase-password': PASSWORD }],
    ] as const) {
      await visitor.get(`${SHOP}/account`)
      expect((await visitor.post(`${SHOP}/account/${path}`, fields, foreign)).status).toBe(403)
      const stolen = /name="token" value="([^"]+)"/.exec((await other.visitor.get(`${SHOP}/account`)).text)?.[1] ?? ''
      expect((await visitor.post(`${SHOP}/account/${path}`, { ...fields, token: stolen })).status).toBe(403)
    }
    for (const path of ['sign-in', 'request'])
      expect((await aVisitor().post(`${SHOP}/account/${path}`, { email, password: PASSWORD }, foreign)).status).toBe(403)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain(email)
  })

  test('changes its password and signs out', async () => {
    const { visitor, email } = await anOwner()
    await visitor.get(`${SHOP}/account`)
    expect((await visitor.post(`${SHOP}/account/password`, { current: 'wrong', password: 'another one' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/password`, { current: PASSWORD, password: 'short' })).status).toBe(422)
    expect((await visitor.post(`${SHOP}/account/password`, { current: PASSWORD, password: 'another one' })).status).toBe(303)
    await visitor.get(`${SHOP}/account`)
    expect((await visitor.post(`${SHOP}/account/sign-out`, {})).status).toBe(303)
    expect((await visitor.get(`${SHOP}/account`)).text).toContain('Send me a link')
    expect((await visitor.post(`${SHOP}/account/sign-in`, { email, password: 'another one' })).status).toBe(303)
  })

  test('of a shop that does not exist is nowhere, and what no account has leads to the sign-in', async () => {
    expect((await aVisitor().get('/shops/none/account')).status).toBe(404)
    expect((await aVisitor().get(`${SHOP}/account/data`)).headers.location).toBe(`${SHOP}/account`)
    expect((await aVisitor().post(`${SHOP}/account/request`, { 'request-email': 'no address' })).status).toBe(422)
  })
})

test.skipIf(hasNoBrowser)('the pages of an account fit and are accessible in every look', async () => {
  const browser: Browser = await sharedBrowser()
  const { page, complaints } = await openPage(browser)
  await page.goto(`${web.url}${SHOP}/account`)
  await look(page, 'shop-sign-in')
  const [visitor, owner] = [aVisitor(), 'look@example.org']
  await visitor.post(`${SHOP}/account/request`, { 'request-email': owner })
  const link = await linkFor(owner)
  await page.goto(`${web.url}${link}`)
  await look(page, 'shop-link')
  await visitor.get(link)
  await visitor.post(link, { password: PASSWORD })
  await visitor.get(`${SHOP}/account`)
  await visitor.post(`${SHOP}/account/addresses`, ADDRESS)
  await anOrder({ visitor, email: owner })
  await atPayment({ visitor, email: owner })
  const cookies = [...visitor.cookies].map(([name, value]) => ({ name, value, url: `${web.url}${SHOP}` }))
  await page.context().addCookies(cookies)
  await page.goto(`${web.url}${SHOP}/account`)
  await look(page, 'shop-account')
  const [order = ''] = /\/account\/orders\/\d+/.exec(await page.content()) ?? []
  await shop.merchant('mutation { updateStore(input: {returnWindowDays: 14}) { __typename } }')
  await shop.merchant('mutation ($id: ID!) { updateOrder(id: $id, input: {shipmentStatus: REQUESTED}) { __typename } }', {
    id: order.split('/').at(-1),
  })
  await page.goto(`${web.url}${SHOP}${order}`)
  await look(page, 'shop-return')
  await page.fill('#units-0', '1')
  await page.click('text=Request the return')
  await page.waitForURL(`${web.url}${SHOP}${order}`)
  expect(await page.textContent('main')).toContain('requested: the shop has not answered yet')
  await look(page, 'shop-returns')
  await page.goto(`${web.url}${SHOP}/checkout`)
  expect(await page.textContent('main')).toContain(`Ordering as ${owner}`)
  await look(page, 'shop-payment')
  expect(complaints).toEqual([])
  await closePages(browser)
})
