import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { decide, decisionText } from '../../../../subgraphs/trust/pipeline/decide.ts'
import { FROZEN_VERSIONS, frozenTables } from '../../../../subgraphs/trust/pipeline/policies/frozen.ts'
import { CURRENT_POLICY, policyOf, policyVersions } from '../../../../subgraphs/trust/pipeline/policy.ts'
import { TABLES, versionOf } from '../../../../subgraphs/trust/pipeline/tables.ts'
import { goldenText } from './support/golden.ts'
import { aRequest, knownBank } from './support/samples.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const GOLDEN = join(import.meta.dirname, 'golden')

afterEach(() => void vi.restoreAllMocks())

test('the tables of this release are kept for later ones', () => {
  expect(FROZEN_VERSIONS, 'Run `node subgraphs/trust/freeze-policy.ts`.').toContain(CURRENT_POLICY)
})

test.each(FROZEN_VERSIONS)('the tables of %s are unchanged', (version) => {
  const tables = frozenTables(version)
  expect(tables && versionOf(tables)).toBe(version)
  expect(policyVersions()).toContain(version)
  expect(policyOf(version)?.version).toBe(version)
})

test('any change of a number is another version', () => {
  const changed = { ...TABLES, weights: { ...TABLES.weights, BANDS: { ...TABLES.weights.BANDS, high: 71 } } }
  expect(versionOf(changed as unknown as typeof TABLES)).not.toBe(CURRENT_POLICY)
})

test('decisions of every kept version replay byte by byte', () => {
  const goldenFiles = globSync('*.txt', { cwd: GOLDEN })
  expect(goldenFiles, 'Run `node test/subgraphs/trust/pipeline/support/golden.ts`.').toContain(`${CURRENT_POLICY}.txt`)
  for (const file of goldenFiles) expect(goldenText(file.replace('.txt', ''))).toBe(readFileSync(join(GOLDEN, file), 'utf8'))
})

test('neither time zone nor language changes a byte', () => {
  const print =
    "const { goldenText } = await import('./test/subgraphs/trust/pipeline/support/golden.ts'); process.stdout.write(goldenText(process.argv[1]))"
  const digests = [
    { TZ: 'UTC', LANG: 'C' },
    { TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
    { TZ: 'America/St_Johns', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' },
  ].map((locale) => {
    const text = execFileSync(process.execPath, ['--input-type=module', '--eval', print, CURRENT_POLICY], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...locale },
    })
    return createHash('sha256').update(text).digest('hex')
  })
  expect(new Set(digests).size).toBe(1)
})

test('a decision uses neither clock nor random numbers', () => {
  const [snapshot, request] = [knownBank('dbs.com.sg'), aRequest('dbs.com.sg')]
  const before = decisionText(decide(snapshot, request, CURRENT_POLICY, null))
  const refuse = () => {
    throw new Error('The pipeline must not ask.')
  }
  const spies = [vi.spyOn(Date, 'now'), vi.spyOn(Math, 'random'), vi.spyOn(performance, 'now')]
  for (const each of spies) each.mockImplementation(refuse)
  try {
    expect(decisionText(decide(snapshot, request, CURRENT_POLICY, null))).toBe(before)
  } finally {
    for (const each of spies) each.mockRestore()
  }
})

test('the pipeline imports nothing that could ask', () => {
  const imported = globSync('subgraphs/trust/pipeline/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    expect(source, file).not.toMatch(/new Date\(\)|Date\.now|Math\.random|performance\.|process\.|toLocale|Intl\.|localeCompare/)
    const names = [...source.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name)
    // Loads the tables of a version, which are files of this folder.
    return file.endsWith('/policies/frozen.ts') ? names.filter((name) => name !== 'node:module') : names
  })
  expect([...new Set(imported)].sort()).toEqual(['canonicalize', 'ipaddr.js', 'node:crypto', 'tldts', 'tr46'])
})

test('the versions of packages that read names are those that are installed', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const [table, name] of [
    ['publicSuffixes', 'tldts'],
    ['idna', 'tr46'],
    ['addresses', 'ipaddr.js'],
  ] as const)
    expect(TABLES.names[table]).toBe(`${name} ${dependencies[name]}`)
})
