import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { api } from './operations.ts'
import { type Case, type Finding, faultOf, run } from './run.ts'
import { shrunk } from './shrink.ts'
import { startTarget, type Target } from './target.ts'

const CASES = globSync('cases/*.json', { cwd: import.meta.dirname })
  .sort()
  .map((file) => ({ file, ...(JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Case) }))

/** Seeds of the normal suite; `bench/fuzz.ts` asks more, and others. */
const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed)

let database: FreshDatabase
let target: Target
beforeAll(async () => {
  database = await freshDatabase()
  const { connectionString } = database.connection as { connectionString: string }
  target = await startTarget(connectionString)
})
afterAll(async () => {
  await target?.stop()
  await database?.drop()
})

test.each(CASES)('$file is answered as it must be', async ({ protocol, sent }) => {
  expect(await faultOf(target, protocol, sent, 'case')).toBeNull()
})

test.each([
  ['graph', 150],
  ['rest', 400],
] as const)('random %s requests find no fault', { timeout: 120_000 }, async (protocol, count) => {
  const findings: Finding[] = []
  const results = await run(target, protocol, seeds(count), { found: (finding) => findings.push(finding) })
  const reports = findings.map(
    (finding) => `node bench/fuzz.ts --protocol ${protocol} --seed ${finding.seed}\n${JSON.stringify(finding)}`,
  )
  expect(reports).toEqual([])
  // What is only ever refused would test nothing.
  expect(protocol === 'graph' ? results.get('data') : results.get('200')).toBeGreaterThan(count / 10)
})

test('nothing of it was a fault in the log, and the process lives', () => {
  expect(target.faults()).toEqual([])
})

test('the fuzzed graph has every root field of the schema', () => {
  expect(Object.keys(api.getMutationType()?.getFields() ?? {}).length).toBeGreaterThan(100)
})

test('a failure is shrunk: parts that do not matter are removed at every depth', async () => {
  const failing = { a: [1, { __proto__: null, b: 'x'.repeat(1_000), c: 'culprit' }], d: 'beside' }
  const fails = async (value: unknown) => JSON.stringify(value).includes('culprit')
  expect(await shrunk<unknown>(failing, fails)).toEqual({ a: [{ c: 'culprit' }] })
})
