import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { migrate } from '../../../platform/database/migrate.ts'
import { judgementId } from '../../../subgraphs/trust/decision/judgement-cache.ts'
import { emptyDatabase } from '../../support/database.ts'
import { aGoodHost, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

let trust: Trust
beforeAll(async () => {
  trust = await startTrust()
})
afterAll(() => trust.close())

const DECIDE = `query ($domain: String) { decide(input: { domain: $domain }) { ... on DecisionMade { decision { id } } } }`
const decide = (domain: string, { caller }: TestKey) => trust.ask(DECIDE, { domain }, caller)
const madeIn = ({ data }: Data): string => data.decide.decision.id

test('an equal judgement is stored once, for all callers and repetitions', async () => {
  const at = Math.floor(Date.now() / 1000)
  const { evidenceFor } = trust.sources
  const fixed = trust.sources as { evidenceFor: typeof evidenceFor }
  trust.sources.setEvidence('once.example.com', aGoodHost(at))
  const evidence = await evidenceFor({ host: 'once.example.com', registrable: 'example.com' })
  fixed.evidenceFor = async () => evidence
  const [one, other] = [await trust.aKey({ plan: 'unlimited' }), await trust.aKey()]
  try {
    await decide('once.example.com', one)
    await Promise.all([one, one, other, other].map((key) => decide('once.example.com', key)))
  } finally {
    fixed.evidenceFor = evidenceFor
  }
  const stored = await trust.sql(
    'SELECT count(*)::int AS decisions, count(DISTINCT judgement_id)::int AS judgements FROM decision',
  )
  expect(stored).toEqual([{ decisions: 5, judgements: 1 }])
  expect(await trust.sql('SELECT count(*)::int AS n FROM judgement')).toEqual([{ n: 1 }])
  // Another answer is another judgement.
  const set = 'mutation ($input: SetOverrideInput!) { setOverride(input: $input) { __typename } }'
  await trust.ask(set, { input: { subject: 'once.example.com', action: 'DENY', reason: 'Not for us.' } }, one.caller)
  await decide('once.example.com', one)
  expect(await trust.sql('SELECT count(*)::int AS n FROM judgement')).toEqual([{ n: 2 }])
})

test('a decision that cannot be stored fails alone, though one statement writes several', async () => {
  const keys = new Map<string, TestKey>()
  const ask = (host: string) => decide(`${host}.example.com`, keys.get(host) as TestKey)
  for (const host of ['ahead', 'first', 'gone', 'third']) {
    trust.sources.setEvidence(`${host}.example.com`, aGoodHost())
    keys.set(host, await trust.aKey({ plan: 'unlimited' }))
    await ask(host)
  }
  // Counts rows also of statements that fail, and before those end: a sequence knows no
  // transactions.
  await trust.sql(`
    CREATE SEQUENCE tried;
    CREATE FUNCTION count_tried() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('trust.tried'); RETURN NEW; END $$;
    CREATE TRIGGER tried BEFORE INSERT ON decision FOR EACH ROW EXECUTE FUNCTION count_tried()`)
  const tried = async () => (await trust.sql('SELECT last_value::int * is_called::int AS n FROM tried'))[0]?.n
  const [holding, deleting] = [new pg.Client(trust.database.connection), new pg.Client(trust.database.connection)]
  for (const client of [holding, deleting]) {
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('BEGIN')
  }
  await holding.query('SELECT FROM trust.api_key WHERE id = $1 FOR UPDATE', [keys.get('ahead')?.row])
  await deleting.query('DELETE FROM trust.api_key_secret WHERE key_id = $1', [keys.get('gone')?.row])
  await deleting.query('DELETE FROM trust.api_key WHERE id = $1', [keys.get('gone')?.row])
  const before = ask('ahead')
  await expect.poll(tried).toBe(1)
  // While that one waits, the next ones come together behind it. Who asks is found out in the order
  // of asking, so they are there when a question after them is answered.
  const waiters = ['first', 'gone', 'third'].map(ask)
  let answered = 0
  for (const each of waiters) void each.then(() => answered++)
  await decide('not a name', keys.get('ahead') as TestKey)
  await new Promise(setImmediate)
  await holding.query('COMMIT')
  await before
  // The statement of the second one waits to hear whether its key goes, with all three in it.
  await expect.poll(tried).toBe(4)
  expect(answered).toBe(0)
  await deleting.query('COMMIT')
  const [first, second, third] = await Promise.all(waiters)
  expect([madeIn(first), madeIn(third)]).toEqual([expect.stringMatching(/^dec_/), expect.stringMatching(/^dec_/)])
  expect(second?.errors).toMatchObject([{ message: expect.stringContaining('decision_key_id_fkey') }])
  expect(
    await trust.sql('SELECT count(*)::int AS n FROM decision WHERE id = ANY ($1)', [[madeIn(first), madeIn(third)]]),
  ).toEqual([{ n: 2 }])
})

test('a caller is answered after the decision is stored, and a cancelled caller does not cancel others of the same statement', async () => {
  const [leaves, stays] = [await trust.aKey({ plan: 'unlimited' }), await trust.aKey({ plan: 'unlimited' })]
  for (const key of [leaves, stays]) await decide('both.example.com', key)
  const lock = await locked('decision')
  const controller = new AbortController()
  let answered = 0
  const waiters = [
    withCancellation(controller.signal, () => decide('both.example.com', leaves)),
    decide('both.example.com', stays),
  ]
  for (const each of waiters) void each.then(() => answered++)
  await expect.poll(waiting).toBe(1)
  controller.abort(new Error('The client is gone.'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect([answered, await waiting()]).toEqual([0, 1])
  await lock.query('COMMIT')
  await lock.end()
  expect(madeIn(await waiters[1])).toMatch(/^dec_/)
  expect(await trust.sql('SELECT count(*)::int AS n FROM decision WHERE key_id = $1', [stays.row])).toEqual([{ n: 2 }])
})

/** A connection that keeps everybody from writing to a table until it commits. */
async function locked(table: string): Promise<pg.Client> {
  const client = new pg.Client(trust.database.connection)
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE trust.${table} IN SHARE MODE`)
  return client
}

/**
 * Statements that wait for the table of decisions: of this database, for its copies are other
 * tests', and have the same numbers.
 */
async function waiting(): Promise<unknown> {
  const sql = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'trust.decision'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  return (await trust.sql(sql))[0]?.n
}

test('decisions that were stored whole are the same afterwards, and share what was the same', async () => {
  const { connection, drop } = await emptyDatabase()
  const prisma = join(import.meta.dirname, '../../../prisma')
  const before = mkdtempSync(join(tmpdir(), 'atrium-migrations-'))
  cpSync(join(prisma, 'trust'), join(before, 'trust'), {
    recursive: true,
    // The migration in question, and those after it, which stand on its tables.
    filter: (path) => (/migrations\/(\d{14})_/.exec(path)?.[1] ?? '') < '20261122120000',
  })
  await migrate(connection, { folder: before })
  rmSync(before, { recursive: true })
  const client = new pg.Client({ ...connection, options: '-c search_path=trust' })
  await client.connect()
  await client.query(`
    INSERT INTO api_key (name, plan, created_at) VALUES ('one', 'free', now());
    INSERT INTO snapshot VALUES ('snapshot', 'example.com', '{}', '2026-11-20T12:00:00Z', '2026-11-21T12:00:00Z')`)
  const request = JSON.stringify({ name: 'bücher.example' })
  const rows = [
    ['dec_a', 1, '2026-11-20T12:00:00Z', null, '{"action":"deny"}'],
    ['dec_b', 2, '2026-11-20T12:01:00Z', null, '{"action":"deny"}'],
    ['dec_c', 3, '2026-11-20T12:02:00Z', '{"action":"proceed"}', '{"action":"proceed"}'],
  ] as const
  for (const [id, elapsed, at, override, body] of rows) {
    await client.query(
      `INSERT INTO decision VALUES ($1, 1, $2, $3, $4, 'snapshot', 'policy', $5, $6, '2026-11-21T12:00:00Z', $7)`,
      [id, at, request, createHash('sha256').update(request).digest(), override, body, elapsed],
    )
  }
  const whole = `id, key_id, created_at, request, request_hash, snapshot_id, policy_version, override, body, valid_until, elapsed_ms`
  const { rows: old } = await client.query(`SELECT ${whole} FROM decision ORDER BY id`)

  await migrate(connection)
  const joined = 'FROM decision JOIN judgement ON judgement.id = judgement_id'
  const { rows: found } = await client.query(`SELECT ${whole.replace('id,', 'decision.id,')} ${joined} ORDER BY decision.id`)
  expect(found).toEqual(old)
  const made = { requestText: request, snapshotId: 'snapshot', policyVersion: 'policy', override: null, text: rows[0][4] }
  const { rows: ids } = await client.query('SELECT id FROM judgement')
  expect(ids).toHaveLength(2)
  expect(ids.map(({ id }) => id)).toContain(judgementId(made))
  await client.end()
  await drop()
})
