import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { outcomeCache } from '../../clients/guard/decision-cache.ts'
import { expressGuard } from '../../clients/guard/express.ts'
import { guardedFetch, TargetBlocked } from '../../clients/guard/fetch.ts'
import { type GuardOptions, trustGuard } from '../../clients/guard/guard.ts'
import { trustClient } from '../../clients/trust/client.ts'
import type { Decision } from '../../clients/trust/decision.ts'
import { startTrustStack } from '../rest-facade/trust-stack.ts'
import { aBadHost, aGoodHost } from '../subgraphs/trust/support/trust.ts'
import { frameworks, type Service, type ServiceOptions } from './support/frameworks.ts'
import { PATIENT_MS, startProxy, WRONG } from './support/proxy.ts'
import { REFUSED, UNPARSABLE } from './support/targets.ts'

const [GOOD, BAD, UNKNOWN, PERSON] = ['good-place.com', 'bad-place.com', 'unknown-place.com', 'hidden.onion']

let stack: Awaited<ReturnType<typeof startTrustStack>>
let proxy: Awaited<ReturnType<typeof startProxy>>
let apiKey: string
beforeAll(async () => {
  stack = await startTrustStack()
  stack.sources.setEvidence(GOOD, aGoodHost())
  stack.sources.setEvidence(BAD, aBadHost())
  proxy = await startProxy(stack.url)
})
beforeEach(async () => {
  proxy.be('up')
  apiKey = (await stack.aKey()).secret
})
afterAll(async () => {
  proxy.close()
  await stack.close()
})

/** Nobody listens on the discard port. */
const NOBODY = 'http://127.0.0.1:9'

describe.each(Object.entries(frameworks))('%s', (_, start) => {
  const services: Service[] = []
  afterEach(async () => {
    for (const service of services.splice(0)) await service.close()
  })
  async function aService(options: Partial<ServiceOptions> & Pick<ServiceOptions, 'fail'>) {
    const service = await start({ baseUrl: proxy.url, apiKey, timeoutMs: PATIENT_MS, ...options })
    services.push(service)
    const visit = async (query: string) => {
      const response = await fetch(`${service.url}/visit?${query}`)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
    }
    return { visit, visited: service.visited, url: service.url }
  }

  test('a domain without fault reaches the handler, a flagged one does not', async () => {
    const { visit, visited } = await aService({ fail: 'closed' })
    expect(await visit(`to=https://${GOOD}/a?b=c`)).toMatchObject({ status: 200, text: 'visited' })
    const blocked = await visit(`to=${BAD}`)
    expect(blocked.status).toBe(403)
    expect(blocked.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(blocked.json()).toMatchObject({
      status: 403,
      code: 'target_blocked',
      host: BAD,
      recommended_action: 'deny',
      reason_codes: expect.arrayContaining(['THREAT_FEED_MATCH']),
      decision_id: expect.stringMatching(/^dec_/),
    })
    expect((await visit(`to=${UNKNOWN}`)).json()).toMatchObject({ recommended_action: 'sandbox' })
    expect(visited).toEqual([`https://${GOOD}/a?b=c`])
  })

  test('a handler of the caller answers for its action, or lets the request through', async () => {
    const { visit, visited } = await aService({ fail: 'closed', isHandled: true })
    expect(await visit(`to=${UNKNOWN}`)).toMatchObject({ status: 202, text: '{"kind":"decided"}' })
    expect(await visit(`to=${PERSON}`)).toMatchObject({ status: 200, text: 'visited' })
    expect((await visit(`to=${BAD}`)).status).toBe(403)
    expect(visited).toEqual([PERSON])
  })

  test('a request without a target passes; a request with an invalid host is blocked, even when failures pass', async () => {
    const { visit, visited, url } = await aService({ fail: 'open' })
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(proxy.requests).toEqual([])
    for (const query of ['to=', 'to=not a host', 'to=javascript:alert(1)', `to=${GOOD}&to=${BAD}`, `to=${'a'.repeat(3000)}`]) {
      const { status, json } = await visit(query)
      expect([query, status, json().code]).toEqual([query, 422, 'target_invalid'])
    }
    expect(visited).toEqual([])
  })

  test('what the look for the target throws goes to the error handler', async () => {
    const { visit } = await aService({ fail: 'open' })
    expect(await visit('fail=1')).toMatchObject({ status: 500, text: 'caught' })
  })

  test.each([...WRONG, 'slow', 'down', 'wrong key'] as const)(
    'with Atrium "%s", open lets through and closed refuses',
    async (mood) => {
      const options = {
        // Long enough for an answer, short enough to wait for none.
        ...(mood === 'slow' && { timeoutMs: 100 }),
        ...(mood === 'down' && { baseUrl: NOBODY }),
        ...(mood === 'wrong key' && { apiKey: 'sk_nobody' }),
      }
      if (mood !== 'down' && mood !== 'wrong key') proxy.be(mood)
      const open = await aService({ ...options, fail: 'open' })
      expect(await open.visit(`to=${BAD}`)).toMatchObject({ status: 200, text: 'visited' })
      const closed = await aService({ ...options, fail: 'closed' })
      const refused = await closed.visit(`to=${GOOD}`)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, mood === 'too many' ? '77' : null])
      expect(refused.json()).toMatchObject({ code: 'target_unverified' })
      // Neither how Atrium fails, nor with which key.
      expect(refused.text).not.toMatch(/pool\.ts|sk_|127\.0\.0\.1|quota|ECONN/)
      expect(closed.visited).toEqual([])
    },
  )

  test('once Atrium is back, so are its decisions: failures are not kept', async () => {
    proxy.be('fault')
    const { visit } = await aService({ fail: 'closed' })
    expect((await visit(`to=${GOOD}`)).status).toBe(503)
    proxy.be('up')
    expect((await visit(`to=${GOOD}`)).status).toBe(200)
  })
})

describe('the part that all share', () => {
  const options = (given: Partial<GuardOptions<never>> = {}): GuardOptions<never> => ({
    baseUrl: proxy.url,
    apiKey,
    timeoutMs: PATIENT_MS,
    fail: 'closed',
    ...given,
  })

  test('sends one request for concurrent checks, and none while the decision is valid', async () => {
    const guard = trustGuard(options())
    const rulings = await Promise.all(Array.from({ length: 20 }, (_, index) => guard(`https://${GOOD}/page/${index}?q=${index}`)))
    expect(rulings.map((ruling) => ruling.passage)).toEqual(Array(20).fill('pass'))
    await guard(`https://${GOOD}`)
    expect(proxy.requests.length).toBe(1)
  })

  test('sends what a decision needs: no path, no query, no password', async () => {
    await trustGuard(options({ interaction: { kind: 'download_file' }, policy: 'strict' }))(
      `https://ann:secret@${GOOD}:8443/private?token=t#x`,
    )
    expect(proxy.requests.map(({ path, body, key }) => [path, JSON.parse(body), key])).toEqual([
      [
        '/v1/decide',
        {
          target: { type: 'url', value: `https://ann@${GOOD}:8443/` },
          interaction: { kind: 'download_file' },
          policy: { profile: 'strict' },
        },
        apiKey,
      ],
    ])
  })

  test('sends paths and queries when the caller allows it, with one request per URL', async () => {
    const guard = trustGuard(options({ sendPath: true }))
    for (const path of ['/a?b=1', '/a?b=1#part', '/c', `/${'long'.repeat(600)}`]) await guard(`https://ann:secret@${GOOD}${path}`)
    expect(proxy.requests.map(({ body }) => JSON.parse(body).target.value)).toEqual([
      `https://ann@${GOOD}/a?b=1`,
      `https://ann@${GOOD}/c`,
      `https://ann@${GOOD}/`,
    ])
  })

  test.each(UNPARSABLE)('of text that is no URL, no password and no path is sent: %j', async (target) => {
    await trustGuard(options())(target)
    expect(proxy.requests.map(({ body }) => body.replace('"user@', '').includes('secret'))).toEqual([false])
    await trustGuard(options({ sendPath: true }))(target)
    expect(proxy.requests.map(({ body }) => /:secret|#/.test(body))).toEqual([false, false])
  })

  test('a target with a forbidden character has one error, of Atrium and of this client, and is not sent', async () => {
    const guard = trustGuard(options({ fail: 'open' }))
    await guard('https://h.com/')
    const messages = new Set<string>()
    for (const target of REFUSED) {
      const reply = await fetch(`${stack.url}/v1/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({ target: { type: 'url', value: target } }),
      })
      const { errors } = (await reply.json()) as { errors: [{ pointer: string; code: string; message: string }] }
      expect([reply.status, errors[0].pointer, errors[0].code]).toEqual([422, '/target/value', 'control_character'])
      const found = await guard(target)
      const { outcome } = found
      if (outcome.kind !== 'invalid') throw new Error(`${JSON.stringify(target)} is ${outcome.kind}.`)
      expect(found.passage).toBe('block')
      for (const message of [errors[0].message, outcome.message]) messages.add(message)
    }
    expect([...messages]).toEqual(['target.value: Expected no control characters, and no blanks but those of ASCII at the ends.'])
    expect(proxy.requests).toHaveLength(1)
    const questions = ['h.com', '\ufeffh.com', 'not a host', 'h.\ncom', BAD].map((target) => ({ target }))
    const kinds = (await trustClient(options()).decideAll(questions)).map(({ kind }) => kind)
    expect(kinds).toEqual(['decided', 'invalid', 'invalid', 'invalid', 'decided'])
    expect(JSON.parse(proxy.requests[1]?.body ?? '').requests).toHaveLength(3)
  })

  test('keeps so many decisions and no more, those used last', async () => {
    const guard = trustGuard(options({ cacheEntries: 2 }))
    for (const host of [GOOD, BAD, GOOD, UNKNOWN, GOOD, BAD]) await guard(host)
    expect(proxy.requests.map(({ body }) => JSON.parse(body).target.value)).toEqual([GOOD, BAD, UNKNOWN, BAD])
    proxy.requests.length = 0
    const forgetful = trustGuard(options({ cacheEntries: 0 }))
    for (const host of [GOOD, GOOD]) await forgetful(host)
    expect(proxy.requests.length).toBe(2)
  })

  test.each([
    ['kept: by its own clock, an hour ahead of ours, it holds for a minute', 60, 60, 1],
    ['asked for again: by its own clock it held until now', 0, 3600, 3],
    ['asked for again: it gives no time', 60, 0, 3],
  ])('a decision is %s', async (_, secondsLeft, ttl_seconds, expected) => {
    let requestCount = 0
    const own = createServer((_request, response) => {
      requestCount += 1
      const now = Date.now() + 3_600_000
      const validity = { valid_until: new Date(now + secondsLeft * 1000).toISOString(), ttl_seconds }
      const decision = { recommended_action: 'proceed', action_confidence: 1, reason_codes: [] }
      // In whole seconds, as HTTP has it; rounded up, so that nothing is left of a zero.
      response.writeHead(200, { date: new Date(now + 999).toUTCString() })
      response.end(JSON.stringify({ request_id: 'dec_1', target: { normalized: GOOD }, decision, validity }))
    })
    await new Promise<void>((listening) => own.listen(0, '127.0.0.1', listening))
    const guard = trustGuard(options({ baseUrl: `http://127.0.0.1:${(own.address() as AddressInfo).port}` }))
    for (const _time of [1, 2, 3]) expect((await guard(GOOD)).passage).toBe('pass')
    expect(requestCount).toBe(expected)
    own.closeAllConnections()
    own.close()
  })

  test('a decision is kept for as long as it holds, and not a moment longer', () => {
    let now = 0
    const cache = outcomeCache(10, () => now)
    const decision = { freshSeconds: 60 } as Decision
    cache.set('a', { kind: 'decided', decision })
    now = 59_999
    expect(cache.get('a')).not.toBeNull()
    now = 60_000
    expect(cache.get('a')).toBeNull()
  })

  test('a caller that stops waiting does not cancel the answer for the others', async () => {
    const guard = trustGuard(options())
    const leaving = new AbortController()
    const [left, stayed] = [guard(GOOD, leaving.signal), guard(GOOD)]
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect((await stayed).passage).toBe('pass')
    expect(proxy.requests.length).toBe(1)
  })

  test('a redirect of Atrium is not followed: the key would go along', async () => {
    proxy.be('redirect')
    expect((await trustGuard(options())(GOOD)).outcome).toMatchObject({ kind: 'unverified', reason: 'failed' })
  })

  test('a key without remaining scans is reported to the caller as that', async () => {
    proxy.be('too many')
    expect((await trustGuard(options())(GOOD)).outcome).toMatchObject({ reason: 'rate_limited', retryAfterSeconds: 77 })
  })

  test.each([
    ['fail', { fail: undefined }],
    ['fail', { fail: 'maybe' }],
    ['actions', { actions: { allow: 'pass' } }],
    ['cacheEntries', { cacheEntries: -1 }],
    ['baseUrl', { baseUrl: 'atrium.example' }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'a\r\nb' }],
    ['timeoutMs', { timeoutMs: 0 }],
  ])('an invalid %s throws when the guard is created: %j', (name, wrong) => {
    expect(() => expressGuard({ ...options(), ...wrong, target: () => null } as never)).toThrow(
      new RegExp(`^Expected ${name} to be `),
    )
  })
})

describe('fetch', () => {
  /** A site on loopback under any name. */
  let site: { readonly port: number; readonly seen: string[]; readonly close: () => void }
  beforeAll(async () => {
    const seen: string[] = []
    const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
      const body = (await request.toArray()).join('')
      seen.push(`${request.method} ${url.hostname}${url.pathname} ${request.headers.authorization ?? '-'} ${body}`.trim())
      const to = url.searchParams.get('to')
      if (to) return void response.writeHead(Number(url.searchParams.get('status') ?? 302), { location: to }).end('elsewhere')
      response.end('here')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    site = {
      port: (server.address() as AddressInfo).port,
      seen,
      close: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  })
  afterAll(() => site.close())
  beforeEach(() => {
    site.seen.length = 0
  })

  /** Takes every name to loopback, as a resolver of the test's would. */
  const aFetch = (given: Partial<Parameters<typeof guardedFetch>[0]> = {}) =>
    guardedFetch({
      baseUrl: proxy.url,
      apiKey,
      timeoutMs: PATIENT_MS,
      fail: 'closed',
      fetch: async (request) => {
        const { hostname, pathname, search } = new URL(request.url)
        const headers = new Headers(request.headers)
        const at = new Request(`http://127.0.0.1:${site.port}/${hostname}${pathname}${search}`, new Request(request, { headers }))
        return fetch(at)
      },
      ...given,
    })
  const at = (host: string, path = '/') => `http://${host}${path}`

  test('sends what may pass, and nothing else', async () => {
    const guarded = aFetch()
    expect(await (await guarded(at(GOOD))).text()).toBe('here')
    const refused = await guarded(at(BAD)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(TargetBlocked)
    expect(refused).toMatchObject({ url: at(BAD), outcome: { kind: 'decided', decision: { action: 'deny' } } })
    expect(site.seen.length).toBe(1)
  })

  test('does not follow a redirect to where it would not have gone', async () => {
    await expect(aFetch()(at(GOOD, `/?to=${at(BAD, '/x')}`))).rejects.toThrow(TargetBlocked)
    expect(site.seen.map((line) => line.includes(BAD))).toEqual([false])
  })

  test('follows others as fetch does: method, body and credentials', async () => {
    stack.sources.setEvidence('other-place.com', aGoodHost())
    const send = { method: 'POST', body: 'text', headers: { authorization: 'a' } }
    const guarded = aFetch()
    await guarded(at(GOOD, `/?status=307&to=/same`), send)
    await guarded(at(GOOD, `/?status=308&to=${at('other-place.com')}`), send)
    await guarded(at(GOOD, `/?status=303&to=/same`), send)
    expect(site.seen.map((line) => line.replace(/127\.0\.0\.1\//, ''))).toEqual([
      `POST ${GOOD}/ a text`,
      `POST ${GOOD}/same a text`,
      `POST ${GOOD}/ a text`,
      `POST other-place.com/ - text`,
      `POST ${GOOD}/ a text`,
      `GET ${GOOD}/same a`,
    ])
    await expect(guarded(at(GOOD, `/?to=${encodeURIComponent('/?to=/loop')}`), { redirect: 'error' })).rejects.toThrow(TypeError)
    expect((await guarded(at(GOOD, '/?to=/x'), { redirect: 'manual' })).status).toBe(302)
    await expect(guarded(at(GOOD, '/?to=file:///etc/passwd'))).rejects.toThrow(TypeError)
    await expect(guarded(at(GOOD, `/?to=${encodeURIComponent(`/?to=${encodeURIComponent('/?to=x')}`)}`))).resolves.toBeDefined()
  })

  test('a handler of the caller answers instead of the target', async () => {
    const guarded = aFetch({ actions: { sandbox: (request) => new Response(`instead of ${request.url}`) } })
    expect(await (await guarded(at(UNKNOWN))).text()).toBe(`instead of ${at(UNKNOWN)}`)
    expect(site.seen).toEqual([])
  })

  test.each(['slow', 'garbage', 'fault', 'too many', 'down'] as const)(
    'with Atrium "%s", open sends and closed rejects',
    async (mood) => {
      if (mood !== 'down') proxy.be(mood)
      const given = { timeoutMs: 100, ...(mood === 'down' && { baseUrl: NOBODY }) }
      expect((await aFetch({ ...given, fail: 'open' })(at(BAD))).status).toBe(200)
      await expect(aFetch(given)(at(GOOD))).rejects.toMatchObject({ name: 'TargetBlocked', outcome: { kind: 'unverified' } })
      expect(site.seen.length).toBe(1)
    },
  )

  test('stops on abort', async () => {
    proxy.be('slow')
    await expect(aFetch()(at(GOOD), { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(site.seen).toEqual([])
  })
})
