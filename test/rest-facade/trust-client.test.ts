import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PYTHON, runPython } from '../clients/support/python.ts'
import { aBadHost, aGoodHost } from '../subgraphs/trust/support/trust.ts'
import { startTrustStack } from './trust-stack.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(import.meta.dirname, 'trust-client')
const run = promisify(execFile)

let stack: Awaited<ReturnType<typeof startTrustStack>>
beforeAll(async () => {
  stack = await startTrustStack()
  stack.sources.setEvidence('good-place.com', aGoodHost())
  stack.sources.setEvidence('bad-place.com', aBadHost())
})
afterAll(() => stack.close())

const SEEN = { action: 'deny', recorded: 'deny', batch: ['proceed', 'host'], missing: [404, 'not_found'] }

test('a TypeScript client made from the served contract compiles, and decides', async () => {
  const types = join(ROOT, '.generated/trust-client.ts')
  rmSync(types, { force: true })
  const generate = join(import.meta.dirname, 'store/generated-client/generate.ts')
  await run(process.execPath, [generate, `${stack.url}/v1/decide/openapi.json`, types])
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const compiled = await run(process.execPath, [compiler, '-p', FOLDER]).catch((error: { stdout: string }) => error)
  expect(compiled.stdout).toBe('')
  // Named by a variable: the rest of the tests is compiled before the types are there.
  const program = join(FOLDER, 'decide.ts')
  const { runDecisions } = await import(program)
  expect(await runDecisions(stack.url, (await stack.aKey()).secret)).toEqual({ ...SEEN, job: 1 })
}, 60_000)

test.skipIf(!PYTHON)(
  'a Python client made from the served contract loses no operation, and decides',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-openapi-'))
    try {
      writeFileSync(join(folder, 'settings.yaml'), 'post_hooks: []\n')
      const document = join(folder, 'openapi.json')
      writeFileSync(document, await (await fetch(`${stack.url}/v1/decide/openapi.json`)).text())
      const { stdout, stderr } = await runPython([
        ...['-m', 'openapi_python_client', 'generate', '--path', document, '--meta', 'none', '--overwrite'],
        ...['--output-path', join(folder, 'generated'), '--config', join(folder, 'settings.yaml')],
      ])
      // The one thing that the generator cannot do: a job sent as CSV.
      expect(`${stdout}${stderr}`.match(/(?:Unsupported|Unable|Attempted|Cannot).*/g)).toEqual([
        'Unsupported content type text/csv',
      ])
      const seen = await runPython([join(FOLDER, 'decide.py'), stack.url, (await stack.aKey()).secret, folder])
      expect(JSON.parse(seen.stdout)).toEqual(SEEN)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  120_000,
)
