import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { GraphQLSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GetSkillDocument, GetStatsDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { serveDirectoryApi } from '../../rest-facade/directory/serve.ts'
import { route } from '../../rest-facade/http/route.ts'
import { askRaw } from './ask.ts'
import { startStack } from './stack.ts'

let stack: Awaited<ReturnType<typeof startStack>>
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

type Options = Parameters<typeof askRaw>[2]
const ask = (path: string, options?: Options) => askRaw(stack.url, path, options)
const askWith = (path: string, headers: Record<string, string>) => ask(path, { headers })

const PATHS = [
  '/api/search?q=postgres',
  '/api/mcp',
  '/api/mcp/owner3/server-8',
  '/api/plugins',
  '/api/plugins/market-1/plugin-5',
  '/api/skills',
  '/api/skills/skill-3',
  '/api/categories',
  '/api/stats',
  '/api/openapi.json',
  '/llms.txt',
]

describe('caching', () => {
  test.each(PATHS)('%s has a strong tag, may be kept by browsers and edges, and answers 304 to its tag', async (path) => {
    const { status, headers } = await ask(path)
    expect(status).toBe(200)
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/)
    expect(headers['cache-control']).toMatch(/^public, max-age=\d+, s-maxage=\d+, stale-while-revalidate=\d+$/)
    expect(headers.vary).toBe('Accept-Encoding')
    const again = await askWith(path, { 'if-none-match': headers.etag ?? '' })
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
    expect(again.headers).toMatchObject({
      etag: headers.etag,
      'cache-control': headers['cache-control'],
      vary: 'Accept-Encoding',
    })
    expect(again.headers['content-type']).toBeUndefined()
  })

  const conditions: [string, (tag: string) => string, number][] = [
    ['a weak form of it', (tag) => `W/${tag}`, 304],
    ['a list that holds it', (tag) => `"other", W/${tag}, "more"`, 304],
    ['a list without spaces', (tag) => `"other",${tag}`, 304],
    ['any tag', () => '*', 304],
    ['another tag', () => '"other"', 200],
    ['it without quotes', (tag) => tag.slice(1, -1), 200],
    ['a part of it', (tag) => `${tag.slice(0, 8)}"`, 200],
    ['nothing', () => '', 200],
    ['no tag at all', () => 'yesterday; *', 200],
  ]
  test.each(conditions)('If-None-Match with %s', async (_, condition, status) => {
    for (const path of ['/api/mcp?limit=3', '/api/openapi.json']) {
      const { headers } = await ask(path)
      expect((await askWith(path, { 'if-none-match': condition(headers.etag ?? '') })).status).toBe(status)
    }
  })

  test('`*` on an item that does not exist is 404, and a wrong parameter is 400 whatever the condition', async () => {
    expect((await askWith('/api/skills/no-such', { 'if-none-match': '*' })).status).toBe(404)
    const { headers } = await ask('/api/mcp')
    expect((await askWith('/api/mcp?limit=0', { 'if-none-match': headers.etag ?? '' })).status).toBe(400)
  })

  test('requests that mean the same have the same tag; every other difference changes it', async () => {
    const tag = async (path: string, headers = {}) => (await askWith(path, headers)).headers.etag
    const same = ['/api/mcp', '/api/mcp?limit=20', '/api/mcp?offset=0&limit=20', '/api/mcp?_=1', '/api/mcp?limit=%320']
    expect(new Set(await Promise.all(same.map((path) => tag(path)))).size).toBe(1)
    const different = [
      '/api/mcp',
      '/api/mcp?limit=19',
      '/api/mcp?offset=1',
      '/api/mcp?q=20',
      '/api/mcp?category=20',
      '/api/plugins',
      '/api/skills',
      '/api/mcp/a/b',
      '/api/stats',
    ]
    const tags = [
      ...(await Promise.all(different.map((path) => tag(path)))),
      await tag('/api/mcp', { 'accept-encoding': 'gzip' }),
      await tag('/api/mcp', { 'accept-encoding': 'br' }),
    ].filter(Boolean)
    expect(new Set(tags).size).toBe(tags.length)
  })

  test('a change of the data changes the tags of data, not those of texts', async () => {
    const before = await Promise.all(PATHS.map((path) => ask(path)))
    await stack.change()
    for (const [index, path] of PATHS.entries()) {
      const tag = before[index]?.headers.etag ?? ''
      const { status, headers } = await askWith(path, { 'if-none-match': tag })
      const isText = path === '/llms.txt' || path === '/api/openapi.json'
      expect([path, status, headers.etag === tag]).toEqual([path, isText ? 304 : 200, isText])
    }
  })

  test('an unknown item may be kept for a moment, other problems not at all', async () => {
    expect((await ask('/api/skills/no-such')).headers['cache-control']).toBe('public, max-age=30')
    expect((await ask('/api/mcp?limit=0')).headers['cache-control']).toBe('no-store')
    expect((await ask('/api/nothing')).headers['cache-control']).toBe('no-store')
    expect((await ask('/api/nothing')).headers.etag).toBeUndefined()
  })
})

describe('compression', () => {
  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0.1', 'br'],
  ])('Accept-Encoding: %s gets %s, with its own ETag and 304', async (accepted, coding) => {
    for (const path of ['/api/mcp?limit=50', '/api/openapi.json']) {
      const plain = await ask(path)
      const { headers, bytes } = await askWith(path, { 'accept-encoding': accepted })
      expect(headers['content-encoding']).toBe(coding)
      expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
      expect((coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString()).toBe(plain.text)
      expect(headers.etag).toMatch(/^"/)
      expect(headers.etag).not.toBe(plain.headers.etag)
      expect((await askWith(path, { 'accept-encoding': accepted, 'if-none-match': headers.etag ?? '' })).status).toBe(304)
      expect((await askWith(path, { 'accept-encoding': accepted, 'if-none-match': plain.headers.etag ?? '' })).status).toBe(200)
    }
  })
  test.each(['', 'identity', 'deflate', 'gzip;q=0', 'br;q=0, gzip;q=0', 'gzip;q=x', '*;q=0', ',;,=', 'zstd'])(
    'Accept-Encoding: %s gives plain text',
    async (accepted) => {
      const { headers, json } = await askWith('/api/mcp?limit=50', { 'accept-encoding': accepted })
      expect(headers['content-encoding']).toBeUndefined()
      expect(json.count).toBeGreaterThan(40)
    },
  )
  test('a short answer is not compressed', async () => {
    expect((await askWith('/api/stats', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined()
  })
})

describe('every answer can be read by any page', () => {
  test.each<[string, string, number, Options]>([
    ['data', '/api/mcp', 200, {}],
    ['a wrong parameter', '/api/mcp?limit=0', 400, {}],
    ['an unknown item', '/api/skills/no-such', 404, {}],
    ['an unknown path', '/api/no/such/path', 404, {}],
    ['the bare mount', '/api', 404, {}],
    ['another method', '/api/mcp', 405, { method: 'DELETE' }],
    ['another method on a text', '/llms.txt', 405, { method: 'POST' }],
    ['broken percent-encoding', '/api/skills/%zz', 400, {}],
    ['an endless address', `/api/mcp?${'x'.repeat(9000)}`, 414, {}],
    ['a match', '/api/mcp', 304, { headers: { 'if-none-match': '*' } }],
    ['HEAD', '/api/mcp', 200, { method: 'HEAD' }],
    ['a text', '/llms.txt', 200, {}],
    ['a preflight', '/api/mcp', 204, { method: 'OPTIONS' }],
    ['a preflight of an unknown path', '/api/none', 204, { method: 'OPTIONS' }],
    ['a preflight of a text', '/llms.txt', 204, { method: 'OPTIONS' }],
  ])('%s', async (_, path, status, options) => {
    const reply = await ask(path, { ...options, headers: { origin: 'https://elsewhere.example', ...options?.headers } })
    expect(reply.status).toBe(status)
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    expect(reply.headers['access-control-expose-headers']).toMatch(/\bETag\b.*\bLink\b/)
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    if (status >= 400) {
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(Object.keys(reply.json)).toEqual(['error'])
      expect(Object.keys(reply.json.error)).toEqual(['code', 'message', 'details'])
    }
    expect(reply.headers.link).toContain('<https://creativecommons.org/licenses/by/4.0/>; rel="license"')
  })

  test('a preflight allows conditional requests, for a day, and has no body', async () => {
    const { headers, text } = await ask('/api/mcp', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
    })
    expect(headers['access-control-allow-headers']?.split(', ')).toContain('If-None-Match')
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
    expect(headers['access-control-max-age']).toBe('86400')
    expect(text).toBe('')
  })

  test('other paths of the server are not opened', async () => {
    for (const path of ['/apix', '/', '/llms.txtx'])
      expect((await ask(path)).headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('methods', () => {
  test.each(PATHS)('HEAD %s has the headers of GET and no body', async (path) => {
    const get = await ask(path)
    const head = await ask(path, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'link'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]])
    expect((await ask(path, { method: 'HEAD', headers: { 'if-none-match': get.headers.etag ?? '' } })).status).toBe(304)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'])(
    '%s is 405 with Allow where a path exists and 404 elsewhere',
    async (method) => {
      for (const path of PATHS) {
        const { status, headers, json } = await ask(path, { method })
        expect([path, status, headers.allow, json.error.code]).toEqual([path, 405, 'GET, HEAD, OPTIONS', 'METHOD_NOT_ALLOWED'])
      }
      expect((await ask('/api/none', { method })).status).toBe(404)
    },
  )

  test('a body, whatever it holds, does not change that', async () => {
    for (const body of ['{', 'x'.repeat(200_000)]) {
      const { status } = await ask('/api/search?q=x', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
        body,
      })
      expect(status).toBe(405)
    }
    expect((await ask('/api/stats', { method: 'POST', headers: { 'content-type': 'what/ever' }, body: 'x' })).status).toBe(405)
  })
})

describe('hostile paths', () => {
  test.each([
    ['/api/skills/%', 400],
    ['/api/skills/%zz', 400],
    ['/api/skills/%C3%28', 400],
    ['/api/mcp/%E0%A4%A/x', 400],
    ['/api/skills/%00', 404],
    ['/api/skills/a%0Ab', 404],
    ['/api/mcp/a/b%00', 404],
    [`/api/skills/${'x'.repeat(513)}`, 404],
    [`/api/skills/${'x'.repeat(5000)}`, [404, 414]],
    [`/api/search?q=${'x'.repeat(10_000)}`, 414],
    [`/api/search?q=${'%00'.repeat(1000)}`, 400],
    [`/api/search?q=${'('.repeat(200)}`, 200],
    ['/api/search?q=%', 400],
    ['/api/search?q=%F0%9F%98', 400],
    ['/api/search?q=%ED%A0%80', 400],
    ['/api/search?q=%25%5F%2A%3F', 200],
    ['/api/search?q=.*(a%2B)%2B%24', 200],
    ['/api/search?q=%E2%80%AE', 200],
    ["/api/search?q='%20OR%201=1", 200],
    ['/api/search?', 400],
    ['/api/search??q=x', 400],
    ['/api/search?q=a?b&c=d#e', 200],
    ['/api/mcp/../stats', 404],
    ['/api/mcp/%2e%2e/stats', 404],
    ['/api/mcp/__proto__/constructor', 404],
    ['/api/skills/toString', 404],
    ['/api//mcp', 404],
    ['/api/mcp/', 404],
    ['/api/mcp/a', 404],
    ['/api/mcp/a/b/c', 404],
    ['/api/skills/', 404],
    ['/API/mcp', 404],
    ['/api/stats;x=1', 404],
    ['/api/openapi.yaml', 404],
    ['/llms.txt/', 404],
    ['/llms.txt/more', 404],
  ])('%s is answered, not with 5xx', async (path, expected) => {
    const { status, headers } = await ask(path)
    expect([expected].flat()).toContain(status)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('bytes that are no ASCII, and lines that are no HTTP, do not stop the next request', async () => {
    for (const line of [
      Buffer.from('GET /api/search?q=\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1'),
      Buffer.from('GET /api/mcp\0 HTTP/1.1\r\n\r\n'),
      Buffer.from(`GET /api/mcp?${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    ]) {
      const first = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(stack.url).port), '127.0.0.1', () => socket.write(line))
        socket.once('data', (data) => {
          resolve(data.toString('latin1').slice(0, 12))
          socket.destroy()
        })
        socket.once('error', reject)
      })
      expect(first).toMatch(/^HTTP\/1\.1 4\d\d|^HTTP\/1\.1 200/)
    }
    expect((await ask('/api/stats')).status).toBe(200)
  })
})

/** The rows of the directory know theirs. */
const NO_SCHEMA = new GraphQLSchema({})

describe('when the graph does not answer', () => {
  const serve = async (client: Partial<GatewayClient>) => {
    const app = Fastify()
    await serveDirectoryApi(
      app,
      { schema: NO_SCHEMA, prepare: async () => {}, run: async () => ({ data: null, errors: [] }), ...client },
      { publicUrl: 'http://x' },
    )
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, close: () => app.close() }
  }

  test.each<[string, GatewayClient['run'], number, string]>([
    [
      'an error of the graph is 503 without its words',
      async () => ({ data: null, errors: [{ message: 'secret host:5432' }] }),
      503,
      'UNAVAILABLE',
    ],
    ['no data is 503', async () => ({ data: null, errors: [] }), 503, 'UNAVAILABLE'],
    [
      'a refusal of the graph is 400',
      async () => ({ data: null, errors: [{ message: 'Too long.', extensions: { code: 'BAD_USER_INPUT' } }] }),
      400,
      'INVALID_PARAMETER',
    ],
    ['a fault of ours is 500 without its words', () => Promise.reject(new Error('secret')), 500, 'INTERNAL_SERVER_ERROR'],
  ])('%s', async (_, run, status, code) => {
    const server = await serve({ run })
    try {
      for (const headers of [{}, { 'if-none-match': '"x"' }]) {
        const reply = await askRaw(server.url, '/api/stats', { headers })
        expect([reply.status, reply.json.error.code]).toEqual([status, code])
        expect(reply.text).not.toContain('secret')
        expect(reply.headers['access-control-allow-origin']).toBe('*')
        expect(reply.headers['cache-control']).toBe('no-store')
        expect(reply.headers['retry-after']).toBe(status === 503 ? '2' : undefined)
      }
    } finally {
      await server.close()
    }
  })

  test('an operation that the graph cannot plan stops the start', async () => {
    const client: GatewayClient = {
      schema: NO_SCHEMA,
      prepare: () => Promise.reject(new Error('GetStats: no such field')),
      run: () => Promise.reject(new Error('unused')),
    }
    await expect(serveDirectoryApi(Fastify(), client, { publicUrl: 'http://x' })).rejects.toThrow('GetStats: no such field')
  })

  test('a matching condition reads the revision only', async () => {
    const operations: string[] = []
    const run = (async (document: { definitions: readonly { name?: { value: string } }[] }) => {
      operations.push(document.definitions[0]?.name?.value ?? '')
      return { data: { revision: { revision: '1' }, stats: { tools: 1 } }, errors: [] }
    }) as unknown as GatewayClient['run']
    const server = await serve({ run })
    try {
      const { headers } = await askRaw(server.url, '/api/stats')
      await askRaw(server.url, '/api/stats', { headers: { 'if-none-match': headers.etag ?? '' } })
      expect(operations).toEqual(['GetStats', 'GetRevision'])
    } finally {
      await server.close()
    }
  })
})

test('a row ties path, parameters and document to its code: of these lines, none compiles', () => {
  const slug = { on: 'GET /api/skills/{slug}', run: GetSkillDocument } as const
  const stats = { on: 'GET /api/stats', run: GetStatsDocument, variables: () => ({}) } as const
  const parameters = {
    limit: { kind: 'integer', min: 1, max: 2, default: 1 },
    source: { kind: 'enum', values: ['a', 'b'] },
  } as const
  const rows = () => [
    // @ts-expect-error The path has no such segment.
    route({ ...slug, variables: ({ path }) => ({ slug: path.name }), body: ({ skill }) => skill }),
    // @ts-expect-error The document has no such variable.
    route({ ...slug, variables: ({ path }) => ({ name: path.slug }), body: ({ skill }) => skill }),
    // @ts-expect-error The document does not select this.
    route({ ...slug, variables: ({ path }) => path, body: ({ skill }) => skill?.description }),
    // @ts-expect-error A number is no text.
    route({ ...stats, parameters, body: (_, { query }) => query.limit.trim() }),
    // @ts-expect-error Without a default it may be null.
    route({ ...stats, parameters, body: (_, { query }) => query.source.length }),
    // @ts-expect-error A list needs offset as well.
    route({ ...stats, parameters, page: () => ({ total: 0, results: [] }) }),
  ]
  expect(rows).toBeTypeOf('function')
})
