import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The Python with the packages of `clients/python/requirements-test.txt`; undefined where there is
 * none, and tests with it are skipped (CONTRIBUTING.md says how to make one).
 */
export const PYTHON = process.env.CLIENT_PYTHON

/** Runs Python from the package's folder; the error of a failed run has its `stdout`. */
export function runPython(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  if (!PYTHON) throw new Error('CLIENT_PYTHON is not set.')
  return run(PYTHON, [...args], {
    cwd: join(import.meta.dirname, '../../../clients/python'),
    // Neither compiled files nor caches are left in the sources.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    maxBuffer: 10_000_000,
  })
}
