import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

test.skipIf(!existsSync(join(ROOT, 'node_modules/lucide-static')))('fonts and icons are those of their packages', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/pages/fonts-and-icons.ts', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
