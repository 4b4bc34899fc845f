import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askRaw } from '../rest-facade/ask.ts'
import { type OauthStack, startOauth } from '../subgraphs/store/support/oauth.ts'
import { shopBrowser } from '../subgraphs/store/support/shop-browser.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'

const CALLBACK = 'https://agent.example/callback'
const IDENTITY = { name: 'atrium-test', version: '1.0.0' }

let stack: OauthStack
let shop: TestStore
beforeAll(async () => {
  stack = await startOauth()
  shop = await stack.aStore({ name: 'Corner shop' })
})
afterAll(() => stack.close())

type ClientState = {
  readonly provider: OAuthClientProvider
  /** Where the client sends its person. */
  readonly link: () => URL
}

/** What an agent keeps about one server, and where it would open a browser. */
function keeping(clientId: string): ClientState {
  let discovered: OAuthDiscoveryState | undefined
  let [tokens, verifier, link]: [Awaited<ReturnType<OAuthClientProvider['tokens']>>, string, URL | null] = [undefined, '', null]
  return {
    link: () => link as URL,
    provider: {
      redirectUrl: CALLBACK,
      clientMetadata: { client_name: 'Agent', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
      clientInformation: () => ({ client_id: clientId }),
      tokens: () => tokens,
      saveTokens: (given) => {
        tokens = given
      },
      redirectToAuthorization: (url) => {
        link = url
      },
      saveCodeVerifier: (given) => {
        verifier = given
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (given) => {
        discovered = given
      },
      discoveryState: () => discovered,
    },
  }
}

type Connected = { readonly call: (name: string, given: object) => Promise<unknown>; readonly close: () => Promise<void> }
type Agent = (state: ClientState) => {
  readonly connect: () => Promise<Connected>
  readonly finish: (answer: URLSearchParams) => Promise<void>
}

const url = () => new URL(`${stack.url}/mcp/store`)

/** Real clients of every generation, given nothing but the address and the id of their app. */
const AGENTS: Readonly<Record<string, Agent>> = {
  '2025-06-18': agentOf({ supportedProtocolVersions: ['2025-06-18'], versionNegotiation: { mode: 'legacy' } }),
  '2025-11-25': ({ provider }) => {
    // Its library refreshes a token that lacks a scope rather than ask for more, and gives up:
    // https://github.com/modelcontextprotocol/typescript-sdk/issues/2255
    const tokens = async () => {
      const { refresh_token: _, ...rest } = (await provider.tokens()) ?? {}
      return 'access_token' in rest ? rest : undefined
    }
    const transport = () => new Http2025(url(), { authProvider: { ...provider, tokens } as never })
    return {
      async connect() {
        const client = new Client2025(IDENTITY)
        await client.connect(transport() as Transport)
        return { call: (name, given) => client.callTool({ name, arguments: { ...given } }), close: () => client.close() }
      },
      finish: (answer) => transport().finishAuth(answer.get('code') ?? ''),
    }
  },
  '2026-07-28': agentOf({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
}

function agentOf(options: ConstructorParameters<typeof Client>[1]): Agent {
  return ({ provider }) => {
    const transport = () => new StreamableHTTPClientTransport(url(), { authProvider: provider })
    return {
      async connect() {
        const client = new Client(IDENTITY, options)
        await client.connect(transport())
        return { call: (name, given) => client.callTool({ name, arguments: { ...given } }), close: () => client.close() }
      },
      finish: (answer) => transport().finishAuth(answer),
    }
  }
}

test.each(Object.entries(AGENTS))(
  'a client of %s that has only the URL discovers where to sign in, and acts for the shop within the granted scopes',
  async (_, agentOf) => {
    const scopes = [
      'read_customers',
      'read_orders',
      'read_pages',
      'read_products',
      'read_store',
      'write_orders',
      'write_pages',
      'write_products',
      'write_store',
    ] as const
    const { clientId } = await stack.anApp({ isPublic: true, redirectUris: [CALLBACK], scopes: [...scopes] })
    const state = keeping(clientId)
    const agent = agentOf(state)
    await expect(agent.connect()).rejects.toThrow(/unauthorized/i)
    expect(state.link().searchParams.get('scope')?.split(' ').sort()).toEqual([...scopes])

    const answered = await shopBrowser(stack.url).agree(state.link().href, shop)
    await agent.finish(new URL(answered).searchParams)
    const { call, close } = await agent.connect()
    expect(await call('get_store_info', {})).toMatchObject({ structuredContent: { code: shop.code } })
    expect(await call('create_product', { name: 'Tea', price: 3.5 })).toMatchObject({
      structuredContent: { product: { name: 'Tea' } },
    })
    await close()
  },
)

test.each(Object.entries(AGENTS))(
  'a client of %s whose token lacks a scope is sent to authorize it, and continues with both',
  async (_, agentOf) => {
    const scopes = ['read_orders', 'read_products', 'read_store', 'write_products'] as const
    const { clientId } = await stack.anApp({ isPublic: true, redirectUris: [CALLBACK], scopes: [...scopes] })
    const state = keeping(clientId)
    const agent = agentOf(state)
    await signInToRead(agent, state)

    const few = await agent.connect()
    expect(await few.call('list_products', {})).toMatchObject({ content: [{ text: expect.stringMatching(/^\[/) }] })
    await expect(few.call('create_product', { name: 'Chai', price: 3.5 })).rejects.toThrow(/unauthorized/i)
    expect(state.link().searchParams.get('scope')?.split(' ').sort()).toEqual(['read_products', 'write_products'])
    await few.close()

    await agent.finish(new URL(await shopBrowser(stack.url).agree(state.link().href, shop)).searchParams)
    const more = await agent.connect()
    expect(await more.call('create_product', { name: 'Chai', price: 3.5 })).toMatchObject({
      structuredContent: { product: { name: 'Chai' } },
    })
    const found = (await more.call('search_products', { query: 'Chai' })) as { content: [{ text: string }] }
    expect(JSON.parse(found.content[0].text).length).toBe(1)
    await deleteAll(more, found.content[0].text)
    await more.close()
  },
)

/** Signs in, with less than the server says that its tools need. */
async function signInToRead({ connect, finish }: ReturnType<Agent>, { link }: ClientState): Promise<void> {
  await expect(connect()).rejects.toThrow(/unauthorized/i)
  const authorizationUrl = link()
  authorizationUrl.searchParams.set('scope', 'read_products')
  await finish(new URL(await shopBrowser(stack.url).agree(authorizationUrl.href, shop)).searchParams)
}

/**
 * Sends messages with a token that may read products, by an app that may ask to read orders as
 * well.
 */
async function readerOfProducts(headers: Readonly<Record<string, string>>) {
  const { clientId } = await stack.anApp({ isPublic: true, redirectUris: [CALLBACK], scopes: ['read_products', 'read_orders'] })
  const state = keeping(clientId)
  await signInToRead((AGENTS['2026-07-28'] as Agent)(state), state)
  const authorization = `Bearer ${(await state.provider.tokens())?.access_token}`
  const accepts = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return (message: object) =>
    askRaw(stack.url, '/mcp/store', {
      method: 'POST',
      headers: { ...headers, ...accepts, authorization },
      body: JSON.stringify(message),
    })
}

async function deleteAll({ call }: Connected, products: string): Promise<void> {
  for (const { product } of JSON.parse(products)) await call('delete_product', { id: product.id })
}

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'list_orders', arguments: {} } }
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': IDENTITY,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const MODERN_CALL = { ...CALL, params: { ...CALL.params, _meta: MODERN } }
const MODERN_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_orders' }

test.each([
  ['2025-03-26', CALL, { 'mcp-protocol-version': '2025-03-26' }, 'read_orders read_products'],
  ['2025-06-18', CALL, { 'mcp-protocol-version': '2025-06-18' }, 'read_orders read_products'],
  ['2025-11-25', CALL, { 'mcp-protocol-version': '2025-11-25' }, 'read_orders read_products'],
  ['2026-07-28', MODERN_CALL, MODERN_HEADERS, 'read_orders'],
])('a call of %s with too small a token is 403, with the scope to ask for and where', async (_, message, headers, scope) => {
  const send = await readerOfProducts(headers)
  const refused = await send(message)
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    403,
    `Bearer error="insufficient_scope", resource_metadata="${stack.url}/.well-known/oauth-protected-resource/mcp/store", scope="${scope}"`,
  ])
  expect(refused.json).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message: 'Expected credentials with the scope "read_orders".' },
  })
})

test('a batch keeps the results of its other calls: the one that lacks a scope says so in its own', async () => {
  const send = await readerOfProducts({})
  const { status, text } = await send([CALL, { ...CALL, id: 8, params: { name: 'list_products', arguments: { limit: 1 } } }])
  const answers = text.match(/\{"result".*/g)?.map((each) => JSON.parse(each)) ?? []
  expect([status, answers.length]).toEqual([200, 2])
  expect(answers).toContainEqual(expect.objectContaining({ id: 7, result: expect.objectContaining({ isError: true }) }))
  expect(answers).toContainEqual(
    expect.objectContaining({ id: 8, result: { content: [{ type: 'text', text: expect.stringMatching(/^\[/) }] } }),
  )
})
