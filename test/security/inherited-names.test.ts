import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GatewayClient } from '../../gateway/client.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { OAUTH_ROUTES } from '../../subgraphs/store/oauth/routes.ts'
import { startSite } from '../../web/serve.ts'
import { operations } from '../fuzz/requests.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'
import { type Atrium, basic, OPERATIONS_TOKEN, type Reply, startAtrium } from './support/atrium.ts'

const ROOT = join(import.meta.dirname, '../..')

let atrium: Atrium
let shop: TestStore
let trustKey: string
beforeAll(async () => {
  atrium = await startAtrium()
  shop = await atrium.aStore()
  trustKey = await atrium.aKey()
})
afterAll(() => atrium?.stop())

/** What every object of JavaScript inherits: a text that must mean nothing where it is a key. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

/** A function, and an object: all others are cases of these, where each name is sent alone. */
const ALONE = ['constructor', '__proto__']

/** Names that tables of parameters of the pages declare, wherever they stand. */
const DECLARED = globSync('web/**/*.ts', { cwd: ROOT }).flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\b(\w+): (?:\{\s*kind: '|LANGUAGE\b)/g)].map(([, name = '']) => name),
)

/** Names that a page reads without a table, and the beginning of its path. */
const READ_BY_HAND = [
  ['next', '/account'],
  ['after', '/shops'],
  ['step', '/shops'],
  ['language', '/shops'],
] as const

/** Names of parameters that pages and forms read. */
const OF_PAGES = [
  ...new Set([
    ...DECLARED,
    ...READ_BY_HAND.map(([name]) => name),
    ...['before', 'page', 'type', 'error', 'code', 'name', 'login', 'authtoken', 'access_token', 'scope'],
  ]),
]

/** Names of parameters that the protocol reads, and the inherited ones themselves. */
const OF_OAUTH = [
  ...['q', 'kind', 'category', 'after', 'before', 'page', 'type', 'status', 'done', 'error', 'code', 'domain', 'policy'],
  ...['sensitivity', 'number', 'name', 'login', 'authtoken', 'access_token', 'client_id', 'redirect_uri', 'response_type'],
  ...['response_mode', 'scope', 'state', 'prompt', 'grant_type', 'code_challenge_method', 'token_type_hint', 'ui_locales'],
  ...INHERITED,
]

let senders = 0
/** Another address of this machine each time, so that no limit answers instead. */
const from = () => `127.0.${1 + (Math.floor(++senders / 250) % 250)}.${1 + (senders % 250)}`

const failures = (replies: readonly (readonly [what: string, reply: Reply])[]) =>
  replies.filter(([, { status }]) => status >= 500).map(([what, { status, text }]) => `${what}: ${status} ${text.slice(0, 200)}`)

/** A few at a time: the machine has other work. */
async function all<Item>(items: readonly Item[], send: (item: Item) => Promise<readonly [string, Reply]>) {
  const replies: (readonly [string, Reply])[] = []
  const left = [...items]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) replies.push(await send(item))
    }),
  )
  return replies
}

/** Every route of the pages, as the server registers them. */
async function pageRoutes(): Promise<readonly { readonly method: string; readonly path: string }[]> {
  const found: { method: string; path: string }[] = []
  const app = Fastify()
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') found.push({ method: each, path: url })
  })
  // Nothing is asked: only the routes are looked at.
  const client = { prepare: async () => {} } as unknown as GatewayClient
  const operationsOf = { token: OPERATIONS_TOKEN, history: {}, checks: [], circuits: [], rateLimits: localRateLimitStore() }
  const options = { publicUrl: atrium.base, hasExplorer: true, hasSchema: true, operations: operationsOf as never }
  await (await startSite(client, options)).serve(app)
  await app.ready()
  await app.close()
  return found
}

/** A query in which all of these names have this text. */
const queryOf = (names: readonly string[], text: string) =>
  new URLSearchParams(names.map((name): [string, string] => [name, text])).toString()

/** All names together, and each alone for the texts that are sent so. */
const inQueries = (names: readonly string[], text: string): readonly string[] => [
  queryOf(names, text),
  ...(ALONE.includes(text) ? names.map((name) => queryOf([name], text)) : []),
]

/** A text that no parameter of a table may be: a page names all that it reads. */
const UNREADABLE = '\u0007'

const pathWith = (path: string, text: string) => path.replaceAll(/:\w+|\{\w+\}|\*/g, encodeURIComponent(text))

async function consoleCookie(): Promise<string> {
  const cookieIn = ({ rawHeaders }: Reply) =>
    rawHeaders
      .filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'set-cookie')
      .map((line) => line.split(';', 1)[0])
      .join('; ')
  const first = await atrium.ask('/console')
  const token = /name="token" value="([^"]+)"/.exec(first.text)?.[1] ?? ''
  const body = new URLSearchParams({ token, login: shop.login, authtoken: shop.authtoken }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: cookieIn(first) }
  const signedIn = await atrium.ask('/console/sign-in', { method: 'POST', headers, body })
  expect(signedIn.status).toBe(303)
  return cookieIn(signedIn)
}

test('no page fails on an inherited name, in its path, in a parameter or as one', async () => {
  const routes = await pageRoutes()
  expect(routes.length).toBeGreaterThan(40)
  const headers = { cookie: await consoleCookie(), authorization: `Basic ${btoa(`a:${OPERATIONS_TOKEN}`)}`, accept: 'text/html' }
  const get = async (path: string) => [path, await atrium.ask(path, { headers, from: from() })] as const
  const paths = [...new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path))]
  const refusals = await all(paths, async (path) => [
    path,
    (await get(`${pathWith(path, 'x')}?${queryOf(OF_PAGES, UNREADABLE)}`))[1],
  ])
  const learned = new Map(
    refusals.map(([path, { text }]) => [path, OF_PAGES.filter((name) => text.includes(`<code>${name}</code>`))]),
  )
  // Where no page named what it reads, each would be thought to read nothing.
  expect([...new Set([...learned.values()].flat())]).toEqual(
    expect.arrayContaining(['after', 'category', 'domain', 'done', 'kind', 'policy', 'q', 'sensitivity', 'sort', 'status']),
  )
  const requests = paths.flatMap((path) => {
    const read = new Set([
      ...(learned.get(path) ?? []),
      ...READ_BY_HAND.flatMap(([name, start]) => (path.startsWith(start) ? [name] : [])),
    ])
    const ignored = OF_PAGES.filter((name) => !read.has(name))
    const queries = [
      ...INHERITED.map((text) => queryOf([...OF_PAGES, ...INHERITED], text)),
      // One that is refused hides the others: each that the page reads alone, and all that it
      // ignores together.
      ...ALONE.flatMap((text) => [...[...read].map((name) => queryOf([name], text)), queryOf(ignored, text)]),
      ...INHERITED.map((name) => queryOf([name], name)),
    ]
    return [...INHERITED.map((text) => pathWith(path, text)), ...queries.map((query) => `${pathWith(path, 'x')}?${query}`)]
  })
  expect(failures([...refusals, ...(await all(requests, get))])).toEqual([])
}, 300_000)

test('no form fails on an inherited name, as a field or in one', async () => {
  const cookie = await consoleCookie()
  const page = await atrium.ask('/console/access', { headers: { cookie } })
  const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const FIELDS = [
    'do',
    'event',
    'url',
    'name',
    'overlap',
    'number',
    'delivery',
    'webhook',
    'understood',
    'login',
    'authtoken',
    'email',
  ]
  const routes = (await pageRoutes()).filter(({ method, path }) => method === 'POST' && path !== '/console/sign-out')
  const requests = routes.flatMap(({ path }) =>
    INHERITED.flatMap((text) =>
      inQueries([...FIELDS, ...INHERITED], text).map((fields) => ({ path: pathWith(path, text), fields, text })),
    ),
  )
  const replies = await all(requests, async ({ path, fields, text }) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: `${cookie}; _atrium_request=${text}` }
    const body = `${new URLSearchParams({ token })}&${fields}`
    return [`${path} ${fields}`, await atrium.ask(path, { method: 'POST', headers, body, from: from() })]
  })
  expect(failures(replies)).toEqual([])
}, 300_000)

test('no operation of a REST contract fails on an inherited name, in its path, in a parameter or as one', async () => {
  const headersOf = { store: basic(shop), trust: { 'x-api-key': trustKey }, directory: {} }
  const requests = operations.flatMap(({ facade, method, path, parameters }) =>
    INHERITED.flatMap((text) => [
      { facade, method, path: pathWith(path, text) },
      ...inQueries([...parameters.filter((each) => each.in === 'query').map(({ name }) => name), text], text).map((query) => ({
        facade,
        method,
        path: `${pathWith(path, '1')}?${query}`,
      })),
    ]),
  )
  const replies = await all(requests, async ({ facade, method, path }) => {
    const body =
      method === 'GET' || method === 'DELETE' ? undefined : '{"constructor": {"toString": 1}, "__proto__": {"valueOf": 1}}'
    const connectWith = { method, headers: headersOf[facade], from: from(), ...(body !== undefined && { body }) }
    return [`${method} ${path}`, await atrium.ask(path, connectWith)]
  })
  expect(failures(replies)).toEqual([])
}, 300_000)

test('no step of OAuth fails on an inherited name', async () => {
  const requests = OAUTH_ROUTES.flatMap(({ method, path }) =>
    INHERITED.flatMap((text) => inQueries(OF_OAUTH, text).map((query) => ({ method, path: pathWith(path, text), query, text }))),
  )
  const replies = await all(requests, async ({ method, path, query, text }) => {
    const given = new URLSearchParams([
      ...Object.entries({ client_id: text, grant_type: 'authorization_code', response_type: 'code' }).filter(
        ([name]) => !new URLSearchParams(query).has(name),
      ),
      ...new URLSearchParams(query),
    ]).toString()
    const isForm = method === 'POST'
    const headers = { accept: 'text/html', ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }) }
    const connectWith = { method, headers, from: from(), ...(isForm && { body: given }) }
    return [`${method} ${path} ${query}`, await atrium.ask(isForm ? path : `${path}?${given}`, connectWith)]
  })
  expect(failures(replies)).toEqual([])
}, 300_000)

test('no tool for agents fails on an inherited name, as an argument or in one', async () => {
  const rpc = async (server: string, method: string, params: object) => {
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(server === 'store' ? basic(shop) : server === 'trust' ? { 'x-api-key': trustKey } : {}),
    }
    const reply = await atrium.ask(`/mcp/${server}`, {
      method: 'POST',
      headers,
      from: from(),
      body: { jsonrpc: '2.0', id: 1, method, params },
    })
    const data = /^data: (.*)$/m.exec(reply.text)?.[1] ?? reply.text
    return { reply, message: JSON.parse(data) }
  }
  const wrong: string[] = []
  for (const server of ['directory', 'store', 'trust', 'graph']) {
    const { message } = await rpc(server, 'tools/list', {})
    const tools: readonly { name: string; inputSchema: { properties?: object } }[] = message.result.tools
    expect(tools.length).toBeGreaterThan(0)
    const calls = [
      ...tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})] as const),
      ...INHERITED.map((name) => [name, []] as const),
    ]
    for (const [tool, names] of calls) {
      for (const text of INHERITED) {
        const sent = [[...names, text], ...(ALONE.includes(text) ? [...names, text].map((name) => [name]) : [])]
        for (const each of sent) {
          // As the own key that JSON makes of it.
          const given = JSON.parse(`{${each.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(text)}`).join(', ')}}`)
          const { reply, message } = await rpc(server, 'tools/call', { name: tool, arguments: given })
          const isOurs =
            message.error?.code === -32603 || /went wrong|request id/i.test(JSON.stringify(message.result?.content ?? ''))
          if (reply.status >= 500 || isOurs)
            wrong.push(`${server} ${tool} ${each.join()}=${text}: ${reply.status} ${reply.text.slice(0, 200)}`)
        }
      }
    }
    for (const text of INHERITED) {
      for (const [method, params] of [
        ['prompts/get', { name: text }],
        ['resources/read', { uri: text }],
        [text, {}],
      ] as const) {
        const { reply, message } = await rpc(server, method, params)
        if (reply.status >= 500 || message.error?.code === -32603) wrong.push(`${server} ${method} ${text}: ${reply.status}`)
      }
    }
  }
  expect(wrong).toEqual([])
}, 300_000)
