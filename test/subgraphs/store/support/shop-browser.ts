import type { TestStore } from './store.ts'

/**
 * A browser without pictures, for what many requests are needed for: keeps cookies by path, follows
 * redirects by hand, sends forms.
 */
export function shopBrowser(url: string) {
  /** By name and path, as browsers keep them. */
  const cookies = new Map<string, { readonly name: string; readonly value: string; readonly path: string }>()

  async function send(address: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(address)
    const sent = [...cookies.values()]
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
    const answer = await fetch(address, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...init.headers, ...(sent.length > 0 && { cookie: sent.join('; ') }) },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/'
      if (value === '') cookies.delete(`${name} ${path}`)
      else cookies.set(`${name} ${path}`, { name, value, path })
    }
    return answer
  }

  /** Goes where it is sent to, until there is a page or another server. */
  async function open(
    address: string,
    init: RequestInit = {},
  ): Promise<{ readonly address: string; readonly page: string; readonly status: number }> {
    const answer = await send(address, init)
    const location = answer.headers.get('location')
    if (location === null) return { address, page: await answer.text(), status: answer.status }
    const next = new URL(location, address).href
    return next.startsWith(url) ? open(next) : { address: next, page: '', status: answer.status }
  }

  const press = (address: string, form: Record<string, string>) =>
    open(address, { method: 'POST', body: new URLSearchParams(form), headers: { origin: url } })

  return {
    cookies,
    /**
     * The value of the cookie of this name that the longest path of this address gets; empty when
     * there is none.
     */
    cookieAt: (address: string, name: string): string =>
      [...cookies.values()]
        .filter((cookie) => cookie.name === name && new URL(address).pathname.startsWith(cookie.path))
        .toSorted((one, other) => other.path.length - one.path.length)[0]?.value ?? '',
    send,
    open,
    press,
    /** Opens a link of an app, signs in and agrees: where the browser is sent in the end. */
    async agree(link: string, { login, authtoken }: TestStore): Promise<string> {
      const signIn = await open(link)
      const consent = await press(signIn.address, { login, authtoken, do: 'sign-in' })
      return (await press(consent.address, { do: 'allow' })).address
    },
  }
}
