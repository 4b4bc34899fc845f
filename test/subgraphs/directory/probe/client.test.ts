import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { type ProbeBounds, type ProbeResult, prober } from '../../../../subgraphs/directory/probe/client.ts'
import { hostile, offering, type Running } from './mcp-servers.ts'

const BOUNDS: ProbeBounds = { timeoutMs: 20_000, maxBytes: 1_000_000 }
const onLoopback = ({ address }: { readonly address: string }) => address === '127.0.0.1'
const probers = [
  prober({ allow: onLoopback }, BOUNDS),
  prober({ allow: onLoopback }, { ...BOUNDS, timeoutMs: 500 }),
  prober(),
] as const
const [patient, hasty, guarded] = probers
const running: Running[] = []

afterAll(async () => {
  await Promise.all([...running.map(({ close }) => close()), ...probers.map(({ close }) => close())])
})

const closedAtEnd = (server: Running): Running => {
  running.push(server)
  return server
}
const never = new AbortController().signal
const probe = (url: string, by = patient, type = 'streamable-http'): Promise<ProbeResult> => by.probe({ url, type }, never)

/** Answers the handshake, and the rest as given. */
const handshaken = (answer: (message: { method: string; id?: number; params?: unknown }, response: ServerResponse) => void) =>
  hostile((message, _, response) => {
    if (message.method === 'server/discover') return void response.writeHead(404).end()
    if (message.method === 'notifications/initialized') return void response.writeHead(202).end()
    if (message.method !== 'initialize') return answer(message, response)
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } }
    json(response, message.id, result)
  })
const json = (response: ServerResponse, id: number | undefined, result: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))

describe('a server that answers', () => {
  test('gives all pages of its lists, and nothing is called', async () => {
    const tools = Array.from({ length: 7 }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does ${index}`,
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    }))
    const server = closedAtEnd(
      await offering({
        tools,
        pageSize: 3,
        prompts: [{ name: 'review', arguments: [{ name: 'code' }] }],
        resources: [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain' }],
      }),
    )
    const result = await probe(server.url)
    expect(result).toMatchObject({ status: 'ANSWERED', serverVersion: '1.2.3', features: { isTruncated: false } })
    if (result.status !== 'ANSWERED') return
    expect(result.features.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(result.features.tools[0]).toEqual({
      name: 'tool_0',
      title: null,
      description: 'Does 0',
      inputSchema: JSON.stringify(tools[0]?.inputSchema),
      isReadOnly: true,
      isDestructive: null,
    })
    expect(result.features.prompts).toEqual([{ name: 'review', description: null, arguments: ['code'] }])
    expect(result.features.resources.map(({ uri }) => uri)).toEqual(['file:///a', 'file:///{path}'])
    expect(new Set(server.methods.filter((method) => !/^(server\/discover|initialize|notifications\/)/.test(method)))).toEqual(
      new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']),
    )
  })

  test('with entries of wrong types keeps the others', async () => {
    const server = closedAtEnd(
      await handshaken(({ id }, response) =>
        json(response, id, { tools: [null, 7, { name: 'ok' }, { name: 3 }, { name: 'a\u0000b' }, { name: 'ok' }, { name: '' }] }),
      ),
    )
    const result = await probe(server.url)
    expect(result.status === 'ANSWERED' && result.features.tools.map(({ name }) => name)).toEqual(['ok'])
  })
})

describe('a hostile server', () => {
  test('with cursors that never end is left after as many entries as are kept', async () => {
    let pages = 0
    const server = closedAtEnd(
      await handshaken(({ id }, response) => {
        pages += 1
        json(response, id, { tools: [{ name: `t${pages}` }], nextCursor: `c${pages}` })
      }),
    )
    const result = await probe(server.url)
    expect(result).toMatchObject({ status: 'ANSWERED', features: { isTruncated: true } })
    expect(pages).toBe(20)
  })

  test('with a cursor that leads back is no MCP server', async () => {
    const server = closedAtEnd(await handshaken(({ id }, response) => json(response, id, { tools: [], nextCursor: 'same' })))
    expect(await probe(server.url)).toMatchObject({ status: 'INVALID', reason: expect.stringContaining('lead back') })
  })

  test('with 50 MB is left at the limit of bytes', async () => {
    let written = 0
    const server = closedAtEnd(
      await handshaken((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = Buffer.alloc(100_000, 'x')
        const more = (): void => {
          while (written < 50_000_000 && !response.destroyed) {
            written += chunk.length
            if (!response.write(chunk)) return void response.once('drain', more)
          }
          response.end()
        }
        more()
      }),
    )
    expect(await probe(server.url)).toMatchObject({ status: 'TOO_LARGE' })
    expect(written).toBeLessThan(20_000_000)
  })

  test('with 50 MB in a stream of events is left as well', async () => {
    const server = closedAtEnd(
      await handshaken((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const more = (): void => {
          while (!response.destroyed)
            if (!response.write(`data: ${'x'.repeat(100_000)}\n`)) return void response.once('drain', more)
        }
        more()
      }),
    )
    expect(await probe(server.url)).toMatchObject({ status: 'TOO_LARGE' })
  })

  test.each([
    ['never answers', () => {}],
    [
      'begins an answer and stops',
      (_: unknown, response: ServerResponse) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ],
    [
      'begins a stream and stops',
      (_: unknown, response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
    ],
  ])('that %s is left in time', async (_, answer) => {
    const server = closedAtEnd(await handshaken(answer))
    expect(await probe(server.url, hasty)).toEqual({ status: 'TIMEOUT', reason: 'It did not end within 0.5 seconds.' })
  })

  test('that answers with a page of HTML is no MCP server', async () => {
    const server = closedAtEnd(
      await hostile((_, __, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')),
    )
    expect(await probe(server.url)).toMatchObject({ status: 'INVALID' })
  })

  test.each([
    [429, { 'retry-after': '7200' }, { retryAfterSeconds: 7_200, isRateLimited: true }],
    [429, { 'retry-after': '999999999' }, { retryAfterSeconds: 86_400, isRateLimited: true }],
    [429, {}, { isRateLimited: true }],
    [503, { 'retry-after': new Date(Date.now() - 9_000).toUTCString() }, {}],
    [502, {}, {}],
  ])('that answers %i, %j is unreachable and gets no second request', async (status, headers, rest) => {
    let requests = 0
    const server = closedAtEnd(
      await hostile((_, __, response) => {
        requests += 1
        response.writeHead(status, headers).end('<h1>Not now</h1>')
      }),
    )
    const reason = `The server answers no requests now: status ${status}.`
    expect(await probe(server.url)).toEqual({ status: 'UNREACHABLE', reason, ...rest })
    expect(requests).toBe(1)
  })

  test('with an error of its own is unreachable, also behind a handshake', async () => {
    const broken = closedAtEnd(await hostile((_, __, response) => void response.writeHead(500).end('<h1>Oops</h1>')))
    expect(await probe(broken.url)).toMatchObject({ status: 'UNREACHABLE' })
    const busy = closedAtEnd(await handshaken((_, response) => void response.writeHead(500).end()))
    expect(await probe(busy.url)).toMatchObject({ status: 'UNREACHABLE' })
  })

  test('that answers too many requests in the middle has not answered', async () => {
    const server = closedAtEnd(
      await hostile((message, _, response) => {
        if (message.method === 'server/discover') return void response.writeHead(404).end()
        if (message.method === 'notifications/initialized') return void response.writeHead(202).end()
        if (message.method === 'resources/templates/list') return void response.writeHead(429, { 'retry-after': '60' }).end()
        if (message.method !== 'initialize') return json(response, message.id, { resources: [{ uri: 'a:b' }] })
        const serverInfo = { name: 'hostile', version: '1' }
        json(response, message.id, { protocolVersion: '2025-06-18', capabilities: { resources: {} }, serverInfo })
      }),
    )
    expect(await probe(server.url)).toMatchObject({ status: 'UNREACHABLE', retryAfterSeconds: 60 })
  })

  test('that wants a sign-in is not signed in to', async () => {
    const paths: (string | undefined)[] = []
    const server = closedAtEnd(
      await hostile((_, request, response) => {
        paths.push(request.url)
        response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:1/x"' }).end()
      }),
    )
    expect(await probe(server.url)).toMatchObject({ status: 'UNAUTHORIZED' })
    expect(new Set(paths)).toEqual(new Set(['/mcp']))
  })

  test.each(['http://169.254.169.254/latest/meta-data', 'http://127.0.0.1:1/', 'https://10.0.0.1/mcp'])(
    'that redirects to %s is not followed',
    async (location) => {
      const server = closedAtEnd(await hostile((_, __, response) => void response.writeHead(307, { location }).end()))
      expect(await probe(server.url)).toMatchObject({ status: 'BLOCKED' })
    },
  )

  test.each([
    'http://127.0.0.1:1/mcp',
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://10.1.2.3/mcp',
    'http://example.com/mcp',
  ])('at %s is not connected to', async (url) => {
    expect(await probe(url, guarded)).toMatchObject({ status: 'BLOCKED' })
    expect(await probe(url, guarded, 'sse')).toMatchObject({ status: 'BLOCKED' })
  })

  test('of the older transport cannot name another host for messages', async () => {
    const requested: string[] = []
    const other = closedAtEnd(await hostile((message) => void requested.push(message.method)))
    const server = closedAtEnd(
      await hostile((_, __, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`event: endpoint\ndata: http://127.0.0.1:${other.port}/steal\n\n`)
      }),
    )
    const result = await probe(server.url, hasty, 'sse')
    expect(result.status).not.toBe('ANSWERED')
    expect(requested).toEqual([])
  })

  test('that sends requests itself gets no answer', async () => {
    const requested: unknown[] = []
    const server = closedAtEnd(
      await hostile((message, _, response) => {
        requested.push(message)
        if (message.method !== 'initialize') return void response.writeHead(message.method ? 404 : 202).end()
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })}\n\n`,
        )
      }),
    )
    expect((await probe(server.url, hasty)).status).not.toBe('ANSWERED')
    expect(JSON.stringify(requested)).not.toContain('"content"')
  })
})
