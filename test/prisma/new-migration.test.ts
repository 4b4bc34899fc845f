import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'atrium-new-migration-'))
  for (const path of ['prisma', 'scripts/prisma', 'platform', 'package.json'])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

const newMigration = (...words: string[]) =>
  spawnSync(process.execPath, ['scripts/prisma/new-migration.ts', ...words], { cwd: copy, encoding: 'utf8' })
const migrations = () => readdirSync(join(copy, 'prisma/social/migrations')).filter((name) => /^\d/.test(name))

test('a subgraph that there is not, or a name that is no folder, is refused with the usage', () => {
  for (const words of [[], ['shop', 'x'], ['social'], ['social', '../x'], ['social', 'Add Mood']]) {
    const { status, stderr } = newMigration(...words)
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^Usage: npm run db:new <directory\|gateway\|social\|store\|trust> <name>/),
    ])
  }
})

test('without a change of the data model there is nothing to write', () => {
  const before = migrations()
  const { status, stderr } = newMigration('social', 'nothing')
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The migrations of social already make what prisma\/social says/)])
  expect(migrations()).toEqual(before)
})

test('a change of the data model becomes the newest migration, and only what changed', () => {
  const file = join(copy, 'prisma/social/schema.prisma')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^model Post \{$/m, 'model Post {\n  /// Emoji.\n  mood String?'))
  const before = migrations()
  const { status, stderr, stdout } = newMigration('social', 'post_mood')
  expect([status, stderr]).toEqual([0, ''])
  const added = migrations().filter((name) => !before.includes(name))
  expect(added).toEqual([expect.stringMatching(/^\d{14}_post_mood$/)])
  expect(migrations().at(-1)).toBe(added[0])
  const sql = readFileSync(join(copy, 'prisma/social/migrations', added[0] ?? '', 'migration.sql'), 'utf8')
  expect(sql).toBe('-- AlterTable\nALTER TABLE "post" ADD COLUMN     "mood" TEXT;\n')
  expect(stdout).toContain(sql.trim())
})
