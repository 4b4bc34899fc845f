import { graphql } from 'graphql'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Connection, openDatabase } from '../../../../platform/database/database.ts'
import { type ObserveReport, observeDue } from '../../../../subgraphs/directory/observation/observe.ts'
import { observationRepository } from '../../../../subgraphs/directory/observation/repository.ts'
import { createSource } from '../../../../subgraphs/directory/source/actions.ts'
import { sourceHttp } from '../../../../subgraphs/directory/source/network.ts'
import { sourceRepository } from '../../../../subgraphs/directory/source/repository.ts'
import { runSource } from '../../../../subgraphs/directory/source/run.ts'
import { directorySubgraph } from '../../../../subgraphs/directory/subgraph.ts'
import type { Tables } from '../../../../subgraphs/directory/tables.ts'
import { freshDatabase } from '../../../support/database.ts'
import { aRow, json, type Loopback, loopback, registryOf } from '../source/loopback.ts'

const HOUR_MS = 3_600_000
const TOKEN = 'ghp_a-secret-token'

let connection: Connection
let drop: () => Promise<void>
let database: ReturnType<typeof openDatabase<Tables>>
let github: Loopback
let now: Date
let logged = ''
const log = pino(
  { level: 'debug' },
  {
    write(line: string) {
      logged += line
    },
  },
)
const http = sourceHttp({ privateNetworks: ['127.0.0.0/8'] })
/** What the API knows, by the path behind /repos/. */
let known: Record<string, Record<string, unknown>>

beforeAll(async () => {
  ;({ connection, drop } = await freshDatabase())
  database = openDatabase<Tables>(connection, { schema: 'directory', max: 4, onError: () => {} })
})
beforeEach(async () => {
  now = new Date('2026-11-20T10:00:00Z')
  logged = ''
  await database.pool.query('TRUNCATE source, contribution, item, repository_observation, repository_stars CASCADE')
  const registry = await loopback()
  const rows = [
    aRow('one', { status: 'active' }),
    aRow('two'),
    aRow('three', { repository: { url: 'https://gitlab.com/acme/three' } }),
  ]
  // Only a source that says whether a server is maintained overrides GitHub.
  Object.assign(rows[1] ?? {}, { _meta: {} })
  registry.answer(registryOf(() => rows, 10))
  const sources = sourceRepository(database.query)
  const settings = { name: 'main', kind: 'MCP_REGISTRY', address: registry.url, repository: null } as const
  const made = await createSource({ ...settings, intervalMinutes: 60, enabled: true }, { sources, now })
  const signal = new AbortController().signal
  if ('source' in made)
    await runSource(made.source.id, { connection, sources, http, requestsPerHour: 10, now: () => now, signal, log })
  await registry.close()
  github = await loopback()
  known = { 'acme/one': aRepository(5), 'acme/two': aRepository(70, { archived: true }) }
  github.answer((request, response, { pathname }) => {
    const found = known[pathname.replace('/repos/', '')]
    if (!found) return json(response, { message: 'Not Found' }, 404)
    const etag = `W/"${JSON.stringify(found).length}-${found.stargazers_count}"`
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
    return json(response, found, 200, { etag })
  })
  return github.close
})
afterAll(async () => {
  await http.close()
  await database.close()
  await drop()
})

const aRepository = (stars: number, rest = {}) => ({
  stargazers_count: stars,
  archived: false,
  license: { spdx_id: 'MIT' },
  pushed_at: '2026-11-01T00:00:00Z',
  created_at: '2024-02-03T04:05:06Z',
  ...rest,
})

const observe = (requestsPerHour = 60): Promise<ObserveReport> =>
  observeDue({
    connection,
    observations: observationRepository(database.query),
    http,
    github: { apiUrl: github.url, token: TOKEN, requestsPerHour },
    now: () => now,
    signal: new AbortController().signal,
    log,
  })

/** Stars, whether it is deprecated, and what was observed, by key. */
async function servers() {
  const subgraph = await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log })
  const source =
    '{ mcpServers(first: 9) { nodes: edges { node { repo stars license deprecated observedRepository { archived license pushedAt createdAt observedAt } } } } }'
  const contextValue = subgraph.context({ requestId: 'test', address: '127.0.0.1', credentials: {} })
  const { data, errors } = await graphql({ schema: subgraph.schema, source, contextValue })
  await subgraph.close()
  expect(errors).toBeUndefined()
  // As the document selects it.
  const { mcpServers } = data as { mcpServers: { nodes: { node: { repo: string } }[] } }
  return Object.fromEntries(mcpServers.nodes.map(({ node: { repo, ...rest } }) => [repo, rest]))
}

test('stars and the archive state reach the items, with the time of observation', async () => {
  expect(await observe()).toEqual({ observed: 2, changed: 2, pauseSeconds: 0 })
  expect(github.requests).toEqual(['/repos/acme/one', '/repos/acme/two'])
  const facts = {
    license: 'MIT',
    pushedAt: '2026-11-01T00:00:00.000Z',
    createdAt: '2024-02-03T04:05:06.000Z',
    observedAt: now.toISOString(),
  }
  expect(await servers()).toEqual({
    one: { stars: 5, license: 'MIT', deprecated: false, observedRepository: { archived: false, ...facts } },
    two: { stars: 70, license: 'MIT', deprecated: true, observedRepository: { archived: true, ...facts } },
    three: { stars: 0, license: null, deprecated: false, observedRepository: null },
  })
})

test('a source that calls a server maintained is believed more than GitHub', async () => {
  known['acme/one'] = aRepository(5, { archived: true })
  await observe()
  expect(await servers()).toMatchObject({ one: { deprecated: false, observedRepository: { archived: true } } })
})

test('a repository is requested once a day, and one that is the same is answered 304', async () => {
  await observe()
  github.requests.length = 0
  expect(await observe()).toEqual({ observed: 0, changed: 0, pauseSeconds: 0 })
  expect(github.requests).toEqual([])
  now = new Date(now.getTime() + 25 * HOUR_MS)
  known['acme/two'] = aRepository(71, { archived: true })
  expect(await observe()).toEqual({ observed: 2, changed: 1, pauseSeconds: 0 })
  expect(await servers()).toMatchObject({
    one: { stars: 5, observedRepository: { license: 'MIT', observedAt: now.toISOString() } },
    two: { stars: 71 },
  })
})

test('the budget of an hour is not exceeded', async () => {
  expect(await observe(1)).toMatchObject({ observed: 1 })
  expect(await observe(1)).toMatchObject({ observed: 0 })
  now = new Date(now.getTime() + HOUR_MS + 1_000)
  expect(await observe(1)).toMatchObject({ observed: 1 })
  expect(github.requests).toEqual(['/repos/acme/one', '/repos/acme/two'])
})

test('a limit of GitHub pauses everything for as long as it says, and loses nothing', async () => {
  github.answer((_, response) =>
    json(response, { message: 'rate limit' }, 403, { 'x-ratelimit-remaining': '0', 'retry-after': '1800' }),
  )
  expect(await observe()).toEqual({ observed: 0, changed: 0, pauseSeconds: 1_800 })
  expect(github.requests).toHaveLength(1)
})

test.each([
  ['fails', 503],
  ['refuses the token', 401],
])('an API that %s is left alone for a while, and the other repositories are observed after it', async (_, status) => {
  const { answer, requests } = github
  answer((__, response) => response.writeHead(status).end())
  expect(await observe()).toEqual({ observed: 0, changed: 0, pauseSeconds: 900 })
  expect(requests).toEqual(['/repos/acme/one'])
  now = new Date(now.getTime() + HOUR_MS)
  answer((__, response) => json(response, aRepository(7)))
  await observe()
  expect(requests).toEqual(['/repos/acme/two'])
})

test.each([
  ['no JSON', '<html>'],
  ['other fields', '{"stargazers_count":"5","archived":0}'],
  ['too many stars', JSON.stringify(aRepository(1e12))],
])('%s, a missing repository and a failure leave what was known', async (_, body) => {
  await observe()
  now = new Date(now.getTime() + 25 * HOUR_MS)
  github.answer((__, response, { pathname }) =>
    pathname.endsWith('one') ? response.writeHead(200).end(body) : response.writeHead(404).end(),
  )
  expect(await observe()).toMatchObject({ observed: 2, changed: 0 })
  expect(await servers()).toMatchObject({ one: { stars: 5 }, two: { stars: 70, license: 'MIT', deprecated: true } })
  github.requests.length = 0
  await observe()
  expect(github.requests).toEqual([])
})

test('the token is sent to GitHub alone, and never logged', async () => {
  const other = await loopback()
  const seen: (string | undefined)[] = []
  other.answer((request, response) => {
    seen.push(request.headers.authorization)
    json(response, aRepository(9))
  })
  github.answer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(301, { location: `${other.url}/repositories/1` }).end()
  })
  await observe(1)
  expect(seen).toEqual([`Bearer ${TOKEN}`, undefined])
  github.answer((_, response) => response.writeHead(500).end())
  await observe()
  expect(logged).toContain('could not be observed')
  expect(logged).not.toContain(TOKEN)
  await other.close()
})
