import { execFileSync } from 'node:child_process'
import { brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../platform/http/server.ts'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { startSite } from '../../web/serve.ts'
import { directoryWithoutData, recordingLog } from '../gateway/support/graph.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { aServer, putItems } from '../support/items.ts'
import { closePages, hasNoBrowser, look, openPage, picture, sharedBrowser } from './support/browser.ts'
import { AWKWARD, HOSTILE, OPERATIONS_TOKEN, startWeb } from './support/site.ts'

let web: Awaited<ReturnType<typeof startWeb>>
beforeAll(async () => {
  web = await startWeb({ sampleIntervalMs: 1_000 })
})
afterAll(() => web?.close())

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'identity' }
const get = (path: string, headers: Record<string, string> = {}) => askRaw(web.url, path, { headers: { ...BROWSER, ...headers } })
const tools = '/mcp/acme/tools'

const statuses = new Map<string, number>()
/** Status of a page. One that was there is not made again: many are linked from everywhere. */
async function statusAt(path: string): Promise<number> {
  const status = statuses.get(path) ?? (await get(path)).status
  if (status === 200) statuses.set(path, status)
  return status
}

/** What a part of a page says, its tags and white space left out. */
const wordsOf = (part: string): string =>
  part
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(
      /&(lt|gt|quot|#39|amp);/g,
      (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name] ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=\.)/g, '')
    .trim()

/** Every kind of page, with something on it. */
const PAGES = {
  home: '/',
  browse: '/search',
  'browse-kind': '/search?kind=mcp&category=Databases',
  search: '/search?q=postgres',
  'search-nothing': '/search?q=zzzzqqqq&kind=plugin',
  'mcp-server': tools,
  'mcp-server-deprecated': '/mcp/acme/remote',
  plugin: '/plugins/market/helper',
  skill: '/skills/pdf',
  hostile: '/mcp/evil/server',
  lost: '/mcp/acme/tool',
  design: '/design',
  schema: '/schema',
  'schema-type': '/schema/McpServer',
  'schema-input': '/schema/DecideInput',
  reference: '/reference',
  'reference-directory': '/reference/directory',
  'reference-trust': '/reference/trust',
  'reference-store': '/reference/store',
  'reference-group': '/reference/store/Products',
  trust: '/trust',
  'trust-good': '/trust?domain=good.example.com&kind=fetch&policy=balanced',
  'trust-bad': '/trust?domain=https%3A%2F%2Fbad.example.net%2Flogin&kind=initiate_payment&sensitivity=critical',
  'trust-unknown': '/trust?domain=new.example.org',
  'trust-private': '/trust?domain=192.168.0.1',
  'trust-not-understood': '/trust?domain=ftp%3A%2F%2Fexample.com',
}
const statusOf = (name: string) => (name === 'lost' ? 404 : name === 'trust-not-understood' ? 400 : 200)

/** Ids of four items of each kind, the first of `tools`. */
async function compared(): Promise<readonly string[]> {
  const query =
    '{ a: mcpServer(owner: "acme", repo: "tools") { id } b: mcpServer(owner: "evil", repo: "server") { id } c: plugin(marketplaceSlug: "market", slug: "helper") { id } d: skill(slug: "pdf") { id } }'
  const { json } = await askRaw(web.url, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return ['a', 'b', 'c', 'd'].map((name) => json.data[name].id)
}

describe('without a script', () => {
  test.each([
    ['/search', '/search', 'page'],
    ['/search?q=postgres', '/search', 'page'],
    ['/trust?domain=good.example.com', '/trust', 'page'],
    ['/schema/McpServer', '/schema', 'true'],
    ['/reference/store/Products', '/reference', 'true'],
    ['/', null, null],
    [tools, null, null],
  ])('%s says where one is in the navigation', async (path, href, current) => {
    const { text } = await get(path)
    const nav = text.match(/<nav aria-label="Site">.*?<\/nav>/s)?.[0] ?? ''
    expect(nav).toContain('href="/search"')
    expect([...nav.matchAll(/<a href="([^"]*)" aria-current="(\w+)"/g)].map(([, link, value]) => [link, value])).toEqual(
      href === null ? [] : [[href, current]],
    )
  })

  test('home shows what decisions say, how an order arrives, and the demo shop where there is one', async () => {
    const { text } = await get('/')
    for (const action of ['Proceed', 'Proceed with caution', 'Sandbox', 'Ask a person', 'Deny'])
      expect(text).toMatch(new RegExp(`<span class="chip tone-\\w+">${action}</span>`))
    expect(text).toContain('subscription { orderUpdated { number status total } }')
    expect(text).not.toContain('the demo shop')
    const shop = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Demo', country: 'PT', isPaid: true }),
    )
    expect((await get('/')).text).toContain(`<a href="/shops/${shop.code}">Buy in Demo</a>, the demo shop.`)
  })

  test('a group of the REST reference is found in any case, and has one address for search engines', async () => {
    const { status, text } = await get('/reference/store/products')
    expect(status).toBe(200)
    expect(text).toMatch(/<link rel="canonical" href="[^"]*\/reference\/store\/Products">/)
  })

  test.each(Object.entries(PAGES))('%s has one heading, a title, a description, and fits in 60 kB', async (name, path) => {
    web.later(60)
    const { status, headers, text } = await get(path)
    expect(status).toBe(statusOf(name))
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text.match(/<h1\b/g)).toHaveLength(1)
    expect(text).toMatch(/<title>[^<]{3,}<\/title>/)
    expect(text).toMatch(/<meta name="description" content="[^"]{10,}">/)
    expect(text).toMatch(/<html lang="en">/)
    const packed = await get(path, { 'accept-encoding': 'br' })
    expect(packed.bytes.length).toBeLessThan(60_000)
    if (!name.startsWith('trust-')) expect(brotliDecompressSync(packed.bytes).toString()).toBe(text)
  })

  test('an item shows its installation, requirements, source, trust, related items and posts', async () => {
    const { text } = await get(tools)
    expect(text).toContain('npx -y @acme/tools@1.2.3 --read-only')
    expect(text).toContain('ACME_PERSONAL_ACCESS_TOKEN')
    expect(text).toContain('servers/acme.yaml')
    // The item itself leads, above what installs it; its host follows, and what is judged shows without opening the badge.
    const [line, install, host] = [
      '<a href="#item-trust">Trust of this item</a>: <strong>',
      'id="install"',
      '<summary><span class="dot"',
    ].map((part) => text.indexOf(part))
    expect([line, install, host]).toEqual([...[line, install, host]].sort((one = 0, other = 0) => one - other))
    expect(line).toBeGreaterThan(0)
    expect(text).toMatch(
      /<summary>.*Trust: <strong>.*to fetch from good\.example\.com, \d+ % sure; the code is not judged.*<\/summary>/,
    )
    expect(text).toMatch(/Other installations \(1\)/)
    expect(text).toMatch(/Related<\/h2>.*Helper/s)
    expect(text).toContain('Two months with Acme Tools')
  })

  test.each([
    [
      'mcp/acme/tools',
      '@acme/tools npm Newest version 1.3.0 of Nov 20, 2026 Downloads 12,345 in 30 days Licence MIT OR Apache-2.0 Source github.com/acme/tools Install script no Build attestation yes As npm answered on Nov 25, 2026.',
    ],
    [
      'mcp/evil/server',
      `server npm deprecated Its publisher says ${HOSTILE} Newest version 2.0 Downloads unknown Licence none known Source none on GitHub Install script unknown Build attestation unknown As npm answered on Nov 25, 2026.`,
    ],
    [
      'mcp/many/number-7',
      'number-7 PyPI yanked Newest version 7.0 Downloads not counted by PyPI Licence none known Source github.com/other/place another repository Install script yes Build attestation no As PyPI answered on Nov 25, 2026.',
    ],
  ])('%s shows what the registry said of its package, and whether that is of its repository', async (path, words) => {
    const section = /<h2 id="packages">Packages<\/h2>(.*?)<\/section>/s.exec((await get(`/${path}`)).text)?.[1] ?? ''
    expect(wordsOf(section)).toBe(words)
  })

  test('an item without an observed package has no section about it', async () => {
    expect((await get('/mcp/many/number-8')).text).not.toContain('id="packages"')
  })

  test('an item shows what it offers, and withholds what gives orders to models', async () => {
    const { text } = await get(tools)
    expect(text).toMatch(/2 tools, 1 prompt, 1 resource, as sources list them\./)
    expect(text).toMatch(/<code>create_record<\/code>.*Creates a record\./s)
    expect(text).toMatch(/<code>leak_record<\/code>.*withheld: see the findings/s)
    expect(text).toMatch(/3 severe findings.*Marks of a system message.*<q>&lt;IMPORTANT&gt;<\/q>/s)
  })

  test('programs read JSON-LD, a canonical URL, a picture, and the same as JSON', async () => {
    const { text } = await get('/mcp/ACME/Tools')
    const [item, trail] = [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, json]) =>
      JSON.parse(json ?? ''),
    )
    expect(item).toMatchObject({ '@type': 'SoftwareApplication', name: 'Acme Tools', url: `${web.url}${tools}` })
    expect(trail).toMatchObject({ '@type': 'BreadcrumbList' })
    expect(text).toContain(`<link rel="canonical" href="${web.url}${tools}">`)
    const image = /property="og:image" content="([^"]+)"/.exec(text)?.[1] ?? ''
    const picture = await fetch(image)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    const json = /<link rel="alternate" type="application\/json"[^>]*href="([^"]+)"/.exec(text)?.[1] ?? ''
    expect((await get(json)).json).toMatchObject({ repo: 'tools' })
  })

  test('a key with spaces, slashes and letters of any script leads to its page', async () => {
    const { status, text } = await get(`/mcp/${encodeURIComponent(AWKWARD.owner)}/${encodeURIComponent(AWKWARD.repo)}`)
    expect(status).toBe(200)
    expect(text).toContain('<h1>Awkward')
    // Its source is an account without a repository, which is no owner: the link finds it.
    const [, link = ''] = /<dt>Owner<\/dt><dd><a href="([^"]+)"/.exec(text) ?? []
    expect((await get(link)).text).toContain('Awkward')
  })

  test('order and conditions are links, and the form keeps them', async () => {
    const { text } = await get('/search?q=acme&sort=name&location=remote')
    expect(text).toContain('Acme Tools')
    expect(text).toMatch(/aria-current="true"><span>Name<\/span>/)
    expect(text).toMatch(/aria-current="true"><span>× Remote<\/span>/)
    expect(text).toContain('<input type="hidden" name="sort" value="name">')
    expect(text).toContain('<a href="/search?q=acme&amp;location=remote"><span>Relevance</span></a>')
    expect((await get('/search?q=acme&location=remote&official=false')).text).not.toContain('Acme Tools')
    // Also those that are false: the next page is of the same list.
    const others = (await get('/search?q=postgres&verified=false')).text
    expect(others).toContain('<input type="hidden" name="verified" value="false">')
    expect(others).toMatch(/<a href="\/search\?q=postgres&amp;verified=false&amp;after=[^"]+">Next results/)
    const listed = (await get('/search?location=remote&sort=newest')).text
    expect(listed).toContain('Acme Tools')
    expect(listed).not.toContain('Helper')
    expect((await get('/search?q=acme&sort=best')).status).toBe(400)
    const permissive = (await get('/search?q=acme&license=permissive')).text
    expect(permissive).toMatch(/aria-current="true"><span>× Permissive<\/span>/)
    expect(permissive).toContain('Acme Tools')
    expect(permissive).not.toContain('Helper')
    const apache = (await get('/search?license=apache-2.0')).text
    expect(apache).toContain('Acme Tools')
    expect(apache).toContain('aria-current="true"><span>× apache-2.0</span>')
    const chosen = (await get('/search?q=acme&verified=true&transport=stdio&tag=warehouse')).text
    for (const label of ['Verified publisher', 'stdio']) expect(chosen).toContain(`aria-current="true"><span>× ${label}</span>`)
    expect(chosen).toContain('Acme Tools')
    // One click takes each away again.
    expect(chosen).toContain('<a href="/search?q=acme&amp;verified=true&amp;transport=stdio"><span>× all</span></a>')
    for (const other of ['verified=false', 'transport=sse', 'tag=nothing'])
      expect((await get(`/search?q=acme&${other}`)).text, other).not.toContain('Acme Tools')
    const tagged = (await get('/search?tag=warehouse')).text
    expect(tagged).toContain('Acme Tools')
    expect(tagged).not.toContain('Helper')
    expect((await get(tools)).text).toContain('<a href="/search?tag=warehouse">warehouse</a>')
    expect((await get(tools)).text).toContain('<dt>Owner</dt><dd><a href="/search?owner=acme">acme</a></dd>')
    const owned = (await get('/search?owner=Acme')).text
    expect(owned).toMatch(/<h2>Owner<\/h2>.*× all.*aria-current="true"><span>Acme<\/span>/s)
    expect(owned).toContain('Acme Tools')
    expect(owned).not.toContain('Helper')
    expect((await get('/search?q=acme&owner=nobody')).text).not.toContain('Acme Tools')
    expect((await get('/search?transport=carrier-pigeon')).status).toBe(400)
    expect((await get('/search?license=MIT+OR+ISC')).status).toBe(200)
    expect((await get('/search?license=MIT+OR')).status).toBe(400)
    expect((await get(tools)).text).toContain(
      '<a href="/search?license=Apache-2.0">Apache-2.0</a> <span class="quiet">permissive</span>',
    )
  })

  test('up to four items stand side by side, with what they have in common, and others are added and removed by links', async () => {
    const ids = await compared()
    const link = unescaped(/<a href="([^"]*)" rel="nofollow">Compare<\/a>/.exec((await get(tools)).text)?.[1] ?? '')
    expect(link).toBe(`/compare?item=${ids[0]}`)
    const one = (await get(link)).text
    expect(one).toMatch(/Add Helper/)
    const all = (await get(`/compare?${ids.map((id) => `item=${id}`).join('&')}`)).text
    for (const row of [
      'Kind',
      'Publisher',
      'Trust of the item',
      'Licence',
      'Transports',
      'Packages',
      'Environment',
      'Tools',
      'Last release',
      'Maintenance',
      'Popularity',
      'Install',
    ])
      expect(all).toContain(`<th scope="row">${row}</th>`)
    expect(all).toContain('Secrets: <code>ACME_PERSONAL_ACCESS_TOKEN</code>')
    expect(all).toMatch(/Apache-2\.0 <span class="quiet">permissive/)
    expect(all).toContain('npm <code>@acme/tools</code>')
    expect(all).not.toContain('Add an item')
    expect(unescaped(all)).toContain(
      `/compare?${ids
        .slice(1)
        .map((id) => `item=${id}`)
        .join('&')}"`,
    )
    const search = (await get(`/compare?item=${ids[0]}&q=postgres`)).text
    expect(search).toMatch(/Add number-29/)
    expect(search).not.toMatch(/Add Acme Tools/)
    expect((await get('/search?q=postgres')).text).toMatch(/<input type="checkbox" name="item" value="[\w-]+" form="compare">/)
    expect((await get('/compare')).status).toBe(200)
  })

  test('page and tool say the same of releases and stars: nothing by a package of another repository, a withdrawn one is marked', async () => {
    const query =
      '{ a: mcpServer(owner: "acme", repo: "tools") { id } b: mcpServer(owner: "evil", repo: "server") { id } c: mcpServer(owner: "many", repo: "number-7") { id } d: mcpServer(owner: "many", repo: "number-1") { id } }'
    const post = (path: string, body: object) =>
      askRaw(web.url, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(body),
      })
    const { data } = (await post('/graphql', { query })).json
    const ids = [data.a.id, data.b.id, data.c.id, data.d.id]
    const { text } = await get(`/compare?${ids.map((id) => `item=${id}`).join('&')}`)
    const [row = ''] = /<th scope="row">Last release<.*?<\/tr>/s.exec(text) ?? []
    expect(wordsOf(row)).toBe('Last release 1.3.0 Nov 20, 2026 2.0 withdrawn none known 4.5.6')
    const [popularity = ''] = /<th scope="row">Popularity<.*?<\/tr>/s.exec(text) ?? []
    expect(wordsOf(popularity)).toBe('Popularity 12.3K stars unknown 7 stars 1 stars')
    const params = { name: 'compare_items', arguments: { ids } }
    const events = (await post('/mcp/directory', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text
    const { result } = JSON.parse(/^data: (.*)$/m.exec(events)?.[1] ?? '')
    const { items } = result.structuredContent
    expect(items.map(({ stars }: { stars: unknown }) => stars)).toEqual([12_345, null, 7, 1])
    expect(items.map(({ release }: { release: unknown }) => release)).toEqual([
      { version: '1.3.0', publishedAt: '2026-11-20T00:00:00.000Z', withdrawn: false },
      { version: '2.0', publishedAt: null, withdrawn: true },
      null,
      { version: '4.5.6', publishedAt: null, withdrawn: false },
    ])
  })

  test('a comparison of an unknown item, of one twice, and of more than four is refused', async () => {
    const [first = '', ...others] = await compared()
    const unknown = await get(`/compare?item=${first}&item=${encodeURIComponent(HOSTILE.slice(0, 90))}`)
    expect(unknown.status).toBe(404)
    expect(unknown.text).toContain(`<a href="/compare?item=${first}">Compare the others</a>`)
    const twice = await get(`/compare?item=${first}&item=${first}`)
    expect([twice.status, unescaped(twice.text)]).toEqual([400, expect.stringContaining('Expected "ids" to be different ids')])
    const five = await get(`/compare?${[first, ...others, 'x'].map((id) => `item=${id}`).join('&')}`)
    expect([five.status, five.text]).toEqual([400, expect.stringContaining('at most 4 values')])
  })

  test('the search box is a form: words, kind and category stand in the address, and lists go on', async () => {
    const first = (await get('/search?q=postgres&kind=mcp&category=')).text
    expect(first).toContain('One of many for postgres')
    const next = /<a href="(\/search\?[^"]*after=[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await get(next)
    expect(second.status).toBe(200)
    expect(second.text).toContain('More results')
    expect(second.text).toContain('Back to the first page')
  })

  test.each([
    ['/search?kind=nonsense', 'kind'],
    ['/search?q=a&after=nonsense', 'after'],
    [`/search?q=${'x'.repeat(300)}`, 'q'],
    ['/search?q=a&q=b', 'q'],
  ])('%s is refused with a page that names the parameter', async (path, parameter) => {
    const { status, text } = await get(path)
    expect(status).toBe(400)
    expect(text).toContain(parameter)
    expect(text).toContain('<a href="/search">Start again</a>')
  })

  test.each(['/search?q=++', '/search?q=%09&kind=', '/trust?domain=%20'])(
    '%s is a form that nothing was written into',
    async (path) => {
      const { status, text } = await get(path)
      expect(status).toBe(200)
      expect(text).toContain('<form')
      expect(text).not.toContain('<h2 id="verdict">')
    },
  )

  test('words that were pasted with a tab or an end of a line between them are words', async () => {
    const [pasted, typed] = [await get('/search?q=acme%09warehouse%0D%0A'), await get('/search?q=acme+warehouse+')]
    expect([pasted.status, pasted.text]).toEqual([200, typed.text])
    expect(typed.text).toContain('Acme Tools')
    const broken = await get('/search?q=%ff')
    expect([broken.status, broken.text.includes('<code>q</code>')]).toEqual([400, true])
  })

  test('an empty search result says so and suggests fewer words', async () => {
    const { text } = await get('/search?q=zzzzqqqq')
    expect(text).toContain('Nothing for <strong>zzzzqqqq</strong>. Use fewer words')
    expect((await get('/search?q=zzzzqqqq&kind=plugin')).text).toContain(
      'Nothing for <strong>zzzzqqqq</strong> with these filters',
    )
    expect((await get('/search?category=Nothing')).text).toContain('Nothing with these filters')
  })

  test('an unknown address suggests similar items; programs get JSON', async () => {
    const lost = await get('/mcp/acme/tool')
    expect(lost.status).toBe(404)
    expect(lost.text).toMatch(/Did you mean<\/h2>.*Acme Tools/s)
    const elsewhere = await get(`/nowhere/${encodeURIComponent(HOSTILE)}`)
    expect([elsewhere.status, elsewhere.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    const program = await askRaw(web.url, '/nowhere', { headers: { accept: '*/*' } })
    expect([program.status, program.json.error.code]).toEqual([404, 'NOT_FOUND'])
    // Addresses of tool servers have one part less than those of items.
    expect((await get('/mcp/directory')).status).toBe(405)
    expect((await get('/mcp/directory/nothing')).status).toBe(404)
  })

  test('an unchanged page is answered 304', async () => {
    const { headers } = await get(tools)
    expect(headers['cache-control']).toMatch(/^public, max-age=60/)
    expect((await get(tools, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
  })

  test('every page forbids scripts and styles inside it, and has none', async () => {
    for (const path of Object.values(PAGES)) {
      web.later(60)
      const { headers, text } = await get(path)
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|data:|https?:/)
      const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes)
      for (const attributes of scripts)
        expect(attributes).toMatch(/^( type="module")? src="\/assets\/[\w.-]+"$|^ type="application\/ld\+json"$/)
      // What stands in attributes and in data is text, whatever it says.
      const markup = text.replaceAll(/"[^"]*"/g, '""').replaceAll(/(<script[^>]*>).*?(?=<\/script>)/gs, '$1')
      expect(markup).not.toMatch(/<style|<[^>]*\s(on\w+|style)\s*=/i)
    }
  })
})

test('pages answer 503 and are not cached while the graph is unavailable', async () => {
  const { gateway } = await directoryWithoutData()
  const site = await startSite(gateway.client, { publicUrl: 'https://atrium.example', hasExplorer: true, hasSchema: true })
  const app = createHttpServer({ log: recordingLog().log, notFoundPage: site.lost })
  await site.serve(app)
  for (const [url, expected] of [
    ['/', 503],
    ['/search?q=a', 503],
    [tools, 503],
    ['/trust?domain=example.com', 503],
    ['/sitemap.xml', 503],
    ['/nowhere', 404],
    ['/reference', 200],
    ['/schema', 200],
  ] as const) {
    const { statusCode, headers, body } = await app.inject({ url, headers: BROWSER })
    expect([url, statusCode]).toEqual([url, expected])
    expect(body).toContain('<h1>')
    if (expected === 503) expect(headers['cache-control']).toBe('no-store')
  }
  await app.close()
})

describe('trust', () => {
  test('a decision says what to do, draws three scores, gives reasons, what happened when, and what would change it', async () => {
    web.later(60)
    const { text, headers } = await get('/trust?domain=bad.example.net')
    expect(headers['cache-control']).toBe('no-store')
    expect(text).toMatch(/<h2 id="verdict">.*Deny/)
    expect(text.match(/role="img" aria-label="(Trust|Threat|Deviation): \d+ of 100/g)).toHaveLength(3)
    expect(text).toContain('THREAT_FEED_MATCH')
    expect(text).toContain('Listed by urlhaus as phishing')
    expect(text).toMatch(/If no threat feed listed it: <strong/)
    expect(text).not.toMatch(/sk_[a-z0-9]/)
  })

  test('a rate-limited visitor is told when to retry', async () => {
    web.later(600)
    for (let n = 0; n < 5; n += 1) expect((await get('/trust?domain=good.example.com')).status).toBe(200)
    const { status, headers, text } = await get('/trust?domain=good.example.com')
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(text).toMatch(/Too many trials from this address/)
    web.later(60)
    expect((await get('/trust?domain=good.example.com')).status).toBe(200)
  })

  test('what was typed stands in the command for programs, safe to paste', async () => {
    web.later(60)
    const { text } = await get(`/trust?domain=${encodeURIComponent("http://good.example.com/'$(id)'")}`)
    const marked = /<code id="programs-text">(.*?)<\/code>/s.exec(text)?.[1] ?? ''
    const command = unescaped(marked.replaceAll(/<\/?span[^>]*>/g, ''))
    const body = execFileSync('bash', ['-c', command.replace(/^curl .* -d /, 'printf %s ')]).toString()
    expect(JSON.parse(body)).toEqual({ target: { value: "http://good.example.com/'$(id)'" } })
  })
})

describe('documentation', () => {
  test('the page of a type has a query that reads it, which the explorer opens, and where it is used', async () => {
    const { text } = await get('/schema/McpServer')
    const [, shared = ''] = /<a href="\/graphql#operation=([\w-]+)">/.exec(text) ?? []
    const { query } = JSON.parse(Buffer.from(shared, 'base64url').toString())
    expect(query).toMatch(
      /^query Example\(\$owner: String!, \$repo: String!\) \{\n {2}mcpServer\(owner: \$owner, repo: \$repo\) \{\n {4}id\n/,
    )
    const { json } = await askRaw(web.url, '/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { owner: 'nobody', repo: 'nothing' } }),
    })
    expect(json.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code) ?? []).not.toContain(
      'GRAPHQL_VALIDATION_FAILED',
    )
    expect(text).toContain('<a href="/schema/Query#mcpServer">Query.mcpServer</a>')
  })

  test('every type of the schema has a page, and every operation of every contract has a section', async () => {
    const { text } = await get('/schema')
    const types = [...text.matchAll(/href="(\/schema\/\w+)"/g)].map(([, path]) => path ?? '')
    expect(types.length).toBeGreaterThan(100)
    for (const path of new Set(types)) expect([path, await statusAt(path)]).toEqual([path, 200])
    for (const [name, contract] of [
      ['directory', '/api/openapi.json'],
      ['trust', '/v1/decide/openapi.json'],
      ['store', '/v1/openapi.json'],
    ] as const) {
      const { paths } = (await get(contract)).json
      const first = (await get(`/reference/${name}`)).text
      const groups = new Set([...first.matchAll(/href="(\/reference\/\w+\/[^"#]+)/g)].map(([, path]) => path ?? ''))
      const pages = [first]
      for (const path of groups) pages.push((await get(path)).text)
      const text = pages.join('')
      const ids = Object.values<Record<string, { operationId?: string }>>(paths).flatMap((operations) =>
        Object.values(operations).flatMap(({ operationId }) => operationId ?? []),
      )
      expect(ids.length).toBeGreaterThan(8)
      expect(ids.filter((id) => !text.includes(`<article class="operation" id="${id}">`))).toEqual([])
    }
  })

  test('examples in the reference can be pasted, and are answered', async () => {
    const { text } = await get('/reference/directory')
    const commands = [...text.matchAll(/<code id="\w+-example">(.*?)<\/code>/gs)].map(([, command = '']) =>
      unescaped(command.replaceAll(/<\/?span[^>]*>/g, '')),
    )
    expect(commands.length).toBeGreaterThan(8)
    for (const command of commands) {
      const [, address = ''] = /^curl '([^']+)'$/.exec(command) ?? []
      expect(address).toContain(web.url)
      const { status } = await get(address.slice(web.url.length))
      // An example names items that this small directory does not have.
      expect([command, [200, 404].includes(status)]).toEqual([command, true])
    }
  })

  test('links inside the site lead somewhere', async () => {
    const seen = new Set<string>()
    for (const path of Object.values(PAGES)) {
      web.later(60)
      for (const [, href = ''] of (await get(path)).text.matchAll(/href="(\/[^"#]*)/g)) seen.add(unescaped(href))
    }
    for (const href of seen) {
      if (href.startsWith('/trust?')) continue
      expect([href, await statusAt(href)]).toEqual([href, 200])
    }
  })
})

describe('operations', () => {
  const as = (password: string) => ({ authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}` })

  test('a threat feed has its hits, its precision and what it was counted from', async () => {
    await web.trust.sql(`INSERT INTO feed_usage (feed, hits, last_hit_at) VALUES ('seen-feed', 7, now())`)
    await web.trust.sql(`INSERT INTO feed_listing (feed, subject, host, first_hit_at, last_hit_at, assessment, assessed_at)
      SELECT 'seen-feed', 'host h' || n, 'h', now() - interval '8 days', now(), assessment, CASE WHEN assessment IS NOT NULL THEN now() END
      FROM unnest(ARRAY['confirmed_by_feed', 'refuted_by_report', NULL]) WITH ORDINALITY AS given (assessment, n)`)
    await expect
      .poll(async () => (await get('/operations', as(OPERATIONS_TOKEN))).text)
      .toMatch(
        /<th scope="row">seen-feed<\/th><td class="number">7<\/td><td class="number">50 %<\/td><td>1 confirmed \(0 by reports\), 1 refuted \(1 by reports\), 1 open</,
      )
    await web.trust.sql('DELETE FROM feed_listing')
    await web.trust.sql('DELETE FROM feed_usage')
  })

  test('only the operations token opens them, and they are not cached', async () => {
    for (const headers of [
      {},
      as('wrong'),
      as(''),
      { authorization: 'Basic !!' },
      { authorization: `Bearer ${OPERATIONS_TOKEN}` },
    ]) {
      const { status, headers: sent, text } = await get('/operations', headers)
      expect([status, sent['www-authenticate']]).toEqual([401, 'Basic realm="Atrium operations", charset="UTF-8"'])
      expect(text).not.toContain('<')
    }
    await expect.poll(async () => (await get('/operations', as(OPERATIONS_TOKEN))).text).toContain('webhook-delivery')
    const { status, headers, text } = await get('/operations', as(OPERATIONS_TOKEN))
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(text).toMatch(/<h3>directory <span class="state-ok">ok/)
    expect(text).toMatch(/aria-label="Operations per second: /)
    expect(text).toMatch(/<h3>webhook-delivery<\/h3>/)
    expect(text).toMatch(/aria-label="Due and waiting: now 0, at most 0"/)
    expect(text).not.toContain(OPERATIONS_TOKEN)
  })

  test('without a token there is no such page', async () => {
    const app = Fastify()
    const site = await startSite(web.gateway.client, {
      publicUrl: 'https://atrium.example/base/',
      hasExplorer: false,
      hasSchema: false,
    })
    await site.serve(app)
    const ask = (url: string) => app.inject({ url, headers: as(OPERATIONS_TOKEN) })
    expect((await ask('/operations')).statusCode).toBe(404)
    expect((await ask('/schema')).statusCode).toBe(404)
    // Links lead below the address that clients see; those to items are the directory's.
    const { body } = await ask('/')
    expect(body).not.toMatch(/(href|src|action)="\/(?!base\/|mcp\/|plugins\/|skills\/)/)
    expect(body).toContain('<link rel="canonical" href="https://atrium.example/base/">')
    expect(body).not.toContain('Explorer')
    await app.close()
  })
})

describe('for programs', () => {
  test('a program that walks the sitemap meets every item once, and the pages of the site', async () => {
    const addresses = async (path: string) =>
      [...(await get(path)).text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => unescaped(url ?? ''))
    const files = await addresses('/sitemap.xml')
    expect(files.map((url) => new URL(url).pathname)).toEqual([
      '/sitemap/pages.xml',
      '/sitemap/mcp/1.xml',
      '/sitemap/plugin/1.xml',
      '/sitemap/skill/1.xml',
    ])
    const all: string[] = []
    for (const file of files) all.push(...(await addresses(new URL(file).pathname)))
    expect(new Set(all).size).toBe(all.length)
    expect(all).toContain(`${web.url}/`)
    expect(all.filter((url) => /\/(mcp|plugins|skills)\//.test(url))).toHaveLength(36)
    for (const address of all) expect([address, await statusAt(address.slice(web.url.length))]).toEqual([address, 200])
    for (const path of ['/sitemap/mcp/2.xml', '/sitemap/mcp/0.xml', '/sitemap/nothing/1.xml', '/sitemap/mcp/1'])
      expect((await get(path)).status).toBe(404)
  })

  test('every address in the graph and in REST that points here answers', async () => {
    const { json } = await get('/api/search?q=acme&limit=25')
    const { json: graph } = await askRaw(web.url, '/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: '{ newestItems(first: 100) { url ... on McpServer { docsUrl } ... on Skill { docsUrl } } }',
      }),
    })
    const urls: string[] = [...json.results, ...graph.data.newestItems].flatMap(({ url, docsUrl }) => [url, docsUrl ?? []].flat())
    const own = urls.filter((url) => url.startsWith(web.url))
    expect(own.length).toBeGreaterThan(36)
    for (const url of own) expect([url, await statusAt(url.slice(web.url.length))]).toEqual([url, 200])
  })

  test('badges of items are SVG with a validator, and one of no item says so', async () => {
    for (const path of [tools, '/plugins/market/helper', '/skills/pdf', '/mcp/evil/server']) {
      const { status, headers, text } = await get(`/badge${path}.svg`)
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'image/svg+xml; charset=utf-8'])
      expect(headers['content-security-policy']).toBe("default-src 'none'")
      expect(text).toMatch(/<title>on Atrium, .*item trust: [a-z ]+, \d{4}-\d\d-\d\d<\/title>/)
      expect((await get(`/badge${path}.svg`, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
      const page = (await get(path)).text
      expect(page).toContain(`src="/badge${path}.svg"`)
      expect(unescaped(page)).toContain(`](${web.url}/badge${path}.svg)](${web.url}${path})`)
    }
    for (const path of ['/badge/mcp/no/such.svg', '/badge/skills/pdf', `/badge/skills/${encodeURIComponent(HOSTILE)}.svg`]) {
      const { status, headers, text } = await get(path)
      expect([status, headers['content-type']]).toEqual([404, 'image/svg+xml; charset=utf-8'])
      expect(text).toContain('no such item')
    }
  })

  test('the feed is Atom, with the newest items', async () => {
    const { headers, text } = await get('/feed.xml')
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    expect(text.match(/<entry>/g)).toHaveLength(36)
    expect(text).toContain(`<link rel="alternate" type="text/html" href="${web.url}${tools}"/>`)
    expect(text).not.toMatch(/<script|<img/)
  })

  test('the feed was updated when the last of its entries was, whichever that is', async () => {
    const times = async () => [...(await get('/feed.xml')).text.matchAll(/<updated>([^<]*)<\/updated>/g)].map(([, time]) => time)
    const before = await times()
    await putItems(web.trust.database.connection, [
      aServer('many/number-0', { description: 'One of many for postgres', category: 'Databases' }),
    ])
    await expect.poll(times).not.toEqual(before)
    const [feed, ...entries] = await times()
    expect(new Set(entries).size).toBe(2)
    expect(feed).toBe(entries.toSorted().at(-1))
  })

  test('agents find skills that teach them this service, known by their digests', async () => {
    const { json, headers } = await get('/.well-known/agent-skills/index.json')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(json.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(json.skills.map(({ name }: { name: string }) => name)).toEqual(['check-domain-trust', 'find-agent-tools'])
    for (const { url, digest, name, description, type } of json.skills) {
      const skill = await fetch(url)
      const bytes = new Uint8Array(await skill.arrayBuffer())
      const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
      expect([skill.status, digest, type]).toEqual([200, `sha256:${hash}`, 'skill-md'])
      expect(Buffer.from(bytes).toString()).toContain(`name: ${name}\ndescription: ${description}\n`)
      expect(Buffer.from(bytes).toString()).toContain(web.url)
    }
  })

  test('robots.txt names the sitemap and excludes pages that start work', async () => {
    const { text } = await get('/robots.txt')
    expect(text).toContain(`Sitemap: ${web.url}/sitemap.xml`)
    expect(text).toContain('Disallow: /trust?')
    expect(text).toContain('Disallow: /console\n')
    const listed = (await get('/sitemap/pages.xml')).text
    for (const [, path = ''] of text.matchAll(/^Disallow: (.*)$/gm)) expect(listed).not.toContain(`<loc>${web.url}${path}`)
  })
})

const unescaped = (text: string) =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  /** Shows one page after the other: a new one starts a process, a quarter of the work. */
  let shown: Awaited<ReturnType<typeof openPage>>
  /** That page, as it was when it was opened. */
  const sameShown = async () => {
    // What the page before still loads ends here, and its complaints are not of the next one.
    await shown.page.goto('about:blank')
    shown.complaints.length = 0
    await shown.page.context().clearCookies()
    await shown.page.emulateMedia({ colorScheme: 'light', media: 'screen' })
    await shown.page.setViewportSize({ width: 1280, height: 800 })
    return shown
  }
  beforeAll(async () => {
    browser = await sharedBrowser()
    shown = await openPage(browser)
  })
  afterAll(() => closePages(browser))

  test.each(Object.entries(PAGES))('%s is accessible and fits, light and dark, at 360 and at 1280 px', async (name, path) => {
    web.later(60)
    const { page, complaints } = await sameShown()
    await page.goto(web.url + path)
    await look(page, name)
    expect(await page.evaluate('window.ran')).toBeUndefined()
    // The browser itself calls an answer of 404 or 400 an error.
    expect(complaints.filter((each) => !/status of (404|400)/.test(each))).toEqual([])
  })

  test('a comparison of four items is accessible and fits, light and dark, and weighs less than 60 kB', async () => {
    const path = `/compare?${(await compared()).map((id) => `item=${id}`).join('&')}`
    expect((await get(path, { 'accept-encoding': 'br' })).bytes.length).toBeLessThan(60_000)
    await shown.page.goto(`${web.url}${path}`)
    // Only its own stylesheet makes the columns equally wide.
    const layout = "getComputedStyle(document.querySelector('.compared table')).tableLayout"
    expect(await shown.page.evaluate(layout)).toBe('fixed')
    await look(shown.page, 'compare')
  })

  test('without JavaScript what is chosen in results is compared', async () => {
    const { page } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${web.url}/search?q=acme`)
    await page.getByLabel('Compare Acme Tools').check()
    await page.getByLabel('Compare Helper').check()
    await page.getByRole('button', { name: 'Compare what is chosen' }).click()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
      expect.stringContaining('Acme Tools'),
      expect.stringContaining('Helper'),
    ])
    await page.close()
  })

  test('on a phone, filters are folded and open without JavaScript; in a wide window they are shown', async () => {
    const { page } = await openPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
    await page.goto(`${web.url}/search?q=acme`)
    const filter = page.getByRole('link', { name: 'Newest' })
    const first = page.locator('#results .card').first()
    expect([await filter.isVisible(), ((await first.boundingBox())?.y ?? Number.NaN) < 400]).toEqual([false, true])
    await page.getByText('Order and filters').click()
    await filter.waitFor()
    await page.getByText('Order and filters').click()
    await page.setViewportSize({ width: 1280, height: 800 })
    await filter.waitFor()
    expect(await page.getByText('Order and filters').isVisible()).toBe(false)
    await page.close()
  })

  test('results follow what one types, arrows walk through them, and the address can be shared', async () => {
    const { page, complaints } = await sameShown()
    await page.goto(web.url)
    await page.keyboard.press('/')
    await page.keyboard.type('postgress')
    // A machine that pauses between two letters shows what it found for the first ones before.
    await page.waitForURL((address) => address.search === '?q=postgress')
    await page.locator('#results .card', { hasText: 'One of many for postgres' }).first().waitFor()
    expect(await page.title()).toContain('postgress')
    await picture(page, 'typed')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate('document.activeElement.textContent')).toBe(
      await page.locator('#results .card h3 a').first().textContent(),
    )
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.name')).toBe('q')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/mcp\//)
    await page.goBack()
    await page.locator('#results .card').first().waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'One graph' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('results that stay while one types are the same elements, with what was chosen', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${web.url}/search?q=acme+t`)
    await page.getByLabel('Compare Acme Tools').check()
    await page.evaluate("globalThis.before = document.querySelector('#results .card')")
    await page.getByRole('searchbox').press('End')
    await page.keyboard.type('ools')
    await page.waitForURL((address) => address.search === '?q=acme+tools')
    await page.locator('#results:not(.is-loading)').waitFor()
    expect([await page.evaluate('before.isConnected'), await page.getByLabel('Compare Acme Tools').isChecked()]).toEqual([
      true,
      true,
    ])
    await page.getByRole('searchbox').fill('postgress')
    await page.locator('#results .card', { hasText: 'One of many for postgres' }).first().waitFor()
    await page.locator('#results:not(.is-loading)').waitFor()
    // What the parts became is what the server sends.
    const markup = "document.getElementById('results').outerHTML.replaceAll(/\\s+/g, '')"
    const typed = await page.evaluate(markup)
    await page.reload()
    expect([typed, complaints]).toEqual([await page.evaluate(markup), []])
    await page.close()
  })

  test('on a phone, sections of the schema are folded and open without JavaScript; in a wide window queries are shown', async () => {
    const { page } = await openPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
    await page.goto(`${web.url}/schema`)
    const query = page.locator('.listing a[href="/schema/Query#mcpServer"]')
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
    expect([await query.isVisible(), height < 2500]).toEqual([false, true])
    await page.locator('summary', { hasText: 'Queries' }).click()
    await query.waitFor()
    await page.locator('summary', { hasText: 'Queries' }).click()
    await page.setViewportSize({ width: 1280, height: 800 })
    await query.waitFor()
    await page.close()
  })

  test('search as you type shows why it has no answer, and continues with the next letter', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${web.url}/search?q=acme`)
    await page.route('**/search?q=postgres', (route) =>
      route.fulfill({ status: 429, contentType: 'text/html', body: '<h1>Too many requests</h1>' }),
    )
    await page.getByRole('searchbox').fill('postgres')
    await page.getByRole('status').filter({ hasText: 'Too many requests.' }).waitFor()
    expect(await page.locator('.is-loading').count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?q=acme')
    await picture(page, 'typed-refused')
    await page.getByRole('searchbox').fill('postgress')
    await page.locator('#results .card', { hasText: 'One of many for postgres' }).first().waitFor()
    expect(await page.getByRole('status').count()).toBe(0)
    await page.close()
  })

  test('without JavaScript the form and the facets find the same', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(web.url)
    await page.getByRole('searchbox').fill('acme')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: /^Plugins/ }).click()
    expect(page.url()).toContain('kind=plugin')
    await page.getByRole('link', { name: 'Helper' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Helper')
    expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false)
    await page.locator('summary', { hasText: 'Trust:' }).click()
    expect(await page.getByText('not of the code itself').isVisible()).toBe(true)
    await context.close()
  })

  test('the command is copied with one click', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(web.url + tools)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npx -y @acme/tools@1.2.3 --read-only')
    await context.close()
  })

  test('tabs of clients work without JavaScript, by mouse and by keys', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(web.url + tools)
    const panel = (client: string) => page.getByLabel(`Configuration for ${client}`)
    expect(await panel('Claude Desktop').isVisible()).toBe(true)
    await page.getByText('Codex', { exact: true }).click()
    expect(await panel('Claude Desktop').isVisible()).toBe(false)
    expect(await panel('Codex').textContent()).toContain('[mcp_servers.tools]')
    await page.keyboard.press('ArrowLeft')
    expect(await panel('VS Code').textContent()).toContain('promptString')
    expect(await page.getByRole('link', { name: 'Install in VS Code' }).getAttribute('href')).toMatch(/^vscode:mcp\/install\?/)
    expect(await page.locator('#fill').isVisible()).toBe(false)
    await context.close()
  })

  test('no outline of what can be focused on the page of an item is cut off by what contains it', async () => {
    const { page } = await sameShown()
    await page.goto(web.url + tools)
    // Outlines are 2 px wide and 2 px away.
    const cut = await page.evaluate<readonly string[]>(`{
      for (const each of document.querySelectorAll('details')) each.open = true
      const focusable = [...document.querySelectorAll('.item :is(a, button, summary, [tabindex="0"], .tabs > label)')]
      globalThis.contained = focusable.filter((each) => each.checkVisibility() && each.parentElement.closest('.item section'))
      const isCut = (each) => {
        const { left, right, bottom } = each.getBoundingClientRect()
        for (let around = each.parentElement; around !== null; around = around.parentElement) {
          const box = around.getBoundingClientRect()
          const isClipped = getComputedStyle(around).contain.match(/paint|content|strict/)
          if (isClipped && (left - 4 < box.left || right + 4 > box.right || bottom + 4 > box.bottom)) return true
        }
        return false
      }
      contained.filter(isCut).map((each) => each.outerHTML)
    }`)
    expect(cut).toEqual([])
    expect(await page.evaluate('contained.length')).toBeGreaterThan(10)
  })

  test('values are filled in as the format demands, and never leave the browser', async () => {
    const { page, complaints } = await sameShown()
    await page.goto(web.url + tools)
    const sent: string[] = []
    // The icon of the page and its badge, an image that loads late, are asked for without a value.
    const late = [`${web.url}/badge${tools}.svg`]
    page.on('request', (request) => {
      if (!request.url().includes('/assets/') && !late.includes(request.url()))
        sent.push(request.url() + (request.postData() ?? ''))
    })
    const value = `a"b'c \\ $(id) </code>&é`
    await page.getByLabel('ACME_PERSONAL_ACCESS_TOKEN').fill(value)
    const text = (client: string) => page.locator(`#client-${client}-text`).textContent()
    for (const client of ['claude-desktop', 'cursor', 'windsurf', 'generic-json']) {
      expect(JSON.parse((await text(client)) ?? '').mcpServers.tools.env).toEqual({ ACME_PERSONAL_ACCESS_TOKEN: value })
    }
    const command = (await text('claude-code')) ?? ''
    expect(execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\n' "$word"; done`], { encoding: 'utf8' })).toContain(
      `\nACME_PERSONAL_ACCESS_TOKEN=${value}\n`,
    )
    await page.getByText('Cursor', { exact: true }).click()
    const link = new URL((await page.getByRole('link', { name: 'Install in Cursor' }).getAttribute('href')) ?? '')
    const linked = JSON.parse(Buffer.from(link.searchParams.get('config') ?? '', 'base64').toString())
    expect(linked.env).toEqual({ ACME_PERSONAL_ACCESS_TOKEN: value })
    await page.keyboard.press('Enter')
    expect({ sent, complaints, address: page.url() }).toEqual({ sent: [], complaints: [], address: web.url + tools })
  })

  test('Tab goes to the content first, then through the page in its order', async () => {
    const { page } = await sameShown()
    await page.goto(web.url + tools)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('MCP servers')
  })

  test.each(['/', '/search?q=acme', '/mcp/acme/tool'])(
    'skipping to the content of %s stays on the page, also after words were typed',
    async (path) => {
      const { page } = await sameShown()
      await page.goto(web.url + path)
      const isThere = () => page.evaluate('window.isThere = window.isThere ?? performance.timeOrigin')
      const begun = await isThere()
      const skip = async () => {
        await page.getByRole('link', { name: 'Skip to content' }).focus()
        await page.keyboard.press('Enter')
        await page.waitForURL(/#content$/)
        // A reload would have begun by then.
        await page.waitForTimeout(300)
        expect([await isThere(), await page.evaluate('document.activeElement.id')]).toEqual([begun, 'content'])
      }
      await skip()
      await page.getByRole('searchbox').fill('postgres')
      await page.waitForURL((address) => address.search === '?q=postgres')
      await skip()
    },
  )

  test('an injected script is not run', async () => {
    const { page, complaints } = await sameShown()
    await page.goto(web.url)
    await page.evaluate(`{
      const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script)
      const box = document.createElement('div'); box.innerHTML = '<img src=x onerror="window.ran = 1">'; document.body.append(box)
    }`)
    // The picture has failed by then, which would have run its handler.
    const expected = [/Content Security Policy/, /status of 404/]
    await expect.poll(() => expected.every((each) => complaints.some((complaint) => each.test(complaint)))).toBe(true)
    expect(await page.evaluate('window.ran')).toBeUndefined()
  })

  test('recorded events of an order are shown, and replayed one after the other', async () => {
    const { page, complaints } = await sameShown()
    await page.goto(web.url)
    const pending = page.locator('[data-event].is-pending')
    expect([await page.locator('[data-event]').count(), await pending.count()]).toEqual([3, 0])
    // A busy machine may look only when all are shown again.
    await page.evaluate(`{
      window.pendingCounts = []
      const note = () => {
        const count = document.querySelectorAll('[data-event].is-pending').length
        if (count !== window.pendingCounts.at(-1)) window.pendingCounts.push(count)
      }
      new MutationObserver(note).observe(document.body, { subtree: true, attributeFilter: ['class'] })
    }`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => page.evaluate('window.pendingCounts')).toEqual([3, 2, 1, 0])
    expect([await pending.count(), complaints]).toEqual([0, []])
  })

  test('the explorer signs in, and sends operations as the user', async () => {
    const sent = await askRaw(web.url, '/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query:
          'mutation { createUser(input: { email: "kim@example.org", name: "Kim", password: "a secret of my own" }) { user { id } } }',
      }),
    })
    expect(sent.json.data.createUser.user).not.toBeNull()
    const { page, complaints } = await openPage(browser)
    await page.goto(`${web.url}/graphql`)
    await page.locator('#credentials summary').click()
    await page.getByLabel('E-mail address').fill('kim@example.org')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /password/i })
      .waitFor()
    await page.getByLabel('E-mail address').fill('kim@example.org')
    await page.getByLabel('Password').fill('a secret of my own')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('status').filter({ hasText: 'Signed in as Kim' }).waitFor()
    await picture(page, 'explorer-signed-in')
    await page.locator('#credentials summary').click()
    await page.evaluate(
      `document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.setValue('query AsMyself { me { name email } }')`,
    )
    // The name of the operation follows what one types after a moment.
    await page.getByRole('tab', { name: 'AsMyself' }).first().waitFor()
    await page.getByRole('button', { name: /execute query/i }).click()
    await page.locator('.result-window', { hasText: 'kim@example.org' }).waitFor()
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toMatch(/eyJ|a secret of my own/)
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { level: 1, name: 'One graph' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the operations page draws what happens, in every look', async () => {
    const context = await browser.newContext({ httpCredentials: { username: 'op', password: OPERATIONS_TOKEN } })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${web.url}/operations`)
    await look(page, 'operations')
    await page.locator('.plot path.first[d*="L"]').first().waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
    await context.close()
  })

  test('an item is printed with its command, variables and reasons, without the navigation', async () => {
    const { page } = await sameShown()
    await page.goto(web.url + tools)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Site' }).isVisible()).toBe(false)
    expect(await page.getByText('npx -y @acme/tools@1.2.3 --read-only', { exact: true }).isVisible()).toBe(true)
    expect(await page.getByText('not of the code itself').isVisible()).toBe(true)
    await picture(page, 'print')
  })
})
