import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withStores } from '../../../subgraphs/store/operator/stores.ts'
import { html, textOf } from '../../../web/frame/html.ts'
import { contrastOf, themeStyles } from '../../../web/shop/colors.ts'
import { plainText, richText } from '../../../web/shop/rich-text.ts'
import { askRaw } from '../../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from '../support/browser.ts'
import { consoleAt, type Shop } from '../support/console.ts'
import { aFilledShop, type FilledShop, HOSTILE_HTML } from '../support/shop.ts'
import { HOSTILE, startWeb } from '../support/site.ts'

let web: Awaited<ReturnType<typeof startWeb>>
let shop: FilledShop
beforeAll(async () => {
  web = await startWeb()
  shop = await aFilledShop(web, 'Corner shop')
})
afterAll(() => web?.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  askRaw(web.url, path, { headers: { accept: 'text/html', 'accept-encoding': 'identity', ...headers } })

const PAGES = {
  front: '/shops/corner-shop',
  list: '/shops/corner-shop/search',
  collection: '/shops/corner-shop/collections/kitchen',
  product: '/shops/corner-shop/products/blue-cup',
  variants: '/shops/corner-shop/products/linen-shirt',
  content: '/shops/corner-shop/pages/about-us',
  cart: '/shops/corner-shop/cart',
}

const jsonOf = (text: string): { readonly '@type': string }[] =>
  [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, json = '']) => JSON.parse(json))

describe.each(Object.entries(PAGES))('the page %s', (name, path) => {
  test('has one heading, runs nothing, leads nowhere dead, and fits in 60 kB with its stylesheets', async () => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'")
    expect(headers['cache-control']).toMatch(name === 'cart' ? /^no-store$/ : /^public/)
    expect(text.match(/<h1\b/g)).toHaveLength(1)
    expect(text).not.toMatch(/<script(?! type="application\/ld\+json")|<style|<iframe|<img src=x|onclick|javascript:/)
    expect(text).not.toContain('Hidden bowl')
    const styles = [...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = '']) => href)
    expect(styles).toHaveLength(3)
    let bytes = text.length
    for (const style of styles) {
      const reply = await get(style.replaceAll('&amp;', '&'))
      expect([reply.status, reply.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/css/)])
      bytes += reply.text.length
    }
    expect(bytes).toBeLessThan(60_000)
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)) {
      const { status } = await get(href.replaceAll('&amp;', '&'))
      expect([href, status < 400]).toEqual([href, true])
    }
  })
})

test('programs read a store, products with offers, and where they are', async () => {
  expect(jsonOf((await get(PAGES.front)).text)).toMatchObject([
    { '@type': 'Store', name: 'Corner shop', url: `${web.url}/shops/corner-shop` },
    { '@type': 'WebSite', potentialAction: { target: `${web.url}/shops/corner-shop/search?q={q}` } },
    { '@type': 'ItemList' },
  ])
  const [product, crumbs] = jsonOf((await get(PAGES.product)).text)
  expect(product).toMatchObject({
    '@type': 'Product',
    name: 'Blue cup',
    url: `${web.url}${PAGES.product}`,
    brand: { name: 'Tidewater' },
    offers: { '@type': 'Offer', price: '12.3', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  })
  expect(crumbs).toMatchObject({ '@type': 'BreadcrumbList' })
  expect(jsonOf((await get(PAGES.variants)).text)[0]).toMatchObject({
    offers: { '@type': 'AggregateOffer', lowPrice: '49.2', highPrice: '55.35', offerCount: 3 },
  })
})

test('a list is searched with typing errors, filtered, sorted, and paged to its end', async () => {
  const names = async (query: string) =>
    [...(await get(`${PAGES.list}?${query}`)).text.matchAll(/<span class="goods-name">([^<]*)/g)].map(([, name]) => name)
  expect((await get(`${PAGES.list}?q=linnen`)).text).toMatch(/results for <strong>linen/)
  expect(await names('q=shirt')).toEqual(['Linen shirt'])
  expect(await names('brand=Tidewater')).toEqual(['Blue cup'])
  expect(await names('brand=Tidewater&brand=Marigold&sort=name')).toEqual(['Blue cup', 'Linen shirt'])
  expect(await names('option=Size:S')).toEqual(['Linen shirt'])
  expect(await names('option=Size:XXL')).toEqual([])
  expect(await names('sort=price-down&available=true')).toEqual([
    'Linen shirt',
    'Blue cup',
    expect.stringContaining('window.ran'),
  ])
  const { text } = await get(`${PAGES.collection}?brand=Tidewater`)
  expect(text).toMatch(/aria-current="true"><span aria-hidden="true">✓ <\/span>Tidewater/)
  expect(text).not.toContain('rel="canonical"')
})

test.each([
  ['?after=zzz', 'after'],
  ['?sort=cheap', 'sort'],
  ['?rating=9', 'rating'],
  [`?q=${'x'.repeat(201)}`, 'q'],
  [`?${'brand=a&'.repeat(21)}`, 'brand'],
  ['?option=nonsense%00', 'option'],
  ['?language=de', 'language'],
])('an address that cannot be read says which part, and where to begin again: %.30s', async (query, parameter) => {
  const { status, text } = await get(`${PAGES.list}${query}`)
  expect(status).toBe(400)
  expect(text).toContain(parameter)
  expect(text).toContain(`<a href="${PAGES.list}">Start again</a>`)
})

test.each([
  '/shops/nothing/cart',
  '/shops/nothing/checkout',
  '/shops/nothing/search',
  '/shops/corner-shop/products/hidden-bowl',
  '/shops/corner-shop/products/%00',
  '/shops/corner-shop/collections/nothing',
  '/shops/corner-shop/pages/nothing',
  '/shops/%00/cart',
  '/shops/nothing/theme.css',
])('%s is nothing', async (path) => expect((await get(path)).status).toBe(404))

test('texts are in the language of the address, and links stay in it', async () => {
  const { text } = await get(`${PAGES.product}?language=pt`)
  expect(text).toContain('<html lang="pt">')
  expect(text).toContain('<h1>Chávena azul</h1>')
  expect(text).toContain('href="/shops/corner-shop/cart?language=pt"')
})

test('a price of more units that all variants have is said once, others by their variant', async () => {
  const change = async (query: string, variables: object) => (await shop.merchant(query, variables)).made
  const { priceList } = await change(
    'mutation { made: createPriceList(input: { name: "Many" }) { __typename ... on PriceListSuccess { priceList { id } } } }',
    {},
  )
  const { storefront } = await shop.merchant(
    '{ storefront(store: "corner-shop") { product(permalink: "linen-shirt") { variants { id } } } }',
  )
  const lines = async (price: object) => {
    await change(
      'mutation ($id: ID!, $input: SetPriceListPricesInput!) { made: setPriceListPrices(id: $id, input: $input) { __typename } }',
      { id: priceList.id, input: { prices: [{ productId: shop.shirt, minimumQuantity: 5, ...price }] } },
    )
    const { text } = await get(PAGES.variants)
    return [...text.matchAll(/<li>([^<]*from \d+ on, [^<]*)<\/li>/g)].map(([, line = '']) => line)
  }
  expect(await lines({ price: '20' })).toEqual(['from 5 on, €24.60 each'])
  const { id: variantId } = storefront.product.variants[0]
  const [small, medium] = await lines({ price: '10', variantId })
  expect([small, medium]).toEqual(['S: from 5 on, €12.30 each', 'M: from 5 on, €24.60 each'])
  await change('mutation ($id: ID!) { made: deletePriceList(id: $id) { __typename } }', priceList)
})

test('settings of the theme are seen, and those with other keys are not', async () => {
  const { text } = await get(PAGES.front)
  expect(text).toContain('<p class="announcement">&lt;/script&gt;')
  expect(text).not.toContain('secret of the theme')
  const { json } = await askRaw(web.url, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ storefront(store: "corner-shop") { theme { accentColor announcement heroTitle } } }' }),
  })
  expect(json.data.storefront.theme).toEqual({ accentColor: '#ffee00', announcement: HOSTILE, heroTitle: null })
})

test('no colour of a merchant makes a shop unreadable', () => {
  const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(color, color, (accentColor, backgroundColor) => {
      const styles = themeStyles({ accentColor, backgroundColor, serifHeadings: false })
      for (const [rule] of styles.matchAll(/:root\{[^}]*\}/g)) {
        const of = (name: string) => new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(rule)?.[1] ?? ''
        for (const ground of ['ground', 'raised', 'sunken'])
          for (const text of ['text', 'quiet', 'accent']) expect(contrastOf(of(text), of(ground))).toBeGreaterThanOrEqual(4.5)
        expect(contrastOf(of('on-accent'), of('accent'))).toBeGreaterThanOrEqual(4.5)
      }
    }),
  )
})

test('HTML of a merchant is elements of ours, whatever it is', () => {
  const written = textOf(richText(HOSTILE_HTML))
  expect(written).toContain('<h2>About</h2><p>Made <strong>here</strong>.</p>')
  expect(written).toContain('<a href="https://good.example/" rel="nofollow noopener">go</a>')
  expect(written).not.toMatch(/script|style|img|iframe|form|svg|javascript|window/)
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<b',
    '<a href="',
    'javascript:x',
    '">',
    '<script>',
    '</script>',
    '<!--',
    '<svg>',
    '&lt;',
    'text',
    '<li>',
    "'",
    '<x onload=1>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const made = textOf(html`${richText(pieces.join(''))}`)
      expect(made.replaceAll(/<\/?(p|strong|li|a)>|<a href="https?:[^"<>]*" rel="nofollow noopener">/g, '')).not.toMatch(/[<>]/)
    }),
  )
  expect(textOf(richText('<b>'.repeat(20_000)))).toHaveLength(20 * '<strong></strong>'.length)
  expect(plainText(HOSTILE_HTML, 20)).toBe('About Made here . r…')
})

describe('the feed of products for search engines', () => {
  const { graph } = consoleAt(() => web.url)
  const tagsOf = (item: string): Readonly<Record<string, string>> =>
    Object.fromEntries([...item.matchAll(/<([a-z:_]+)>([^<]*)<\/\1>/g)].map(([, tag = '', text = '']) => [tag, text]))
  const feed = async (path: string) => {
    const { status, headers, text } = await get(`/shops/${path}`)
    return { status, headers, text, items: [...text.matchAll(/<item>(.*?)<\/item>/gs)].map(([, item = '']) => tagsOf(item)) }
  }

  test('has everything that can be bought, a variant an item each', async () => {
    const { status, headers, text, items } = await feed('corner-shop/feed.xml')
    expect([status, headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8'])
    expect(text).not.toMatch(/Hidden bowl|Retired plate|window\.ran=1<\/script>/)
    const named = (name: string) => items.filter(({ title = '' }) => title.startsWith(name))
    expect(named('Blue cup')).toEqual([
      {
        'g:id': expect.any(String),
        title: 'Blue cup',
        description: 'Blue cup',
        link: `${web.url}/shops/corner-shop/products/blue-cup`,
        'g:image_link': expect.stringContaining(web.url),
        'g:additional_image_link': expect.stringContaining(web.url),
        'g:availability': 'in_stock',
        'g:price': '12.30 EUR',
        'g:brand': 'Tidewater',
        'g:product_type': 'Kitchen',
      },
    ])
    const shirts = named('Linen shirt')
    expect(shirts.map((shirt) => [shirt['g:availability'], shirt['g:price']])).toEqual([
      ['in_stock', '49.20 EUR'],
      ['out_of_stock', '49.20 EUR'],
      ['in_stock', '55.35 EUR'],
    ])
    expect(new Set(shirts.map((shirt) => shirt['g:item_group_id'])).size).toBe(1)
    expect(new Set(shirts.map((shirt) => shirt['g:id'])).size).toBe(3)
    // Each variant's address shows the page with it chosen.
    const page = await askRaw(web.url, (shirts[2]?.link ?? '').slice(web.url.length))
    expect(page.text).toMatch(/name="variant" value="[^"]+" checked/)
  })

  test('is of a collection, and in another language of the shop', async () => {
    expect((await feed('corner-shop/collections/cups/feed.xml')).items.map(({ title }) => title)).toEqual(['Blue cup'])
    const [cup] = (await feed('corner-shop/collections/cups/feed/pt.xml')).items
    expect(cup).toMatchObject({
      title: 'Chávena azul',
      link: expect.stringMatching(/\/products\/[^?]+\?language=pt$/),
    })
    const { text } = await get('/shops/corner-shop/collections/kitchen?language=pt')
    expect(text).toContain(
      'type="application/rss+xml" title="Products" href="/shops/corner-shop/collections/kitchen/feed/pt.xml"',
    )
  })

  test.each([
    'no-such-shop/feed.xml',
    'corner-shop/collections/nothing/feed.xml',
    'corner-shop/feed/pt',
    'corner-shop/feed/<script>.xml',
  ])('%s does not exist', async (path) => {
    expect((await feed(path)).status).toBe(404)
  })

  test('goes on over pages, with a former price and a code only where it is a GTIN', async () => {
    const wide: Shop = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Wide shop', country: 'PT', isPaid: true }),
    )
    const codes = ['4006381333931', '4006381333932']
    const products = Array.from({ length: 27 }, (_, index) => ({
      name: `Product ${index + 1}`,
      price: '10',
      compareAtPrice: index === 26 ? '12' : null,
      barcode: codes[index],
      stock: 1,
    }))
    // A store has a number of requests a second.
    for (let start = 0; start < products.length; start += 9) {
      const made = products.slice(start, start + 9)
      const fields = made.map((_, at) => `p${at}: createProduct(input: $p${at}) { __typename }`).join(' ')
      const variables = Object.fromEntries(made.map((input, at) => [`p${at}`, input]))
      const types = made.map((_, at) => `$p${at}: CreateProductInput!`).join(', ')
      const answers = Object.values(await graph(wide, `mutation (${types}) { ${fields} }`, variables))
      expect(answers).toEqual(made.map(() => ({ __typename: 'CreateProductSuccess' })))
    }
    const { items } = await feed('wide-shop/feed.xml')
    expect(items).toHaveLength(27)
    expect(items[0]).toMatchObject({ title: 'Product 27', 'g:price': '12.00 EUR', 'g:sale_price': '10.00 EUR' })
    expect(items.slice(-2)).toEqual([
      expect.objectContaining({ title: 'Product 2', 'g:identifier_exists': 'no' }),
      expect.objectContaining({ title: 'Product 1', 'g:gtin': '4006381333931' }),
    ])
    expect(items[1]).not.toHaveProperty('g:sale_price')
  })
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test.each(Object.entries(PAGES))('%s is accessible and fits', async (name, path) => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${web.url}${path}`)
    await look(page, `shop-${name}`)
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the feed of products is well-formed XML, whatever a name holds', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${web.url}${PAGES.front}`)
    const { text } = await get(`${PAGES.front}/feed.xml`)
    const titles = await page.evaluate(
      `[...new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml').querySelectorAll('parsererror, item > title')]
        .map(({ textContent }) => textContent)`,
    )
    expect(titles).toHaveLength(5)
    expect(titles).toContain(HOSTILE)
    await page.close()
  })

  test('a shopper finds, chooses, orders and sees the order, without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${web.url}${PAGES.front}`)
    await page.getByRole('searchbox').fill('shrit')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Linen shirt' }).click()
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('heading', { level: 1, name: 'Cart' }).waitFor()
    await page.getByRole('link', { name: 'Go to checkout' }).click()
    await fillAddress(page)
    await page.getByRole('radio', { name: 'Post' }).check()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('I accept the terms').check()
    await page.getByRole('button', { name: 'Place order' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your order' }).waitFor()
    await page.getByText('To PT50 0000.').waitFor()
    await context.close()
  })

  test('cart, every step of the checkout with and without problems, and the order are accessible and fit', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${web.url}${PAGES.product}`)
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByLabel('Coupon code').fill('NONE')
    await page.getByRole('button', { name: 'Apply coupon' }).click()
    await look(page, 'shop-cart-problem')
    await page.getByRole('button', { name: 'Remove coupon NONE' }).click()
    const { made } = await shop.merchant(
      'mutation { made: createGiftCard(input: {amount: "5", expiresAt: "2090-01-01T00:00:00Z"}) { ... on CreateGiftCardSuccess { code } } }',
    )
    await page.getByLabel('Gift card').fill('AAAA-BBBB-CCCC-DDDD')
    await page.getByRole('button', { name: 'Apply gift card' }).click()
    await look(page, 'shop-gift-card-problem')
    await page.getByLabel('Gift card').fill(made.code)
    await page.getByRole('button', { name: 'Apply gift card' }).click()
    await page.getByText('pays €5.00').waitFor()
    await look(page, 'shop-gift-card')
    await page.getByRole('link', { name: 'Go to checkout' }).click()
    await page.evaluate('document.querySelector("form.stacked").noValidate = true')
    await page.getByRole('button', { name: 'Continue' }).click()
    await look(page, 'shop-address-problem')
    await fillAddress(page)
    await look(page, 'shop-delivery')
    await page.getByRole('button', { name: 'Continue' }).click()
    await look(page, 'shop-payment')
    await page.getByLabel('I accept the terms').check()
    await page.getByRole('button', { name: 'Place order' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your order' }).waitFor()
    await look(page, 'shop-order')
    const number = /\d+/.exec(await page.getByRole('heading', { level: 1 }).innerText())?.[0]
    await shop.merchant('mutation ($id: ID!) { markOrderPaid(id: $id, input: {}) { __typename } }', { id: number })
    await page.reload()
    await page.getByText('Review Blue cup').click()
    await page.evaluate('document.querySelector("details form").noValidate = true')
    await page.getByRole('button', { name: 'Send review' }).click()
    await look(page, 'shop-review-problem')
    await page.close()
  })
})

async function fillAddress(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill('ana@example.org')
  const fields = { 'First name': 'Ana', 'Last name': 'Sousa', 'Street and house number': 'Rua 1', City: 'Lisbon' }
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).first().fill(value)
  await page.getByRole('button', { name: 'Continue' }).click()
}
