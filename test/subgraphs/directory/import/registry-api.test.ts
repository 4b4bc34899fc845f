import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { readRegistry } from '../../../../subgraphs/directory/import/registry-api.ts'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A registry on loopback; returns its address and the paths that were asked for. */
async function registry(answer: (url: URL, response: ServerResponse, request: IncomingMessage) => void) {
  const requests: string[] = []
  const listening = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(new URL(request.url ?? '', 'http://x'), response, request)
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`, requests }
}

const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const read = (url: string, bounds = {}, signal = new AbortController().signal) =>
  readRegistry(url, { signal, bounds: { timeout: 5_000, pauses: [1, 1], ...bounds } })
const row = (name: string, isLatest?: boolean) => ({
  server: { name },
  _meta: { 'io.modelcontextprotocol.registry/official': { isLatest } },
})

test('every page is read, under either name of the cursor, and old versions are skipped', async () => {
  const pages: Record<string, unknown> = {
    '': { servers: [row('a', true), row('a', false)], metadata: { nextCursor: 'b&c' } },
    'b&c': { servers: [row('b')], metadata: { next_cursor: 'd' } },
    d: { servers: [row('d', true)], metadata: { nextCursor: null } },
  }
  const { url, requests } = await registry((at, response) => json(response, pages[at.searchParams.get('cursor') ?? '']))
  expect(await read(url)).toEqual({ servers: [row('a', true), row('b'), row('d', true)], pages: 3, fault: null })
  expect(requests[0]).toBe('/v0.1/servers?version=latest&limit=100')
  expect(requests[1]).toContain('cursor=b%26c')
})

test('a URL of a list is read as it is', async () => {
  const { url, requests } = await registry((at, response) =>
    at.pathname === '/list' || at.pathname.endsWith('/v0/servers') ? json(response, { servers: [] }) : json(response, {}, 404),
  )
  expect(await read(`${url}/list`)).toMatchObject({ pages: 1, fault: null })
  expect(await read(`${url}/v0/servers`)).toMatchObject({ pages: 1, fault: null })
  expect(requests).toEqual(['/list/v0.1/servers?version=latest&limit=100', '/list', '/v0/servers'])
})

test('a fault that passes is survived', async () => {
  let attempts = 0
  const { url } = await registry((_, response) =>
    ++attempts < 3 ? json(response, {}, 503) : json(response, { servers: [row('a')] }),
  )
  expect(await read(url)).toMatchObject({ pages: 1, fault: null })
})

test('a registry that says when to come back is not requested before, and left when that is long', async () => {
  const times: number[] = []
  const { url } = await registry((at, response) => {
    times.push(performance.now())
    if (times.length === 1)
      return response.writeHead(429, { 'retry-after': at.pathname === '/long/servers' ? '3600' : '1' }).end()
    return json(response, { servers: [row('a')] })
  })
  expect(await read(`${url}/servers`)).toMatchObject({ pages: 1, fault: null })
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
  times.length = 0
  expect(await read(`${url}/long/servers`)).toEqual({ servers: [], pages: 0, fault: 'it answered with status 429' })
  expect(times).toHaveLength(1)
})

test.each<[string, (url: URL, response: ServerResponse) => unknown, RegExp, object?]>([
  ['no answer', () => {}, /did not answer/, { timeout: 300 }],
  ['half an answer', (_, response) => response.writeHead(200).write('{"servers":['), /did not answer/, { timeout: 300 }],
  ['a broken connection', (_, response) => response.destroy(), /cannot be reached/],
  ['500 for ever', (_, response) => json(response, {}, 500), /status 500/],
  ['403', (_, response) => json(response, {}, 403), /status 403/],
  ['text', (_, response) => response.end('<html>'), /not JSON/],
  ['another shape', (_, response) => json(response, { items: [] }), /not a page/],
  [
    'a page without end',
    (_, response) => response.end(Buffer.alloc(100_000, ' ')),
    /more than 50000 bytes/,
    { pageSize: 50_000 },
  ],
  ['redirects in a circle', (url, response) => response.writeHead(302, { location: url.pathname }).end(), /redirects more than/],
  ['a redirect to a file', (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(), /not followed/],
  ['a cursor that leads back', (_, response) => json(response, { servers: [1], metadata: { nextCursor: 'x' } }), /lead back/],
  [
    'cursors without end',
    (_, response) => json(response, { servers: [], metadata: { nextCursor: Math.random().toString() } }),
    /more than 9 pages/,
    { pages: 9 },
  ],
])('%s ends the reading with a reason', async (_, answer, fault, bounds = {}) => {
  const { url } = await registry(answer)
  expect((await read(url, bounds)).fault).toMatch(fault)
})

test('a list whose later page fails keeps what was read, and says that it is not complete', async () => {
  const { url } = await registry((at, response) =>
    at.searchParams.has('cursor')
      ? json(response, {}, 400)
      : json(response, { servers: [row('a', true)], metadata: { nextCursor: 'x' } }),
  )
  expect(await read(url)).toMatchObject({ servers: [row('a', true)], pages: 1, fault: expect.stringContaining('status 400') })
})

test('a password in an address is not sent, and not repeated in the reason', async () => {
  const { url, requests } = await registry((_, response) => json(response, { servers: [] }))
  const { fault } = await read(url.replace('//', '//user:secret@'))
  expect(fault).toMatch(/not sent/)
  expect(fault).not.toContain('secret')
  expect(requests).toEqual([])
})

test('an interruption ends the reading at once', async () => {
  const interruption = new AbortController()
  const { url } = await registry(() => interruption.abort())
  await expect(read(url, { timeout: 60_000 }, interruption.signal)).rejects.toThrow('aborted')
})
