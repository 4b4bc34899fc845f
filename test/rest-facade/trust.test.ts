import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { trustRoutes } from '../../rest-facade/trust/routes.ts'
import { aBadHost, aGoodHost, type TestKey } from '../subgraphs/trust/support/trust.ts'
import type { Reply } from './ask.ts'
import { breaches, contract } from './trust-contract.ts'
import { PUBLIC_URL, startTrustStack } from './trust-stack.ts'

const ROOM = join(import.meta.dirname, '../../rest-facade/trust')
let stack: Awaited<ReturnType<typeof startTrustStack>>
let key: TestKey
/** Every answer of a test, by the row that gave it: all of them must keep the contract. */
let answers: { on: string; reply: Reply }[] = []
beforeAll(async () => {
  stack = await startTrustStack()
  stack.sources.setEvidence('example.com', aGoodHost())
  stack.sources.setEvidence('bad.example.net', aBadHost())
})
afterAll(() => stack.close())
beforeEach(async () => {
  key = await stack.aKey()
  answers = []
})
afterEach(() => {
  for (const { on, reply } of answers) expect([on, reply.status, breaches(on, reply)]).toEqual([on, reply.status, []])
})

async function send(on: string, body?: unknown, { as = key as TestKey | null, headers = {} } = {}): Promise<Reply> {
  const reply = await stack.send(on, as, body, headers)
  const [method = '', path = ''] = on.split(' ')
  const row = trustRoutes.find(({ method: own, path: pattern, aliases }) =>
    [pattern, ...aliases].some(
      (each) => own === method && new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
    ),
  )
  if (row) answers.push({ on: `${row.method} ${row.path}`, reply })
  return reply
}
const decide = (body: unknown) => send('POST /v1/decide', body)

describe('the contract', () => {
  test('is valid OpenAPI 3.1, with the address at which it is served', async () => {
    const { status, json, headers } = await stack.send('GET /v1/decide/openapi.json', null)
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const { valid, errors } = await new Validator().validate(structuredClone(json))
    expect([valid, errors]).toEqual([true, undefined])
    expect([json.openapi, json.servers[0].url]).toEqual(['3.1.0', PUBLIC_URL])
  })

  test('names the same operations as the rows and the operation files', () => {
    const files = readdirSync(ROOM, { withFileTypes: true, recursive: true })
      .filter(({ name }) => name.endsWith('.graphql'))
      .filter(({ parentPath, name }) => /^(query|mutation) /.test(readFileSync(join(parentPath, name), 'utf8')))
      .map(({ name }) => basename(name, '.graphql'))
    const rows = trustRoutes.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`)
    const documented = Object.entries<Record<string, { operationId: string }>>(contract.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    expect(documented.sort()).toEqual([...rows, 'getTrustOpenApi GET /v1/decide/openapi.json'].sort())
    expect(files.sort()).toEqual(trustRoutes.map(({ operationId }) => operationId).sort())
  })
})

describe('a decision', () => {
  test('has the short and the long form at once', async () => {
    const { status, json, headers } = await decide({ domain: 'Example.COM.' })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      target: { type: 'domain', value: 'Example.COM.', normalized: 'example.com' },
      interaction: { kind: 'fetch', mode: 'read_only', sensitivity: 'medium' },
      policy_applied: { profile: 'balanced' },
      recommended_action: 'proceed',
    })
    expect(json.decision.recommended_action).toBe(json.recommended_action)
    expect([json.decision.reason_codes, json.signals]).toEqual([json.reason_codes, json.reason_codes])
    expect(json.confidence).toBe(json.decision.action_confidence)
    expect(Date.parse(json.validity.valid_until) - Date.parse(json.validity.evaluated_at)).toBe(json.validity.ttl_seconds * 1000)
    expect(headers['cache-control']).toMatch(/^private, max-age=\d+$/)
    expect(headers.vary).toBe('Accept-Encoding, Authorization, X-API-Key')
  })

  test('is the same in both forms and at all addresses, but for its id', async () => {
    const long = {
      target: { type: 'domain', value: 'example.com' },
      interaction: { kind: 'fetch', mode: 'read_only', sensitivity: 'medium' },
      policy: { profile: 'balanced' },
      options: { include_evidence: true },
    }
    const replies = [
      await decide({ domain: 'example.com' }),
      await decide(long),
      await decide({ ...long, domain: 'example.com', future: [1] }),
      await send('POST /decide', { domain: 'example.com' }),
      await send('POST /api/v1/decide', { domain: 'example.com' }),
      await send('POST /v1/decide', { domain: 'example.com' }, { as: null, headers: { authorization: `Bearer ${key.secret}` } }),
    ]
    const bodies = replies.map(({ status, json: { request_id, ...rest } }) => JSON.stringify([status, rest]))
    expect(new Set(bodies).size).toBe(1)
    expect(new Set(replies.map(({ json }) => json.request_id)).size).toBe(replies.length)
  })

  test('denies what two feeds list, with the deciding reasons first', async () => {
    const { json } = await decide({ domain: 'bad.example.net' })
    expect([json.recommended_action, json.state]).toEqual(['deny', 'clear_threat'])
    expect(json.reason_codes.slice(0, 4)).toContain('MULTIPLE_FEED_MATCH')
    expect(json.evidence.highlights[0].impact).toBe('negative')
  })

  test('has no evidence when none is requested', async () => {
    const { json } = await decide({ domain: 'example.com', options: { include_evidence: false } })
    expect(json).not.toHaveProperty('evidence')
  })

  test.each([
    ['a URL', { target: { type: 'url', value: 'https://example.com/path?q=1' } }, 'example.com'],
    ['a URL that says it is a domain', { target: { type: 'domain', value: ' https://Example.com:8443/x ' } }, 'example.com'],
    ['a target without a type', { target: { value: 'example.com' } }, 'example.com'],
    ['letters beyond ASCII', { domain: 'bücher.example.com' }, 'xn--bcher-kva.example.com'],
    ['an address', { domain: '2130706433' }, '127.0.0.1'],
    ['localhost', { domain: 'localhost' }, 'localhost'],
  ])('reads %s', async (_, body, host) => {
    const { status, json } = await decide(body)
    expect([status, json.target?.normalized]).toEqual([200, host])
  })

  test('private addresses and names in special use are never looked up', async () => {
    const before = stack.sources.requestedHosts.length
    for (const domain of ['127.0.0.1', '[::1]', 'localhost', 'printer.local', '169.254.169.254', 'x.onion']) {
      const { json } = await decide({ domain })
      expect([domain, json.state]).toEqual([domain, 'structural'])
    }
    expect(stack.sources.requestedHosts.slice(before)).toEqual([])
  })
})

describe('problems', () => {
  const PROBLEMS: readonly [why: string, body: unknown, status: number, code: string, pointers: readonly string[] | null][] = [
    ['no JSON', '{', 400, 'invalid_json', null],
    ['an empty body', '', 400, 'invalid_json', null],
    ['a list', '[]', 400, 'invalid_json', null],
    ['null', 'null', 400, 'invalid_json', null],
    ['a string', '"example.com"', 400, 'invalid_json', null],
    ['deep JSON', '['.repeat(30_000), 400, 'invalid_json', null],
    ['nothing to decide about', {}, 422, 'validation_failed', ['/domain']],
    ['no text', { domain: 5 }, 422, 'validation_failed', ['/domain']],
    ['null as domain', { domain: null }, 422, 'validation_failed', ['/domain']],
    ['blanks', { domain: '  ' }, 422, 'validation_failed', ['/domain']],
    ['no host', { domain: 'not a host' }, 422, 'validation_failed', ['/domain']],
    ['a foreign scheme', { target: { type: 'url', value: 'ftp://example.com' } }, 422, 'validation_failed', ['/target/value']],
    ['a target without value', { target: { type: 'url' } }, 422, 'validation_failed', ['/target/value']],
    ['a long name', { domain: `${'a'.repeat(3000)}.com` }, 422, 'validation_failed', ['/domain']],
    ['half a character', '{"domain":"\\ud800.com"}', 422, 'validation_failed', ['/domain']],
    ['forms that disagree', { domain: 'a.com', target: { value: 'b.com' } }, 422, 'validation_failed', ['/domain']],
    [
      'several unknown words',
      { domain: 'example.com', interaction: { kind: 'hug', mode: 'x' }, policy: { profile: 'Balanced' } },
      422,
      'validation_failed',
      ['/interaction/kind', '/interaction/mode', '/policy/profile'],
    ],
    [
      'a word of a prototype',
      { domain: 'example.com', policy: { profile: '__proto__' } },
      422,
      'validation_failed',
      ['/policy/profile'],
    ],
    ['a policy in a word', { domain: 'example.com', policy: 'strict' }, 422, 'validation_failed', ['/policy']],
  ]
  test.each(PROBLEMS)('%s is rejected with a message and a field', async (_, body, status, code, pointers) => {
    const reply = await decide(body)
    expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/problem+json'])
    expect(reply.json).toMatchObject({
      type: 'about:blank',
      status,
      code,
      instance: '/v1/decide',
      request_id: reply.headers['x-request-id'],
    })
    expect(reply.json.errors?.map(({ pointer }: { pointer: string }) => pointer) ?? null).toEqual(pointers)
    expect(reply.json.detail).toMatch(/^\S.*\.$/s)
    // An answer to a known caller says what is left.
    expect(reply.headers.ratelimit).toMatch(/^"scans";r=150;t=\d+$/)
  })

  test('an unknown word is answered with the known ones', async () => {
    const { json } = await decide({ domain: 'example.com', interaction: { kind: 'hug' } })
    expect(json.errors).toEqual([
      {
        pointer: '/interaction/kind',
        code: 'invalid_value',
        message:
          'Expected `interaction.kind` to be one of navigate, fetch, enrich, download_file, submit_credentials, initiate_payment, got "hug".',
      },
    ])
  })

  test.each([
    ['no key', null, {}, 'api_key_missing'],
    ['a key that nobody has', null, { 'x-api-key': 'sk_none' }, 'api_key_invalid'],
    ['a bearer that nobody has', null, { authorization: 'Bearer sk_none' }, 'api_key_invalid'],
  ])('%s is 401, whatever the body', async (_, as, headers, code) => {
    for (const body of [{ domain: 'example.com' }, {}, '{']) {
      const reply = await send('POST /v1/decide', body, { as, headers })
      expect([reply.status, reply.json.code, reply.headers['www-authenticate']]).toEqual([401, code, 'Bearer realm="atrium"'])
      expect(reply.headers.ratelimit).toBeUndefined()
    }
  })

  test('too much, the wrong type, the wrong method and the wrong path have their status', async () => {
    const large = await decide({ domain: 'x'.repeat(70_000) })
    expect([large.status, large.json.code]).toEqual([413, 'payload_too_large'])
    const form = await send('POST /v1/decide', 'domain=example.com', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([form.status, form.json.code]).toEqual([415, 'unsupported_media_type'])
    for (const path of ['/v1/decide', '/decide', '/api/v1/decide']) {
      const get = await stack.send(`GET ${path}`, key)
      expect([get.status, get.json.code, get.headers.allow]).toEqual([405, 'method_not_allowed', 'POST, OPTIONS'])
    }
    const put = await stack.send('PATCH /v1/overrides/example.com', key, {})
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, PUT, DELETE, OPTIONS'])
    for (const path of ['/v1/nothing', '/v1', '/api/v1/x', '/decide/x']) {
      const none = await stack.send(`GET ${path}`, key)
      expect([path, none.status, none.headers['content-type']]).toEqual([path, 404, 'application/problem+json'])
    }
    expect((await stack.send('OPTIONS /v1/decide', null)).headers['access-control-allow-methods']).toBe('POST, OPTIONS')
  })

  test.each([
    ['cannot be decoded', '%E0%A4%A', 400, 'bad_request', 'Expected a path whose percent-encoding is valid.'],
    ['is too long', 'x'.repeat(1_100), 414, 'uri_too_long', 'Expected parts of a path of at most 1000 characters.'],
  ])('a path that %s is refused in the same form', async (_, part, status, code, detail) => {
    for (const on of ['GET /v1/overrides', 'DELETE /v1/overrides', 'GET /v1/decisions', 'GET /api/v1/decisions']) {
      const reply = await send(`${on}/${part}`)
      expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/problem+json'])
      expect(reply.json).toEqual({
        type: 'about:blank',
        title: expect.stringMatching(/^(Bad Request|URI Too Long)$/),
        status,
        detail,
        instance: `${on.split(' ')[1]}/${part}`,
        code,
        request_id: reply.headers['x-request-id'],
      })
      expect([reply.headers['cache-control'], reply.headers['access-control-allow-origin']]).toEqual(['no-store', '*'])
    }
    const beside = await stack.send(`GET /api/skills/${part}`, null)
    expect([beside.status, beside.json]).toEqual([status, { error: { code: code.toUpperCase(), message: detail, details: {} } }])
    const nowhere = await stack.send(`GET /things/${part}/x/${part}`, null)
    expect([400, 404, 414]).toContain(nowhere.status)
  })

  test('an endless address is refused wherever it leads', async () => {
    for (const { method, path } of trustRoutes) {
      const { status, json } = await send(`${method} ${path.replace(/\{\w+\}/, 'x')}?${'x'.repeat(9_000)}`)
      expect([path, status, json.max]).toEqual([path, 414, 8192])
    }
  })

  test('where nothing is to be sent, what is sent all the same has to be JSON of a bearable size', async () => {
    for (const on of ['POST /v1/decisions/x/replay', 'DELETE /v1/overrides/example.com']) {
      // Node sends no length with DELETE by itself.
      const sent = (type: string, body: string) =>
        send(on, body, { headers: { 'content-type': type, 'content-length': String(body.length) } })
      expect((await sent('text/plain', 'x')).status).toBe(415)
      expect((await sent('application/json', `"${'x'.repeat(70_000)}"`)).status).toBe(413)
    }
  })

  test('a wrong parameter is named', async () => {
    const { status, json } = await send('GET /v1/overrides?limit=x')
    expect([status, json.parameters]).toEqual([
      400,
      [{ parameter: 'limit', expected: 'a whole number from 1 to 100 in plain digits', got: 'x' }],
    ])
  })

  test('what a key does not have is missed without advice that is for others', async () => {
    for (const on of ['GET /v1/decisions/dec_none', 'POST /v1/decisions/dec_none/replay', 'GET /v1/overrides/example.com']) {
      const { status, json } = await send(on)
      expect([on, status, json.detail]).toEqual([
        on,
        404,
        'This key has nothing of this name. It may have been deleted, or belong to another key.',
      ])
    }
    expect((await send('DELETE /v1/overrides/example.com')).json.detail).toBe('There is no override of "example.com".')
  })

  test('the API of the directory beside it stays as it is', async () => {
    const { status, json, headers } = await stack.send('GET /api/v2', null)
    expect([status, json.error.code, headers.link]).toEqual([
      404,
      'NOT_FOUND',
      '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
    ])
    expect((await stack.send('GET /api/v1/usage', key)).headers.link).toBeUndefined()
  })
})

describe('quota', () => {
  test('headers count down, and the last scan is followed by 429 with the time of the next', async () => {
    await stack.sql("INSERT INTO scan_count VALUES ($1, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-01')::date, 148, 0)", [
      key.row,
    ])
    const first = await decide({ domain: 'example.com' })
    expect(first.headers.ratelimit).toMatch(/^"scans";r=1;t=\d+$/)
    expect(first.headers['ratelimit-policy']).toMatch(/^"scans";q=150;w=(2419200|2505600|2592000|2678400)$/)
    expect((await decide({ domain: 'not a host' })).headers.ratelimit).toMatch(/r=1;/)
    expect((await decide({ domain: 'example.com' })).headers.ratelimit).toMatch(/r=0;/)
    const over = await decide({ domain: 'example.com' })
    expect([over.status, over.json.code, over.json.limit]).toEqual([429, 'quota_exceeded', 150])
    expect(over.headers['retry-after']).toBe(/t=(\d+)/.exec(over.headers.ratelimit ?? '')?.[1])
    expect(Date.parse(over.json.resets_at)).toBeGreaterThan(Date.now())
    expect((await send('GET /v1/usage')).json).toMatchObject({ plan: 'free', limit: 150, used: 150, remaining: 0 })
  })

  test('180 requests at once over HTTP give exactly 150 answers', async () => {
    const replies = await Promise.all(Array.from({ length: 180 }, () => decide({ domain: 'example.com' })))
    const counts = Map.groupBy(replies, ({ status }) => status)
    expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([150, 30])
  })

  test('a rate-limited key gets the time to wait, and still its remaining scans', async () => {
    const many = { requests: Array.from({ length: 100 }, () => 'not a host') }
    for (let time = 0; time < 6; time++) expect((await send('POST /v1/decide/batch', many)).status).toBe(200)
    expect((await send('POST /v1/decide/batch', many)).status).toBe(429)
    // What fills up again while they run is taken first.
    const burst = await Promise.all(Array.from({ length: 60 }, () => decide({ domain: 'example.com' })))
    const refused = burst.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { json, headers } of refused) {
      expect([json.code, json.detail]).toEqual([
        'rate_limited',
        expect.stringMatching(/^Too many questions of this key: try again in \d+ seconds\.$/),
      ])
      expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
      expect(headers.ratelimit).toMatch(/^"scans";r=\d+;t=\d+$/)
    }
    expect((await send('GET /v1/usage')).json.used).toBe(60 - refused.length)
  })

  test('an unlimited key has no such headers', async () => {
    const { status, headers } = await send(
      'POST /v1/decide',
      { domain: 'example.com' },
      { as: await stack.aKey({ plan: 'unlimited' }) },
    )
    expect([status, headers.ratelimit]).toEqual([200, undefined])
  })
})

describe('a batch', () => {
  const batch = (requests: unknown) => send('POST /v1/decide/batch', { requests })

  test('answers each question by itself, in their order', async () => {
    const { status, json } = await batch([
      'example.com',
      {},
      { domain: 'bad.example.net' },
      { domain: 'example.com', policy: { profile: 'x' } },
      7,
    ])
    expect(status).toBe(200)
    expect(
      json.results.map((result: Reply['json']) => [
        result.status,
        result.decision?.recommended_action ?? result.problem.errors[0].pointer,
      ]),
    ).toEqual([
      [200, 'proceed'],
      [422, '/domain'],
      [200, 'deny'],
      [422, '/policy/profile'],
      [422, ''],
    ])
    expect((await send('GET /v1/usage')).json.used).toBe(2)
  })

  test('gives the remaining scans to the first targets', async () => {
    await stack.sql("INSERT INTO scan_count VALUES ($1, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-01')::date, 148, 0)", [
      key.row,
    ])
    const { json, headers } = await batch(['a.example.com', 'not a host', 'b.example.com', 'c.example.com', 'd.example.com'])
    expect(json.results.map(({ status }: { status: number }) => status)).toEqual([200, 422, 200, 429, 429])
    expect(headers.ratelimit).toMatch(/r=0;/)
  })

  test('takes 1 to 100', async () => {
    expect((await batch(Array.from({ length: 100 }, (_, index) => `h${index}.example.com`))).json.results).toHaveLength(100)
    for (const wrong of [[], Array.from({ length: 101 }, () => 'a.com'), 'a.com', undefined])
      expect((await batch(wrong)).status).toBe(422)
    expect((await batch([{}])).json.results[0].status).toBe(422)
  })
})

describe('the record', () => {
  test('a decision is read with its audit, by its own key only', async () => {
    const { json: made } = await decide({ domain: 'bad.example.net', interaction: { kind: 'submit_credentials' } })
    const { status, json } = await send(`GET /v1/decisions/${made.request_id}`)
    expect(status).toBe(200)
    expect(json).toMatchObject(made)
    expect(
      json.audit.snapshot.sources.map(({ source, status: how }: { source: string; status: string }) => [source, how]),
    ).toEqual([
      ['rdap', 'ok'],
      ['dns', 'ok'],
      ['tls', 'ok'],
      ['ct', 'ok'],
      ['feeds', 'ok'],
      ['popularity', 'ok'],
    ])
    expect(json.audit.points.map(({ signal }: { signal: string }) => signal)).toContain('host_hits')
    expect([json.audit.tier, json.audit.shift, json.audit.base]).toEqual(['high', 1, 'deny'])
    expect((await send(`GET /v1/decisions/${made.request_id}`, undefined, { as: await stack.aKey() })).status).toBe(404)
    expect((await send('GET /v1/decisions/dec_none')).status).toBe(404)
    expect((await send(`GET /v1/decisions/${made.request_id}`, undefined, { as: null })).status).toBe(401)
  })

  test('a replay returns the same decision, and is no scan', async () => {
    const { json: made } = await decide({ domain: 'bad.example.net' })
    const { status, json } = await send(`POST /v1/decisions/${made.request_id}/replay`)
    expect([status, json.identical, json.changes, json.explanation]).toEqual([200, true, [], null])
    expect(json.replayed_digest).toBe(json.stored_digest)
    expect((await send('GET /v1/usage')).json.used).toBe(1)
    expect((await send('POST /v1/decisions/dec_none/replay')).status).toBe(404)
  })
})

describe('overrides', () => {
  const LATER = new Date(Date.now() + 3_600_000).toISOString()

  test('count at once, for this key and everything below the domain, and are named in the answer', async () => {
    expect((await decide({ domain: 'www.example.com' })).json.override).toBeNull()
    expect((await send('PUT /v1/overrides/other.example', { action: 'deny', reason: 'r' })).headers.ratelimit).toMatch(/r=149;/)
    await send('DELETE /v1/overrides/other.example')
    const set = await send('POST /v1/overrides', { host: 'Example.com', action: 'deny', reason: 'Not ours.', expires_at: LATER })
    expect([set.status, set.json]).toEqual([
      200,
      expect.objectContaining({ host: 'example.com', scope: 'domain', action: 'deny', reason: 'Not ours.' }),
    ])
    const { json } = await decide({ domain: 'www.example.com' })
    expect([json.recommended_action, json.override.reason]).toEqual(['deny', 'Not ours.'])
    expect(json.override.engine_action).not.toBe('deny')
    expect(json.reason_codes).toContain('CALLER_OVERRIDE_APPLIED')
    expect(Date.parse(json.validity.valid_until)).toBeLessThanOrEqual(Date.parse(LATER))
    expect((await send('POST /v1/decide', { domain: 'www.example.com' }, { as: await stack.aKey() })).json.override).toBeNull()

    expect((await send('DELETE /v1/overrides/example.com')).status).toBe(204)
    expect((await send('DELETE /v1/overrides/example.com')).status).toBe(404)
    expect((await decide({ domain: 'www.example.com' })).json.override).toBeNull()
  })

  test('the most exact one counts', async () => {
    await send('PUT /v1/overrides/example.com', { action: 'deny', reason: 'All of it.' })
    await send('PUT /v1/overrides/www.example.com', { action: 'sandbox', reason: 'But this.', expires_at: null })
    expect((await decide({ domain: 'www.example.com' })).json.recommended_action).toBe('sandbox')
    expect((await decide({ domain: 'other.example.com' })).json.recommended_action).toBe('deny')
    expect((await send('GET /v1/overrides/www.example.com')).json).toMatchObject({ scope: 'host', action: 'sandbox' })
    expect((await send('GET /v1/overrides')).json).toMatchObject({
      total: 2,
      results: [{ host: 'example.com' }, { host: 'www.example.com' }],
      next: null,
    })
    const page = await send('GET /v1/overrides?limit=1')
    expect((await send(`GET /v1/overrides?limit=1&after=${page.json.next}`)).json.results).toMatchObject([
      { host: 'www.example.com' },
    ])
  })

  test('cannot open a private network', async () => {
    await send('PUT /v1/overrides/127.0.0.1', { action: 'proceed', reason: 'Please.' })
    expect((await decide({ domain: '127.0.0.1' })).json).toMatchObject({ recommended_action: 'deny', override: null })
  })

  test('every invalid field of an override is reported', async () => {
    const { status, json } = await send('POST /v1/overrides', {
      host: 'no host',
      action: 'deny',
      reason: ' ',
      expires_at: '2001-01-01T00:00:00Z',
    })
    expect([status, json.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      ['/host', '/reason', '/expires_at'],
    ])
    expect(json.errors[0].message).toBe(
      'host: Expected a host name of letters, digits and hyphens (labels of 1 to 63, 253 in all).',
    )
    const words = await send('PUT /v1/overrides/example.com', { action: 'allow', expires_at: 'tomorrow' })
    expect([words.status, words.json.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      ['/action', '/reason', '/expires_at'],
    ])
    expect((await send('GET /v1/overrides/example.com')).status).toBe(404)
  })

  test('an invalid host in the path is an invalid parameter', async () => {
    const { status, json } = await send('PUT /v1/overrides/no%20host', { action: 'deny', reason: ' ' })
    const expected = 'a host name of letters, digits and hyphens (labels of 1 to 63, 253 in all)'
    expect([status, json.code, json.detail, json.parameters]).toEqual([
      400,
      'invalid_parameter',
      `host: Expected ${expected}.`,
      [{ parameter: 'host', expected, got: 'no host' }],
    ])
  })

  test('ends before the year 10000, whatever the offset', async () => {
    const until = (expires_at: string) => send('PUT /v1/overrides/example.com', { action: 'deny', reason: 'r', expires_at })
    for (const late of ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59-00:01']) {
      const { status, json } = await until(late)
      expect([status, json.errors]).toEqual([
        422,
        [
          {
            pointer: '/expires_at',
            code: 'too_late',
            message: 'Expected "expires_at" to be 9999-12-31T23:59:59Z at the latest, or null for no end.',
          },
        ],
      ])
    }
    expect((await until('9999-12-31T23:59:59+12:00')).json.expires_at).toBe('9999-12-31T11:59:59.000Z')
    expect((await until('9999-12-31T23:59:59.999Z')).json.expires_at).toBe('9999-12-31T23:59:59.000Z')
    expect((await decide({ domain: 'example.com' })).json.override.expires_at).toBe('9999-12-31T23:59:59.000Z')
  })
})

describe('lists of the operator', () => {
  const entry = { target: 'https://Blocked.example.org/Path/', reason: 'Ours.' }
  let operator: TestKey
  beforeAll(async () => {
    operator = await stack.aKey({ role: 'operator', name: 'Ops' })
  })

  test('are read, added to and removed from by keys of operators, and named by decisions', async () => {
    const added = await send('POST /v1/lists/entries', { list: 'block', entries: [entry] }, { as: operator })
    expect([added.status, added.json.added, added.json.results[0].scope]).toEqual([200, 1, 'prefix'])
    const page = await send('GET /v1/lists/entries?list=block&limit=1', undefined, { as: operator })
    expect(page.json).toMatchObject({ total: 1, results: [{ target: entry.target, created_by: 'Ops' }], next: null })
    const { json } = await decide({ target: { type: 'url', value: 'https://blocked.example.org/Path/x' } })
    expect([json.recommended_action, json.override, json.list_entry.id]).toEqual(['deny', null, added.json.results[0].id])
    expect((await send('GET /v1/lists')).json.results.map(({ list }: { list: string }) => list)).toEqual([
      'block',
      'allow',
      'brand',
    ])
    const record = await send(`GET /v1/decisions/${json.request_id}`)
    expect(record.json.list_entry.scope).toBe('prefix')
    const { id } = added.json.results[0]
    expect((await send(`DELETE /v1/lists/entries/${id}`, undefined, { as: operator })).status).toBe(204)
    expect((await send(`DELETE /v1/lists/entries/${id}`, undefined, { as: operator })).status).toBe(404)
    expect((await decide({ domain: 'example.com' })).json).not.toHaveProperty('list_entry')
  })

  test('are closed to other keys, and name the invalid field', async () => {
    const { status, json } = await send('POST /v1/lists/entries', { list: 'block', entries: [entry] })
    expect([status, json.code]).toEqual([403, 'forbidden'])
    expect((await send('GET /v1/lists/entries')).status).toBe(403)
    expect((await send('DELETE /v1/lists/entries/x')).status).toBe(403)
    const wrong = await send(
      'POST /v1/lists/entries',
      { list: 'allow', entries: [{ target: 'github.io', reason: 'x' }] },
      { as: operator },
    )
    expect([wrong.status, wrong.json.errors?.[0] ?? wrong.json]).toMatchObject([422, { pointer: '/entries/0/target' }])
    expect((await send('POST /v1/lists/entries', { list: 'grey', entries: [] }, { as: operator })).status).toBe(422)
    expect((await send('GET /v1/lists/entries?list=grey', undefined, { as: operator })).status).toBe(400)
  })
})

describe('watched domains', () => {
  test('are added, listed and removed by the key, with their history', async () => {
    const added = await send('POST /v1/watches', { domain: 'Example.com', webhook_url: 'https://hooks.example.com/x' })
    const { webhook_secret, ...watch } = added.json
    expect([added.status, watch, webhook_secret]).toMatchObject([
      200,
      { domain: 'example.com', webhook_url: 'https://hooks.example.com/x', checked_at: null, verdict: null },
      expect.stringMatching(/^whsec_/),
    ])
    await stack.sql(`INSERT INTO verdict_change (watch_id, changed_at, action, state, trust_score, threat_score, deviation_score, reason_codes,
        previous_action, webhook, due_at)
      SELECT id, now(), 'deny', 'A', 1, 90, 0, '{X}', 'proceed', 'waiting', now() FROM watched_domain`)
    const verdict = { action: 'deny', scores: { trust: 1, threat: 90, deviation: 0 }, reason_codes: ['X'] }
    expect((await send('GET /v1/watches?domain=example.com')).json).toEqual({
      total: 1,
      results: [{ ...watch, verdict }],
      next: null,
    })
    expect((await send('GET /v1/watches?domain=other.example')).json.total).toBe(0)
    const history = `GET /v1/watches/${watch.id}/history`
    expect((await send(history)).json).toMatchObject({
      total: 1,
      results: [{ ...verdict, previous_action: 'proceed', webhook: { status: 'waiting', attempts: 0, error: null } }],
      next: null,
    })
    const again = await send('POST /v1/watches', { domain: 'example.com', webhook_url: 'http://127.0.0.1/' })
    expect([again.status, again.json.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, ['/webhook_url']])
    expect((await send('POST /v1/watches', { domain: 1 })).status).toBe(422)
    expect((await send('GET /v1/watches?limit=0')).status).toBe(400)
    expect((await send('GET /v1/watches', undefined, { as: null })).status).toBe(401)
    const other = await stack.aKey()
    for (const id of [watch.id, 'x']) {
      expect((await send(`GET /v1/watches/${id}/history`, undefined, { as: other })).status).toBe(404)
      expect((await send(`DELETE /v1/watches/${id}`, undefined, { as: other })).status).toBe(404)
    }
    expect((await send(`DELETE /v1/watches/${watch.id}`)).status).toBe(204)
    expect((await send(history)).status).toBe(404)
  })
})

describe('reports', () => {
  test('are sent and listed by the owner of the key', async () => {
    const { json } = await decide({ domain: 'bad.example.net' })
    const body = { decision_id: json.request_id, kind: 'false_positive', text: 'Our own host.' }
    const sent = await send('POST /v1/reports', body)
    expect([sent.status, sent.json]).toMatchObject([200, { status: 'open', action: 'deny', host: 'bad.example.net' }])
    expect((await send('GET /v1/reports?status=open')).json).toEqual({ total: 1, results: [sent.json], next: null })
    const ofDecision = await send(`GET /v1/reports?decision_id=${json.request_id}`)
    expect(ofDecision.json).toEqual({ total: 1, results: [sent.json], next: null })
    expect((await send('GET /v1/reports?decision_id=dec_x')).json.total).toBe(0)
    const ofTarget = { target: 'good.example.com', kind: 'false_negative', expected_action: 'deny', text: 'It phishes.' }
    expect((await send('POST /v1/reports', ofTarget)).json).toMatchObject({ host: 'good.example.com', status: 'open' })
    const milder = await send('POST /v1/reports', { ...ofTarget, target: 'bad.example.net', expected_action: 'proceed' })
    expect([milder.status, milder.json.errors[0].pointer]).toEqual([422, '/expected_action'])
    expect((await send('POST /v1/reports', { kind: 'false_positive', text: 'x' })).status).toBe(422)
    const again = await send('POST /v1/reports', body)
    expect([again.status, again.json.errors[0].pointer]).toEqual([422, '/decision_id'])
    expect((await send('POST /v1/reports', { ...body, kind: 'rude' })).status).toBe(422)
    expect((await send('GET /v1/reports?status=rude')).status).toBe(400)
    expect((await send('GET /v1/reports', undefined, { as: null })).status).toBe(401)
  })
})
