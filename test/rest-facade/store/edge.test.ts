import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askRaw } from '../ask.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
const lines: string[] = []
beforeAll(async () => {
  stack = await startStoreStack({ logTo: (line) => lines.push(line) })
})
afterAll(() => stack.close())

const basic = (login: string, token: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`,
})
const info = (query = '', headers: Record<string, string> = {}) =>
  stack.ask(`GET /store/info.json${query}`, { as: null, headers })

describe('credentials', () => {
  test('are read from HTTP Basic, from two headers, and from the query; a header counts more', async () => {
    const { login, authtoken, code } = stack.own
    const good = `?login=${login}&authtoken=${authtoken}`
    for (const [query, headers] of [
      ['', basic(login, authtoken)],
      ['', { 'x-login-key': login, 'x-auth-token': authtoken }],
      [good, {}],
      [`?login=${login}&auth_token=${authtoken}`, {}],
    ] as const) {
      const { status, json } = await info(query, headers)
      expect([query, status, json.code]).toEqual([query, 200, code])
    }
    expect((await info(good, basic(login, 'x'.repeat(32)))).status).toBe(401)
  })

  test('that are missing, wrong, truncated or not text are 401', async () => {
    const { login, authtoken } = stack.own
    for (const [query, headers] of [
      ['', {}],
      ['', basic(login, 'x'.repeat(32))],
      ['', basic(login, '')],
      ['', { authorization: 'Basic %%%' }],
      ['', { authorization: `Bearer ${authtoken}` }],
      ['', { 'x-login-key': login }],
      [`?authtoken=${authtoken}`, {}],
      [`?login=${login}&authtoken=%ff`, {}],
      [`?login=%00&authtoken=${authtoken}`, {}],
    ] as const) {
      expect([query, headers, (await info(query, headers)).status]).toEqual([query, headers, 401])
    }
  })

  test('are in no line of the log', async () => {
    const { login, authtoken } = stack.own
    await info(`?login=${login}&authtoken=${authtoken}`)
    await info('', { 'x-login-key': login, 'x-auth-token': authtoken })
    await info('', basic(login, authtoken))
    expect(lines.filter((line) => line.includes('/v1/store/info.json')).length).toBeGreaterThan(3)
    const secrets = [authtoken, Buffer.from(`${login}:${authtoken}`).toString('base64')]
    expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
  })

  test('are checked first: an invalid body of an unknown caller is 401', async () => {
    expect((await stack.ask('POST /categories.json', { as: null, body: '{' })).status).toBe(401)
    const headers = { 'content-type': 'text/plain' }
    expect((await stack.ask('POST /categories.json', { as: null, body: 'x', headers })).status).toBe(401)
  })
})

describe('paths', () => {
  test('a known path with another method is 405 with the methods that it has', async () => {
    for (const [on, allow] of [
      ['DELETE /categories.json', 'GET, HEAD, POST, OPTIONS'],
      ['PATCH /categories/1.json', 'GET, HEAD, PUT, DELETE, OPTIONS'],
      ['POST /categories/count.json', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ] as const) {
      const { status, headers, json } = await stack.ask(on)
      expect([on, status, headers.allow, Object.keys(json)]).toEqual([on, 405, allow, ['message']])
    }
    const { status, headers } = await stack.ask('OPTIONS /categories.json')
    expect([status, headers['access-control-allow-methods']]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  })

  test('an unknown path is 404 in JSON, and trust answers at its own paths', async () => {
    for (const path of ['/v1', '/v1/', '/v1/nothing', '/v1/categories', '/v1/categories/1', '/v1/%ff']) {
      const { status, headers } = await askRaw(stack.url, path)
      expect([path, status, headers['content-type']]).toEqual([
        path,
        path.endsWith('ff') ? 400 : 404,
        'application/json; charset=utf-8',
      ])
    }
    for (const path of ['/v1/usage', '/v1/decisions/x', '/v1/overrides', '/api/v1/usage']) {
      const { status, headers } = await askRaw(stack.url, path)
      expect([path, status, headers['content-type']]).toEqual([path, 401, 'application/problem+json'])
    }
    expect((await askRaw(stack.url, '/v1/decide')).status).toBe(405)
    expect((await askRaw(stack.url, '/v1/decide/openapi.json')).json.openapi).toBe('3.1.0')
    expect((await askRaw(stack.url, '/v1/openapi.json')).json.openapi).toBe('3.0.3')
  })

  test('ids that are no ids name nothing', async () => {
    for (const id of ['0', '-1', 'x', '1.5', '01', '2147483648', '12345678901234567890', '%00', 'x'.repeat(900)]) {
      const { status, json } = await stack.ask(`GET /categories/${id}.json`)
      expect([id, status]).toEqual([id, 404])
      expect(json.message).toContain('`id`')
    }
  })
})

describe('bodies', () => {
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    stack.ask('POST /categories.json', { body, headers })
  const count = async () => (await stack.ask('GET /categories/count.json')).json.count

  const BAD: readonly [why: string, body: string | Buffer, field: string | null][] = [
    ['nothing', '', null],
    ['no JSON', '{"category":', null],
    ['a list', '[]', null],
    ['a text', '"category"', null],
    ['null', 'null', null],
    ['no envelope', '{"name":"x"}', 'category'],
    ['a list as envelope', '{"category":[]}', 'category'],
    ['null as envelope', '{"category":null}', 'category'],
    ['no name', '{"category":{}}', 'category.name'],
    ['a number as name', '{"category":{"name":5}}', 'category.name'],
    ['an object as name', '{"category":{"name":{}}}', 'category.name'],
    ['null as name', '{"category":{"name":null}}', 'category.name'],
    ['a NUL', '{"category":{"name":"a\\u0000b"}}', 'category.name'],
    ['half of a surrogate pair', '{"category":{"name":"\\ud800"}}', 'category.name'],
    ['an id that is text', '{"category":{"name":"x","parent_id":"x"}}', 'category.parent_id'],
    ['an id of 0', '{"category":{"name":"x","parent_id":0}}', 'category.parent_id'],
    ['an id with a fraction', '{"category":{"name":"x","parent_id":1.5}}', 'category.parent_id'],
    ['an id of 20 digits', '{"category":{"name":"x","parent_id":12345678901234567890}}', 'category.parent_id'],
    ['an id of 1e400', '{"category":{"name":"x","parent_id":1e400}}', 'category.parent_id'],
    ['20,000 levels', `{"category":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, null],
    ['400,000 open objects', '{"a":'.repeat(160_000), null],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), null],
    ['two byte order marks', Buffer.from('\ufeff\ufeff{}'), null],
  ]
  test.each(BAD)('with %s are 400, and name the field', async (_, body, field) => {
    const before = await count()
    const { status, json } = await post(body)
    expect([status, json.errors && Object.keys(json.errors)]).toEqual([400, field === null ? undefined : [field]])
    expect(json.message).toMatch(/^Expected /)
    expect(await count()).toBe(before)
  })

  test('are refused for their depth before anything walks through them', async () => {
    const nested = (levels: number) => `{"category":{"name":"Deep","x":${'['.repeat(levels)}${']'.repeat(levels)}}}`
    expect((await post(nested(30))).status).toBe(200)
    for (const levels of [31, 20_000])
      expect((await post(nested(levels))).json.message).toBe('Expected a body that is nested at most 32 deep.')
    expect((await post(`{"category":{"name":"${'[{\\"'.repeat(40)}"}}`)).status).toBe(200)
  })

  test('are not validated when the resource does not exist', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await stack.ask('POST /nothing.json', { body: 'x'.repeat(2_000_000), headers })).status).toBe(404)
    expect((await stack.ask('DELETE /categories.json', { body: 'x', headers })).status).toBe(405)
  })

  test('with several faults get all of them', async () => {
    const { json } = await post('{"category":{"name":7,"parent_id":"x"}}')
    expect(json.errors).toEqual({
      'category.name': ['Expected `category.name` to be a text without NUL characters and unpaired surrogates, got 7.'],
      'category.parent_id': ['Expected `category.parent_id` to be a whole number from 1 to 2147483647, got "x".'],
    })
  })

  test('with unknown keys, __proto__ among them, are read without these', async () => {
    const { status } = await post(
      '{"category":{"name":"Known","colour":{"a":[1]},"__proto__":{"parent_id":"x"},"constructor":1},"more":1}',
    )
    expect(status).toBe(200)
  })

  test('of 2 MB are 413, and of another type 415', async () => {
    expect((await post(JSON.stringify({ category: { name: 'x'.repeat(2_000_000) } }))).status).toBe(413)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', 'x']) {
      expect([type, (await post('{"category":{"name":"x"}}', { 'content-type': type })).status]).toEqual([type, 415])
    }
    expect((await post('{"category":{"name":"Typed"}}', { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(200)
  })

  test('with headers that are no version and no key are 400', async () => {
    for (const [name, values] of Object.entries({
      'If-Match': ['x', '""', '"1", "2"', ''],
      'Idempotency-Key': ['k'.repeat(256), 'ü'],
    })) {
      for (const value of values) {
        const { status, json } = await stack.ask('PUT /categories/1.json', { body: { category: {} }, headers: { [name]: value } })
        expect([name, value, status, Object.keys(json.errors)]).toEqual([name, value, 400, [name]])
      }
    }
  })
})

test('HEAD is GET without a body, and a long answer is compressed when the client accepts that', async () => {
  const head = await askRaw(stack.url, '/v1/store/info.json', {
    method: 'HEAD',
    headers: basic(stack.own.login, stack.own.authtoken),
  })
  expect([head.status, head.text]).toEqual([200, ''])
  const packed = await askRaw(stack.url, '/v1/categories.json', {
    headers: { ...basic(stack.own.login, stack.own.authtoken), 'accept-encoding': 'gzip' },
  })
  expect(packed.headers.vary).toBe('Accept-Encoding')
})
