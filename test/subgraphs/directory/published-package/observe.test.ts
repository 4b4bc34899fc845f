import type { ServerResponse } from 'node:http'
import { graphql } from 'graphql'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Connection, openDatabase } from '../../../../platform/database/database.ts'
import { packageJob } from '../../../../subgraphs/directory/job-thread/package-job.ts'
import { runTask } from '../../../../subgraphs/directory/job-thread/run-task.ts'
import { duePackages } from '../../../../subgraphs/directory/published-package/due.ts'
import { observePackages, type PackageReport } from '../../../../subgraphs/directory/published-package/observe.ts'
import { packageRepository } from '../../../../subgraphs/directory/published-package/repository.ts'
import { createSource } from '../../../../subgraphs/directory/source/actions.ts'
import { sourceHttp } from '../../../../subgraphs/directory/source/network.ts'
import { sourceRepository } from '../../../../subgraphs/directory/source/repository.ts'
import { runSource } from '../../../../subgraphs/directory/source/run.ts'
import { directorySubgraph } from '../../../../subgraphs/directory/subgraph.ts'
import type { Tables } from '../../../../subgraphs/directory/tables.ts'
import { freshDatabase } from '../../../support/database.ts'
import { aRow, json, type Loopback, loopback, registryOf } from '../source/loopback.ts'

const HOUR_MS = 3_600_000
const network = { privateNetworks: ['127.0.0.0/8'], requestsPerHour: 1_000 }

let connection: Connection
let drop: () => Promise<void>
let database: ReturnType<typeof openDatabase<Tables>>
let registry: Loopback
let now: Date
const log = pino({ level: 'silent' })
const http = sourceHttp(network)
/** What npm and PyPI have, by package; what counts its downloads, by name. */
let npm: Record<string, Record<string, unknown>>
let pypi: Record<string, Record<string, unknown>>
let downloads: Record<string, unknown>
/** Files with an attestation. */
let attested: string[]

beforeAll(async () => {
  ;({ connection, drop } = await freshDatabase())
  database = openDatabase<Tables>(connection, { schema: 'directory', max: 4, onError: () => {} })
})
beforeEach(async () => {
  now = new Date('2026-11-20T10:00:00Z')
  await database.pool.query('TRUNCATE source, contribution, item, package_observation CASCADE')
  const servers = await loopback()
  const rows = [
    aRow('one', { packages: [aPackage('npm', '@acme/one')] }),
    aRow('two', { packages: [aPackage('pypi', 'Acme_Two')] }),
    aRow('three', { packages: [aPackage('npm', 'three')] }),
  ]
  // Only a source that says whether a server is maintained overrides its package.
  for (const row of rows) Object.assign(row, { _meta: {} })
  servers.answer(registryOf(() => rows, 10))
  const sources = sourceRepository(database.query)
  const settings = { name: 'main', kind: 'MCP_REGISTRY', address: servers.url, repository: null } as const
  const made = await createSource({ ...settings, intervalMinutes: 60, enabled: true }, { sources, now })
  const signal = new AbortController().signal
  if ('source' in made)
    await runSource(made.source.id, { connection, sources, http, requestsPerHour: 10, now: () => now, signal, log })
  await servers.close()
  npm = { '@acme/one': aPackument('@acme/one'), three: aPackument('three', { license: '(MIT OR Apache-2.0)' }) }
  pypi = { 'acme-two': aProject('acme_two') }
  downloads = { '@acme/one': 12_345, three: 998 }
  attested = ['acme_two-2.0-py3-none-any.whl']
  registry = await loopback()
  registry.answer((request, response, { pathname }) => {
    const path = decodeURIComponent(pathname)
    const [, name] = /^\/downloads\/point\/last-month\/(.+)$/.exec(path) ?? []
    if (name !== undefined) return json(response, counts(name.split(',')))
    const [, project] = /^\/pypi\/(.+)\/json$/.exec(path) ?? []
    const [, file] = /^\/integrity\/[^/]+\/[^/]+\/([^/]+)\/provenance$/.exec(path) ?? []
    if (file !== undefined)
      return attested.includes(file) ? json(response, { attestation_bundles: [{}] }) : json(response, {}, 404)
    const found = project === undefined ? npm[path.slice(1)] : pypi[project]
    if (!found) return json(response, { error: 'Not found' }, 404)
    const etag = `"${JSON.stringify(found).length}"`
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
    return json(response, found, 200, { etag })
  })
  return registry.close
})
afterAll(async () => {
  await http.close()
  await database.close()
  await drop()
})

const aPackage = (registryType: string, identifier: string) => ({
  registryType,
  identifier,
  version: '1.0.0',
  transport: { type: 'stdio' },
})

/** As npm answers it; its repository is that of the server with the same name. */
const aPackument = (name: string, manifest: Record<string, unknown> = {}) => ({
  name,
  'dist-tags': { latest: '2.0.0' },
  time: { '1.0.0': '2025-01-01T00:00:00Z', '2.0.0': '2026-10-01T00:00:00.000Z' },
  versions: {
    '1.0.0': { name, deprecated: 'old' },
    '2.0.0': {
      name,
      license: 'MIT',
      repository: { type: 'git', url: `git+https://github.com/Acme/${name.replace('@acme/', '')}.git` },
      scripts: { test: 'vitest' },
      dist: { attestations: { url: 'https://x.example', provenance: { predicateType: 'https://slsa.dev/provenance/v1' } } },
      ...manifest,
    },
  },
})

const aProject = (name: string, info: Record<string, unknown> = {}, files = [aFile('2.0-py3-none-any.whl', 'bdist_wheel')]) => ({
  info: {
    name,
    version: '2.0',
    license: 'a sentence about the licence',
    license_expression: 'Apache-2.0',
    project_urls: { Homepage: 'https://acme.example', Repository: 'https://github.com/acme/two' },
    yanked: false,
    yanked_reason: null,
    ...info,
  },
  urls: files,
})

const aFile = (end: string, packagetype: string) => ({
  filename: `acme_two-${end}`,
  packagetype,
  upload_time_iso_8601: '2026-09-01T00:00:00.000000Z',
  yanked: false,
})

/** One package, or several by name, as the API of npm counts them. */
function counts(names: readonly string[]): unknown {
  const counted = names.map((name) => [
    name,
    downloads[name] === undefined ? null : { package: name, downloads: downloads[name] },
  ])
  return names.length === 1 ? counted[0]?.[1] : Object.fromEntries(counted)
}

const settings = (osvUrl: string | null = null) => ({
  npmUrl: registry.url,
  npmDownloadsUrl: registry.url,
  pypiUrl: registry.url,
  osvUrl,
  packagesPerHour: 60,
})

async function observe(packagesPerHour = 60, osvUrl: string | null = null): Promise<PackageReport> {
  const packages = packageRepository(database.query)
  const due = await duePackages(packagesPerHour, ['NPM', 'PYPI'], { packages, now: () => now })
  const signal = new AbortController().signal
  return observePackages(due, { connection, packages, http, settings: settings(osvUrl), now: () => now, signal, log })
}

const FACTS =
  'registry name observedAt version publishedAt license monthlyDownloads isWithdrawn withdrawnReason isUnpublished repositoryUrl isOfRepository hasInstallScript hasProvenance advisories'

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
type Data = any

/** Servers as the document selects them, by the name of their repository. */
async function servers(): Promise<Data> {
  const subgraph = await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log })
  const source = `{ mcpServers(first: 9) { edges { node { owner repo repoUrl stars license monthlyDownloads deprecated
    itemTrust { parts { findings { code } } } publishedPackages { ${FACTS} } } } }
    search(query: "does") { edges { node { ... on McpServer { repo } } score { popularity } } } }`
  const contextValue = subgraph.context({ requestId: 'test', address: '127.0.0.1', credentials: {} })
  const { data, errors } = await graphql({ schema: subgraph.schema, source, contextValue })
  await subgraph.close()
  expect(errors).toBeUndefined()
  const { mcpServers, search } = data as Data
  const scores = Object.fromEntries(search.edges.map(({ node, score }: Data) => [node.repo, score.popularity]))
  return Object.fromEntries(
    mcpServers.edges.map(({ node: { repo, itemTrust, ...rest } }: Data) => [
      repo,
      {
        ...rest,
        score: scores[repo],
        codes: itemTrust.parts.flatMap(({ findings }: Data) => findings.map(({ code }: Data) => code)),
      },
    ]),
  )
}

/** Has an answer be `body`, whatever its package is; other requests are refused. */
const answers = (path: string, body: (response: ServerResponse) => unknown): void =>
  registry.answer((_, response, { pathname }) =>
    decodeURIComponent(pathname) === path ? body(response) : json(response, {}, 403),
  )

test('facts of npm and PyPI reach the servers that the packages name as their source', async () => {
  expect(await observe()).toEqual({ observed: 3, changed: 3, pauses: {} })
  const { one, two, three } = await servers()
  const common = {
    observedAt: now.toISOString(),
    isWithdrawn: false,
    withdrawnReason: null,
    isUnpublished: false,
    isOfRepository: true,
    hasProvenance: true,
    advisories: null,
  }
  expect(one.publishedPackages).toEqual([
    {
      ...common,
      registry: 'NPM',
      name: '@acme/one',
      version: '2.0.0',
      publishedAt: '2026-10-01T00:00:00.000Z',
      license: 'MIT',
      monthlyDownloads: 12_345,
      repositoryUrl: 'https://github.com/acme/one',
      hasInstallScript: false,
    },
  ])
  expect(two.publishedPackages).toEqual([
    {
      ...common,
      registry: 'PYPI',
      name: 'acme-two',
      version: '2.0',
      publishedAt: '2026-09-01T00:00:00.000Z',
      license: 'Apache-2.0',
      monthlyDownloads: null,
      repositoryUrl: 'https://github.com/acme/two',
      hasInstallScript: false,
    },
  ])
  // Exact counts would change every item every day.
  expect([one.monthlyDownloads, two.monthlyDownloads, three.monthlyDownloads]).toEqual([10_000, null, 900])
  expect([one.score > three.score, three.score > 0, two.score]).toEqual([true, true, 0])
  expect([one.license, two.license, three.license]).toEqual(['MIT', 'Apache-2.0', 'MIT OR Apache-2.0'])
  expect(one.codes).toEqual(expect.arrayContaining(['PROVENANCE', 'RELEASED']))
})

test('downloads of packages without a scope are one request, of one with a scope another', async () => {
  npm.four = aPackument('four')
  await database.pool.query(
    `INSERT INTO item (kind, identity, key, name, description, category, tags, popularity, detail, provenance, created_at, updated_at, revision)
     VALUES ('MCP_SERVER', 'x', 'x/four', 'four', '', 'x', '{}', 0, '{"installations": [{"command": "npx -y four"}]}', '[]', now(), now(), 1)`,
  )
  await observe()
  expect(registry.requests.filter((path) => path.startsWith('/downloads/')).map(decodeURIComponent)).toEqual([
    '/downloads/point/last-month/four,three',
    '/downloads/point/last-month/@acme/one',
  ])
})

test('what starts another thing is neither requested nor the package of the server', async () => {
  const started = ['npx -y mcp-remote https://acme.example/mcp', 'uvx Mcp_Proxy https://acme.example/sse']
  await database.pool.query(`UPDATE item SET detail = jsonb_set(detail, '{installations}', $1)`, [
    JSON.stringify(started.map((command) => ({ command, transport: 'stdio' }))),
  ])
  const packages = packageRepository(database.query)
  expect(await duePackages(60, ['NPM', 'PYPI'], { packages, now: () => now })).toEqual([])
  // Of an observation before they were left out.
  await database.pool.query(
    `INSERT INTO package_observation (registry, name, observed_at, answered_at, version, repository, is_withdrawn, has_install_script)
     VALUES ('NPM', 'mcp-remote', now(), now(), '1.0.0', 'geelen/mcp-remote', true, true)`,
  )
  const { one } = await servers()
  expect([one.publishedPackages, one.codes]).toEqual([[], ['UNPINNED_PACKAGE']])
})

test('a licence that is too long in the spelling of SPDX is unknown, and its server stays', async () => {
  npm['@acme/one'] = aPackument('@acme/one', { license: Array.from({ length: 10 }, () => 'GPL-2.0+').join(' OR ') })
  await observe()
  expect((await servers()).one).toMatchObject({ license: null, publishedPackages: [{ version: '2.0.0', license: null }] })
})

test('a package is requested once a day, conditionally, and the directory changes only where items take of it', async () => {
  await observe()
  registry.requests.length = 0
  expect(await observe()).toEqual({ observed: 0, changed: 0, pauses: {} })
  expect(registry.requests).toEqual([])
  now = new Date(now.getTime() + 25 * HOUR_MS)
  downloads['@acme/one'] = 19_999
  const revision = async () => (await database.pool.query('SELECT number FROM revision')).rows[0]?.number
  const before = await revision()
  expect(await observe()).toEqual({ observed: 3, changed: 0, pauses: {} })
  expect(await revision()).toBe(before)
  const { one } = await servers()
  expect(one.publishedPackages).toMatchObject([{ monthlyDownloads: 19_999, version: '2.0.0', observedAt: now.toISOString() }])
  now = new Date(now.getTime() + 25 * HOUR_MS)
  downloads['@acme/one'] = 20_000
  expect(await observe()).toMatchObject({ changed: 1 })
  expect((await servers()).one.monthlyDownloads).toBe(20_000)
})

test('advisories of OSV are evidence about the servers that start the package, as long as its version is the newest', async () => {
  const bodies: Data[] = []
  let answered: (names: readonly string[]) => unknown
  const osv = await loopback()
  osv.answer(async (request, response, { pathname }) => {
    let text = ''
    for await (const chunk of request) text += chunk
    bodies.push({ method: request.method, pathname, type: request.headers['content-type'], ...JSON.parse(text) })
    return json(response, answered(JSON.parse(text).queries.map((one: Data) => one.package.name)))
  })
  const known: Record<string, unknown> = {
    '@acme/one': { vulns: [{ id: 'GHSA-b' }, { id: 'GHSA-a', modified: 'x' }, { id: 'MAL-2026-7' }, { id: 'GHSA-a' }] },
    'acme-two': { vulns: [{ id: 7 }, null, { id: '<b>x</b>' }, { id: 'PYSEC-2026-1' }], next_page_token: 'more' },
    three: {},
  }
  answered = (names) => ({ results: names.map((name) => known[name]) })
  try {
    expect(await observe(60, osv.url)).toEqual({ observed: 3, changed: 3, pauses: {} })
    expect(bodies).toEqual([
      {
        method: 'POST',
        pathname: '/v1/querybatch',
        type: 'application/json',
        queries: expect.arrayContaining([
          { package: { ecosystem: 'npm', name: '@acme/one' }, version: '2.0.0' },
          { package: { ecosystem: 'PyPI', name: 'acme-two' }, version: '2.0' },
          { package: { ecosystem: 'npm', name: 'three' }, version: '2.0.0' },
        ]),
      },
    ])
    const advised = async () =>
      Object.fromEntries(
        Object.entries<Data>(await servers()).map(([repo, { publishedPackages, codes }]) => [
          repo,
          [publishedPackages[0].advisories, codes.filter((code: string) => ['MALWARE', 'ADVISORY'].includes(code))],
        ]),
      )
    const first = {
      one: [
        ['MAL-2026-7', 'GHSA-a', 'GHSA-b'],
        ['MALWARE', 'ADVISORY'],
      ],
      two: [['PYSEC-2026-1'], ['ADVISORY']],
      three: [[], []],
    }
    expect(await advised()).toEqual(first)
    // The next day: packages are unchanged, and answers that are none leave what was known.
    for (const none of [{ results: [] }, { results: 'x' }, null]) {
      now = new Date(now.getTime() + 25 * HOUR_MS)
      answered = () => none
      await observe(60, osv.url)
      expect(await advised()).toEqual(first)
    }
    // Neither do answers about one of them that say nothing: an empty page with others behind it, or no advisories.
    const said = known['@acme/one']
    answered = (names) => ({ results: names.map((name) => known[name]) })
    for (const nothing of [{ next_page_token: 'more' }, null, 'x', { vulns: 'x' }, { vulns: null }, { vulns: [{ id: 7 }] }]) {
      now = new Date(now.getTime() + 25 * HOUR_MS)
      known['@acme/one'] = nothing
      await observe(60, osv.url)
      expect([nothing, await advised()]).toEqual([nothing, first])
    }
    known['@acme/one'] = said
    now = new Date(now.getTime() + 25 * HOUR_MS)
    known['acme-two'] = {}
    answered = (names) => ({ results: names.map((name) => known[name]) })
    await observe(60, osv.url)
    expect((await advised()).two).toEqual([[], []])
    // What was said of another version is not said of this one.
    now = new Date(now.getTime() + 25 * HOUR_MS)
    npm['@acme/one'] = { ...aPackument('@acme/one', { version: '3' }), 'dist-tags': { latest: '1.0.0' } }
    answered = () => null
    await observe(60, osv.url)
    expect((await advised()).one).toEqual([null, []])
  } finally {
    await osv.close()
  }
})

test('the budget of an hour is not exceeded', async () => {
  expect(await observe(1)).toMatchObject({ observed: 1 })
  expect(await observe(1)).toMatchObject({ observed: 0 })
  now = new Date(now.getTime() + HOUR_MS + 1_000)
  expect(await observe(2)).toMatchObject({ observed: 2 })
})

test('a turn that takes too long stores what it has, and leaves the rest to the next', async () => {
  const slow = { ...npm }
  registry.answer((_, response, { pathname }) => {
    now = new Date(now.getTime() + 1_000_000)
    return json(response, slow[decodeURIComponent(pathname).slice(1)] ?? {})
  })
  expect(await observe()).toEqual({ observed: 1, changed: 1, pauses: {} })
  expect(registry.requests).toEqual(['/@acme%2fone'])
  expect((await servers()).one.publishedPackages).toMatchObject([{ version: expect.any(String), monthlyDownloads: null }])
  const due = await duePackages(60, ['NPM', 'PYPI'], { packages: packageRepository(database.query), now: () => now })
  expect(due.map(({ name }) => name)).toEqual(['three', 'acme-two'])
})

test('a registry that wants fewer requests pauses for as long as it says, and the other goes on', async () => {
  const normal = { ...pypi }
  registry.answer((_, response, { pathname }) => {
    const project = /^\/pypi\/(.+)\/json$/.exec(pathname)?.[1]
    if (project !== undefined) return json(response, normal[project])
    return pathname.startsWith('/integrity/') ? json(response, {}, 404) : json(response, {}, 429, { 'retry-after': '1800' })
  })
  expect(await observe()).toEqual({ observed: 1, changed: 1, pauses: { NPM: 1_800 } })
  expect(registry.requests).toEqual([
    '/@acme%2fone',
    '/pypi/acme-two/json',
    '/integrity/acme-two/2.0/acme_two-2.0-py3-none-any.whl/provenance',
  ])
  expect((await servers()).two.publishedPackages).toMatchObject([{ hasProvenance: false }])
  // It was not observed: it is due when the pause ends.
  const packages = packageRepository(database.query)
  expect((await duePackages(60, ['NPM'], { packages, now: () => now })).map(({ name }) => name)).toEqual(['@acme/one', 'three'])
  expect(await duePackages(60, [], { packages, now: () => now })).toEqual([])
})

test.each([503, 429])(
  'an attestation that PyPI answers with %i is unknown and read again, and the facts are stored',
  async (status) => {
    const project = pypi['acme-two']
    const isAttestation = (path: string) => path.startsWith('/integrity/')
    const etag = '"one"'
    let failing = true
    registry.answer((request, response, { pathname }) => {
      if (isAttestation(pathname))
        return failing ? json(response, {}, status, { 'retry-after': '60' }) : json(response, { attestation_bundles: [{}] })
      if (pathname !== '/pypi/acme-two/json') return json(response, {}, 404)
      if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
      return json(response, project, 200, { etag })
    })
    expect(await observe()).toMatchObject({ observed: 3, pauses: {} })
    expect((await servers()).two.publishedPackages).toMatchObject([
      { version: '2.0', license: 'Apache-2.0', hasProvenance: null },
    ])
    failing = false
    now = new Date(now.getTime() + 25 * HOUR_MS)
    await observe()
    expect((await servers()).two.publishedPackages).toMatchObject([{ version: '2.0', hasProvenance: true }])
  },
)

test('counts that fail leave the facts, and the counts before', async () => {
  await observe()
  now = new Date(now.getTime() + 25 * HOUR_MS)
  npm['@acme/one'] = aPackument('@acme/one', { deprecated: 'use @acme/other' })
  const packument = npm['@acme/one']
  registry.answer((_, response, { pathname }) =>
    pathname === '/@acme%2fone' ? json(response, packument) : json(response, {}, pathname.startsWith('/downloads/') ? 503 : 403),
  )
  expect(await observe()).toMatchObject({ changed: 1, pauses: { NPM: 900 } })
  expect((await servers()).one).toMatchObject({
    deprecated: true,
    monthlyDownloads: 10_000,
    publishedPackages: [{ isWithdrawn: true, withdrawnReason: 'use @acme/other', monthlyDownloads: 12_345 }],
  })
})

describe('answers that are none leave what was known', () => {
  test.each<[string, (response: ServerResponse) => unknown]>([
    [
      'half of an answer',
      (response) => response.writeHead(200, { 'content-length': '9000' }).write('{"name":', () => response.destroy()),
    ],
    ['no JSON', (response) => response.end('<html>')],
    ['a list', (response) => json(response, [])],
    ['another package', (response) => json(response, aPackument('left-pad'))],
    ['a version of another package', (response) => json(response, aPackument('@acme/one', { name: 'left-pad' }))],
    ['no newest version', (response) => json(response, { ...aPackument('@acme/one'), 'dist-tags': {} })],
    [
      'a newest version that is no version',
      (response) => json(response, { ...aPackument('@acme/one'), 'dist-tags': { latest: '__proto__' } }),
    ],
    ['too much', (response) => response.end(`{"name":"${'x'.repeat(11_000_000)}"}`)],
  ])('%s', async (_, body) => {
    await observe()
    const { one } = await servers()
    now = new Date(now.getTime() + 25 * HOUR_MS)
    answers('/@acme/one', body)
    await observe()
    expect((await servers()).one).toEqual(one)
  })
})

test.each<[string, string, string, (response: ServerResponse) => unknown]>([
  ['npm', 'one', '/@acme/one', (response) => json(response, {}, 404)],
  [
    'npm, with what it leaves',
    'one',
    '/@acme/one',
    (response) => json(response, { name: '@acme/one', time: { unpublished: {} } }),
  ],
  ['PyPI', 'two', '/pypi/acme-two/json', (response) => json(response, { message: 'Not Found' }, 404)],
])('a package that is unpublished from %s is forgotten but for that, until it is there again', async (_, repo, path, gone) => {
  npm['@acme/one'] = aPackument('@acme/one', { deprecated: 'soon gone' })
  await observe()
  const before = (await servers())[repo]
  now = new Date(now.getTime() + 25 * HOUR_MS)
  const usual = registry
  registry = await loopback()
  answers(path, gone)
  expect(await observe()).toMatchObject({ observed: 3, changed: 1, pauses: {} })
  const after = (await servers())[repo]
  expect(after).toMatchObject({ license: null, monthlyDownloads: null, deprecated: false, score: 0 })
  expect(after.codes).toContain('UNPUBLISHED_PACKAGE')
  for (const code of ['RELEASED', 'PROVENANCE', 'WITHDRAWN_PACKAGE']) expect(after.codes).not.toContain(code)
  const { registry: from, name, ...known } = before.publishedPackages[0]
  expect(after.publishedPackages).toEqual([
    {
      ...Object.fromEntries(Object.keys(known).map((fact) => [fact, null])),
      registry: from,
      name,
      observedAt: now.toISOString(),
      isWithdrawn: false,
      isUnpublished: true,
    },
  ])
  await registry.close()
  registry = usual
  now = new Date(now.getTime() + 25 * HOUR_MS)
  expect(await observe()).toMatchObject({ observed: 3, changed: 1 })
  expect((await servers())[repo]).toEqual({
    ...before,
    publishedPackages: [{ ...before.publishedPackages[0], observedAt: now.toISOString() }],
  })
})

test('a package that a registry never had is not one that was unpublished', async () => {
  npm = {}
  pypi = {}
  for (let day = 0; day < 2; day += 1) {
    expect(await observe()).toEqual({ observed: 3, changed: 0, pauses: {} })
    now = new Date(now.getTime() + 25 * HOUR_MS)
  }
  const { one } = await servers()
  expect([one.publishedPackages, one.codes]).toEqual([[], ['PINNED_PACKAGE']])
})

test('a package that names another repository changes nothing of the server but what is said of the package', async () => {
  const { one: before } = await servers()
  npm['@acme/one'] = aPackument('@acme/one', {
    repository: 'github:facebook/react',
    license: 'GPL-3.0-only',
    deprecated: 'gone',
    scripts: { postinstall: 'node steal.js' },
  })
  downloads['@acme/one'] = 90_000_000
  await observe()
  const { one } = await servers()
  const { publishedPackages: _, codes: known, ...identity } = before
  expect(identity.score).toBe(0)
  expect(one).toMatchObject({ ...identity, license: null, monthlyDownloads: null, deprecated: false, stars: 0 })
  expect(one.codes).toEqual(expect.arrayContaining([...known, 'OTHER_REPOSITORY', 'INSTALL_SCRIPT', 'WITHDRAWN_PACKAGE']))
  expect(one.codes).not.toContain('PROVENANCE')
  expect(one.publishedPackages).toMatchObject([
    { repositoryUrl: 'https://github.com/facebook/react', isOfRepository: false, isWithdrawn: true, hasInstallScript: true },
  ])
})

test('values of strangers that are none are unknown, and texts are one clean line', async () => {
  npm['@acme/one'] = {
    ...aPackument('@acme/one', {
      license: { type: 'SEE LICENSE IN x' },
      deprecated: `moved\n\u202e${'x'.repeat(5_000)}`,
      repository: { url: 'https://github.com.evil.example/acme/one' },
      scripts: 'postinstall',
      dist: { attestations: { provenance: true } },
    }),
    time: { '2.0.0': '2199-01-01T00:00:00Z' },
  }
  downloads['@acme/one'] = -5
  await observe()
  const [facts] = (await servers()).one.publishedPackages
  expect(facts).toMatchObject({
    version: '2.0.0',
    publishedAt: null,
    license: null,
    monthlyDownloads: null,
    isWithdrawn: true,
    repositoryUrl: null,
    isOfRepository: null,
    hasInstallScript: false,
    hasProvenance: false,
  })
  expect(facts.withdrawnReason).toMatch(/^moved x{294}$/)
})

test('a release of PyPI that is yanked, or has to be built, is said to be', async () => {
  pypi['acme-two'] = aProject('Acme.Two', { yanked: true, yanked_reason: 'broken' }, [aFile('2.0.tar.gz', 'sdist')])
  await observe()
  const { two } = await servers()
  expect(two.publishedPackages).toMatchObject([
    { isWithdrawn: true, withdrawnReason: 'broken', hasInstallScript: true, hasProvenance: false },
  ])
  expect(two.deprecated).toBe(true)
})

test('packages are observed and merged by a thread', async () => {
  const due = [{ registry: 'NPM', name: 'three', etag: null }] as const
  const task = { kind: 'observe-packages', connection, due, settings: settings(), network } as const
  expect(await runTask(task, { log })).toEqual({ observed: 1, changed: 1, pauses: {} })
  expect((await database.pool.query('SELECT name, version FROM package_observation')).rows).toEqual([
    { name: 'three', version: '2.0.0' },
  ])
})

test('a registry that wants fewer requests is left alone by the next turns', async () => {
  registry.answer((_, response, { pathname }) =>
    pathname.startsWith('/pypi/') ? json(response, {}, 404) : json(response, {}, 429, { 'retry-after': '1800' }),
  )
  const { job } = packageJob(connection, packageRepository(database.query), { settings: settings(), network, log })
  const { signal } = new AbortController()
  await job.run(signal)
  expect(registry.requests).toEqual(['/@acme%2fone', '/pypi/acme-two/json'])
  registry.requests.length = 0
  await job.run(signal)
  expect(registry.requests).toEqual([])
})
