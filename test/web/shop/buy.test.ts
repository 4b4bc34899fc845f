import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askRaw } from '../../rest-facade/ask.ts'
import { paymentGateway } from '../../subgraphs/store/support/payment-gateway.ts'
import { consoleAt, type Fields, setCookies } from '../support/console.ts'
import { aFilledShop, type FilledShop } from '../support/shop.ts'
import { HOSTILE, startWeb } from '../support/site.ts'

const CREDENTIALS = { key: 'merchant-7', secret: 'whsec-very-secret' }
const ADDRESS = { name: 'Ana', surname: 'Sousa', address: 'Rua 1', city: 'Lisbon', country: 'PT', email: 'ana@example.org' }
const SHOP = '/shops/corner-shop'

let web: Awaited<ReturnType<typeof startWeb>>
let gateway: Awaited<ReturnType<typeof paymentGateway>>
let shop: FilledShop
const { aVisitor } = consoleAt(() => web.url)
beforeAll(async () => {
  gateway = await paymentGateway(CREDENTIALS)
  web = await startWeb()
  shop = await aFilledShop(web, 'Corner shop')
  await aFilledShop(web, 'Another shop')
  await shop.merchant('mutation ($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { __typename } }', {
    input: { name: 'Card', paymentMethodUrl: gateway.url, ...CREDENTIALS },
  })
})
afterAll(async () => {
  await web?.close()
  await gateway?.close()
})

type Visitor = ReturnType<typeof aVisitor>
const stockOfCup = async (): Promise<number> =>
  (await shop.merchant('query ($id: ID!) { product(id: $id) { stock } }', { id: shop.cup })).product.stock
const orderCount = async (): Promise<number> => (await shop.merchant('{ orders(first: 1) { totalCount } }')).orders.totalCount
/** The values of radio buttons of this name, by the text beside them. */
const choices = (text: string, name: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`<input type="radio" name="${name}" value="([^"]*)"[^>]*> (?:<span>)?([^<]*)`, 'g'))].map(
      ([, value = '', label = '']) => [label.trim(), value],
    ),
  )
const hidden = (text: string, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
const answerName = (text: string): string => /name="(answer\.[^"]+)"/.exec(text)?.[1] ?? ''

async function withCup(quantity = '1'): Promise<Visitor> {
  const visitor = aVisitor()
  const added = await visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity })
  expect([added.status, added.headers.location]).toEqual([303, `${SHOP}/cart`])
  await visitor.get(`${SHOP}/cart`)
  return visitor
}

/** As far as the last step, whose page is returned. */
async function upToPayment(visitor: Visitor): Promise<string> {
  expect((await visitor.post(`${SHOP}/checkout/address`, ADDRESS)).status).toBe(303)
  const { text } = await visitor.get(`${SHOP}/checkout`)
  const { Post = '' } = choices(text, 'delivery')
  expect((await visitor.post(`${SHOP}/checkout/delivery`, { delivery: Post })).status).toBe(303)
  return (await visitor.get(`${SHOP}/checkout`)).text
}

/** Cancels an order: the tests that follow have their cups. */
async function giveBack(visitor: Visitor, order = ''): Promise<void> {
  const id = /Your order (\d+)/.exec((await visitor.get(order)).text)?.[1] ?? ''
  await shop.merchant('mutation ($id: ID!) { cancelOrder(id: $id, input: {}) { __typename } }', { id })
}

const orderFields = (text: string, method = 'Bank transfer'): Fields => ({
  key: hidden(text, 'key'),
  expected: hidden(text, 'expected'),
  payment: choices(text, 'payment')[method] ?? '',
  [answerName(text)]: 'true',
})

test('an order that is placed in forms takes its stock, and is shown at its secret address', async () => {
  const before = await stockOfCup()
  const visitor = await withCup('2')
  const text = await upToPayment(visitor)
  expect(text).toContain('Place order and pay €32.60')
  const placed = await visitor.post(`${SHOP}/checkout/order`, orderFields(text))
  expect([placed.status, placed.headers.location]).toEqual([
    303,
    expect.stringMatching(/^\/shops\/corner-shop\/orders\/[\w-]{32}$/),
  ])
  expect(await stockOfCup()).toBe(before - 2)
  const { text: order, headers } = await visitor.get(placed.headers.location ?? '')
  expect(order).toContain('Payment of this order is pending.')
  expect(order).toContain('To PT50 0000.')
  expect(headers['cache-control']).toBe('no-store')
  expect(order).not.toMatch(/ana@example|Rua 1/)
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('Your cart is empty')
})

test('the cart is in a cookie of the shop that no script reads and no form of another site sends', async () => {
  const reply = await askRaw(web.url, `${SHOP}/cart/add`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'permalink=blue-cup&quantity=1',
  })
  const [cookie = ''] = setCookies(reply)
  expect(cookie).toMatch(/^cart=[\w-]{43}; Path=\/shops\/corner-shop; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
  expect(JSON.stringify(web.log.lines)).not.toContain(/cart=([\w-]{43})/.exec(cookie)?.[1])
})

test('coupons and quantities change the totals; a coupon without effect says so beside the cart', async () => {
  const visitor = await withCup()
  await visitor.post(`${SHOP}/cart`, { coupon: 'TEN' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('−€1.00')
  await visitor.post(`${SHOP}/cart`, { coupon: 'NONE' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('The coupon code &quot;NONE&quot; has no effect')
  await visitor.post(`${SHOP}/cart`, { 'drop-coupon': 'NONE' })
  const { text } = await visitor.get(`${SHOP}/cart`)
  expect(text).not.toContain('NONE')
  const line = /name="(q\.[^"]+)"/.exec(text)?.[1] ?? ''
  await visitor.post(`${SHOP}/cart`, { [line]: '3' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('€30.00')
  await visitor.post(`${SHOP}/cart`, { [line]: '50' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('Expected at most 20 of the product, got 50.')
  await visitor.post(`${SHOP}/cart`, { remove: line.slice(2) })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('Your cart is empty')
})

test('a gift card pays what is due, is shown by its last four characters, and can be taken out again', async () => {
  const { made } = await shop.merchant(
    'mutation { made: createGiftCard(input: {amount: "12"}) { ... on CreateGiftCardSuccess { code giftCard { id } } } }',
  )
  const visitor = await withCup('2')
  expect((await visitor.post(`${SHOP}/cart`, { 'gift-card': made.code })).status).toBe(303)
  const { text } = await visitor.get(`${SHOP}/cart`)
  expect(text).toContain(`<code>…${made.code.slice(-4)}</code>`)
  expect(text).toContain('pays €12.00, has €12.00')
  expect(text).toMatch(/<dt>Gift cards<\/dt><dd>−€12.00<\/dd>/)
  expect(text).not.toContain(made.code)
  await visitor.post(`${SHOP}/cart`, { 'drop-gift-card': /name="drop-gift-card" value="([^"]*)"/.exec(text)?.[1] ?? '' })
  expect((await visitor.get(`${SHOP}/cart`)).text).not.toContain('Gift cards')
  await visitor.post(`${SHOP}/cart`, { 'gift-card': made.code })

  const payment = await upToPayment(visitor)
  expect(payment).toContain('Place order and pay €20.60')
  const placed = await visitor.post(`${SHOP}/checkout/order`, orderFields(payment))
  expect((await visitor.get(placed.headers.location ?? '')).text).toContain('−€12.00')
  const { giftCard } = await shop.merchant('query ($id: ID!) { giftCard(id: $id) { balance } }', { id: made.giftCard.id })
  expect(giftCard).toEqual({ balance: '0' })
  const another = await withCup()
  expect((await another.post(`${SHOP}/cart`, { 'gift-card': made.code })).text).toContain('No gift card with this code can pay')
  await giveBack(visitor, placed.headers.location)
})

describe('a gift card code that is mistyped prevents no other change of the cart', () => {
  const MISTYPED = { 'gift-card': 'AAAA-BBBB-CCCC-DDDD' }
  const NO_CARD = 'No gift card with this code can pay'

  test('quantities and a coupon are changed, and the code is shown with its problem', async () => {
    const visitor = await withCup()
    const line = /name="(q\.[^"]+)"/.exec((await visitor.get(`${SHOP}/cart`)).text)?.[1] ?? ''
    const changed = await visitor.post(`${SHOP}/cart`, { [line]: '3', coupon: 'TEN', ...MISTYPED, do: 'update' })
    expect(changed.status).toBe(422)
    for (const shown of [NO_CARD, 'name="gift-card" value="AAAA-BBBB-CCCC-DDDD"', 'name="coupon" value=""', '€30.00', '−€3.00'])
      expect(changed.text).toContain(shown)
    const { text } = await visitor.get(`${SHOP}/cart`)
    expect(text).toContain('€30.00')
    expect(text).toContain('−€3.00')
  })

  test.each(['remove', 'drop-coupon', 'drop-gift-card'])('the button "%s" works', async (button) => {
    const { made } = await shop.merchant(
      'mutation { made: createGiftCard(input: {amount: "12"}) { ... on CreateGiftCardSuccess { code } } }',
    )
    const visitor = await withCup()
    await visitor.post(`${SHOP}/cart`, { coupon: 'TEN', 'gift-card': made.code })
    const buttonIn = (text: string) => new RegExp(`name="${button}" value="([^"]*)"`).exec(text)?.[1]
    const value = buttonIn((await visitor.get(`${SHOP}/cart`)).text) ?? expect.fail('there is no such button')
    const pressed = await visitor.post(`${SHOP}/cart`, { ...MISTYPED, [button]: value })
    expect([pressed.status, pressed.headers.location]).toEqual([303, `${SHOP}/cart`])
    expect(buttonIn((await visitor.get(`${SHOP}/cart`)).text)).toBeUndefined()
  })
})

test('codes of gift cards can be tried 20 times a minute', async () => {
  const visitor = await withCup()
  // At once, so that few attempts come back in the meantime.
  const attempts = Array.from({ length: 60 }, () => visitor.post(`${SHOP}/cart`, { 'gift-card': 'AAAA-BBBB-CCCC-DDDD' }))
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([422, 429]))
})

describe('a form that cannot be taken says why beside the field', () => {
  const LONG = 'x'.repeat(201)
  test.each<[form: string, fields: Fields, field: string, said: string]>([
    ['cart/add', { permalink: 'blue-cup', quantity: '' }, 'quantity', 'Enter a whole number from 1 to 20.'],
    ['cart/add', { permalink: 'blue-cup', quantity: '-1' }, 'quantity', 'Enter a whole number from 1 to 20.'],
    ['cart/add', { permalink: 'blue-cup', quantity: '1e3' }, 'quantity', 'Enter a whole number from 1 to 20.'],
    ['cart/add', { permalink: 'blue-cup', quantity: '99999999999999999999' }, 'quantity', 'Enter a whole number from 1 to 20.'],
    ['cart/add', { permalink: 'linen-shirt', quantity: '1' }, 'variant', 'Choose one of these.'],
    ['cart/add', { permalink: 'linen-shirt', quantity: '1', variant: HOSTILE }, 'variant', 'Choose one of these.'],
    ['cart', { 'q.LINE': '1.5' }, 'q.LINE', 'Enter a whole number from 0 to 1000000.'],
    ['cart', { 'q.LINE': HOSTILE }, 'q.LINE', 'Enter a whole number from 0 to 1000000.'],
    ['cart', { coupon: LONG }, 'coupon', 'Enter a code of at most 100 characters.'],
    ['cart', { coupon: 'a\0b' }, 'coupon', 'Enter a code of at most 100 characters.'],
    ['cart', { 'gift-card': LONG }, 'gift-card', 'Enter a code of at most 100 characters.'],
    ['cart', { 'gift-card': 'a\0b' }, 'gift-card', 'Enter a code of at most 100 characters.'],
    ['checkout/address', {}, 'surname', 'Enter your last name.'],
    ['checkout/address', { ...ADDRESS, email: HOSTILE }, 'email', 'Enter an e-mail address such as ana@example.org.'],
    ['checkout/address', { ...ADDRESS, email: 'ana@exa\0mple.org' }, 'email', 'Enter an e-mail address'],
    ['checkout/address', { ...ADDRESS, email: `${'x'.repeat(250)}@example.org` }, 'email', 'Enter an e-mail address'],
    ['checkout/address', { ...ADDRESS, city: LONG }, 'city', 'Enter at most 200 characters; these are 201.'],
    ['checkout/address', { ...ADDRESS, city: '\u0000' }, 'city', 'Enter letters, digits and signs only.'],
    ['checkout/address', { ...ADDRESS, country: 'Atlantis' }, 'country', '"shippingAddress.country"'],
    ['checkout/address', { ...ADDRESS, phone: LONG }, 'phone', 'Enter at most 50 characters'],
    ['checkout/address', { ...ADDRESS, 'billing-name': 'Rui' }, 'billing-city', 'Enter your city.'],
    ['checkout/delivery', {}, 'delivery', 'Choose how you get it.'],
    ['checkout/delivery', { delivery: `rate ${HOSTILE}` }, 'delivery', 'Choose how you get it.'],
    ['checkout/delivery', { delivery: 'rate U2hpcHBpbmdNZXRob2Q6OTk5OTk5 ' }, 'delivery', 'Choose how you get it.'],
    ['checkout/order', {}, 'payment', 'Choose how you pay.'],
    ['checkout/order', { payment: HOSTILE }, 'payment', 'Choose how you pay.'],
    ['checkout/order', { note: 'x'.repeat(1001) }, 'note', 'Enter at most 1000 characters'],
    ['checkout/order', { note: '\u0007' }, 'note', 'Enter letters, digits and signs only.'],
    ['checkout/order', { ANSWER: 'false' }, 'ANSWER', 'Tick this to order.'],
  ])('%s %j: %s', async (form, fields, field, said) => {
    const visitor = await withCup()
    if (form.startsWith('checkout/') && form !== 'checkout/address') await visitor.post(`${SHOP}/checkout/address`, ADDRESS)
    if (form === 'checkout/order') await upToPayment(visitor)
    const { text: page } = await visitor.get(`${SHOP}/${form.split('/')[0]}`)
    const names = { 'q.LINE': /name="(q\.[^"]+)"/.exec(page)?.[1] ?? 'q', ANSWER: answerName(page) } as Fields
    const named = Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]))
    const { status, text } = await visitor.post(`${SHOP}/${form}`, named)
    expect(status).toBe(422)
    const id = names[field] ?? field
    expect(text).toMatch(new RegExp(`aria-describedby="${id.replace('.', '\\.')}-problem"`))
    const problem = new RegExp(`id="${id.replace('.', '\\.')}-problem">([^<]*)<`).exec(text)?.[1]
    expect(problem?.replaceAll('&quot;', '"')).toContain(said)
    expect(text).not.toMatch(/<script>|<img src=x|<svg onload/)
  })

  test('a body that is too long, and one of another type, are no forms', async () => {
    const visitor = await withCup()
    expect((await visitor.post(`${SHOP}/cart`, { coupon: 'x'.repeat(50_000) })).status).toBe(413)
    expect((await visitor.post(`${SHOP}/cart`, {}, { 'content-type': 'application/json' })).status).toBe(415)
  })
})

describe('a form of another site changes nothing', () => {
  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour under the same domain', { 'sec-fetch-site': 'same-site' }],
    ['another origin, of an old browser', { origin: 'https://evil.example' }],
    ['no origin at all', { origin: 'null' }],
  ])('sent by %s', async (_, headers) => {
    const visitor = await withCup()
    const [before, orders] = [(await visitor.get(`${SHOP}/cart`)).text, await orderCount()]
    const cookie = visitor.cookies.get('cart')
    for (const form of ['cart', 'cart/add', 'checkout/address', 'checkout/delivery', 'checkout/order'])
      expect(
        (await visitor.post(`${SHOP}/${form}`, { permalink: 'blue-cup', quantity: '1', coupon: 'TEN' }, headers)).status,
      ).toBe(403)
    expect(visitor.cookies.get('cart')).toBe(cookie)
    expect((await visitor.get(`${SHOP}/cart`)).text).toBe(before)
    expect(await orderCount()).toBe(orders)
  })

  test.each(['', 'x', 'of another cart'])('with the token %j', async (kind) => {
    const [visitor, stranger] = [await withCup(), await withCup()]
    const token = kind === 'of another cart' ? hidden((await stranger.get(`${SHOP}/cart`)).text, 'token') : kind
    for (const form of ['cart', 'checkout/address', 'checkout/delivery', 'checkout/order'])
      expect((await visitor.post(`${SHOP}/${form}`, { token, coupon: 'TEN' })).status).toBe(403)
    // A word: the random token of the form may have these letters.
    expect((await visitor.get(`${SHOP}/cart`)).text).not.toMatch(/\bTEN\b/)
  })

  test('with a cart of another shop, or none', async () => {
    const visitor = await withCup()
    expect((await visitor.get('/shops/another-shop/cart')).text).toContain('Your cart is empty')
    expect((await visitor.post('/shops/another-shop/cart', { coupon: 'TEN' })).status).toBe(403)
    expect((await aVisitor().post(`${SHOP}/checkout/order`, {})).status).toBe(403)
    expect((await aVisitor().get(`${SHOP}/checkout`)).headers.location).toBe(`${SHOP}/cart`)
  })
})

test('a price that changed after it was shown is shown again before anything is ordered', async () => {
  const visitor = await withCup()
  const text = await upToPayment(visitor)
  const orders = await orderCount()
  const price = (value: string) =>
    shop.merchant('mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { __typename } }', {
      id: shop.cup,
      input: { price: value },
    })
  await price('11')
  const refused = await visitor.post(`${SHOP}/checkout/order`, orderFields(text))
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('The total has changed in the meantime')
  expect(refused.text).toContain('Place order and pay €17.53')
  expect(await orderCount()).toBe(orders)
  await price('10')
  // An altered total is another one as well.
  expect((await visitor.post(`${SHOP}/checkout/order`, { ...orderFields(text), expected: '0' })).status).toBe(422)
  expect((await visitor.post(`${SHOP}/checkout/order`, { ...orderFields(text), expected: '-1' })).text).toContain(
    'Check the order once more',
  )
  expect(await orderCount()).toBe(orders)
})

test('a form that is sent twice at once orders once', async () => {
  const visitor = await withCup()
  const fields = orderFields(await upToPayment(visitor))
  const orders = await orderCount()
  const replies = await Promise.all([0, 1].map(() => visitor.post(`${SHOP}/checkout/order`, fields)))
  const places = new Set(replies.filter(({ status }) => status === 303).map(({ headers }) => headers.location))
  expect(places.size).toBe(1)
  expect(await orderCount()).toBe(orders + 1)
})

test('what was sold out in the meantime is said, and nothing is ordered', async () => {
  const visitor = await withCup()
  const fields = orderFields(await upToPayment(visitor))
  const stock = async (quantity: number) =>
    shop.merchant('mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { __typename } }', {
      id: shop.cup,
      input: { stock: quantity },
    })
  const before = await stockOfCup()
  await stock(0)
  const { status, text } = await visitor.post(`${SHOP}/checkout/order`, fields)
  expect(status).toBe(422)
  expect(text).toContain('Something is missing or not in stock any more.')
  await stock(before)
})

test('a payment that must be confirmed leads to the gateway, from the page of the order', async () => {
  // The gateway of the test wants 3-D Secure for amounts that end in .03.
  const cup = (input: object) =>
    shop.merchant('mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { __typename } }', {
      id: shop.cup,
      input,
    })
  await cup({ price: '8.9675' })
  const visitor = await withCup()
  const text = await upToPayment(visitor)
  expect(hidden(text, 'expected')).toMatch(/\.03$/)
  const placed = await visitor.post(`${SHOP}/checkout/order`, orderFields(text, 'Card'))
  await cup({ price: '10' })
  const order = placed.headers.location ?? ''
  expect((await visitor.get(order)).text).toMatch(
    /<a href="https:\/\/bank\.example\/confirm\/[^"]+"[^>]*>Pay now at bank\.example<\/a>/,
  )
  expect(placed.headers['content-security-policy'] ?? '').not.toContain('bank.example')
})

test('a payment that was refused can be made again from the page of the order', async () => {
  const visitor = await withCup()
  const text = await upToPayment(visitor)
  gateway.faults.refuse = 1
  const placed = await visitor.post(`${SHOP}/checkout/order`, orderFields(text, 'Card'))
  const order = placed.headers.location ?? ''
  expect((await visitor.get(order)).text).toContain('<button>Pay again</button>')
  expect((await visitor.post(`${order}/pay`, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await visitor.post(`${SHOP}/orders/${'x'.repeat(32)}/pay`, {})).status).toBe(404)
  const again = await visitor.post(`${order}/pay`, {})
  expect([again.status, again.headers.location]).toEqual([303, order])
  expect((await visitor.get(order)).text).toContain('This order is paid.')
  await giveBack(visitor, order)
})

test('the link of an abandoned cart puts its contents into a new one', async () => {
  const { made } = await shop.merchant(
    'mutation ($input: CreateOrderInput!) { made: createOrder(input: $input) { __typename ... on CreateOrderSuccess { order { recoveryUrl } } } }',
    { input: { status: 'ABANDONED', lines: [{ productId: shop.cup, quantity: 1 }] } },
  )
  const { pathname } = new URL(made.order.recoveryUrl)
  const visitor = aVisitor()
  const { text } = await visitor.get(pathname)
  expect(text).toContain('Put it into my cart again')
  // An order that was no cart has nothing to copy.
  const action = /<form method="post" action="([^"]*recover)"/.exec(text)?.[1] ?? ''
  expect((await visitor.post(action, {})).status).toBe(403)
  expect((await visitor.post(action, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})

test('who bought something reviews it once; it is shown when the merchant publishes it', async () => {
  const visitor = await withCup()
  const placed = await visitor.post(`${SHOP}/checkout/order`, orderFields(await upToPayment(visitor)))
  const order = placed.headers.location ?? ''
  const number = /Your order (\d+)/.exec((await visitor.get(order)).text)?.[1] ?? ''
  const send = (fields: Fields, headers = {}) => visitor.post(`${order}/review`, { product: productOf(), ...fields }, headers)
  let page = ''
  const productOf = () => hidden(page, 'product')
  expect((await send({ rating: '5' })).status).toBe(404)
  await shop.merchant('mutation ($id: ID!) { markOrderPaid(id: $id, input: {}) { __typename } }', { id: number })
  page = (await visitor.get(order)).text
  expect(page).toContain('<summary>Review Blue cup</summary>')
  for (const rating of ['', '0', '6', '1.5', HOSTILE]) {
    const { status, text } = await send({ rating, text: HOSTILE })
    expect([rating, status]).toEqual([rating, 422])
    expect(text).toContain('<p class="field-problem" id="rating-0-problem">Choose a rating.</p>')
    expect(text).not.toMatch(/<script>|<img src=x/)
  }
  expect((await send({ rating: '4', text: 'x'.repeat(5_001) })).text).toContain(
    'id="text-0-problem">Enter at most 5000 characters',
  )
  expect((await send({ rating: '4' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const results = await Promise.all([0, 1].map(() => send({ rating: '4', text: `Blue ${HOSTILE}` })))
  expect(results.map(({ status }) => status)).toEqual([303, 303])
  expect((await visitor.get(order)).text).toContain('Thank you for your review.')
  const product = () => visitor.get(`${SHOP}/products/blue-cup`)
  expect((await product()).text).not.toContain('4 of 5')

  const { productReviews } = await shop.merchant(
    '{ productReviews { nodes { id status rating productName orderNumber customerEmail } } }',
  )
  expect(productReviews.nodes).toEqual([
    expect.objectContaining({ status: 'UNREAD', rating: 4, orderNumber: Number(number), customerEmail: 'ana@example.org' }),
  ])
  const { id } = productReviews.nodes[0]
  await shop.merchant('mutation ($id: ID!) { moderateProductReview(id: $id, status: PUBLISHED) { __typename } }', { id })
  const { text } = await product()
  expect(text).toMatch(/<strong>4 of 5<\/strong>.*bought here/)
  expect(text).not.toMatch(/<script>|<img src=x|ana@example/)
  await shop.merchant('mutation ($id: ID!) { deleteProductReview(id: $id) { __typename } }', { id })
  expect((await product()).text).not.toContain('4 of 5')
})
