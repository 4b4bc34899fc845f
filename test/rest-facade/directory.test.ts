import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { directoryRoutes } from '../../rest-facade/directory/routes.ts'
import { directoryTexts } from '../../rest-facade/directory/text-routes.ts'
import { expectationOf, type Parameter } from '../../rest-facade/http/parameters.ts'
import { askRaw } from './ask.ts'
import { breaches, contract, resolved } from './contract.ts'
import { AWKWARD, ENTRIES, LONG, PLUGINS, SERVERS, SKILLS } from './sample.ts'
import { startStack } from './stack.ts'

let stack: Awaited<ReturnType<typeof startStack>>
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const ask = (path: string) => askRaw(stack.url, path)
const KEYS = {
  list: ['count', 'total', 'limit', 'offset', 'results'],
  search: ['query', 'type', 'count', 'results'],
  result: ['type', 'name', 'description', 'url', 'category', 'popularity'],
  '/api/mcp': ['owner', 'repo', 'title', 'category', 'official', 'tags', 'stars', 'transport', 'url'],
  '/api/plugins': ['marketplaceSlug', 'slug', 'name', 'category', 'ecosystem', 'stars', 'url'],
  '/api/skills': ['slug', 'name', 'category', 'source', 'tags', 'url'],
  mcp: ['owner', 'repo', 'title', 'category', 'official', 'stars', 'installCommand', 'envVars', 'url', 'docsUrl'],
  plugin: ['name', 'category', 'ecosystem', 'installCommand', 'sourceUrl', 'url'],
  skill: ['slug', 'name', 'source', 'docsUrl', 'repoUrl', 'url'],
}

describe('the contract', () => {
  test('is valid OpenAPI 3.1, under CC-BY 4.0, with the address at which it is served', async () => {
    const { status, json } = await ask('/api/openapi.json')
    expect(status).toBe(200)
    const { valid, errors } = await new Validator().validate(structuredClone(json))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(json.openapi).toMatch(/^3\.1\./)
    expect(json.info.license.name).toBe('CC-BY 4.0')
    expect(json.servers[0].url).toBe(stack.publicUrl)
  })

  test('names the same operations as the rows and the operation files', () => {
    const room = join(import.meta.dirname, '../../rest-facade/directory')
    const files = readdirSync(room, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => readdirSync(join(room, name)))
      .filter((name) => name.endsWith('.graphql'))
    const rows = directoryRoutes.map(({ operationId, path }) => `${operationId} ${path}`)
    const texts = directoryTexts('').map(({ operationId, path }) => `${operationId} ${path}`)
    const documented = Object.entries(contract.paths).map(([path, { get }]) => `${get.operationId} ${path}`)
    expect(documented.sort()).toEqual([...rows, ...texts].sort())
    expect(files.map((file) => basename(file, '.graphql')).sort()).toEqual(directoryRoutes.map((row) => row.operationId).sort())
  })

  test('documents the parameters that the rows read, with the same ranges and defaults', () => {
    for (const { path, parameters } of directoryRoutes) {
      const documented = (contract.paths[path]?.get.parameters ?? []).map(resolved).filter(({ in: place }) => place === 'query')
      const spelled = documented.map(({ name, required, schema }) => [
        name,
        schema.type === 'integer'
          ? { kind: 'integer', min: schema.minimum, max: schema.maximum, default: schema.default }
          : schema.type === 'boolean' || schema.format === 'date-time'
            ? { kind: schema.type === 'boolean' ? 'boolean' : 'time' }
            : schema.enum
              ? { kind: 'enum', values: schema.enum, ...(schema.default && { default: schema.default }) }
              : {
                  kind: 'text',
                  max: schema.maxLength,
                  ...(required && { required }),
                  ...((name === 'q' || name === 'search') && { collapsesSpace: true }),
                },
      ])
      expect(Object.fromEntries(spelled), path).toEqual(parameters)
    }
  })

  test('describes every schema, property, parameter, header and answer, and documents 400 and 404 where they occur', () => {
    const undescribed: string[] = []
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const entries = Object.entries(value)
      const isSchema = 'type' in value && !path.endsWith('/schema') && !path.includes('/example')
      if (isSchema && !('description' in value) && !path.endsWith('/properties')) undescribed.push(path)
      for (const [key, child] of entries) walk(child, `${path}/${key}`)
    }
    walk(contract.components, '')
    for (const [path, { get }] of Object.entries(contract.paths)) {
      for (const [status, response] of Object.entries(get.responses))
        if (!resolved(response)?.description) undescribed.push(`${path} ${status}`)
      for (const parameter of get.parameters ?? []) if (!resolved(parameter).description) undescribed.push(`${path} parameter`)
    }
    expect(undescribed).toEqual([])
    for (const { path, parameters } of directoryRoutes) {
      const statuses = Object.keys(contract.paths[path]?.get.responses ?? {})
      expect(statuses.includes('400'), path).toBe(Object.keys(parameters).length > 0 || path.includes('{'))
      expect(statuses.includes('404'), path).toBe(path.includes('{'))
    }
  })
})

describe('every answer keeps the contract', () => {
  const answers: [string, number, string][] = [
    ['/api/search', 200, '/api/search?q=postgres'],
    ['/api/search', 200, '/api/search?q=postgres&type=plugin'],
    [
      '/api/search',
      200,
      '/api/search?q=number&sort=name&keyless=true&verified=false&owner=nobody&location=local&transport=stdio&official=false',
    ],
    ['/v0.1/servers', 200, '/v0.1/servers?limit=100'],
    ['/v0.1/servers', 200, '/v0.1/servers?search=number&version=latest&updated_since=2020-01-01T00:00:00Z'],
    ['/v0.1/servers', 400, '/v0.1/servers?cursor=nonsense'],
    ['/v0.1/servers', 400, '/v0.1/servers?version=1.2.3'],
    ['/v0.1/servers/{name}/versions', 404, '/v0.1/servers/nobody%2Fnothing/versions'],
    ['/v0.1/servers/{name}/versions/{version}', 404, '/v0.1/servers/nobody%2Fnothing/versions/latest'],
    ['/api/search', 400, '/api/search'],
    ['/api/search', 400, '/api/search?q=number&sort=best'],
    ['/api/mcp', 200, '/api/mcp?sort=newest&keyless=false&verified=true&location=remote&owner=acme&tag=sql'],
    ['/api/mcp', 400, '/api/mcp?location=here'],
    ['/api/mcp', 200, '/api/mcp?limit=100'],
    ['/api/mcp', 200, '/api/mcp?category=Nothing%20Has%20This'],
    ['/api/mcp', 400, '/api/mcp?limit=0'],
    ['/api/mcp/{owner}/{repo}', 404, '/api/mcp/no/such'],
    ['/api/mcp/{owner}/{repo}/features', 404, '/api/mcp/no/such/features'],
    ['/api/mcp/{owner}/{repo}/features', 400, '/api/mcp/%zz/such/features'],
    ['/api/mcp', 200, '/api/mcp?tool=create_issue'],
    ['/api/mcp/{owner}/{repo}', 400, '/api/mcp/%zz/such'],
    ['/api/plugins', 200, '/api/plugins?limit=100'],
    ['/api/plugins', 400, '/api/plugins?offset=-1'],
    ['/api/plugins/{marketplace}/{plugin}', 404, '/api/plugins/no/such'],
    ['/api/skills', 200, '/api/skills?limit=100'],
    ['/api/skills', 400, '/api/skills?source=elsewhere'],
    ['/api/skills/{slug}', 404, '/api/skills/no-such'],
    ['/api/categories', 200, '/api/categories'],
    ['/api/search', 200, '/api/search?q=number&license=permissive'],
    ['/api/mcp', 200, '/api/mcp?license=Apache-2.0'],
    ['/api/mcp', 400, '/api/mcp?license=%25'],
    ['/api/plugins', 200, '/api/plugins?license=unknown'],
    ['/api/skills', 200, '/api/skills?license=MIT%20OR%20ISC'],
    ['/api/skills', 400, '/api/skills?license=MIT%20OR%20'],
    ['/api/stats', 200, '/api/stats'],
    ['/api/openapi.json', 200, '/api/openapi.json'],
  ]
  test.each(answers)('%s %i: %s', async (path, status, url) => {
    const reply = await ask(url)
    expect(reply.status).toBe(status)
    expect(breaches(path, status, reply.json)).toEqual([])
  })

  test('of what a server offers, as sources list it and where none does', async () => {
    const path = '/api/mcp/{owner}/{repo}/features'
    const [listed, unknown] = await Promise.all([
      ask('/api/mcp/Owner1/server-15/features'),
      ask(`/api/mcp/${SERVERS[16]?.key}/features`),
    ])
    expect([...breaches(path, 200, listed.json), ...breaches(path, 200, unknown.json)]).toEqual([])
    expect(listed.json).toMatchObject({
      source: 'stated',
      tools: [
        { name: 'create_record', inputSchema: { type: 'object' }, isReadOnly: false },
        { name: 'leak_record', description: null, isWithheld: true },
      ],
      findings: [{ rule: 'instruction-tag', severity: 'high' }, { rule: 'instruction-tag' }, { rule: 'hide-from-user' }],
    })
    expect(JSON.stringify(listed.json.tools)).not.toContain('tell the user')
    expect(unknown.json).toMatchObject({ source: null, tools: [], findings: [] })
    expect((await ask('/api/mcp?tool=CREATE_record')).json.results.map(({ repo }: { repo: string }) => repo)).toEqual([
      'server-15',
    ])
    expect((await ask('/api/search?q=create_record')).json.results[0].name).toBe('Server 15')
  })

  test('of every single item', async () => {
    const paths = [
      ...SERVERS.map(({ detail }) => ['/api/mcp/{owner}/{repo}', detail.owner, detail.repo]),
      ...PLUGINS.map(({ detail }) => ['/api/plugins/{marketplace}/{plugin}', detail.marketplaceSlug, detail.slug]),
      ...SKILLS.map(({ detail }) => ['/api/skills/{slug}', detail.slug]),
    ] as [string, ...string[]][]
    for (const [path, ...segments] of paths) {
      const url = `${path.slice(0, path.indexOf('/{'))}/${segments.map(encodeURIComponent).join('/')}`
      const { status, json } = await ask(url)
      expect([url, status, breaches(path, 200, json)]).toEqual([url, 200, []])
    }
  })
})

describe('fields are those of the specification, in its order', () => {
  test('search', async () => {
    const { json } = await ask('/api/search?q=postgres')
    expect(Object.keys(json)).toEqual(KEYS.search)
    expect(Object.keys(json.results[0])).toEqual(KEYS.result)
  })
  test.each(['/api/mcp', '/api/plugins', '/api/skills'] as const)('%s', async (path) => {
    const { json } = await ask(path)
    expect(Object.keys(json)).toEqual(KEYS.list)
    for (const item of json.results) expect(Object.keys(item)).toEqual(KEYS[path])
  })
  test.each([
    ['/api/mcp/owner3/server-8', KEYS.mcp],
    ['/api/plugins/market-1/plugin-5', KEYS.plugin],
    ['/api/skills/skill-3', KEYS.skill],
    ['/api/categories', ['mcp', 'plugins', 'skills']],
    ['/api/stats', ['personas', 'skills', 'bundles', 'agents', 'tools', 'guides']],
  ])('%s', async (path, keys) => {
    const { status, json } = await ask(path)
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(keys)
  })
  test('environment variables show name and required, nothing else', async () => {
    const { json } = await ask('/api/mcp/owner3/server-3')
    const odd = await ask('/api/mcp/Owner3/server-3')
    expect(json).toEqual(odd.json)
    expect(json.envVars).toEqual([{ name: 'KEY_3', required: true }])
  })
})

describe('search', () => {
  test('echoes q and type, and counts its results', async () => {
    const { json } = await ask('/api/search?q=%20Postgres+number%20&type=mcp&limit=3')
    expect(json).toMatchObject({ query: ' Postgres number ', type: 'mcp', count: 3 })
    expect(json.results).toHaveLength(3)
  })
  test('looks at everything by default and gives at most 10 of each type', async () => {
    const { json } = await ask('/api/search?q=number')
    expect(json.type).toBe('all')
    const perType = Object.groupBy(json.results as { type: string }[], ({ type }) => type)
    expect(Object.keys(perType).sort()).toEqual(['mcp_server', 'plugin', 'skill'])
    for (const results of Object.values(perType)) expect(results).toHaveLength(10)
  })
  test.each([
    ['mcp', 'mcp_server'],
    ['plugin', 'plugin'],
    ['skill', 'skill'],
  ])('type=%s gives only %s', async (filter, type) => {
    const { json } = await ask(`/api/search?q=number&limit=25&type=${filter}`)
    expect(json.type).toBe(filter)
    expect(json.count).toBe(25)
    expect(new Set(json.results.map((result: { type: string }) => result.type))).toEqual(new Set([type]))
  })
  test('popularity is stars', async () => {
    const { json } = await ask('/api/search?q=awkward&type=mcp')
    expect(json.results[0]).toMatchObject({ name: 'Awkward', popularity: 7 })
  })
  test('a text without letters or matches is an empty list', async () => {
    for (const q of ['%25%25%25', 'zzzzqqqqxxxx', '*'])
      expect((await ask(`/api/search?q=${q}`)).json, q).toMatchObject({ count: 0, results: [] })
  })
})

describe('lists', () => {
  const walk = async (path: string, limit: number) => {
    const items: Record<string, unknown>[] = []
    let next: string | null = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
    while (next) {
      const { json, headers } = await ask(next)
      expect(json.count, 'no link leads to an empty page').toBeGreaterThan(0)
      items.push(...json.results)
      const link: string | undefined = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1]
      next = link ? link.slice(stack.publicUrl.length) : null
    }
    return items
  }
  test.each([
    ['/api/mcp', SERVERS.length, 7],
    ['/api/plugins', PLUGINS.length, 5],
    ['/api/skills', SKILLS.length, 5],
    ['/api/mcp?official=false', SERVERS.filter(({ detail }) => !detail.official).length, 10],
    ['/api/skills?source=built-in', SKILLS.filter(({ detail }) => detail.source === 'BUILT_IN').length, 1],
  ])('walking %s by rel=next meets all %i items exactly once, in the order of one page', async (path, total, limit) => {
    const items = await walk(path, limit)
    expect(items).toHaveLength(total)
    expect(new Set(items.map(({ url }) => url)).size).toBe(total)
    const { json } = await ask(`${path}${path.includes('?') ? '&' : '?'}limit=100`)
    expect(json.results).toEqual(items)
    expect(json).toMatchObject({ count: total, total, limit: 100, offset: 0 })
  })

  test('the envelope says count, total, limit and offset, with 20 and 0 as defaults', async () => {
    expect((await ask('/api/mcp')).json).toMatchObject({ count: 20, total: SERVERS.length, limit: 20, offset: 0 })
    expect((await ask('/api/mcp?limit=10&offset=40')).json).toMatchObject({ count: SERVERS.length - 40, limit: 10, offset: 40 })
    expect((await ask('/api/mcp?offset=2147483647')).json).toMatchObject({ count: 0, total: SERVERS.length, results: [] })
  })

  test('Link leads to the next and the previous page under the same filter', async () => {
    const { headers } = await ask('/api/mcp?limit=10&offset=5&official=false&cachebuster=1')
    expect(headers.link).toContain(`<${stack.publicUrl}/api/mcp?official=false&limit=10&offset=15>; rel="next"`)
    expect(headers.link).toContain(`<${stack.publicUrl}/api/mcp?official=false&limit=10&offset=0>; rel="prev"`)
    const behind = await ask('/api/plugins?offset=5000')
    expect(behind.headers.link).not.toContain('rel="next"')
    expect(behind.headers.link).toContain(`offset=${PLUGINS.length - 20}>; rel="prev"`)
  })

  test('servers and plugins are sorted by stars, then by key; skills by name, then by slug', async () => {
    const by = (...parts: (string | number)[][]) => parts
    const sorted = (rows: (string | number)[][]) =>
      rows.toSorted((a, b) => {
        const at = a.findIndex((part, index) => part !== b[index])
        return at === -1 ? 0 : (a[at] as string) < (b[at] as string) ? -1 : 1
      })
    type Item = Record<string, string> & { stars: number }
    const servers = by(
      ...(await walk('/api/mcp', 100))
        .map((i) => i as Item)
        .map((i) => [-i.stars, i.owner?.toLowerCase() ?? '', i.repo?.toLowerCase() ?? '']),
    )
    const plugins = by(
      ...(await walk('/api/plugins', 100)).map((i) => i as Item).map((i) => [-i.stars, i.marketplaceSlug ?? '', i.slug ?? '']),
    )
    const skills = by(
      ...(await walk('/api/skills', 100)).map((i) => i as Item).map((i) => [i.name?.toLowerCase() ?? '', i.slug ?? '']),
    )
    for (const rows of [servers, plugins, skills]) expect(rows).toEqual(sorted(rows))
  })

  test('a deprecated tool server says so in searches, lists and by itself; the key is absent elsewhere', async () => {
    const server40 = ({ url }: Record<string, unknown>) => String(url).endsWith('/server-40')
    const list = await walk('/api/mcp', 100)
    const found = (await ask('/api/search?type=mcp&limit=25&q=server+40')).json.results
    for (const results of [list, found]) {
      expect(results.find(server40)).toMatchObject({ deprecated: true })
      expect(results.filter((result: object) => 'deprecated' in result)).toHaveLength(1)
    }
    const { owner } = list.find(server40) as unknown as { owner: string }
    expect((await ask(`/api/mcp/${owner}/server-40`)).json).toMatchObject({ deprecated: true })
  })

  test('q filters tool servers and keeps the order by stars', async () => {
    const all = await walk('/api/mcp', 100)
    const some = await walk('/api/mcp?q=postgres', 100)
    expect(some.length).toBeGreaterThan(10)
    expect(some.length).toBeLessThan(all.length + 1)
    const matching = new Set(some.map(({ url }) => url))
    const expected = all.filter(({ url }) => matching.has(url))
    expect(some.map(({ stars }) => stars)).toEqual(expected.map(({ stars }) => stars))
    expect(new Set(some)).toEqual(new Set(expected))
  })

  test.each([
    ['/api/mcp?category=Databases', 'category', 'Databases'],
    ['/api/mcp?official=true', 'official', true],
    ['/api/plugins?ecosystem=codex', 'ecosystem', 'codex'],
    ['/api/plugins?category=Developer+Tools', 'category', 'Developer Tools'],
    ['/api/skills?source=built-in', 'source', 'built-in'],
    ['/api/skills?source=optional', 'source', 'optional'],
    ['/api/skills?source=community', 'source', 'community'],
    ['/api/skills?source=plugin', 'source', 'plugin'],
    ['/api/skills?source=mcp', 'source', 'mcp'],
  ])('%s gives items with that %s only', async (path, field, value) => {
    const { json } = await ask(path)
    expect(json.count).toBeGreaterThan(0)
    expect(new Set(json.results.map((item: Record<string, unknown>) => item[field]))).toEqual(new Set([value]))
  })

  test('a category or ecosystem that nothing has is an empty list', async () => {
    for (const path of ['/api/mcp?category=databases%20', '/api/plugins?ecosystem=emacs', '/api/skills?category=__proto__']) {
      expect((await ask(path)).json, path).toMatchObject({ count: 0, total: 0, results: [] })
    }
  })
})

describe('single items', () => {
  test('keys may need percent-encoding and be long', async () => {
    for (const { owner, repo } of [AWKWARD, LONG]) {
      const { status, json } = await ask(`/api/mcp/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`)
      expect(status).toBe(200)
      expect(json).toMatchObject({ owner, repo })
    }
  })
})

test('stats count what the directory holds', async () => {
  const count = (kind: string) => ENTRIES.filter((row) => row.kind === kind).length
  expect((await ask('/api/stats')).json).toEqual({
    personas: count('PERSONA'),
    skills: SKILLS.length,
    bundles: count('BUNDLE'),
    agents: count('AGENT'),
    tools: SERVERS.length,
    guides: count('GUIDE'),
  })
})

test('category counts add up to the items of each dataset and are what the filter accepts', async () => {
  const { json } = await ask('/api/categories')
  const sum = (counts: { count: number }[]) => counts.reduce((total, { count }) => total + count, 0)
  expect([sum(json.mcp), sum(json.plugins), sum(json.skills)]).toEqual([SERVERS.length, PLUGINS.length, SKILLS.length])
  for (const { name, count } of json.mcp)
    expect((await ask(`/api/mcp?category=${encodeURIComponent(name)}`)).json.total).toBe(count)
})

describe('parameters are strict', () => {
  const spellings: readonly {
    readonly parameter: Exclude<Parameter, { readonly kind: 'texts' }>
    readonly refused: readonly string[]
    readonly accepted: readonly string[]
  }[] = [
    {
      parameter: { kind: 'integer', min: 1, max: 25, default: 10 },
      refused: [
        '',
        '0',
        '26',
        '-1',
        '+5',
        '1e1',
        '1.5',
        '1.0',
        '05',
        '0x5',
        '5%20',
        '%205',
        'ten',
        'NaN',
        'Infinity',
        '%D9%A3',
        '99999999999999999999',
        '%00',
        '%zz',
        'null',
      ],
      accepted: ['1', '25', '%35'],
    },
    {
      parameter: { kind: 'time' },
      refused: ['', 'yesterday', '2026-11-20', '2026-11-20T09:30:00', '2026-13-20T09:30:00Z', '2026-11-20T09:30:00Z%20', '0'],
      accepted: ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00.123%2B01:00'],
    },
    { parameter: { kind: 'boolean' }, refused: ['', '1', '0', 'TRUE', 'yes', 'true%20', '%ff'], accepted: ['true', 'false'] },
    {
      parameter: { kind: 'enum', values: ['a', 'b-c'] },
      refused: ['', 'A', 'b', 'a,b-c', '__proto__', 'toString'],
      accepted: ['a', 'b-c'],
    },
    {
      parameter: { kind: 'text', max: 200 },
      refused: [
        '',
        '%20',
        '+',
        '%09',
        'a%00b',
        'a%1Bb',
        '%7F',
        '%C3%28',
        '%E0%80%80',
        '%',
        'x'.repeat(201),
        'x'.repeat(9000 - 1000),
      ],
      accepted: [
        'x',
        'a%09b',
        'a%0D%0Ab',
        'x'.repeat(200),
        '%F0%9F%98%80'.repeat(200),
        '%25',
        "'; DROP TABLE item; --".replaceAll(' ', '%20'),
      ],
    },
  ]
  const where = {
    integer: ['/api/search?q=x&', 'limit'],
    boolean: ['/api/mcp?', 'official'],
    enum: ['/api/skills?', 'source'],
    text: ['/api/plugins?', 'q'],
    time: ['/v0.1/servers?', 'updated_since'],
  } as const

  test.each(spellings)('$parameter.kind', async ({ parameter, refused, accepted }) => {
    const [path, name] = where[parameter.kind]
    const values = parameter.kind === 'enum' ? ['built-in', 'optional', 'community', 'plugin', 'mcp'] : accepted
    for (const value of values) expect((await ask(`${path}${name}=${value}`)).status, value).toBe(200)
    const real = directoryRoutes.find((row) => path.startsWith(`${row.path}?`))?.parameters[name] as Parameter
    for (const value of refused) {
      const { status, json } = await ask(`${path}${name}=${value}`)
      expect(status, value).toBe(400)
      expect(json.error.code).toBe('INVALID_PARAMETER')
      expect(json.error.details.parameters).toHaveLength(1)
      expect(json.error.details.parameters[0]).toMatchObject({ parameter: name, expected: expectationOf(real) })
      expect(json.error.message).toContain(`\`${name}\``)
      expect(json.error.message).toContain(expectationOf(real))
    }
  })

  test('a repeated parameter is refused, also under another spelling of its name', async () => {
    for (const query of ['limit=5&limit=5', 'limit=5&%6Cimit=5', 'official=true&official=false', 'limit=5&limit=']) {
      const { status, json } = await ask(`/api/mcp?${query}`)
      expect([query, status]).toEqual([query, 400])
      expect(json.error.details.parameters[0].got).toBe('2 values')
    }
  })

  test('every invalid parameter is reported at once', async () => {
    const { json } = await ask('/api/search?type=tools&limit=26')
    expect(json.error.details.parameters).toEqual([
      { parameter: 'q', expected: expect.any(String), got: null },
      { parameter: 'type', expected: 'one of mcp, skill, plugin, all', got: 'tools' },
      { parameter: 'limit', expected: 'a whole number from 1 to 25 in plain digits', got: '26' },
    ])
  })

  test('unknown parameters are ignored, whatever they hold', async () => {
    const plain = await ask('/api/mcp?limit=5')
    for (const extra of [
      '_=1732',
      'utm_source=x&utm_source=y',
      '%zz=%zz',
      'toString=1',
      '__proto__=x',
      '&&',
      '=',
      'constructor',
    ]) {
      const { status, json, headers } = await ask(`/api/mcp?limit=5&${extra}`)
      expect([extra, status, headers.etag]).toEqual([extra, 200, plain.headers.etag])
      expect(json).toEqual(plain.json)
    }
  })
})

test('/llms.txt is a plain-text guide that names every endpoint, and the addresses in it work', async () => {
  const { status, headers, text } = await ask('/llms.txt')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  for (const path of Object.keys(contract.paths)) if (path !== '/llms.txt') expect(text).toContain(`${stack.publicUrl}${path}`)
  const addresses = [...text.matchAll(/^- (\S+\/api\S*?):?$/gmu)]
    .map(([, address]) => address as string)
    .filter((address) => !address.includes('{'))
  expect(addresses.length).toBeGreaterThanOrEqual(7)
  for (const address of addresses)
    expect([address, (await ask(address.slice(stack.publicUrl.length))).status]).toEqual([address, 200])
  expect(text).toContain('CC-BY 4.0')
  expect(text).not.toContain('{publicUrl}')
})
