import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContentNegotiation } from '../../../gateway/transports/content-negotiation.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { recordingLog } from '../support/graph.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

const [JSON_TYPE, RESPONSE, EVENTS] = ['application/json', 'application/graphql-response+json', 'text/event-stream']

test.each<{ accept: string | undefined; type: string | null; why: string }>([
  { accept: undefined, type: JSON_TYPE, why: 'nothing said' },
  { accept: '*/*', type: JSON_TYPE, why: 'anything' },
  { accept: 'application/*', type: JSON_TYPE, why: 'anything of ours' },
  { accept: 'application/json', type: JSON_TYPE, why: 'named' },
  { accept: 'Application/JSON; charset=utf-8', type: JSON_TYPE, why: 'case and parameters do not matter' },
  { accept: 'application/graphql-response+json, application/json;q=0.9', type: RESPONSE, why: 'Apollo Client' },
  { accept: 'application/json;q=0.9, application/graphql-response+json', type: RESPONSE, why: 'quality before order' },
  { accept: 'application/json, application/graphql-response+json', type: JSON_TYPE, why: 'order where quality is equal' },
  { accept: '*/*, application/graphql-response+json', type: RESPONSE, why: 'named before anything' },
  { accept: 'application/graphql-response+json;q=0, */*', type: JSON_TYPE, why: 'excluded' },
  { accept: 'application/json;q=0, */*', type: RESPONSE, why: 'excluded' },
  {
    accept: 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    type: RESPONSE,
    why: 'a query of urql',
  },
  { accept: 'text/event-stream, multipart/mixed', type: EVENTS, why: 'a subscription of urql' },
  { accept: 'text/event-stream', type: EVENTS, why: 'EventSource' },
  { accept: 'text/*', type: null, why: 'event streams must be named' },
  { accept: 'image/png', type: null, why: 'nothing of ours' },
  { accept: 'application/json;q=0', type: null, why: 'excluded' },
  { accept: '', type: null, why: 'nothing' },
])('Accept: $accept gets $type ($why)', ({ accept, type }) => {
  const formFor = createContentNegotiation()
  // The second time it is remembered.
  for (const form of [formFor(accept), formFor(accept)]) expect(form?.contentType ?? null).toBe(type && `${type}; charset=utf-8`)
})

describe('over HTTP', () => {
  let ticker: Ticker
  let app: FastifyInstance
  let base: string
  beforeAll(async () => {
    ticker = await startTicker()
    app = createHttpServer({ log: recordingLog().log })
    await serveGraphql(app, ticker.gateway)
    base = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => app.close())

  const post = async (accept: string, query: string, type = 'application/json') => {
    const answer = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': type, accept },
      body: JSON.stringify({ query }),
    })
    const { errors } = JSON.parse(await answer.text())
    return [answer.status, answer.headers.get('content-type')?.split(';', 1)[0], errors?.[0].extensions.code]
  }

  test.each([
    ['application/json', '{', 200, 'GRAPHQL_PARSE_FAILED'],
    ['application/json', '{ nope }', 200, 'GRAPHQL_VALIDATION_FAILED'],
    ['application/json', 'query A { now } query B { now }', 200, 'OPERATION_RESOLUTION_FAILURE'],
    ['application/json', 'query ($m: Int!) { later(milliseconds: $m) }', 200, 'BAD_USER_INPUT'],
    ['application/json', `{ ${'a: now '.repeat(400)} }`, 400, 'OPERATION_TOO_LARGE'],
    ['application/json', 'subscription { ticked { text } }', 400, 'SUBSCRIPTIONS_NOT_SUPPORTED'],
    ['application/json', '', 400, 'BAD_REQUEST'],
    ['application/graphql-response+json', '{', 400, 'GRAPHQL_PARSE_FAILED'],
    ['application/graphql-response+json', '{ nope }', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['application/graphql-response+json', '', 400, 'BAD_REQUEST'],
  ])('Accept %s with operation %s gets %i %s', async (accept, query, status, code) => {
    expect(await post(accept, query)).toEqual([status, accept, code])
    expect((await post('*/*', query))[0]).toBe(400)
  })

  test('an operation that could not be answered is not run', async () => {
    const before = ticker.tick()
    expect(await post('image/png', 'mutation { tick }')).toEqual([406, 'application/json', 'NOT_ACCEPTABLE'])
    expect(ticker.tick()).toBe(before + 1)
  })

  test('a body in another encoding than UTF-8 is refused', async () => {
    expect(await post('*/*', '{ now }', 'application/json; charset="utf-8"')).toEqual([200, 'application/json', undefined])
    expect(await post('*/*', '{ now }', 'application/json; charset=utf-16le')).toEqual([
      415,
      'application/json',
      'UNSUPPORTED_MEDIA_TYPE',
    ])
  })

  test('a subscription is answered with events when Accept includes them', async () => {
    const stop = new AbortController()
    const answer = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ query: 'subscription { ticked { text } }' }),
      signal: stop.signal,
    })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    stop.abort()
    expect((await post('application/json, text/event-stream', '{ now }')).slice(0, 2)).toEqual([200, 'application/json'])
  })

  const get = async (search: string, headers: Record<string, string> = { 'apollo-require-preflight': '1' }, method = 'GET') => {
    const answer = await fetch(`${base}/graphql?${search}`, { method, headers })
    const text = await answer.text()
    return [answer.status, text && Object.keys(JSON.parse(text))[0]]
  }

  test.each([
    ['an empty operationName is none', 'query={now}&operationName=', 200],
    ['maps are JSON', 'query=query($m:Int!){later(milliseconds:$m)}&variables={"m":1}&extensions={}', 200],
    ['null is none', 'query={now}&variables=null&extensions=null', 200],
    ['variables that are no JSON', 'query={now}&variables={', 400],
    ['extensions that are a list', 'query={now}&extensions=[]', 400],
    ['a parameter that comes twice', 'query={now}&query={now}', 400],
    ['no parameter', '', 400],
  ])('GET: %s', async (_, search, status) => {
    expect((await get(search))[0]).toBe(status)
  })

  test.each<[string, Record<string, string>, number]>([
    ['no header at all', {}, 400],
    ['a header that only programs set', { 'x-apollo-operation-name': 'A' }, 200],
    ['one without a value', { 'apollo-require-preflight': '' }, 400],
    ['a content type that no form has', { 'content-type': 'application/json' }, 200],
    ['one that forms have', { 'content-type': 'text/plain; x=application/json' }, 400],
    ['one that forms have, in other letters', { 'content-type': 'Multipart/Form-Data ; boundary=x' }, 400],
    ['something that is no content type', { 'content-type': 'nonsense' }, 400],
  ])('GET with %s', async (_, headers, status) => {
    expect((await get('query={now}', headers))[0]).toBe(status)
  })

  test('HEAD is answered like GET, without the body, and runs no mutations either', async () => {
    expect(await get('query={now}', undefined, 'HEAD')).toEqual([200, ''])
    const before = ticker.tick()
    expect(await get('query=mutation{tick}', undefined, 'HEAD')).toEqual([405, ''])
    expect(ticker.tick()).toBe(before + 1)
  })

  test('fifty concurrent answers reach their own requests', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    const answers = await Promise.all(
      numbers.map(async (number) => {
        const answer = await fetch(`${base}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-request-id': `mine-${number}` },
          body: JSON.stringify({ query: `{ mine${number}: now }` }),
        })
        return [answer.headers.get('x-request-id'), Object.keys(JSON.parse(await answer.text()).data)]
      }),
    )
    expect(answers).toEqual(numbers.map((number) => [`mine-${number}`, [`mine${number}`]]))
  })
})
