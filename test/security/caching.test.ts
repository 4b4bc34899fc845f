import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Atrium, basic, startAtrium } from './support/atrium.ts'

let atrium: Atrium
beforeAll(async () => {
  atrium = await startAtrium()
})
afterAll(() => atrium?.stop())

const requestCount = (query: string) => `/graphql?query=${encodeURIComponent(query)}`
const PREFLIGHTED = { 'apollo-require-preflight': '1' }
/** Everybody may be told the same. */
const PUBLIC = '{ skills(first: 1) { totalCount edges { node { name } } } }'

describe('what is kept for one', () => {
  test('is never returned to another caller, whatever else both send', async () => {
    const [ann, bob] = [await atrium.aUser('ann'), await atrium.aUser('bob')]
    const [one, other] = [await atrium.aStore('One'), await atrium.aStore('Other')]
    const callers: readonly (readonly [who: string, headers: Record<string, string>])[] = [
      ['ann', { authorization: `Bearer ${ann.token}` }],
      ['bob', { authorization: `Bearer ${bob.token}` }],
      ['one', basic(one)],
      ['other', basic(other)],
      ['one, as tools say it', { 'x-login-key': one.login, 'x-auth-token': one.authtoken }],
      ['ann and one', { authorization: `Bearer ${ann.token}`, 'x-login-key': one.login, 'x-auth-token': one.authtoken }],
      ['nobody', {}],
    ]
    // Questions that are public in part, of which each has an answer of its own.
    const questions = ['{ skills(first: 1) { totalCount } me { id } }', '{ skills(first: 1) { totalCount } store { code } }']
    const expected = new Map<string, string>()
    for (let round = 0; round < 3; round++) {
      for (const [who, headers] of callers) {
        const answers = await Promise.all(
          questions.map((question) => atrium.ask(requestCount(question), { headers: { ...PREFLIGHTED, ...headers } })),
        )
        const answer = JSON.stringify(answers.map(({ text }) => JSON.parse(text).data))
        expect([who, expected.get(who) ?? answer]).toEqual([who, answer])
        expected.set(who, answer)
      }
    }
    expect(expected.get('ann')).toContain(ann.id)
    expect(expected.get('bob')).toContain(bob.id)
    expect(expected.get('one')).toContain(one.code)
    expect(expected.get('other')).toContain(other.code)
    expect(expected.get('nobody')).not.toMatch(/"id"|"code"/)
  })

  test('is never returned to a caller whose credentials are equal only when concatenated', async () => {
    const first = { authorization: 'Bearer sk_a', 'x-api-key': 'sk_b' }
    const alike: readonly Record<string, string>[] = [
      { authorization: 'Bearer sk_asnk_b' },
      { authorization: 'Bearer sk_a', 'x-login-key': 'sk_b' },
      { 'x-api-key': 'Bearer sk_a', authorization: 'sk_b' },
      { authorization: 'Bearer sk_a,sk_b' },
      { 'x-login-key': 'a', 'x-auth-token': 'b' },
      { 'x-login-key': 'ab', 'x-auth-token': '' },
    ]
    const question = requestCount(`${PUBLIC} # alike`)
    const callers = [first, ...alike]
    const before = await fetches()
    for (const headers of callers) {
      const { headers: answer } = await atrium.ask(question, { headers: { ...PREFLIGHTED, ...headers } })
      expect(answer['cache-control']).toMatch(/private|no-store/)
    }
    // Each was asked for, and is told again to the same one only.
    expect((await fetches()) - before).toBe(callers.length)
    for (const headers of callers) await atrium.ask(question, { headers: { ...PREFLIGHTED, ...headers } })
    expect((await fetches()) - before).toBe(callers.length)
  })
})

/** How often the directory was asked so far. */
async function fetches(): Promise<number> {
  const { text } = await atrium.ask('/metrics')
  const counts = text.matchAll(/^atrium_subgraph_fetches_total\{[^}]*subgraph="directory"[^}]*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe('what is public', () => {
  const PATHS = [
    '/',
    '/search?q=postgres',
    '/skills/nothing',
    '/trust',
    '/schema',
    '/reference',
    '/sitemap.xml',
    '/feed.xml',
    '/llms.txt',
    '/api/skills?limit=1',
    '/api/stats',
    '/api/openapi.json',
    '/v1/openapi.json',
    '/.well-known/jwks.json',
    requestCount(PUBLIC),
  ]
  /**
   * Headers that a cache in front does not look at: an answer that is made of one poisons it for
   * everybody.
   */
  const UNKEYED: readonly Record<string, string>[] = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher', 'x-forwarded-port': '1' },
    { 'x-original-url': '/operations', 'x-rewrite-url': '/operations' },
    { 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE', 'x-method-override': 'DELETE' },
    { cookie: 'session=evil; lang="><script>' },
    { 'accept-language': 'xx-evil' },
    { 'user-agent': '"><script>alert(1)</script>' },
    { referer: 'https://evil.example/"><script>' },
    { 'x-request-id': 'evil-request' },
    { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'evil=1' },
    { origin: 'https://evil.example' },
    { dnt: '1', 'save-data': 'on', range: 'bytes=0-3' },
  ]

  test.each(PATHS)('%s is the same bytes, whatever the ignored headers are', async (path) => {
    const headers = path.startsWith('/graphql') ? PREFLIGHTED : {}
    const plain = await atrium.ask(path, { headers })
    for (const unkeyed of UNKEYED) {
      const poisoned = await atrium.ask(path, { headers: { ...headers, ...unkeyed } })
      expect([unkeyed, poisoned.status, poisoned.text]).toEqual([unkeyed, plain.status, plain.text])
      const cacheHeaders = ({ headers: { 'cache-control': control, etag, location, vary } }: typeof plain) => [
        control,
        etag,
        location,
        vary,
      ]
      expect([unkeyed, cacheHeaders(poisoned)]).toEqual([unkeyed, cacheHeaders(plain)])
    }
  })

  test('says on which headers it depends, the credentials among them', async () => {
    const { headers } = await atrium.ask(requestCount(PUBLIC), { headers: PREFLIGHTED })
    expect(headers['cache-control']).toMatch(/public/)
    for (const name of ['accept', 'authorization', 'x-api-key', 'x-login-key', 'x-auth-token'])
      expect(headers.vary?.toLowerCase()).toContain(name)
  })

  test('is never a refusal, nor an answer with restricted data', async () => {
    const store = await atrium.aStore()
    const replies = await Promise.all([
      atrium.ask('/v1/products.json', { headers: basic(store) }),
      atrium.ask('/v1/products.json'),
      atrium.ask('/v1/usage', { headers: { 'x-api-key': await atrium.aKey() } }),
      atrium.ask(requestCount('{ store { code } }'), { headers: { ...PREFLIGHTED, ...basic(store) } }),
      atrium.ask(requestCount('{ nothing }'), { headers: PREFLIGHTED }),
      atrium.ask('/console', { headers: { accept: 'text/html' } }),
      atrium.ask('/oauth/token/info'),
      atrium.ask('/operations'),
      atrium.ask('/api/skills?limit=x'),
    ])
    for (const { headers } of replies) expect(headers['cache-control'] ?? 'no-store').toMatch(/no-store|private/)
  })
})
