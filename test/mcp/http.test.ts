import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { argumentsOf } from '../../mcp/arguments.ts'
import { serveMcp } from '../../mcp/serve.ts'
import { plainTool } from '../../mcp/tool.ts'
import type { AccessPolicy } from '../../mcp/tool-server.ts'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { isLoopbackHost } from '../../platform/http/listen.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { registryReader } from '../../subgraphs/directory/import/registry.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { type McpStack, startMcpStack } from './stack.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

let stack: McpStack
beforeAll(async () => {
  stack = await startMcpStack({ hosts: ['agents.example'] })
})
afterAll(() => stack.close())

test.each([
  ['localhost:4000', 200],
  ['127.0.0.1', 200],
  ['[::1]:4000', 200],
  ['atrium.example', 200],
  ['atrium.example:8443', 200],
  ['agents.example', 200],
  ['evil.example', 403],
  ['localhost.evil.example', 403],
  ['atrium.example.evil.example', 403],
  ['atrium.example@evil.example', 403],
  ['a b', 403],
])('a request under the name %s is answered with %i', async (host, status) => {
  const { status: got, json } = await askRaw(stack.url, '/mcp/directory', {
    method: 'POST',
    headers: { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: status === 200 ? JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) : JSON.stringify(LIST),
  }).then(({ status, text }) => ({ status, json: text === '' ? null : JSON.parse(text) }))
  // A notification has no answer.
  expect(got).toBe(status === 200 ? 202 : status)
  if (status === 403)
    expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.stringContaining('MCP_HOSTS') } })
})

test.each([
  ['http://localhost:6274', 200],
  ['https://atrium.example', 200],
  ['https://agents.example', 200],
  ['https://evil.example', 403],
  ['null', 403],
  ['not an origin', 403],
])('a page of %s is answered with %i, and may read it if so', async (origin, status) => {
  const { status: got, headers } = await stack.post('trust', LIST, { origin })
  expect(got).toBe(status)
  expect(headers['access-control-allow-origin']).toBe(status === 200 ? origin : undefined)
  const preflight = await askRaw(stack.url, '/mcp/trust', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(status === 200 ? 204 : 403)
  if (status === 200)
    for (const name of ['mcp-protocol-version', ...CREDENTIAL_HEADERS])
      expect(preflight.headers['access-control-allow-headers']).toContain(name)
})

describe('where more than this machine reaches it', () => {
  let open: McpStack
  beforeAll(async () => {
    open = await startMcpStack({ hosts: ['agents.example'], isOnLoopback: false })
  })
  afterAll(() => open?.close())

  test.each([
    ['atrium.example', undefined, 200],
    ['atrium.example:8443', 'https://atrium.example', 200],
    ['agents.example', 'https://agents.example', 200],
    ['localhost:4000', undefined, 403],
    ['127.0.0.1', undefined, 403],
    ['[::1]:4000', undefined, 403],
    ['atrium.example', 'http://localhost:6274', 403],
    ['atrium.example', 'http://127.0.0.1', 403],
    ['atrium.example', 'http://[::1]:3000', 403],
    // Pages of the same name that are not the same origin.
    ['atrium.example', 'http://atrium.example', 403],
    ['atrium.example', 'https://atrium.example:8443', 403],
    ['atrium.example', 'null', 403],
  ])('a request under the name %s of a page of %s is answered with %i', async (host, origin, status) => {
    const reply = await open.post('directory', LIST, { host, ...(origin !== undefined && { origin }) })
    expect(reply.status).toBe(status)
    expect(reply.headers['access-control-allow-origin']).toBe(status === 200 ? origin : undefined)
    if (status === 403) expect(reply.text).not.toContain('localhost or')
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.example', false],
  ['127.0.0.1.example', false],
])('what listens on %s is reached by this machine only: %s', (host, isOnly) => {
  expect(isLoopbackHost(host)).toBe(isOnly)
})

test('nothing is kept between requests: no session, and no method that needs one', async () => {
  const { headers } = await stack.post('graph', INITIALIZE)
  expect(headers['mcp-session-id']).toBeUndefined()
  for (const method of ['GET', 'DELETE']) {
    expect((await askRaw(stack.url, '/mcp/graph', { method, headers: { accept: 'text/event-stream' } })).status).toBe(405)
  }
  expect((await askRaw(stack.url, '/mcp/graph', { method: 'PUT' })).status).toBe(405)
  expect((await askRaw(stack.url, '/mcp/nothing', { method: 'POST' })).status).toBe(404)
})

test.each([
  ['no JSON', '{"jsonrpc":', {}, 400, -32_700],
  ['nothing', '', {}, 400, -32_700],
  ['JSON that is no message', '[1, 2]', {}, 400, undefined],
  ['another type', '{}', { 'content-type': 'text/plain' }, 415, -32_000],
  ['bytes in another coding', '{}', { 'content-encoding': 'gzip' }, 415, -32_000],
  ['more than 512 kB', JSON.stringify({ ...LIST, params: { text: 'x'.repeat(600_000) } }), {}, 413, -32_000],
  ['lists a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, {}, 400, undefined],
  ['a version that there never was', JSON.stringify(LIST), { 'mcp-protocol-version': '1999-01-01' }, 400, -32_000],
])('a body of %s is refused in the form of JSON-RPC', async (_, body, headers, status, code) => {
  const reply = await stack.post('directory', body, headers as Record<string, string>)
  expect(reply.status).toBe(status)
  expect(reply.json).toMatchObject({
    jsonrpc: '2.0',
    error: { message: expect.any(String), ...(code !== undefined && { code }) },
  })
  expect((await stack.post('directory', LIST)).status).toBe(200)
})

test.each([
  ['a name that objects have anyway', { query: 'pdf', ['__proto__']: 1, constructor: {} }],
  ['a list in place of text', { query: ['pdf'] }],
  ['a text with control characters', { query: 'p\u0000df' }],
  ['a text of a hundred thousand characters', { query: 'x'.repeat(100_000) }],
  ['null in place of a number', { query: 'pdf', limit: null }],
])('%s as an argument is an error for the model, and short', async (_, given) => {
  const { status, text } = await stack.post('directory', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_skills', arguments: given },
  })
  expect(status).toBe(200)
  expect(text.length).toBeLessThan(600)
  const { result } = JSON.parse(text.replace(/^event: message\ndata: /, ''))
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^Expected /) }] })
})

test('a client of 2026-07-28 gets the lifetime of lists', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const ask = (method: string) =>
    stack.post(
      'directory',
      { jsonrpc: '2.0', id: 1, method, params: { _meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    )
  const first = (await ask('tools/list')).json.result
  expect(first).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' })
  expect((await ask('tools/list')).json.result.tools).toEqual(first.tools)
  expect((await ask('server/discover')).json.result).toMatchObject({ supportedVersions: ['2026-07-28'], ttlMs: 300_000 })
  expect((await ask('tools/nothing')).status).toBe(404)
})

test.each(['directory', 'store', 'trust', 'graph'])('registries get an entry for %s that says where it is', async (server) => {
  const { json, status } = await askRaw(stack.url, `/mcp/${server}/server.json`)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    name: `example.atrium/atrium-${server}`,
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    remotes: [{ type: 'streamable-http', url: `https://atrium.example/mcp/${server}` }],
  })
  expect(json.description.length).toBeLessThanOrEqual(100)
  expect(json.title.length).toBeLessThanOrEqual(100)
  const read = registryReader.read(json, { origin: 'atrium.example', path: 'server.json', text: '' } as never)
  expect(read.skipped).toEqual([])
  expect(read.contributions).toMatchObject([{ statement: { name: json.title } }])
})

test('the guide for agents lists every server', async () => {
  const { text } = await askRaw(stack.url, '/llms.txt')
  for (const server of ['directory', 'store', 'trust', 'graph']) expect(text).toContain(`https://atrium.example/mcp/${server}`)
})

test('with introspection off for clients, tools cannot read the schema either', async () => {
  const hidden = await startMcpStack({ introspection: false })
  const { text } = await hidden.post('graph', LIST)
  expect(text).toContain('run_query')
  expect(text).not.toContain('search_schema')
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'run_query', arguments: { query: '{ __schema { types { name } } }' } },
  }
  expect((await hidden.post('graph', call)).text).toContain('INTROSPECTION_DISABLED')
  expect((await hidden.post('graph', { jsonrpc: '2.0', id: 1, method: 'resources/list' })).text).toContain('"resources":[]')
  await hidden.close()
})

test('a rate limit counts the requests of each account, and answers with Retry-After', async () => {
  const app = createHttpServer({ log: pino({ level: 'silent' }) })
  const echo = plainTool({
    name: 'echo',
    title: 'Echo',
    description: 'Says it again.',
    accepts: argumentsOf({ text: z.string() }),
    returns: z.object({ text: z.string() }),
    answer: ({ text }) => ({ kind: 'answered', content: { text } }),
  })
  const policy: AccessPolicy = {
    perMinute: 2,
    accountOf: async ({ credentials }) => ({ account: credentials['x-login-key'] ?? '', scopes: [] }),
    scopes: [],
  }
  const rows = { tools: [echo], resources: [], prompts: [], spelling: (_: string, value: string) => value }
  const about = { name: 'echo', title: 'Echo', description: 'Says it again.', instructions: 'Say something.' }
  await serveMcp(
    app,
    {} as never,
    { ...about, ...rows, credentials: ['x-login-key'], keyHeaders: [], accessPolicy: policy },
    { publicUrl: 'http://localhost', hosts: [], isOnLoopback: true, rateLimits: localRateLimitStore() },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const ask = (account: string) =>
    askRaw(url, '/mcp/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-login-key': account },
      body: JSON.stringify(LIST),
    })
  expect([(await ask('a')).status, (await ask('a')).headers.ratelimit]).toEqual([
    200,
    expect.stringMatching(/^"requests";r=0;t=\d+$/),
  ])
  const refused = await ask('a')
  expect({ status: refused.status, after: refused.headers['retry-after'] }).toEqual({
    status: 429,
    after: expect.stringMatching(/^[1-9]\d*$/),
  })
  expect(refused.json.error.message).toMatch(/^Expected at most 2 requests a minute: try again in \d+ seconds\.$/)
  expect((await ask('b')).status).toBe(200)
  await app.close()
})
