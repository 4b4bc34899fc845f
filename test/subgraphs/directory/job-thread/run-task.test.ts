import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Connection, openDatabase } from '../../../../platform/database/database.ts'
import { runTask } from '../../../../subgraphs/directory/job-thread/run-task.ts'
import { sourceJob } from '../../../../subgraphs/directory/job-thread/source-job.ts'
import { createSource } from '../../../../subgraphs/directory/source/actions.ts'
import { type SourceRepository, sourceRepository } from '../../../../subgraphs/directory/source/repository.ts'
import type { Source } from '../../../../subgraphs/directory/source/source.ts'
import type { Tables } from '../../../../subgraphs/directory/tables.ts'
import { freshDatabase } from '../../../support/database.ts'
import { json, type Loopback, loopback, registryOf, rows } from '../source/loopback.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const network = { privateNetworks: ['127.0.0.0/8'], requestsPerHour: 100 }

let connection: Connection
let drop: () => Promise<void>
let database: ReturnType<typeof openDatabase<Tables>>
let sources: SourceRepository
let server: Loopback
let logged: Record<string, unknown>[] = []
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) })

beforeAll(async () => {
  ;({ connection, drop } = await freshDatabase())
  database = openDatabase<Tables>(connection, { schema: 'directory', max: 4, onError: () => {} })
  sources = sourceRepository(database.query)
})
beforeEach(async () => {
  logged = []
  server = await loopback()
  await database.pool.query('TRUNCATE source, contribution, item, repository_observation, repository_stars CASCADE')
  return server.close
})
afterAll(async () => {
  await database.close()
  await drop()
})

async function aSource(): Promise<Source> {
  const settings = { name: 'main', kind: 'MCP_REGISTRY', address: server.url, repository: null } as const
  const made = await createSource({ ...settings, intervalMinutes: 60, enabled: true }, { sources, now: new Date() })
  if ('faults' in made) throw new Error(JSON.stringify(made.faults))
  return made.source
}

const countItems = async (): Promise<number> =>
  (await database.pool.query('SELECT FROM item WHERE removed_at IS NULL')).rowCount ?? 0

test('a source is read and merged by a thread, whose log is ours, and removed with its items by another', async () => {
  server.answer(registryOf(() => rows(5), 10))
  const source = await aSource()
  expect(await runTask({ kind: 'run-source', connection, id: source.id, network }, { log })).toBeNull()
  expect(await countItems()).toBe(5)
  expect(await sources.byId(source.id)).toMatchObject({ problem: null, counts: { added: 5 } })
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 30, msg: 'a source changed the directory', source: 'main', added: 5 }),
  )
  expect(await runTask({ kind: 'remove-source', connection, source }, { log })).toBe(5)
  expect([await countItems(), await sources.list()]).toEqual([0, []])
})

test('repositories are observed and merged by a thread', async () => {
  server.answer(registryOf(() => rows(1), 10))
  const source = await aSource()
  await runTask({ kind: 'run-source', connection, id: source.id, network }, { log })
  server.answer((_, response) => json(response, { stargazers_count: 42, archived: false }))
  const github = { apiUrl: server.url, token: null, requestsPerHour: 10 }
  const due = [{ repository: 'acme/server-000', etag: null }]
  expect(await runTask({ kind: 'observe-repositories', connection, due, github, network }, { log })).toEqual({
    observed: 1,
    changed: 1,
    pauseSeconds: 0,
  })
  expect((await database.pool.query('SELECT popularity FROM item')).rows).toEqual([{ popularity: 42 }])
})

test('a task that is aborted rejects with the reason, and lets another run the source', async () => {
  const arrived = Promise.withResolvers<void>()
  // Never answered.
  server.answer(() => arrived.resolve())
  const source = await aSource()
  const ended = new AbortController()
  const running = runTask({ kind: 'run-source', connection, id: source.id, network }, { log, signal: ended.signal })
  await arrived.promise
  ended.abort(new Error('shut down'))
  await expect(running).rejects.toThrow('shut down')
  server.answer(registryOf(() => rows(2), 10))
  await expect
    .poll(async () => {
      await runTask({ kind: 'run-source', connection, id: source.id, network }, { log })
      return countItems()
    })
    .toBe(2)
})

test('the fault of a task is that of its thread, with its name and message', async () => {
  const nowhere = { host: '/nowhere', user: 'nobody', database: 'none' }
  const source = { id: '1', kind: 'FILE', address: 'https://a.example/a.json', repository: null } as const
  await expect(runTask({ kind: 'remove-source', connection: nowhere, source }, { log })).rejects.toThrow(/ENOENT|connect/)
})

test('sources whose threads fail wait for their next run, and hold up no other', async () => {
  server.answer(registryOf(() => rows(2), 10))
  const good = await aSource()
  for (const name of ['bad-1', 'bad-2'])
    await database.pool.query(
      `INSERT INTO source (name, kind, address, interval_minutes, enabled, created_at, next_run_at)
       VALUES ($1, 'MCP_REGISTRY', $2, 60, true, now(), date_trunc('milliseconds', now() - interval '1 hour'))`,
      [name, `${server.url}/${name}`],
    )
  // Fails the thread before it can say why.
  await database.pool.query(`
    CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
    CREATE TRIGGER failing BEFORE UPDATE OF last_attempt_at ON source FOR EACH ROW WHEN (NEW.name LIKE 'bad-%') EXECUTE FUNCTION fail()`)
  try {
    const { job } = sourceJob(connection, sources, { network, log })
    await job.run(new AbortController().signal)
  } finally {
    await database.pool.query('DROP TRIGGER failing ON source')
  }
  expect(await sources.byId(good.id)).toMatchObject({ problem: null, counts: { added: 2 } })
  for (const name of ['bad-1', 'bad-2']) {
    const bad = await sources.byName(name)
    expect(bad).toMatchObject({ problem: 'INTERNAL', lastError: 'broken', failures: 1 })
    expect(bad?.nextRunAt?.getTime()).toBeGreaterThan(Date.now())
  }
})

test('the serving process loads neither readers nor the merge, also later: only the thread does', () => {
  const seen = new Set<string>()
  const load = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const imports = readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?:^(?:import|export) (?!type )(?:[^'";]*? from )?|(?<!typeof )\bimport\()'(\.[^']+\.ts)'/gm,
    )
    for (const [, name = ''] of imports) load(relative(ROOT, join(ROOT, dirname(file), name)))
  }
  load('subgraphs/directory/subgraph.ts')
  expect([...seen]).toEqual(expect.arrayContaining(['subgraphs/directory/job-thread/run-task.ts']))
  const forbidden = ['import/merge.ts', 'import/update.ts', 'import/readers.ts', 'source/run.ts', 'observation/observe.ts']
  expect([...seen].filter((file) => forbidden.some((one) => file === `subgraphs/directory/${one}`))).toEqual([])
})
