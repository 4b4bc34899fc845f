import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { residentBytes } from '../../bench/server.ts'
import { compose } from '../../gateway/planning/composition.ts'
import { type SourceExchange, type SourceServer, startSourceServer, status } from '../gateway/support/source-server.ts'
import { acknowledged, type Data } from '../gateway/support/transports.ts'
import { unusedPort } from '../support/program.ts'

/** A gateway by itself whose supergraph, subgraphs, hooks, broker and clients do what they should not. */
const SECRET = 'what-nobody-may-read'
const MEGABYTES = 1_000_000
const LINK = (imports: string) => `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${imports}])`
const SHELF = `${LINK('"@key"')}
  type Query { book: Book work: Work }
  interface Work { title: String }
  type Book implements Work { title: String pages: Int }
  type Film implements Work { title: String }`
const SHOP = `${LINK('"@composeDirective"')}
  @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
  @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT
  type Query { shop: String @cacheControl(maxAge: 60) }`
const EVENTS = `${LINK('"@key", "@composeDirective"')}
  @link(url: "https://example.com/edfs/v1.0")
  @composeDirective(name: "@edfs__natsSubscribe")
  directive @edfs__natsSubscribe(subjects: [String!]!, providerId: String! = "default") on FIELD_DEFINITION
  type Subscription { itemUpdated: Item @edfs__natsSubscribe(subjects: ["items"]) }
  type Item @key(fields: "id", resolvable: false) { id: ID! }`

/** Hooks do what the headers of a client say, at one stage of fetches of one subgraph. */
const HOOKS = `
const act = (stage) => ({ context, subgraph = 'shelf' }) => {
  if (context.stage !== stage || subgraph !== 'shelf') return
  switch (context.how) {
    case 'throws': throw new Error('${SECRET}')
    case 'rejects': return Promise.reject(new Error('${SECRET}'))
    case 'hangs': return new Promise(() => {})
    case 'returns a text': return '${SECRET}'
  }
}
const hooks = {
  timeoutMilliseconds: 300,
  request: (call) => {
    call.context.how = call.headers['x-how']
    call.context.stage = call.headers['x-stage']
    return act('request')(call)
  },
  operation: act('operation'),
  plan: act('plan'),
  subgraphRequest: act('subgraphRequest'),
  subgraphResponse: act('subgraphResponse'),
}`

let folder: string
let supergraphSdl: string
let source: SourceServer
let shelf: SourceServer
let shop: SourceServer
let hooked: Program
let caching: Program
let memoryBefore: number

const answers =
  (body: string): SourceServer['answer'] =>
  ({ response }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(body)
const RIGHT = '{"data":{"book":{"title":"A","pages":3},"work":{"__typename":"Book","title":"A"}}}'
/** Says in its answer what of the client it was told. */
const echoing: SourceServer['answer'] = ({ request: { headers }, response, body }) => {
  const received = Object.keys(headers).filter(
    (name) => name.startsWith('x-') && name !== 'x-request-id' && name !== 'x-forwarded-for',
  )
  const [, alias = 'shop'] = /(\w+)\s*:\s*shop/.exec(JSON.parse(body).query) ?? []
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'set-cookie': `session=${SECRET}`,
      'cache-control': 'public, max-age=9',
    })
    .end(JSON.stringify({ data: { [alias]: `Corner ${received.map((name) => headers[name]).join()}` } }))
}

type Program = {
  readonly child: ChildProcess
  readonly base: string
  readonly out: () => string
  readonly stop: () => Promise<void>
}

/** Runs the command with a configuration file; rejects with what it says when it ends instead. */
async function start(name: string, text: (port: number) => string): Promise<Program> {
  const port = await unusedPort()
  const config = join(folder, `${name}.mjs`)
  writeFileSync(config, text(port))
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../gateway/main.ts'), '--config', config], {
    env: { PATH: process.env.PATH },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const ended = once(child, 'close')
  await Promise.race([
    new Promise<void>((resolve) =>
      child.stderr.on('data', (chunk) => {
        err += chunk
        if (err.includes('ready')) resolve()
      }),
    ),
    ended.then(() => Promise.reject(new Error(err.trim()))),
  ])
  return {
    child,
    base: `http://127.0.0.1:${port}`,
    out: () => out,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const SETTINGS = `explorer: false, subgraphs: { shelf: { timeoutMilliseconds: 1000 } }, eventSources: { default: { url: 'nats://127.0.0.1:1', reconnectSeconds: 0 } }`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-bad-input-'))
  shelf = await startSourceServer(answers(RIGHT))
  shop = await startSourceServer(echoing)
  supergraphSdl = compose([
    { name: 'shelf', url: shelf.url, typeDefs: parse(SHELF) },
    { name: 'shop', url: shop.url, typeDefs: parse(SHOP) },
    { name: 'events', typeDefs: parse(EVENTS) },
  ])
  source = await startSourceServer(({ response }) => void response.end(supergraphSdl))
  const followed = `supergraph: { type: 'http', url: '${source.url}', pollSeconds: 1 }`
  hooked = await start('hooked', (port) => `${HOOKS}\nexport default { ${followed}, port: ${port}, ${SETTINGS}, hooks }`)
  caching = await start(
    'caching',
    (port) => `export default { ${followed}, port: ${port}, ${SETTINGS}, responseCacheBytes: 1000000,
      allSubgraphs: { headers: { request: [{ propagate: 'x-tenant' }] } } }`,
  )
  for (let count = 0; count < 50; count++) await healthy()
  memoryBefore = residentBytes(hooked.child.pid ?? 0)
}, 60_000)
afterAll(async () => {
  await Promise.all([hooked?.stop(), caching?.stop()])
  for (const server of [source, shelf, shop]) server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const QUERY = '{ book { title pages } work { __typename title } shop }'
async function ask(headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${hooked.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: QUERY }),
  })
  const text = await response.text()
  expect(text).not.toContain(SECRET)
  const { data, errors = [] } = JSON.parse(text) as { data?: Data; errors?: readonly Data[] }
  return { data, codes: errors.map(({ extensions }) => extensions.code) }
}
const WHOLE = { book: { title: 'A', pages: 3 }, work: { __typename: 'Book', title: 'A' }, shop: 'Corner ' }
const LEFT = { book: null, work: null, shop: 'Corner ' }
const healthy = async () => expect(await ask()).toEqual({ data: WHOLE, codes: [] })
/** The subgraph does this once more between right answers, so that its circuit stays closed. */
async function withShelf(flaw: SourceServer['answer'], run: () => Promise<void>): Promise<void> {
  for (let count = 0; count < 10; count++) await healthy()
  shelf.answer = flaw
  await run().finally(() => {
    shelf.answer = answers(RIGHT)
  })
  await healthy()
  expect(residentBytes(hooked.child.pid ?? 0) - memoryBefore).toBeLessThan(150 * MEGABYTES)
}

describe('a supergraph that cannot be read', () => {
  const half = () => supergraphSdl.slice(0, supergraphSdl.length / 2)
  test.each<{ what: string; answer: () => SourceServer['answer'] }>([
    { what: 'half of it', answer: () => answers(half()) },
    { what: 'a page', answer: () => answers('<html>') },
    { what: 'SDL of no supergraph', answer: () => answers('type Query { a: Int }') },
    {
      what: 'bytes',
      answer:
        () =>
        ({ response }) =>
          void response.end(Buffer.from([0xff, 0xfe, 0])),
    },
    { what: '21 MB', answer: () => answers(' '.repeat(21 * MEGABYTES)) },
    {
      what: 'a reset',
      answer:
        () =>
        ({ request }) =>
          void request.socket.destroy(),
    },
    { what: 'status 500', answer: () => status(500, SECRET) },
  ])(
    'changes nothing, and stops a start with one sentence: $what',
    async ({ answer }) => {
      const refusals = () => hooked.out().split('the one before stays').length
      const before = refusals()
      source.answer = answer()
      try {
        hooked.child.kill('SIGHUP')
        await expect.poll(refusals, { timeout: 30_000 }).toBeGreaterThan(before)
        await healthy()
        const begun = start(
          'broken',
          (port) => `export default { supergraph: { type: 'http', url: '${source.url}' }, port: ${port} }`,
        )
        const reason = await begun.then(
          async ({ stop }) => {
            await stop()
            return 'it started'
          },
          ({ message }: Error) => message,
        )
        expect(reason.split('\n')).toHaveLength(1)
        expect(reason).toMatch(/supergraph|^http:/)
        expect(reason).not.toMatch(/it started|\bat .*\.ts|what-nobody/)
      } finally {
        source.answer = ({ response }) => void response.end(supergraphSdl)
      }
    },
    60_000,
  )
})

/** 100 MB, a piece after the other. */
const pours = ({ response }: SourceExchange) => {
  const piece = 'x'.repeat(MEGABYTES)
  let left = 100
  const write = () => {
    if (response.destroyed) return
    if (left-- > 0) response.write(piece, () => setImmediate(write))
    else response.end('"}}}')
  }
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{"book":{"title":"')
  write()
}

describe('a subgraph that lies', () => {
  const WORK = '"work":{"__typename":"Book","title":"A"}'
  test.each<{ what: string; flaw: SourceServer['answer']; data: Data; codes: readonly string[] }>([
    {
      what: 'with a wrong type, nulls that field',
      flaw: answers(`{"data":{"book":{"title":"A","pages":"${SECRET}"},${WORK}}}`),
      data: { ...WHOLE, book: { title: 'A', pages: null } },
      codes: ['INVALID_SUBGRAPH_ANSWER'],
    },
    {
      what: 'with a list for an object, nulls that field',
      flaw: answers(`{"data":{"book":["${SECRET}"],${WORK}}}`),
      data: { ...WHOLE, book: null },
      codes: ['INVALID_SUBGRAPH_ANSWER'],
    },
    {
      what: 'with fields that nobody asked for, is cut to the question',
      flaw: answers(
        `{"data":{"book":{"title":"A","pages":3,"secret":"${SECRET}"},${WORK},"shop":"${SECRET}"},"extensions":{"a":"${SECRET}"}}`,
      ),
      data: WHOLE,
      codes: [],
    },
    {
      what: 'with the __typename of another type, nulls that field',
      flaw: answers(`{"data":{"book":{"title":"A","pages":3},"work":{"__typename":"Query","title":"${SECRET}"}}}`),
      data: { ...WHOLE, work: null },
      codes: ['INVALID_SUBGRAPH_ANSWER'],
    },
    { what: 'with 100 MB, nulls its fields', flaw: pours, data: LEFT, codes: ['SUBGRAPH_UNAVAILABLE'] },
    { what: 'with silence, nulls its fields in time', flaw: () => {}, data: LEFT, codes: ['TIMEOUT'] },
  ])('$what', ({ flaw, data, codes }) => withShelf(flaw, async () => expect(await ask()).toEqual({ data, codes })), 60_000)
})

describe('a hook that', () => {
  const HOWS = ['throws', 'rejects', 'hangs', 'returns a text']
  test.each(HOWS.flatMap((how) => ['request', 'operation', 'plan'].map((stage) => ({ how, stage }))))(
    '$how at $stage ends that operation alone',
    async ({ how, stage }) => {
      expect(await ask({ 'x-how': how, 'x-stage': stage })).toEqual({ data: undefined, codes: ['HOOK_FAILED'] })
      await healthy()
    },
  )

  test.each(HOWS.flatMap((how) => ['subgraphRequest', 'subgraphResponse'].map((stage) => ({ how, stage }))))(
    '$how at $stage ends that fetch alone',
    async ({ how, stage }) => {
      expect(await ask({ 'x-how': how, 'x-stage': stage })).toEqual({ data: LEFT, codes: ['HOOK_FAILED'] })
      await healthy()
    },
  )

  test('hangs for 200 clients holds up no other', async () => {
    const hanging = Array.from({ length: 200 }, () => ask({ 'x-how': 'hangs', 'x-stage': 'plan' }))
    await healthy()
    for (const { codes } of await Promise.all(hanging)) expect(codes).toEqual(['HOOK_FAILED'])
  }, 30_000)
})

test('a broker that is gone refuses its subscriptions, and nothing else', async () => {
  for (let count = 0; count < 3; count++) {
    const { ask: over, socket } = await acknowledged(
      new WebSocket(`${hooked.base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws'),
    )
    const received = await over({ query: 'subscription { itemUpdated { id } }' })
    socket.terminate()
    expect(received).toMatchObject([{ type: 'error', payload: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }] }])
    expect(JSON.stringify(received)).not.toMatch(/127\.0\.0\.1|ECONN/)
    await healthy()
  }
}, 30_000)

describe('a client that would poison caches', () => {
  const get = async (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${caching.base}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { 'apollo-require-preflight': '1', ...headers },
    })
    expect(response.headers.get('set-cookie')).toBeNull()
    return {
      vary: response.headers.get('vary') ?? '',
      control: response.headers.get('cache-control'),
      text: await response.text(),
    }
  }
  test.each<{ headers: Record<string, string> }>([
    { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' } },
    { headers: { 'x-original-url': '/evil', 'x-rewrite-url': '/evil' } },
    { headers: { 'x-http-method-override': 'POST', 'x-method-override': 'DELETE' } },
    { headers: { cookie: 'session=evil', 'user-agent': 'evil', referer: 'https://evil.example/' } },
    { headers: { 'x-request-id': 'evil', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } },
    { headers: { range: 'bytes=0-3', 'cache-control': 'no-cache', pragma: 'no-cache' } },
    { headers: { 'x-tenant': 'evil' } },
    { headers: { authorization: 'Bearer evil' } },
  ])('by $headers changes no answer of another client', async ({ headers }) => {
    const query = `{ ${Object.keys(headers)[0]?.replaceAll('-', '_')}: shop }`
    const before = shop.requests.length
    const poisoned = await get(query, headers)
    const [first, second] = [await get(query), await get(query)]
    expect(JSON.parse(first.text)).toEqual({ data: { [Object.keys(JSON.parse(first.text).data)[0] ?? '']: 'Corner ' } })
    expect(second.text).toBe(first.text)
    // It was cached: for everybody, or for callers without the header.
    const isKeyed = 'x-tenant' in headers || 'authorization' in headers
    expect(shop.requests.length - before).toBe(isKeyed ? 2 : 1)
    expect(poisoned.text === first.text).toBe(!('x-tenant' in headers))
    // Caches in front of it tell them apart as well.
    expect(first.vary.toLowerCase()).toContain('x-tenant')
    expect(first.vary.toLowerCase()).toContain('authorization')
    expect(first.control).toMatch(/public/)
  })
})
