import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import Fastify from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sendPieces } from '../../rest-facade/http/streamed-response.ts'
import { aBadHost, aGoodHost, type Data, type TestKey } from '../subgraphs/trust/support/trust.ts'
import { breaches } from './trust-contract.ts'
import { startTrustStack } from './trust-stack.ts'

let stack: Awaited<ReturnType<typeof startTrustStack>>
let key: TestKey
/** By host: when its evidence arrives. */
const gates = new Map<string, Promise<void>>()

beforeAll(async () => {
  stack = await startTrustStack()
  const { sources } = stack
  const { evidenceFor } = sources
  Object.assign(sources, {
    async evidenceFor(...given: Parameters<typeof evidenceFor>) {
      const found = evidenceFor(...given)
      await gates.get(given[0].host)
      return found
    },
  })
  sources.setEvidence('example.com', aGoodHost())
  sources.setEvidence('bad.example.net', aBadHost())
})
afterAll(() => stack.close())
beforeEach(async () => {
  key = await stack.aKey()
  gates.clear()
  stack.sources.requestedHosts.length = 0
})

const NDJSON = { accept: 'application/x-ndjson' }
const batch = (requests: unknown[], as: TestKey | null = key, headers: Record<string, string> = NDJSON) =>
  stack.send('POST /v1/decide/batch', as, { requests }, headers)
const rowsIn = (text: string): Data[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A response whose rows are read one by one. */
async function open(requests: unknown[]): Promise<{ response: IncomingMessage; nextRow: () => Promise<Data> }> {
  const { hostname, port } = new URL(stack.url)
  const outgoing = request({
    ...{ hostname, port, path: '/v1/decide/batch', method: 'POST' },
    headers: { ...NDJSON, 'x-api-key': key.secret, 'content-type': 'application/json' },
  })
  outgoing.on('error', () => {})
  outgoing.end(JSON.stringify({ requests }))
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  const lines = createInterface({ input: response })[Symbol.asyncIterator]()
  return { response, nextRow: async () => JSON.parse((await lines.next()).value ?? 'null') }
}
const gate = (host: string) => {
  const opened = Promise.withResolvers<void>()
  gates.set(host, opened.promise)
  return opened.resolve
}
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.example.com`)

test('rows are those of the batch that is not streamed, with an index, and keep the contract', async () => {
  const requests = [
    'example.com',
    { target: { value: 'bad.example.net' }, policy: { profile: 'strict' } },
    { domain: 1 },
    'not a host',
  ]
  const streamed = await batch(requests)
  expect([streamed.status, streamed.headers['content-type'], streamed.headers['cache-control']]).toEqual([
    200,
    'application/x-ndjson',
    'no-store',
  ])
  expect(streamed.headers.ratelimit).toMatch(/^"scans";r=150;t=\d+$/)
  expect(breaches('POST /v1/decide/batch', streamed)).toEqual([])
  const rows = rowsIn(streamed.text).sort((one, other) => one.index - other.index)
  expect(rows.map(({ index, status }) => [index, status])).toEqual([
    [0, 200],
    [1, 200],
    [2, 422],
    [3, 422],
  ])
  const { results } = (await batch(requests, key, {})).json
  const plain = ({ decision, ...rest }: Data) => ({
    ...rest,
    decision: decision && { ...decision, request_id: '', validity: null },
  })
  expect(rows.map(({ index: _, ...row }) => plain(row))).toEqual(results.map(plain))
})

test('a row is written when it is decided, whatever is slow before it', async () => {
  const release = gate('slow.example.com')
  const { response, nextRow } = await open(['slow.example.com', 'example.com'])
  expect(response.statusCode).toBe(200)
  expect(await nextRow()).toMatchObject({ index: 1, status: 200 })
  release()
  expect(await nextRow()).toMatchObject({ index: 0, status: 200 })
})

test('when the client disconnects, nothing else begins, and nothing else is counted', async () => {
  const release = names(20).map(gate)
  const { response } = await open(names(20))
  await expect.poll(() => stack.sources.requestedHosts.length).toBe(8)
  response.destroy()
  await expect.poll(async () => (await stack.send('GET /v1/usage', key)).status).toBe(200)
  for (const each of release) each()
  // Others are decided meanwhile, one after the other: as long as a further row would take to begin.
  const other = await stack.aKey()
  for (const name of names(20)) await stack.send('POST /v1/decide', other, { domain: `other-${name}` })
  const { json } = await stack.send('GET /v1/usage', key)
  expect(stack.sources.requestedHosts.filter((host) => host.startsWith('n')).length).toBe(8)
  expect(json.used).toBeLessThanOrEqual(8)
})

test('scans that run out are faults of their rows', async () => {
  const few = await stack.aKey()
  await stack.sql(
    `INSERT INTO scan_count (key_id, month, scans, taken) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 147, 0)`,
    [few.row],
  )
  const rows = rowsIn((await batch(names(10), few)).text)
  expect(rows.filter(({ status }) => status === 200).length).toBe(3)
  const [refused] = rows.filter(({ status }) => status === 429)
  expect(refused.problem).toMatchObject({ code: 'quota_exceeded', retry_after: expect.any(Number) })
})

test('without a key, and for a wrong batch, the response is the same as without a stream', async () => {
  expect((await batch(['example.com'], null)).status).toBe(401)
  expect((await batch([])).json).toMatchObject({ status: 422, code: 'validation_failed' })
})

test('a client that does not read stops the work, and gets all when it does', async () => {
  const app = Fastify()
  let made = 0
  app.get('/', (_, reply) => {
    async function* pieces() {
      for (; made < 200; made += 1) yield 'x'.repeat(1_000_000)
    }
    return sendPieces(reply, { contentType: 'text/plain', pieces: pieces() }, async () => ({}))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const outgoing = request({ port, host: '127.0.0.1' })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  // The buffers of both ends are full when two looks see the same.
  let before = -1
  const isSame = () => {
    const same = made === before
    before = made
    return same && made > 0
  }
  await expect.poll(isSame, { interval: 200 }).toBe(true)
  expect(made).toBeLessThan(100)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  expect(bytes).toBe(200_000_000)
  await app.close()
})
