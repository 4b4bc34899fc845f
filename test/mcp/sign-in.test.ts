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

type Kept = {
  readonly provider: OAuthClientProvider
  /** Where the client sends its person. */
  readonly link: () => URL
}

/** What an agent keeps about one server, and where it would open a browser. */
function keeping(clientId: string): Kept {
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
type Agent = (kept: Kept) => {
  readonly connect: () => Promise<Connected>
  readonly finish: (answer: URLSearchParams) => Promise<void>
}

const url = () => new URL(`${stack.url}/mcp/store`)

/** Real clients of both generations, given nothing but the address and the id of their app. */
const AGENTS: Readonly<Record<string, Agent>> = {
  '2025-11-25': ({ provider }) => {
    const transport = () => new Http2025(url(), { authProvider: provider as never })
    return {
      async connect() {
        const client = new Client2025(IDENTITY)
        await client.connect(transport() as Transport)
        return { call: (name, given) => client.callTool({ name, arguments: { ...given } }), close: () => client.close() }
      },
      finish: (answer) => transport().finishAuth(answer.get('code') ?? ''),
    }
  },
  '2026-07-28': ({ provider }) => {
    const transport = () => new StreamableHTTPClientTransport(url(), { authProvider: provider })
    return {
      async connect() {
        const client = new Client(IDENTITY, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
        await client.connect(transport())
        return { call: (name, given) => client.callTool({ name, arguments: { ...given } }), close: () => client.close() }
      },
      finish: (answer) => transport().finishAuth(answer),
    }
  },
}

test.each(Object.entries(AGENTS))(
  'a client of %s that knows only the address finds where to sign in, and runs the shop that agreed within what it agreed to',
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
    const kept = keeping(clientId)
    const agent = agentOf(kept)
    await expect(agent.connect()).rejects.toThrow(/unauthorized/i)
    expect(kept.link().searchParams.get('scope')?.split(' ').sort()).toEqual([...scopes])

    const answered = await shopBrowser(stack.url).agree(kept.link().href, shop)
    await agent.finish(new URL(answered).searchParams)
    const { call, close } = await agent.connect()
    expect(await call('get_store_info', {})).toMatchObject({ structuredContent: { code: shop.code } })
    expect(await call('create_product', { name: 'Tea', price: 3.5 })).toMatchObject({
      structuredContent: { product: { name: 'Tea' } },
    })
    await close()
  },
)

test('a token that lacks a scope lists the tools, and hears from each that needs it which one', async () => {
  const { clientId } = await stack.anApp({ isPublic: true, redirectUris: [CALLBACK], scopes: ['read_products'] })
  const kept = keeping(clientId)
  const agent = AGENTS['2026-07-28']?.(kept)
  await agent?.connect().catch(() => {})
  const link = kept.link()
  link.searchParams.set('scope', 'read_products')
  await agent?.finish(new URL(await shopBrowser(stack.url).agree(link.href, shop)).searchParams)
  const connected = await agent?.connect()
  expect(await connected?.call('list_products', {})).toMatchObject({ content: [{ text: expect.stringMatching(/^\[/) }] })
  for (const [tool, given, scope] of [
    ['create_product', { name: 'Tea', price: 3.5 }, 'write_products'],
    ['list_orders', {}, 'read_orders'],
    ['get_store_info', {}, 'read_store'],
  ] as const)
    expect(await connected?.call(tool, given)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(`"${scope}"`) }],
    })
  await connected?.close()
})
