import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** Where a process that keeps what it loads says that it keeps it. */
async function folderOf(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const script = `
    import { getCompileCacheDir } from 'node:module'
    import { enableCompileCache } from './platform/process/compile-cache.ts'
    enableCompileCache()
    console.log(getCompileCacheDir())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
  })
  return stdout.trim()
}

test('the compile cache is beside the packages, not in a folder that every user may write', async () => {
  const folder = await folderOf()
  expect(folder.startsWith(join(ROOT, 'node_modules/.cache/compiled/'))).toBe(true)
  await promisify(execFile)(process.execPath, ['cli/atrium.ts', '--help'], { cwd: ROOT })
  expect(readdirSync(folder).length).toBeGreaterThan(0)
})

test('a folder that NODE_COMPILE_CACHE names is used instead', async () => {
  const named = mkdtempSync(join(tmpdir(), 'atrium-'))
  expect((await folderOf({ NODE_COMPILE_CACHE: named })).startsWith(named)).toBe(true)
  rmSync(named, { recursive: true })
})
