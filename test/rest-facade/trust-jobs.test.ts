import { request } from 'node:http'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { trustRoutes } from '../../rest-facade/trust/routes.ts'
import { createTrustParts } from '../../subgraphs/trust/parts.ts'
import { aBadHost, aGoodHost, type TestKey } from '../subgraphs/trust/support/trust.ts'
import type { Reply } from './ask.ts'
import { breaches } from './trust-contract.ts'
import { startTrustStack } from './trust-stack.ts'

let stack: Awaited<ReturnType<typeof startTrustStack>>
let worker: ReturnType<typeof createTrustParts>
let key: TestKey
let answers: { on: string; reply: Reply }[] = []

beforeAll(async () => {
  stack = await startTrustStack()
  const { connection } = stack.database
  worker = createTrustParts({ connection, log: pino({ level: 'silent' }), sources: stack.sources })
  stack.sources.setEvidence('example.com', aGoodHost())
  stack.sources.setEvidence('bad.example.net', aBadHost())
})
afterAll(async () => {
  await worker.close()
  await stack.close()
})
beforeEach(async () => {
  key = await stack.aKey({ plan: 'unlimited' })
  answers = []
})
/** All answers keep the contract. */
afterEach(() => {
  for (const { on, reply } of answers) expect([on, reply.status, breaches(on, reply)]).toEqual([on, reply.status, []])
})

async function send(on: string, body?: unknown, { as = key as TestKey | null, headers = {} } = {}): Promise<Reply> {
  const reply = await stack.send(on, as, body, headers)
  const [method = '', path = ''] = on.split(' ')
  const row = trustRoutes.find(
    (each) =>
      each.method === method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
  )
  if (row) answers.push({ on: `${row.method} ${row.path}`, reply })
  return reply
}
const CSV = { 'content-type': 'text/csv; charset=utf-8' }
const create = (body: unknown, headers = {}) => send('POST /v1/decide/jobs', body, { headers })

test('a job is made, followed and read, as a page of JSON, CSV and NDJSON', async () => {
  const made = await create(['example.com', { domain: 'bad.example.net', policy: { profile: 'strict' } }, 'not a host'])
  expect([made.status, made.json]).toMatchObject([
    202,
    { state: 'waiting', targets: 3, finished: 1, progress: 0.333, counts: { waiting: 2, invalid: 1 } },
  ])
  const at = `/v1/decide/jobs/${made.json.id}`
  await worker.runJobs()
  const { json } = await send(`GET ${at}`)
  expect(json).toMatchObject({ state: 'completed', progress: 1, counts: { decided: 2, invalid: 1, waiting: 0 } })
  expect(Date.parse(json.expires_at) - Date.parse(json.finished_at)).toBe(7 * 86_400_000)
  const page = (await send(`GET ${at}/results?limit=2`)).json
  expect(page).toMatchObject({
    total: 3,
    results: [
      { index: 0, target: 'example.com', state: 'decided', action: 'proceed', errors: [] },
      { index: 1, target: 'bad.example.net', state: 'decided', action: 'deny' },
    ],
  })
  const rest = (await send(`GET ${at}/results?limit=2&after=${page.next}`)).json
  expect([rest.next, rest.results]).toMatchObject([
    null,
    [{ index: 2, state: 'invalid', action: null, request_id: null, errors: [{ field: 'domain', code: 'host' }] }],
  ])
  const csv = await send(`GET ${at}/results`, undefined, { headers: { accept: 'text/csv' } })
  const lines = csv.text.split('\n')
  expect([csv.headers['content-type'], csv.headers['cache-control'], lines.length]).toEqual(['text/csv', 'no-store', 5])
  expect(lines[0]).toBe('index,target,state,action,confidence,trust,threat,deviation,reason_codes,request_id,valid_until,error')
  expect(lines[1]).toMatch(/^0,example\.com,decided,proceed,0\.\d+,\d+,\d+,\d+,.+,dec_[\da-f]{32},2\d{3}-.+Z,$/)
  expect(lines[3]).toMatch(/^2,not a host,invalid,,,,,,,,,.+/)
  for (const reply of [
    await send(`GET ${at}/results?format=ndjson`),
    await send(`GET ${at}/results`, undefined, { headers: { accept: 'application/x-ndjson' } }),
  ]) {
    const rows = reply.text.trimEnd().split('\n')
    expect(rows.map((line) => JSON.parse(line))).toEqual([...page.results, ...rest.results])
  }
  // A decision of a job is one like any other.
  expect((await send(`GET /v1/decisions/${page.results[0].request_id}`)).json.recommended_action).toBe('proceed')
  const list = (await send('GET /v1/decide/jobs')).json
  expect([list.total, list.results]).toEqual([1, [json]])
})

test('CSV has a header with columns, or a target in each line', async () => {
  const table = 'target,kind,policy\r\n"https://example.com/a,b",download_file,strict\r\nbad.example.net,,\r\n\r\n'
  const made = await create(table, CSV)
  expect([made.status, made.json.targets]).toEqual([202, 2])
  await worker.runJobs()
  const { results } = (await send(`GET /v1/decide/jobs/${made.json.id}/results`)).json
  expect(results.map(({ target }: { target: string }) => target)).toEqual(['https://example.com/…', 'bad.example.net'])
  const decision = (await send(`GET /v1/decisions/${results[0].request_id}`)).json
  expect([decision.interaction.kind, decision.policy_applied.profile, decision.target.type]).toEqual([
    'download_file',
    'strict',
    'url',
  ])
  expect((await create('\ufeffa.example.com\nb.example.com', CSV)).json.targets).toBe(2)
})

test('a header with a million columns is read once, not for each of 10,000 records', async () => {
  const { status, json } = await create(`${','.repeat(1_900_000)}target\n${'a\n'.repeat(10_000)}`, CSV)
  // None of them has a field in the column of targets.
  expect([status, json.counts.invalid]).toEqual([202, 10_000])
})

test.each([
  ['no list', { domain: 'example.com' }, {}, 422, 'validation_failed'],
  ['an empty list', [], {}, 422, 'validation_failed'],
  ['no JSON', '[', {}, 400, 'invalid_json'],
  ['nothing', '', {}, 400, 'invalid_json'],
  ['a wrong interaction', [{ domain: 'example.com', interaction: { kind: 'eat' } }], {}, 422, 'validation_failed'],
  ['a wrong interaction in CSV', 'target,kind\nexample.com,eat', CSV, 422, 'validation_failed'],
  ['several columns without a header', 'a.example.com,b.example.com', CSV, 422, 'validation_failed'],
  ['an open quote', 'target\n"example.com', CSV, 422, 'validation_failed'],
  ['10,001 lines', 'example.com\n'.repeat(10_001), CSV, 422, 'validation_failed'],
  ['10,001 elements', Array.from({ length: 10_001 }, () => 'example.com'), {}, 422, 'validation_failed'],
  ['more than 2 MB', 'x'.repeat(2_000_001), CSV, 413, 'payload_too_large'],
  ['XML', '<a/>', { 'content-type': 'application/xml' }, 415, 'unsupported_media_type'],
])('%s is refused', async (_, body, headers, status, code) => {
  const reply = await create(body, headers)
  expect([reply.status, reply.json.code]).toEqual([status, code])
})

test('faults name the row, and are at most 100', async () => {
  const { json } = await create(Array.from({ length: 200 }, (_, index) => (index === 3 ? 'example.com' : { target: index })))
  expect([json.errors.length, json.errors[3].pointer]).toEqual([100, '/4/target'])
})

test('other routes take no CSV and no large body, as before', async () => {
  expect((await send('POST /v1/decide', 'example.com', { headers: CSV })).status).toBe(415)
  expect((await send('POST /v1/decide', { domain: 'x'.repeat(70_000) })).json).toMatchObject({ status: 413, max: 65_536 })
})

test('without a key nothing of the body is received', async () => {
  const { hostname, port } = new URL(stack.url)
  const status = await new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': '1000000' }
    const outgoing = request({ hostname, port, path: '/v1/decide/jobs', method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    // The rest of the body never comes.
    outgoing.write('["example.com"')
  })
  expect(status).toBe(401)
})

test('limits are 429, a job of another key is 404, and canceling is idempotent', async () => {
  const free = await stack.aKey()
  const { json } = await send('POST /v1/decide/jobs?idempotency_key=k', ['a.example.com'], { as: free })
  expect((await send('POST /v1/decide/jobs?idempotency_key=k', ['a.example.com'], { as: free })).json.id).toBe(json.id)
  const csv = await send('POST /v1/decide/jobs?idempotency_key=k', 'target\na.example.com\n', { as: free, headers: CSV })
  expect(csv.json.id).toBe(json.id)
  const other = await send('POST /v1/decide/jobs?idempotency_key=k', ['b.example.com'], { as: free })
  expect([other.status, other.json.code, other.json.title]).toEqual([409, 'idempotency_conflict', 'Conflict'])
  const second = await send('POST /v1/decide/jobs', ['a.example.com'], { as: free })
  expect([second.status, second.json.code]).toEqual([429, 'job_limit_reached'])
  for (const on of ['GET', 'DELETE']) expect((await send(`${on} /v1/decide/jobs/${json.id}`)).status).toBe(404)
  for (const format of ['json', 'csv', 'ndjson'])
    expect((await send(`GET /v1/decide/jobs/${json.id}/results?format=${format}`)).status).toBe(404)
  for (const _ of [1, 2])
    expect((await send(`DELETE /v1/decide/jobs/${json.id}`, undefined, { as: free })).json).toMatchObject({
      state: 'canceled',
      counts: { waiting: 0, canceled: 1 },
    })
  expect((await send(`GET /v1/decide/jobs/${json.id}/results?format=csv`, undefined, { as: null })).status).toBe(401)
})

test('all of 2,500 results are streamed, page by page, and a client may disconnect in between', async () => {
  const targets = Array.from({ length: 2_500 }, (_, index) => `n${index}.example.com`)
  const { json } = await create(targets)
  const path = `/v1/decide/jobs/${json.id}/results?format=ndjson`
  const rows = (await send(`GET ${path}`)).text.trimEnd().split('\n')
  expect(rows.map((line) => JSON.parse(line).target)).toEqual(targets)
  // A client that reads a little and leaves: the server goes on as if nothing had been.
  const { hostname, port } = new URL(stack.url)
  await new Promise<void>((resolve, reject) => {
    const outgoing = request({ hostname, port, path, headers: { 'x-api-key': key.secret } }, (response) => {
      response.once('data', () => {
        response.on('error', () => {})
        response.destroy()
        resolve()
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
  expect((await send(`GET /v1/decide/jobs/${json.id}`)).json.state).toBe('waiting')
})
