import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aRow, type Loopback, loopback, type RegistryRow, registryOf, rows } from '../subgraphs/directory/source/loopback.ts'
import { freshDatabase } from '../support/database.ts'
import { startMain } from '../support/program.ts'
import { atrium, type Surroundings } from './support/atrium.ts'

const NETWORKS = { DIRECTORY_SOURCE_PRIVATE_NETWORKS: '127.0.0.0/8' }
const TOKEN = 'a-token-of-operators'

let surroundings: Surroundings
let registry: Loopback
let all: RegistryRow[] = rows(12)
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  const { connection, drop } = await freshDatabase({ hasStore: true })
  const filesDir = mkdtempSync(join(tmpdir(), 'atrium-source-'))
  surroundings = { connection, filesDir }
  registry = await loopback()
  registry.answer(registryOf(() => all, 5))
  cleanups.push(drop, () => rmSync(filesDir, { recursive: true, force: true }), registry.close)
  Object.assign(process.env, NETWORKS)
  cleanups.push(() => delete process.env.DIRECTORY_SOURCE_PRIVATE_NETWORKS)
}, 120_000)
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

const source = (...words: string[]) => atrium(surroundings, 'source', ...words)
const jsonOf = async (...words: string[]) => {
  const { out, err, code } = await source(...words, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}

test('the program adds, lists, runs, disables and removes a source', async () => {
  expect(await source('list')).toMatchObject({ code: 0, out: '', err: expect.stringContaining('no source yet') })
  const added = await jsonOf('add', 'own', `${registry.url}/v0/servers`, '--kind', 'mcp-registry', '--every', '60', '--disabled')
  expect(added).toMatchObject({ name: 'own', kind: 'mcp-registry', health: 'disabled', intervalMinutes: 60, counts: null })
  expect(await jsonOf('run', 'own')).toMatchObject({ problem: null, counts: { added: 12, updated: 0, removed: 0, rejected: 0 } })

  registry.answer((_, response) => response.writeHead(200).end('no JSON \u001b[31m'))
  const failed = await source('run', 'own')
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('invalid: Expected JSON') })
  expect(failed.out).not.toContain('\u001b')
  registry.answer(registryOf(() => all, 5))

  expect(await jsonOf('enable', 'own')).toMatchObject({ enabled: true, health: 'failing', problem: 'invalid' })
  expect(await jsonOf('disable', 'own')).toMatchObject({ enabled: false, nextRunAt: null })
  expect(await jsonOf('list')).toMatchObject([{ name: 'own', counts: { added: 12 } }])
  expect(await source('list')).toMatchObject({ out: expect.stringMatching(/^own {2}disabled {2}mcp-registry .* 12 added, .*\n/) })
  expect(await jsonOf('remove', 'own', '--with-items')).toEqual({ name: 'own', removed: 12 })
  for (const words of [['run'], ['enable'], ['remove']])
    expect(await source(...words, 'own')).toMatchObject({ code: 1, err: expect.stringContaining('There is no source "own"') })
}, 120_000)

test.each([
  [['add', 'Own', 'https://e.org/a.json', '--kind', 'file'], 1, 'Expected 1 to 60 letters a to z'],
  [['add', 'own', 'ftp://e.org/a.json', '--kind', 'file'], 1, 'Expected an absolute http or https address'],
  [['add', 'own', 'https://e.org/a.json', '--kind', 'folder'], 2, 'Allowed choices are mcp-registry'],
  [['add', 'own', 'https://e.org/a.json', '--kind', 'file', '--every', '1h'], 2, 'Expected a whole number of minutes'],
  [['add', 'own', 'https://e.org/a.json', '--kind', 'file', '--every', '2'], 1, 'Expected 5 to 43200 minutes'],
])('%j is refused', async (words, code, message) => {
  expect(await source(...words)).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
})

test('the server runs a source by itself, shows how it is, and goes on after it was killed', async () => {
  const { connectionString } = surroundings.connection as { connectionString: string }
  const environment = {
    ...process.env,
    DATABASE_URL: connectionString,
    FILES_DIR: surroundings.filesDir,
    LOG_LEVEL: 'silent',
    OPERATIONS_TOKEN: TOKEN,
  }
  const started = await startMain(environment)
  const json = async (base: string, path: string) => (await fetch(`${base}${path}`)).json()
  /** Waits for what a run brings. Fails by the time limit of the test. */
  const until = async (base: string, path: string, isRight: (data: never) => boolean) => {
    while (!isRight((await json(base, path)) as never)) await sleep(200)
  }
  const page = '/api/mcp/acme/server-011'
  expect((await fetch(`${started.base}${page}`)).status).toBe(404)

  await jsonOf('add', 'live', registry.url, '--kind', 'mcp-registry', '--every', '5')
  await until(started.base, '/api/search?q=server-011', ({ results }: { results: unknown[] }) => (results?.length ?? 0) > 0)
  const metrics = await (await fetch(`${started.base}/metrics`)).text()
  expect(metrics).toMatch(/atrium_feed_lag_seconds\{feed="live"\} \d/)
  expect(metrics).toContain('atrium_feed_failing{feed="live"} 0')
  expect(metrics).toMatch(/atrium_jobs\{queue="source-run",state="failed"\} 0/)
  const authorization = `Basic ${Buffer.from(`operator:${TOKEN}`).toString('base64')}`
  const operations = await (await fetch(`${started.base}/operations`, { headers: { authorization } })).text()
  expect(operations).toMatch(/<th scope="row">live<br><span class="quiet">mcp registry, every 5 minutes<\/span>/)
  expect(operations).toMatch(/<span class="chip tone-good">ok<\/span>/)
  expect(operations).not.toContain(registry.url)

  // Killed while it reads: the next process goes on, and nothing is half there.
  all = [...rows(12), ...rows(30, 'later')].map((row) => row)
  const whole = registryOf(() => all.map((row) => row), 5)
  registry.answer((request, response, url) =>
    url.searchParams.get('cursor') === '10'
      ? undefined
      : whole(request, response, new URL(url.href.replace(/updated_since=[^&]*/, ''))),
  )
  await atriumSql(
    connectionString,
    `UPDATE directory.source SET next_run_at = now(), last_complete_at = now() - interval '2 days'`,
  )
  while (!registry.requests.some((path) => path.includes('cursor=10'))) await sleep(50)
  await started.kill()
  registry.answer(whole)
  all = [...all, aRow('newest')]

  const again = await startMain(environment)
  await until(again.base, '/api/search?q=later-029', ({ results }: { results: unknown[] }) => (results?.length ?? 0) > 0)
  const pages = registry.requests.filter((path) => path.includes('/v0/servers'))
  expect(pages[0]).toContain('cursor=10')
  await again.kill()
}, 240_000)

async function atriumSql(connectionString: string, text: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text)
  await client.end()
}
