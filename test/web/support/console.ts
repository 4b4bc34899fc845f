import { expect } from 'vitest'
import { askRaw, type Reply } from '../../rest-facade/ask.ts'

/** Whose credentials are sent. */
export type Shop = { readonly code: string; readonly login: string; readonly authtoken: string }
/** Fields of a form. */
export type Fields = Readonly<Record<string, string>>

/** The cookies that an answer sets. */
export const setCookies = ({ headers }: Reply): readonly string[] =>
  (headers['set-cookie'] as unknown as string[] | undefined) ?? []

/** What the form of a page would send: its fields with their values, but for the token. */
export function fieldsOf({ text }: Reply, path: string): Fields {
  const form = text.split('<form ').find((each) => each.includes(`action="${path}"`)) ?? ''
  const inputs = [...form.matchAll(/<input type="([\w-]+)"[^>]* name="([^"]+)" value="([^"]*)"([^>]*)>/g)]
    .filter(([, type, , , rest = '']) => type !== 'checkbox' || rest.includes('checked'))
    .map(([, , name, value]) => [name, value])
  const areas = [...form.matchAll(/<textarea [^>]*name="([^"]+)"[^>]*>\n([^<]*)/g)].map(([, name, value]) => [name, value])
  const selects = [...form.matchAll(/<select [^>]*name="([^"]+)"[^>]*>(.*?)<\/select>/gs)].map(([, name, options = '']) => [
    name,
    (/<option value="([^"]*)" selected/.exec(options) ?? /<option value="([^"]*)"/.exec(options))?.[1],
  ])
  const all = [...inputs, ...areas, ...selects].map(([name = '', value = '']) => [name, unescaped(value)])
  const { token: _, ...fields } = Object.fromEntries(all)
  return fields
}

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

/** The console of a site, and the graph behind it, as tests use them. */
export function consoleAt(url: () => string) {
  async function graph({ login, authtoken }: Shop, query: string, variables: object) {
    const { json } = await askRaw(url(), '/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-login-key': login, 'x-auth-token': authtoken },
      body: JSON.stringify({ query, variables }),
    })
    expect(json.errors).toBeUndefined()
    return json.data
  }

  async function aProduct(shop: Shop, input: object): Promise<string> {
    const { made } = await graph(
      shop,
      'mutation ($input: CreateProductInput!) { made: createProduct(input: $input) { ... on CreateProductSuccess { product { id } } } }',
      { input },
    )
    return made.product.id
  }

  /**
   * A browser without a screen: keeps cookies and the token of the last form, follows nothing.
   * Comes from an address of its own where limits count by address.
   */
  function aVisitor(localAddress?: string) {
    const cookies = new Map<string, string>()
    let token = ''
    const request = async (path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const reply = await askRaw(url(), path, {
        ...options,
        ...(localAddress !== undefined && { localAddress }),
        headers: { accept: 'text/html', 'accept-encoding': 'identity', ...(cookie && { cookie }), ...options.headers },
      })
      for (const set of setCookies(reply)) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      token = /name="token" value="([^"]+)"/.exec(reply.text)?.[1] ?? token
      return reply
    }
    return {
      cookies,
      get: (path: string) => request(path),
      post: (path: string, fields: Fields, headers: Record<string, string> = {}) =>
        request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: new URLSearchParams({ token, ...fields }).toString(),
        }),
    }
  }

  async function signedIn({ login, authtoken }: Pick<Shop, 'login' | 'authtoken'>) {
    const visitor = aVisitor()
    await visitor.get('/console')
    const reply = await visitor.post('/console/sign-in', { login, authtoken })
    expect([reply.status, reply.headers.location]).toEqual([303, '/console'])
    return { visitor, reply }
  }

  return { graph, aProduct, aVisitor, signedIn }
}
