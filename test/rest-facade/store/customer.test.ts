import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const lines: string[] = []
let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack({ logTo: (line) => void lines.push(line) })
})
afterAll(() => stack.close())

const aCustomer = async (customer: Record<string, unknown>, as = stack.own) =>
  (await stack.ask('POST /customers.json', { as, body: { customer } })).json.customer
const aCategory = async (name: string, as = stack.own) =>
  (await stack.ask('POST /customer_categories.json', { as, body: { customer_category: { name } } })).json.customer_category
const emails = (list: { customer: { email: string } }[]) => list.map(({ customer }) => customer.email)

test('customers are created, read, listed, counted, changed and deleted', async () => {
  const shop = await stack.aStore()
  const ask: typeof stack.ask = (on, options) => stack.ask(on, { as: shop, ...options })
  expect((await ask('GET /customers.json')).json).toEqual([])
  const made = await ask('POST /customers.json', {
    body: {
      customer: {
        email: 'Ana.Dias+shop@example.org',
        phone: '912345678',
        password: 'correct horse',
        status: 'pending',
        accepts_marketing: true,
        billing_address: { name: 'Ana', surname: 'Dias', taxid: '1', city: 'Porto', country: 'PT' },
      },
    },
  })
  expect(made.status).toBe(200)
  const { customer } = made.json
  expect(customer).toEqual({
    id: expect.any(Number),
    email: 'Ana.Dias+shop@example.org',
    phone: '912345678',
    fullname: 'Ana Dias',
    status: 'pending',
    accepts_marketing: true,
    accepted_marketing_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
    cancelled_marketing_at: null,
    shipping_address: null,
    billing_address: {
      name: 'Ana',
      surname: 'Dias',
      taxid: '1',
      address: null,
      city: 'Porto',
      postal: null,
      municipality: null,
      region: null,
      country: 'PT',
    },
    customer_categories: [],
    customer_additional_fields: [],
  })
  expect(made.text).not.toContain('correct horse')
  expect((await ask(`GET /customers/${customer.id}.json`)).json).toEqual({ customer })
  expect((await ask('GET /customers.json')).json).toEqual([{ customer }])
  expect((await ask('GET /customers/count.json')).text).toBe('{"count":1}')

  const body = { customer: { shipping_address: { address: 'Rua 1' }, status: 'approved', phone: null } }
  const changed = await ask(`PUT /customers/${customer.id}.json`, { body })
  expect(changed.json.customer).toMatchObject({
    ...customer,
    status: 'approved',
    phone: null,
    shipping_address: { name: null, address: 'Rua 1' },
  })
  expect((await ask(`DELETE /customers/${customer.id}.json`)).text).toBe('"OK"')
  for (const on of ['GET', 'DELETE']) expect((await ask(`${on} /customers/${customer.id}.json`)).status).toBe(404)
})

test('a customer is found by e-mail address in any case: on its own path, and as a filter of the list', async () => {
  const { id } = await aCustomer({ email: 'Find.Me+1@mail.example.org' })
  for (const spelled of ['Find.Me+1@mail.example.org', 'find.me%2B1%40MAIL.example.org']) {
    const found = await stack.ask(`GET /customers/email/${spelled}.json`)
    expect([found.status, found.json.customer?.id]).toEqual([200, id])
  }
  expect((await stack.ask('GET /customers/email/nobody@example.org.json')).status).toBe(404)
  expect((await stack.ask(`GET /customers/email/${'x'.repeat(400)}.json`)).status).toBe(404)
  expect((await stack.ask('GET /customers/email/%00.json')).status).toBe(404)
  expect(emails((await stack.ask('GET /customers.json?email=FIND.ME%2B1@mail.example.org')).json)).toEqual([
    'Find.Me+1@mail.example.org',
  ])
  expect((await stack.ask('GET /customers.json?email=nobody@example.org')).json).toEqual([])
})

test('search finds by name and phone in either order, and all for an empty query', async () => {
  const as = await stack.aStore()
  await aCustomer({ email: 'a@x.org', billing_address: { name: 'José' } }, as)
  await aCustomer({ email: 'b@x.org', shipping_address: { name: 'JOSE', surname: '100%' } }, as)
  const find = async (query: string) => emails((await stack.ask(`GET /customers/search.json?${query}`, { as })).json)
  expect(await find('query=jose')).toEqual(['a@x.org', 'b@x.org'])
  expect(await find('query=jose&order=desc')).toEqual(['b@x.org', 'a@x.org'])
  expect(await find('query=&limit=1&page=2')).toEqual(['b@x.org'])
  expect(await find('query=0%25')).toEqual(['b@x.org'])
  expect(await find('query=_')).toEqual([])
  for (const wrong of ['query=jose&order=up', `query=${'x'.repeat(201)}`, 'order=asc']) {
    expect([wrong, (await stack.ask(`GET /customers/search.json?${wrong}`, { as })).status]).toEqual([wrong, 400])
  }
})

test('of four concurrent customers with one address one is created, and the others fail with the field', async () => {
  const as = await stack.aStore()
  const replies = await Promise.all(
    ['one@x.org', 'ONE@x.org', 'One@x.org', 'one@X.org'].map((email) =>
      stack.ask('POST /customers.json', { as, body: { customer: { email } } }),
    ),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  expect(Object.keys(replies.find(({ status }) => status === 400)?.json.errors)).toEqual(['customer.email'])
  expect((await stack.ask('GET /customers/count.json', { as })).json).toEqual({ count: 1 })
})

test('customer_category is written as ids, and customer_categories are read as objects', async () => {
  const [gold, blue] = [await aCategory('Gold'), await aCategory('Blue')]
  const customer = await aCustomer({ email: 'gold@example.org', customer_category: [gold.id, String(blue.id)] })
  expect(customer.customer_categories).toEqual([{ customer_category: gold }, { customer_category: blue }])
  const put = (customer_category: unknown) =>
    stack.ask(`PUT /customers/${customer.id}.json`, { body: { customer: { customer_category } } })
  expect((await put([{ id: blue.id }])).json.customer.customer_categories).toEqual([{ customer_category: blue }])
  expect((await put([])).json.customer.customer_categories).toEqual([])
  expect((await put([2147483647])).status).toBe(404)
  const wrong = await put(['gold'])
  expect([wrong.status, Object.keys(wrong.json.errors)]).toEqual([400, ['customer.customer_category.0']])
})

test('customer categories are created, read, listed, renamed and deleted, and customers put into them by id or address', async () => {
  const as = await stack.aStore()
  const ask: typeof stack.ask = (on, options) => stack.ask(on, { as, ...options })
  const category = await aCategory('Very important', as)
  expect(category).toEqual({ id: expect.any(Number), name: 'Very important', code: 'very-important' })
  expect((await ask('GET /customer_categories.json')).json).toEqual([{ customer_category: category }])
  const path = `/customer_categories/${category.id}`
  const renamed = await ask(`PUT ${path}.json`, { body: { customer_category: { name: 'VIP' } } })
  expect(renamed.json.customer_category).toEqual({ ...category, name: 'VIP' })
  expect((await ask(`GET ${path}.json`)).json).toEqual(renamed.json)

  const [ann, bea] = [await aCustomer({ email: 'ann@x.org' }, as), await aCustomer({ email: 'bea@x.org' }, as)]
  const added = await ask(`POST ${path}/customers.json`, {
    body: { customers: [{ id: ann.id, email: 'ann@x.org' }, { email: 'BEA@x.org' }] },
  })
  expect(emails(added.json)).toEqual(['ann@x.org', 'bea@x.org'])
  expect(added.json[0].customer.customer_categories).toEqual([renamed.json])
  expect(emails((await ask(`GET ${path}/customers.json?limit=1&page=2`)).json)).toEqual(['bea@x.org'])
  expect((await ask(`POST ${path}/customers.json`, { body: { customers: [{ id: 2147483647 }] } })).status).toBe(404)
  const nobody = await ask(`POST ${path}/customers.json`, { body: { customers: [{}] } })
  expect([nobody.status, Object.keys(nobody.json.errors)]).toEqual([400, ['customers.0']])

  expect((await ask(`DELETE ${path}/customers/${bea.id}.json`)).text).toBe('"OK"')
  expect((await ask(`DELETE ${path}/customers/${bea.id}.json`)).status).toBe(404)
  expect(emails((await ask(`GET ${path}/customers.json`)).json)).toEqual(['ann@x.org'])
  expect((await ask(`DELETE ${path}.json`)).text).toBe('"OK"')
  expect((await ask(`GET ${path}/customers.json`)).status).toBe(404)
  expect((await ask('GET /customers/count.json')).json).toEqual({ count: 2 })
})

test('fields of a customer answer questions of the checkout, with and without .json', async () => {
  const question = {
    label: 'Size',
    type: 'select',
    area: 'billing_shipping',
    required: true,
    custom_field_select_options: ['S', 'M'],
  }
  const options = await stack.ask('POST /checkout_custom_fields.json', { body: { checkout_custom_field: question } })
  const { id: questionId } = options.json.checkout_custom_field
  expect(options.json.checkout_custom_field).toEqual({ id: questionId, ...question, position: 1, deletable: true })
  expect((await stack.ask(`GET /checkout_custom_fields/${questionId}.json`)).json).toEqual(options.json)
  expect((await stack.ask('GET /checkout_custom_fields.json?limit=1')).json).toEqual([options.json])

  const [customer, other] = [await aCustomer({ email: 'fields@example.org' }), await aCustomer({ email: 'other@example.org' })]
  const path = `/customers/${customer.id}/fields`
  const fill = (value: unknown) =>
    stack.ask(`POST ${path}`, { body: { customer_additional_field: { value, checkout_custom_field_id: questionId } } })
  const refused = await fill('XL')
  expect([refused.status, refused.json.errors]).toEqual([
    400,
    { 'customer_additional_field.value': ['Expected `customer_additional_field.value` to be one of S, M, got "XL".'] },
  ])
  const made = await fill('M')
  const field = made.json.customer_additional_field
  expect(field).toEqual({
    id: expect.any(Number),
    label: 'Size',
    value: 'M',
    area: 'billing_shipping',
    customer_id: customer.id,
    checkout_custom_field_id: questionId,
  })
  expect((await fill('S')).status).toBe(400)
  for (const spelled of [path, `${path}.json`]) expect((await stack.ask(`GET ${spelled}`)).json).toEqual([made.json])
  expect((await stack.ask(`GET /customers/${customer.id}.json`)).json.customer.customer_additional_fields).toEqual([made.json])

  for (const spelled of [`${path}/${field.id}`, `${path}/${field.id}.json`]) {
    expect((await stack.ask(`GET ${spelled}`)).json).toEqual(made.json)
    const body = { customer_additional_field: { value: 'S', checkout_custom_field_id: questionId } }
    expect((await stack.ask(`PUT ${spelled}`, { body })).json.customer_additional_field).toEqual({ ...field, value: 'S' })
    await stack.ask(`PUT ${spelled}`, { body: { customer_additional_field: { value: 'M' } } })
  }
  const elsewhere = `/customers/${other.id}/fields/${field.id}`
  expect((await stack.ask(`GET ${elsewhere}`)).status).toBe(404)
  expect((await stack.ask(`PUT ${elsewhere}`, { body: { customer_additional_field: { value: 'S' } } })).status).toBe(404)
  expect((await stack.ask(`DELETE ${elsewhere}`)).status).toBe(404)
  expect((await stack.ask(`DELETE ${path}/${field.id}`)).text).toBe('"OK"')
  expect((await stack.ask(`GET ${path}`)).json).toEqual([])
  expect((await stack.ask('GET /customers/2147483647/fields')).status).toBe(404)
})

test('a checkout custom field that is not deletable stays until it is', async () => {
  const fields = { label: 'Keep', type: 'checkbox', area: 'contact', deletable: false }
  const { id } = (await stack.ask('POST /checkout_custom_fields.json', { body: { checkout_custom_field: fields } })).json
    .checkout_custom_field
  expect((await stack.ask(`DELETE /checkout_custom_fields/${id}.json`)).status).toBe(400)
  const body = { checkout_custom_field: { deletable: true, label: 'Go' } }
  expect((await stack.ask(`PUT /checkout_custom_fields/${id}.json`, { body })).json.checkout_custom_field.label).toBe('Go')
  expect((await stack.ask(`DELETE /checkout_custom_fields/${id}.json`)).text).toBe('"OK"')
  const wrong = { label: 'x', type: 'slider', custom_field_select_options: 'no list' }
  const refused = await stack.ask('POST /checkout_custom_fields.json', { body: { checkout_custom_field: wrong } })
  expect([refused.status, Object.keys(refused.json.errors).sort()]).toEqual([
    400,
    ['checkout_custom_field.custom_field_select_options', 'checkout_custom_field.type'],
  ])
})

test('nothing of another store is found by any operation', async () => {
  const as = await stack.aStore()
  const customer = await aCustomer({ email: 'tenant@example.org' })
  const category = await aCategory('Tenant')
  const question = { checkout_custom_field: { label: 'Tenant', type: 'text', area: 'other' } }
  const { id: questionId } = (await stack.ask('POST /checkout_custom_fields.json', { body: question })).json.checkout_custom_field
  const answer = { customer_additional_field: { value: 'x', checkout_custom_field_id: questionId } }
  const { id: fieldId } = (await stack.ask(`POST /customers/${customer.id}/fields`, { body: answer })).json
    .customer_additional_field
  const theirs = await aCustomer({ email: 'tenant@example.org' }, as)

  const requests: [string, unknown?][] = [
    [`GET /customers/${customer.id}.json`],
    [`PUT /customers/${customer.id}.json`, { customer: { phone: '1' } }],
    [`DELETE /customers/${customer.id}.json`],
    [`GET /customers/${customer.id}/fields`],
    [`POST /customers/${customer.id}/fields`, answer],
    [`POST /customers/${theirs.id}/fields`, answer],
    [`GET /customers/${customer.id}/fields/${fieldId}`],
    [`GET /customers/${theirs.id}/fields/${fieldId}`],
    [`PUT /customers/${customer.id}/fields/${fieldId}`, answer],
    [`DELETE /customers/${customer.id}/fields/${fieldId}`],
    [`GET /customer_categories/${category.id}.json`],
    [`PUT /customer_categories/${category.id}.json`, { customer_category: { name: 'x' } }],
    [`DELETE /customer_categories/${category.id}.json`],
    [`GET /customer_categories/${category.id}/customers.json`],
    [`POST /customer_categories/${category.id}/customers.json`, { customers: [{ id: theirs.id }] }],
    [`DELETE /customer_categories/${category.id}/customers/${customer.id}.json`],
    [`GET /checkout_custom_fields/${questionId}.json`],
    [`PUT /checkout_custom_fields/${questionId}.json`, question],
    [`DELETE /checkout_custom_fields/${questionId}.json`],
  ]
  for (const [on, body] of requests) expect([on, (await stack.ask(on, { as, body })).status]).toEqual([on, 404])
  expect((await stack.ask('GET /customers/email/tenant@example.org.json', { as })).json.customer.id).toBe(theirs.id)
})

test('an idempotency key creates once, and an old version is a conflict', async () => {
  const body = { customer: { email: 'key@example.org', password: 'correct horse' } }
  const headers = { 'idempotency-key': 'customer-1' }
  const replies = await Promise.all(Array.from({ length: 8 }, () => stack.ask('POST /customers.json', { body, headers })))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  const [{ id }] = replies.map(({ json }) => json.customer) as [{ id: number }]
  const change = (phone: string) =>
    stack.ask(`PUT /customers/${id}.json`, { body: { customer: { phone } }, headers: { 'if-match': '"1"' } })
  expect((await Promise.all([change('1'), change('2')])).map(({ status }) => status).sort()).toEqual([200, 409])
})

test.each([
  ['{', ''],
  ['[]', ''],
  ['{"customer":[]}', 'customer'],
  ['{"customer":{"email":7}}', 'customer.email'],
  ['{"customer":{"email":null}}', 'customer.email'],
  ['{"customer":{}}', 'customer.email'],
  ['{"customer":{"email":"a\\u0000@x.org"}}', 'customer.email'],
  ['{"customer":{"email":"a\\ud800@x.org"}}', 'customer.email'],
  ['{"customer":{"email":"h@x.org","status":"gone"}}', 'customer.status'],
  ['{"customer":{"email":"h@x.org","password":"short"}}', 'customer.password'],
  ['{"customer":{"email":"h@x.org","shipping_address":"here"}}', 'customer.shipping_address'],
  ['{"customer":{"email":"h@x.org","shipping_address":{"city":{}}}}', 'customer.shipping_address.city'],
  ['{"customer":{"email":"h@x.org","customer_category":[1e400]}}', 'customer.customer_category.0'],
  ['{"customer":{"email":"h@x.org","customer_category":[12345678901234567890]}}', 'customer.customer_category.0'],
  [`{"customer":{"email":"h@x.org","billing_address":{"name":"${'x'.repeat(201)}"}}}`, 'customer.billing_address.name'],
  [`{"customer":${'['.repeat(20_000)}`, ''],
])('the body %.80s is refused, and nothing is written', async (body, field) => {
  const refused = await stack.ask('POST /customers.json', { body })
  expect([refused.status, Object.keys(refused.json.errors ?? { '': [] })]).toEqual([400, [field]])
  expect((await stack.ask('GET /customers/email/h@x.org.json')).status).toBe(404)
})

test('no password is ever logged', () => {
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.filter((line) => line.includes('correct horse'))).toEqual([])
})
