import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../gateway/gateway.ts'
import { createRemoteLink, type RemoteLink } from '../../gateway/subgraph-client/remote-subgraph.ts'
import { ask, type Counted, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from './support/graph.ts'
import { startStandalone } from './support/program.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A subgraph as another process would serve it; `behaviour` replaces its answer. */
type Remote = {
  readonly url: string
  readonly requests: { headers: IncomingMessage['headers']; body: string }[]
  behaviour: string | null
  readonly server: Server
}

async function serve(subgraph: Counted): Promise<Remote> {
  const requests: Remote['requests'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ headers: request.headers, body })
    if (remote.behaviour === 'HANG') return
    response.setHeader('content-type', 'application/json')
    if (remote.behaviour === 'ENDLESS') {
      const chunk = 'x'.repeat(1_000_000)
      // `writable` stays true when the reader has left, and every write is then done at once.
      const write = () => void (response.destroyed || response.write(chunk, () => setImmediate(write)))
      return write()
    }
    if (remote.behaviour !== null) return response.end(remote.behaviour)
    const { query, variables } = JSON.parse(body)
    const caller = { requestId: '', address: '', credentials: {} }
    response.end(
      JSON.stringify(
        await graphql({
          schema: subgraph.schema,
          source: query,
          variableValues: variables,
          contextValue: subgraph.context(caller),
        }),
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const remote: Remote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests,
    behaviour: null,
    server,
  }
  return remote
}

let shop: Remote
let review: Remote
beforeAll(async () => {
  shop = await serve(shopSubgraph())
  review = await serve(reviewSubgraph())
})
afterAll(() => {
  for (const { server } of [shop, review]) server.close().closeAllConnections()
})

const ACROSS = '{ latestReview { text about { name } } product(id: "c") { name rating reviews { text } } }'

describe('subgraphs over HTTP', () => {
  const remoteGraph = async (
    use: (
      execute: (query: string, variables?: Record<string, unknown>) => ReturnType<typeof ask>,
      lines: Record<string, unknown>[],
    ) => Promise<void>,
  ) => {
    const links: RemoteLink[] = [
      createRemoteLink({ name: 'shop', url: shop.url }),
      createRemoteLink({ name: 'review', url: review.url }),
    ]
    const { log, lines } = recordingLog()
    const gateway = await startGateway({
      supergraphSdl: supergraphSdl({ shop: shop.url, review: review.url }),
      links,
      limits: { depth: 10, cost: 1000 },
      log,
    })
    try {
      await use((query, variables) => ask(gateway, query, variables), lines)
    } finally {
      shop.behaviour = null
      await Promise.all(links.map((link) => link.close()))
    }
  }

  test('entities are resolved across real connections; 0 is not null', () =>
    remoteGraph(async (execute) => {
      expect(await execute(ACROSS)).toEqual({
        data: {
          latestReview: { text: 'Fine.', about: { name: 'Product b' } },
          product: { name: 'Product c', rating: 0, reviews: [{ text: 'Good c' }, { text: 'Bad c' }] },
        },
      })
    }))

  test('a variable called representations does not collide with a fetch of entities', () =>
    remoteGraph(async (execute) => {
      const { data, errors } = await execute(
        'query ($representations: String) { latestReview { about { reviews(contains: $representations) { text } name } } }',
        {
          representations: 'Bad',
        },
      )
      expect([errors, data]).toEqual([
        undefined,
        { latestReview: { about: { reviews: [{ text: 'Bad b' }], name: 'Product b' } } },
      ])
    }))

  test('the request id and the address go along, and only credentials of the allow-list', () =>
    remoteGraph(async (execute) => {
      shop.requests.length = 0
      await execute('{ products { totalCount } }')
      expect(shop.requests[0]?.headers).toMatchObject({ 'x-request-id': 'r-1', 'x-forwarded-for': '127.0.0.1' })
      expect(shop.requests[0]?.headers).not.toHaveProperty('cookie')
    }))

  test.each([
    ['an error page', '<html>secret-host</html>'],
    ['no object', '[1]'],
    ['nothing of GraphQL', '{"secret": "secret-host"}'],
    ['data that is no object', '{"data": 7}'],
    ['no data, and nothing about why', '{"data": null}'],
    ['no data, and no errors', '{"data": null, "errors": []}'],
    ['more than anybody asked for', 'ENDLESS'],
  ])('an answer that is %s becomes an error without its text and its URL', (_, behaviour) =>
    remoteGraph(async (execute, lines) => {
      shop.behaviour = behaviour
      const { data, errors } = await execute('{ product(id: "a") { name } latestReview { text } }')
      expect(data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['SUBGRAPH_UNAVAILABLE'])
      expect(JSON.stringify(errors)).not.toMatch(/secret|127\.0\.0\.1|http/)
      expect(lines.filter(({ msg }) => msg === 'a fetch from a subgraph failed')).toHaveLength(1)
    }),
  )

  test('a subgraph that does not answer is given up after five seconds', () =>
    remoteGraph(async (execute) => {
      shop.behaviour = 'HANG'
      const { data, errors } = await execute('{ product(id: "a") { name } latestReview { text } }')
      expect([data, errors?.[0]?.extensions.code]).toEqual([{ product: null, latestReview: { text: 'Fine.' } }, 'TIMEOUT'])
    }))

  test('errors of a subgraph keep their message, path and code, and lose what shows its inside', () =>
    remoteGraph(async (execute) => {
      shop.behaviour = JSON.stringify({
        data: { product: null },
        errors: [
          {
            message: 'Sold out.',
            path: ['product'],
            locations: [{ line: 1, column: 1 }],
            extensions: { code: 'SOLD_OUT', stacktrace: ['at secret.js'] },
          },
        ],
      })
      const { errors } = await execute('{ product(id: "a") { name } }')
      expect(errors).toEqual([{ message: 'Sold out.', path: ['product'], extensions: { code: 'SOLD_OUT' } }])
    }))

  test('a null where the schema promises a value is an error, not a secret', () =>
    remoteGraph(async (execute) => {
      shop.behaviour = '{"data": {"product": {"name": null}}}'
      const { data, errors } = await execute('{ product(id: "a") { name } }')
      expect([data, errors?.[0]?.extensions.code]).toEqual([{ product: null }, 'INVALID_SUBGRAPH_ANSWER'])
    }))
})

describe('node gateway/main.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-gateway-'))
  const children: ChildProcess[] = []
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  const written = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  /** Starts it as a process of its own; resolves when it says that it is ready, or has ended. */
  async function startProcess(env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, ['gateway/main.ts'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, LOG_LEVEL: 'info', ...env },
    })
    children.push(child)
    let [out, said] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const ready = new Promise<void>((resolve) =>
      child.stderr.on('data', (chunk) => {
        said += chunk
        if (said.includes('ready')) resolve()
      }),
    )
    await Promise.race([ready, ended])
    return { child, ended, said: () => said, out: () => out, url: urlIn(said) }
  }

  /** Starts it in a process that has loaded it, or in a new one. */
  async function start(env: Readonly<Record<string, string>>) {
    const { child, ended, err } = await startStandalone({ LOG_LEVEL: 'info', ...env })
    return { child, ended, said: err, url: urlIn(err()) }
  }
  const urlIn = (text: string) => /http:\S+/.exec(text)?.[0] ?? ''

  const question = (query: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })

  test('serves the graph and drains on SIGTERM', async () => {
    const supergraph = written('good.graphql', supergraphSdl({ shop: shop.url, review: review.url }))
    const gateway = await startProcess({ SUPERGRAPH_FILE: supergraph, PORT: '0' })
    const answer = await fetch(gateway.url, question(ACROSS))
    expect(await answer.json()).toMatchObject({ data: { product: { name: 'Product c', rating: 0 } } })
    const deep = `{ product(id: "a") { ${'parent { '.repeat(11)} id ${'} '.repeat(11)} } }`
    expect((await fetch(gateway.url, question(deep))).status).toBe(400)
    expect((await fetch(gateway.url.replace('/graphql', '/ready'))).status).toBe(200)
    const page = await fetch(gateway.url, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toContain('text/html')

    gateway.child.kill('SIGTERM')
    expect([await gateway.ended, gateway.out()]).toEqual([0, expect.stringContaining('"requestId"')])
  })

  test('DEPTH_LIMIT and COST_LIMIT move the limits, 0 turns them off', async () => {
    const supergraph = written('limits.graphql', supergraphSdl({ shop: shop.url, review: review.url }))
    const gateway = await start({ SUPERGRAPH_FILE: supergraph, PORT: '0', DEPTH_LIMIT: '0', COST_LIMIT: '3' })
    const deep = `{ product(id: "a") { ${'parent { '.repeat(11)} id ${'} '.repeat(11)} } }`
    expect(await (await fetch(gateway.url, question(deep))).json()).toMatchObject({
      errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', limit: 3 } }],
    })
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test('SUBGRAPH_TIMEOUT_MILLISECONDS is what a fetch has', async () => {
    const supergraph = written('slow.graphql', supergraphSdl({ shop: shop.url, review: review.url }))
    const gateway = await start({ SUPERGRAPH_FILE: supergraph, PORT: '0', SUBGRAPH_TIMEOUT_MILLISECONDS: '200' })
    shop.behaviour = 'HANG'
    const answer = await fetch(gateway.url, question('{ product(id: "a") { name } }'))
    shop.behaviour = null
    expect(await answer.json()).toMatchObject({
      data: { product: null },
      errors: [{ message: 'The shop service did not answer within 0.2 seconds.', extensions: { code: 'TIMEOUT' } }],
    })
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test('COST_PROFILE, COST_SCALAR and COST_BUDGET set what is counted and the budget of a minute', async () => {
    const supergraph = written('budget.graphql', supergraphSdl({ shop: shop.url, review: review.url }))
    const weights = { COST_PROFILE: 'dear-objects', COST_SCALAR: '2', COST_BUDGET: '20' }
    const gateway = await start({ SUPERGRAPH_FILE: supergraph, PORT: '0', ...weights })
    const execute = question('{ product(id: "a") { id } }')
    const init = { ...execute, headers: { ...execute.headers, 'graphql-cost': 'report' } }
    expect(await (await fetch(gateway.url, init)).json()).toMatchObject({
      data: { product: { id: 'a' } },
      extensions: { cost: { requested: 10 + 2, limit: 20, budget: { remaining: 8 } } },
    })
    const refused = await fetch(gateway.url, init)
    expect([refused.status, await refused.json()]).toMatchObject([429, { errors: [{ extensions: { code: 'RATE_LIMITED' } }] }])
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test('variables switch documents, batches, introspection and the explorer', async () => {
    const gateway = await start({
      SUPERGRAPH_FILE: written('switches.graphql', supergraphSdl({ shop: shop.url, review: review.url })),
      PORT: '0',
      PERSISTED_MANIFEST: written('manifest.json', JSON.stringify({ across: ACROSS })),
      PERSISTED_ONLY: '1',
      BATCH_LIMIT: '2',
      EXPLORER: '0',
    })
    const execute = async (body: unknown) => {
      const answer = await fetch(gateway.url, { ...question(''), body: JSON.stringify(body) })
      return { status: answer.status, body: await answer.json() }
    }
    const known = { data: { product: { name: 'Product c', rating: 0 } } }
    const refused = { errors: [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }] }
    expect(await execute({ documentId: 'across' })).toMatchObject({ status: 200, body: known })
    expect(await execute({ query: ACROSS })).toMatchObject({ status: 400, body: refused })
    expect(await execute([{ documentId: 'across' }, { query: ACROSS }])).toMatchObject({ status: 200, body: [known, refused] })
    const page = await fetch(gateway.url, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8'])
    gateway.child.kill('SIGTERM')
    await gateway.ended

    const open = await start({
      SUPERGRAPH_FILE: written('open.graphql', supergraphSdl({ shop: shop.url, review: review.url })),
      PORT: '0',
      INTROSPECTION: '0',
    })
    expect(await (await fetch(open.url, question('{ __schema { types { name } } }'))).json()).toMatchObject({
      errors: [{ extensions: { code: 'INTROSPECTION_DISABLED' } }],
    })
    open.child.kill('SIGTERM')
    await open.ended
  })

  test.each<{
    what: string
    file: () => string | undefined
    port?: () => string
    env?: () => Record<string, string>
    says: RegExp
  }>([
    {
      what: 'nothing that may be asked',
      file: () => written('nothing.graphql', supergraphSdl({ shop: shop.url, review: review.url })),
      env: () => ({ PERSISTED_ONLY: '1' }),
      says: /^Expected PERSISTED_MANIFEST to name a file/,
    },
    {
      what: 'a document that does not fit the graph',
      file: () => written('documents.graphql', supergraphSdl({ shop: shop.url, review: review.url })),
      env: () => ({ PERSISTED_MANIFEST: written('bad.json', '{"mine": "{ nope neither }"}') }),
      says: /^PERSISTED_MANIFEST has a document "mine" that cannot be run on this graph: .*"nope".*"neither"/,
    },
    {
      what: 'a switch that is neither on nor off',
      file: () => written('switch.graphql', supergraphSdl({ shop: shop.url, review: review.url })),
      env: () => ({ EXPLORER: 'no' }),
      says: /^Expected EXPLORER to be 0 or 1, got "no"\.$/m,
    },
    { what: 'no file named', file: () => undefined, says: /^Expected SUPERGRAPH_FILE to name a file/ },
    {
      what: 'a file that does not exist',
      file: () => join(folder, 'none.graphql'),
      says: /^SUPERGRAPH_FILE .*none\.graphql cannot be read: /,
    },
    {
      what: 'a file that is no SDL',
      file: () => written('broken.graphql', 'type {'),
      says: /^SUPERGRAPH_FILE .* is not a federation 2 supergraph: Syntax Error/,
    },
    {
      what: 'a schema that is no supergraph',
      file: () => written('plain.graphql', 'type Query { a: Int }'),
      says: /is not a federation 2 supergraph/,
    },
    {
      what: 'a subgraph without an address',
      file: () => written('odd.graphql', supergraphSdl({ shop: 'ftp://x' })),
      says: /subgraph "shop" is at "ftp:\/\/x": expected an http/,
    },
    {
      what: 'a port that is in use',
      file: () => written('taken.graphql', supergraphSdl({ shop: shop.url, review: review.url })),
      port: () => new URL(shop.url).port,
      says: /^Port \d+ on 127\.0\.0\.1 is in use/,
    },
  ])('$what: one sentence and a status that is not 0', async ({ what, file, port, env, says }) => {
    const supergraph = file()
    const gateway = await (what === 'no file named' ? startProcess : start)({
      ...(supergraph !== undefined && { SUPERGRAPH_FILE: supergraph }),
      PORT: port?.() ?? '0',
      ...env?.(),
    })
    expect(await gateway.ended).toBe(1)
    expect(gateway.said()).toMatch(says)
    expect(gateway.said().trim().split('\n')).toHaveLength(1)
  })
})
