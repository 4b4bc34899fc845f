import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createHttpServer } from '../../platform/http/server.ts'
import { acknowledged } from '../gateway/support/transports.ts'
import { type Atrium, basic, OPERATIONS_TOKEN, type Reply, startAtrium } from './support/atrium.ts'

let atrium: Atrium
beforeAll(async () => {
  atrium = await startAtrium({ PUBLIC_URL: 'https://atrium.example/base' })
})
afterAll(() => atrium?.stop())

const html = { accept: 'text/html' }

/** Every kind of page, and what else a browser can be led to. */
const PAGES: readonly {
  readonly page: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly method?: string
  readonly body?: string
}[] = [
  { page: 'home', path: '/' },
  { page: 'search', path: '/search?q=postgres' },
  { page: 'search that finds nothing', path: '/search?q=%3Cscript%3Ealert(1)%3C/script%3E' },
  { page: 'an address that cannot be read', path: '/search?page=x' },
  { page: 'a skill that is none', path: '/skills/nothing-like-it' },
  { page: 'trust', path: '/trust' },
  { page: 'a decision', path: '/trust?domain=example.com' },
  { page: 'the schema', path: '/schema' },
  { page: 'a type of the schema', path: '/schema/Product' },
  { page: 'the reference', path: '/reference' },
  { page: 'the reference of the store', path: '/reference/store' },
  { page: 'the explorer', path: '/graphql' },
  { page: 'a shop that is none', path: '/shops/nothing-like-it' },
  { page: 'sign-in of the console', path: '/console' },
  { page: 'a form of the console from nowhere', path: '/console/sign-in', method: 'POST', body: 'login=a&authtoken=b' },
  { page: 'consent without a request', path: '/authorize/none' },
  { page: 'an app that is none', path: '/oauth/authorize?client_id=x' },
  { page: 'operations', path: '/operations', headers: { authorization: `Basic ${btoa(`a:${OPERATIONS_TOKEN}`)}` } },
  { page: 'nowhere', path: '/nowhere/at/all' },
]

const ask = ({ path, headers, method, body }: (typeof PAGES)[number]) =>
  atrium.ask(path, {
    ...(method && { method }),
    ...(body && { body }),
    headers: { ...html, ...(body && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
  })

describe('pages', () => {
  test.each(PAGES)('$page runs no foreign script, cannot be framed, and has a fixed content type', async (page) => {
    const reply = await ask(page)
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    // Where there is nothing to show, the browser is sent on.
    if (reply.status >= 300 && reply.status < 400) return
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = reply.headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).toMatch(/form-action '(self|none)'/)
    expect(policy).not.toMatch(/script-src[^;]*('unsafe|\*|http:|data:)/)
    expect(reply.headers['referrer-policy']).toMatch(/^(same-origin|no-referrer)$/)
    expect(reply.headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(reply.text).not.toContain('<script>alert(1)')
    // A script without an address would stand inside of the page; data is none.
    const inside = [...reply.text.matchAll(/<script([^>]*)>/g)].filter(
      ([, attributes = '']) => !/src=|application\/ld\+json/.test(attributes),
    )
    expect(inside).toEqual([])
    expect(reply.text).not.toMatch(/\son\w+="/)
  })

  test('pages of sign-in, consent and operations are not cached', async () => {
    for (const page of PAGES.filter(({ path }) => /console|authorize|operations|domain=/.test(path))) {
      const { headers } = await ask(page)
      expect([page.page, headers['cache-control']]).toEqual([page.page, expect.stringContaining('no-store')])
    }
  })

  test('cookies belong to this host, to https and to no script', async () => {
    const { rawHeaders } = await atrium.ask('/console', { headers: html })
    const cookies = rawHeaders.filter((line) => line.includes('console-visit'))
    expect(cookies.length).toBe(1)
    expect(cookies[0]).toMatch(/^__Host-/)
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/']) expect(cookies[0]).toContain(attribute)
  })
})

/** Where an address of this server stands in the answer. */
const ADDRESSED = [
  '/',
  '/search?q=postgres',
  '/console',
  '/sitemap.xml',
  '/feed.xml',
  '/robots.txt',
  '/opensearch.xml',
  '/llms.txt',
  '/api/openapi.json',
  '/api/skills?limit=1',
  '/v1/openapi.json',
  '/v1/decide/openapi.json',
  '/v1/nothing.json',
  '/v1/products.json',
  '/swagger.json',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/v1',
  '/.well-known/agent-skills/index.json',
  '/mcp/directory/server.json',
  '/mcp/store',
  '/oauth/authorize?client_id=x',
  '/nowhere',
]

describe('a request under a foreign host name', () => {
  const EVIL = 'evil.example'
  const POISONED: readonly Record<string, string>[] = [
    { host: EVIL },
    { 'x-forwarded-host': EVIL },
    { forwarded: `host=${EVIL};proto=http` },
    { 'x-original-host': EVIL, 'x-host': EVIL, 'x-forwarded-server': EVIL, 'x-http-host-override': EVIL },
    { 'x-forwarded-prefix': `//${EVIL}`, 'x-original-url': `/${EVIL}`, 'x-rewrite-url': `/${EVIL}` },
    { origin: `https://${EVIL}` },
  ]

  test.each(ADDRESSED)('does not find it in what %s says', async (path) => {
    for (const headers of POISONED) {
      const { text, rawHeaders } = await atrium.ask(path, { headers })
      // Who is allowed is told which origin; nothing else repeats it.
      const cacheHeaders = rawHeaders.filter(
        (line, index) => rawHeaders[index - 1]?.toLowerCase() !== 'access-control-allow-origin' && line.includes(EVIL),
      )
      expect([headers, cacheHeaders]).toEqual([headers, []])
      // Programs are told what was refused; their answers are JSON, and kept by nobody.
      if (!path.startsWith('/mcp/')) expect(text).not.toContain(EVIL)
    }
  })

  test('reaches tools under no name but ours, and from no page but ours', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const accept = 'application/json, text/event-stream'
    for (const headers of [{ host: EVIL }, { host: `${EVIL}:80` }, { origin: `https://${EVIL}` }, { origin: 'null' }])
      expect(
        (await atrium.ask('/mcp/directory', { body, headers: { accept, ...headers } as Record<string, string> })).status,
      ).toBe(403)
  })
})

describe('the name of the server', () => {
  /** None, and more than one. */
  const TWICE = [
    '',
    'host: localhost\r\nhost: localhost\r\n',
    'host: localhost\r\nHost: evil.example\r\n',
    'x: y\r\nHOST: localhost\r\naccept: */*\r\nhost:\r\n',
  ]
  test.each(['/', '/health', '/graphql', '/v1/products.json', '/api/stats', '/mcp/directory', '/oauth/authorize', '/nowhere'])(
    'may occur once: two at %s are rejected, whatever their values',
    async (path) => {
      for (const hosts of TWICE) {
        for (const version of hosts === '' ? ['1.1'] : ['1.1', '1.0']) {
          const answer = await atrium.raw(`GET ${path} HTTP/${version}\r\n${hosts}connection: close\r\n\r\n`)
          expect(answer).toMatch(/^HTTP\/1\.1 400 /)
          expect(answer).not.toContain('evil.example')
        }
      }
    },
  )

  test('may occur once on a WebSocket upgrade, too', async () => {
    for (const hosts of TWICE.slice(1)) {
      const answer = await atrium.raw(
        `GET /graphql HTTP/1.1\r\n${hosts}upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${btoa('x'.repeat(16))}\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('Expected one host header')
    }
  })

  test.each(['/', '/search', '/console', '/authorize/x', '/graphql', '/api/stats', '/v1/products.json', '/mcp/directory'])(
    'a body in another coding is refused as such at %s',
    async (path) => {
      const { status } = await atrium.ask(path, { headers: { ...html, 'content-encoding': 'gzip' } })
      expect(status).toBe(415)
    },
  )

  test('with https, every response has Strict-Transport-Security', async () => {
    const PATHS = [
      '/',
      '/graphql',
      '/api/stats',
      '/v1/products.json',
      '/nowhere',
      '/%',
      '/health',
      '/oauth/authorize?client_id=x',
    ]
    for (const path of [...PATHS, `/mcp/${'x'.repeat(2_000)}`]) {
      const { headers } = await atrium.ask(path, { headers: html })
      expect([path, headers['strict-transport-security']]).toEqual([path, 'max-age=31536000'])
    }
    for (const publicUrl of [undefined, 'http://localhost:4000']) {
      const app = createHttpServer({ log: pino({ level: 'silent' }), publicUrl })
      expect((await app.inject('/health')).headers['strict-transport-security']).toBeUndefined()
      await app.close()
    }
  })
})

describe('bytes between requests', () => {
  const POST = (path: string, type: string, headers: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${headers}\r\n${body}`
  const SMUGGLED = 'GET /health HTTP/1.1\r\nhost: localhost\r\nx: '
  const ENDPOINTS = [
    ['/graphql', 'application/json'],
    ['/v1/products.json', 'application/json'],
    ['/v1/decide', 'application/json'],
    ['/mcp/directory', 'application/json'],
    ['/oauth/token', 'application/x-www-form-urlencoded'],
    ['/console/sign-in', 'application/x-www-form-urlencoded'],
    ['/authorize/x', 'application/x-www-form-urlencoded'],
  ] as const

  /** Requests of which a proxy in front may see another end than we do. */
  const ENDS: readonly { readonly why: string; readonly of: (path: string, type: string) => string }[] = [
    {
      why: 'two lengths',
      of: (path, type) => POST(path, type, `content-length: 2\r\ncontent-length: ${2 + SMUGGLED.length}\r\n`, `{}${SMUGGLED}`),
    },
    {
      why: 'two lengths in one',
      of: (path, type) => POST(path, type, `content-length: 2, ${2 + SMUGGLED.length}\r\n`, `{}${SMUGGLED}`),
    },
    {
      why: 'a length and chunks',
      of: (path, type) => POST(path, type, 'content-length: 5\r\ntransfer-encoding: chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
    },
    {
      why: 'chunks with a blank before the colon',
      of: (path, type) => POST(path, type, 'content-length: 5\r\ntransfer-encoding : chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
    },
    {
      why: 'chunks of another name',
      of: (path, type) => POST(path, type, 'transfer-encoding: xchunked\r\n', `0\r\n\r\n${SMUGGLED}`),
    },
    {
      why: 'chunks, twice',
      of: (path, type) =>
        POST(path, type, 'transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n', `0\r\n\r\n${SMUGGLED}`),
    },
    {
      why: 'chunks, folded',
      of: (path, type) =>
        POST(
          path,
          type,
          'x: y\r\n transfer-encoding: chunked\r\ncontent-length: 5\r\ncontent-length: 6\r\n',
          `0\r\n\r\n${SMUGGLED}`,
        ),
    },
    { why: 'a length with a sign', of: (path, type) => POST(path, type, 'content-length: +2\r\n', `{}${SMUGGLED}`) },
    { why: 'a length in hexadecimal', of: (path, type) => POST(path, type, 'content-length: 0x2\r\n', `{}${SMUGGLED}`) },
    {
      why: 'lines that end without a carriage return',
      of: (path, type) => `POST ${path} HTTP/1.1\nhost: localhost\ncontent-type: ${type}\ncontent-length: 0\n\n`,
    },
    {
      why: 'a carriage return inside of a value',
      of: (path, type) => POST(path, type, `x: a\rcontent-length: 0\r\ncontent-length: ${SMUGGLED.length}\r\n`, SMUGGLED),
    },
  ]

  test.each(ENDS)('$why: no endpoint answers twice, and the connection ends', async ({ of }) => {
    for (const [path, type] of ENDPOINTS) {
      const answer = await atrium.raw(of(path, type))
      expect([path, answer.match(/HTTP\/1\.1 /g)?.length]).toEqual([path, 1])
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer.toLowerCase()).toContain('connection: close')
    }
  })

  test('a line break in a path, a query or a value becomes no header of an answer', async () => {
    const broken = 'a%0d%0ax-injected:%20yes%0d%0a%0d%0a<h1>'
    const paths = [
      `/${broken}`,
      `/search?q=${broken}`,
      `/search?page=${broken}`,
      `/console/${broken}`,
      `/skills/${broken}`,
      `/mcp/${broken}/${broken}`,
      `/api/skills/${broken}?q=${broken}`,
      `/v1/products.json?page=${broken}`,
      `/v1/decisions/${broken}`,
      `/files/public/${broken}`,
      `/oauth/authorize?client_id=${broken}&redirect_uri=${broken}&state=${broken}`,
      `/authorize/${broken}`,
      `/graphql?query=${broken}`,
    ]
    const values = [{ 'x-request-id': 'a\tb' }, { origin: 'https://a b' }, { 'accept-language': 'x;\ty' }]
    for (const path of paths) {
      for (const headers of [{}, ...values]) {
        const { rawHeaders } = await atrium.ask(path, { headers: { ...html, ...headers } as Record<string, string> })
        expect([path, rawHeaders.filter((line) => /x-injected|[\r\n]/i.test(line))]).toEqual([path, []])
      }
    }
  })

  test('forms of OAuth are as bounded as other bodies', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const { status } = await atrium.ask('/oauth/token', {
        method: 'POST',
        body: 'a='.padEnd(300_000, 'x'),
        headers: { 'content-type': type },
      })
      expect([type, status >= 400 && status < 500]).toEqual([type, true])
    }
  })
})

describe('paths that climb', () => {
  const UP = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '%c0%ae%c0%ae', '%e0%80%ae%e0%80%ae', '....', '..;', '\u2025']
  const SEPARATORS = ['/', '%2f', '%5c', '\\', '%252f', '//', '%c0%af']
  const BELOW = ['/files/', '/files/public/', '/files/private/', '/assets/', '/api/', '/v1/', '/mcp/', '/.well-known/', '/']
  const WANTED = [['etc', 'passwd'], ['.secret'], ['package.json'], ['postgres', 'PG_VERSION'], ['.env']]

  test.each(BELOW)('below %s lead to no file', async (below) => {
    for (const up of UP) {
      for (const separator of SEPARATORS) {
        for (const wanted of WANTED) {
          const path = below + Array(6).fill(up).join(separator) + separator + wanted.join(separator)
          if (/[^\x20-\x7e]/.test(path)) continue
          const { status, text } = await atrium.ask(path)
          expect([path, status >= 400 && status < 500]).toEqual([path, true])
          expect(text).not.toMatch(/root:|"dependencies"|^[0-9a-f]{64}$/m)
        }
      }
    }
  })

  test('as whole addresses, or with more slashes, lead to no other server', async () => {
    for (const path of ['//evil.example/', '/\\evil.example', '/%5cevil.example', '///evil.example/..', 'http://evil.example/']) {
      const { headers } = await atrium.ask(path, { headers: html })
      expect([path, headers.location ?? '']).toEqual([path, expect.not.stringMatching(/^(https?:)?[/\\]{2}evil/)])
    }
  })
})

describe('pages of other sites', () => {
  const EVIL = 'https://evil.example'
  const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', undefined]

  test('no answer anywhere lets a page of another site send credentials that a browser keeps', async () => {
    const paths = [
      '/graphql',
      '/api/skills',
      '/v1/products.json',
      '/v1/decide',
      '/mcp/directory',
      '/oauth/token',
      '/oauth/token/info',
      '/console',
      '/operations',
      '/health',
      '/.well-known/jwks.json',
      '/nowhere',
    ]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { headers } = await atrium.ask(path, { method, headers: { origin: EVIL, 'access-control-request-method': 'POST' } })
        expect([method, path, headers['access-control-allow-credentials']]).toEqual([method, path, undefined])
        // To name the origin is as much as to name all, if no cache tells it to another.
        const allowed = headers['access-control-allow-origin'] ?? '*'
        if (allowed !== '*')
          expect([method, path, allowed, headers.vary?.toLowerCase()]).toEqual([
            method,
            path,
            EVIL,
            expect.stringContaining('origin'),
          ])
      }
    }
  })

  test('a cross-site form changes nothing, although the browser adds the stored password', async () => {
    const store = await atrium.aStore()
    const headers = { ...basic(store), origin: EVIL, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const product = JSON.stringify({ product: { name: 'Forged', price: 1 } })
    const mutation = JSON.stringify({ query: 'mutation { createProduct(input: { name: "Forged", price: "1" }) { __typename } }' })
    const statuses: Reply['status'][] = []
    for (const type of FORMS) {
      const typed = { ...headers, 'content-type': type ?? '' }
      statuses.push((await atrium.ask('/v1/products.json', { body: product, headers: typed })).status)
      statuses.push((await atrium.ask('/v1/products.json', { body: `${product}=`, headers: typed })).status)
      statuses.push((await atrium.ask('/graphql', { body: mutation, headers: typed })).status)
      statuses.push(
        (
          await atrium.ask(`/graphql?query=${encodeURIComponent(JSON.parse(mutation).query)}`, {
            method: 'POST',
            body: '',
            headers: typed,
          })
        ).status,
      )
      statuses.push((await atrium.ask('/mcp/store', { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', headers: typed })).status)
    }
    for (const type of FORMS) {
      const streamed = { ...headers, accept: 'text/event-stream', 'content-type': type ?? '' }
      for (const body of [mutation, '']) {
        const { status } = await atrium.ask(`/graphql?query=${encodeURIComponent(JSON.parse(mutation).query)}`, {
          method: 'POST',
          body,
          headers: streamed,
        })
        expect([type, status >= 400]).toEqual([type, true])
      }
    }
    // A link, a picture, and an EventSource, which says so unasked.
    for (const accept of ['*/*', 'text/event-stream']) {
      for (const query of [JSON.parse(mutation).query, '{ store { code } }', 'subscription { userCreated { name } }']) {
        const options = { headers: { ...headers, accept, 'sec-fetch-site': 'cross-site' } }
        statuses.push((await atrium.ask(`/graphql?query=${encodeURIComponent(query)}`, options)).status)
      }
    }
    expect(statuses.filter((status) => status < 400)).toEqual([])
    expect((await atrium.ask('/v1/products/count.json', { headers: basic(store) })).json).toEqual({ count: 0 })
  })

  test('a cross-site WebSocket is anonymous, although the browser adds the stored password', async () => {
    const store = await atrium.aStore('Hijacked')
    const options = async (origin: string | undefined, headers: Record<string, string>, params: object = {}) => {
      const socket = new WebSocket(`ws://127.0.0.1:${atrium.port}/graphql`, 'graphql-transport-ws', {
        ...(origin && { origin }),
        headers,
      })
      const { ask: over } = await acknowledged(socket, params)
      const answer = JSON.stringify(await over({ query: '{ store { code } }' }))
      socket.terminate()
      return answer.includes(store.code)
    }
    const own = `http://127.0.0.1:${atrium.port}`
    for (const origin of [EVIL, 'null', `http://127.0.0.1:${atrium.port + 1}`, `${own}.evil.example`])
      for (const cookie of ['', '__Host-console=x'])
        expect([origin, await options(origin, { ...basic(store), cookie })]).toEqual([origin, false])
    // Programs say no origin, our own pages say ours, and who has the credentials may send them
    // from anywhere.
    expect(await options(undefined, basic(store))).toBe(true)
    expect(await options(own, basic(store))).toBe(true)
    expect(await options(EVIL, {}, basic(store))).toBe(true)
  })

  test('no cross-site form is accepted, and none starts or ends a session', async () => {
    for (const path of ['/console/sign-in', '/console/sign-out', '/console/access', '/authorize/x']) {
      const { status, rawHeaders } = await atrium.ask(path, {
        method: 'POST',
        body: 'login=a&authtoken=b&understood=yes&do=allow&token=x',
        headers: { origin: EVIL, 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
      })
      // Cookies that only our own pages send are missing: to end a session, it has to be there.
      expect([path, status === 303 || (status >= 400 && status < 500)]).toEqual([path, true])
      expect(rawHeaders.filter((line) => line.includes('__Host-console='))).toEqual([])
    }
  })
})
